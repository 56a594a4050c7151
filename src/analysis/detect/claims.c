// SPDX-License-Identifier: Apache-2.0
#include "analysis/detect/claims.h"

#include <assert.h>

#include "base/parallel.h"

// ---- requests ---------------------------------------------------------------------------------

void wants_add(struct wants *wants, struct arena *scratch, int64_t from, int64_t to, uint32_t group,
               uint32_t window)
{
    if (wants->count && from < wants->items[wants->count - 1].to)
        from = wants->items[wants->count - 1].to;
    if (to <= from)
        return;
    ARENA_PUSH(scratch, wants->items, wants->count, wants->capacity) =
        (struct interval_request){.from = from, .to = to, .group = group, .window = window};
    wants->groups = group >= wants->groups ? group + 1 : wants->groups;
}

void wants_drop(struct wants *wants, struct arena *scratch)
{
    ARENA_RELEASE(scratch, wants->items, wants->capacity);
    *wants = (struct wants){0};
}

void wants_end(struct wants *wants, struct arena *scratch, struct arena *arena,
               uint32_t window_count)
{
    const struct interval_request *items = wants->items;
    if (wants->count == 0)
        return;
    wants->spans = ARENA_ARRAY(arena, struct want_span, wants->count);
    if (wants->groups > 1)
        wants->group_of = ARENA_ARRAY(arena, uint32_t, wants->count);
    wants->first = ARENA_ARRAY(arena, size_t, (size_t)window_count + 1);
    wants->classes = ~0u;
    if (wants->groups <= 1 || (size_t)window_count * wants->groups <= wants->count)
        wants->ns = ARENA_ARRAY(arena, int64_t, (size_t)window_count * wants->groups + 1);
    size_t i = 0;
    for (uint32_t w = 0; w < window_count; w++) {
        wants->first[w] = i;
        for (; i < wants->count && items[i].window == w; i++) {
            wants->spans[i] = (struct want_span){items[i].from, items[i].to};
            if (wants->group_of)
                wants->group_of[i] = items[i].group;
            if (wants->ns)
                wants->ns[(size_t)w * wants->groups + items[i].group] +=
                    items[i].to - items[i].from;
        }
    }
    wants->first[window_count] = i;
    ARENA_RELEASE(scratch, wants->items, wants->capacity);
    wants->items = NULL;
    wants->capacity = 0;
}

int64_t wants_in_window(const struct wants *wants, uint32_t window)
{
    int64_t sum = 0;
    if (!wants->first)
        return 0;
    for (uint32_t g = 0; wants->ns && g < wants->groups; g++)
        sum += wants->ns[(size_t)window * wants->groups + g];
    for (size_t i = wants->first[window]; !wants->ns && i < wants->first[window + 1]; i++)
        sum += wants->spans[i].to - wants->spans[i].from;
    return sum;
}

// ---- grants -----------------------------------------------------------------------------------

struct interval_grant { // one call of claims_take() by a detector
    const struct wants *wants;
    const bool *keep;    // [group]; NULL: all
    const double *parts; // [group]: see claims_scale(); NULL: unscaled
};

static uint32_t group_of(const struct wants *wants, size_t span)
{
    return wants->group_of ? wants->group_of[span] : 0;
}

// Returns the end of a span that is shortened to `part` of its length.
static int64_t shortened_end(const struct want_span *span, double part)
{
    return part < 1 ? span->from + (int64_t)((double)(span->to - span->from) * part) : span->to;
}

static void granted_add(struct want_span *room, size_t *count, int64_t from, int64_t to)
{
    struct want_span *last = *count ? &room[*count - 1] : NULL;
    if (last && from <= last->to)
        last->to = to > last->to ? to : last->to;
    else if (to > from)
        room[(*count)++] = (struct want_span){from, to};
}

// Merges a grant into the granted spans of a window, writing to granted->room.
static void merge_window(const struct interval_grant *grant, struct granted_spans *granted,
                         uint32_t window)
{
    const struct wants *wants = grant->wants;
    struct want_span *room = granted->room;
    size_t end = wants->first[window + 1], t = 0, count = 0;
    for (size_t i = wants->first[window]; i < end; i++) {
        const struct want_span *span = &wants->spans[i];
        uint32_t group = group_of(wants, i);
        if (grant->keep && !grant->keep[group])
            continue;
        for (; t < granted->count && granted->spans[t].from <= span->from; t++)
            granted_add(room, &count, granted->spans[t].from, granted->spans[t].to);
        granted_add(room, &count, span->from,
                    grant->parts ? shortened_end(span, grant->parts[group]) : span->to);
    }
    for (; t < granted->count; t++)
        granted_add(room, &count, granted->spans[t].from, granted->spans[t].to);
    granted->spans = room;
    granted->count = count;
    granted->room = NULL;
}

void claims_take(struct claims *claims, const bool *keep)
{
    const struct wants *wants = claims->wants;
    bool *kept = NULL, any = !keep;
    if (keep) {
        kept = ARENA_ARRAY(claims->arena, bool, (size_t)wants->groups + 1);
        bool all = true;
        for (uint32_t g = 0; g < wants->groups; g++) {
            kept[g] = keep[g];
            any |= keep[g];
            all &= keep[g];
        }
        kept = all ? NULL : kept;
    }
    if (any && wants->count) {
        claims->is_measured = false;
        ARENA_PUSH(claims->arena, claims->takes, claims->take_count, claims->take_capacity) =
            (struct interval_grant){wants, kept, claims->parts};
    }
}

// ---- free time --------------------------------------------------------------------------------

struct claims claims_new(struct arena *arena, unsigned threads, uint32_t window_count,
                         const uint32_t *windows, uint32_t count)
{
    return (struct claims){
        .arena = arena,
        .threads = threads,
        .count = count,
        .windows = windows,
        .taken = ARENA_ARRAY(arena, struct granted_spans, (size_t)window_count + 1),
        .busy = ARENA_ARRAY(arena, struct granted_spans, (size_t)window_count + 1),
        .free_ns = ARENA_ARRAY(arena, int64_t, (size_t)window_count + 1)};
}

void claims_open(struct claims *claims, const struct wants *wants)
{
    claims->wants = wants;
    claims->parts = NULL;
    claims->is_measured = false;
    claims->group_ns = ARENA_ARRAY(claims->arena, int64_t, (size_t)wants->groups + 1);
}

struct claims_measuring {
    struct claims *claims;
    // The one of claims->taken and claims->busy that overlaps these requests; NULL: neither.
    struct granted_spans *granted;
    size_t grant;      // index of the grant being merged
    size_t jobs;       // number of jobs; each has some of the windows
    int64_t *group_ns; // [job * groups + group]
};

// Returns the first span from `at` on that ends after `time`: gallops, then bisects.
static size_t first_ending_after(const struct want_span *spans, size_t at, size_t end, int64_t time)
{
    size_t low = at, step = 1;
    for (; low + step <= end && spans[low + step - 1].to <= time; step *= 2)
        low += step;
    size_t high = low + step <= end ? low + step - 1 : end;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (spans[middle].to <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Measures a window when nothing is shortened: its stored sum less the granted spans. With few
// grants only their neighbours are visited.
static int64_t measure_kept(const struct wants *wants, const struct granted_spans *granted,
                            uint32_t window, int64_t *group_ns)
{
    const int64_t *ns = wants->ns + (size_t)window * wants->groups;
    size_t end = wants->first[window + 1];
    int64_t sum = 0;
    for (uint32_t g = 0; g < wants->groups; g++) {
        group_ns[g] += ns[g];
        sum += ns[g];
    }
    for (size_t t = 0, at = wants->first[window]; t < granted->count && at < end; t++) {
        const struct want_span *has = &granted->spans[t];
        at = first_ending_after(wants->spans, at, end, has->from);
        for (size_t i = at; i < end && wants->spans[i].from < has->to; i++) {
            const struct want_span *span = &wants->spans[i];
            int64_t both = (span->to < has->to ? span->to : has->to) -
                           (span->from > has->from ? span->from : has->from);
            group_ns[group_of(wants, i)] -= both;
            sum -= both;
        }
    }
    return sum;
}

static int64_t measure_spans(const struct claims *claims, const struct granted_spans *granted,
                             uint32_t window, int64_t *group_ns)
{
    const struct wants *wants = claims->wants;
    int64_t sum = 0;
    size_t at = 0;
    for (size_t i = wants->first[window]; i < wants->first[window + 1]; i++) {
        const struct want_span *span = &wants->spans[i];
        uint32_t group = group_of(wants, i);
        int64_t end = claims->parts ? shortened_end(span, claims->parts[group]) : span->to;
        int64_t ns = end - span->from;
        while (at < granted->count && granted->spans[at].to <= span->from)
            at++;
        for (size_t t = at; t < granted->count && granted->spans[t].from < end; t++) {
            int64_t from = granted->spans[t].from, to = granted->spans[t].to;
            ns -= (to < end ? to : end) - (from > span->from ? from : span->from);
        }
        group_ns[group] += ns;
        sum += ns;
    }
    return sum;
}

static bool is_wanted(const struct wants *wants, uint32_t window)
{
    return wants->first[window] < wants->first[window + 1];
}

static uint32_t job_first(const struct claims_measuring *measuring, size_t job)
{
    return (uint32_t)parallel_first(measuring->claims->count, job, measuring->jobs);
}

static void measure_job(void *context, size_t job)
{
    static const struct granted_spans nothing;
    const struct claims_measuring *measuring = context;
    struct claims *claims = measuring->claims;
    const struct wants *wants = claims->wants;
    int64_t *group_ns = &measuring->group_ns[job * wants->groups];
    for (uint32_t i = job_first(measuring, job); i < job_first(measuring, job + 1); i++) {
        uint32_t window = claims->windows[i];
        const struct granted_spans *granted =
            measuring->granted ? &measuring->granted[window] : &nothing;
        claims->free_ns[window] = !is_wanted(wants, window) ? 0
                                  : wants->ns && !claims->parts
                                      ? measure_kept(wants, granted, window, group_ns)
                                      : measure_spans(claims, granted, window, group_ns);
    }
}

static void merge_job(void *context, size_t job)
{
    const struct claims_measuring *measuring = context;
    const struct claims *claims = measuring->claims;
    for (uint32_t i = job_first(measuring, job); i < job_first(measuring, job + 1); i++) {
        struct granted_spans *granted = &measuring->granted[claims->windows[i]];
        if (granted->room)
            merge_window(&claims->takes[measuring->grant], granted, claims->windows[i]);
    }
}

// True if the window has requests now but not yet the grant being merged.
static bool lacks_grant(const struct claims_measuring *measuring, uint32_t window)
{
    return is_wanted(measuring->claims->wants, window) &&
           measuring->granted[window].takes == measuring->grant;
}

// Merges one more grant into the windows that lack it.
static void merge_grant(struct claims_measuring *measuring)
{
    const struct claims *claims = measuring->claims;
    const struct interval_grant *grant = &claims->takes[measuring->grant];
    const struct wants *wants = grant->wants;
    bool counts = measuring->granted == claims->taken || wants->classes != CLAIMS_IDLE;
    size_t spans = 0;
    for (uint32_t i = 0; i < claims->count; i++) { // first the windows that need no copy
        uint32_t window = claims->windows[i];
        struct granted_spans *granted = &measuring->granted[window];
        if (!lacks_grant(measuring, window))
            continue;
        size_t first = wants->first[window], more = wants->first[window + 1] - first;
        if (counts && more && (granted->count || grant->keep || grant->parts)) {
            spans += more + granted->count;
            continue;
        }
        granted->takes++;
        if (counts && more) {
            granted->spans = &wants->spans[first];
            granted->count = more;
        }
    }
    if (spans == 0)
        return;
    struct want_span *room = ARENA_ARRAY(claims->arena, struct want_span, spans);
    for (uint32_t i = 0; i < claims->count; i++) {
        uint32_t window = claims->windows[i];
        struct granted_spans *granted = &measuring->granted[window];
        if (!lacks_grant(measuring, window))
            continue;
        granted->takes++;
        granted->room = room;
        room += wants->first[window + 1] - wants->first[window] + granted->count;
    }
    measuring->jobs = parallel_parts(spans);
    parallel_run(claims->threads, measuring->jobs, merge_job, measuring);
}

static int64_t measure(struct claims *claims, size_t takes)
{
    const struct wants *wants = claims->wants;
    struct claims_measuring measuring = {.claims = claims};
    unsigned classes = 0;
    int64_t sum = 0;
    for (size_t t = 0; t < takes; t++)
        classes |= claims->takes[t].wants->classes;
    if (classes & wants->classes)
        measuring.granted = wants->classes & CLAIMS_IDLE ? claims->taken : claims->busy;
    for (; measuring.granted && measuring.grant < takes; measuring.grant++)
        merge_grant(&measuring);
    size_t spans = 0;
    bool is_kept = wants->ns && !claims->parts && !measuring.granted; // then no span is visited
    for (uint32_t i = 0; !is_kept && i < claims->count; i++) {
        uint32_t window = claims->windows[i];
        assert(!measuring.granted || measuring.granted[window].takes <= takes);
        spans += wants->first[window + 1] - wants->first[window];
        spans += measuring.granted ? measuring.granted[window].count : 0;
    }
    measuring.jobs = parallel_parts(spans);
    measuring.group_ns = ARENA_ARRAY(claims->arena, int64_t, measuring.jobs * wants->groups);
    parallel_run(claims->threads, measuring.jobs, measure_job, &measuring);
    for (uint32_t g = 0; g < wants->groups; g++) {
        claims->group_ns[g] = 0;
        for (size_t j = 0; j < measuring.jobs; j++)
            claims->group_ns[g] += measuring.group_ns[j * wants->groups + g];
        sum += claims->group_ns[g];
    }
    ARENA_RELEASE(claims->arena, measuring.group_ns, measuring.jobs * wants->groups);
    return sum;
}

int64_t claims_measure_before(struct claims *claims, size_t takes)
{
    claims->is_measured = false;
    if (claims->wants->count)
        return measure(claims, takes);
    for (uint32_t i = 0; i < claims->count; i++)
        claims->free_ns[claims->windows[i]] = 0;
    return 0;
}

int64_t claims_measure(struct claims *claims)
{
    if (!claims->is_measured)
        claims->measured_ns = claims_measure_before(claims, claims->take_count);
    claims->is_measured = true;
    return claims->measured_ns;
}

void claims_scale(struct claims *claims, const double *parts)
{
    claims->parts = parts;
    claims->is_measured = false;
}
