// SPDX-License-Identifier: Apache-2.0
#include "analysis/memo.h"

#include <pthread.h>
#include <stdlib.h>

struct entry {
    const struct memo_kind *kind;
    struct selection selection; // narrowed to the fields of the kind
    struct arena *arena;
    const void *made;
    struct entry *next;
};

struct memo {
    const struct profile *profile;
    const struct split *split;
    pthread_mutex_t lock; // of the list; entries never change
    struct entry *entries;
};

struct memo *memo_new(const struct profile *profile, const struct split *split)
{
    struct memo *memo = calloc(1, sizeof *memo);
    if (!memo || pthread_mutex_init(&memo->lock, NULL) != 0) {
        free(memo);
        return NULL;
    }
    memo->profile = profile;
    memo->split = split;
    return memo;
}

static void entry_free(struct entry *entry)
{
    if (entry) {
        arena_free(entry->arena);
        free(entry);
    }
}

static void entries_free(struct memo *memo)
{
    while (memo->entries) {
        struct entry *next = memo->entries->next;
        entry_free(memo->entries);
        memo->entries = next;
    }
}

void memo_free(struct memo *memo)
{
    if (!memo)
        return;
    entries_free(memo);
    pthread_mutex_destroy(&memo->lock);
    free(memo);
}

size_t memo_bytes(struct memo *memo)
{
    size_t bytes = 0;
    pthread_mutex_lock(&memo->lock);
    for (const struct entry *entry = memo->entries; entry; entry = entry->next)
        bytes += arena_bytes(entry->arena);
    pthread_mutex_unlock(&memo->lock);
    return bytes;
}

void memo_trim(struct memo *memo, size_t bytes)
{
    if (memo && memo_bytes(memo) > bytes)
        entries_free(memo);
}

bool selection_is_wide(const struct selection *selection)
{
    return selection->node == ROW_NONE && selection->name == STRING_NONE &&
           selection->function == ROW_NONE && selection->op == ROW_NONE &&
           selection->op_type == STRING_NONE && selection->api_name == STRING_NONE &&
           selection->range_name == STRING_NONE;
}

// What of a selection a kind looks at; the rest is as of everything.
static struct selection key_of(const struct memo_kind *kind, const struct selection *selection)
{
    struct selection key = selection_all(selection->split);
    key.memo = selection->memo;
    if (kind->fields & MEMO_PROCESS)
        key.process = selection->process;
    if (kind->fields & MEMO_DEVICE)
        key.device = selection->device;
    if (kind->fields & MEMO_FOLDED)
        key.is_folded = selection->is_folded;
    if (kind->fields & MEMO_ADOPTION)
        key.adoption = selection->adoption;
    if (kind->fields & MEMO_NAMES)
        key.names = selection->names;
    return key;
}

static const void *entry_find(const struct memo *memo, const struct memo_kind *kind,
                              const struct selection *key)
{
    for (const struct entry *entry = memo->entries; entry; entry = entry->next) {
        const struct selection *own = &entry->selection;
        if (entry->kind == kind && own->process == key->process && own->device == key->device &&
            own->is_folded == key->is_folded && own->adoption == key->adoption &&
            own->names == key->names)
            return entry->made;
    }
    return NULL;
}

struct making {
    struct entry *entry;
    const struct profile *profile;
};

static bool make_body(void *context, struct error *error)
{
    (void)error;
    struct making *making = context;
    struct entry *entry = making->entry;
    entry->made = entry->kind->make(making->profile, &entry->selection, entry->arena);
    return true;
}

static struct entry *entry_make(const struct memo_kind *kind, const struct profile *profile,
                                const struct selection *key)
{
    struct entry *entry = calloc(1, sizeof *entry);
    if (!entry)
        return NULL;
    *entry = (struct entry){.kind = kind, .selection = *key, .arena = arena_new(0)};
    struct making making = {entry, profile};
    if (entry->arena && arena_run(entry->arena, make_body, &making, NULL))
        return entry;
    entry_free(entry);
    return NULL;
}

// Sums per iteration are worth it where many rows share one; a split into more is a hostile file's.
enum { ITERATIONS_MAX = 1 << 17 };

static bool memo_serves(const struct memo *memo, const struct profile *profile,
                        const struct selection *selection)
{
    const struct split *split = selection->split;
    return memo && memo->profile == profile && memo->split == split &&
           profile->stage == STAGE_READY && split->of_work && split->of_instance &&
           split->count <= ITERATIONS_MAX;
}

const void *memo_get(const struct memo_kind *kind, const struct profile *profile,
                     const struct selection *selection, struct arena *arena)
{
    struct memo *memo = selection->memo;
    if (!memo_serves(memo, profile, selection))
        return NULL;
    struct selection key = key_of(kind, selection);
    pthread_mutex_lock(&memo->lock);
    const void *made = entry_find(memo, kind, &key);
    pthread_mutex_unlock(&memo->lock);
    if (made)
        return made;
    // Made without the lock, as it may take long and ask for others: of two threads that make the
    // same at once, one makes it in vain.
    struct entry *entry = entry_make(kind, profile, &key);
    if (!entry) // on to whoever guards `arena`
        return arena_alloc(arena, SIZE_MAX, SIZE_MAX);
    pthread_mutex_lock(&memo->lock);
    made = entry_find(memo, kind, &key);
    if (!made) {
        made = entry->made;
        entry->next = memo->entries;
        memo->entries = entry;
        entry = NULL;
    }
    pthread_mutex_unlock(&memo->lock);
    entry_free(entry);
    return made;
}

const void *memo_make(const struct memo_kind *kind, const struct profile *profile,
                      const struct selection *selection, struct arena *arena)
{
    const void *kept = memo_get(kind, profile, selection, arena);
    struct selection key = key_of(kind, selection);
    return kept ? kept : kind->make(profile, &key, arena);
}
