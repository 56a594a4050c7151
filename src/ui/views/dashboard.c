// SPDX-License-Identifier: Apache-2.0
// Draws the dashboard of the DLProf Viewer as a page that can be taller than the screen.
#include "ui/views/dashboard.h"

#include <string.h>

#include "analysis/breakdown/breakdown.h"
#include "analysis/detectors/expert.h"
#include "analysis/report/value.h"
#include "analysis/reports/report_list.h"
#include "base/text/format.h"
#include "ui/host.h"
#include "ui/rows/cache.h"
#include "ui/state/view.h"
#include "ui/table/table.h"
#include "ui/term/canvas.h"
#include "ui/term/style.h"
#include "ui/widgets/bars.h"

// A page taller than the screen. Lines outside the visible area are clipped.
struct page {
    struct canvas *canvas;
    struct area area; // visible
    int y;            // next line, counted from the top of the page
    int scroll;
};

// Returns the screen line of the next page line, or a line far outside the screen.
static int page_line(const struct page *page)
{
    int y = page->y - page->scroll;
    return y >= 0 && y < page->area.height ? page->area.y + y : -1000;
}

static void page_rule(struct page *page, const char *title)
{
    int y = page_line(page);
    if (y >= 0)
        canvas_rule(page->canvas, page->area.x, y, page->area.width, title);
    page->y++;
}

static void page_pair(struct page *page, const char *head, enum style style, const char *text)
{
    int y = page_line(page);
    canvas_fit(page->canvas, page->area.x + 1, y, 32, STYLE_DIM, FIT_LEFT, head);
    canvas_fit(page->canvas, page->area.x + 34, y, page->area.width - 35, style, FIT_MIDDLE, text);
    page->y++;
}

// Returns rows of the report for the selection of the top view; NULL: out of memory. The rows are
// released at once but stay valid until the next request. This is necessary because drawing
// allocates memory too: if that failed, the rows would never be released.
static const struct cached *rows_get(struct app *app, const char *name)
{
    const struct report *report = report_find(name);
    struct selection selection = view_selection(host_top_view(app));
    struct cached *cached = report ? host_rows(app, report, &selection) : NULL;
    cache_release(cached);
    return cached;
}

// Collects the first rows, at most `most`, in the report's default sort order. Returns their
// number.
static size_t first_rows(const struct report *report, const struct rows *rows, size_t limit,
                         const void **first)
{
    bool descends = report->sort[0] == '-';
    const struct column *column = report_column(report, report->sort + descends);
    size_t count = 0;
    for (size_t r = 0; r < rows->count; r++) {
        const void *row = report_row(report, rows, r);
        struct value value = column->get(row);
        size_t at = count;
        while (at > 0) {
            int order = value_compare(value, column->get(first[at - 1]));
            if (descends ? order <= 0 : order >= 0)
                break;
            at--;
        }
        if (at == limit)
            continue;
        count += count < limit;
        memmove(first + at + 1, first + at, (count - at - 1) * sizeof *first);
        first[at] = row;
    }
    return count;
}

// Draws the first `most` rows of a report, with as many of its own columns as fit.
static void page_report(struct app *app, struct page *page, const char *name, size_t limit,
                        const char *const *keys)
{
    const struct cached *cached = rows_get(app, name);
    if (!cached)
        return;
    const struct report *report = report_named(cached->report, &cached->rows);
    struct table table = {.report = report, .ascii = page->canvas->ascii};
    int x = page->area.x + 1, right = page->area.x + page->area.width - 1;
    const void **first = ARENA_ARRAY(page->canvas->frame, const void *, limit);
    size_t count = first_rows(report, &cached->rows, limit, first);
    for (size_t k = 0; keys[k]; k++) {
        const struct column *column = report_column(report, keys[k]);
        if (!column)
            continue;
        unsigned c = (unsigned)(column - report->columns);
        bool is_name = (column->flags & COLUMN_NAME) != 0;
        int width = is_name ? (right - x) / 2 : column->unit == UNIT_TEXT ? 14 : 11;
        width = width > right - x ? right - x : width;
        int saved = page->y;
        enum fit fit = unit_is_number(column->unit) ? FIT_RIGHT : FIT_MIDDLE;
        canvas_fit(page->canvas, x, page_line(page), width, STYLE_HEADER, fit, column->head);
        for (size_t r = 0; r < count; r++) {
            page->y++;
            canvas_fit(page->canvas, x, page_line(page), width, STYLE_TEXT, fit,
                       table_cell(&table, c, first[r], page->canvas->frame));
        }
        page->y = saved;
        x += width + 1;
    }
    page->y += 1 + (int)count;
    if (cached->rows.count == 0)
        page_pair(page, "", STYLE_DIM, cached->rows.empty ? cached->rows.empty : "nothing");
}

// Draws rows of (section, name, value ...) as one line each, with a rule above each section.
static void page_fields(struct app *app, struct page *page, const char *name)
{
    const struct cached *cached = rows_get(app, name);
    if (!cached)
        return;
    const struct report *report = report_named(cached->report, &cached->rows);
    struct table table = {.report = report, .ascii = page->canvas->ascii};
    const char *section = "";
    if (cached->rows.caption) {
        canvas_fit(page->canvas, page->area.x + 1, page_line(page), page->area.width - 2, STYLE_DIM,
                   FIT_LEFT, cached->rows.caption);
        page->y++;
    }
    for (size_t r = 0; r < cached->rows.count; r++) {
        const void *row = report_row(report, &cached->rows, r);
        struct arena *arena = page->canvas->frame;
        struct value group = report->columns[0].get(row);
        const char *text = "";
        bool is_known = false;
        if (group.kind == VALUE_TEXT && strcmp(group.text, section) != 0) {
            section = group.text;
            page_rule(page, section);
        }
        for (unsigned c = 2; c < report->column_count; c++) {
            if (report->columns[c].get(row).kind == VALUE_NONE)
                continue;
            const char *cell = table_cell(&table, c, row, arena);
            is_known = true;
            if (!*cell)
                continue;
            text = arena_format(arena, "%s%s%s%s", text, *text ? "   " : "",
                                c == 2 ? "" : report->columns[c].head, "");
            text = arena_format(arena, "%s%s%s", text, c == 2 ? "" : " ", cell);
        }
        page_pair(page, report->column_count > 1 ? table_cell(&table, 1, row, arena) : "",
                  STYLE_TEXT,
                  is_known              ? text
                  : page->canvas->ascii ? "-"
                                        : "–");
    }
}

static void page_breakdown(struct app *app, struct page *page, const struct breakdown *parts)
{
    struct area area = page->area;
    page_rule(page, "Resource Usage Breakdown");
    if (host_profile(app)->lacks_times) {
        struct area text = {area.x + 1, page_line(page), area.width - 2, 3};
        page->y += canvas_wrap(page->canvas, text, STYLE_DIM, report_no_times_text);
        return;
    }
    int y = page_line(page);
    breakdown_bar_draw(page->canvas, area.x + 1, y, area.width - 2, &breakdown_dlprof, parts);
    page->y++;
    y = page_line(page);
    page->y += breakdown_legend_draw(
        page->canvas, (struct area){area.x + 1, y, area.width - 2, 3},
        &(struct legend){
            .scheme = &breakdown_dlprof, .breakdown = parts, .divisor = 1, .includes_zero = true});
}

// Draws the dashboard of DLProf's simple mode: three figures and the kernels.
static int simple_draw(struct app *app, struct page page)
{
    enum { MAX_KERNELS = 1000 };
    static const char *const keys[] = {"gpu_total", "kernel", "tc", "gpu_avg", "api_total", NULL};
    page_fields(app, &page, "summary");
    page_rule(&page, "Kernels");
    page_report(app, &page, "kernel", MAX_KERNELS, keys);
    return page.y;
}

static int page_draw(struct app *app, const struct breakdown *parts, struct canvas *canvas,
                     struct area area, int scroll)
{
    struct page page = {canvas, area, 0, scroll};
    if (host_profile(app)->mode == MODE_SIMPLE)
        return simple_draw(app, page);
    page_breakdown(app, &page, parts);
    page_fields(app, &page, "summary");
    page_rule(&page, "Top 10 GPU Ops");
    static const char *const op_keys[] = {"gpu_total", "name",     "direction", "type",
                                          "calls",     "eligible", "tc",        NULL};
    page_report(app, &page, "detail", 10, op_keys);
    page_rule(&page, "Expert Systems");
    const struct finding_list *findings = host_findings(app);
    size_t shown = 0;
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->items[i];
        if (finding->severity != SEVERITY_WARNING)
            continue;
        page_pair(&page, "Problem", STYLE_WARNING, finding->problem);
        page_pair(&page, "Recommendation", STYLE_TEXT, finding->recommendation);
        shown++;
    }
    if (host_findings_pending(app))
        page_pair(&page, "", STYLE_DIM, "being worked out ...");
    if (shown == 0 && !host_findings_pending(app)) {
        bool is_judged;
        const char *none = host_no_findings_text(app, &is_judged);
        canvas_text_in(canvas, area.x + 1, page_line(&page), area.width - 2,
                       is_judged ? STYLE_GOOD : STYLE_WARNING, none);
        page.y++;
    }
    return page.y;
}

void dashboard_draw(struct app *app, const struct breakdown *parts, struct canvas *canvas,
                    struct area area, int *scroll)
{
    enum { FAR_AWAY = 1 << 20 }; // all lines are off the screen: measures the page only
    int height = page_draw(app, parts, canvas, area, FAR_AWAY);
    int max_scroll = height > area.height ? height - area.height : 0;
    *scroll = *scroll < 0 ? 0 : *scroll > max_scroll ? max_scroll : *scroll;
    page_draw(app, parts, canvas, area, *scroll);
}
