// SPDX-License-Identifier: Apache-2.0
// Splits by the extents of ranges: explicit step markers, or any family that the user names.
#include <stdio.h>
#include <string.h>

#include "base/sort.h"
#include "base/text.h"
#include "model/id_map.h"
#include "model/markers.h"
#include "model/scratch.h"
#include "model/split_build.h"

enum { NAME_LIMIT = 1000 };

// The last number of a name replaced by `*`, and its value. False: it has none.
static bool number_of(const char *text, size_t length, char pattern[NAME_LIMIT + 1],
                      int64_t *number)
{
    size_t start = 0, end = 0;
    bool found = false;
    if (length > NAME_LIMIT)
        return false;
    for (size_t n = 0; text_number_field(text, length, n, &start, &end); n++)
        found = true;
    if (!found || end - start > 18)
        return false;
    *number = 0;
    for (size_t i = start; i < end; i++)
        *number = *number * 10 + (text[i] - '0');
    memcpy(pattern, text, start);
    pattern[start] = '*';
    memcpy(pattern + start + 1, text + end, length - end);
    pattern[length - (end - start) + 1] = 0;
    return true;
}

struct family { // of ranges that may mark iterations
    const struct profile *profile;
    struct arena *scratch;
    bool *is_member; // of each marker
    int64_t *number; // of each marker, UNKNOWN
    uint32_t *rows;  // its ranges, by (process, start), none inside another
    size_t count;
    uint32_t *in_thread; // how many ranges of the family each thread has
    uint32_t *best;      // of each process: the thread with most, or ROW_NONE
};

static uint32_t range_process(const struct profile *profile, uint32_t range)
{
    return profile->threads[profile->ranges.thread[range]].process;
}

static int compare_rows(const void *context, uint32_t a, uint32_t b)
{
    const struct profile *profile = context;
    uint32_t p = range_process(profile, a), q = range_process(profile, b);
    if (p != q)
        return p < q ? -1 : 1;
    int64_t x = profile->ranges.start[a], y = profile->ranges.start[b];
    return (x > y) - (x < y);
}

// Ranges of the family: of each process those of the thread that has most of them, without those
// inside another one.
static void collect(struct family *family)
{
    const struct profile *profile = family->profile;
    const struct ranges *ranges = &profile->ranges;
    uint32_t *in_thread = ARENA_ARRAY(family->scratch, uint32_t, profile->thread_count);
    uint32_t *best = ARENA_ARRAY(family->scratch, uint32_t, profile->process_count);
    family->in_thread = in_thread;
    family->best = best;
    family->rows = ARENA_ARRAY(family->scratch, uint32_t, ranges->count);
    family->count = 0;
    for (uint32_t i = 0; i < ranges->count; i++)
        in_thread[ranges->thread[i]] += family->is_member[ranges->marker[i]];
    for (uint32_t p = 0; p < profile->process_count; p++)
        best[p] = ROW_NONE;
    for (uint32_t t = 0; t < profile->thread_count; t++) {
        uint32_t *most = &best[profile->threads[t].process];
        if (in_thread[t] && (*most == ROW_NONE || in_thread[t] > in_thread[*most]))
            *most = t;
    }
    for (uint32_t t = 0; t < profile->thread_count; t++) {
        const struct thread *thread = &profile->threads[t];
        if (best[thread->process] != t)
            continue;
        int64_t until = INT64_MIN;
        for (uint32_t i = thread->first_range; i < thread->end_range; i++) {
            if (!family->is_member[ranges->marker[i]] || ranges->is_open[i] == 2 ||
                ranges->start[i] < until)
                continue;
            family->rows[family->count++] = i;
            until = ranges->end[i];
        }
    }
    sort_ids(family->rows, family->count, compare_rows, profile, family->scratch);
}

// Whether within every process the numbers only grow: then they name the iterations.
static bool numbers_grow(const struct family *family)
{
    const struct profile *profile = family->profile;
    for (size_t i = 0; i < family->count; i++) {
        int64_t number = family->number[profile->ranges.marker[family->rows[i]]];
        if (number == UNKNOWN)
            return false;
        if (i &&
            range_process(profile, family->rows[i]) ==
                range_process(profile, family->rows[i - 1]) &&
            number <= family->number[profile->ranges.marker[family->rows[i - 1]]])
            return false;
    }
    return true;
}

struct slots {        // which iteration each range of the family is
    uint32_t *of_row; // parallel to family->rows
    int64_t *number;  // of each iteration
    uint32_t count;
};

static int compare_numbers(const void *context, uint32_t a, uint32_t b)
{
    const int64_t *number = context;
    return (number[a] > number[b]) - (number[a] < number[b]);
}

static struct slots find_slots(const struct family *family)
{
    const struct profile *profile = family->profile;
    struct slots slots = {0};
    slots.of_row = ARENA_ARRAY(family->scratch, uint32_t, family->count);
    slots.number = ARENA_ARRAY(family->scratch, int64_t, family->count);
    if (!numbers_grow(family)) { // by order in each process
        uint32_t n = 0;
        for (size_t i = 0; i < family->count; i++) {
            if (i && range_process(profile, family->rows[i]) !=
                         range_process(profile, family->rows[i - 1]))
                n = 0;
            slots.of_row[i] = n;
            slots.number[n] = n;
            slots.count = ++n > slots.count ? n : slots.count;
        }
        return slots;
    }
    int64_t *number = ARENA_ARRAY(family->scratch, int64_t, family->count);
    uint32_t *order = ARENA_ARRAY(family->scratch, uint32_t, family->count);
    for (uint32_t i = 0; i < family->count; i++) {
        order[i] = i;
        number[i] = family->number[profile->ranges.marker[family->rows[i]]];
    }
    sort_ids(order, family->count, compare_numbers, number, family->scratch);
    for (uint32_t i = 0; i < family->count; i++) {
        if (i == 0 || number[order[i]] != number[order[i - 1]])
            slots.number[slots.count++] = number[order[i]];
        slots.of_row[order[i]] = slots.count - 1;
    }
    return slots;
}

// A window that a process lacks is empty and stands where its next one begins, so that windows
// stay in order.
static void fill_gaps(struct split *split, uint32_t process_count)
{
    for (uint32_t p = 0; p < process_count; p++) {
        int64_t *start = split->process_start + (size_t)p * split->count;
        int64_t *stop = split->process_stop + (size_t)p * split->count;
        int64_t next = INT64_MAX;
        for (uint32_t i = split->count; i-- > 0;) {
            if (start[i] == UNKNOWN)
                start[i] = stop[i] = next;
            next = start[i];
        }
    }
}

// Whether the last kernel that a process launches in a stretch is not in the file although others
// are: the capture ended before the GPU did.
static bool lacks_work(const struct profile *profile, uint32_t process, int64_t from, int64_t to)
{
    const struct api_calls *api = &profile->api;
    uint32_t last = ROW_NONE;
    bool has_others = false;
    for (uint32_t t = 0; t < profile->thread_count; t++) {
        const struct thread *thread = &profile->threads[t];
        for (uint32_t i = thread->end_api;
             thread->process == process && i-- > thread->first_api && api->start[i] >= from;) {
            if (api->start[i] >= to || !strstr(profile_text(profile, api->name[i]), "LaunchKernel"))
                continue;
            has_others |= api->first_work[i] < api->first_work[i + 1];
            if (last == ROW_NONE || api->start[i] > api->start[last])
                last = i;
        }
    }
    return has_others && api->first_work[last] == api->first_work[last + 1];
}

// ---- threads with windows of their own ---------------------------------------------------------

// A process that drives several GPUs by several threads marks the steps on each; what such a
// thread launches goes by its own marks.
static void use_own_marks(const struct family *family, const struct slots *slots, uint32_t t,
                          struct split *split)
{
    const struct profile *profile = family->profile;
    const struct ranges *ranges = &profile->ranges;
    const struct api_calls *api = &profile->api;
    const struct thread *thread = &profile->threads[t];
    bool by_number = numbers_grow(family);
    uint32_t call = thread->first_api, order = 0;
    int64_t until = INT64_MIN;
    for (uint32_t i = thread->first_api; i < thread->end_api; i++)
        for (uint32_t n = api->first_work[i]; n < api->first_work[i + 1]; n++)
            split->of_work[api->work_rows[n]] = ROW_NONE;
    for (uint32_t i = thread->first_range; i < thread->end_range; i++) {
        uint32_t marker = ranges->marker[i], slot = order;
        if (!family->is_member[marker] || ranges->is_open[i] == 2 || ranges->start[i] < until)
            continue;
        until = ranges->end[i];
        order++;
        if (by_number)
            for (slot = 0; slot < slots->count && slots->number[slot] != family->number[marker];)
                slot++;
        for (; call < thread->end_api && api->start[call] < until; call++)
            for (uint32_t n = api->first_work[call]; n < api->first_work[call + 1]; n++)
                if (api->start[call] >= ranges->start[i] && slot < slots->count)
                    split->of_work[api->work_rows[n]] = slot;
    }
}

static void use_threads(const struct family *family, const struct slots *slots, struct split *split)
{
    const struct profile *profile = family->profile;
    for (uint32_t t = 0; t < profile->thread_count; t++)
        if (family->in_thread[t] > 1 && family->best[profile->threads[t].process] != t)
            use_own_marks(family, slots, t, split);
}

// ---- from ranges to windows --------------------------------------------------------------------

static struct split *make_split(const struct family *family, const struct slots *found,
                                const char *key, const char *sure, struct arena *arena)
{
    const struct profile *profile = family->profile;
    const struct ranges *ranges = &profile->ranges;
    struct slots slots = *found;
    struct split *split = split_windows(arena, slots.count);
    size_t cells = (size_t)profile->process_count * slots.count;
    split->process_start = ARENA_ARRAY(arena, int64_t, cells);
    split->process_stop = ARENA_ARRAY(arena, int64_t, cells);
    for (size_t i = 0; i < cells; i++)
        split->process_start[i] = split->process_stop[i] = UNKNOWN;
    for (uint32_t i = 0; i < slots.count; i++) {
        split->number[i] = slots.number[i];
        split->start[i] = INT64_MAX;
        split->stop[i] = INT64_MIN;
    }
    uint32_t marked = 0; // processes that have windows of their own
    for (size_t i = 0; i < family->count; i++) {
        uint32_t row = family->rows[i], at = slots.of_row[i];
        int64_t start = ranges->start[row], stop = ranges->end[row];
        uint32_t process = range_process(profile, row);
        marked += i == 0 || process != range_process(profile, family->rows[i - 1]);
        size_t cell = (size_t)process * slots.count + at;
        split->process_start[cell] = start;
        split->process_stop[cell] = stop;
        split->start[at] = start < split->start[at] ? start : split->start[at];
        split->stop[at] = stop > split->stop[at] ? stop : split->stop[at];
        split->is_cut[at] |= ranges->is_open[row] == 1;
        if (at + 1 == slots.count && lacks_work(profile, process, start, stop))
            split->is_cut[at] = true;
    }
    fill_gaps(split, profile->process_count);
    if (profile->process_count == 1)
        split->process_start = split->process_stop = NULL;
    split->key = arena_copy(arena, key, strlen(key));
    split->key_found = true;
    split->text =
        arena_format(arena, "%u iteration%s by range \"%s\"%s%s", slots.count,
                     slots.count == 1 ? "" : "s", key, sure, marked > 1 ? ", per process" : "");
    split_fill_rows(profile, split, arena);
    use_threads(family, &slots, split);
    split_fill_gpu(profile, split, arena);
    return split;
}

// ---- which family ------------------------------------------------------------------------------

struct job {
    const struct profile *profile;
    const char *text; // NULL: find it
    struct arena *arena;
    struct split *result;
    size_t excess; // marks where they are too many, else 0
};

static void split_by_family(struct job *job, const struct family *family, const char *key,
                            const char *sure)
{
    if (!family->count)
        return;
    struct slots slots = find_slots(family);
    if (split_exceeds(job->profile, slots.count))
        job->excess = slots.count;
    else
        job->result = make_split(family, &slots, key, sure, job->arena);
}

static struct family family_new(const struct profile *profile, struct arena *scratch)
{
    struct family family = {.profile = profile, .scratch = scratch};
    family.is_member = ARENA_ARRAY(scratch, bool, profile->marker_count);
    family.number = ARENA_ARRAY(scratch, int64_t, profile->marker_count);
    return family;
}

struct candidate {
    string_id title;
    uint64_t ranges, launches;
};

// Of the families of step markers: the one with several members around most launches; where two
// lie around the same, the one with fewer members, which is the outer one.
static void find_family(void *context, struct arena *scratch)
{
    struct job *job = context;
    const struct profile *profile = job->profile;
    const struct ranges *ranges = &profile->ranges;
    struct candidate *candidates = NULL;
    size_t count = 0, capacity = 0;
    struct id_map rows = {.arena = scratch};
    // The candidate of each range's marker and of the step around it.
    for (uint32_t i = 0; i < ranges->count; i++) {
        const struct marker *marker = &profile->markers[ranges->marker[i]];
        if (marker->kind != MARKER_STEP || ranges->is_open[i] == 2)
            continue;
        uint32_t *slot = id_map_slot(&rows, (struct id_key){.a = marker->title});
        if (!candidates || !*slot) { // a slot that is taken has its candidate
            *slot = (uint32_t)count + 1;
            ARENA_PUSH(scratch, candidates, count, capacity) =
                (struct candidate){.title = marker->title};
        }
        candidates[*slot - 1].ranges++;
    }
    if (!count)
        return;
    uint32_t best = ROW_NONE;
    for (uint32_t c = 0; c < count && c < 16; c++) {
        struct candidate *candidate = &candidates[c];
        bool *is_inside = ARENA_ARRAY(scratch, bool, ranges->count);
        for (uint32_t i = 0; i < ranges->count; i++) {
            const struct marker *marker = &profile->markers[ranges->marker[i]];
            is_inside[i] = (ranges->parent[i] != ROW_NONE && is_inside[ranges->parent[i]]) ||
                           (marker->kind == MARKER_STEP && marker->title == candidate->title);
        }
        for (uint32_t i = 0; i < profile->api.count; i++)
            candidate->launches +=
                profile->api.range[i] != ROW_NONE && is_inside[profile->api.range[i]];
        const struct candidate *so_far = best == ROW_NONE ? NULL : &candidates[best];
        bool is_better = !so_far || (candidate->ranges > 1) > (so_far->ranges > 1);
        if (so_far && (candidate->ranges > 1) == (so_far->ranges > 1)) {
            // Within 2 % they are around the same.
            uint64_t more = candidate->launches, less = so_far->launches;
            bool is_same = more + more / 50 >= less && less + less / 50 >= more;
            is_better = is_same ? candidate->ranges < so_far->ranges : more > less;
        }
        if (is_better)
            best = c;
    }
    struct family family = family_new(profile, scratch);
    for (uint32_t i = 0; i < profile->marker_count; i++) {
        const struct marker *marker = &profile->markers[i];
        family.is_member[i] =
            marker->kind == MARKER_STEP && marker->title == candidates[best].title;
        family.number[i] = marker->number;
    }
    collect(&family);
    split_by_family(job, &family, profile_text(profile, candidates[best].title), " (certain)");
}

// Which markers are of the family of a text: equal to it, or, as tree nodes show them, equal up to
// one number.
static void name_family(void *context, struct arena *scratch)
{
    struct job *job = context;
    const struct profile *profile = job->profile;
    struct family family = family_new(profile, scratch);
    char wanted[NAME_LIMIT + 1] = "", pattern[NAME_LIMIT + 1];
    const char *key = job->text;
    size_t length = strlen(key);
    int64_t number;
    if (!number_of(key, length, wanted, &number) && strchr(key, '*') && length <= NAME_LIMIT)
        memcpy(wanted, key, length + 1);
    if (*wanted)
        key = wanted;
    for (uint32_t i = 0; i < profile->marker_count; i++) {
        const struct marker *marker = &profile->markers[i];
        const char *text = profile_text(profile, marker->text);
        const char *title = profile_text(profile, marker->title);
        family.number[i] = UNKNOWN;
        bool has_number = number_of(text, strlen(text), pattern, &number);
        if (has_number)
            family.number[i] = number;
        family.is_member[i] = strcmp(text, job->text) == 0 || strcmp(title, job->text) == 0 ||
                              (*wanted && has_number && strcmp(pattern, wanted) == 0);
        if (family.is_member[i] && marker->kind == MARKER_STEP) {
            // A member of a family of steps stands for all of them: `step 12`, `step N`.
            key = title;
            for (uint32_t n = 0; n < profile->marker_count; n++)
                if (profile->markers[n].kind == MARKER_STEP &&
                    profile->markers[n].title == marker->title) {
                    family.is_member[n] = true;
                    family.number[n] = profile->markers[n].number;
                }
            break;
        }
    }
    collect(&family);
    split_by_family(job, &family, key, "");
}

struct split *split_find(const struct profile *profile, struct arena *arena)
{
    struct job job = {profile, NULL, arena, NULL, 0};
    scratch_run(arena, find_family, &job);
    if (job.result)
        return job.result;
    // DLProf's own default key is a mark of the file too.
    struct split *split = split_by_key(profile, NULL, arena);
    if (split->key_found)
        return split;
    split = split_without(profile, arena);
    if (job.excess)
        split_tell_excess(split, job.excess, arena);
    return split;
}

struct split *split_by_range(const struct profile *profile, const char *text, struct arena *arena)
{
    struct job job = {profile, text, arena, NULL, 0};
    scratch_run(arena, name_family, &job);
    if (job.result)
        return job.result;
    struct split *split = split_without(profile, arena);
    split->key = arena_copy(arena, text, strlen(text));
    split->text = arena_format(arena, "1 iteration: no range %s", text);
    if (job.excess)
        split_tell_excess(split, job.excess, arena);
    return split;
}
