// SPDX-License-Identifier: Apache-2.0
#include "ui/state/comparing.h"

#include <inttypes.h>
#include <string.h>
#include "analysis/compare/compare.h"
#include "analysis/report/memo.h"
#include "analysis/reports/report_list.h"
#include "base/parse/expr.h"
#include "model/profile/ranks.h"
#include "ui/host.h"
#include "ui/state/app_state.h"
#include "ui/state/scope.h"

const struct baseline *host_baseline(const struct app *app)
{
    return app->comparing->baseline;
}

static const char *unit_of(const struct app *app)
{
    return compare_unit(host_baseline(app)->selection.split, app->scope->split);
}

const char *host_compared_unit(const struct app *app)
{
    const char *unit = unit_of(app);
    return unit ? unit : "capture";
}

const char *host_comparison_unit_text(const struct app *app, const struct report *report,
                                      struct arena *arena)
{
    return compare_parts_text(report, unit_of(app), arena);
}

// Returns the index of a unit in comparing->units, and adds it if it is new.
static size_t index_of_unit(struct app_comparing *comparing, const char *unit)
{
    size_t u = 0;
    while (u + 1 < COMPARING_UNITS && comparing->units[u] && strcmp(comparing->units[u], unit) != 0)
        u++;
    comparing->units[u] = unit;
    return u;
}

struct comparison_request {
    struct app_comparing *comparing;
    const struct report *base, **report_slot;
    const char *unit;
};

static bool report_body(void *context, struct error *error)
{
    struct comparison_request *request = context;
    (void)error;
    *request->report_slot = compare_report(request->base, request->unit, request->comparing->arena);
    return true;
}

const struct report *host_comparison(struct app *app, const struct report *base)
{
    struct app_comparing *comparing = app->comparing;
    size_t i = 0;
    if (!comparing->baseline || !comparing->is_shown || !base)
        return NULL;
    while (i < report_count && reports[i] != base)
        i++;
    if (i == report_count)
        return NULL;
    const char *unit = unit_of(app);
    size_t unit_index = index_of_unit(comparing, unit ? unit : "");
    const struct report **report_slot = &comparing->reports[COMPARING_UNITS * i + unit_index];
    struct comparison_request request = {comparing, base, report_slot, unit};
    struct error error = {0};
    if (!*report_slot && !arena_run(comparing->arena, report_body, &request, &error))
        host_complain(app, "%s", error.message);
    return *report_slot;
}

const char *app_baseline_text(struct app *app, struct arena *arena)
{
    const struct baseline *baseline = host_baseline(app);
    const struct selection *selection = &baseline->selection;
    const struct split *split = selection->split, *scope_split = app->scope->split;
    const char *text = arena_format(arena, "A: %s", baseline->name);
    // The scope line names the split of side B; the split of side A is named only if it differs.
    bool is_same_split =
        split->method == scope_split->method && strcmp(split->key, scope_split->key) == 0;
    const char *split_text = is_same_split ? arena_format(arena, "%u", split->count) : split->text;
    if (selection->iterations)
        text = arena_format(arena, "%s, set %s of %s", text,
                            set_format(arena, selection->iterations, split->number, split->count),
                            split_text);
    else if (split->method != SPLIT_NONE || !is_same_split)
        text = arena_format(arena, "%s, %s%s", text, split->count > 1 ? "all " : "", split_text);
    if (selection->process != ROW_NONE)
        text = arena_format(
            arena, "%s, %s", text,
            process_label(baseline->profile, selection->process, (char[PROCESS_LABEL_SIZE]){0}));
    if (selection->device != ROW_NONE)
        text = arena_format(arena, "%s, GPU %" PRId64, text,
                            device_number(baseline->profile, selection->device));
    struct selection scope = host_selection(app);
    if (!baseline_has_scope(baseline, app->profile, &scope))
        text = arena_format(arena, "%s: has no such %s", text,
                            app->scope->process == ROW_NONE  ? "GPU"
                            : app->scope->device == ROW_NONE ? "process"
                                                             : "process or GPU");
    return text;
}

void app_comparing_forget_memo(struct app *app)
{
    memo_free(app->comparing->memo);
    app->comparing->memo = NULL;
    if (app->comparing->baseline)
        app->comparing->baseline->selection.memo = NULL;
}

void comparing_memo_open(struct app_comparing *comparing, bool is_live)
{
    struct baseline *baseline = comparing->baseline;
    comparing->memo = memo_new(baseline->profile, baseline->selection.split);
    baseline->selection.memo = comparing->memo;
    if (comparing->memo && is_live)
        memo_set_async(comparing->memo);
}

void app_comparing_open_memo(struct app *app)
{
    if (app->comparing->baseline && app->comparing->loaded)
        comparing_memo_open(app->comparing, app->is_live);
}

void app_comparing_run_memo_queue(struct app *app)
{
    struct memo *memo = app->comparing->memo;
    if (memo) {
        memo_set_async(memo);
        memo_run_queue(memo);
    }
}

bool host_is_comparing(const struct app *app)
{
    return app->comparing->baseline && app->comparing->is_shown;
}
