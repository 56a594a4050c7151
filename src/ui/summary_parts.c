// SPDX-License-Identifier: Apache-2.0
#include "ui/summary_parts.h"

#include <string.h>

#include "analysis/value.h"
#include "base/format.h"
#include "base/sort.h"
#include "ui/bars.h"

struct making {
    struct app *app;
    struct summary_parts *parts;
    struct selection selection;
};

static bool make_body(void *context, struct error *error)
{
    struct making *making = context;
    struct summary_parts *parts = making->parts;
    const struct profile *profile = making->app->profile;
    const struct selection *selection = &making->selection;
    (void)error;
    parts->total = breakdown_total(profile, selection, &breakdown_gpu, parts->arena);
    parts->dlprof = breakdown_total(profile, selection, &breakdown_dlprof, parts->arena);
    parts->devices = breakdown_devices(profile, selection, &breakdown_gpu, parts->arena);
    return true;
}

static struct cached *parts_rows(struct app *app, const char *report,
                                 const struct selection *selection)
{
    return cache_get(&app->cache, report_find(report), app->profile, selection, NULL);
}

void summary_parts_make(struct app *app, const struct view *view, struct summary_parts *parts)
{
    if (parts->is_made)
        return;
    *parts = (struct summary_parts){.is_made = true, .arena = arena_new(0)};
    if (!parts->arena)
        return;
    struct making making = {app, parts, view_selection(view)};
    if (!arena_run(parts->arena, make_body, &making, NULL))
        parts->total = (struct breakdown){0};
    parts->divisor = app_divisor(app, &making.selection);
    uint32_t devices = app_device_count(app, &making.selection);
    parts->steps = parts->divisor / devices;
    parts->per = parts->steps > 1 ? devices > 1 ? ", per step and GPU" : ", per step"
                 : devices > 1    ? ", per GPU"
                                  : "";
    making.selection.is_folded = true;
    making.selection.names = NAME_FAMILY;
    parts->layers = parts_rows(app, "layers", &making.selection);
    parts->tree = parts_rows(app, "ops", &making.selection);
    parts->kernels = parts_rows(app, "kernels", &making.selection);
}

void summary_parts_release(struct summary_parts *parts)
{
    cache_release(parts->layers);
    cache_release(parts->tree);
    cache_release(parts->kernels);
    arena_free(parts->arena);
    *parts = (struct summary_parts){0};
}

// ---- one step ----------------------------------------------------------------------------------

static int64_t number_of(const struct split *split, uint32_t iteration)
{
    return split->number ? split->number[iteration] : (int64_t)iteration;
}

int summary_step_draw(struct app *app, const struct summary_parts *parts, struct canvas *canvas,
                      struct area area)
{
    const struct split *split = app->scope.split;
    struct step_statistics statistics = app_step_statistics(app);
    bool has_steps = split->method != SPLIT_NONE && statistics.count > 0;
    char median[FORMAT_SIZE], spread[FORMAT_SIZE], worst[FORMAT_SIZE], busy[FORMAT_SIZE];
    canvas_rule(canvas, area.x, area.y, area.width, has_steps ? "One step" : "The whole run");
    int y = area.y + 1;
    const struct breakdown *total = &parts->total;
    int64_t idle = total->ns[breakdown_gpu.count - 1];
    format_percent(busy, total->window_ns > 0
                             ? (double)(total->window_ns - idle) / (double)total->window_ns
                             : 0);
    int x = area.x + 1, right = area.x + area.width - 1;
    if (has_steps) {
        format_percent(spread, statistics.median_ns > 0
                                   ? (double)statistics.mad_ns / (double)statistics.median_ns
                                   : 0);
        // The bar adds up to the mean; one bad step moves that, and the median not.
        char mean[FORMAT_SIZE];
        x +=
            canvas_text_in(canvas, x, y, right - x, STYLE_STRONG,
                           format_duration(mean, (int64_t)((double)total->window_ns / parts->steps),
                                           canvas->ascii));
        x += canvas_format(canvas, x, y, right - x, STYLE_TEXT, " mean   %s median",
                           format_duration(median, statistics.median_ns, canvas->ascii));
        if (statistics.count > 1) {
            x += canvas_format(canvas, x, y, right - x, STYLE_DIM,
                               canvas->ascii ? " +-%s%%" : " ±%s%%", spread);
            x += canvas_format(canvas, x, y, right - x, STYLE_TEXT, "   worst #%lld %s",
                               (long long)number_of(split, statistics.worst),
                               format_duration(worst, statistics.max_ns, canvas->ascii));
        }
    } else if (total->window_ns > 0) {
        x += canvas_text_in(canvas, x, y, right - x, STYLE_STRONG,
                            format_duration(median, total->window_ns, canvas->ascii));
    } else {
        const struct profile *profile = app->profile;
        x += canvas_text_in(
            canvas, x, y, right - x, STYLE_STRONG,
            format_duration(median, profile->last_ns - profile->first_ns, canvas->ascii));
    }
    if (total->window_ns <= 0) {
        canvas_text_in(canvas, x + 3, y, right - x - 3, STYLE_DIM, "no GPU work in this selection");
        return 2;
    }
    canvas_format(canvas, x, y, right - x, STYLE_TEXT, "   GPU busy %s%%", busy);
    y++;
    breakdown_bar_draw(canvas, area.x + 1, y++, area.width - 2, &breakdown_gpu, total);
    int used = breakdown_legend_draw(
        canvas,
        (struct area){area.x + 1, y, area.width - 2, area.height - 3 > 1 ? area.height - 3 : 1},
        &breakdown_gpu, total, parts->steps, false);
    return 3 + used;
}

// ---- layers ------------------------------------------------------------------------------------

static int64_t integer_of(const struct report *report, const char *key, const void *row)
{
    const struct column *column = report_column(report, key);
    struct value value = column ? column->get(row) : value_none();
    return value.kind == VALUE_INTEGER ? value.integer : 0;
}

static const char *text_of(const struct report *report, const char *key, const void *row)
{
    const struct column *column = report_column(report, key);
    struct value value = column ? column->get(row) : value_none();
    return value.kind == VALUE_TEXT ? value.text : "";
}

enum { SHARES_MAX = 64 };

struct share { // a row of a panel
    const char *name;
    int64_t ns, forward_ns, backward_ns;
};

// The largest rows of a report by one of its columns, and what all of them add up to.
struct shares {
    struct share items[SHARES_MAX + 1];
    size_t count;
    int64_t whole_ns;
};

static void shares_add(struct shares *shares, struct share item)
{
    size_t at = shares->count;
    shares->whole_ns += item.ns;
    while (at > 0 && shares->items[at - 1].ns < item.ns)
        at--;
    if (at >= SHARES_MAX)
        return;
    if (shares->count < SHARES_MAX)
        shares->count++;
    memmove(&shares->items[at + 1], &shares->items[at],
            (shares->count - at - 1) * sizeof *shares->items);
    shares->items[at] = item;
}

// Rows of a tree that lie deeper are in their parents already.
static void shares_collect(struct shares *shares, const struct cached *cached, const char *name,
                           const char *key)
{
    const struct report *report = cached->report;
    for (uint32_t r = 0; r < cached->rows.count; r++) {
        const void *row = report_row(report, &cached->rows, r);
        if (report->depth && report->depth(row) > 0)
            continue;
        shares_add(shares, (struct share){text_of(report, name, row), integer_of(report, key, row),
                                          integer_of(report, "forward", row),
                                          integer_of(report, "backward", row)});
    }
}

static int time_draw(struct canvas *canvas, int x, int y, int64_t ns, double divisor,
                     enum style style)
{
    char time[FORMAT_SIZE];
    format_duration(time, (int64_t)((double)ns / divisor), canvas->ascii);
    canvas_fit(canvas, x, y, 9, style, FIT_RIGHT, ns ? time : canvas->ascii ? "-" : "–");
    return x + 10;
}

static void share_line_draw(struct canvas *canvas, struct area area, const struct shares *shares,
                            size_t i, double divisor, bool has_parts)
{
    const struct share *share = &shares->items[i];
    double whole = shares->whole_ns > 0 ? (double)shares->whole_ns : 1;
    char percent[FORMAT_SIZE];
    int x = area.x + 1, name_width = area.width / 2 - (has_parts ? 20 : 8);
    canvas_fit(canvas, x, area.y, name_width, STYLE_TEXT, FIT_MIDDLE, share->name);
    x += name_width + 1;
    if (has_parts) {
        x = time_draw(canvas, x, area.y, share->forward_ns, divisor, STYLE_DIM);
        x = time_draw(canvas, x, area.y, share->backward_ns, divisor, STYLE_DIM);
    }
    x = time_draw(canvas, x, area.y, share->ns, divisor, STYLE_STRONG);
    format_percent(percent, (double)share->ns / whole);
    canvas_fit(canvas, x, area.y, 6, STYLE_DIM, FIT_RIGHT,
               arena_format(canvas->frame, "%s%%", percent));
    x += 8;
    int64_t largest = shares->items[0].ns;
    bar_draw(canvas, x, area.y, area.x + area.width - 1 - x, STYLE_BAR,
             largest > 0 ? (double)share->ns / (double)largest : 0);
}

static int shares_draw(struct canvas *canvas, struct area area, const struct shares *shares,
                       double divisor, bool has_parts)
{
    int drawn = 0;
    for (size_t i = 0; i < shares->count && drawn < area.height && shares->items[i].ns > 0; i++)
        share_line_draw(canvas, (struct area){area.x, area.y + drawn++, area.width, 1}, shares, i,
                        divisor, has_parts);
    return drawn;
}

int summary_layers_draw(struct app *app, const struct summary_parts *parts, struct canvas *canvas,
                        struct area area)
{
    (void)app;
    struct shares shares = {0};
    if (parts->layers)
        shares_collect(&shares, parts->layers, "layer", "gpu");
    bool has_gpu = shares.whole_ns > 0;
    if (!has_gpu && parts->tree) // what the ranges say of the host
        shares_collect(&shares, parts->tree, "name", "cpu");
    bool has_parts = false;
    for (size_t i = 0; i < shares.count; i++)
        has_parts |= shares.items[i].backward_ns > 0 && area.width >= 100;
    const char *title = has_gpu ? "Where GPU time goes" : "Where host time goes";
    if (has_parts)
        title = arena_format(canvas->frame, "%s: forward, backward, both", title);
    canvas_rule(canvas, area.x, area.y, area.width,
                arena_format(canvas->frame, "%s%s", title, has_gpu ? parts->per : ""));
    struct area below = {area.x, area.y + 1, area.width, area.height - 1};
    if (shares.whole_ns > 0)
        return 1 + shares_draw(canvas, below, &shares, parts->divisor, has_parts);
    canvas_text_in(canvas, area.x + 1, below.y, area.width - 2, STYLE_DIM,
                   "No ranges and no GPU work in this selection.");
    return 2;
}

// ---- the steps as a line -----------------------------------------------------------------------

int summary_steps_draw(struct app *app, struct canvas *canvas, struct area area)
{
    const struct steps *steps = app_steps(app);
    const struct split *split = app->scope.split;
    canvas_rule(canvas, area.x, area.y, area.width, "Steps");
    int y = area.y + 1, x = area.x + 1;
    if (split->method == SPLIT_NONE) {
        canvas_fit(
            canvas, x, y, area.width - 2, STYLE_DIM, FIT_LEFT,
            arena_format(canvas->frame, "%s   O: what could cut the run into steps", split->text));
        return 2;
    }
    char first[24], last[24];
    snprintf(first, sizeof first, "%lld", (long long)number_of(split, 0));
    snprintf(last, sizeof last, "%lld", (long long)number_of(split, steps->count - 1));
    x += canvas_text(canvas, x, y, STYLE_DIM, first) + 1;
    int room = area.x + area.width - x - 26;
    if (room < 8)
        room = area.x + area.width - x - (int)strlen(last) - 2;
    if (room < 1)
        return 2;
    uint32_t bucket = (steps->count + (uint32_t)room - 1) / (uint32_t)room;
    bucket = bucket ? bucket : 1;
    double low = 1e30, high = 0;
    for (uint32_t i = 0; i < steps->count; i++) {
        if (steps->duration_ns[i] == UNKNOWN)
            continue;
        double value = (double)steps->duration_ns[i];
        low = value < low ? value : low;
        high = value > high ? value : high;
    }
    // Small jitter is not to look like mountains: the scale spans a third of the longest at least.
    low = high - low < high / 3 ? high * 2 / 3 : low;
    uint32_t out = 0;
    for (uint32_t i = 0; i < steps->count; i += bucket) {
        double most = 0;
        bool is_in = false;
        for (uint32_t k = i; k < i + bucket && k < steps->count; k++) {
            double value = steps->duration_ns[k] == UNKNOWN ? 0 : (double)steps->duration_ns[k];
            most = value > most ? value : most;
            is_in |= app_iteration_is_in(app, k);
        }
        sparkline_draw(canvas, x++, y, &most, 1, low, high, is_in ? STYLE_BAR : STYLE_OUT);
    }
    for (uint32_t i = 0; i < steps->count; i++)
        out += !app_iteration_is_in(app, i);
    x += 1 + canvas_text(canvas, x + 1, y, STYLE_DIM, last) + 1;
    const char *note =
        out == 0 ? "all in the set" : arena_format(canvas->frame, "%u left out (grey)", out);
    const char *slow = app_outlier_text(app, 4, canvas->frame);
    if (*slow)
        note = arena_format(canvas->frame, "%s   slow: %s", note, slow);
    canvas_text_in(canvas, x + 1, y, area.x + area.width - x - 2, STYLE_DIM, note);
    return 2;
}

// ---- the right half of a wide screen -----------------------------------------------------------

int summary_devices_draw(struct app *app, const struct summary_parts *parts, struct canvas *canvas,
                         struct area area)
{
    const struct profile *profile = app->profile;
    canvas_rule(canvas, area.x, area.y, area.width, "GPUs (7)");
    int y = area.y + 1;
    uint32_t used = 0;
    for (uint32_t d = 0; d < profile->device_count; d++)
        used += profile->devices[d].has_work;
    for (uint32_t d = 0; d < profile->device_count && parts->devices; d++) {
        const struct breakdown *part = &parts->devices[d];
        if (!profile->devices[d].has_work || y >= area.y + 9)
            continue;
        char busy[FORMAT_SIZE];
        int64_t idle = part->ns[breakdown_gpu.count - 1];
        format_percent(busy, part->window_ns > 0
                                 ? (double)(part->window_ns - idle) / (double)part->window_ns
                                 : 0);
        canvas_format(canvas, area.x + 1, y, 8, STYLE_TEXT, "GPU %u", d);
        canvas_fit(canvas, area.x + 8, y, 12, STYLE_STRONG, FIT_RIGHT,
                   arena_format(canvas->frame, "%s%% busy", busy));
        breakdown_bar_draw(canvas, area.x + 22, y, area.width - 23, &breakdown_gpu, part);
        y++;
    }
    if (used == 0)
        canvas_text_in(canvas, area.x + 1, y++, area.width - 2, STYLE_DIM, "no GPU ran anything");
    return y - area.y;
}

int summary_kernels_draw(struct app *app, const struct summary_parts *parts, struct canvas *canvas,
                         struct area area, double part)
{
    (void)app;
    if (!parts->kernels || parts->kernels->rows.count == 0)
        return 0;
    canvas_rule(canvas, area.x, area.y, area.width,
                arena_format(canvas->frame, "Kernels by family%s (3)", parts->per));
    struct shares shares = {0};
    shares_collect(&shares, parts->kernels, "kernel", "gpu_total");
    int lines = (int)((area.height - 1) * part);
    return 1 + shares_draw(canvas, (struct area){area.x, area.y + 1, area.width, lines}, &shares,
                           parts->divisor, false);
}

int summary_trust_draw(struct app *app, struct canvas *canvas, struct area area)
{
    const struct profile *profile = app->profile;
    canvas_rule(canvas, area.x, area.y, area.width, "Trust (0)");
    int y = area.y + 1, end = area.y + area.height;
    char count[FORMAT_SIZE], launches[FORMAT_SIZE], ranges[FORMAT_SIZE];
    canvas_format(
        canvas, area.x + 1, y++, area.width - 2, STYLE_TEXT,
        "%s pieces of GPU work, %s API calls, %s ranges", format_count(count, profile->work.count),
        format_count(launches, profile->api.count), format_count(ranges, profile->ranges.count));
    if (y < end)
        y += canvas_wrap(canvas, (struct area){area.x + 1, y, area.width - 2, 2}, STYLE_DIM,
                         profile->mode_reason ? profile->mode_reason : "");
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < profile->note_count && y < end; i++) {
            bool is_warning = profile->notes[i].level == NOTE_WARNING;
            if (is_warning != (pass == 0))
                continue;
            canvas_text_in(canvas, area.x + 1, y, 1, is_warning ? STYLE_WARNING : STYLE_DIM,
                           is_warning ? "‼" : "·");
            y += canvas_wrap(
                canvas, (struct area){area.x + 3, y, area.width - 4, end - y < 2 ? end - y : 2},
                is_warning ? STYLE_TEXT : STYLE_DIM, profile->notes[i].text);
        }
    }
    return y - area.y;
}
