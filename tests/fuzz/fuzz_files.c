// SPDX-License-Identifier: Apache-2.0
// User files: keys, themes, rules, options, column layouts. Each is read completely or refused
// with the position of the mistake. The first byte chooses the kind.
//
// Aims at: base/*yaml* base/*column.c model/*/rules* ui/*/theme* ui/*/key* ui/*/column* cli/cli_options*
// Aims at: cli/cli_columns*
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "model/rules/rules.h"
#include "profile_seed.h"
#include "ui/app/keymap.h"
#include "ui/app/lists.h"
#include "ui/table/column_layout.h"
#include "ui/term/theme.h"

#define CHECK(condition) ((condition) ? (void)0 : abort())

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
    struct arena *arena;
    const char *text; // NUL-terminated
    size_t length;
    const char *path; // a file with the same content
};

static void check_reason(bool is_taken, const struct error *error)
{
    CHECK(is_taken || (error->kind != ERROR_NONE && *error->message));
}

static void check_keys(const struct input *input)
{
    struct keymap keymap = {0};
    struct error error = {0};
    bool is_taken = keymap_parse(input->arena, "f", input->text, input->length, &keymap, &error);
    check_reason(is_taken, &error);
    if (!is_taken)
        return;
    keymap_use(&keymap);
    for (enum action a = 0; (size_t)a < action_count; a++) {
        uint32_t key;
        char doc[ACTION_DOC_SIZE], name[KEY_NAME_SIZE];
        for (size_t n = 0; action_key(a, n, &key); n++) {
            // In each view where the action has a meaning, no other action has its key.
            for (unsigned kind = 1; kind < 1U << KIND_COUNT; kind <<= 1)
                if (kind & action_scope_kinds[actions[a].scope])
                    CHECK(action_of_key(key, kind) == a);
        }
        CHECK(action_doc(a, doc) && action_first_key(a, name));
    }
    keymap_use(NULL);
}

static void check_theme(const struct input *input)
{
    struct theme theme = {0};
    struct error error = {0};
    bool is_taken = theme_parse(input->arena, "f", input->text, input->length, &theme, &error);
    check_reason(is_taken, &error);
    for (size_t i = 0; is_taken && i < STYLE_COUNT; i++) {
        const struct theme_style *style = &theme.styles[i];
        CHECK(style->fg >= COLOUR_DEFAULT && style->fg < 256);
        CHECK(style->bg >= COLOUR_DEFAULT && style->bg < 256);
        CHECK(style->fg8 >= COLOUR_DEFAULT && style->fg8 < 8);
        CHECK(style->bg8 >= COLOUR_DEFAULT && style->bg8 < 8);
    }
}

// Rules that are accepted are applied to a profile.
static void check_rules(const struct input *input)
{
    struct error error = {0};
    bool renames = false;
    char *folder = arena_copy(input->arena, input->path, strlen(input->path));
    *strrchr(folder, '/') = 0;
    bool is_taken = rules_use(folder, &renames, &error);
    check_reason(is_taken, &error);
    if (is_taken && seed_goes_on(input->length)) {
        size_t size;
        const unsigned char *bytes = seed_bytes((unsigned)input->length, &size);
        seed_write(bytes, size);
        struct profile *profile = seed_load(MODE_AUTO);
        CHECK(profile);
        // Rules do not use the remaining bits.
        profile_exercise(profile, (unsigned)input->length % 16);
        profile_free(profile);
    }
    rules_use_builtin();
}

static void check_options(const struct input *input)
{
    struct cli cli = {0};
    struct error error = {0};
    check_reason(cli_read_config(&cli, input->path, input->arena, &error), &error);
}

static void check_arguments(const struct input *input)
{
    enum { MAX_ARGUMENTS = 64 };
    char *arguments[MAX_ARGUMENTS + 1] = {(char[]){"dlprof-tui"}};
    int count = 1;
    struct cli cli = {0};
    struct error error = {0};
    char *words = arena_copy(input->arena, input->text, input->length);
    for (char *word = strtok(words, "\n"); word && count < MAX_ARGUMENTS; word = strtok(NULL, "\n"))
        arguments[count++] = word;
    check_reason(cli_parse(&cli, count, arguments, input->arena, &error), &error);
}

static void check_columns(const struct input *input)
{
    const struct report *report;
    struct column_layout layout, again;
    struct error error = {0};
    bool is_taken = column_layout_parse(input->text, &report, &layout, &error);
    check_reason(is_taken, &error);
    char *text = is_taken ? column_layout_print(report, &layout, input->arena) : NULL;
    if (!text)
        return;
    CHECK(column_layout_parse(text, &report, &again, &error));
    CHECK(strcmp(text, column_layout_print(report, &again, input->arena)) == 0);
}

// ---- the file ----------------------------------------------------------------------------------

static const struct kind {
    const char *file; // NULL: not written to a file
    void (*check)(const struct input *input);
} kinds[] = {
    {NULL, check_keys},
    {NULL, check_theme},
    {"kernels.yaml", check_rules},
    {"ops.yaml", check_rules},
    {"expert.yaml", check_rules},
    {"frames.yaml", check_rules},
    {"gpus.yaml", check_rules},
    {"config.yaml", check_options},
    {NULL, check_arguments},
    {NULL, check_columns},
};

static const struct kind *kind;

static bool body(void *context, struct error *error)
{
    (void)error;
    kind->check(context);
    return true;
}

static char folder[64];

static void remove_folder(void)
{
    rmdir(folder);
}

static void file_write(const char *path, const uint8_t *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    CHECK(file && (!size || fwrite(bytes, 1, size, file) == size) && fclose(file) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct arena *arena;
    if (!arena) {
        arena = arena_new(64 << 20);
        snprintf(folder, sizeof folder, "%s/dlprof-fuzz-files-%ld",
                 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", (long)getpid());
        CHECK(arena && lists_use(NULL) && mkdir(folder, 0700) == 0 && atexit(remove_folder) == 0);
        setenv("XDG_CONFIG_HOME", folder, 1); // hide the user's own configuration
    }
    if (!size || size > 20000)
        return 0;
    kind = &kinds[data[0] % (sizeof kinds / sizeof *kinds)];
    char *text = calloc(1, size), path[100];
    CHECK(text);
    memcpy(text, data + 1, size - 1);
    snprintf(path, sizeof path, "%s/%s", folder, kind->file ? kind->file : "");
    if (kind->file)
        file_write(path, data + 1, size - 1);
    struct input input = {arena, text, size - 1, path};
    CHECK(arena_run(arena, body, &input, NULL));
    arena_reset(arena);
    if (kind->file)
        unlink(path);
    free(text);
    return 0;
}
