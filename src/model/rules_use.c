// SPDX-License-Identifier: Apache-2.0
// The rules that loaders and detectors use: one set at a time for the whole program.
#include <pthread.h>
#include <stdlib.h>

#include "model/rules.h"

struct rule_set {
    struct arena *arena;
    struct rules *rules;
};

static struct rule_set builtin, own; // `own` NULL: the built-in ones are in use
static pthread_once_t builtin_once = PTHREAD_ONCE_INIT;

struct reading {
    const char *folder;
    struct rule_set *set;
};

static bool read_body(void *context, struct error *error)
{
    struct reading *reading = context;
    return rules_load(&reading->set->rules, reading->set->arena, reading->folder, error);
}

static bool set_read(struct rule_set *set, const char *folder, struct error *error)
{
    struct reading reading = {folder, set};
    set->arena = arena_new(0);
    if (!set->arena)
        return error_set(error, ERROR_MEMORY, "out of memory");
    return arena_run(set->arena, read_body, &reading, error);
}

static void set_free(struct rule_set *set)
{
    rules_free(set->rules);
    arena_free(set->arena);
    *set = (struct rule_set){0};
}

static void free_builtin(void)
{
    set_free(&builtin);
}

// A program whose own rules cannot be read is broken: a test reads them in every build.
static void read_builtin(void)
{
    struct error error;
    if (!set_read(&builtin, NULL, &error))
        abort();
    atexit(free_builtin);
}

const struct rules *rules_get(void)
{
    if (own.rules)
        return own.rules;
    pthread_once(&builtin_once, read_builtin);
    return builtin.rules;
}

bool rules_use(const char *folder, bool *renames, struct error *error)
{
    struct rule_set set = {0};
    if (!set_read(&set, folder, error)) {
        set_free(&set);
        return false;
    }
    *renames = !rules_judge_names_alike(rules_get(), set.rules);
    set_free(&own);
    own = set;
    return true;
}

void rules_use_builtin(void)
{
    set_free(&own);
}
