// SPDX-License-Identifier: Apache-2.0
// Shows launch statistics per GPU: duration of the calls and of the work, delay between them, and
// the number of launches out of line.
#include <inttypes.h>

#include "analysis/breakdown/launch_queue.h"
#include "analysis/report/report.h"
#include "analysis/report/stats_getters.h"
#include "analysis/sums/selected_work.h"
#include "analysis/sums/work_text.h"
#include "base/sort.h"

enum measure { MEASURE_CALL, MEASURE_WORK, MEASURE_DELAY, MEASURES };

static const struct {
    const char *name, *rule;
} measures[MEASURES] = {
    [MEASURE_CALL] = {"launching call", "calls longer than 50 us"},
    [MEASURE_WORK] = {"GPU time", "work shorter than its call"},
    [MEASURE_DELAY] = {"launch delay", "begun more than 100 us after the call"},
};
_Static_assert(LAUNCH_CALL_NS == 50000 && LAUNCH_DELAY_NS == 100000, "as the rules say");

struct launch_times_row {
    const struct profile *profile;
    uint32_t device;
    const char *gpu;
    enum measure measure;
    struct stats time;
    int64_t quarter, three_quarters; // quartiles
    int64_t odd;
};

static const struct launch_times_row *row_of(const void *row)
{
    return row;
}

static struct value get_measure(const void *row)
{
    return value_text(measures[row_of(row)->measure].name);
}

static struct value get_device(const void *row)
{
    return value_integer(device_number(row_of(row)->profile, row_of(row)->device));
}

static struct value get_calls(const void *row)
{
    return value_integer((int64_t)row_of(row)->time.count);
}

STATS_GETTERS(time, launch_times_row, time)

static struct value get_quarter(const void *row)
{
    return value_integer(row_of(row)->quarter);
}

static struct value get_three_quarters(const void *row)
{
    return value_integer(row_of(row)->three_quarters);
}

static struct value get_odd(const void *row)
{
    return value_integer(row_of(row)->odd);
}

static struct value get_odd_share(const void *row)
{
    return value_share(row_of(row)->odd, (int64_t)row_of(row)->time.count);
}

static struct value get_rule(const void *row)
{
    return value_text(measures[row_of(row)->measure].rule);
}

static const struct column columns[] = {
    {"measure", "Measure", "measure", UNIT_TEXT, get_measure,
     "launching call: how long it took on the host; GPU time: of what it launched; launch delay: "
     "from "
     "the call's end to the work's start, 0 where it began before that. Of all kernels, copies and "
     "memsets that a call of their own launched, and no nodes of graphs.",
     COLUMN_NAME},
    {"device", "GPU", "gpu", UNIT_ID, get_device, "Number of the GPU, as in the devices report.",
     COLUMN_IDENTIFIES},
    {"launches", "Launches", "launches", UNIT_COUNT, get_calls, "Number of launches.",
     COLUMN_NOT_ADDITIVE},
    {"total", "Total (ns)", "total", UNIT_NS, get_time_total, "Sum of these.", COLUMN_NOT_ADDITIVE},
    {"avg", "Avg (ns)", "avg", UNIT_NS, get_time_avg, "Mean of these.", 0},
    {"min", "Min (ns)", "min", UNIT_NS, get_time_min, "The least of these.", COLUMN_WIDE},
    {"quarter", "25% (ns)", "25%", UNIT_NS, get_quarter, "A quarter of them is below.",
     COLUMN_DETAIL},
    {"med", "Med (ns)", "median", UNIT_NS, get_time_med, "Median of these.", 0},
    {"three_quarters", "75% (ns)", "75%", UNIT_NS, get_three_quarters,
     "Three quarters of them are below.", COLUMN_DETAIL},
    {"max", "Max (ns)", "max", UNIT_NS, get_time_max, "The most of these.", COLUMN_WIDE},
    {"std", "StdDev (ns)", "stddev", UNIT_NS, get_time_std,
     "Standard deviation of a sample (n - 1).", COLUMN_DETAIL},
    {"odd", "Out of Line", "out of line", UNIT_COUNT, get_odd,
     "How many are so, by the rule beside; `flags` in the launches report marks each.",
     COLUMN_NOT_ADDITIVE},
    {"odd_share", "Out of Line (%)", "%", UNIT_PERCENT, get_odd_share, "Of all launches.", 0},
    {"rule", "Rule", "of these", UNIT_TEXT, get_rule, "What out of line means.", COLUMN_WIDE},
};

struct launch_time_values { // the launches of one GPU
    int64_t *of[MEASURES];  // values by measure
    size_t count;           // number of launches
    int64_t odd[MEASURES];  // number of launches that are out of line
};

static void times_add(struct launch_time_values *times, const struct profile *profile, uint32_t w)
{
    uint32_t call = AT(profile->work.launch, w);
    int64_t call_ns = AT(profile->api.end, call) - AT(profile->api.start, call);
    int64_t delay_ns = AT(profile->work.start, w) - AT(profile->api.end, call);
    times->of[MEASURE_CALL][times->count] = call_ns;
    times->of[MEASURE_WORK][times->count] = work_duration(profile, w);
    times->of[MEASURE_DELAY][times->count++] = delay_ns > 0 ? delay_ns : 0;
    times->odd[MEASURE_CALL] += call_ns > LAUNCH_CALL_NS;
    times->odd[MEASURE_WORK] += work_duration(profile, w) < call_ns;
    times->odd[MEASURE_DELAY] += delay_ns > LAUNCH_DELAY_NS;
}

// Returns the quantile at `quarters` / 4 of sorted values, interpolated linearly.
static int64_t quartile(const int64_t *values, size_t count, unsigned quarters)
{
    size_t position = (count - 1) * quarters, low = position / 4, part = position % 4;
    int64_t step = low + 1 < count ? values[low + 1] - values[low] : 0;
    return values[low] + step / 4 * (int64_t)part + step % 4 * (int64_t)part / 4;
}

static void row_fill(struct launch_times_row *row, struct launch_time_values *times,
                     enum measure measure)
{
    row->measure = measure;
    row->time = stats_of(times->of[measure], times->count);
    sort_values(times->of[measure], times->count);
    row->quarter = quartile(times->of[measure], times->count, 1);
    row->three_quarters = quartile(times->of[measure], times->count, 3);
    row->odd = times->odd[measure];
}

static struct rows build(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    struct launch_times_row *rows =
        ARENA_ARRAY(arena, struct launch_times_row, (size_t)MEASURES * (profile->device_count + 1));
    struct work_list list = selected_work(profile, selection, arena);
    struct launch_time_values times = {0};
    size_t count = 0;
    for (int m = 0; m < MEASURES; m++)
        times.of[m] = ARENA_ARRAY(arena, int64_t, (size_t)list.count + 1);
    for (uint32_t i = 0; i < list.count; i++) { // work is sorted by device
        uint32_t device = work_device(profile, list.rows[i]);
        if (work_is_launched(profile, list.rows[i]))
            times_add(&times, profile, list.rows[i]);
        if (i + 1 < list.count && work_device(profile, list.rows[i + 1]) == device)
            continue;
        const char *gpu = arena_format(arena, "%" PRId64, device_number(profile, device));
        for (int m = 0; times.count && m < MEASURES; m++) {
            struct launch_times_row *row = &rows[count++];
            *row = (struct launch_times_row){.profile = profile, .device = device, .gpu = gpu};
            row_fill(row, &times, (enum measure)m);
        }
        times = (struct launch_time_values){.of = {times.of[0], times.of[1], times.of[2]}};
    }
    return (struct rows){.items = rows,
                         .count = count,
                         .empty = list.count
                                      ? "No call of the file launched any of what is selected."
                                      : work_empty_text(profile)};
}

static uint64_t row_id(const void *row)
{
    return (uint64_t)row_of(row)->device * MEASURES + row_of(row)->measure;
}

static struct row_match row_match(const void *row)
{
    return (struct row_match){{measures[row_of(row)->measure].name, row_of(row)->gpu}};
}

static struct row_match name_match(const void *row)
{
    return (struct row_match){{measures[row_of(row)->measure].name}};
}

static struct row_match (*const matches[])(const void *row) = {name_match, NULL};

static const char *row_narrow(const struct profile *profile, const void *row,
                              struct selection *selection)
{
    (void)profile;
    selection->device = row_of(row)->device;
    return "launches";
}

const struct report report_launch_times = {
    .name = "launch_times",
    .title = "What launching takes",
    .doc = "Calls that launch, what they launch and the time between, on each GPU: HTA's launch "
           "statistics.",
    .row_size = sizeof(struct launch_times_row),
    .column_count = sizeof columns / sizeof *columns,
    .columns = columns,
    .build = build,
    .id = row_id,
    .narrow = row_narrow,
    .match = row_match,
    .fallback_matches = matches,
    .is_aggregate = true,
    .is_work = true,
    .is_timed = true,
    .apart = "overlap",
};
