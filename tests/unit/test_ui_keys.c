// SPDX-License-Identifier: Apache-2.0
// Checks that texts with keys follow the user's keymap: with all keys remapped, no text on the
// screen mentions a key that now has another action or none.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/report.h"
#include "base/text/text.h"
#include "model/profile/loader.h"
#include "model/rules/rules.h"
#include "property.h"
#include "scenario.h"
#include "ui/app/app_life.h"
#include "ui/app/keymap.h"
#include "ui/app/lists.h"
#include "ui/host.h"
#include "ui/overlay/prompt.h"
#include "ui/overlay/tour_state.h"
#include "ui/session/session_calls.h"
#include "ui/state/app_calls.h"
#include "ui/state/app_state.h"
#include "ui/state/candidates_panel.h"
#include "ui/state/messages.h"
#include "ui/state/saving.h"
#include "ui/state/view.h"
#include "ui/state/view_classes.h"
#include "ui/term/action.h"
#include "ui/term/key.h"
#include "ui/timeline/timeline_view.h"
#include "ui_screen.h"

// ---- a keymap without any of the usual keys ---------------------------------------------------

struct moved {
    struct arena *arena;
    char text[8000];
    struct keymap keymap;
};

// Returns a Greek, Cyrillic or Armenian letter for each action.
static uint32_t moved_key(enum action action)
{
    static const struct {
        uint32_t first, count;
    } letters[] = {{0x0410, 64}, {0x0531, 38}, {0x03b1, 17}, {0x03c3, 7}, {0x0561, 38}};
    uint32_t n = (uint32_t)action;
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++) {
        if (n < letters[i].count)
            return letters[i].first + n;
        n -= letters[i].count;
    }
    fail_msg("more actions than letters");
    return 0;
}

static bool is_fixed_key(enum action action) // The keymap does not allow remapping these.
{
    return action == ACTION_VIEW || action == ACTION_INTERRUPT;
}

static bool move_body(void *context, struct error *error)
{
    struct moved *moved = context;
    return keymap_parse(moved->arena, "keys.yaml", moved->text, strlen(moved->text), &moved->keymap,
                        error);
}

static void keys_move(struct moved *moved)
{
    struct error error = {0};
    size_t used = 0;
    *moved = (struct moved){.arena = arena_new(0)};
    for (enum action a = 0; (size_t)a < action_count; a++) {
        char letter[5] = {0};
        text_encode(moved_key(a), letter);
        if (!is_fixed_key(a))
            used += (size_t)snprintf(moved->text + used, sizeof moved->text - used, "%s: %s\n",
                                     actions[a].name, letter);
        assert_true(used < sizeof moved->text);
    }
    if (!arena_run(moved->arena, move_body, moved, &error))
        fail_msg("%s", error.message);
    if (moved->keymap.note_count > 0)
        fail_msg("%s", moved->keymap.notes[0]);
    keymap_use(&moved->keymap);
}

static void keys_restore(struct moved *moved)
{
    keymap_use(NULL);
    arena_free(moved->arena);
}

// ---- finding words that were keys -------------------------------------------------------------

static bool is_old_key(const char *word, size_t length)
{
    for (enum action a = 0; (size_t)a < action_count; a++) {
        const char *keys = actions[a].keys;
        for (size_t n; !is_fixed_key(a) && *keys; keys += n + strspn(keys + n, " ")) {
            n = strcspn(keys, " ");
            if (n == length && strncmp(keys, word, n) == 0)
                return true;
        }
    }
    return false;
}

// Returns true for a word that reads as a key: "K explains", "O: what", "h and l", or a named key
// anywhere.
static bool reads_as_key(const char *word, size_t length, const char *after)
{
    bool has_name = length > 1;
    if (has_name)
        return true;
    if (*after == ':' && after[1] == ' ')
        return isalpha((unsigned char)*word);
    if (*after != ' ' || !islower((unsigned char)after[1]))
        return false;
    size_t next = strcspn(after + 1, " ,.;:()\n");
    bool is_verb = next >= 4 && after[next] == 's' && (after[next - 1] != 's');
    bool is_pair = next == 3 && strncmp(after + 1, "and", 3) == 0 && after[4] == ' ' &&
                   !isalnum((unsigned char)after[6]);
    return (is_verb || is_pair) && !strchr("aA|-#*", *word); // excludes articles and Markdown
}

// Texts that look like keys but are right: keys fixed in prompts, menus and notes, sides of a
// comparison, signs and letters of formulas.
static const char *const allowed_texts[] = {
    "Tab completes",
    "Tab lists",
    "Tab shows",
    "Enter keeps",
    "it, Esc drops",
    "Esc closes",
    "Enter next",
    "Esc ends",
    "Enter ends",
    "Columns: Space shows",
    "Esc cancels",
    "Enter lists",
    "Esc or Enter closes it",
    "Esc keeps",
    "A: ",
    "B: ",
    "h: the host's period",
    "n workers",
    "Up brings",
    "< > moves",
    "End of its",
    "End (",
    "Left Out",
    "x, y and z",
    "(c: ",
    "[Esc",
    "Enter or Esc",
};

static bool is_allowed(const char *text, const char *word)
{
    for (size_t i = 0; i < sizeof allowed_texts / sizeof *allowed_texts; i++) {
        const char *from = word - text < 24 ? text : word - 24;
        for (const char *found = strstr(from, allowed_texts[i]); found && found <= word;
             found = strstr(found + 1, allowed_texts[i]))
            if (found + strlen(allowed_texts[i]) > word)
                return true;
    }
    return false;
}

static size_t old_keys;

// Prints each occurrence; the test fails at the end.
static void old_key_report(const char *where, const char *word, size_t length)
{
    if (old_keys++ < 40)
        print_error("%s: '%.*s' is no key any more: %.*s\n", where, (int)length, word,
                    (int)strcspn(word, "\n"), word);
}

static void look_for_old_keys(const char *text, const char *where)
{
    for (const char *word = text; *word;) {
        size_t length = strcspn(word, " ,.;:()[]|\n");
        bool is_sign = length == 0 && *word != '\n' && *word != ' ' && *word != '.';
        length = is_sign ? 1 : length;
        bool begins = word == text || strchr(" (\n[", word[-1]);
        if (length > 0 && begins && is_old_key(word, length) &&
            reads_as_key(word, length, word + length) && !is_allowed(text, word))
            old_key_report(where, word, length);
        word += length ? length : 1;
    }
}

static void test_old_keys_are_detected(void **state)
{
    static const struct {
        const char *text;
        bool is_key;
    } cases[] = {
        {"12 left out: outliers (u undoes)", true},
        {"O: what could cut the run into steps", true},
        {"choose first: h and l go along", true},
        {"No row passes the filter.  Esc clears it", true},
        {"forward only: & adds 3 ms", true},
        {"\\ sets one", true},
        {"a bar is the median of 4", false},
        {"A: old.sqlite, B: new.sqlite", false},
        {"sum = GPU idle - copies", false},
        {"aten::add  x 4", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool is_key = false;
        const char *text = cases[i].text;
        for (const char *word = text; *word; word++) {
            size_t length = strcspn(word, " ,.;:()[]|\n");
            bool begins = word == text || strchr(" (", word[-1]);
            length = length ? length : 1;
            is_key |= begins && is_old_key(word, length) &&
                      reads_as_key(word, length, word + length) && !is_allowed(text, word);
        }
        if (is_key != cases[i].is_key)
            fail_msg("'%s' reads as a key", text);
    }
}

// ---- placeholders -----------------------------------------------------------------------------

static bool text_body(void *context, struct error *error)
{
    struct arena *arena = context;
    char out[64], short_out[8];
    (void)error;
    assert_string_equal(action_text("{undo} undoes, {redo} redoes", arena), "u undoes, C-r redoes");
    assert_string_equal(action_text("{ } {nothing} {undo", arena), "{ } {nothing} {undo");
    assert_string_equal(action_text("{next-gpu}{share}", arena), "}%");
    assert_string_equal(action_text("", arena), "");
    assert_string_equal(action_format(out, sizeof out, "%d {share} %s"), "%d %% %s");
    assert_string_equal(action_format(short_out, sizeof short_out, "{redo} brings it"), "C-r bri");
    return true;
}

static void test_texts_have_the_current_keys(void **state)
{
    struct arena *arena = arena_new(0);
    struct moved moved;
    (void)state;
    assert_true(arena_run(arena, text_body, arena, NULL));
    keys_move(&moved);
    moved.keymap.keys[ACTION_REDO] = "";
    char out[64], letter[5] = {0};
    text_encode(moved_key(ACTION_UNDO), letter);
    action_format(out, sizeof out, "{undo}, {redo}");
    assert_memory_equal(out, letter, strlen(letter));
    assert_string_equal(out + strlen(letter), ", :redo"); // redo has no key
    keys_restore(&moved);
    arena_free(arena);
}

// Every placeholder of the action table names an action.
static void test_docs_name_actions(void **state)
{
    (void)state;
    for (enum action a = 0; (size_t)a < action_count; a++) {
        char doc[ACTION_DOC_SIZE];
        assert_null(strpbrk(action_doc(a, doc), "{}"));
        assert_true(strlen(doc) < sizeof doc - 1);
    }
}

// ---- everything on the screen -----------------------------------------------------------------

static void check(struct app *app, const char *where)
{
    char message[sizeof app->messages->text];
    snprintf(message, sizeof message, "%s", app->messages->text);
    look_for_old_keys(message, where);
    if (app->box->is_open)
        look_for_old_keys(app->box->text, where);
    app_draw(app);
    char *shown = picture(app);
    look_for_old_keys(shown, where);
    free(shown);
}

static void close_all(struct app *app)
{
    app->box->is_open = app->menu->is_open = false;
    app->prompt->kind = PROMPT_NONE;
    if (app->candidates->is_open)
        app_key(app, moved_key(ACTION_CANCEL));
}

// Runs each action in views with a digit. In other views checks the picture and the explanations,
// including that of each column.
static void view_check(struct app *app, const char *name)
{
    char command[80], where[120];
    bool has_own = view_class_find(name)->digit;
    snprintf(command, sizeof command, "view %s", name);
    for (enum action a = 0; (size_t)a < action_count && has_own; a++) {
        if (actions[a].reach == REACH_OUT || a == ACTION_TOUR || a == ACTION_THEME ||
            a == ACTION_SCROLL_RIGHT)
            continue;
        app_command_line(app, command);
        snprintf(where, sizeof where, "%s, %s", name, actions[a].name);
        app_key(app, moved_key(a));
        check(app, where);
        close_all(app);
    }
    app_command_line(app, command);
    check(app, name);
    app_key(app, moved_key(ACTION_EXPLAIN));
    check(app, name);
    close_all(app);
    struct view *view = host_top_view(app);
    for (unsigned c = 0; view->report && c < view->report->column_count; c++) {
        host_explain_column(app, view, c);
        look_for_old_keys(app->box->text, name);
        close_all(app);
    }
    app_command_line(app, "help");
    app_draw(app);
    app_key(app, moved_key(ACTION_LAST));
    check(app, "help");
}

static void test_no_text_names_an_old_key(void **state)
{
    static const char *const scenarios[] = {"none", "plain"};
    bool is_quick = run_is_quick(); // the first scenario only
    struct moved moved;
    (void)state;
    keys_move(&moved);
    for (size_t s = 0; s < (is_quick ? 1 : sizeof scenarios / sizeof *scenarios); s++) {
        struct profile *profile = scenario_open(scenarios[s]);
        struct app *app = app_on(profile, 120, 50);
        keymap_use(&moved.keymap); // app_free() of the previous app restored the default keys
        app->saving->copy_to = "/dev/null";
        for (size_t i = 0; i < view_name_count(); i += is_quick ? 8 : 1)
            view_check(app, view_name(i));
        first_run_hint(app);
        check(app, "first run");
        close_all(app);
        app_free(app);
        profile_free(profile);
    }
    rules_use_builtin(); // frees the rules that were read again
    keys_restore(&moved);
    assert_int_equal(old_keys, 0);
}

static void test_the_tour_names_no_old_key(void **state)
{
    struct moved moved;
    (void)state;
    keys_move(&moved);
    struct profile *profile = scenario_open("plain");
    struct app *app = app_on(profile, 100, 30);
    app_command_line(app, "tour");
    size_t stops = 0;
    for (; app->tour->text; stops++) {
        check(app, "tour");
        assert_string_equal(app->tour->problem, "");
        app_key(app, KEY_ENTER_PRESSED);
        app_draw(app);
    }
    assert_true(stops > 8);
    app_free(app);
    profile_free(profile);
    keys_restore(&moved);
    assert_int_equal(old_keys, 0);
}

static int set_up(void **state)
{
    (void)state;
    return own_folder_enter() ? 0 : -1; // every key is pressed, including those that write files
}

static int tear_down(void **state)
{
    (void)state;
    return own_folder_remove();
}

int main(void)
{
    if (!lists_use(NULL))
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_old_keys_are_detected),
        cmocka_unit_test(test_texts_have_the_current_keys),
        cmocka_unit_test(test_docs_name_actions),
        cmocka_unit_test(test_no_text_names_an_old_key),
        cmocka_unit_test(test_the_tour_names_no_old_key),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
