// SPDX-License-Identifier: Apache-2.0
// Reports built once per selection and kept while there is room.
#ifndef UI_STATE_CACHE_H
#define UI_STATE_CACHE_H

#include "analysis/report/report.h"

enum { CACHE_MAX = 64 }; // more than views and their panes can hold

struct cached {
    const struct report *report;
    struct selection selection; // with its own copy of the iterations
    struct rows rows;
    struct error
        problem; // of rows that memory ended for on a thread: cache_get() fails with it, once
    struct arena *arena;
    unsigned users;
    uint64_t used; // when last asked for; 0: the cache has forgotten it, it goes with its last user
};

struct cache {
    struct cached *items[CACHE_MAX];
    size_t count;
    uint64_t clock;
    struct building *building; // rows that are built on a thread of their own; NULL: none
    bool is_awaited;           // somebody has asked for these since cache_tend()
};

// The rows, built now if they must be; give them back with cache_release(). NULL: error.
struct cached *cache_get(struct cache *cache, const struct report *report,
                         const struct profile *profile, const struct selection *selection,
                         struct error *error);
void cache_release(struct cached *cached); // NULL is fine
// The same for a frame, which waits for a moment at most. True: cache_get() takes no time. False: they
// are being built on a thread, or will be after what is; cache_arrived() is true once there is more
// to ask for.
bool cache_soon(struct cache *cache, const struct report *report, const struct profile *profile,
                const struct selection *selection);
bool cache_arrived(struct cache *cache);
void cache_tend(struct cache *cache); // after a frame: what none of its views asked for stops
// Forgets all that nobody holds; what is held is no longer found.
void cache_forget(struct cache *cache);
void cache_close(struct cache *cache);

bool selection_equal(const struct selection *a, const struct selection *b);

#endif
