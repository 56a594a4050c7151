// SPDX-License-Identifier: Apache-2.0
// The user's keymap: a valid line applies everywhere, and a conflicting one is reported and has no
// effect.
#include <stdio.h>
#include <string.h>

#include "property.h"
#include "ui/app/keymap.h"
#include "ui/app/lists.h"
#include "ui/term/key.h"

struct parse {
    struct arena *arena;
    const char *text;
    struct keymap keymap;
};

static bool parse_body(void *context, struct error *error)
{
    struct parse *p = context;
    return keymap_parse(p->arena, "/home/me/keys.yaml", p->text, strlen(p->text), &p->keymap,
                        error);
}

static void parse(struct parse *p, const char *text)
{
    struct error error = {0};
    *p = (struct parse){.arena = arena_new(0), .text = text};
    if (!arena_run(p->arena, parse_body, p, &error))
        fail_msg("%s", error.message);
}

static void parse_end(struct parse *p)
{
    keymap_use(NULL);
    arena_free(p->arena);
}

static enum action action_at(const char *name, unsigned kinds)
{
    uint32_t key;
    assert_true(key_parse(name, &key));
    return action_of_key(key, kinds);
}

static void test_keys_are_replaced_and_removed(void **state)
{
    (void)state;
    struct parse p;
    parse(&p, "down: [F11, F12]\ntheme: []\nsuspend: C-]\n");
    assert_int_equal(p.keymap.note_count, 0);
    assert_int_equal(p.keymap.changed, 3);
    keymap_use(&p.keymap);
    assert_int_equal(action_at("F11", KIND_TABLE), ACTION_DOWN);
    assert_int_equal(action_at("F12", KIND_SUMMARY), ACTION_DOWN);
    assert_int_equal(action_at("j", KIND_TABLE), ACTION_NONE); // only the given keys
    assert_int_equal(action_at("T", KIND_TABLE), ACTION_NONE);
    assert_int_equal(action_at("C-]", KIND_TREE), ACTION_SUSPEND);
    assert_int_equal(action_at("k", KIND_TABLE), ACTION_UP); // unchanged
    assert_string_equal(action_keys(ACTION_THEME), "");
    char name[KEY_NAME_SIZE];
    assert_string_equal(action_first_key(ACTION_DOWN, name), "F11");
    keymap_use(NULL);
    assert_int_equal(action_at("j", KIND_TABLE), ACTION_DOWN);
    parse_end(&p);
}

// The maximum number of keys per action is accepted, one more is refused.
static void test_limit_of_keys(void **state)
{
    (void)state;
    struct parse p;
    parse(&p, "down: ä ö ü ß é è à ç ñ ø å æ\n");
    assert_int_equal(p.keymap.note_count, 0);
    keymap_use(&p.keymap);
    assert_int_equal(action_at("ä", KIND_TABLE), ACTION_DOWN);
    assert_int_equal(action_at("æ", KIND_TABLE), ACTION_DOWN);
    parse_end(&p);
    parse(&p, "down: ä ö ü ß é è à ç ñ ø å æ œ\n");
    assert_int_equal(p.keymap.note_count, 1);
    assert_non_null(strstr(p.keymap.notes[0], "more than 12 keys for 'down'"));
    parse_end(&p);
}

// Swapped keys do not conflict, nor does a key in places where the other action does not exist.
static void test_no_clash(void **state)
{
    (void)state;
    struct parse p;
    parse(&p, "next-match: N\nprevious-match: n\nfold-all: E\nunfold-all: C\n");
    assert_int_equal(p.keymap.note_count, 0);
    keymap_use(&p.keymap);
    assert_int_equal(action_at("N", KIND_TABLE), ACTION_NEXT_MATCH);
    assert_int_equal(action_at("C", KIND_TREE), ACTION_UNFOLD_ALL);
    parse_end(&p);
}

static void test_clashes_name_both_and_keep_the_default(void **state)
{
    (void)state;
    static const struct {
        const char *text, *note;
        enum action action; // keeps its default
    } cases[] = {
        {"theme: n\n", "keys.yaml:1:1: n is the key of 'next-match', too: 'theme' keeps T",
         ACTION_THEME},
        {"\n# mine\nsave: C-o\npage: C-o\n",
         "keys.yaml:4:1: C-o is the key of 'save' of line 3, too: 'page' keeps P", ACTION_PAGE},
        {"page: C-o\nsave: C-o\n",
         "keys.yaml:2:1: C-o is the key of 'page' of line 1, too: 'save' keeps s", ACTION_SAVE},
        {"theme: C-dd\n", "keys.yaml:1:1: no key is named 'C-dd'", ACTION_THEME},
        {"theme: {a: b}\n", "keys.yaml:1:1: 'theme' takes names of keys", ACTION_THEME},
        {"view: F9\n", "keys.yaml:1:1: the keys of 'view' are the views' numbers", ACTION_VIEW},
        {"interrupt: q\n", "keys.yaml:1:1: C-c stays", ACTION_INTERRUPT},
        {"theme: C-c\n", "keys.yaml:1:1: C-c is the key of 'interrupt'", ACTION_THEME},
        {"nosuch: x\n", "keys.yaml:1:1: no action is named 'nosuch'", ACTION_QUIT},
        {"theme: \"\\e[31m\"\n", "keys.yaml:1:1: no key is named", ACTION_THEME},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct parse p;
        parse(&p, cases[i].text);
        assert_int_equal(p.keymap.note_count, 1);
        if (strncmp(p.keymap.notes[0], cases[i].note, strlen(cases[i].note)) != 0)
            fail_msg("%s instead of %s", p.keymap.notes[0], cases[i].note);
        assert_string_equal(p.keymap.keys[cases[i].action], actions[cases[i].action].keys);
        parse_end(&p);
    }
}

// An action that returns to its default key may conflict with the one that took this key, which
// then returns to its default as well.
static void test_clashes_settle(void **state)
{
    (void)state;
    struct parse p;
    parse(&p, "theme: n\nmouse: T\nsave: M\n");
    assert_int_equal(p.keymap.note_count, 3);
    assert_int_equal(p.keymap.changed, 0);
    for (enum action a = 0; (size_t)a < action_count; a++)
        assert_string_equal(p.keymap.keys[a], actions[a].keys);
    parse_end(&p);
}

// For random files no key has two actions in one place, and C-c always interrupts.
static void test_random_keymaps_never_clash(void **state)
{
    (void)state;
    struct random random = {20261122};
    static const char *const names[] = {"j", "k", "T", "M", "n", "F5", "C-c", "Esc", "C-o", "J"};
    int rounds = random_rounds(100);
    for (int round = 0; round < rounds; round++) {
        char text[4096] = "";
        size_t length = 0;
        for (enum action a = 0; (size_t)a < action_count; a++)
            if (random_below(&random, 4) == 0)
                length += (size_t)snprintf(text + length, sizeof text - length, "%s: %s\n",
                                           actions[a].name, names[random_below(&random, 10)]);
        struct parse p;
        parse(&p, text);
        keymap_use(&p.keymap);
        for (enum action a = 0; (size_t)a < action_count; a++) {
            uint32_t key, other;
            for (size_t n = 0; action_key(a, n, &key); n++)
                for (enum action b = a + 1; (size_t)b < action_count; b++)
                    for (size_t m = 0; (action_scope_kinds[actions[a].scope] &
                                        action_scope_kinds[actions[b].scope]) &&
                                       action_key(b, m, &other);
                         m++)
                        assert_int_not_equal(key, other);
        }
        assert_int_equal(action_at("C-c", KIND_TABLE), ACTION_INTERRUPT);
        parse_end(&p);
    }
}

int main(void)
{
    if (!lists_use(NULL))
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys_are_replaced_and_removed),
        cmocka_unit_test(test_limit_of_keys),
        cmocka_unit_test(test_no_clash),
        cmocka_unit_test(test_clashes_name_both_and_keep_the_default),
        cmocka_unit_test(test_clashes_settle),
        cmocka_unit_test(test_random_keymaps_never_clash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
