// SPDX-License-Identifier: Apache-2.0
// Cache of report rows: built once per (report, selection) and kept while memory permits.
#ifndef UI_ROWS_CACHE_H
#define UI_ROWS_CACHE_H

#include "analysis/report/report.h"

enum { MAX_CACHED = 64 }; // more than all views and panes can use

struct cached {
    const struct report *report;
    struct selection selection; // with its own copy of the iterations
    struct rows rows;
    struct error problem; // out of memory on the thread; the next cache_get() reports and drops it
    struct arena *arena;
    unsigned users;
    uint64_t used; // clock of the last request; 0: dropped from the cache, freed with its last user
};

struct cache {
    struct cached *items[MAX_CACHED];
    size_t count;
    uint64_t clock;
    struct building *building; // rows being built on a thread; NULL: none
    bool is_awaited;           // `building` was asked for since the last cache_end_frame()
};

// Returns the rows and builds them now if necessary. The caller gives them back with
// cache_release(). Returns NULL on error.
struct cached *cache_get(struct cache *cache, const struct report *report,
                         const struct profile *profile, const struct selection *selection,
                         struct error *error);
void cache_release(struct cached *cached); // NULL is fine
// Requests rows for a frame and waits at most MAX_FRAME_WAIT_MS. Returns true if cache_get() will
// not have to wait. Returns false while the thread builds these or other rows; then call this again
// once cache_collect() has returned true.
bool cache_request(struct cache *cache, const struct report *report, const struct profile *profile,
                   const struct selection *selection);
bool cache_collect(struct cache *cache);   // takes over rows that the thread has finished
void cache_end_frame(struct cache *cache); // after a frame: stops a build that no view asked for
// Empties the cache. Rows without users are freed; the others are freed with their last user.
void cache_forget(struct cache *cache);
void cache_close(struct cache *cache);

#endif
