// SPDX-License-Identifier: Apache-2.0
// Checks the table of actions, the names of keys and the list of views for consistency.
#include <ctype.h>
#include <locale.h>
#include <string.h>

#include "analysis/report/report.h"
#include "analysis/reports/report_list.h"
#include "property.h"
#include "ui/app/lists.h"
#include "ui/state/view.h"
#include "ui/state/view_classes.h"
#include "ui/term/action.h"
#include "ui/term/key.h"
#include "ui/views/panel.h"

static void test_actions_are_complete(void **state)
{
    (void)state;
    for (enum action a = 0; (size_t)a < action_count; a++) {
        assert_non_null(actions[a].name);
        assert_true(*actions[a].name);
        assert_true(actions[a].doc && *actions[a].doc);
        assert_true(actions[a].group && *actions[a].group);
        assert_true(*actions[a].keys ||
                    actions[a].argument); // has a key, or is a command with an argument
        assert_true(actions[a].scope < SCOPE_COUNT);
        for (const char *p = actions[a].name; *p; p++)
            assert_true(islower((unsigned char)*p) || *p == '-');
        assert_int_equal(action_find(actions[a].name), a); // names are unique
    }
    assert_int_equal(action_find("no-such-action"), ACTION_NONE);
}

static void test_keys_parse_and_are_unique(void **state)
{
    (void)state;
    for (enum action a = 0; (size_t)a < action_count; a++) {
        uint32_t key, other;
        size_t words = 0;
        for (const char *p = actions[a].keys; *p; p++)
            words += *p != ' ' && (p == actions[a].keys || p[-1] == ' ');
        for (size_t n = 0; n < words; n++) {
            assert_true(action_key(a, n, &key)); // every name parses as a key
            for (enum action b = 0; (size_t)b < action_count; b++) {
                unsigned both =
                    action_scope_kinds[actions[a].scope] & action_scope_kinds[actions[b].scope];
                for (size_t m = 0; both && action_key(b, m, &other); m++)
                    if (other == key && (a != b || m != n))
                        fail_msg("one key, two actions: %s and %s", actions[a].name,
                                 actions[b].name);
            }
        }
        assert_false(action_key(a, words, &key));
    }
}

// Keys that users know from vim, htop, less and perf must keep their meaning. Change this list
// together with the key.
static void test_keys_mean_what_people_expect(void **state)
{
    (void)state;
    enum { EVERYWHERE = 0 };
    static const struct {
        const char *key, *action;
        unsigned kinds; // EVERYWHERE: in views of any kind
    } cases[] = {
        {"j", "down", EVERYWHERE},
        {"k", "up", EVERYWHERE},
        {"Down", "down", EVERYWHERE},
        {"Up", "up", EVERYWHERE},
        {"WheelDown", "down", EVERYWHERE},
        {"WheelUp", "up", EVERYWHERE},
        {"h", "left", EVERYWHERE},
        {"l", "right", EVERYWHERE},
        {"Left", "left", EVERYWHERE},
        {"Right", "right", EVERYWHERE},
        {"g", "first", EVERYWHERE},
        {"G", "last", EVERYWHERE},
        {"Home", "first", EVERYWHERE},
        {"End", "last", EVERYWHERE},
        {"C-d", "half-down", EVERYWHERE},
        {"C-u", "half-up", EVERYWHERE},
        {"C-f", "page-down", EVERYWHERE},
        {"C-b", "page-up", EVERYWHERE},
        {"PgDn", "page-down", EVERYWHERE},
        {"PgUp", "page-up", EVERYWHERE},
        {"Tab", "next-view", EVERYWHERE},
        {"S-Tab", "previous-view", EVERYWHERE},
        {"Enter", "enter", EVERYWHERE},
        {"Esc", "cancel", EVERYWHERE},
        {"Backspace", "back", EVERYWHERE},
        {"q", "quit", EVERYWHERE},
        {"F10", "quit", EVERYWHERE},
        {"Q", "quit-now", EVERYWHERE},
        {"C-c", "interrupt", EVERYWHERE},
        {"C-z", "suspend", EVERYWHERE},
        {"C-l", "redraw", EVERYWHERE},
        {"?", "help", EVERYWHERE},
        {"F1", "help", EVERYWHERE},
        {"K", "explain", EVERYWHERE},
        {":", "command", EVERYWHERE},
        {"F5", "flip", EVERYWHERE},
        {"F", "flip", EVERYWHERE},
        {"v", "names", EVERYWHERE},
        {"i", "set", EVERYWHERE},
        {"F7", "set", EVERYWHERE},
        {"a", "all", EVERYWHERE},
        {"A", "steady", EVERYWHERE},
        {"X", "outliers", EVERYWHERE},
        {"[", "previous-step", EVERYWHERE},
        {"]", "next-step", EVERYWHERE},
        {"O", "key", EVERYWHERE},
        {"p", "scope", EVERYWHERE},
        {"{", "previous-gpu", EVERYWHERE},
        {"}", "next-gpu", EVERYWHERE},
        {"(", "previous-finding", EVERYWHERE},
        {")", "next-finding", EVERYWHERE},
        {"y", "copy", EVERYWHERE},
        {"s", "save", EVERYWHERE},
        {"P", "page", EVERYWHERE},
        {"R", "capture-line", EVERYWHERE},
        {"b", "baseline", EVERYWHERE},
        {"B", "deltas", EVERYWHERE},
        {"F8", "deltas", EVERYWHERE},
        {"r", "reload", EVERYWHERE},
        {"T", "theme", EVERYWHERE},
        {"M", "mouse", EVERYWHERE},
        {"u", "undo", EVERYWHERE},
        {"C-r", "redo", EVERYWHERE},
        {"1", "view", EVERYWHERE},
        {"9", "view", EVERYWHERE},
        {"0", "view", EVERYWHERE},
        {"H", "scroll-left", KIND_TABLE},
        {"L", "scroll-right", KIND_TABLE},
        {"S-Left", "scroll-left", KIND_TABLE},
        {"S-Right", "scroll-right", KIND_TABLE},
        {"/", "search", KIND_TABLE},
        {"F3", "search", KIND_TABLE},
        {"n", "next-match", KIND_TABLE},
        {"N", "previous-match", KIND_TABLE},
        {"*", "search-word", KIND_TABLE},
        {"\\", "filter", KIND_TABLE},
        {"F4", "filter", KIND_TABLE},
        {"f", "filter", KIND_TABLE},
        {"=", "keep", KIND_TABLE},
        {"!", "omit", KIND_TABLE},
        {"<", "sort-left", KIND_TABLE},
        {">", "sort-right", KIND_TABLE},
        {"I", "invert", KIND_TABLE},
        {"F6", "sort", KIND_TABLE},
        {"c", "columns", KIND_TABLE},
        {"F2", "columns", KIND_TABLE},
        {"d", "detail", KIND_TABLE},
        {"z", "centre", KIND_TABLE},
        {"#", "per-step", KIND_TABLE},
        {"%", "share", KIND_TABLE},
        {"^", "parent", KIND_TREE | KIND_TABLE},
        {"E", "unfold-all", KIND_TREE | KIND_TABLE},
        {"C", "fold-all", KIND_TREE | KIND_TABLE},
        {"o", "siblings", KIND_TREE | KIND_TABLE},
        {"Space", "mark", KIND_ITERATIONS},
        {"x", "leave-out", KIND_ITERATIONS},
        {"+", "zoom-in", KIND_ITERATIONS},
        {"-", "zoom-out", KIND_ITERATIONS},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t key;
        assert_true(key_parse(cases[i].key, &key));
        for (unsigned kind = 1; kind < 1u << KIND_COUNT; kind <<= 1) {
            unsigned kinds = cases[i].kinds ? cases[i].kinds : kind;
            enum action action = action_of_key(key, kinds);
            const char *name = action == ACTION_NONE ? "nothing" : actions[action].name;
            if (strcmp(name, cases[i].action) != 0)
                fail_msg("%s is %s, not %s", cases[i].key, name, cases[i].action);
        }
    }
    // Unassigned on purpose: users of htop expect F9 to kill.
    uint32_t f9;
    assert_true(key_parse("F9", &f9));
    assert_int_equal(action_of_key(f9, (1u << KIND_COUNT) - 1), ACTION_NONE);
}

// tmux, macOS and others intercept F-keys.
static void test_every_function_key_has_a_twin(void **state)
{
    (void)state;
    for (enum action a = 0; (size_t)a < action_count; a++) {
        uint32_t key;
        bool has_f = false, has_twin = false;
        for (size_t n = 0; action_key(a, n, &key); n++) {
            has_f |= key >= KEY_F1 && key <= KEY_F12;
            has_twin |= key > ' ' && key < 0x7f;
        }
        if (has_f && !has_twin)
            fail_msg("%s has an F-key and no letter or sign", actions[a].name);
    }
}

static void test_key_names(void **state)
{
    (void)state;
    static const char *const names[] = {"j",    "C-d",   "F5",  "F12",   "Esc",       "Enter",
                                        "PgDn", "S-Tab", "Tab", "Space", "Backspace", "Up",
                                        "Home", "é",     "\\",  ":"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        uint32_t key;
        char out[KEY_NAME_SIZE];
        assert_true(key_parse(names[i], &key));
        assert_string_equal(key_text(key, out), names[i]);
    }
    uint32_t key;
    static const char *const wrong[] = {"", "F0", "F13", "C-", "C-dd", "jj", "Foo", "\033"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(key_parse(wrong[i], &key));
}

// Each hint must work in every kind of view that shows it.
static void test_hints_work_in_their_views(void **state)
{
    (void)state;
    for (enum action a = 0; (size_t)a < action_count; a++) {
        const struct action_row *row = &actions[a];
        assert_true(!row->hint == !row->hint_kinds);
        assert_true(!row->hint || strlen(row->hint) <= 16);
        assert_true(!row->applies || row->hint);
        for (unsigned kind = 1; kind < 1u << KIND_COUNT; kind <<= 1) {
            bool is_said = row->hint_kinds & kind;
            // A tree is a table too.
            unsigned kinds = kind == KIND_TREE ? KIND_TREE | KIND_TABLE : kind;
            assert_true(!is_said || action_scope_kinds[row->scope] & kinds);
        }
    }
}

static void test_views_are_complete(void **state)
{
    (void)state;
    for (size_t i = 0; i < view_count; i++) {
        const struct view_class *view = views[i];
        assert_true(view->name && view->title && view->doc && *view->doc);
        assert_non_null(view->draw);
        assert_true(view->kinds != 0);
        assert_true(!view->digit == !view->tab);
        assert_ptr_equal(view_class_find(view->name), view);
        if (view->report)
            assert_non_null(report_find(view->report));
        if (view->flip)
            assert_non_null(view_class_find(view->flip));
        for (size_t k = 0; k < i; k++)
            assert_true(!view->digit || views[k]->digit != view->digit);
    }
    for (size_t r = 0; r < report_count; r++)
        assert_non_null(view_class_find(reports[r]->name));
    assert_null(view_class_find("no such view"));
    assert_null(view_class_find(""));
}

int main(void)
{
    setlocale(LC_ALL, "C.UTF-8");
    if (!lists_use(NULL))
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_actions_are_complete),
        cmocka_unit_test(test_keys_parse_and_are_unique),
        cmocka_unit_test(test_keys_mean_what_people_expect),
        cmocka_unit_test(test_every_function_key_has_a_twin),
        cmocka_unit_test(test_key_names),
        cmocka_unit_test(test_hints_work_in_their_views),
        cmocka_unit_test(test_views_are_complete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
