// SPDX-License-Identifier: Apache-2.0
// Explains why a step takes longer or shorter than the median step: a list of differences that add
// up to the difference of the two steps (analysis/idle/step_difference.h).
#include "ui/views/steps_why.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/breakdown/breakdown.h"
#include "analysis/idle/step_difference.h"
#include "base/text/format.h"
#include "ui/host.h"
#include "ui/state/scope.h"
#include "ui/state/steps.h"
#include "ui/term/canvas.h"
#include "ui/term/style.h"
#include "ui/widgets/bars.h"

// ---- the difference -----------------------------------------------------------------------------

struct why_call {
    struct app *app;
    struct selection selection;
};

static bool why_body(void *context, struct error *error)
{
    struct why_call *call = context;
    struct steps_why *why = host_steps_why(call->app);
    (void)error;
    why->difference = step_difference_of(host_profile(call->app), &call->selection,
                                         host_scope(call->app)->iterations, why->step, why->arena);
    return true;
}

// Returns the difference from the median step of the set, cached until the step, the set or the
// scope changes. NULL: out of memory.
static const struct step_difference *difference_get(struct app *app, enum name_form names)
{
    struct steps_why *why = host_steps_why(app);
    if (why->is_known && why->generation == host_generation(app) && why->names == names &&
        why->step == host_step(app))
        return &why->difference;
    if (!why->arena)
        why->arena = arena_new(0);
    if (!why->arena)
        return NULL;
    arena_reset(why->arena);
    *why = (struct steps_why){.arena = why->arena,
                              .generation = host_generation(app),
                              .names = names,
                              .step = host_step(app)};
    struct why_call call = {app, host_selection(app)};
    call.selection.names = names;
    why->is_known = arena_run(why->arena, why_body, &call, NULL);
    return why->is_known ? &why->difference : NULL;
}

// ---- the rows -----------------------------------------------------------------------------------

static const char *delta_text(struct canvas *canvas, int64_t delta)
{
    char text[FORMAT_SIZE];
    return arena_format(canvas->frame, "%s%s", delta < 0 ? "-" : "+",
                        format_duration(text, llabs(delta), canvas->ascii));
}

// Returns true if `what` equals the last name of the path `where`, so that the path alone is shown.
static bool says_place(const struct difference_row *row)
{
    return row->kind == DIFFERENCE_WORK && row->rows > 1;
}

// Returns the end of a path that is too long, because its last names are the most specific: the
// names that fit, and one more to be shortened if at least MIN_CUT columns are left for it.
static const char *path_end(const char *path, int room)
{
    enum { MIN_CUT = 7 };
    for (const char *next; canvas_width(path) > room; path = next) {
        next = strstr(path, " > ");
        if (!next)
            break;
        next += 3;
        if (canvas_width(next) + MIN_CUT <= room)
            break;
    }
    return path;
}

static const char *figures_text(struct canvas *canvas, const struct difference_row *row)
{
    char here[FORMAT_SIZE], median[FORMAT_SIZE], count[FORMAT_SIZE];
    if (row->kind == DIFFERENCE_REST)
        return arena_format(canvas->frame, "%s, each under %s",
                            format_counted(count, row->rows, "row"),
                            format_duration(here, row->under_ns, canvas->ascii));
    return arena_format(canvas->frame, "%s instead of %s",
                        format_duration(here, row->here_ns, canvas->ascii),
                        format_duration(median, row->median_ns, canvas->ascii));
}

enum { DELTA = 9, MARK = 4 }; // columns of the difference, and of the row's part of the bar

struct why_columns {
    int text;    // columns of `what` and its place; 0: too narrow for figures
    int what;    // columns of `what` within `text`, at most half of it
    int figures; // at the right edge
};

static struct why_columns columns_of(struct canvas *canvas,
                                     const struct step_difference *difference, int width)
{
    // With less room than this for the texts, figures are omitted.
    enum { MIN_TEXT = 12 };
    struct why_columns columns = {0};
    for (size_t i = 0; i < difference->count; i++) {
        int figures = canvas_width(figures_text(canvas, &difference->rows[i]));
        columns.figures = figures > columns.figures ? figures : columns.figures;
    }
    columns.text = width - DELTA - MARK - columns.figures - 2;
    columns.text = columns.text < MIN_TEXT ? 0 : columns.text;
    for (size_t i = 0; i < difference->count; i++) {
        const struct difference_row *row = &difference->rows[i];
        int what = canvas_width(row->what);
        if (row->kind != DIFFERENCE_REST && !says_place(row) && what <= columns.text / 2)
            columns.what = what > columns.what ? what : columns.what;
    }
    return columns;
}

static void row_draw(struct canvas *canvas, struct area line, const struct why_columns *columns,
                     const struct difference_row *row, int64_t whole_ns)
{
    enum style style = llabs(row->delta_ns) > whole_ns / 50 ? STYLE_STRONG : STYLE_DIM;
    int x = line.x + DELTA + MARK, right = line.x + line.width - 1, room = columns->text;
    canvas_fit(canvas, line.x, line.y, DELTA, style, FIT_RIGHT, delta_text(canvas, row->delta_ns));
    if (row->kind != DIFFERENCE_REST)
        canvas_put(canvas, line.x + DELTA + 2, line.y,
                   category_style(&breakdown_gpu, row->category),
                   category_glyph(&breakdown_gpu, row->category, canvas->ascii));
    if (room == 0) {
        canvas_fit(canvas, x, line.y, right + 1 - x, style, FIT_MIDDLE, row->what);
        return;
    }
    canvas_fit(canvas, right - columns->figures, line.y, columns->figures, STYLE_DIM, FIT_RIGHT,
               figures_text(canvas, row));
    const char *what = says_place(row) ? path_end(row->where, room) : row->what;
    int width = canvas_width(what);
    canvas_fit(canvas, x, line.y, width < room ? width : room, STYLE_TEXT, FIT_MIDDLE, what);
    width = width < columns->what ? columns->what : width;
    if (!says_place(row) && room - width > 8)
        canvas_fit(canvas, x + width + 3, line.y, room - width - 4, STYLE_DIM, FIT_MIDDLE,
                   path_end(row->where, room - width - 4));
}

// Draws the parts of the step, when there is no step to compare it with.
static void parts_draw(struct app *app, struct canvas *canvas, struct area area)
{
    const struct steps *steps = app_steps(app);
    uint32_t step = host_step(app);
    int64_t step_ns = steps->duration_ns[step];
    int y = area.y;
    for (size_t c = 0; c < breakdown_gpu.count && y < area.y + area.height && step_ns > 0; c++) {
        int64_t ns = steps->parts[step].ns[c];
        char time[FORMAT_SIZE], percent[FORMAT_SIZE];
        if (ns == 0)
            continue;
        canvas_put(canvas, area.x, y, category_style(&breakdown_gpu, c),
                   category_glyph(&breakdown_gpu, c, canvas->ascii));
        canvas_fit(canvas, area.x + 2, y, 24, STYLE_TEXT, FIT_LEFT,
                   breakdown_gpu.categories[c].title);
        canvas_fit(canvas, area.x + 27, y, 9, STYLE_STRONG, FIT_RIGHT,
                   format_duration(time, ns, canvas->ascii));
        format_percent(percent, (double)ns / (double)step_ns);
        canvas_fit(canvas, area.x + 37, y++, 6, STYLE_DIM, FIT_RIGHT,
                   arena_format(canvas->frame, "%s%%", percent));
    }
    if (y == area.y && area.height > 0)
        canvas_text_in(canvas, area.x, y, area.width, STYLE_DIM, "no GPU work in it");
}

// Returns the title with `more` appended if all of it fits.
static const char *with_more(struct canvas *canvas, const char *text, const char *more)
{
    bool fits = canvas_width(text) + canvas_width(more) + 6 <= canvas->width;
    return fits ? arena_format(canvas->frame, "%s%s", text, more) : text;
}

// Returns "Step 17: 600 ms, +184 ms against step 10, the median; what differs, adding up to it".
static const char *title_text(struct app *app, struct canvas *canvas,
                              const struct step_difference *difference)
{
    const struct split *split = host_scope(app)->split;
    uint32_t step = host_step(app);
    const char *unit = split_words_of(split)->one;
    int64_t step_ns = app_steps(app)->duration_ns[step], host_ns = app_steps(app)->host_ns[step];
    char time[FORMAT_SIZE];
    const char *text = arena_format(
        canvas->frame, "%s: %s", host_step_title(app, step, canvas->frame),
        step_ns == UNKNOWN ? "nothing ran" : format_duration(time, step_ns, canvas->ascii));
    if (difference && !difference->why_none)
        text = arena_format(canvas->frame, "%s, %s against %s %" PRId64 ", %s", text,
                            delta_text(canvas, difference->delta_ns), unit,
                            split->number[difference->median], difference->role);
    else if (difference && difference->step == difference->median &&
             app_step_statistics(app).count > 1)
        text = arena_format(canvas->frame, "%s, %s", text, difference->role);
    const char *reason =
        split->is_cut && split->is_cut[step] ? split_words_of(split)->cut : "not in the set";
    if (!host_step_is_selected(app, step))
        text = arena_format(canvas->frame, "%s   %s", text, reason);
    if (app_steps(app)->count > 1 && step_host_differs(step_ns, host_ns))
        text = with_more(canvas, text,
                         arena_format(canvas->frame, "   on the host %s",
                                      format_duration(time, host_ns, canvas->ascii)));
    bool has_rows = difference && !difference->why_none;
    return with_more(canvas, text, has_rows ? "; what differs, adding up to it" : "");
}

void steps_why_draw(struct app *app, struct canvas *canvas, struct area area, enum name_form names)
{
    // Width of the parts of the step, drawn at the left from PARTS_FROM columns on; maximum width
    // of rows.
    enum { PARTS_WIDTH = 50, PARTS_FROM = 150, MAX_ROWS_WIDTH = 120 };
    const struct step_difference *difference = difference_get(app, names);
    canvas_rule(canvas, 0, area.y, canvas->width, title_text(app, canvas, difference));
    area.y++;
    area.height--;
    bool has_rows = difference && !difference->why_none;
    if (!has_rows || area.width >= PARTS_FROM)
        parts_draw(app, canvas, area);
    if (!has_rows || area.height < 1)
        return;
    if (area.width >= PARTS_FROM) {
        area.x += PARTS_WIDTH;
        area.width =
            area.width - PARTS_WIDTH > MAX_ROWS_WIDTH ? MAX_ROWS_WIDTH : area.width - PARTS_WIDTH;
    }
    struct step_difference folded =
        step_difference_fold(difference, (size_t)area.height, canvas->frame);
    struct why_columns columns = columns_of(canvas, &folded, area.width);
    for (size_t i = 0; i < folded.count; i++)
        row_draw(canvas, (struct area){area.x, area.y + (int)i, area.width, 1}, &columns,
                 &folded.rows[i], difference->here_ns);
}
