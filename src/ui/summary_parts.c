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
    const struct report *ops = report_find("ops"), *kernels = report_find("kernels");
    making.selection.is_folded = true;
    making.selection.names = NAME_FAMILY;
    if (ops)
        parts->tree = cache_get(&app->cache, ops, app->profile, &making.selection, NULL);
    if (kernels)
        parts->kernels = cache_get(&app->cache, kernels, app->profile, &making.selection, NULL);
}

void summary_parts_release(struct summary_parts *parts)
{
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
        x += canvas_text_in(canvas, x, y, right - x, STYLE_STRONG,
                            format_duration(median, statistics.median_ns, canvas->ascii));
        x += canvas_format(canvas, x, y, right - x, STYLE_TEXT, " median");
        if (statistics.count > 1) {
            x += canvas_format(canvas, x, y, right - x, STYLE_DIM, " ±%s%%", spread);
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

struct layer {
    const char *name;
    double share;
    int64_t ns;
};

// Rows of the folded tree whose children say more are replaced by these, largest first, until
// there are as many as there is room for: what is shown does not overlap.
struct opened {
    uint32_t row;
    const char *name; // with what stands above it
    const char *own;  // without
    int64_t ns, self_ns;
    bool is_whole; // no children, or opened already to its own part
};

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

static void opened_insert(struct opened *list, size_t *count, size_t capacity, struct opened item)
{
    size_t at = *count;
    while (at > 0 && list[at - 1].ns < item.ns)
        at--;
    if (at >= capacity)
        return;
    if (*count < capacity)
        (*count)++;
    memmove(&list[at + 1], &list[at], (*count - at - 1) * sizeof *list);
    list[at] = item;
}

enum { LAYERS_MAX = 64 };

static size_t layers_open(const struct cached *tree, const char *key,
                          struct opened list[LAYERS_MAX], size_t wish, int64_t whole, bool is_wide,
                          struct arena *arena)
{
    const struct report *report = tree->report;
    size_t count = 0;
    for (uint32_t r = 0; r < tree->rows.count; r++) {
        const void *row = report_row(report, &tree->rows, r);
        if (report->depth(row) == 0)
            opened_insert(
                list, &count, LAYERS_MAX,
                (struct opened){r, text_of(report, "name", row), text_of(report, "name", row),
                                integer_of(report, key, row), integer_of(report, "self", row),
                                !report->has_children(row)});
    }
    for (int rounds = 0; rounds < 200 && count < LAYERS_MAX; rounds++) {
        // The largest that can be opened, while it is large or there is room to spare.
        size_t at = 0;
        while (at < count && list[at].is_whole)
            at++;
        if (at == count || (count >= wish && list[at].ns * 8 < whole))
            break;
        struct opened parent = list[at];
        const void *row = report_row(report, &tree->rows, parent.row);
        unsigned depth = report->depth(row);
        if (depth >= 4)
            parent.is_whole = true;
        int children = 0;
        int64_t below = 0;
        for (uint32_t r = parent.row + 1; r < tree->rows.count && depth < 4; r++) {
            const void *child = report_row(report, &tree->rows, r);
            if (report->depth(child) <= depth)
                break;
            children += report->depth(child) == depth + 1;
            below += report->depth(child) == depth + 1 ? integer_of(report, key, child) : 0;
        }
        if (children == 0 || (size_t)children > LAYERS_MAX / 2 || below == 0) {
            list[at].is_whole = true;
            continue;
        }
        memmove(&list[at], &list[at + 1], (count - at - 1) * sizeof *list);
        count--;
        if (parent.self_ns > 0)
            opened_insert(list, &count, LAYERS_MAX,
                          (struct opened){parent.row,
                                          arena_format(arena, "%s, itself", parent.name),
                                          parent.own, parent.self_ns, 0, true});
        for (uint32_t r = parent.row + 1; r < tree->rows.count; r++) {
            const void *child = report_row(report, &tree->rows, r);
            if (report->depth(child) <= depth)
                break;
            if (report->depth(child) != depth + 1)
                continue;
            // A parent that is the whole step says nothing in front of each of its children, and
            // neither does autograd's engine around each of its nodes.
            bool is_plain = parent.ns * 10 > whole * 9 || strstr(parent.own, "evaluate_function");
            const char *above = is_wide ? parent.name : parent.own;
            opened_insert(
                list, &count, LAYERS_MAX,
                (struct opened){r,
                                is_plain ? text_of(report, "name", child)
                                         : arena_format(arena, "%s › %s", above,
                                                        text_of(report, "name", child)),
                                text_of(report, "name", child), integer_of(report, key, child),
                                integer_of(report, "self", child), !report->has_children(child)});
        }
    }
    return count;
}

static void share_line_draw(struct canvas *canvas, struct area area, int name_width,
                            const char *name, int64_t ns, double divisor, double share,
                            double largest)
{
    char time[FORMAT_SIZE], percent[FORMAT_SIZE];
    int x = area.x + 1;
    canvas_fit(canvas, x, area.y, name_width, STYLE_TEXT, FIT_MIDDLE, name);
    x += name_width + 1;
    format_duration(time, (int64_t)((double)ns / divisor), canvas->ascii);
    canvas_fit(canvas, x, area.y, 9, STYLE_STRONG, FIT_RIGHT, time);
    x += 10;
    format_percent(percent, share);
    canvas_fit(canvas, x, area.y, 6, STYLE_DIM, FIT_RIGHT,
               arena_format(canvas->frame, "%s%%", percent));
    x += 8;
    bar_draw(canvas, x, area.y, area.x + area.width - 1 - x, STYLE_BAR,
             largest > 0 ? share / largest : 0);
}

int summary_layers_draw(struct app *app, const struct summary_parts *parts, struct canvas *canvas,
                        struct area area)
{
    (void)app;
    struct opened list[LAYERS_MAX + 1];
    const char *keys[] = {"gpu", "cpu"}, *key = "gpu";
    int64_t whole = 0;
    // Without GPU work, what the ranges say of the host.
    for (size_t k = 0; k < 2 && whole == 0 && parts->tree; k++) {
        const struct report *report = parts->tree->report;
        key = keys[k];
        for (uint32_t r = 0; r < parts->tree->rows.count; r++) {
            const void *row = report_row(report, &parts->tree->rows, r);
            if (report->depth(row) == 0)
                whole += integer_of(report, key, row);
        }
    }
    canvas_rule(canvas, area.x, area.y, area.width,
                strcmp(key, "gpu") == 0
                    ? arena_format(canvas->frame, "Where GPU time goes%s", parts->per)
                    : "Where host time goes");
    if (!parts->tree || parts->tree->rows.count == 0) {
        canvas_text_in(canvas, area.x + 1, area.y + 1, area.width - 2, STYLE_DIM,
                       parts->tree && parts->tree->rows.empty ? parts->tree->rows.empty
                                                              : "No ranges: see 3 Kernels.");
        return 2;
    }
    int lines = area.height - 1;
    size_t count = layers_open(parts->tree, key, list, lines > 0 ? (size_t)lines : 1, whole,
                               area.width > 100, canvas->frame);
    double largest = count && whole > 0 ? (double)list[0].ns / (double)whole : 0;
    int drawn = 0;
    for (size_t i = 0; i < count && drawn < lines && list[i].ns > 0; i++, drawn++)
        share_line_draw(canvas, (struct area){area.x, area.y + 1 + drawn, area.width, 1},
                        area.width / 2 - 8, list[i].name, list[i].ns, parts->divisor,
                        whole > 0 ? (double)list[i].ns / (double)whole : 0, largest);
    return 1 + drawn;
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
    const struct report *report = parts->kernels->report;
    const char *key = report_column(report, "gpu_total") ? "gpu_total"
                      : report_column(report, "total")   ? "total"
                                                         : "gpu";
    const char *name = "name";
    for (size_t c = 0; c < report->column_count; c++)
        if (report->columns[c].flags & COLUMN_NAME)
            name = report->columns[c].key;
    struct opened list[LAYERS_MAX + 1];
    size_t count = 0;
    int64_t whole = 0;
    for (uint32_t r = 0; r < parts->kernels->rows.count; r++) {
        const void *row = report_row(report, &parts->kernels->rows, r);
        int64_t ns = integer_of(report, key, row);
        whole += ns;
        opened_insert(list, &count, LAYERS_MAX,
                      (struct opened){r, text_of(report, name, row), "", ns, 0, true});
    }
    int lines = (int)((area.height - 1) * part);
    lines = lines < (int)count ? lines : (int)count;
    double largest = whole > 0 && count ? (double)list[0].ns / (double)whole : 0;
    for (int i = 0; i < lines; i++)
        share_line_draw(canvas, (struct area){area.x, area.y + 1 + i, area.width, 1},
                        area.width / 2 - 8, list[i].name, list[i].ns, parts->divisor,
                        whole > 0 ? (double)list[i].ns / (double)whole : 0, largest);
    return lines + 1;
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
