// SPDX-License-Identifier: Apache-2.0
// Requests and grants of intervals, see interval_grants.h for the terms. For the current requests:
//   - grants that a window lacks are merged into its granted spans (merge_grant)
//   - the free time is the requested time minus its overlap with these spans (measure_job)
// Both run on several threads, each with some of the windows.
#include "analysis/detect/interval_grants.h"

#include <assert.h>

#include "base/parallel.h"

// ---- requests ---------------------------------------------------------------------------------

void requests_add(struct interval_requests *requests, struct arena *scratch, int64_t from,
                  int64_t to, uint32_t group, uint32_t window)
{
    if (requests->count && from < requests->items[requests->count - 1].to)
        from = requests->items[requests->count - 1].to;
    if (to <= from)
        return;
    ARENA_PUSH(scratch, requests->items, requests->count, requests->capacity) =
        (struct interval_request){.from = from, .to = to, .group = group, .window = window};
    requests->groups = group >= requests->groups ? group + 1 : requests->groups;
}

void requests_drop(struct interval_requests *requests, struct arena *scratch)
{
    ARENA_RELEASE(scratch, requests->items, requests->capacity);
    *requests = (struct interval_requests){0};
}

void requests_end(struct interval_requests *requests, struct arena *scratch, struct arena *arena,
                  uint32_t window_count)
{
    const struct interval_request *items = requests->items;
    if (requests->count == 0)
        return;
    requests->spans = ARENA_ARRAY(arena, struct request_span, requests->count);
    if (requests->groups > 1)
        requests->group_of = ARENA_ARRAY(arena, uint32_t, requests->count);
    requests->first = ARENA_ARRAY(arena, size_t, (size_t)window_count + 1);
    requests->classes = ~0u;
    if (requests->groups <= 1 || (size_t)window_count * requests->groups <= requests->count)
        requests->ns = ARENA_ARRAY(arena, int64_t, (size_t)window_count * requests->groups + 1);
    size_t i = 0;
    for (uint32_t w = 0; w < window_count; w++) {
        requests->first[w] = i;
        for (; i < requests->count && items[i].window == w; i++) {
            requests->spans[i] = (struct request_span){items[i].from, items[i].to};
            if (requests->group_of)
                requests->group_of[i] = items[i].group;
            if (requests->ns)
                requests->ns[(size_t)w * requests->groups + items[i].group] +=
                    items[i].to - items[i].from;
        }
    }
    requests->first[window_count] = i;
    ARENA_RELEASE(scratch, requests->items, requests->capacity);
    requests->items = NULL;
    requests->capacity = 0;
}

int64_t requests_in_window(const struct interval_requests *requests, uint32_t window)
{
    int64_t sum = 0;
    if (!requests->first)
        return 0;
    for (uint32_t g = 0; requests->ns && g < requests->groups; g++)
        sum += requests->ns[(size_t)window * requests->groups + g];
    for (size_t i = requests->first[window]; !requests->ns && i < requests->first[window + 1]; i++)
        sum += requests->spans[i].to - requests->spans[i].from;
    return sum;
}

// ---- grants -----------------------------------------------------------------------------------

struct interval_grant { // one call of grants_take() by a detector
    const struct interval_requests *requests;
    const bool *keep;    // [group]: it is granted; NULL: all are
    const double *parts; // [group]: see grants_scale(); NULL: unscaled
};

static uint32_t group_of(const struct interval_requests *requests, size_t span)
{
    return requests->group_of ? requests->group_of[span] : 0;
}

// Returns the end of a span that is shortened to `part` of its length.
static int64_t shortened_end(const struct request_span *span, double part)
{
    return part < 1 ? span->from + (int64_t)((double)(span->to - span->from) * part) : span->to;
}

static void span_add(struct request_span *merged, size_t *count, int64_t from, int64_t to)
{
    struct request_span *last = *count ? &merged[*count - 1] : NULL;
    if (last && from <= last->to)
        last->to = to > last->to ? to : last->to;
    else if (to > from)
        merged[(*count)++] = (struct request_span){from, to};
}

// Merges a grant into the granted spans of a window, writing to granted->room.
static void merge_window(const struct interval_grant *grant, struct granted_spans *granted,
                         uint32_t window)
{
    const struct interval_requests *requests = grant->requests;
    struct request_span *merged = granted->room;
    size_t end = requests->first[window + 1], t = 0, count = 0;
    for (size_t i = requests->first[window]; i < end; i++) {
        const struct request_span *span = &requests->spans[i];
        uint32_t group = group_of(requests, i);
        if (grant->keep && !grant->keep[group])
            continue;
        for (; t < granted->count && granted->spans[t].from <= span->from; t++)
            span_add(merged, &count, granted->spans[t].from, granted->spans[t].to);
        span_add(merged, &count, span->from,
                 grant->parts ? shortened_end(span, grant->parts[group]) : span->to);
    }
    for (; t < granted->count; t++)
        span_add(merged, &count, granted->spans[t].from, granted->spans[t].to);
    granted->spans = merged;
    granted->count = count;
    granted->room = NULL;
}

void grants_take(struct interval_grants *grants, const bool *keep)
{
    const struct interval_requests *requests = grants->requests;
    bool *group_is_granted = NULL, any = !keep;
    if (keep) {
        group_is_granted = ARENA_ARRAY(grants->arena, bool, (size_t)requests->groups + 1);
        bool all = true;
        for (uint32_t g = 0; g < requests->groups; g++) {
            group_is_granted[g] = keep[g];
            any |= keep[g];
            all &= keep[g];
        }
        group_is_granted = all ? NULL : group_is_granted;
    }
    if (any && requests->count) {
        grants->is_measured = false;
        ARENA_PUSH(grants->arena, grants->takes, grants->take_count, grants->take_capacity) =
            (struct interval_grant){requests, group_is_granted, grants->parts};
    }
}

// ---- free time --------------------------------------------------------------------------------

struct interval_grants grants_new(struct arena *arena, unsigned threads, uint32_t window_count,
                                  const uint32_t *windows, uint32_t count)
{
    return (struct interval_grants){
        .arena = arena,
        .threads = threads,
        .count = count,
        .windows = windows,
        .taken = ARENA_ARRAY(arena, struct granted_spans, (size_t)window_count + 1),
        .busy = ARENA_ARRAY(arena, struct granted_spans, (size_t)window_count + 1),
        .free_ns = ARENA_ARRAY(arena, int64_t, (size_t)window_count + 1)};
}

void grants_set_requests(struct interval_grants *grants, const struct interval_requests *requests)
{
    grants->requests = requests;
    grants->parts = NULL;
    grants->is_measured = false;
    grants->group_ns = ARENA_ARRAY(grants->arena, int64_t, (size_t)requests->groups + 1);
}

struct grants_measurement {
    struct interval_grants *grants;
    // grants->taken or grants->busy, whichever may overlap the current requests; NULL: neither does
    struct granted_spans *granted;
    size_t grant;      // index of the grant being merged
    size_t jobs;       // number of jobs; each has some of the windows
    int64_t *group_ns; // [job * groups + group]
};

// Returns the first span from `at` on that ends after `time`: doubles the step, then bisects.
static size_t first_ending_after(const struct request_span *spans, size_t at, size_t end,
                                 int64_t time)
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

// Returns the free time of a window if requests are not shortened: its stored sum less the overlap
// with granted spans. Only requests near granted spans are visited.
static int64_t measure_from_sums(const struct interval_requests *requests,
                                 const struct granted_spans *granted, uint32_t window,
                                 int64_t *group_ns)
{
    const int64_t *ns = requests->ns + (size_t)window * requests->groups;
    size_t end = requests->first[window + 1];
    int64_t sum = 0;
    for (uint32_t g = 0; g < requests->groups; g++) {
        group_ns[g] += ns[g];
        sum += ns[g];
    }
    for (size_t t = 0, at = requests->first[window]; t < granted->count && at < end; t++) {
        const struct request_span *granted_span = &granted->spans[t];
        at = first_ending_after(requests->spans, at, end, granted_span->from);
        for (size_t i = at; i < end && requests->spans[i].from < granted_span->to; i++) {
            const struct request_span *span = &requests->spans[i];
            int64_t overlap = (span->to < granted_span->to ? span->to : granted_span->to) -
                              (span->from > granted_span->from ? span->from : granted_span->from);
            group_ns[group_of(requests, i)] -= overlap;
            sum -= overlap;
        }
    }
    return sum;
}

// Returns the free time of a window by visiting all its requests.
static int64_t measure_spans(const struct interval_grants *grants,
                             const struct granted_spans *granted, uint32_t window,
                             int64_t *group_ns)
{
    const struct interval_requests *requests = grants->requests;
    int64_t sum = 0;
    size_t at = 0;
    for (size_t i = requests->first[window]; i < requests->first[window + 1]; i++) {
        const struct request_span *span = &requests->spans[i];
        uint32_t group = group_of(requests, i);
        int64_t end = grants->parts ? shortened_end(span, grants->parts[group]) : span->to;
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

static bool has_requests(const struct interval_requests *requests, uint32_t window)
{
    return requests->first[window] < requests->first[window + 1];
}

static uint32_t job_first(const struct grants_measurement *measurement, size_t job)
{
    return (uint32_t)parallel_first(measurement->grants->count, job, measurement->jobs);
}

static void measure_job(void *context, size_t job)
{
    static const struct granted_spans no_spans;
    const struct grants_measurement *measurement = context;
    struct interval_grants *grants = measurement->grants;
    const struct interval_requests *requests = grants->requests;
    int64_t *group_ns = &measurement->group_ns[job * requests->groups];
    for (uint32_t i = job_first(measurement, job); i < job_first(measurement, job + 1); i++) {
        uint32_t window = grants->windows[i];
        const struct granted_spans *granted =
            measurement->granted ? &measurement->granted[window] : &no_spans;
        grants->free_ns[window] = !has_requests(requests, window) ? 0
                                  : requests->ns && !grants->parts
                                      ? measure_from_sums(requests, granted, window, group_ns)
                                      : measure_spans(grants, granted, window, group_ns);
    }
}

static void merge_job(void *context, size_t job)
{
    const struct grants_measurement *measurement = context;
    const struct interval_grants *grants = measurement->grants;
    for (uint32_t i = job_first(measurement, job); i < job_first(measurement, job + 1); i++) {
        struct granted_spans *granted = &measurement->granted[grants->windows[i]];
        if (granted->room)
            merge_window(&grants->takes[measurement->grant], granted, grants->windows[i]);
    }
}

// True if the window has requests now but not yet the grant being merged.
static bool needs_grant(const struct grants_measurement *measurement, uint32_t window)
{
    return has_requests(measurement->grants->requests, window) &&
           measurement->granted[window].takes == measurement->grant;
}

// Merges one more grant into the windows that lack it.
static void merge_grant(struct grants_measurement *measurement)
{
    const struct interval_grants *grants = measurement->grants;
    const struct interval_grant *grant = &grants->takes[measurement->grant];
    const struct interval_requests *requests = grant->requests;
    bool counts = measurement->granted == grants->taken || requests->classes != GRANTS_IDLE;
    size_t spans = 0;
    for (uint32_t i = 0; i < grants->count; i++) { // first the windows whose spans need no merging
        uint32_t window = grants->windows[i];
        struct granted_spans *granted = &measurement->granted[window];
        if (!needs_grant(measurement, window))
            continue;
        size_t first = requests->first[window], added_count = requests->first[window + 1] - first;
        if (counts && added_count && (granted->count || grant->keep || grant->parts)) {
            spans += added_count + granted->count;
            continue;
        }
        granted->takes++;
        if (counts && added_count) {
            granted->spans = &requests->spans[first];
            granted->count = added_count;
        }
    }
    if (spans == 0)
        return;
    struct request_span *merged = ARENA_ARRAY(grants->arena, struct request_span, spans);
    for (uint32_t i = 0; i < grants->count; i++) {
        uint32_t window = grants->windows[i];
        struct granted_spans *granted = &measurement->granted[window];
        if (!needs_grant(measurement, window))
            continue;
        granted->takes++;
        granted->room = merged;
        merged += requests->first[window + 1] - requests->first[window] + granted->count;
    }
    measurement->jobs = parallel_parts(spans);
    parallel_run(grants->threads, measurement->jobs, merge_job, measurement);
}

// Measures the current requests as if only the first `takes` grants existed.
static int64_t measure(struct interval_grants *grants, size_t takes)
{
    const struct interval_requests *requests = grants->requests;
    struct grants_measurement measurement = {.grants = grants};
    unsigned classes = 0;
    int64_t sum = 0;
    for (size_t t = 0; t < takes; t++)
        classes |= grants->takes[t].requests->classes;
    if (classes & requests->classes)
        measurement.granted = requests->classes & GRANTS_IDLE ? grants->taken : grants->busy;
    for (; measurement.granted && measurement.grant < takes; measurement.grant++)
        merge_grant(&measurement);
    size_t spans = 0;
    bool uses_stored_sums =
        requests->ns && !grants->parts && !measurement.granted; // then no span is read
    for (uint32_t i = 0; !uses_stored_sums && i < grants->count; i++) {
        uint32_t window = grants->windows[i];
        assert(!measurement.granted || measurement.granted[window].takes <= takes);
        spans += requests->first[window + 1] - requests->first[window];
        spans += measurement.granted ? measurement.granted[window].count : 0;
    }
    measurement.jobs = parallel_parts(spans);
    measurement.group_ns = ARENA_ARRAY(grants->arena, int64_t, measurement.jobs * requests->groups);
    parallel_run(grants->threads, measurement.jobs, measure_job, &measurement);
    for (uint32_t g = 0; g < requests->groups; g++) {
        grants->group_ns[g] = 0;
        for (size_t j = 0; j < measurement.jobs; j++)
            grants->group_ns[g] += measurement.group_ns[j * requests->groups + g];
        sum += grants->group_ns[g];
    }
    ARENA_RELEASE(grants->arena, measurement.group_ns, measurement.jobs * requests->groups);
    return sum;
}

int64_t grants_measure_before(struct interval_grants *grants, size_t takes)
{
    grants->is_measured = false;
    if (grants->requests->count)
        return measure(grants, takes);
    for (uint32_t i = 0; i < grants->count; i++)
        grants->free_ns[grants->windows[i]] = 0;
    return 0;
}

int64_t grants_measure(struct interval_grants *grants)
{
    if (!grants->is_measured)
        grants->measured_ns = grants_measure_before(grants, grants->take_count);
    grants->is_measured = true;
    return grants->measured_ns;
}

void grants_scale(struct interval_grants *grants, const double *parts)
{
    grants->parts = parts;
    grants->is_measured = false;
}
