// SPDX-License-Identifier: Apache-2.0
// The set of rules that loaders and detectors use: one at a time for the whole program.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "model/rules/rules.h"

struct rule_set {
    struct arena *arena;
    struct rules *rules;
};

static struct rule_set builtin, own;              // `own` NULL: the built-in ones are in use
static const struct rules *_Atomic builtin_rules; // the rules of `builtin`; NULL: not read yet
static pthread_mutex_t builtin_lock = PTHREAD_MUTEX_INITIALIZER;

struct rules_read_job {
    const char *folder;
    struct rule_set *set;
};

static bool read_body(void *context, struct error *error)
{
    struct rules_read_job *job = context;
    return rules_load(&job->set->rules, job->set->arena, job->folder, error);
}

static bool set_read(struct rule_set *set, const char *folder, struct error *error)
{
    struct rules_read_job job = {folder, set};
    set->arena = arena_new(0);
    if (!set->arena)
        return error_set(error, ERROR_MEMORY, "out of memory");
    return arena_run(set->arena, read_body, &job, error);
}

static void set_free(struct rule_set *set)
{
    rules_free(set->rules);
    arena_free(set->arena);
    *set = (struct rule_set){0};
}

static void free_builtin(void)
{
    atomic_store(&builtin_rules, NULL);
    set_free(&builtin);
}

static bool read_builtin(struct error *error)
{
    if (!set_read(&builtin, NULL, error)) {
        set_free(&builtin);
        return false;
    }
    atomic_store(&builtin_rules, builtin.rules);
    atexit(free_builtin);
    return true;
}

bool rules_ready(struct error *error)
{
    if (atomic_load(&builtin_rules))
        return true;
    pthread_mutex_lock(&builtin_lock);
    bool is_ready = atomic_load(&builtin_rules) || read_builtin(error);
    pthread_mutex_unlock(&builtin_lock);
    return is_ready;
}

const struct rules *rules_get(void)
{
    struct error error;
    if (own.rules)
        return own.rules;
    if (!rules_ready(&error))
        abort();
    return atomic_load(&builtin_rules);
}

struct gpu_peaks device_peaks(const struct profile *profile, uint32_t device)
{
    return rules_peaks(rules_get(), profile, device);
}

struct gpu_abilities device_abilities(const struct profile *profile, uint32_t device)
{
    return rules_abilities(rules_get(), profile, device);
}

bool rules_use(const char *folder, bool *renames, struct error *error)
{
    struct rule_set set = {0};
    if (!rules_ready(error))
        return false;
    if (!set_read(&set, folder, error)) {
        set_free(&set);
        return false;
    }
    *renames = !rules_have_same_names(rules_get(), set.rules);
    set_free(&own);
    own = set;
    return true;
}

void rules_use_builtin(void)
{
    set_free(&own);
}
