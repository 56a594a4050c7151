// SPDX-License-Identifier: Apache-2.0
// The axis of the timeline: round times, and where the steps of the run begin.
#include <inttypes.h>

#include "ui/host.h"
#include "ui/state/scope.h"
#include "ui/state/view.h"
#include "ui/term/canvas.h"
#include "ui/term/style.h"
#include "ui/timeline/timeline_view.h"

enum { TICK_COLUMNS = 12 }; // minimum distance of two times

// Returns the smallest of 1, 2 or 5 times a power of ten that is at least `least`.
static int64_t round_up_tick(int64_t least)
{
    int64_t power = 1;
    while (power <= INT64_MAX / 100 && power * 10 <= least)
        power *= 10;
    return power >= least       ? power
           : power * 2 >= least ? power * 2
           : power * 5 >= least ? power * 5
                                : power * 10;
}

// The times at the ticks are whole numbers of a unit: "565 µs". The part that all times have in
// common (`base`, a multiple of 1000 units) is written once at the left edge and subtracted from
// them.
struct ruler {
    int64_t tick, unit, base;
    const char *unit_name;
};

static const struct {
    int64_t ns;
    const char *name, *ascii;
} units[] = {{1000000000, "s", "s"}, {1000000, "ms", "ms"}, {1000, "µs", "us"}, {1, "ns", "ns"}};

static struct ruler ruler_make(int64_t from, int64_t to, uint32_t cells, bool ascii)
{
    uint64_t span = (uint64_t)to - (uint64_t)from;
    struct ruler ruler = {.tick = round_up_tick((int64_t)(span / cells + 1) * TICK_COLUMNS)};
    size_t u = 0;
    while (units[u].ns > ruler.tick)
        u++;
    ruler.unit = units[u].ns;
    ruler.unit_name = ascii ? units[u].ascii : units[u].name;
    if (u > 0) {
        int64_t thousand = units[u - 1].ns;
        ruler.base = from / thousand * thousand;
        ruler.base -= ruler.base > from ? thousand : 0;
        // Less than 10000 units from the start of the run, times are written in full.
        ruler.base = from >= 0 && to < 10 * thousand ? 0 : ruler.base;
    }
    return ruler;
}

static void base_draw(struct canvas *canvas, const struct timeline_layout *layout,
                      const struct ruler *ruler)
{
    if (ruler->base == 0)
        return;
    size_t u = 0;
    while (u + 1 < sizeof units / sizeof *units && ruler->base % units[u].ns != 0)
        u++;
    int64_t seconds = ruler->base / units[0].ns, rest = ruler->base % units[0].ns;
    int digits = u == 0 ? 0 : u == 1 ? 3 : 6;
    rest = rest < 0 ? -rest : rest;
    rest /= u == 0 ? units[0].ns : u == 1 ? 1000000 : 1000;
    const char *text = digits == 0 ? arena_format(canvas->frame, "%" PRId64 " s +", seconds)
                                   : arena_format(canvas->frame, "%s%" PRId64 ".%0*" PRId64 " s +",
                                                  ruler->base < 0 && seconds == 0 ? "-" : "",
                                                  seconds, digits, rest);
    canvas_fit(canvas, 1, layout->ruler, layout->label - 1, STYLE_DIM, FIT_RIGHT, text);
}

// Draws the ticks with their times, except over `mark`, the column where the chosen item begins.
static void times_draw(const struct timeline_state *state, struct canvas *canvas,
                       const struct timeline_layout *layout, int mark)
{
    struct ruler ruler = ruler_make(state->from, state->to, layout->cells, canvas->ascii);
    int64_t time = state->from / ruler.tick * ruler.tick;
    base_draw(canvas, layout, &ruler);
    for (time -= time < state->from ? 0 : ruler.tick; time < state->to; time += ruler.tick) {
        if (time < state->from)
            continue;
        int at = layout->x + (int)timeline_cell_of(state->from, state->to, layout->cells, time);
        const char *text = arena_format(canvas->frame, "%" PRId64 " %s",
                                        (time - ruler.base) / ruler.unit, ruler.unit_name);
        int end = at + 1 + canvas_width(text);
        canvas_put(canvas, at, layout->ruler, STYLE_RULE, 0x2502);
        if (end <= layout->x + (int)layout->cells && (mark < at || mark > end))
            canvas_text(canvas, at + 1, layout->ruler, STYLE_DIM, text);
    }
}

// ---- steps -------------------------------------------------------------------------------------

// Finds the begin and end of a step by the clock of a lane's GPU, or else of its process. Returns
// false if they are unknown.
static bool step_window(const struct profile *profile, const struct split *split,
                        const struct lane *lane, uint32_t step, struct timeline_span *window)
{
    *window = (struct timeline_span){split->start[step], split->stop[step]};
    if (lane->device < profile->device_count && split->gpu_start && split->gpu_stop) {
        size_t at = (size_t)lane->device * split->count + step;
        *window = (struct timeline_span){split->gpu_start[at], split->gpu_stop[at]};
    } else if (lane->process < profile->process_count && split->process_start) {
        size_t at = (size_t)lane->process * split->count + step;
        *window = (struct timeline_span){split->process_start[at], split->process_stop[at]};
    }
    return window->from != UNKNOWN && window->to != UNKNOWN && window->to > window->from;
}

static int column_of(const struct timeline_state *state, const struct timeline_layout *layout,
                     int64_t time)
{
    if (time <= state->from)
        return layout->x;
    if (time >= state->to)
        return layout->x + (int)layout->cells;
    return layout->x + (int)timeline_cell_of(state->from, state->to, layout->cells, time);
}

static void steps_draw(struct view *view, struct canvas *canvas,
                       const struct timeline_layout *layout, const struct lane *lane)
{
    const struct timeline_state *state = view->state;
    const struct app *app = view->app;
    const struct split *split = host_scope(app)->split;
    struct selection selection = view_selection(view);
    int free_from = layout->x; // first column right of the last number
    canvas_text_in(canvas, 2, layout->steps, layout->label - 2, STYLE_DIM,
                   split_words_of(split)->several);
    for (uint32_t step = 0; step < split->count; step++) {
        struct timeline_span window;
        if (!step_window(host_profile(app), split, lane, step, &window) ||
            window.to <= state->from || window.from >= state->to)
            continue;
        bool is_in = selection_has_iteration(&selection, step);
        enum style style = is_in ? STYLE_TEXT : STYLE_EXCLUDED;
        int left = column_of(state, layout, window.from);
        int right = column_of(state, layout, window.to);
        right = right > left ? right : left + 1;
        for (int x = left; x < right; x++)
            canvas_put(canvas, x, layout->steps, is_in ? STYLE_RULE : STYLE_EXCLUDED,
                       is_in ? 0x2500 : ':');
        if (window.from >= state->from)
            canvas_put(canvas, left, layout->steps, style, 0x251c);
        const char *number = arena_format(canvas->frame, "%" PRId64, split->number[step]);
        int need = canvas_width(number), x = left + (window.from >= state->from);
        if (x >= free_from && x + need <= right) {
            canvas_text(canvas, x, layout->steps, style, number);
            free_from = x + need + 1;
        }
    }
}

// Returns the column where the chosen item begins; -1 if it is not visible.
static int chosen_column(struct view *view, struct canvas *canvas,
                         const struct timeline_layout *layout)
{
    const struct timeline_state *state = view->state;
    struct selection selection = view_selection(view);
    const struct timeline *timeline =
        timeline_of(host_profile(view->app), &selection, canvas->frame);
    struct timeline_span span;
    if (!timeline_chosen(view, timeline, &span) || !timeline_shows_span(state, &span))
        return -1;
    return column_of(state, layout, span.from);
}

void timeline_ruler_draw(struct view *view, struct canvas *canvas,
                         const struct timeline_layout *layout, const struct lane *lane)
{
    enum { MAX_STEPS = 1 << 17 }; // only a malicious file has more
    const struct split *split = host_scope(view->app)->split;
    int mark = chosen_column(view, canvas, layout);
    times_draw(view->state, canvas, layout, mark);
    if (layout->steps >= 0 && split->count <= MAX_STEPS)
        steps_draw(view, canvas, layout, lane);
    if (mark >= 0)
        canvas_put(canvas, mark, layout->ruler, STYLE_MARK, 0x25bc);
}
