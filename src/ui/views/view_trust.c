// SPDX-License-Identifier: Apache-2.0
// The view of trust: facts about the profile that was read, as a table.
#include <string.h>

#include "base/text/text.h"
#include "ui/actions/table_view.h"
#include "ui/host.h"
#include "ui/state/view.h"
#include "ui/table/table.h"

// Shows the subject and the fact, both read from the file.
static bool sentence(struct view *view, struct view_legend *legend)
{
    const struct table *table = &view->table;
    struct arena *arena = host_canvas(view->app)->frame;
    const void *row = table_row(table);
    int subject = table_find_column(table, "subject"), flag = table_find_column(table, "flag");
    if (!row || subject < 0 || flag < 0)
        return false;
    const char *fact = table_row_name(table, row);
    struct value wanted = table->report->columns[flag].get(row);
    legend->head = table_cell(table, (unsigned)subject, row, arena);
    legend->text = text_safe(arena, fact, strlen(fact), true);
    if (wanted.kind == VALUE_TEXT && *wanted.text)
        legend->text = arena_format(arena, "%s   (captured by %s)", legend->text, wanted.text);
    return true;
}
const struct view_class view_trust = {
    .name = "trust",
    .title = "Trust",
    .tab = "Trust",
    .digit = '0',
    .report = "trust",
    TABLE_VIEW,
    .doc = "what was read, what was skipped, which totals agree",
    .min_name_percent = 55,
    .sentence = sentence,
};
