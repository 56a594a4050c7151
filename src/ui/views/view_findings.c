// SPDX-License-Identifier: Apache-2.0
// The findings as rows of a table; view_expert.c shows the same as a page.
#include "analysis/detectors/expert.h"
#include "ui/actions/table_view.h"
#include "ui/host.h"
#include "ui/state/view.h"
#include "ui/table/table.h"
#include "ui/term/action.h"
#include "ui/views/finding_text.h"

// Returns NULL for a finding that only the baseline has.
static const struct finding *finding_of_row(struct view *view)
{
    const struct finding_list *findings = host_findings(view->app);
    const void *row = table_row(&view->table);
    for (size_t f = 0; row && f < findings->count; f++)
        if (view->report->id(row) == text_id(0, findings->items[f].id))
            return &findings->items[f];
    return NULL;
}

static bool act(struct view *view, enum action action)
{
    const struct finding *found = action == ACTION_ENTER ? finding_of_row(view) : NULL;
    if (!found)
        return table_view_act(view, action);
    host_open_finding(view->app, found);
    return true;
}

static const char *enters(struct view *view)
{
    const struct finding *found = finding_of_row(view);
    return found ? finding_enters(found) : NULL;
}

const struct view_class view_findings = {
    .name = "findings",
    .title = "Expert, rows",
    .doc = "the findings as rows; with a baseline which are gone and which are new",
    .kinds = KIND_TABLE,
    .report = "expert",
    .draw = table_view_draw,
    .act = act,
    .enters = enters,
    .lists_findings = true,
    .flip = "expert",
    .flip_label = "Page",
};
