// SPDX-License-Identifier: Apache-2.0
// What the detectors found: the list above, the one under the cursor in full below.
#include <string.h>

#include "base/format.h"
#include "base/text.h"
#include "ui/app_state.h"

struct expert_state {
    size_t cursor, top;
    int page;
};

static const char *const severity_words[] = {
    [SEVERITY_NOTE] = "note", [SEVERITY_WARNING] = "warning", [SEVERITY_NOT_JUDGED] = "not judged"};
static const enum style severity_styles[] = {[SEVERITY_NOTE] = STYLE_DIM,
                                             [SEVERITY_WARNING] = STYLE_WARNING,
                                             [SEVERITY_NOT_JUDGED] = STYLE_DIM};

static int part_draw(struct canvas *canvas, struct area area, const char *head, const char *text)
{
    enum { HEAD = 9 };
    if (!text || !*text || area.height < 1 || area.width < HEAD + 10)
        return 0;
    canvas_text_in(canvas, area.x, area.y, HEAD, STYLE_HEADER, head);
    return canvas_wrap(canvas, (struct area){area.x + HEAD, area.y, area.width - HEAD, area.height},
                       STYLE_TEXT, text_safe(canvas->frame, text, strlen(text), true));
}

static const char *bound_text(const struct finding *finding, struct canvas *canvas)
{
    char time[FORMAT_SIZE], percent[FORMAT_SIZE];
    if (finding->gain_ns == UNKNOWN || finding->gain_ns <= 0)
        return NULL;
    return arena_format(canvas->frame,
                        "at most %s (%s %%)%s%s; no other finding counts "
                        "this time",
                        format_duration(time, finding->gain_ns, canvas->ascii),
                        format_percent(percent, finding->share), finding->certainty ? ", " : "",
                        certainty_names[finding->certainty]);
}

static void finding_draw(struct view *view, struct canvas *canvas, struct area area,
                         const struct finding *finding)
{
    const char *opens = NULL;
    canvas_rule(canvas, 0, area.y, canvas->width, finding->detector->id);
    area.y++;
    area.height--;
    if (finding->opens) {
        const struct view_class *class = view_class_find(finding->opens);
        opens = arena_format(canvas->frame, "Enter opens the rows: %s   (%s)",
                             class ? class->title : finding->opens,
                             selection_text(view->app->profile, &finding->evidence, canvas->frame));
    }
    const char *flag = finding->flag && *finding->flag
                           ? arena_format(canvas->frame,
                                          "capture again with %s   (R: the whole "
                                          "line)",
                                          finding->flag)
                           : NULL;
    const struct {
        const char *head, *text;
    } parts[] = {{"What", finding->problem},
                 {"Why", finding->why},
                 {"Do", finding->recommendation},
                 {"Bound", bound_text(finding, canvas)},
                 {"Where", finding->place},
                 {"Capture", flag},
                 {"Proof", opens}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        int used = part_draw(canvas, area, parts[i].head, parts[i].text);
        area.y += used;
        area.height -= used;
    }
}

static void line_draw(struct canvas *canvas, struct area line, size_t number,
                      const struct finding *finding)
{
    enum style style = severity_styles[finding->severity];
    bool is_wide = line.width >= 60;
    int x = line.x + (is_wide ? 30 : 15);
    canvas_format(canvas, line.x + 1, line.y, 3, STYLE_DIM, "%2zu", number);
    canvas_fit(canvas, line.x + 4, line.y, 11, style, FIT_LEFT, severity_words[finding->severity]);
    if (finding->gain_ns != UNKNOWN && finding->gain_ns > 0 && is_wide) {
        char time[FORMAT_SIZE], percent[FORMAT_SIZE];
        canvas_fit(canvas, line.x + 4, line.y, 8, STYLE_STRONG, FIT_RIGHT,
                   format_duration(time, finding->gain_ns, canvas->ascii));
        canvas_fit(canvas, line.x + 13, line.y, 6, STYLE_DIM, FIT_RIGHT,
                   arena_format(canvas->frame, "%s%%", format_percent(percent, finding->share)));
        canvas_fit(canvas, line.x + 21, line.y, 8, style, FIT_LEFT,
                   certainty_names[finding->certainty]);
    }
    canvas_fit(canvas, x, line.y, line.x + line.width - 1 - x,
               finding->severity == SEVERITY_WARNING ? STYLE_TEXT : STYLE_DIM, FIT_LEFT,
               finding->problem);
}

static void draw(struct view *view, struct canvas *canvas, struct area area)
{
    struct expert_state *state = view->state;
    const struct finding_list *findings = app_findings(view->app);
    bool is_judged;
    const char *none = expert_none(view->app->profile, &is_judged);
    const char *left_out = expert_left_out(findings, canvas->frame);
    size_t counts[3] = {0};
    for (size_t i = 0; i < findings->count; i++)
        counts[findings->items[i].severity]++;
    char findings_text[FORMAT_SIZE], notes_text[FORMAT_SIZE];
    if (is_judged)
        canvas_format(canvas, area.x + 1, area.y, area.width - 2, STYLE_STRONG,
                      "%s   %s   %zu not judged%s%s",
                      format_counted(findings_text, counts[SEVERITY_WARNING], "finding"),
                      format_counted(notes_text, counts[SEVERITY_NOTE], "note"),
                      counts[SEVERITY_NOT_JUDGED], left_out ? "   steps " : "",
                      left_out ? left_out : "");
    else
        canvas_text_in(canvas, area.x + 1, area.y, area.width - 2, STYLE_WARNING, none);
    if (findings->count == 0) {
        if (is_judged)
            canvas_text_in(canvas, area.x + 2, area.y + 2, area.width - 3, STYLE_GOOD, none);
        return;
    }
    if (state->cursor >= findings->count)
        state->cursor = findings->count - 1;
    int list = area.height / 2 < (int)findings->count ? area.height / 2 : (int)findings->count;
    list = list < 1 ? 1 : list;
    state->page = list;
    if (state->cursor < state->top)
        state->top = state->cursor;
    if (state->cursor >= state->top + (size_t)list)
        state->top = state->cursor - (size_t)list + 1;
    for (int i = 0; i < list && state->top + (size_t)i < findings->count; i++) {
        size_t at = state->top + (size_t)i;
        struct area line = {area.x, area.y + 1 + i, area.width, 1};
        line_draw(canvas, line, at + 1, &findings->items[at]);
        if (at == state->cursor)
            canvas_flag(canvas, line, CELL_CURSOR);
    }
    struct area detail = {area.x + 1, area.y + list + 1, area.width - 2, area.height - list - 1};
    if (detail.height > 2)
        finding_draw(view, canvas, detail, &findings->items[state->cursor]);
}

static bool act(struct view *view, enum action action)
{
    struct expert_state *state = view->state;
    const struct finding_list *findings = app_findings(view->app);
    size_t last = findings->count ? findings->count - 1 : 0;
    size_t page = state->page > 1 ? (size_t)state->page : 1;
    switch (action) {
    case ACTION_DOWN:
        state->cursor += state->cursor < last;
        return true;
    case ACTION_UP:
        state->cursor -= state->cursor > 0;
        return true;
    case ACTION_FIRST:
        state->cursor = 0;
        return true;
    case ACTION_LAST:
        state->cursor = last;
        return true;
    case ACTION_PAGE_DOWN:
    case ACTION_HALF_DOWN:
        state->cursor = state->cursor + page < last ? state->cursor + page : last;
        return true;
    case ACTION_PAGE_UP:
    case ACTION_HALF_UP:
        state->cursor = state->cursor > page ? state->cursor - page : 0;
        return true;
    case ACTION_ENTER:
        if (findings->count > 0) {
            view->app->finding_at = state->cursor;
            app_open_finding(view->app, &findings->items[state->cursor]);
        }
        return true;
    case ACTION_EXPLAIN:
        if (findings->count == 0)
            return false;
        app_explain_finding(view->app, &findings->items[state->cursor]);
        return true;
    default:
        return false;
    }
}

static const char *enters(struct view *view)
{
    struct expert_state *state = view->state;
    const struct finding_list *findings = app_findings(view->app);
    bool has_rows = state->cursor < findings->count && findings->items[state->cursor].opens;
    return has_rows ? "the rows that prove it" : NULL;
}

const struct view_class view_expert = {
    .name = "expert",
    .title = "Expert",
    .tab = "Expert",
    .digit = '5',
    .doc = "problems found, what to do, and the rows that prove it",
    .kinds = KIND_EXPERT,
    .state_size = sizeof(struct expert_state),
    .draw = draw,
    .act = act,
    .enters = enters,
    .saves = "expert",
};
