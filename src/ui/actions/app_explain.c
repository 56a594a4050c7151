// SPDX-License-Identifier: Apache-2.0
// Explanations in a box: the figure under the cursor, a finding, the capture line.
#include "analysis/breakdown/breakdown.h"
#include "analysis/detectors/expert.h"
#include "analysis/place/selection_text.h"
#include "base/text/text.h"
#include "ui/actions/actions.h"
#include "ui/host.h"
#include "ui/state/app_state.h"
#include "ui/state/scope.h"
#include "ui/state/view.h"
#include "ui/table/table.h"
#include "ui/term/action.h"
#include "ui/term/canvas.h"
#include "ui/widgets/bars.h"

// Returns the report's explanation of the row under the cursor or of this figure of it, or "".
static const char *rule_of(const struct view *view, const struct column *column,
                           struct arena *arena)
{
    const struct column *rule = report_column(view->report, "rule");
    const void *row = table_row(&view->table);
    if (row && view->report->explain)
        return view->report->explain(row, column, arena);
    struct value value = rule && row ? rule->get(row) : value_none();
    return value.kind == VALUE_TEXT ? value.text : "";
}

void app_explain(struct app *app, const char *argument)
{
    (void)argument;
    struct view *view = host_top_view(app);
    if (view->report)
        host_explain_column(app, view, (unsigned)view->table.column);
    else
        host_open_box(app, view->class->title, view->class->doc);
}

void host_explain_column(struct app *app, struct view *view, unsigned at)
{
    const struct column *column = &view->table.report->columns[at];
    static const char *const units[] = {
        [UNIT_TEXT] = "text",
        [UNIT_COUNT] = "a count",
        [UNIT_NS] = "a duration: 1.23 ms; exact nanoseconds with {detail}",
        [UNIT_TIME] = "a point in time",
        [UNIT_BYTES] = "bytes, thousands: 1.23 GB",
        [UNIT_RATE] = "bytes per second",
        [UNIT_PERCENT] = "percent",
        [UNIT_REAL] = "a number",
        [UNIT_ID] = "an id",
        [UNIT_STATE] = "yes, no, or – where it cannot be known",
    };
    struct selection selection = view_selection(view);
    const char *rule = rule_of(view, column, app->canvas->frame);
    char *text =
        arena_format(app->canvas->frame, "%s%s%s\n\nUnit: %s. In filters: %s\nOf: %s\n\n%s\n%s",
                     rule, *rule ? "\n\n" : "", table_doc(&view->table, at),
                     action_text(units[column->unit], app->canvas->frame), column->key,
                     selection_text(app->profile, &selection, app->canvas->frame),
                     view->report->title, view->report->doc ? view->report->doc : "");
    host_open_box(app, table_title(&view->table, at), text);
}

void host_explain_steps(struct app *app)
{
    struct arena *arena = app->canvas->frame;
    const struct breakdown_scheme *scheme = &breakdown_gpu;
    const struct split *split = app->scope->split;
    const char *one = split_words_of(split)->one, *several = split_words_of(split)->several;
    const char *text =
        arena_format(arena,
                     app->profile->lacks_times
                         ? "A bar is the GPU work of a %s, added up, as when it ran is not told; "
                           "its parts are, from below:\n"
                         : "A bar is a %s by the GPU's clock, with the wait for its first work; "
                           "its parts are, from below:\n",
                     one);
    for (size_t c = 0; c < scheme->count; c++) {
        char sign[5] = {0};
        text_encode(category_glyph(scheme, c, app->canvas->ascii), sign);
        text = arena_format(arena, "%s  %s %s: %s.\n", text, sign, scheme->categories[c].title,
                            scheme->categories[c].doc);
    }
    text = arena_format(
        arena,
        "%sA %s that is left out is drawn in : only; what is cut at the upper edge has %s.\n\n"
        "Where %s are more than columns a bar is one of median length, and a line above it the "
        "longest of them; %s. h: the host's period, where it is another one by more than "
        "5%%.\n\n"
        "Under the axis: = in the set, : left out, ^ the cursor.\n\n"
        "slowest: the rank or GPU that works longest, communication and idle time aside: what "
        "others "
        "wait for makes a bar longer on all of them alike; how much above the one in the middle, "
        "and "
        "in how many of those chosen. Nobody is named within 1%% or 5 MAD of the others.\n\n",
        text, one, app->canvas->ascii ? "^" : "▲", several,
        action_text("{zoom-in} and {zoom-out} zoom", arena));
    if (split_has_steps(split))
        text = arena_format(
            arena,
            "%smedian: half of the chosen steps are shorter.\n"
            "MAD: the median distance from it, in percent of it: how much steps usually vary. One "
            "slow step does not change it, as it would a standard deviation. %s leaves out what is "
            "further than 5 MAD, and than 5%%, from the median.\n"
            "p95: 95%% of the chosen steps are not longer.\n",
            text, action_text("{outliers}", arena));
    else
        text = arena_format(arena,
                            "%sp50, p90, p99: that many percent of the chosen %s are not longer. "
                            "%s leaves out what is further than 5 times the median distance from "
                            "the median, and than 5%%.\n",
                            text, several, action_text("{outliers}", arena));
    text = arena_format(
        arena,
        "%smax: the longest, with its number.\n\n"
        "Below: what makes the %s under the cursor longer or shorter than the one of median "
        "length; instant by instant, so that the rows add up to the difference. %s shows "
        "all.\n\n%s",
        text, one, action_text("{why}", arena), split->text ? split->text : "");
    host_open_box(app, "Iterations", text);
}

void app_capture_line(struct app *app, const char *argument)
{
    (void)argument;
    host_await_findings(app);
    const struct finding_list *findings = host_findings(app);
    char *text = arena_format(app->canvas->frame, "%s",
                              expert_capture_line(app->profile, app->canvas->frame));
    bool any = false;
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->items[i];
        if (finding->severity != SEVERITY_NOT_JUDGED || finding_is_folded(finding))
            continue;
        text = arena_format(app->canvas->frame, "%s\n%s%s%s%s", text,
                            any ? "" : "\nNot judged in this profile:\n", finding->problem,
                            finding->flag ? "   add " : "", finding->flag ? finding->flag : "");
        any = true;
    }
    host_open_box(app, "Capture line: what would tell more", text);
}

void host_explain_finding(struct app *app, const struct finding *finding)
{
    host_open_box(app, finding->detector->title,
                  expert_rule(finding->detector, app->canvas->frame));
}
