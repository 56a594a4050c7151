// SPDX-License-Identifier: Apache-2.0
// The findings: a list above, the finding under the cursor in full below.
#include <string.h>

#include "analysis/detectors/expert.h"
#include "base/text/format.h"
#include "base/text/text.h"
#include "ui/host.h"
#include "ui/state/view.h"
#include "ui/term/action.h"
#include "ui/term/canvas.h"
#include "ui/term/key.h"
#include "ui/term/style.h"
#include "ui/views/finding_text.h"
#include "ui/widgets/list.h"

enum { MAX_MARKS = 128 }; // there are a few dozen findings

struct expert_state {
    unsigned marks_of; // generation of the app that the marks belong to
    bool is_marked[MAX_MARKS];
    size_t cursor, top; // lines of the list
    int page;
    size_t text_line;          // line whose text is shown below
    int text_top, text_height; // lines of the text above its visible part; visible lines
    bool is_unfolded;          // findings by DLProf's rules are shown
    bool is_placed;            // the cursor has been placed; it starts on the first finding
};

// The lines of the list: findings, then one line (the fold) that hides or shows the findings by
// DLProf's rules, then these findings.
struct lines {
    const struct finding_list *findings;
    size_t open, folded; // number of findings before the fold and in it
    size_t count;        // number of lines
};

static struct lines lines_of(const struct view *view)
{
    const struct expert_state *state = view->state;
    struct lines lines = {.findings = host_findings(view->app)};
    lines.folded = expert_folded(lines.findings);
    lines.open = lines.findings->count - lines.folded;
    lines.count = lines.open + (lines.folded > 0) + (state->is_unfolded ? lines.folded : 0);
    return lines;
}

// Returns NULL for the line of the fold and for lines beyond the list.
static const struct finding *finding_of(const struct lines *lines, size_t line)
{
    if (line == lines->open || line >= lines->count)
        return NULL;
    return &lines->findings->items[line > lines->open ? line - 1 : line];
}

// Returns the mark of a finding; NULL if its index is MAX_MARKS or more. Marks are cleared when the
// findings change.
static bool *mark_of(struct view *view, const struct lines *lines, const struct finding *finding)
{
    struct expert_state *state = view->state;
    size_t at = (size_t)(finding - lines->findings->items);
    if (state->marks_of != host_generation(view->app))
        memset(state->is_marked, 0, sizeof state->is_marked);
    state->marks_of = host_generation(view->app);
    return at < MAX_MARKS ? &state->is_marked[at] : NULL;
}

static bool is_marked(struct view *view, const struct lines *lines, const struct finding *finding)
{
    const bool *mark = finding ? mark_of(view, lines, finding) : NULL;
    return mark && *mark;
}

// Copies the marked findings, or the one under the cursor if none is marked.
static void copy(struct view *view, const struct lines *lines, const struct finding *under)
{
    struct app *app = view->app;
    struct arena *arena = host_canvas(app)->frame;
    const char *text = "";
    size_t count = 0;
    for (size_t i = 0; i < lines->findings->count; i++) {
        const struct finding *finding = &lines->findings->items[i];
        if (!is_marked(view, lines, finding))
            continue;
        text = arena_format(arena, "%s%s%s", text, count++ ? "\n\n" : "",
                            expert_paragraph(lines->findings, finding, host_profile(app), arena));
    }
    char findings[FORMAT_SIZE];
    if (count)
        host_copy_lines(app, format_counted(findings, count, "marked finding"), text);
    else
        host_copy_text(app, "the finding",
                       expert_paragraph(lines->findings, under, host_profile(app), arena));
}

static const char *const severity_words[] = {
    [SEVERITY_NOTE] = "note", [SEVERITY_WARNING] = "warning", [SEVERITY_NOT_JUDGED] = "not judged"};
static const enum style severity_styles[] = {[SEVERITY_NOTE] = STYLE_DIM,
                                             [SEVERITY_WARNING] = STYLE_WARNING,
                                             [SEVERITY_NOT_JUDGED] = STYLE_DIM};

// Returns the number of lines of the list: the height minus the longest text below it, and at least
// a sixth of the height. It does not depend on the finding shown, so that the list keeps its size
// when the cursor moves.
static int list_height(const struct app *app, struct canvas *canvas, const struct lines *lines,
                       struct area area)
{
    int longest = 0, least = area.height / 6, all = (int)lines->count;
    for (size_t i = 0; i < lines->count; i++) {
        const struct finding *finding = finding_of(lines, i);
        struct area text = {area.x + 1, 0, area.width - 2, 0};
        int height = finding ? finding_lines(app, canvas, text, 0, finding) : 0;
        longest = height > longest ? height : longest;
    }
    int room = area.height - 2 - longest; // minus the heads of both parts
    room = room > least ? room : least;
    room = room < all ? room : all;
    return room < 1 ? 1 : room;
}

static void fold_draw(struct canvas *canvas, struct area line, const struct lines *lines,
                      bool is_unfolded)
{
    canvas_put(canvas, line.x + 2, line.y, STYLE_TREE, is_unfolded ? 0x25be : 0x25b8);
    canvas_format(canvas, line.x + 4, line.y, line.width - 5, STYLE_DIM, "%s",
                  expert_folded_text(lines->findings, canvas->frame));
}

static void fold_explain(struct canvas *canvas, struct area area, bool is_unfolded)
{
    canvas_rule(canvas, 0, area.y, canvas->width, "DLProf would also say");
    area.y++;
    area.height--;
    canvas_wrap(canvas, area, STYLE_DIM,
                arena_format(canvas->frame,
                             "What DLProf 1.8 and PyTorch's TensorBoard plugin say of this profile "
                             "by their own rules, without a measured share of the step. %s %s it.",
                             action_text("{enter}", canvas->frame),
                             is_unfolded ? "folds" : "unfolds"));
}

// Returns the text of a line: the problem, or the name of a detector that could not judge and the
// capture option that it needs, since several detectors may lack the same data.
static const char *line_text(const struct finding *finding, bool lacks_times, struct arena *arena)
{
    if (finding->severity != SEVERITY_NOT_JUDGED)
        return finding->problem;
    if (finding->flag && *finding->flag)
        return arena_format(arena, "%s: add %s", finding->detector->title, finding->flag);
    return lacks_times ? finding->problem : finding->detector->title;
}

static void line_draw(struct canvas *canvas, struct area line, size_t number,
                      const struct finding *finding, bool lacks_times)
{
    enum style style = severity_styles[finding->severity];
    bool is_wide = line.width >= 60;
    int x = line.x + (is_wide ? 30 : 15);
    if (number)
        canvas_format(canvas, line.x + 1, line.y, 3, STYLE_DIM, "%2zu", number);
    else if (finding->detector->is_about_capture)
        canvas_put(canvas, line.x + 2, line.y, STYLE_WARNING, 0x203c);
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
               text_display_units(canvas->frame, line_text(finding, lacks_times, canvas->frame),
                                  canvas->ascii));
}

// Draws the counts; the less important ones are dropped when they do not fit.
static void head_counts(struct view *view, struct canvas *canvas, struct area area)
{
    const struct finding_list *findings = host_findings(view->app);
    struct arena *frame = canvas->frame;
    const char *total = expert_total_text(findings, host_profile(view->app), canvas->ascii, frame);
    const char *omitted_steps = expert_cut_text(findings, frame);
    char found[FORMAT_SIZE], noted[FORMAT_SIZE], gain[FORMAT_SIZE];
    if (total && findings->lacks_times && area.width < 100) // drops words that are implied
        total = format_duration(gain, findings->gain_ns, canvas->ascii);
    const char *text =
        arena_format(frame, "%s%s%s   %s   %zu not judged",
                     format_counted(found, expert_count(findings, SEVERITY_WARNING), "finding"),
                     total ? ", at most " : "", total ? total : "",
                     format_counted(noted, expert_count(findings, SEVERITY_NOTE), "note"),
                     expert_count(findings, SEVERITY_NOT_JUDGED));
    const char *more[] = {host_is_comparing(view->app)
                              ? action_text("   {flip}: which are gone, which new", frame)
                              : "",
                          arena_format(frame, "   %zu clean", expert_passed_count(findings)),
                          omitted_steps ? arena_format(frame, "   steps %s", omitted_steps) : ""};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        if (canvas_width(text) + canvas_width(more[i]) <= area.width - 2)
            text = arena_format(frame, "%s%s", text, more[i]);
    canvas_text_in(canvas, area.x + 1, area.y, area.width - 2, STYLE_STRONG, text);
}

static void head_draw(struct view *view, struct canvas *canvas, struct area area)
{
    const struct finding_list *findings = host_findings(view->app);
    bool is_judged;
    const char *none = host_no_findings_text(view->app, &is_judged);
    if (host_findings_pending(view->app))
        canvas_text_in(canvas, area.x + 1, area.y, area.width - 2, STYLE_DIM,
                       host_is_previewing(view->app)  ? "as before: judged anew once one is taken"
                       : host_had_findings(view->app) ? "as before: being worked out anew ..."
                                                      : "being worked out ...");
    else if (is_judged)
        head_counts(view, canvas, area);
    else
        canvas_text_in(canvas, area.x + 1, area.y, area.width - 2, STYLE_WARNING, none);
    if (findings->count == 0 && is_judged && !host_findings_pending(view->app))
        canvas_text_in(canvas, area.x + 2, area.y + 2, area.width - 3, STYLE_GOOD, none);
}

static void draw(struct view *view, struct canvas *canvas, struct area area)
{
    struct expert_state *state = view->state;
    struct lines lines = lines_of(view);
    head_draw(view, canvas, area);
    if (lines.count == 0)
        return;
    for (; !state->is_placed && state->cursor + 1 < lines.open; state->cursor++)
        if (!lines.findings->items[state->cursor].detector->is_about_capture)
            break;
    state->is_placed = true;
    if (state->cursor >= lines.count)
        state->cursor = lines.count - 1;
    int list = list_height(view->app, canvas, &lines, area);
    state->page = list;
    state->top = list_top(state->top, state->cursor, list, lines.count);
    for (int i = 0; i < list && state->top + (size_t)i < lines.count; i++) {
        size_t at = state->top + (size_t)i;
        struct area line = {area.x, area.y + 1 + i, area.width, 1};
        const struct finding *finding = finding_of(&lines, at);
        if (finding)
            line_draw(canvas, line, expert_number(lines.findings, finding), finding,
                      lines.findings->lacks_times);
        else
            fold_draw(canvas, line, &lines, state->is_unfolded);
        if (is_marked(view, &lines, finding)) {
            canvas_put(canvas, line.x, line.y, STYLE_MARK, '*');
            canvas_flag(canvas, line, CELL_MARK);
        }
        if (at == state->cursor)
            canvas_flag(canvas, line, CELL_CURSOR);
    }
    scroll_thumb_draw(canvas, area.x + area.width - 1, area.y + 1, list, state->top, lines.count);
    struct area detail = {area.x + 1, area.y + list + 1, area.width - 2, area.height - list - 1};
    const struct finding *finding = finding_of(&lines, state->cursor);
    if (state->text_line != state->cursor)
        state->text_top = 0;
    state->text_line = state->cursor;
    state->text_height = detail.height > 2 ? detail.height - 1 : 1;
    if (detail.height > 2 && finding)
        finding_draw(view->app, canvas, detail, finding, &state->text_top);
    else if (detail.height > 2)
        fold_explain(canvas, detail, state->is_unfolded);
}

// The lower bound is applied here, the upper one when the text is drawn.
static void text_scroll(struct expert_state *state, int lines)
{
    state->text_top = state->text_top + lines > 0 ? state->text_top + lines : 0;
}

// Opens or closes the fold. On opening, scrolls the list so that the unfolded lines are visible,
// but not beyond the line of the fold.
static void fold_toggle(struct expert_state *state, const struct lines *lines)
{
    size_t page = state->page > 1 ? (size_t)state->page : 1, end = lines->open + lines->folded;
    state->is_unfolded = !state->is_unfolded;
    if (state->is_unfolded && end >= state->top + page)
        state->top = end - page + 1 < lines->open ? end - page + 1 : lines->open;
}

static bool act(struct view *view, enum action action)
{
    struct expert_state *state = view->state;
    struct app *app = view->app;
    struct lines lines = lines_of(view);
    const struct finding *finding = finding_of(&lines, state->cursor);
    size_t last = lines.count ? lines.count - 1 : 0;
    if (list_move(action, &state->cursor, last, state->page > 1 ? (size_t)state->page : 1))
        return true;
    switch (action) {
    case ACTION_ENTER:
        if (finding) {
            host_open_finding(app, finding);
        } else if (lines.folded) {
            fold_toggle(state, &lines);
        }
        return true;
    case ACTION_DETAIL_DOWN:
    case ACTION_DETAIL_UP:
        text_scroll(state, action == ACTION_DETAIL_DOWN ? state->text_height : -state->text_height);
        return true;
    case ACTION_EXPLAIN:
        if (finding)
            host_explain_finding(app, finding);
        return finding != NULL;
    case ACTION_MARK:
        if (finding && mark_of(view, &lines, finding))
            *mark_of(view, &lines, finding) ^= true;
        state->cursor += state->cursor < last;
        return true;
    case ACTION_COPY:
        if (finding)
            copy(view, &lines, finding);
        return finding != NULL;
    default:
        return false;
    }
}

// A click chooses a line, and on its fold sign folds it. A double click opens the evidence of the
// line. The wheel over the text scrolls the text.
static bool point(struct view *view, uint32_t key, int x, int y)
{
    // Column of the fold sign in its line (fold_draw).
    enum { FOLD_SIGN = 2 };
    struct expert_state *state = view->state;
    struct area area = view_room(view);
    struct lines lines = lines_of(view);
    int line = y - area.y - 1;
    size_t at = state->top + (size_t)(line > 0 ? line : 0);
    bool is_click = key == KEY_CLICK || key == KEY_DOUBLE_CLICK;
    if ((key == KEY_WHEEL_DOWN || key == KEY_WHEEL_UP) && line >= state->page) {
        text_scroll(state, key == KEY_WHEEL_DOWN ? 1 : -1);
        return true;
    }
    if (!is_click || line < 0 || line >= state->page || at >= lines.count)
        return false;
    state->cursor = at;
    bool is_fold =
        !finding_of(&lines, at) && (x == area.x + FOLD_SIGN || x == area.x + FOLD_SIGN + 1);
    return (key == KEY_CLICK && !is_fold) || act(view, ACTION_ENTER);
}

static const char *enters(struct view *view)
{
    struct expert_state *state = view->state;
    struct lines lines = lines_of(view);
    const struct finding *finding = finding_of(&lines, state->cursor);
    if (!finding && lines.folded)
        return state->is_unfolded ? "folds" : "unfolds";
    return finding ? finding_enters(finding) : NULL;
}

static const struct finding *finding(struct view *view)
{
    const struct expert_state *state = view->state;
    struct lines lines = lines_of(view);
    return finding_of(&lines, state->cursor);
}

#define FOLD_PLACE "(folded)" // the line that folds findings by DLProf's rules

// Saves whether the fold is open, then the finding by name.
static const char *keep(struct view *view, struct arena *arena)
{
    const struct expert_state *state = view->state;
    struct lines lines = lines_of(view);
    const struct finding *here = finding_of(&lines, state->cursor);
    const char *unfolds = state->is_unfolded ? "row " FOLD_PLACE "\nenter\n" : "";
    if (lines.count == 0)
        return "";
    return arena_format(arena, "%srow %s", unfolds, here ? here->id : FOLD_PLACE);
}

static bool go(struct view *view, const char *place)
{
    struct expert_state *state = view->state;
    struct lines lines = lines_of(view);
    size_t line = 0;
    bool is_fold = strcmp(place, FOLD_PLACE) == 0 && lines.folded > 0;
    while (line < lines.count) {
        const struct finding *here = finding_of(&lines, line);
        if (here ? strcmp(here->id, place) == 0 : is_fold)
            break;
        line++;
    }
    if (line == lines.count)
        return false;
    state->cursor = line;
    state->is_placed = true;
    return true;
}

static bool legend(struct view *view, size_t i, struct view_legend *legend)
{
    static const struct view_legend parts[] = {
        {"first figure", "what a step gains at most; an instant counts for one finding only"},
        {"second", "that in percent of the step of the GPU that the others wait for"},
        {"certain", "certain, likely or possible: how much of it is seen, and how much assumed"},
        {"What", "the problem, with its figures of a step"},
        {"Why", "what shows it"},
        {"Do", "what to try"},
        {"Bound", "what the gain is the sum of"},
        {"Where", "places of the op tree and lines of the program"},
        {"Capture", "what would tell more, once recorded"},
        {"Proof", "the rows that {enter} opens"},
    };
    (void)view;
    if (i >= sizeof parts / sizeof *parts)
        return false;
    *legend = parts[i];
    return true;
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
    .point = point,
    .enters = enters,
    .finding = finding,
    .lists_findings = true,
    .legend = legend,
    .keep = keep,
    .go = go,
    .saves = "expert",
    .flip = "findings",
    .flip_label = "Rows",
};
