// SPDX-License-Identifier: Apache-2.0
// Cache of values, see memo.h. Terms:
//   entry        a value with the arena that owns it; found by its kind and key (the selection
//                reduced to the fields that the kind depends on)
//   holder       the memo itself, or an arena that was given the value; the last holder frees the
//                entry
//   pin          a cleanup of an arena that makes the arena a holder
//   computation  an entry that some thread is computing; others wait for it
//   request      a missing value that the background thread will compute (deferred mode)
#include "analysis/report/memo.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "base/parallel.h"

struct memo_entry {
    const struct memo_kind *kind;
    struct selection selection; // narrowed to the fields of the kind
    struct arena *arena;
    const void *value;
    struct memo_entry *next;
    atomic_uint holders; // the memo, and arenas; incremented only with the memo's lock held
    uint64_t last_frame; // latest frame that asked for the entry
};

struct memo_computation { // a value being computed, on the stack of the computing thread
    const struct memo_kind *kind;
    const struct selection *key;
    struct memo_computation *next;
};

enum {
    MAX_REQUESTS = 64,
    MAX_ITERATIONS = 1 << 17, // limit of iterations; only a hostile file has more
    // an entry may be evicted this many frames after the last one that asked for it
    MIN_FRAMES_UNTIL_EVICTION = 30,
    // interval at which a waiting thread checks whether its arena was stopped
    WAIT_MS = 10,
};
static const size_t default_max_bytes = (size_t)1 << 30;

struct memo_request {
    const struct memo_kind *kind;
    struct selection key;
};

struct memo {
    const struct profile *profile;
    const struct split *split;
    pthread_mutex_t lock; // protects the members below; the contents of entries are immutable
    pthread_cond_t computation_ended; // signalled when a computation ends
    struct memo_computation *computations;
    struct memo_entry *entries;
    struct memo_entry *evicted; // evicted entries, to be released without the lock
    size_t max_bytes;
    uint64_t frame;
    bool is_deferred;
    struct memo_request requests[MAX_REQUESTS];
    size_t request_count;
    bool is_working;
    atomic_bool is_stopping; // stops the background thread's computation
    bool has_thread;         // `thread` must be joined
    pthread_t thread;
};

struct memo *memo_new(const struct profile *profile, const struct split *split)
{
    struct memo *memo = calloc(1, sizeof *memo);
    if (!memo)
        return NULL;
    *memo = (struct memo){.profile = profile, .split = split, .max_bytes = default_max_bytes};
    if (pthread_mutex_init(&memo->lock, NULL) != 0) {
        free(memo);
        return NULL;
    }
    if (pthread_cond_init(&memo->computation_ended, NULL) != 0) {
        pthread_mutex_destroy(&memo->lock);
        free(memo);
        return NULL;
    }
    return memo;
}

void memo_set_limit(struct memo *memo, size_t bytes)
{
    memo->max_bytes = bytes;
}

// ---- entries ------------------------------------------------------------------------------------

static void entry_free(struct memo_entry *entry)
{
    if (entry) {
        arena_free(entry->arena);
        free(entry);
    }
}

// The last holder frees the entry.
static void entry_release(struct memo_entry *entry)
{
    if (atomic_fetch_sub(&entry->holders, 1) == 1)
        entry_free(entry);
}

static void entries_release(struct memo_entry *entries)
{
    while (entries) {
        struct memo_entry *next = entries->next;
        entry_release(entries);
        entries = next;
    }
}

void memo_free(struct memo *memo)
{
    if (!memo)
        return;
    atomic_store(&memo->is_stopping, true);
    if (memo->has_thread)
        pthread_join(memo->thread, NULL);
    entries_release(memo->entries);
    pthread_cond_destroy(&memo->computation_ended);
    pthread_mutex_destroy(&memo->lock);
    free(memo);
}

static void memo_lock(struct memo *memo)
{
    pthread_mutex_lock(&memo->lock);
}

static void memo_unlock(struct memo *memo)
{
    struct memo_entry *evicted = memo->evicted;
    memo->evicted = NULL;
    pthread_mutex_unlock(&memo->lock);
    entries_release(evicted);
}

static size_t entries_bytes(const struct memo *memo)
{
    size_t bytes = 0;
    for (const struct memo_entry *entry = memo->entries; entry; entry = entry->next)
        bytes += arena_bytes(entry->arena);
    return bytes;
}

struct memo_pin { // in an arena that holds the entry
    struct arena_cleanup cleanup;
    struct memo_entry *entry;
};

static void pin_end(struct arena_cleanup *cleanup)
{
    entry_release(((struct memo_pin *)cleanup)->entry);
}

static bool arena_has_pin(const struct arena *arena, const struct memo_entry *entry)
{
    for (const struct arena_cleanup *cleanup = arena_last_cleanup(arena); cleanup;
         cleanup = cleanup->next)
        if (cleanup->end == pin_end && ((const struct memo_pin *)cleanup)->entry == entry)
            return true;
    return false;
}

// Returns the value of an entry and pins it to `arena`. `pin` is allocated by the caller, because
// nothing may fail while the lock is held.
static const void *entry_pin(struct memo *memo, struct memo_entry *entry, struct arena *arena,
                             struct memo_pin *pin)
{
    entry->last_frame = memo->frame;
    if (!arena_has_pin(arena, entry)) {
        atomic_fetch_add(&entry->holders, 1);
        *pin = (struct memo_pin){{.end = pin_end}, entry};
        arena_add_cleanup(arena, &pin->cleanup);
    }
    return entry->value;
}

// Returns the link to the least recently used entry without other holders that no recent frame
// asked for, or NULL.
static struct memo_entry **least_recently_used(struct memo *memo)
{
    struct memo_entry **found = NULL;
    for (struct memo_entry **link = &memo->entries; *link; link = &(*link)->next) {
        bool is_evictable = atomic_load(&(*link)->holders) == 1 &&
                            (*link)->last_frame + MIN_FRAMES_UNTIL_EVICTION <= memo->frame;
        if (is_evictable && (!found || (*link)->last_frame < (*found)->last_frame))
            found = link;
    }
    return found;
}

// Evicts entries if there is no room. Returns true if there is room now.
static bool memo_has_room(struct memo *memo)
{
    struct memo_entry **link;
    size_t bytes = entries_bytes(memo);
    while (bytes >= memo->max_bytes && (link = least_recently_used(memo))) {
        struct memo_entry *entry = *link;
        *link = entry->next;
        bytes -= arena_bytes(entry->arena);
        entry->next = memo->evicted;
        memo->evicted = entry;
    }
    return bytes < memo->max_bytes;
}

size_t memo_bytes(struct memo *memo)
{
    memo_lock(memo);
    size_t bytes = entries_bytes(memo);
    memo_unlock(memo);
    return bytes;
}

bool selection_is_unfiltered(const struct selection *selection)
{
    return selection->node == ROW_NONE && selection->name == STRING_NONE &&
           selection->function == ROW_NONE && selection->shape == ROW_NONE &&
           selection->op == ROW_NONE && selection->op_type == STRING_NONE &&
           selection->api_name == STRING_NONE && selection->range_name == STRING_NONE &&
           selection->by_operator == ROW_NONE && selection->line == STRING_NONE &&
           selection->thread == ROW_NONE && selection->copies == ROW_NONE &&
           selection->memory == ROW_NONE;
}

// Returns the selection narrowed to the fields that a kind depends on.
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

static struct memo_entry *entry_find(const struct memo *memo, const struct memo_kind *kind,
                                     const struct selection *key)
{
    for (struct memo_entry *entry = memo->entries; entry; entry = entry->next)
        if (entry->kind == kind && keys_equal(&entry->selection, key))
            return entry;
    return NULL;
}

static struct memo_computation **computation_find(struct memo *memo, const struct memo_kind *kind,
                                                  const struct selection *key)
{
    struct memo_computation **link = &memo->computations;
    while (*link && !((*link)->kind == kind && keys_equal((*link)->key, key)))
        link = &(*link)->next;
    return link;
}

// ---- computation --------------------------------------------------------------------------------

struct memo_make_call {
    struct memo_entry *entry;
    const struct profile *profile;
};

static bool make_value(void *context, struct error *error)
{
    (void)error;
    struct memo_make_call *call = context;
    struct memo_entry *entry = call->entry;
    entry->value = entry->kind->make(call->profile, &entry->selection, entry->arena);
    return true;
}

// Computes an entry in `arena`, which it takes over. Returns NULL on failure.
static struct memo_entry *entry_make(const struct memo_kind *kind, const struct profile *profile,
                                     const struct selection *key, struct arena *arena)
{
    struct memo_entry *entry = calloc(1, sizeof *entry);
    if (!entry) {
        arena_free(arena);
        return NULL;
    }
    *entry = (struct memo_entry){.kind = kind, .selection = *key, .arena = arena, .holders = 1};
    struct memo_make_call call = {entry, profile};
    if (arena && arena_run(arena, make_value, &call, NULL)) {
        arena_set_stop_flag(arena, NULL);
        return entry;
    }
    entry_free(entry);
    return NULL;
}

// Called with the lock held; releases it while computing, because that may take long and may ask
// for other values. Takes over `arena`. Returns NULL on failure.
static struct memo_entry *entry_add(struct memo *memo, const struct memo_kind *kind,
                                    const struct selection *key, struct arena *arena)
{
    struct memo_computation computation = {kind, key, memo->computations};
    memo->computations = &computation;
    memo_unlock(memo);
    struct memo_entry *entry = entry_make(kind, memo->profile, key, arena);
    memo_lock(memo);
    *computation_find(memo, kind, key) = computation.next;
    pthread_cond_broadcast(&memo->computation_ended);
    if (entry) {
        entry->last_frame = memo->frame;
        entry->next = memo->entries;
        memo->entries = entry;
    }
    return entry;
}

// Called with the lock held. Waits until a computation ends, at most WAIT_MS.
static void wait_for_computation(struct memo *memo)
{
    struct timespec deadline;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_nsec += WAIT_MS * 1000000L;
    deadline.tv_sec += deadline.tv_nsec / 1000000000;
    deadline.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&memo->computation_ended, &memo->lock, &deadline);
}

static void request_add(struct memo *memo, const struct memo_kind *kind,
                        const struct selection *key)
{
    if (*computation_find(memo, kind, key))
        return;
    for (size_t i = 0; i < memo->request_count; i++)
        if (memo->requests[i].kind == kind && keys_equal(&memo->requests[i].key, key))
            return;
    if (memo->request_count < MAX_REQUESTS)
        memo->requests[memo->request_count++] = (struct memo_request){kind, *key};
}

static bool memo_is_usable(const struct memo *memo, const struct profile *profile,
                           const struct selection *selection)
{
    const struct split *split = selection->split;
    return memo && memo->profile == profile && memo->split == split &&
           profile->stage == STAGE_READY && split->of_work && split->of_instance &&
           split->count <= MAX_ITERATIONS;
}

// Returns a value, computing it if missing. In deferred mode or without room it is computed only if
// `must`. Stops when `arena` is stopped.
static const void *find_or_make(struct memo *memo, const struct memo_kind *kind,
                                const struct selection *key, struct arena *arena, bool is_required)
{
    struct memo_pin *pin = ARENA_NEW(arena, struct memo_pin);
    memo_lock(memo);
    struct memo_entry *entry;
    while (!(entry = entry_find(memo, kind, key)) && *computation_find(memo, kind, key) &&
           (is_required || !memo->is_deferred) && !arena_is_stopped(arena))
        wait_for_computation(memo);
    bool is_computed = !entry && ((memo_has_room(memo) && !memo->is_deferred) || is_required);
    if (is_computed)
        entry = entry_add(memo, kind, key, arena_child(arena));
    else if (!entry && memo->is_deferred)
        request_add(memo, kind, key);
    const void *value = entry ? entry_pin(memo, entry, arena, pin) : NULL;
    memo_unlock(memo);
    if (is_computed && !value) // passes the failure on to the arena_run() of `arena`
        arena_alloc(arena, SIZE_MAX, SIZE_MAX);
    return value;
}

const void *memo_get(const struct memo_kind *kind, const struct profile *profile,
                     const struct selection *selection, struct arena *arena)
{
    struct memo *memo = selection->memo;
    struct selection key = key_of(kind, selection);
    return memo_is_usable(memo, profile, selection) ? find_or_make(memo, kind, &key, arena, false)
                                                    : NULL;
}

void memo_prefetch(const struct memo_kind *kind, const struct profile *profile,
                   const struct selection *selection)
{
    struct memo *memo = selection->memo;
    if (!memo_is_usable(memo, profile, selection))
        return;
    struct selection key = key_of(kind, selection);
    memo_lock(memo);
    struct memo_entry *entry = entry_find(memo, kind, &key);
    if (entry)
        entry->last_frame = memo->frame;
    else if (memo->is_deferred)
        request_add(memo, kind, &key);
    memo_unlock(memo);
}

const void *memo_require(const struct memo_kind *kind, const struct profile *profile,
                         const struct selection *selection, struct arena *arena)
{
    struct memo *memo = selection->memo;
    struct selection key = key_of(kind, selection);
    if (memo_is_usable(memo, profile, selection))
        return find_or_make(memo, kind, &key, arena, true);
    // the value may keep a pointer to it
    struct selection *copy = ARENA_NEW(arena, struct selection);
    *copy = key;
    return kind->make(profile, copy, arena);
}

void memo_set_async(struct memo *memo)
{
    memo_lock(memo);
    memo->is_deferred = true;
    memo_unlock(memo);
}

// Removes the next request from the list, or sets is_working to false. Called with the lock held.
// The caller uses the result instead of is_working, which memo_run_queue() may set for its next
// thread once the lock is released.
static bool take_request(struct memo *memo, struct memo_request *request)
{
    memo->is_working =
        memo->request_count > 0 && !atomic_load(&memo->is_stopping) && memo_has_room(memo);
    if (memo->is_working)
        *request = memo->requests[--memo->request_count];
    return memo->is_working;
}

// Body of the background thread. A value that it cannot compute for lack of memory is queued by the
// next memo_get().
static void *run_requests(void *context)
{
    struct memo *memo = context;
    struct memo_request request;
    parallel_lower_priority();
    memo_lock(memo);
    while (take_request(memo, &request)) {
        if (entry_find(memo, request.kind, &request.key) ||
            *computation_find(memo, request.kind, &request.key))
            continue;
        struct arena *arena = arena_new(0);
        if (arena)
            arena_set_stop_flag(arena, &memo->is_stopping);
        entry_add(memo, request.kind, &request.key, arena);
    }
    memo_unlock(memo);
    return NULL;
}

bool memo_run_queue(struct memo *memo)
{
    memo_lock(memo);
    memo->frame++;
    bool starts_thread = memo_has_room(memo) && !memo->is_working && memo->request_count > 0;
    bool has_work = memo->is_working |= starts_thread;
    memo_unlock(memo);
    if (!starts_thread)
        return has_work;
    if (memo->has_thread) // the thread has ended
        pthread_join(memo->thread, NULL);
    memo->has_thread = pthread_create(&memo->thread, NULL, run_requests, memo) == 0;
    if (!memo->has_thread)
        memo->is_working = false;
    return memo->has_thread;
}
