// SPDX-License-Identifier: Apache-2.0
// Computes the figures and rows that the panels of the first screen show.
#include "ui/views/summary_parts.h"

#include <string.h>

#include "analysis/breakdown/breakdown.h"
#include "analysis/breakdown/gpu_windows.h"
#include "analysis/compare/compare.h"
#include "analysis/idle/exposed.h"
#include "analysis/report/selection_parts.h"
#include "analysis/report/value.h"
#include "analysis/reports/report_list.h"
#include "base/text/format.h"
#include "ui/host.h"
#include "ui/rows/cache.h"
#include "ui/state/view.h"

// Returns "data 46.2 ms", ...: the causes of idle time, largest first, from 1% of the idle time on.
static const char **idle_words(const struct summary_parts *parts, bool ascii, struct arena *arena)
{
    enum idle_cause order[IDLE_CAUSES];
    size_t count = idle_order(&parts->idle, order);
    const char **words = ARENA_ARRAY(arena, const char *, count + 1);
    for (size_t i = 0; i < count && parts->idle.ns[order[i]] >= parts->idle.idle_ns / 100; i++) {
        char time[FORMAT_SIZE];
        format_duration(time, ns_per_step(parts->idle.ns[order[i]], parts->steps), ascii);
        words[i] = arena_format(arena, "%s %s", idle_causes[order[i]].brief, time);
    }
    return words;
}

// Returns "send/receive 261 ms", ...: what exposed communication is, largest first.
static const char **exposed_words(const struct summary_parts *parts, const struct exposed *exposed,
                                  bool ascii, struct arena *arena)
{
    struct {
        const char *name;
        int64_t ns;
    } kinds[] = {{"transfer", exposed->transfer_ns},
                 {"waiting", exposed->wait_ns},
                 {"send/receive", exposed->point_to_point_ns},
                 {"not split", exposed->is_separable ? exposed->unsplit_ns : 0}};
    const char **words = ARENA_ARRAY(arena, const char *, sizeof kinds / sizeof *kinds + 2);
    size_t count = 0;
    for (;;) {
        char time[FORMAT_SIZE];
        size_t largest = 0;
        for (size_t k = 1; k < sizeof kinds / sizeof *kinds; k++)
            largest = kinds[k].ns > kinds[largest].ns ? k : largest;
        if (kinds[largest].ns <= 0)
            break;
        format_duration(time, ns_per_step(kinds[largest].ns, parts->divisor), ascii);
        words[count++] = arena_format(arena, "%s %s", kinds[largest].name, time);
        kinds[largest].ns = 0;
    }
    if (!exposed->is_separable && exposed->unsplit_ns > 0)
        words[count++] = "waiting and transfer not separable";
    return words;
}

struct summary_build {
    struct app *app;
    struct summary_parts *parts;
};

static bool build_body(void *context, struct error *error)
{
    struct summary_build *build = context;
    struct summary_parts *parts = build->parts;
    const struct profile *profile = host_profile(build->app);
    const struct selection *selection = &parts->selection;
    (void)error;
    parts->total = breakdown_total(profile, selection, &breakdown_gpu, parts->arena);
    parts->dlprof = breakdown_total(profile, selection, &breakdown_dlprof, parts->arena);
    parts->devices = breakdown_devices(profile, selection, &breakdown_gpu, parts->arena);
    uint32_t gpus = 0; // that the total is the mean of
    for (uint32_t d = 0; d < profile->device_count; d++)
        gpus += parts->devices[d].window_ns > 0;
    parts->steps = gpus ? parts->divisor / gpus : parts->steps;
    bool ascii = host_canvas(build->app)->ascii;
    parts->outside = gpu_outside_steps_text(profile, selection, ascii, parts->arena);
    if (parts->outside)
        parts->total = (struct breakdown){0};
    for (uint32_t d = 0; d < profile->device_count; d++)
        if (gpu_work_is_outside_steps(selection, d))
            parts->devices[d] = (struct breakdown){0};
    struct sum_parts pieces = selection_parts(profile, selection);
    parts->idle = idle_total(profile, selection, &parts->total, parts->arena);
    struct exposed exposed =
        exposed_sum(profile, exposed_devices(profile, selection, parts->arena));
    parts->idle_pieces = idle_words(parts, ascii, parts->arena);
    parts->exposed_pieces = exposed_words(parts, &exposed, ascii, parts->arena);
    if (pieces.gpu > 1)
        parts->per = arena_format(parts->arena, ", per %s", pieces.gpu_name);
    return true;
}

// ---- shares ------------------------------------------------------------------------------------

static int64_t integer_of(const struct column *column, const void *row)
{
    struct value value = column ? column->get(row) : value_none();
    return value.kind == VALUE_INTEGER ? value.integer : 0;
}

static void shares_add(struct shares *shares, struct share item)
{
    size_t at = shares->count;
    shares->whole_ns += item.ns;
    if (item.ns <= 0)
        return;
    while (at > 0 && shares->items[at - 1].ns < item.ns)
        at--;
    if (at >= MAX_SHARES)
        return;
    if (shares->count < MAX_SHARES)
        shares->count++;
    memmove(&shares->items[at + 1], &shares->items[at],
            (shares->count - at - 1) * sizeof *shares->items);
    shares->items[at] = item;
}

// Collects the largest rows of a report by the column `key`. In a tree only the outermost rows are
// used, because their time includes the rows below them.
static void shares_collect(struct shares *shares, const struct cached *cached, const char *name,
                           const char *key)
{
    *shares = (struct shares){.key = key, .whole = "of them all"};
    if (!cached)
        return;
    const struct report *report = shares->report = cached->report;
    const struct column *names = report_column(report, name), *times = report_column(report, key);
    const struct column *forward = report_column(report, "forward");
    const struct column *backward = report_column(report, "backward");
    for (uint32_t r = 0; r < cached->rows.count; r++) {
        const void *row = report_row(report, &cached->rows, r);
        if (report->depth && report->depth(row) > 0)
            continue;
        struct value text = names ? names->get(row) : value_none();
        shares_add(shares, (struct share){row, text.kind == VALUE_TEXT ? text.text : "",
                                          integer_of(times, row), integer_of(forward, row),
                                          integer_of(backward, row)});
    }
}

// ---- building -----------------------------------------------------------------------------------

static struct cached *parts_rows(struct app *app, const char *report,
                                 const struct selection *selection)
{
    return host_rows(app, report_find(report), selection);
}

struct summary_comparison {
    struct app *app;
    struct summary_parts *parts;
    struct selection selection;
};

static struct breakdown one_step(const struct side *side, struct arena *arena)
{
    struct breakdown sum = {0};
    const struct breakdown *devices =
        breakdown_devices(side->profile, &side->selection, &breakdown_gpu, arena);
    for (uint32_t d = 0; d < side->profile->device_count; d++) {
        sum.window_ns += devices[d].window_ns;
        for (int c = 0; c < MAX_BREAKDOWN_CATEGORIES; c++)
            sum.ns[c] += devices[d].ns[c];
    }
    sum.window_ns = rounded_part(sum.window_ns, side->gpu);
    for (int c = 0; c < MAX_BREAKDOWN_CATEGORIES; c++)
        sum.ns[c] = rounded_part(sum.ns[c], side->gpu);
    return sum;
}

static bool compare_body(void *context, struct error *error)
{
    struct summary_comparison *comparison = context;
    struct summary_parts *parts = comparison->parts;
    struct compared compared;
    (void)error;
    compare_init(&compared, host_profile(comparison->app), &comparison->selection, parts->arena);
    parts->before = one_step(&compared.side[SIDE_A], parts->arena);
    parts->after = one_step(&compared.side[SIDE_B], parts->arena);
    return true;
}

static void changes_make(struct app *app, struct summary_parts *parts)
{
    const struct report *report = host_comparison(app, report_find("costs"));
    struct summary_comparison comparison = {app, parts, parts->selection};
    if (!report)
        return;
    comparison.selection.baseline = host_baseline(app);
    parts->changes = host_rows(app, report, &comparison.selection);
    if (!arena_run(parts->arena, compare_body, &comparison, NULL))
        parts->before = (struct breakdown){0};
}

void summary_parts_make(struct app *app, const struct view *view, struct summary_parts *parts)
{
    if (parts->is_made)
        return;
    *parts = (struct summary_parts){.is_made = true, .per = "", .arena = arena_new(0)};
    parts->selection = view_selection(view); // panels need it even when memory runs out
    parts->divisor = selection_parts(host_profile(app), &parts->selection).gpu;
    parts->steps = parts->divisor / selection_device_count(host_profile(app), &parts->selection);
    if (!parts->arena)
        return;
    struct summary_build build = {app, parts};
    if (!arena_run(parts->arena, build_body, &build, NULL))
        parts->total = (struct breakdown){0};
    parts->selection.is_folded = true;
    parts->selection.names = NAME_FAMILY;
    parts->layers = parts_rows(app, "layers", &parts->selection);
    parts->names = parts_rows(app, "kernels", &parts->selection);
    parts->causes = parts_rows(app, "idle", &parts->selection);
    shares_collect(&parts->kernels, parts->names, "kernel", "gpu_total");
    shares_collect(&parts->places, parts->layers, "layer", "gpu");
    parts->kernels.whole = "of all GPU work";
    // Shares of the same whole as the bar above.
    if (parts->total.window_ns > 0 && parts->places.whole_ns > 0) {
        double gpus = parts->divisor / parts->steps;
        parts->places.whole_ns = (int64_t)((double)parts->total.window_ns * gpus);
        bool has_steps = parts->selection.split->method != SPLIT_NONE;
        parts->places.whole = has_steps                        ? "of the step"
                              : host_profile(app)->lacks_times ? "of the GPU work"
                                                               : "of the time";
    }
    changes_make(app, parts);
    // Without GPU work: the host's own time of operators, else the host time of ranges.
    if (parts->places.whole_ns <= 0) {
        parts->tree = parts_rows(app, "operators", &parts->selection);
        shares_collect(&parts->places, parts->tree, "operator", "host_self");
        parts->places.whole = "of all operators";
    }
    if (parts->places.whole_ns <= 0) {
        cache_release(parts->tree);
        parts->tree = parts_rows(app, "ops", &parts->selection);
        shares_collect(&parts->places, parts->tree, "name", "cpu");
    }
}

void summary_parts_release(struct summary_parts *parts)
{
    cache_release(parts->layers);
    cache_release(parts->tree);
    cache_release(parts->names);
    cache_release(parts->causes);
    cache_release(parts->changes);
    arena_free(parts->arena);
    *parts = (struct summary_parts){0};
}
