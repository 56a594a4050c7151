// SPDX-License-Identifier: Apache-2.0
// Creates splits, assigns rows to windows, and splits by DLProf's rule.
#include "model/steps/split.h"

#include <string.h>

#include "base/parallel.h"
#include "base/search.h"
#include "base/sort.h"
#include "model/markers/markers.h"
#include "model/ops/ops.h"
#include "model/profile/launch_index.h"
#include "model/steps/split_build.h"

const char *const confidence_names[CONFIDENCE_COUNT] = {
    [CONFIDENCE_CERTAIN] = "certain",
    [CONFIDENCE_LIKELY] = "likely",
    [CONFIDENCE_POSSIBLE] = "possible",
    [CONFIDENCE_NONE] = "no steps",
};

#define CUT "cut off by the capture", "cut"

static const struct split_words words[] = {
    {"iteration", "step", "steps", "a step", "Steps", "step and GPU", "step and process", CUT,
     false},
    {"replay", "replay", "replays", "a replay", "Replays", "replay and GPU", "replay and process",
     CUT, false},
    {"sequence", "sequence", "sequences", "a sequence", "Sequences", "sequence and GPU",
     "sequence and process", CUT, false},
    {"burst", "burst", "bursts", "a burst", "Bursts", "burst and GPU", "burst and process", CUT,
     true},
    {"slice", "slice", "slices", "a slice", "Slices", "slice and GPU", "slice and process",
     "shorter than the others", "shorter", true},
};

// With DLProf's rule the start-up is in the first window, and no key op ends the last.
static const struct split_words words_of_key = {"iteration",
                                                "step",
                                                "steps",
                                                "a step",
                                                "Steps",
                                                "step and GPU",
                                                "step and process",
                                                "not between two key ops",
                                                "at the edges",
                                                false};

// DLProf's term is "outside aggregation".
static const struct split_words words_of_aggregation = {"iteration",
                                                        "step",
                                                        "steps",
                                                        "a step",
                                                        "Steps",
                                                        "step and GPU",
                                                        "step and process",
                                                        "outside the aggregation",
                                                        "outside",
                                                        false};

// In an excerpt of a file: is_cut are windows next to the requested ones, or only partly read.
static const struct split_words words_of_excerpt = {"iteration",
                                                    "step",
                                                    "steps",
                                                    "a step",
                                                    "Steps",
                                                    "step and GPU",
                                                    "step and process",
                                                    "at the edges of the part",
                                                    "at the edges",
                                                    false};

const struct split_words *split_words_of(const struct split *split)
{
    if (split->is_told)
        return &words_of_aggregation;
    if (split->is_of_excerpt)
        return &words_of_excerpt;
    for (size_t i = 1; split->unit && i < sizeof words / sizeof *words; i++)
        if (strcmp(split->unit, words[i].unit) == 0)
            return &words[i];
    return split->method == SPLIT_KEY ? &words_of_key : &words[0];
}

bool split_has_steps(const struct split *split)
{
    return split->method != SPLIT_NONE && strcmp(split_words_of(split)->unit, words[0].unit) == 0;
}

enum {
    MAX_WINDOWS = 1 << 24, // limit of windows times processes or devices
};

// ---- properties of every split -----------------------------------------------------------------

bool split_exceeds(const struct profile *profile, size_t count)
{
    uint32_t owners = profile->process_count > profile->device_count ? profile->process_count
                                                                     : profile->device_count;
    return owners && count > MAX_WINDOWS / owners;
}

void split_report_excess(struct split *split, size_t count, struct arena *arena)
{
    split->text = arena_format(arena, "1 iteration: %zu marks are too many to split by", count);
}

const char *split_inner_text(uint32_t inner, struct arena *arena)
{
    return inner ? arena_format(arena, ", %u micro-steps in each", inner) : "";
}

// Returns the first instant: 0, or earlier if something starts before it; for an excerpt its start.
static int64_t first_time(const struct profile *profile)
{
    const struct file_window *file_window = profile->file_window;
    if (file_window && file_window->from > 0)
        return file_window->from;
    return profile->first_ns < 0 ? profile->first_ns : 0;
}

// Returns the last end of everything that DLProf counts; for an excerpt at most its end.
static int64_t end_time(const struct profile *profile)
{
    const struct {
        const struct column64 *ends;
        uint32_t count;
    } tables[] = {{&profile->ops->end, profile->ops->instance_count},
                  {&profile->api.end, profile->api.count},
                  {&profile->work.end, profile->work.count}};
    int64_t last = 0;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        int64_t end = tables[i].count ? column64_max(tables[i].ends, tables[i].count) : 0;
        last = end > last ? end : last;
    }
    if (profile->file_window && last > profile->last_ns)
        return profile->last_ns;
    return last;
}

static struct split *split_new(struct arena *arena, enum split_method method, uint32_t count)
{
    struct split *split = ARENA_NEW(arena, struct split);
    split->method = method;
    split->key = "";
    split->unit = "iteration";
    split->count = count;
    split->number = ARENA_ARRAY(arena, int64_t, count);
    split->start = ARENA_ARRAY(arena, int64_t, count);
    split->stop = ARENA_ARRAY(arena, int64_t, count);
    split->is_cut = ARENA_ARRAY(arena, bool, count);
    for (uint32_t i = 0; i < count; i++)
        split->number[i] = i;
    return split;
}

static struct split *split_none(const struct profile *profile, struct arena *arena)
{
    struct split *split = split_new(arena, SPLIT_NONE, 1);
    split->start[0] = first_time(profile);
    split->stop[0] = end_time(profile);
    split->text = "1 iteration: nothing marks steps";
    return split;
}

uint32_t split_at(const struct split *split, uint32_t process, int64_t time)
{
    const int64_t *start = split->start, *stop = split->stop;
    if (split->process_start) {
        if (process == ROW_NONE)
            return ROW_NONE;
        start = split->process_start + (size_t)process * split->count;
        stop = split->process_stop + (size_t)process * split->count;
    }
    // Windows of one process are ordered and do not overlap; a missing window is empty and placed
    // at the start of the next one. So only the last window that has begun can contain the time.
    uint32_t i = search_above(start, 0, split->count, time);
    return i && time < stop[i - 1] ? i - 1 : ROW_NONE;
}

enum { FILL_ROWS = 1 << 16 }; // rows per job

struct fill_job {
    const struct profile *profile;
    struct split *split;
};

// For DLProf's rule every row belongs to a window: those after the last stop to the last one.
static uint32_t fill_at(const struct split *split, uint32_t process, int64_t time)
{
    uint32_t at = split_at(split, process, time);
    bool is_whole = split->method != SPLIT_RANGES;
    return at == ROW_NONE && is_whole ? time < split->start[0] ? 0 : split->count - 1 : at;
}

static void fill_work_job(void *context, size_t job)
{
    const struct fill_job *fill = context;
    const struct profile *profile = fill->profile;
    uint32_t first = (uint32_t)job * FILL_ROWS, left = profile->work.count - first, process;
    int64_t time;
    for (uint32_t i = first; i < first + (left < FILL_ROWS ? left : FILL_ROWS); i++)
        fill->split->of_work[i] = work_launched(profile, i, &time, &process)
                                      ? fill_at(fill->split, process, time)
                                  : fill->split->method == SPLIT_NONE ? 0
                                                                      : ROW_NONE;
}

static void fill_instances_job(void *context, size_t job)
{
    const struct fill_job *fill = context;
    const struct profile *profile = fill->profile;
    const struct ops *ops = profile->ops;
    uint32_t first = (uint32_t)job * FILL_ROWS, left = ops->instance_count - first;
    for (uint32_t i = first; i < first + (left < FILL_ROWS ? left : FILL_ROWS); i++) {
        uint32_t thread = AT(ops->thread, i), process = ROW_NONE;
        struct row_span work = op_work(ops, i);
        if (thread != ROW_NONE)
            process = profile->threads[thread].process;
        else if (work.first < work.end)
            process = work_process(profile, AT(ops->work_rows, work.first));
        fill->split->of_instance[i] = fill_at(fill->split, process, AT(ops->start, i));
    }
}

void split_fill_rows(const struct profile *profile, struct split *split, struct arena *arena)
{
    const struct ops *ops = profile->ops;
    struct fill_job fill = {profile, split};
    split->of_work = ARENA_ARRAY(arena, uint32_t, profile->work.count);
    split->of_instance = ARENA_ARRAY(arena, uint32_t, ops->instance_count);
    parallel_run(profile->workers, ((size_t)profile->work.count + FILL_ROWS - 1) / FILL_ROWS,
                 fill_work_job, &fill);
    parallel_run(profile->workers, ((size_t)ops->instance_count + FILL_ROWS - 1) / FILL_ROWS,
                 fill_instances_job, &fill);
}

static struct split *split_finish(const struct profile *profile, struct split *split,
                                  struct arena *arena)
{
    split_fill_rows(profile, split, arena);
    split_settle(profile, split, false, arena);
    return split;
}

// ---- DLProf's rule -----------------------------------------------------------------------------

struct split *split_by_key(const struct profile *profile, const char *key, struct arena *arena)
{
    if (!key && profile->aggregation_count)
        return split_by_aggregation(profile, &profile->aggregations[profile->aggregation_count - 1],
                                    arena);
    const char *found = "";
    const char *named = key ? key : profile->mode == MODE_TENSORFLOW1 ? "global_step" : "";
    size_t bound_count;
    bool is_equal;
    const int64_t *bounds = split_key_bounds(profile, key, &bound_count, &found, &is_equal, arena);
    if (!bounds) {
        struct split *split = split_none(profile, arena);
        split->key = arena_text(arena, named);
        split->text = *named ? arena_format(arena, "1 iteration: key op %s not found", named)
                             : "1 iteration: DLProf's default key op not found";
        return split_finish(profile, split, arena);
    }
    if (split_exceeds(profile, bound_count + 1)) {
        struct split *split = split_unmarked(profile, arena);
        split->key = arena_text(arena, named);
        split_report_excess(split, bound_count, arena);
        return split;
    }
    struct split *split = split_new(arena, SPLIT_KEY, (uint32_t)bound_count + 1);
    split->key_found = true;
    if (!*named)
        named = found;
    split->key = arena_text(arena, named);
    int64_t from = first_time(profile);
    for (size_t i = 0; i < bound_count; i++) {
        split->start[i] = from;
        split->stop[i] = from = bounds[i];
    }
    int64_t last = end_time(profile);
    split->start[bound_count] = from;
    split->stop[bound_count] = last > from ? last : from;
    if (bound_count > 1) // with a single stop no window is complete
        split->is_cut[0] = split->is_cut[bound_count] = true;
    split->text = arena_format(arena, "%u iterations by key op %s", split->count, split->key);
    return split_finish(profile, split, arena);
}

struct split *split_unmarked(const struct profile *profile, struct arena *arena)
{
    return split_finish(profile, split_none(profile, arena), arena);
}

struct split *split_new_by_key(struct arena *arena, uint32_t count)
{
    return split_new(arena, SPLIT_KEY, count);
}

struct split *split_new_by_ranges(struct arena *arena, uint32_t count)
{
    return split_new(arena, SPLIT_RANGES, count);
}
