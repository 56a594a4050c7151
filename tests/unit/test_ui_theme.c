// SPDX-License-Identifier: Apache-2.0
// Checks themes: the built-in ones are complete, and errors name their place.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "property.h"
#include "small_profile.h"
#include "ui/app/app_life.h"
#include "ui/state/app_calls.h"
#include "ui/state/app_options.h"
#include "ui/state/app_state.h"
#include "ui/state/colours.h"
#include "ui/term/style.h"
#include "ui/term/theme.h"
#include "ui_screen.h"

static bool load(void *context, struct error *error)
{
    void **arguments = context;
    return theme_load(arguments[0], arguments[1], arguments[2], error);
}

static bool theme_named(struct arena *arena, const char *name, struct theme *theme,
                        struct error *error)
{
    void *arguments[] = {arena, (void *)(uintptr_t)name, theme};
    return arena_run(arena, load, arguments, error);
}

static void test_built_in(void **state)
{
    (void)state;
    setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
    struct arena *arena = arena_new(0);
    static const char *const names[] = {"dark",     "light", "high-contrast",
                                        "8-colour", "cvd",   "mono"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct theme theme;
        struct error error = {0};
        if (!theme_named(arena, names[i], &theme, &error))
            fail_msg("%s", error.message);
        assert_string_equal(theme.name, names[i]);
        // The cursor must be visible in each theme.
        const struct theme_style *cursor = &theme.styles[STYLE_CURSOR];
        assert_true(cursor->bg != COLOUR_DEFAULT || cursor->attributes);
        assert_true(cursor->bg8 != COLOUR_DEFAULT || cursor->attributes);
        bool is_mono = strcmp(names[i], "mono") == 0;
        for (size_t s = 0; s < STYLE_COUNT; s++) {
            assert_true(theme.styles[s].fg8 < 8 && theme.styles[s].bg8 < 8);
            if (is_mono)
                assert_true(theme.styles[s].fg == COLOUR_DEFAULT &&
                            theme.styles[s].bg == COLOUR_DEFAULT);
        }
    }
    const char *const *list;
    assert_true(theme_list(arena, &list) >= 6);
    struct theme theme;
    struct error error = {0};
    assert_false(theme_named(arena, "nosuch", &theme, &error));
    assert_non_null(strstr(error.message, "dark"));
    assert_int_equal(error.kind, ERROR_USAGE);
    assert_false(theme_named(arena, "../../etc/passwd", &theme, &error));
    arena_free(arena);
}

// Each part of a breakdown has a colour of its own among 256. With 8 colours two may share one, as
// glyphs distinguish them. Either every style of a theme leaves the background to the terminal, or
// none does.
static void test_parts_have_distinct_colours(void **state)
{
    (void)state;
    static const char *const names[] = {"dark", "light", "high-contrast", "cvd"};
    struct arena *arena = arena_new(0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct theme theme;
        assert_true(theme_named(arena, names[i], &theme, NULL));
        for (size_t a = STYLE_TENSOR; a <= STYLE_EXCLUDED; a++) {
            assert_int_equal(theme.styles[a].bg, theme.styles[STYLE_TEXT].bg);
            for (size_t b = a + 1; b <= STYLE_EXCLUDED; b++)
                if (theme.styles[a].fg == theme.styles[b].fg)
                    fail_msg("%s: %s and %s look alike", names[i], style_names[a], style_names[b]);
        }
        bool is_own = strcmp(names[i], "high-contrast") == 0;
        assert_int_equal(theme.styles[STYLE_TEXT].bg != COLOUR_DEFAULT, is_own);
    }
    arena_free(arena);
}

// The 8-colour theme uses the terminal's own palette on any terminal.
static void test_eight_colours_are_eight(void **state)
{
    (void)state;
    struct arena *arena = arena_new(0);
    struct theme theme;
    assert_true(theme_named(arena, "8-colour", &theme, NULL));
    for (size_t s = 0; s < STYLE_COUNT; s++) {
        assert_true(theme.styles[s].fg < 8 && theme.styles[s].bg < 8);
        assert_int_equal(theme.styles[s].fg, theme.styles[s].fg8);
        assert_int_equal(theme.styles[s].bg, theme.styles[s].bg8);
    }
    arena_free(arena);
}

// Simulates how one of the 256 colours looks without red (protan) or green cones, after Viénot,
// Brettel and Mollon 1999. Writes two numbers: brightness, and blue against yellow.
static void colour_seen_without(bool is_protan, int16_t colour, double out[2])
{
    int level[3] = {(colour - 16) / 36, (colour - 16) / 6 % 6, (colour - 16) % 6};
    double rgb[3];
    for (int c = 0; c < 3; c++) {
        double value = colour >= 232 ? (8 + 10 * (colour - 232)) / 255.0
                                     : (level[c] ? 55 + 40 * level[c] : 0) / 255.0;
        rgb[c] = pow(value, 2.2);
    }
    double mix = is_protan ? 0.1124 * rgb[0] + 0.8876 * rgb[1] : 0.2927 * rgb[0] + 0.7073 * rgb[1];
    double blue = is_protan ? 0.0040 * rgb[0] - 0.0040 * rgb[1] + rgb[2]
                            : -0.0223 * rgb[0] + 0.0223 * rgb[1] + rgb[2];
    out[0] = pow(mix, 1 / 2.2);
    out[1] = pow(blue > 0 ? blue : 0, 1 / 2.2);
}

static void test_colours_differ_with_cvd(void **state)
{
    (void)state;
    struct arena *arena = arena_new(0);
    struct theme theme;
    assert_true(theme_named(arena, "cvd", &theme, NULL));
    for (int protan = 0; protan < 2; protan++)
        for (size_t a = STYLE_TENSOR; a < STYLE_EXCLUDED; a++)
            for (size_t b = a + 1; b < STYLE_EXCLUDED; b++) {
                double x[2], y[2];
                colour_seen_without(protan, theme.styles[a].fg, x);
                colour_seen_without(protan, theme.styles[b].fg, y);
                if (hypot(x[0] - y[0], x[1] - y[1]) < 0.08)
                    fail_msg("%s and %s look alike", style_names[a], style_names[b]);
            }
    arena_free(arena);
}

struct parse {
    struct arena *arena;
    const char *text;
    struct theme theme;
};

static bool parse(void *context, struct error *error)
{
    struct parse *p = context;
    return theme_parse(p->arena, "t.yaml", p->text, strlen(p->text), &p->theme, error);
}

static void test_errors_have_a_place(void **state)
{
    (void)state;
    static const struct {
        const char *text, *place;
    } cases[] = {
        {"styles:\n  cursr: {fg: red}\n", "t.yaml:2:3:"},
        {"styles:\n  cursor: {fg: reddish}\n", "t.yaml:2:16:"},
        {"styles:\n  cursor: {fg: 300}\n", "t.yaml:2:16:"},
        {"styles:\n  cursor: {attr: shiny}\n", "t.yaml:2:18:"},
        {"styles:\n  cursor: {colour: red}\n", "t.yaml:2:"},
        {"styles: 3\n", "t.yaml:1:"},
        {"stiles: {}\n", "t.yaml:1:"},
        {"- a\n", "t.yaml:1:"},
        {"styles: {cursor: 7}\n", "t.yaml:1:"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct parse p = {arena_new(0), cases[i].text, {0}};
        struct error error = {0};
        assert_false(arena_run(p.arena, parse, &p, &error));
        if (strncmp(error.message, cases[i].place, strlen(cases[i].place)) != 0)
            fail_msg("%s instead of %s", error.message, cases[i].place);
        arena_free(p.arena);
    }
}

static void test_colours(void **state)
{
    (void)state;
    struct parse p = {arena_new(0),
                      "name: x\nstyles:\n  text: {fg: \"#ff0000\", bg: default}\n"
                      "  dim: {fg: bright-blue, fg8: green, attr: [bold, dim]}\n",
                      {0}};
    struct error error = {0};
    if (!arena_run(p.arena, parse, &p, &error))
        fail_msg("%s", error.message);
    assert_int_equal(p.theme.styles[STYLE_TEXT].fg, 196);
    assert_int_equal(p.theme.styles[STYLE_TEXT].fg8, 1);
    assert_int_equal(p.theme.styles[STYLE_TEXT].bg, COLOUR_DEFAULT);
    assert_int_equal(p.theme.styles[STYLE_DIM].fg, 12);
    assert_int_equal(p.theme.styles[STYLE_DIM].fg8, 2);
    assert_int_equal(p.theme.styles[STYLE_DIM].attributes, ATTRIBUTE_BOLD | ATTRIBUTE_DIM);
    arena_free(p.arena);
    for (int16_t colour = -1; colour < 256; colour++)
        assert_true(colour_to_8(colour) >= -1 && colour_to_8(colour) < 8);
}

// Colours chosen by --color, NO_COLOR and --theme.
static void test_choice_of_colours(void **state)
{
    (void)state;
    static const struct {
        const char *color, *no_color, *theme, *expected;
    } cases[] = {
        {NULL, NULL, NULL, "dark"},
        {"auto", "1", NULL, "mono"},
        {"auto", "", NULL, "dark"}, // an empty value counts as unset, see no-color.org
        {"always", "1", NULL, "dark"},
        {"never", NULL, "light", "mono"},
        {"auto", "1", "cvd", "mono"},
        {"auto", NULL, "cvd", "cvd"},
        {"always", "1", "8-colour", "8-colour"},
    };
    struct arena *arena = arena_new(0);
    struct profile *profile = empty_profile(arena);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct app_options options = app_defaults;
        options.color = cases[i].color;
        options.theme = cases[i].theme;
        if (cases[i].no_color)
            setenv("NO_COLOR", cases[i].no_color, 1);
        else
            unsetenv("NO_COLOR");
        struct app *app = app_with(&options, profile, 80, 24);
        assert_string_equal(app->colours->theme.name, cases[i].expected);
        app_free(app);
    }
    unsetenv("NO_COLOR");
    arena_free(arena);
}

// `T` cycles through all themes; the text of the screen stays the same.
static void test_themes_go_round(void **state)
{
    (void)state;
    struct arena *arena = arena_new(0);
    struct app *app = app_on(small_profile(arena), 80, 24);
    const char *const *list;
    size_t count = theme_list(arena, &list);
    char first[100], *before = picture(app);
    snprintf(first, sizeof first, "%s", app->colours->theme.name);
    for (size_t i = 0; i < count; i++) {
        press(app, "T");
        char *after = picture(app);
        assert_string_equal(after, before);
        assert_int_equal(strcmp(app->colours->theme.name, first) == 0, i + 1 == count);
        free(after);
    }
    assert_true(app_command_line(app, "theme high-contrast"));
    assert_string_equal(app->colours->theme.name, "high-contrast");
    assert_false(app_command_line(app, "theme nosuch"));
    assert_string_equal(app->colours->theme.name, "high-contrast"); // stays in force
    free(before);
    app_free(app);
    arena_free(arena);
}

static void test_user_files_come_first(void **state)
{
    (void)state;
    char folder[] = "/tmp/theme-test-XXXXXX", path[200];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/dlprof-tui", folder);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/dlprof-tui/themes", folder);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/dlprof-tui/themes/dark.yaml", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("name: mine\nstyles: {text: {fg: 5}}\n", file);
    fclose(file);
    setenv("XDG_CONFIG_HOME", folder, 1);
    struct arena *arena = arena_new(0);
    struct theme theme;
    assert_true(theme_named(arena, "dark", &theme, NULL));
    assert_string_equal(theme.name, "mine");
    assert_int_equal(theme.styles[STYLE_TEXT].fg, 5);
    // A user theme with a new name is listed in order among the others.
    char more[220];
    snprintf(more, sizeof more, "%s/dlprof-tui/themes/ebb.yaml", folder);
    assert_int_equal(rename(path, more), 0);
    const char *const *names;
    size_t count = theme_list(arena, &names), at = 0;
    while (at < count && strcmp(names[at], "ebb") != 0)
        at++;
    assert_true(at > 0 && at + 1 < count);
    assert_string_equal(names[at - 1], "dark"); // the built-in one; the user's is gone
    assert_true(strcmp(names[at + 1], "ebb") > 0);
    assert_true(theme_named(arena, "ebb", &theme, NULL));
    assert_true(theme_named(arena, "dark", &theme, NULL));
    assert_string_equal(theme.name, "dark");
    file = fopen(more, "w"); // too long for a theme
    assert_non_null(file);
    for (int i = 0; i < 1 << 16; i++)
        fputc('#', file);
    fclose(file);
    struct error error = {0};
    assert_false(theme_named(arena, "ebb", &theme, &error));
    assert_non_null(strstr(error.message, "too long"));
    arena_free(arena);
    unlink(more);
    snprintf(path, sizeof path, "%s/dlprof-tui/themes", folder);
    rmdir(path);
    snprintf(path, sizeof path, "%s/dlprof-tui", folder);
    rmdir(path);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_built_in),
        cmocka_unit_test(test_parts_have_distinct_colours),
        cmocka_unit_test(test_eight_colours_are_eight),
        cmocka_unit_test(test_colours_differ_with_cvd),
        cmocka_unit_test(test_errors_have_a_place),
        cmocka_unit_test(test_colours),
        cmocka_unit_test(test_choice_of_colours),
        cmocka_unit_test(test_themes_go_round),
        cmocka_unit_test(test_user_files_come_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
