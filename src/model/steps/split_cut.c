// SPDX-License-Identifier: Apache-2.0
// Marks the windows that the beginning or the end of the capture cuts, in each process:
//
// 1. Its last launches have no work, although earlier ones have: the capture ended before the GPU
//    ran them. The windows of these launches are cut. Likewise at the beginning.
// 2. Its records of calls end within its last window: the host goes on as in the windows before,
//    but no call is recorded any more, and fewer launches than in each of them. Likewise at the
//    beginning.
//
// A complete window that launches less, such as an evaluation or a small batch, is not cut: its
// launches have their work, and what the host does in it is shorter, too.
#include <string.h>

#include "base/search.h"
#include "model/steps/split_build.h"

enum { PEERS = 8, MANY_PART = 50, LESS_PERCENT = 90, REST_PART = 10 };

struct cut_finder {
    const struct profile *profile;
    struct split *split;
    uint32_t *threads, *first_thread; // rows of threads by process, with one end entry
    uint32_t process;
    const int64_t *start, *stop; // windows of the process
    uint8_t *name_kind;          // per string: enum name_kind + 1; 0: not known yet
};

enum name_kind { NAME_OTHER, NAME_LAUNCH, NAME_CAPTURE };

static enum name_kind kind_of(struct cut_finder *finder, uint32_t call)
{
    string_id name = AT(finder->profile->api.name, call);
    const char *text = profile_text(finder->profile, name);
    if (!finder->name_kind[name])
        finder->name_kind[name] = (uint8_t)(1 + (strstr(text, "LaunchKernel")   ? NAME_LAUNCH
                                                 : strstr(text, "BeginCapture") ? NAME_CAPTURE
                                                 : strstr(text, "EndCapture")   ? NAME_CAPTURE
                                                                                : NAME_OTHER));
    return (enum name_kind)(finder->name_kind[name] - 1);
}

static uint32_t first_of(const struct cut_finder *finder)
{
    return finder->first_thread[finder->process];
}

static uint32_t end_of(const struct cut_finder *finder)
{
    return finder->first_thread[finder->process + 1];
}

static bool has_work(const struct cut_finder *finder, uint32_t call)
{
    const struct api_calls *api = &finder->profile->api;
    return AT(api->first_work, call) < AT(api->first_work, call + 1);
}

// ---- launches without work ---------------------------------------------------------------------

// Finds the first and the last launch with work; false without any.
static bool find_launches(const struct cut_finder *finder, int64_t *first, int64_t *last)
{
    const struct profile *profile = finder->profile;
    *first = INT64_MAX;
    *last = INT64_MIN;
    for (uint32_t t = first_of(finder); t < end_of(finder); t++) {
        const struct thread *thread = &profile->threads[finder->threads[t]];
        uint32_t from = thread->first_api, end = thread->end_api;
        while (from < end && !has_work(finder, from))
            from++;
        while (end > from && !has_work(finder, end - 1))
            end--;
        if (from == end)
            continue;
        int64_t begin = AT(profile->api.start, from), stop = AT(profile->api.start, end - 1);
        *first = begin < *first ? begin : *first;
        *last = stop > *last ? stop : *last;
    }
    return *last != INT64_MIN;
}

static uint32_t window_at(const struct cut_finder *finder, int64_t time)
{
    return split_at(finder->split, finder->process, time);
}

// Counts, per window, the launches from `from` to `to` that have no work. Kernels that a graph
// captures do not run: from such a capture on, nothing counts.
static void cut_by_launches(struct cut_finder *finder, int64_t from, int64_t to, uint32_t *lacking)
{
    const struct profile *profile = finder->profile;
    const struct api_calls *api = &profile->api;
    memset(lacking, 0, sizeof *lacking * finder->split->count);
    for (uint32_t t = first_of(finder); t < end_of(finder); t++) {
        const struct thread *thread = &profile->threads[finder->threads[t]];
        uint32_t call = column_from(api->start, thread->first_api, thread->end_api, from);
        for (; call < thread->end_api && AT(api->start, call) < to; call++) {
            enum name_kind kind = kind_of(finder, call);
            if (kind == NAME_CAPTURE)
                return;
            uint32_t window = ROW_NONE;
            if (kind == NAME_LAUNCH && api_result(api, call) == 0 && !has_work(finder, call))
                window = window_at(finder, AT(api->start, call));
            if (window != ROW_NONE)
                lacking[window]++;
        }
    }
}

// ---- calls that are no longer recorded ---------------------------------------------------------

struct window_rows { // of a process, in one of its windows
    uint32_t launches, ranges;
    uint32_t beyond;     // ranges that begin after the last call (before the first call)
    int64_t first, last; // start of its first and last call; INT64_MAX, INT64_MIN without
};

static uint32_t count_from(struct column64 start, uint32_t first, uint32_t end, int64_t from,
                           int64_t to)
{
    uint32_t begin = column_from(start, first, end, from);
    return column_from(start, begin, end, to) - begin;
}

static struct window_rows rows_of(const struct cut_finder *finder, uint32_t window, bool at_end)
{
    const struct profile *profile = finder->profile;
    const struct api_calls *api = &profile->api;
    int64_t from = finder->start[window], to = finder->stop[window];
    struct window_rows rows = {.first = INT64_MAX, .last = INT64_MIN};
    for (uint32_t t = first_of(finder); t < end_of(finder); t++) {
        const struct thread *thread = &profile->threads[finder->threads[t]];
        uint32_t call = column_from(api->start, thread->first_api, thread->end_api, from);
        uint32_t end = column_from(api->start, call, thread->end_api, to);
        rows.ranges +=
            count_from(profile->ranges.start, thread->first_range, thread->end_range, from, to);
        if (call == end)
            continue;
        rows.launches += AT(api->first_work, end) - AT(api->first_work, call);
        int64_t first = AT(api->start, call), last = AT(api->start, end - 1);
        rows.first = first < rows.first ? first : rows.first;
        rows.last = last > rows.last ? last : rows.last;
    }
    if (rows.last == INT64_MIN)
        return rows;
    from = at_end ? rows.last : from;
    to = at_end ? to : rows.first;
    for (uint32_t t = first_of(finder); t < end_of(finder); t++) {
        const struct thread *thread = &profile->threads[finder->threads[t]];
        rows.beyond +=
            count_from(profile->ranges.start, thread->first_range, thread->end_range, from, to);
    }
    return rows;
}

static bool is_whole_record(const struct cut_finder *finder, uint32_t window, bool at_end)
{
    const struct profile *profile = finder->profile;
    const struct api_calls *api = &profile->api;
    for (uint32_t t = first_of(finder); t < end_of(finder); t++) {
        const struct thread *thread = &profile->threads[finder->threads[t]];
        if (thread->first_api == thread->end_api)
            continue;
        if (at_end ? AT(api->start, thread->end_api - 1) >= finder->stop[window]
                   : AT(api->start, thread->first_api) < finder->start[window])
            return true;
    }
    return false;
}

// Marks the last (first) window of the process if the records of calls end (begin) within it.
static void cut_by_records(const struct cut_finder *finder, bool at_end)
{
    uint32_t count = finder->split->count, window = ROW_NONE, peers = 0;
    struct window_rows edge = {0};
    for (uint32_t n = 0; n < count && peers < PEERS; n++) {
        uint32_t i = at_end ? count - 1 - n : n;
        if (finder->stop[i] <= finder->start[i] || finder->start[i] == INT64_MAX)
            continue;
        struct window_rows rows = rows_of(finder, i, at_end);
        if (window == ROW_NONE) {
            window = i;
            edge = rows;
            if (edge.last == INT64_MIN || edge.beyond <= edge.ranges / REST_PART ||
                is_whole_record(finder, i, at_end))
                return;
            continue;
        }
        bool is_less = edge.launches * UINT64_C(100) < rows.launches * (uint64_t)LESS_PERCENT;
        bool is_as_long = edge.ranges * UINT64_C(100) >= rows.ranges * (uint64_t)LESS_PERCENT;
        bool is_silent =
            edge.beyond * (uint64_t)rows.ranges > UINT64_C(2) * rows.beyond * edge.ranges;
        if (!is_less || !is_as_long || !is_silent)
            return;
        peers++;
    }
    if (peers)
        finder->split->is_cut[window] = true;
}

// ---- all processes -----------------------------------------------------------------------------

static void find_in_process(struct cut_finder *finder, uint32_t *lacking)
{
    struct split *split = finder->split;
    int64_t first, last;
    if (!find_launches(finder, &first, &last))
        return;
    cut_by_launches(finder, last + 1, INT64_MAX, lacking);
    for (uint32_t i = 0; i < split->count; i++)
        split->is_cut[i] |= lacking[i] > 0;
    cut_by_launches(finder, INT64_MIN, first, lacking);
    uint32_t begun = window_at(finder, first); // all launches of earlier windows lack their work
    for (uint32_t i = 0; i < split->count; i++)
        split->is_cut[i] |= i != begun && lacking[i] > 0;
    if (begun != ROW_NONE && lacking[begun] > rows_of(finder, begun, false).launches / MANY_PART)
        split->is_cut[begun] = true;
    cut_by_records(finder, true);
    cut_by_records(finder, false);
}

static void sort_threads(struct cut_finder *finder, struct arena *arena)
{
    const struct profile *profile = finder->profile;
    uint32_t *first = ARENA_ARRAY(arena, uint32_t, (size_t)profile->process_count + 2);
    finder->threads = ARENA_ARRAY(arena, uint32_t, (size_t)profile->thread_count + 1);
    finder->first_thread = first;
    for (uint32_t t = 0; t < profile->thread_count; t++)
        first[profile->threads[t].process + 1]++;
    for (uint32_t p = 0; p < profile->process_count; p++)
        first[p + 1] += first[p];
    for (uint32_t t = profile->thread_count; t-- > 0;)
        finder->threads[--first[profile->threads[t].process + 1]] = t;
    for (uint32_t p = 0; p < profile->process_count; p++)
        first[p] = first[p + 1];
    first[profile->process_count] = profile->thread_count;
}

void split_find_cut(const struct profile *profile, struct split *split, struct arena *arena)
{
    if (split->method != SPLIT_RANGES || !HAS(profile->api.first_work))
        return;
    struct cut_finder finder = {.profile = profile, .split = split};
    finder.name_kind = ARENA_ARRAY(arena, uint8_t, (size_t)strings_count(profile->strings) + 1);
    uint32_t *lacking = ARENA_ARRAY(arena, uint32_t, (size_t)split->count + 1);
    sort_threads(&finder, arena);
    for (finder.process = 0; finder.process < profile->process_count; finder.process++) {
        size_t own = split->process_start ? (size_t)finder.process * split->count : 0;
        finder.start = split->process_start ? split->process_start + own : split->start;
        finder.stop = split->process_stop ? split->process_stop + own : split->stop;
        find_in_process(&finder, lacking);
    }
}
