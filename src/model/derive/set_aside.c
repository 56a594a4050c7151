// SPDX-License-Identifier: Apache-2.0
// Removes GPU work that did not run when its row says, or that the file has twice. What remains is
// what all figures are made of; notes tell what was removed.
//
//  - a row without a time: start and end are 0, but its launch is not that early
//  - a row hours from its launch (or, without one, hours from all calls), while most rows are not
//  - a row equal to another one in stream, name, time and correlation id
//  - a row that begins out of the order of launches (work_order.c)
//  - a row that lasts past later work of its own stream (work_overrun.c)
#include "base/scratch.h"
#include "base/sort.h"
#include "base/tuples.h"
#include "model/derive/derive.h"
#include "model/derive/derive_turns.h"
#include "model/profile/tables.h"

// No work waits that long behind its launch, and no clocks that are used together differ by that.
#define FAR_NS (INT64_C(3600) * 1000000000)

enum aside_reason {
    ASIDE_NOT,
    ASIDE_TIMELESS,
    ASIDE_FAR,
    ASIDE_TWICE,
    ASIDE_DISORDER,
    ASIDE_OVERRUN,
    ASIDE_REASONS
};

struct aside {
    struct profile *profile;
    struct arena *scratch;
    uint8_t *reason;   // by row of work: enum aside_reason
    uint32_t *launch;  // by row of work: row of api; NULL: not needed so far
    bool is_ambiguous; // calls have the same id, so that the launch is not certain
    int64_t counts[ASIDE_REASONS];
    int64_t overruns_kept;
    bool is_changed;
};

static void aside_mark(struct aside *aside, uint32_t row, enum aside_reason why)
{
    if (aside->reason[row])
        return;
    aside->reason[row] = (uint8_t)why;
    aside->counts[why]++;
}

// ---- times -------------------------------------------------------------------------------------

static void find_launches(struct aside *aside)
{
    struct profile *profile = aside->profile;
    const struct gpu_work *work = &profile->work;
    if (aside->launch)
        return;
    if (HAS(work->launch)) {
        aside->launch = column32_unpack(aside->scratch, work->launch, work->count);
        return;
    }
    uint32_t *process = ARENA_ARRAY(aside->scratch, uint32_t, work->count);
    for (uint32_t i = 0; i < work->count; i++)
        process[i] = work_process(profile, i);
    aside->launch = ARENA_ARRAY(aside->scratch, uint32_t, work->count);
    uint32_t *ids = column32_unpack(aside->scratch, work->correlation, work->count);
    aside->is_ambiguous = profile_join(profile, process, ids, work->count, aside->launch) > 0;
    if (aside->is_ambiguous)
        launches_follow_turns(profile, process, ids, aside->launch, aside->scratch);
}

static bool is_timeless(const struct gpu_work *work, uint32_t row)
{
    return AT(work->start, row) == 0 && AT(work->end, row) == 0;
}

static void mark_timeless(struct aside *aside)
{
    const struct profile *profile = aside->profile;
    const struct gpu_work *work = &profile->work;
    int64_t timeless = 0;
    if (column64_min(&work->start, work->count) > 0)
        return;
    for (uint32_t i = 0; i < work->count; i++)
        timeless += is_timeless(work, i);
    if (!timeless || timeless == work->count)
        return;
    find_launches(aside);
    for (uint32_t i = 0; i < work->count; i++) {
        uint32_t call = aside->launch[i];
        if (is_timeless(work, i) && (call == ROW_NONE || AT(profile->api.start, call) > 0))
            aside_mark(aside, i, ASIDE_TIMELESS);
    }
}

static int64_t distance(int64_t a, int64_t b)
{
    return a > b ? a - b : b - a;
}

static int64_t middle_of(const struct aside *aside)
{
    const struct gpu_work *work = &aside->profile->work;
    int64_t *starts = column64_unpack(aside->scratch, work->start, work->count);
    sort_values(starts, work->count);
    return starts[work->count / 2];
}

static void mark_far(struct aside *aside)
{
    const struct profile *profile = aside->profile;
    const struct gpu_work *work = &profile->work;
    const struct api_calls *api = &profile->api;
    if (!api->count)
        return;
    int64_t from = column64_min(&api->start, api->count), to = column64_max(&api->end, api->count);
    int64_t first = column64_min(&work->start, work->count);
    int64_t last = column64_max(&work->start, work->count);
    if ((last > to ? last : to) - (first < from ? first : from) <= FAR_NS)
        return; // nothing is far from anything
    find_launches(aside);
    int64_t far = 0, near = 0;
    for (uint32_t i = 0; i < work->count; i++) {
        if (aside->reason[i] || aside->launch[i] == ROW_NONE)
            continue;
        if (distance(AT(work->start, i), AT(api->start, aside->launch[i])) > FAR_NS)
            far++;
        else
            near++;
    }
    if (far > near || !near)
        return; // the clocks of the GPU and the host are not the same
    // Of a row and its launch the one that is farther from the middle of all work is wrong.
    int64_t middle = middle_of(aside);
    for (uint32_t i = 0; i < work->count; i++) {
        int64_t start = AT(work->start, i);
        uint32_t call = aside->launch[i];
        bool is_far = call == ROW_NONE ? start < from - FAR_NS || start > to + FAR_NS
                                       : distance(start, AT(api->start, call)) > FAR_NS;
        if (is_far && distance(start, middle) >
                          (call == ROW_NONE ? FAR_NS : distance(AT(api->start, call), middle)))
            aside_mark(aside, i, ASIDE_FAR);
    }
}

// ---- rows twice --------------------------------------------------------------------------------

// Marks the repeated rows in [from, to), which have the same device, start and end. Nodes of a
// graph without an id may be equal and different work; so may rows without length or
// correlation id.
static void mark_equal(struct aside *aside, struct tuples *seen, uint32_t from, uint32_t to)
{
    const struct gpu_work *work = &aside->profile->work;
    for (uint32_t i = from; i < to; i++) {
        int64_t node = HAS(work->graph_node) ? AT(work->graph_node, i) : 0;
        bool is_in_graph = HAS(work->flags) && AT(work->flags, i) & WORK_IN_GRAPH;
        if (aside->reason[i] || !AT(work->correlation, i) || (is_in_graph && !node))
            continue;
        int64_t key[6] = {from,
                          AT(work->stream, i),
                          AT(work->function, i),
                          AT(work->correlation, i),
                          node,
                          HAS(work->shape) ? AT(work->shape, i) : 0};
        uint32_t known = seen->count;
        if (tuples_put(seen, key) != known)
            aside_mark(aside, i, ASIDE_TWICE);
    }
}

static void mark_twice(struct aside *aside)
{
    const struct profile *profile = aside->profile;
    const struct gpu_work *work = &profile->work;
    struct tuples seen;
    tuples_open(&seen, aside->scratch, 6);
    for (uint32_t d = 0; d < profile->device_count; d++) {
        const struct device *device = &profile->devices[d];
        uint32_t first = device->first_work; // of those that start with the current row
        int64_t start = INT64_MIN;
        for (uint32_t i = device->first_work; i < device->end_work; i++) {
            int64_t next = AT(work->start, i);
            if (next != start || AT(work->end, i) != AT(work->end, first)) {
                if (i - first > 1 && AT(work->end, first) > start)
                    mark_equal(aside, &seen, first, i);
                first = i;
                start = next;
            }
        }
        if (device->end_work - first > 1 && AT(work->end, first) > start)
            mark_equal(aside, &seen, first, device->end_work);
    }
}

// ---- rows against others of their stream -------------------------------------------------------

static void mark_all(struct aside *aside, const uint8_t *is_marked, enum aside_reason why)
{
    for (uint32_t i = 0; i < aside->profile->work.count; i++)
        if (is_marked[i])
            aside_mark(aside, i, why);
}

static void mark_disorder(struct aside *aside)
{
    uint8_t *is_marked = ARENA_ARRAY(aside->scratch, uint8_t, aside->profile->work.count);
    if (!aside->profile->api.count)
        return;
    find_launches(aside);
    if (!aside->is_ambiguous && profile_find_disorder(aside->profile, aside->launch, aside->reason,
                                                      is_marked, aside->scratch))
        mark_all(aside, is_marked, ASIDE_DISORDER);
}

static void mark_overruns(struct aside *aside)
{
    uint32_t count = aside->profile->work.count;
    uint8_t *is_overrun = ARENA_ARRAY(aside->scratch, uint8_t, count);
    for (uint32_t i = 0; i < count; i++)
        is_overrun[i] = aside->reason[i] != ASIDE_NOT;
    if (profile_find_overruns(aside->profile, is_overrun, &aside->overruns_kept, aside->scratch))
        mark_all(aside, is_overrun, ASIDE_OVERRUN);
}

// ---- removal -----------------------------------------------------------------------------------

static void *gather(struct aside *aside, const struct profile_field *field, const uint32_t *kept,
                    uint32_t count)
{
    bool is_wide = field_size(field) == sizeof(int64_t);
    int64_t *wide = is_wide ? ARENA_ARRAY(aside->scratch, int64_t, (size_t)count + 1) : NULL;
    uint32_t *narrow = is_wide ? NULL : ARENA_ARRAY(aside->scratch, uint32_t, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++) {
        int64_t value = field_value(aside->profile, field, kept[i]);
        if (is_wide)
            wide[i] = value;
        else
            narrow[i] = (uint32_t)value;
    }
    return is_wide ? (void *)wide : (void *)narrow;
}

static void set_devices(struct aside *aside, uint32_t count)
{
    struct profile *profile = aside->profile;
    const struct gpu_work *work = &profile->work;
    for (uint32_t d = 0, row = 0; d < profile->device_count; d++) {
        struct device *device = &profile->devices[d];
        device->first_work = row;
        device->has_kernels = false;
        for (; row < count && work_device(profile, row) == d; row++)
            device->has_kernels |= profile->functions[AT(work->function, row)].kind == WORK_KERNEL;
        device->end_work = row;
        device->has_work = device->first_work < row;
    }
}

static void remove_marked(struct aside *aside)
{
    struct profile *profile = aside->profile;
    struct gpu_work *work = &profile->work;
    uint32_t *kept = ARENA_ARRAY(aside->scratch, uint32_t, work->count), count = 0;
    for (uint32_t i = 0; i < work->count; i++)
        if (!aside->reason[i])
            kept[count++] = i;
    const struct profile_table *table = &profile_tables[0];
    while (table->rows != REFERS_WORK)
        table++;
    for (size_t f = 0; f < table->field_count; f++)
        if (field_exists(profile, &table->fields[f]))
            field_set(profile, &table->fields[f], gather(aside, &table->fields[f], kept, count),
                      NULL, count);
    if (HAS(work->launch)) {
        uint32_t *launch = ARENA_ARRAY(aside->scratch, uint32_t, (size_t)count + 1);
        for (uint32_t i = 0; i < count; i++)
            launch[i] = AT(work->launch, kept[i]);
        work->launch = profile_pack32(profile, launch, count);
    }
    work->count = count;
    set_devices(aside, count);
}

// ---- notes -------------------------------------------------------------------------------------

// Returns "process 4711: 5, process 4712: 3", of the processes with most rows.
static const char *by_process(struct aside *aside, enum aside_reason why)
{
    enum { MAX_SHOWN = 3 };
    const struct profile *profile = aside->profile;
    int64_t *counts = ARENA_ARRAY(aside->scratch, int64_t, (size_t)profile->process_count + 1);
    for (uint32_t i = 0; i < profile->work.count; i++)
        counts[work_process(profile, i)] += aside->reason[i] == why;
    const char *text = "";
    for (int shown = 0;; shown++) {
        uint32_t most = 0;
        for (uint32_t p = 1; p < profile->process_count; p++)
            most = counts[p] > counts[most] ? p : most;
        if (!counts[most])
            return text;
        if (shown == MAX_SHOWN)
            return arena_format(aside->scratch, "%s ...", text);
        text = arena_format(aside->scratch, "%s%sprocess %u: %lld", text, shown ? ", " : "",
                            profile->processes[most].pid, (long long)counts[most]);
        counts[most] = 0;
    }
}

static void note_marked(struct aside *aside)
{
    static const struct {
        const char *key, *text;
    } reasons[ASIDE_REASONS] = {
        [ASIDE_TIMELESS] = {"work_timeless", "have no time (start and end are 0)"},
        [ASIDE_FAR] = {"work_far", "have a time hours away from their launch"},
        [ASIDE_TWICE] = {"work_twice", "are in the file twice"},
        [ASIDE_DISORDER] = {"work_disorder", "begin out of the order of their launches: their time "
                                             "is wrong"},
        [ASIDE_OVERRUN] = {"work_overrun", "last past later work of their own stream: their end is "
                                           "wrong"},
    };
    for (int why = ASIDE_NOT + 1; why < ASIDE_REASONS; why++)
        if (aside->counts[why])
            profile_note(aside->profile, NOTE_WARNING, reasons[why].key, aside->counts[why], NULL,
                         "%lld of %u rows of GPU work %s; set aside, in no figure (%s)",
                         (long long)aside->counts[why], aside->profile->work.count,
                         reasons[why].text, by_process(aside, (enum aside_reason)why));
    if (aside->overruns_kept)
        profile_note(aside->profile, NOTE_WARNING, "work_overruns_kept", aside->overruns_kept, NULL,
                     "%lld of %u rows of GPU work last past later work of their own stream, too "
                     "many to be told from right ones: kept, sums and busy time may be too long",
                     (long long)aside->overruns_kept, aside->profile->work.count);
}

static void aside_body(void *context, struct arena *scratch)
{
    struct aside *aside = context;
    aside->scratch = scratch;
    aside->reason = ARENA_ARRAY(scratch, uint8_t, aside->profile->work.count);
    mark_timeless(aside);
    mark_far(aside);
    mark_twice(aside);
    mark_disorder(aside);
    mark_overruns(aside);
    note_marked(aside);
    for (int why = ASIDE_NOT + 1; why < ASIDE_REASONS; why++)
        aside->is_changed |= aside->counts[why] > 0;
    if (aside->is_changed)
        remove_marked(aside);
}

bool profile_set_aside(struct profile *profile)
{
    struct aside aside = {.profile = profile};
    if (profile->work.count)
        scratch_run(profile->arena, aside_body, &aside);
    return aside.is_changed;
}
