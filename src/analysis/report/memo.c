// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/memo.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "base/parallel.h"

struct entry {
    const struct memo_kind *kind;
    struct selection selection; // narrowed to the fields of the kind
    struct arena *arena;
    const void *made;
    struct entry *next;
    atomic_uint holders; // the memo, and arenas; only who has the memo's lock adds one
    uint64_t asked;      // the frame that asked for it last
};

struct making { // on the stack of the thread that makes it
    const struct memo_kind *kind;
    const struct selection *key;
    struct making *next;
};

enum {
    WISHES_MAX = 64,
    ITERATIONS_MAX = 1 << 17, // a split into more is a hostile file's
    FRAMES_HELD = 30, // what one of so many last frames asked for the next one may need, too
    STOP_MS = 10,     // how soon who waits for another thread sees that nobody waits for it
};
static const size_t bytes_usual = (size_t)1 << 30;

struct wish {
    const struct memo_kind *kind;
    struct selection key;
};

struct memo {
    const struct profile *profile;
    const struct split *split;
    pthread_mutex_t lock; // of what follows; what entries hold never changes
    pthread_cond_t ends;  // of what is being made
    struct making *makings;
    struct entry *entries;
    struct entry *gone; // to be released without the lock
    size_t bytes_most;
    uint64_t frame;
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
    if (!memo)
        return NULL;
    *memo = (struct memo){.profile = profile, .split = split, .bytes_most = bytes_usual};
    if (pthread_mutex_init(&memo->lock, NULL) != 0) {
        free(memo);
        return NULL;
    }
    if (pthread_cond_init(&memo->ends, NULL) != 0) {
        pthread_mutex_destroy(&memo->lock);
        free(memo);
        return NULL;
    }
    return memo;
}

void memo_limit(struct memo *memo, size_t bytes)
{
    memo->bytes_most = bytes;
}

// ---- what is kept ------------------------------------------------------------------------------

static void entry_free(struct entry *entry)
{
    if (entry) {
        arena_free(entry->arena);
        free(entry);
    }
}

// It goes with the last that holds it.
static void entry_release(struct entry *entry)
{
    if (atomic_fetch_sub(&entry->holders, 1) == 1)
        entry_free(entry);
}

static void entries_release(struct entry *entries)
{
    while (entries) {
        struct entry *next = entries->next;
        entry_release(entries);
        entries = next;
    }
}

void memo_free(struct memo *memo)
{
    if (!memo)
        return;
    atomic_store(&memo->is_ending, true);
    if (memo->has_thread)
        pthread_join(memo->thread, NULL);
    entries_release(memo->entries);
    pthread_cond_destroy(&memo->ends);
    pthread_mutex_destroy(&memo->lock);
    free(memo);
}

static void memo_lock(struct memo *memo)
{
    pthread_mutex_lock(&memo->lock);
}

static void memo_unlock(struct memo *memo)
{
    struct entry *gone = memo->gone;
    memo->gone = NULL;
    pthread_mutex_unlock(&memo->lock);
    entries_release(gone);
}

static size_t entries_bytes(const struct memo *memo)
{
    size_t bytes = 0;
    for (const struct entry *entry = memo->entries; entry; entry = entry->next)
        bytes += arena_bytes(entry->arena);
    return bytes;
}

struct pin { // of an arena, on what it was given
    struct arena_held held;
    struct entry *entry;
};

static void pin_end(struct arena_held *held)
{
    entry_release(((struct pin *)held)->entry);
}

static bool arena_has_pin(const struct arena *arena, const struct entry *entry)
{
    for (const struct arena_held *held = arena_holds(arena); held; held = held->next)
        if (held->end == pin_end && ((const struct pin *)held)->entry == entry)
            return true;
    return false;
}

// What an entry is, which stays as long as `arena`, whose `pin` is allocated already: under the lock
// nothing may fail.
static const void *entry_give(struct memo *memo, struct entry *entry, struct arena *arena,
                              struct pin *pin)
{
    entry->asked = memo->frame;
    if (!arena_has_pin(arena, entry)) {
        atomic_fetch_add(&entry->holders, 1);
        *pin = (struct pin){{.end = pin_end}, entry};
        arena_hold(arena, &pin->held);
    }
    return entry->made;
}

// The link of what nobody holds and no frame has asked for longest; NULL: there is nothing such.
static struct entry **stalest(struct memo *memo)
{
    struct entry **found = NULL;
    for (struct entry **link = &memo->entries; *link; link = &(*link)->next) {
        bool may_go =
            atomic_load(&(*link)->holders) == 1 && (*link)->asked + FRAMES_HELD <= memo->frame;
        if (may_go && (!found || (*link)->asked < (*found)->asked))
            found = link;
    }
    return found;
}

// Whether there is room, now that what nobody needs has gone where there was none.
static bool memo_has_room(struct memo *memo)
{
    struct entry **link;
    size_t bytes = entries_bytes(memo);
    while (bytes >= memo->bytes_most && (link = stalest(memo))) {
        struct entry *entry = *link;
        *link = entry->next;
        bytes -= arena_bytes(entry->arena);
        entry->next = memo->gone;
        memo->gone = entry;
    }
    return bytes < memo->bytes_most;
}

size_t memo_bytes(struct memo *memo)
{
    memo_lock(memo);
    size_t bytes = entries_bytes(memo);
    memo_unlock(memo);
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

static struct entry *entry_find(const struct memo *memo, const struct memo_kind *kind,
                                const struct selection *key)
{
    for (struct entry *entry = memo->entries; entry; entry = entry->next)
        if (entry->kind == kind && keys_equal(&entry->selection, key))
            return entry;
    return NULL;
}

static struct making **making_find(struct memo *memo, const struct memo_kind *kind,
                                   const struct selection *key)
{
    struct making **link = &memo->makings;
    while (*link && !((*link)->kind == kind && keys_equal((*link)->key, key)))
        link = &(*link)->next;
    return link;
}

// ---- making it ---------------------------------------------------------------------------------

struct make_call {
    struct entry *entry;
    const struct profile *profile;
};

static bool make_body(void *context, struct error *error)
{
    (void)error;
    struct make_call *call = context;
    struct entry *entry = call->entry;
    entry->made = entry->kind->make(call->profile, &entry->selection, entry->arena);
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
    *entry = (struct entry){.kind = kind, .selection = *key, .arena = arena, .holders = 1};
    struct make_call call = {entry, profile};
    if (arena && arena_run(arena, make_body, &call, NULL)) {
        arena_stop_by(arena, NULL);
        return entry;
    }
    entry_free(entry);
    return NULL;
}

// With the lock, which it gives away while it makes, since that may take long and ask for others;
// `arena` as entry_make() has it. NULL: it could not be made.
static struct entry *entry_add(struct memo *memo, const struct memo_kind *kind,
                               const struct selection *key, struct arena *arena)
{
    struct making making = {kind, key, memo->makings};
    memo->makings = &making;
    memo_unlock(memo);
    struct entry *entry = entry_make(kind, memo->profile, key, arena);
    memo_lock(memo);
    *making_find(memo, kind, key) = making.next;
    pthread_cond_broadcast(&memo->ends);
    if (entry) {
        entry->asked = memo->frame;
        entry->next = memo->entries;
        memo->entries = entry;
    }
    return entry;
}

// With the lock, for a moment.
static void wait_for_end(struct memo *memo)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += STOP_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&memo->ends, &memo->lock, &until);
}

static void wish_add(struct memo *memo, const struct memo_kind *kind, const struct selection *key)
{
    if (*making_find(memo, kind, key))
        return;
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

// What is there, or is made: where there is no room, or things are deferred, only if it `must` be. Stops
// when `arena` does.
static const void *memo_ask(struct memo *memo, const struct memo_kind *kind,
                            const struct selection *key, struct arena *arena, bool must)
{
    struct pin *pin = ARENA_NEW(arena, struct pin);
    memo_lock(memo);
    struct entry *entry;
    while (!(entry = entry_find(memo, kind, key)) && *making_find(memo, kind, key) &&
           (must || !memo->is_deferred) && !arena_is_stopped(arena))
        wait_for_end(memo);
    bool makes = !entry && ((memo_has_room(memo) && !memo->is_deferred) || must);
    if (makes)
        entry = entry_add(memo, kind, key, arena_beside(arena));
    else if (!entry && memo->is_deferred)
        wish_add(memo, kind, key);
    const void *made = entry ? entry_give(memo, entry, arena, pin) : NULL;
    memo_unlock(memo);
    if (makes && !made) // on to whoever guards `arena`
        arena_alloc(arena, SIZE_MAX, SIZE_MAX);
    return made;
}

const void *memo_get(const struct memo_kind *kind, const struct profile *profile,
                     const struct selection *selection, struct arena *arena)
{
    struct memo *memo = selection->memo;
    struct selection key = key_of(kind, selection);
    return memo_serves(memo, profile, selection) ? memo_ask(memo, kind, &key, arena, false) : NULL;
}

void memo_wish(const struct memo_kind *kind, const struct profile *profile,
               const struct selection *selection)
{
    struct memo *memo = selection->memo;
    if (!memo_serves(memo, profile, selection))
        return;
    struct selection key = key_of(kind, selection);
    memo_lock(memo);
    struct entry *entry = entry_find(memo, kind, &key);
    if (entry)
        entry->asked = memo->frame;
    else if (memo->is_deferred)
        wish_add(memo, kind, &key);
    memo_unlock(memo);
}

const void *memo_make(const struct memo_kind *kind, const struct profile *profile,
                      const struct selection *selection, struct arena *arena)
{
    struct memo *memo = selection->memo;
    struct selection key = key_of(kind, selection);
    if (memo_serves(memo, profile, selection))
        return memo_ask(memo, kind, &key, arena, true);
    struct selection *own = ARENA_NEW(arena, struct selection); // what is made may keep it
    *own = key;
    return kind->make(profile, own, arena);
}

void memo_defer(struct memo *memo)
{
    memo_lock(memo);
    memo->is_deferred = true;
    memo_unlock(memo);
}

// With the lock.
static bool wish_take(struct memo *memo, struct wish *wish)
{
    memo->is_working =
        memo->wish_count > 0 && !atomic_load(&memo->is_ending) && memo_has_room(memo);
    if (memo->is_working)
        *wish = memo->wishes[--memo->wish_count];
    // Once the lock is gone memo_work() may say otherwise, of its next thread.
    return memo->is_working;
}

// What cannot be made for want of memory is wished for again when it is next asked for.
static void *work_run(void *context)
{
    struct memo *memo = context;
    struct wish wish;
    parallel_give_way();
    memo_lock(memo);
    while (wish_take(memo, &wish)) {
        if (entry_find(memo, wish.kind, &wish.key) || *making_find(memo, wish.kind, &wish.key))
            continue;
        struct arena *arena = arena_new(0);
        if (arena)
            arena_stop_by(arena, &memo->is_ending);
        entry_add(memo, wish.kind, &wish.key, arena);
    }
    memo_unlock(memo);
    return NULL;
}

bool memo_work(struct memo *memo)
{
    memo_lock(memo);
    memo->frame++;
    bool starts = memo_has_room(memo) && !memo->is_working && memo->wish_count > 0;
    bool works = memo->is_working |= starts;
    memo_unlock(memo);
    if (!starts)
        return works;
    if (memo->has_thread) // it has ended
        pthread_join(memo->thread, NULL);
    memo->has_thread = pthread_create(&memo->thread, NULL, work_run, memo) == 0;
    if (!memo->has_thread)
        memo->is_working = false;
    return memo->has_thread;
}
