// SPDX-License-Identifier: Apache-2.0
#include "analysis/memo.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct entry {
    const struct memo_kind *kind;
    struct selection selection; // narrowed to the fields of the kind
    struct arena *arena;
    const void *made;
    struct entry *next;
};

enum {
    WISHES_MAX = 64,
    ITERATIONS_MAX = 1 << 17, // a split into more is a hostile file's
};
static const size_t bytes_max = (size_t)1 << 30; // kept at most, but for the last one made

struct wish {
    const struct memo_kind *kind;
    struct selection key;
};

struct memo {
    const struct profile *profile;
    const struct split *split;
    pthread_mutex_t lock; // of what follows; entries never change
    struct entry *entries;
    bool is_deferred;
    struct wish wishes[WISHES_MAX];
    size_t wish_count;
    bool is_working;
    atomic_bool is_ending; // stops what the thread makes
    bool has_thread;       // to be joined
    pthread_t thread;
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
    atomic_store(&memo->is_ending, true);
    if (memo->has_thread)
        pthread_join(memo->thread, NULL);
    entries_free(memo);
    pthread_mutex_destroy(&memo->lock);
    free(memo);
}

static size_t entries_bytes(const struct memo *memo)
{
    size_t bytes = 0;
    for (const struct entry *entry = memo->entries; entry; entry = entry->next)
        bytes += arena_bytes(entry->arena);
    return bytes;
}

size_t memo_bytes(struct memo *memo)
{
    pthread_mutex_lock(&memo->lock);
    size_t bytes = entries_bytes(memo);
    pthread_mutex_unlock(&memo->lock);
    return bytes;
}

bool selection_is_wide(const struct selection *selection)
{
    return selection->node == ROW_NONE && selection->name == STRING_NONE &&
           selection->function == ROW_NONE && selection->shape == ROW_NONE &&
           selection->op == ROW_NONE && selection->op_type == STRING_NONE &&
           selection->api_name == STRING_NONE && selection->range_name == STRING_NONE &&
           selection->by_operator == ROW_NONE && selection->line == STRING_NONE &&
           selection->thread == ROW_NONE && selection->copies == ROW_NONE &&
           selection->memory == ROW_NONE;
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

static bool keys_equal(const struct selection *a, const struct selection *b)
{
    return a->process == b->process && a->device == b->device && a->is_folded == b->is_folded &&
           a->adoption == b->adoption && a->names == b->names;
}

static const void *entry_find(const struct memo *memo, const struct memo_kind *kind,
                              const struct selection *key)
{
    for (const struct entry *entry = memo->entries; entry; entry = entry->next)
        if (entry->kind == kind && keys_equal(&entry->selection, key))
            return entry->made;
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

// In `arena`, which it takes over; NULL: there is none.
static struct entry *entry_make(const struct memo_kind *kind, const struct profile *profile,
                                const struct selection *key, struct arena *arena)
{
    struct entry *entry = calloc(1, sizeof *entry);
    if (!entry) {
        arena_free(arena);
        return NULL;
    }
    *entry = (struct entry){.kind = kind, .selection = *key, .arena = arena};
    struct making making = {entry, profile};
    if (arena && arena_run(arena, make_body, &making, NULL)) {
        arena_stop_by(arena, NULL);
        return entry;
    }
    entry_free(entry);
    return NULL;
}

// Keeps an entry, or drops it where another thread was first. NULL: it could not be made.
static const void *entry_keep(struct memo *memo, struct entry *entry)
{
    if (!entry)
        return NULL;
    pthread_mutex_lock(&memo->lock);
    const void *made = entry_find(memo, entry->kind, &entry->selection);
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

static void wish_add(struct memo *memo, const struct memo_kind *kind, const struct selection *key)
{
    for (size_t i = 0; i < memo->wish_count; i++)
        if (memo->wishes[i].kind == kind && keys_equal(&memo->wishes[i].key, key))
            return;
    if (memo->wish_count < WISHES_MAX)
        memo->wishes[memo->wish_count++] = (struct wish){kind, *key};
}

static bool memo_serves(const struct memo *memo, const struct profile *profile,
                        const struct selection *selection)
{
    const struct split *split = selection->split;
    return memo && memo->profile == profile && memo->split == split &&
           profile->stage == STAGE_READY && split->of_work && split->of_instance &&
           split->count <= ITERATIONS_MAX;
}

// Made without the lock, as it may take long and ask for others: of two threads that make the same
// at once, one makes it in vain. Stops when `arena` does.
static const void *memo_keep(struct memo *memo, const struct memo_kind *kind,
                             const struct selection *key, struct arena *arena)
{
    const void *made = entry_keep(memo, entry_make(kind, memo->profile, key, arena_beside(arena)));
    if (!made) // on to whoever guards `arena`
        arena_alloc(arena, SIZE_MAX, SIZE_MAX);
    return made;
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
    bool makes = !made && !memo->is_deferred && entries_bytes(memo) < bytes_max;
    pthread_mutex_unlock(&memo->lock);
    if (!made)
        memo_wish(kind, profile, selection);
    return makes ? memo_keep(memo, kind, &key, arena) : made;
}

void memo_wish(const struct memo_kind *kind, const struct profile *profile,
               const struct selection *selection)
{
    struct memo *memo = selection->memo;
    if (!memo_serves(memo, profile, selection))
        return;
    struct selection key = key_of(kind, selection);
    pthread_mutex_lock(&memo->lock);
    if (memo->is_deferred && !entry_find(memo, kind, &key))
        wish_add(memo, kind, &key);
    pthread_mutex_unlock(&memo->lock);
}

const void *memo_make(const struct memo_kind *kind, const struct profile *profile,
                      const struct selection *selection, struct arena *arena)
{
    struct memo *memo = selection->memo;
    struct selection key = key_of(kind, selection);
    if (memo_serves(memo, profile, selection)) {
        pthread_mutex_lock(&memo->lock);
        const void *made = entry_find(memo, kind, &key);
        bool keeps = !made && entries_bytes(memo) < bytes_max;
        pthread_mutex_unlock(&memo->lock);
        if (made || keeps)
            return made ? made : memo_keep(memo, kind, &key, arena);
    }
    struct selection *own = ARENA_NEW(arena, struct selection); // what is made may keep it
    *own = key;
    return kind->make(profile, own, arena);
}

void memo_defer(struct memo *memo)
{
    pthread_mutex_lock(&memo->lock);
    memo->is_deferred = true;
    pthread_mutex_unlock(&memo->lock);
}

static bool wish_take(struct memo *memo, struct wish *wish)
{
    pthread_mutex_lock(&memo->lock);
    bool works =
        memo->wish_count > 0 && !atomic_load(&memo->is_ending) && entries_bytes(memo) < bytes_max;
    if (works)
        *wish = memo->wishes[--memo->wish_count];
    // From the unlock on memo_work() may say otherwise, of its next thread.
    memo->is_working = works;
    pthread_mutex_unlock(&memo->lock);
    return works;
}

// What cannot be made for want of memory is wished for again when it is next asked for.
static void *work_run(void *context)
{
    struct memo *memo = context;
    struct wish wish;
    while (wish_take(memo, &wish)) {
        struct arena *arena = arena_new(0);
        if (arena)
            arena_stop_by(arena, &memo->is_ending);
        entry_keep(memo, entry_make(wish.kind, memo->profile, &wish.key, arena));
    }
    return NULL;
}

bool memo_work(struct memo *memo)
{
    pthread_mutex_lock(&memo->lock);
    bool starts = !memo->is_working && memo->wish_count > 0 && entries_bytes(memo) < bytes_max;
    bool works = memo->is_working |= starts;
    pthread_mutex_unlock(&memo->lock);
    if (!starts)
        return works;
    if (memo->has_thread) // it has ended
        pthread_join(memo->thread, NULL);
    memo->has_thread = pthread_create(&memo->thread, NULL, work_run, memo) == 0;
    if (!memo->has_thread)
        memo->is_working = false;
    return memo->has_thread;
}
