// SPDX-License-Identifier: Apache-2.0
// Reads themes: YAML files with a colour and attributes for each style. A theme is searched in the
// user's configuration, in the data folder, then among the embedded files.
#include "ui/term/theme.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/embedded.h"
#include "base/parse/yaml.h"
#include "base/xdg.h"

const char *const style_names[STYLE_COUNT] = {
    [STYLE_TEXT] = "text",
    [STYLE_DIM] = "dim",
    [STYLE_STRONG] = "strong",
    [STYLE_TITLE] = "title",
    [STYLE_TAB] = "tab",
    [STYLE_TAB_ACTIVE] = "tab_active",
    [STYLE_SCOPE] = "scope",
    [STYLE_RULE] = "rule",
    [STYLE_RULE_TITLE] = "rule_title",
    [STYLE_HEADER] = "header",
    [STYLE_HEADER_SORT] = "header_sort",
    [STYLE_CURSOR] = "cursor",
    [STYLE_MATCH] = "match",
    [STYLE_MARK] = "mark",
    [STYLE_KEY] = "key",
    [STYLE_LABEL] = "label",
    [STYLE_PROMPT] = "prompt",
    [STYLE_GOOD] = "good",
    [STYLE_WARNING] = "warning",
    [STYLE_BAD] = "bad",
    [STYLE_BAR] = "bar",
    [STYLE_TREE] = "tree",
    [STYLE_TENSOR] = "tensor_core",
    [STYLE_KERNEL] = "kernel",
    [STYLE_COMM] = "communication",
    [STYLE_COPY] = "copy",
    [STYLE_GRAPH] = "graph",
    [STYLE_LOADER] = "dataloader",
    [STYLE_IO] = "io",
    [STYLE_CPU] = "cpu",
    [STYLE_IDLE] = "idle",
    [STYLE_EXCLUDED] = "left_out",
};

static const struct {
    const char *name;
    unsigned bit;
} attribute_names[] = {
    {"bold", ATTRIBUTE_BOLD},           {"dim", ATTRIBUTE_DIM},
    {"underline", ATTRIBUTE_UNDERLINE}, {"reverse", ATTRIBUTE_REVERSE},
    {"italic", ATTRIBUTE_ITALIC},
};

static const char *const colour_names[16] = {
    "black",        "red",           "green",       "yellow",         "blue",
    "magenta",      "cyan",          "white",       "bright-black",   "bright-red",
    "bright-green", "bright-yellow", "bright-blue", "bright-magenta", "bright-cyan",
    "bright-white",
};

static int cube_level(int value)
{
    return value < 48 ? 0 : value < 115 ? 1 : (value - 35) / 40;
}

// Returns the nearest of 256 colours, in the 6x6x6 cube or the grey ramp.
static int16_t colour_of_rgb(int red, int green, int blue)
{
    if (abs(red - green) < 8 && abs(green - blue) < 8 && red > 8 && red < 238)
        return (int16_t)(232 + (red - 3) / 10);
    return (int16_t)(16 + 36 * cube_level(red) + 6 * cube_level(green) + cube_level(blue));
}

int16_t colour_to_8(int16_t colour)
{
    if (colour < 8)
        return colour;
    if (colour < 16)
        return (int16_t)(colour == 8 ? 7 : colour - 8); // grey on black stays readable
    if (colour >= 232)
        return colour < 240 ? 0 : 7;
    int red = (colour - 16) / 36, green = (colour - 16) / 6 % 6, blue = (colour - 16) % 6;
    int maximum = red > green ? red : green;
    maximum = blue > maximum ? blue : maximum;
    int threshold = (maximum + 1) / 2 > 1 ? (maximum + 1) / 2 : 1;
    return (int16_t)((red >= threshold) | (green >= threshold) << 1 | (blue >= threshold) << 2);
}

static bool colour_read(const struct yaml_node *node, int16_t *colour, struct error *error)
{
    if (node->kind != YAML_SCALAR)
        return yaml_fail(node, error, "a colour is a name, a number below 256 or \"#rrggbb\"");
    unsigned red, green, blue;
    char rest;
    if (strcmp(node->text, "default") == 0) {
        *colour = COLOUR_DEFAULT;
        return true;
    }
    for (int16_t i = 0; i < 16; i++) {
        if (strcmp(node->text, colour_names[i]) == 0) {
            *colour = i;
            return true;
        }
    }
    if (strlen(node->text) == 7 &&
        sscanf(node->text, "#%2x%2x%2x%c", &red, &green, &blue, &rest) == 3) {
        *colour = colour_of_rgb((int)red, (int)green, (int)blue);
        return true;
    }
    char *end;
    long number = strtol(node->text, &end, 10);
    if (*node->text && !*end && number >= 0 && number < 256) {
        *colour = (int16_t)number;
        return true;
    }
    return yaml_fail(node, error,
                     "'%s' is no colour: a name (red, bright-blue, default), a number"
                     " below 256 or \"#rrggbb\"",
                     node->text);
}

static bool attributes_read(const struct yaml_node *node, unsigned *attributes, struct error *error)
{
    struct yaml_node single = *node;
    const struct yaml_node *items = node->kind == YAML_SEQUENCE ? node->children : &single;
    size_t count = node->kind == YAML_SEQUENCE ? node->child_count : 1;
    *attributes = 0;
    for (size_t i = 0; i < count; i++) {
        size_t name_count = sizeof attribute_names / sizeof *attribute_names, k = 0;
        while (k < name_count && (items[i].kind != YAML_SCALAR ||
                                  strcmp(items[i].text, attribute_names[k].name) != 0))
            k++;
        if (k == name_count) {
            return yaml_fail(&items[i], error,
                             "an attribute is bold, dim, underline, reverse or italic");
        }
        *attributes |= attribute_names[k].bit;
    }
    return true;
}

static bool style_read(const struct yaml_node *node, struct theme_style *style, struct error *error)
{
    static const char *const keys[] = {"fg", "bg", "fg8", "bg8", "attr", NULL};
    if (node->kind != YAML_MAPPING)
        return yaml_fail(node, error, "a style is a mapping of fg, bg, fg8, bg8 and attr");
    if (!yaml_only(node, keys, error))
        return false;
    const struct {
        const char *key;
        int16_t *colour;
    } colours[] = {
        {"fg", &style->fg}, {"bg", &style->bg}, {"fg8", &style->fg8}, {"bg8", &style->bg8}};
    for (size_t i = 0; i < 4; i++) {
        const struct yaml_node *value = yaml_get(node, colours[i].key);
        if (value && !colour_read(value, colours[i].colour, error))
            return false;
        if (i < 2) // default unless the file sets fg8 and bg8
            *colours[i + 2].colour = colour_to_8(*colours[i].colour);
    }
    const struct yaml_node *attributes = yaml_get(node, "attr");
    return !attributes || attributes_read(attributes, &style->attributes, error);
}

bool theme_parse(struct arena *arena, const char *file, const char *text, size_t length,
                 struct theme *theme, struct error *error)
{
    static const char *const keys[] = {"name", "doc", "styles", NULL};
    const struct yaml_node *root = yaml_parse(arena, file, text, length, error);
    if (!root)
        return false;
    if (root->kind != YAML_MAPPING)
        return yaml_fail(root, error, "a theme is a mapping of name, doc and styles");
    if (!yaml_only(root, keys, error))
        return false;
    const struct yaml_node *name = yaml_get(root, "name"), *doc = yaml_get(root, "doc");
    struct theme parsed = {.name = name && name->kind == YAML_SCALAR ? name->text : file,
                           .doc = doc && doc->kind == YAML_SCALAR ? doc->text : ""};
    for (size_t i = 0; i < STYLE_COUNT; i++)
        parsed.styles[i] = (struct theme_style){-1, -1, -1, -1, 0};
    const struct yaml_node *styles = yaml_get(root, "styles");
    if (styles && styles->kind != YAML_MAPPING)
        return yaml_fail(styles, error, "styles is a mapping");
    for (size_t i = 0; styles && i < styles->child_count; i++) {
        size_t style = 0;
        while (style < STYLE_COUNT && strcmp(styles->children[i].key, style_names[style]) != 0)
            style++;
        if (style == STYLE_COUNT) {
            return error_set(error, ERROR_USAGE, "%s:%d:%d: no style '%s'", file,
                             styles->children[i].key_line, styles->children[i].key_column,
                             styles->children[i].key);
        }
        if (!style_read(&styles->children[i], &parsed.styles[style], error))
            return false;
    }
    *theme = parsed;
    return true;
}

// Returns the i-th folder that may hold themes, in order of precedence; NULL if it does not
// exist.
static const char *theme_folder(struct arena *arena, int i)
{
    return i == 0 ? xdg_path(arena, XDG_CONFIG, "themes") : DLPROF_TUI_DATADIR "/themes";
}

static bool name_is_plain(const char *name)
{
    return *name && *name != '.' && strlen(name) < 100 && !strchr(name, '/');
}

bool theme_load(struct arena *arena, const char *name, struct theme *theme, struct error *error)
{
    if (!name_is_plain(name))
        return error_set(error, ERROR_USAGE, "'%s' is no name of a theme", name);
    for (int i = 0; i < 2; i++) {
        const char *folder = theme_folder(arena, i);
        const char *path = folder ? arena_format(arena, "%s/%s.yaml", folder, name) : NULL;
        FILE *file = path ? fopen(path, "re") : NULL;
        if (file) {
            enum { THEME_MAX = 1 << 16 };
            char *text = ARENA_ARRAY(arena, char, THEME_MAX);
            size_t length = fread(text, 1, THEME_MAX - 1, file);
            fclose(file);
            if (length == THEME_MAX - 1)
                return error_set(error, ERROR_USAGE, "%s: too long for a theme", path);
            return theme_parse(arena, path, text, length, theme, error);
        }
    }
    const char *wanted = arena_format(arena, "themes/%s.yaml", name);
    for (size_t i = 0; i < embedded_file_count; i++) {
        if (strcmp(embedded_files[i].name, wanted) == 0) {
            return theme_parse(arena, wanted, embedded_files[i].text, embedded_files[i].length,
                               theme, error);
        }
    }
    const char *const *names;
    size_t count = theme_list(arena, &names);
    char *list = arena_format(arena, "%s", "");
    for (size_t i = 0; i < count; i++)
        list = arena_format(arena, "%s%s%s", list, i ? ", " : "", names[i]);
    return error_set(error, ERROR_USAGE, "no theme '%s'; there are: %s", name, list);
}

struct theme_names {
    const char **items;
    size_t count, capacity;
};

static void name_add(struct arena *arena, struct theme_names *names, const char *file)
{
    size_t length = strlen(file);
    if (length < 6 || strcmp(file + length - 5, ".yaml") != 0 || names->count > 200)
        return;
    const char *name = arena_copy(arena, file, length - 5);
    size_t at = 0;
    while (at < names->count && strcmp(names->items[at], name) < 0)
        at++;
    if (at < names->count && strcmp(names->items[at], name) == 0)
        return;
    ARENA_PUSH(arena, names->items, names->count, names->capacity) = name;
    memmove(&names->items[at + 1], &names->items[at],
            (names->count - 1 - at) * sizeof *names->items);
    names->items[at] = name;
}

size_t theme_list(struct arena *arena, const char *const **result)
{
    struct theme_names names = {0};
    for (size_t i = 0; i < embedded_file_count; i++)
        if (strncmp(embedded_files[i].name, "themes/", 7) == 0)
            name_add(arena, &names, embedded_files[i].name + 7);
    for (int i = 0; i < 2; i++) {
        const char *folder = theme_folder(arena, i);
        DIR *listing = folder ? opendir(folder) : NULL;
        struct dirent *entry;
        while (listing && (entry = readdir(listing)))
            if (name_is_plain(entry->d_name))
                name_add(arena, &names, entry->d_name);
        if (listing)
            closedir(listing);
    }
    *result = names.items;
    return names.count;
}
