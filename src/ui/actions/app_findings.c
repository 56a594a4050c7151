// SPDX-License-Identifier: Apache-2.0
// Actions that open findings one after the other, that is, the rows that prove them. The proof of a
// finding is the view of these rows. Numbers of findings in the list count from 1 here; 0: none.
#include <stdlib.h>
#include <string.h>

#include "analysis/detectors/expert.h"
#include "base/text/text.h"
#include "ui/actions/actions.h"
#include "ui/actions/app_trail.h"
#include "ui/host.h"
#include "ui/state/app_state.h"
#include "ui/state/findings.h"
#include "ui/state/places.h"
#include "ui/state/view.h"
#include "ui/table/table.h"
#include "ui/term/canvas.h"

void host_show_finding_rows(struct view *view, const struct finding *finding)
{
    if (finding->filter)
        view->table.is_filter_from_link = table_set_filter(&view->table, finding->filter, NULL);
    if (finding->sort)
        table_sort_named(&view->table, finding->sort, NULL);
}

static void open_finding(struct app *app, const struct finding *finding)
{
    if (!finding->opens) {
        host_say(app, "%s",
                 finding->severity != SEVERITY_NOT_JUDGED ? "no rows behind this finding"
                 : finding->flag
                     ? "not judged: {capture-line} shows the capture line that would tell more"
                     : finding->recommendation);
        return;
    }
    const struct view *before = host_top_view(app);
    host_open_report(app, finding->opens, &finding->evidence, finding->detector->title);
    struct view *view = host_top_view(app);
    if (view == before)
        return; // host_open_report() said why
    // The next proof replaces this one, so that Esc leads back to the view before the first.
    if (before->is_proof)
        app_drop_below(app);
    view->is_proof = view->is_evidence = true; // set before the view has rows
    snprintf(view->opened, sizeof view->opened, "next-finding %s", finding->id);
    if (strlen(finding->id) + sizeof "next-finding " > sizeof view->opened)
        view->opened[0] = 0;
    if (view->report)
        host_show_finding_rows(view, finding);
}

static bool has_proof(const struct finding *finding)
{
    return finding->opens && !finding->detector->is_about_capture && !finding_is_folded(finding);
}

// Returns the position from which `(` and `)` continue: the finding under the cursor of a list, if
// the cursor was moved since they were last pressed, else the finding opened last; 0: before the
// first.
static size_t step_start(struct app *app, const struct finding_list *findings, int direction)
{
    const struct view *view = host_top_view(app);
    const struct finding *finding =
        view->class->finding ? view->class->finding(host_top_view(app)) : NULL;
    size_t position = finding ? (size_t)(finding - findings->items) + 1 : 0;
    bool is_moved = position > 0 && position != app->findings->left;
    app->findings->left = position > 0 ? position : app->findings->left;
    if (is_moved)
        return direction > 0
                   ? position - 1
                   : position; // forward: that finding is the next; backward: the one before it
    return app->findings->opened <= findings->count ? app->findings->opened : 0;
}

// Returns the position of a finding by the number shown in lists or by its id; 0 if there is none.
static size_t finding_position(const struct finding_list *findings, const char *name)
{
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->items[i];
        char number[24];
        snprintf(number, sizeof number, "%zu", expert_number(findings, finding));
        if (strcmp(finding->id, name) == 0 || strcmp(number, name) == 0)
            return i + 1;
    }
    return 0;
}

static void step_finding(struct app *app, int direction)
{
    const struct finding_list *findings = host_findings(app);
    size_t count = 0, rank = 0;
    for (size_t i = 0; i < findings->count; i++)
        count += has_proof(&findings->items[i]);
    if (count == 0) {
        host_say(app, "no findings with rows to open");
        return;
    }
    size_t position = step_start(app, findings, direction);
    do
        position = direction > 0  ? position % findings->count + 1
                   : position > 1 ? position - 1
                                  : findings->count;
    while (!has_proof(&findings->items[position - 1]));
    for (size_t i = 0; i < position; i++)
        rank += has_proof(&findings->items[i]);
    const struct finding *finding = &findings->items[position - 1];
    app->findings->opened = position;
    host_say(app, "%zu of %zu: %s", rank, count,
             text_display_units(app->canvas->frame, finding->problem, app->canvas->ascii));
    open_finding(app, finding);
}

void host_open_finding(struct app *app, const struct finding *finding)
{
    app->findings->opened = (size_t)(finding - host_findings(app)->items) + 1;
    app->findings->left = app->findings->opened;
    open_finding(app, finding);
}

// Opens the finding with a number or id.
static void go_finding(struct app *app, const char *name)
{
    const struct finding_list *findings = host_findings(app);
    size_t position = finding_position(findings, name);
    const struct finding *finding = position > 0 ? &findings->items[position - 1] : NULL;
    if (!finding || !finding->opens) {
        host_complain(app, finding ? "no rows behind finding '%s'" : "there is no finding '%s'",
                      name);
        return;
    }
    host_say(app, "%s",
             text_display_units(app->canvas->frame, finding->problem, app->canvas->ascii));
    host_open_finding(app, finding);
}

void app_next_finding(struct app *app, const char *argument)
{
    host_await_findings(app);
    if (*argument)
        go_finding(app, argument);
    else
        step_finding(app, 1);
}

void app_previous_finding(struct app *app, const char *argument)
{
    (void)argument;
    host_await_findings(app);
    step_finding(app, -1);
}
