// SPDX-License-Identifier: Apache-2.0
// Source lines with their costs, and the lines of the file near the line under the cursor if the
// file is on this machine.
#include <string.h>

#include "base/text/format.h"
#include "base/text/text.h"
#include "base/text/text_file.h"
#include "ui/actions/table_view.h"
#include "ui/host.h"
#include "ui/state/view.h"
#include "ui/table/table.h"
#include "ui/term/action.h"
#include "ui/term/canvas.h"
#include "ui/term/source_file.h"
#include "ui/term/style.h"

// Longer files are not read, longer lines are cut. SPLIT_WIDTH: width from which the text is at the
// right of the table.
enum { MAX_FILE_BYTES = 8 << 20, MAX_LINE_BYTES = 2000, SPLIT_WIDTH = 120, TAB_WIDTH = 4 };

struct source_state {
    struct arena *arena; // of the file
    bool hides_text;
    bool was_searched;
    string_id name;             // path of the file as recorded
    unsigned serial;            // serial of the app when the file was read
    const char *path, *problem; // problem: why there is no text; NULL: there is text
    char problem_text[sizeof((struct error *)NULL)->message];
    struct text_file file;
};

struct source_reading {
    struct source_state *state;
    const char *recorded, *root;
};

static bool read_body(void *context, struct error *error)
{
    struct source_reading *reading = context;
    struct source_state *state = reading->state;
    const char *path = source_file_find(reading->recorded, reading->root, state->arena);
    if (!path)
        return error_set(error, ERROR_IO,
                         "not on this machine; :source-root FOLDER says where the program is");
    state->path = path;
    return text_file_read_lines(path, MAX_FILE_BYTES, state->arena, &state->file, error);
}

// Reads the file of a line when it differs from the file read last.
static void source_read(struct view *view, const struct program_line *line)
{
    struct source_state *state = view->state;
    struct app *app = view->app;
    struct error error = {0};
    if (state->was_searched && state->name == line->file &&
        state->serial == host_source_serial(app))
        return;
    arena_free(state->arena);
    *state = (struct source_state){.hides_text = state->hides_text,
                                   .was_searched = true,
                                   .name = line->file,
                                   .serial = host_source_serial(app)};
    state->arena = arena_new(0);
    if (!state->arena) {
        state->problem = "out of memory";
        return;
    }
    struct source_reading reading = {state, profile_text(host_profile(app), line->file),
                                     host_source_root(app)};
    if (!arena_run(state->arena, read_body, &reading, &error)) {
        snprintf(state->problem_text, sizeof state->problem_text, "%s", error.message);
        state->problem = state->problem_text;
    }
}

// ---- drawing -----------------------------------------------------------------------------------

// Expands tabs to blanks, up to the next column that is a multiple of TAB_WIDTH.
static const char *shown_text(const char *text, size_t length, struct arena *arena)
{
    length = length > MAX_LINE_BYTES ? MAX_LINE_BYTES : length;
    char *out = arena_alloc(arena, length * TAB_WIDTH + 1, 1);
    size_t used = 0;
    for (size_t i = 0; i < length; i++) {
        do
            out[used++] = text[i] == '\t' ? ' ' : text[i];
        while (text[i] == '\t' && used % TAB_WIDTH != 0);
    }
    return text_safe(arena, out, used, true);
}

static void lines_draw(const struct source_state *state, uint32_t line, struct canvas *canvas,
                       struct area area)
{
    size_t at = line > 0 && line <= state->file.count ? line - 1 : 0;
    size_t page = (size_t)area.height, top = at > page / 2 ? at - page / 2 : 0;
    if (top + page > state->file.count)
        top = state->file.count > page ? state->file.count - page : 0;
    for (size_t i = 0; i < page && top + i < state->file.count; i++) {
        size_t length, n = top + i;
        const char *text = text_file_line(&state->file, n, &length);
        bool is_cursor_line = line > 0 && n + 1 == line;
        int y = area.y + (int)i;
        canvas_fit(canvas, area.x, y, 6, is_cursor_line ? STYLE_STRONG : STYLE_DIM, FIT_RIGHT,
                   arena_format(canvas->frame, "%zu", n + 1));
        if (is_cursor_line)
            canvas_put(canvas, area.x + 6, y, STYLE_KEY, 0x25b6);
        canvas_fit(canvas, area.x + 8, y, area.width - 8,
                   is_cursor_line ? STYLE_STRONG : STYLE_TEXT, FIT_LEFT,
                   shown_text(text, length, canvas->frame));
        if (is_cursor_line)
            canvas_flag(canvas, (struct area){area.x + 8, y, area.width - 8, 1}, CELL_MARK);
    }
}

static const struct program_line *cursor_line(const struct view *view)
{
    const void *row = view->report ? table_row(&view->table) : NULL;
    const struct column *column = report_column(view->report, "source_line");
    struct value value = row && column ? column->get(row) : value_none();
    return value.kind == VALUE_TEXT
               ? profile_line(host_profile(view->app),
                              strings_find(host_profile(view->app)->strings, value.text))
               : NULL;
}

// Returns why a line has no text to show; NULL: the text has been read.
static const char *text_lacks(struct view *view, const struct program_line *line)
{
    struct source_state *state = view->state;
    if (!line)
        return "No line of the program is known of this row.";
    if (line->file == STRING_NONE)
        return "Which file this is of is not told, or several files have lines that are written "
               "so.";
    source_read(view, line);
    if (state->problem)
        return state->problem;
    if (state->file.count == 0)
        return "The file is empty.";
    char count[FORMAT_SIZE];
    if (line->line > state->file.count)
        return arena_format(host_canvas(view->app)->frame,
                            "The file has %s now and no line %u: it has changed since.",
                            format_counted(count, state->file.count, "line"), line->line);
    return NULL;
}

static const char *text_title(const struct view *view, const struct program_line *line)
{
    const struct source_state *state = view->state;
    if (!line || line->file == STRING_NONE)
        return "Text";
    const char *name =
        state->problem ? profile_text(host_profile(view->app), line->file) : state->path;
    return text_safe(host_canvas(view->app)->frame, name, strlen(name), true);
}

static void text_draw(struct view *view, const struct program_line *line, const char *lacks,
                      struct canvas *canvas, struct area area)
{
    canvas_rule(
        canvas, area.x, area.y, area.width,
        text_cut(canvas->frame, text_title(view, line), area.width - 8, true, canvas->ascii));
    area.y++;
    area.height--;
    if (lacks)
        canvas_wrap(canvas, (struct area){area.x + 1, area.y, area.width - 2, area.height},
                    STYLE_DIM, lacks);
    else
        lines_draw(view->state, line->line, canvas, area);
}

static void draw(struct view *view, struct canvas *canvas, struct area area)
{
    const struct source_state *state = view->state;
    struct area text = area;
    const char *lacks = NULL;
    const struct program_line *line = NULL;
    bool shows_text = !state->hides_text && view->table.rows.count > 0 && area.height >= 10 &&
                      table_update(&view->table, NULL);
    if (shows_text) {
        line = cursor_line(view);
        lacks = text_lacks(view, line);
    }
    if (!shows_text) {
        text.height = 0;
    } else if (canvas->width >= SPLIT_WIDTH) {
        area.width = area.width / 2;
        text.x += area.width;
        text.width -= area.width;
    } else {
        text.height = lacks ? 3 : area.height / 2;
        area.height -= text.height;
        text.y += area.height;
    }
    table_view_draw(view, canvas, area);
    if (text.height > 0)
        text_draw(view, line, lacks, canvas, text);
}

static bool act(struct view *view, enum action action)
{
    struct source_state *state = view->state;
    if (action != ACTION_FLIP)
        return table_view_act(view, action);
    state->hides_text = !state->hides_text;
    return true;
}

static void close(struct view *view)
{
    struct source_state *state = view->state;
    arena_free(state->arena);
    *state = (struct source_state){.hides_text = state->hides_text};
}

const struct view_class view_source = {
    .name = "source",
    .title = "Source",
    .report = "source",
    .doc = "lines of the program: what they launch, wait for and cost; their text",
    .kinds = KIND_TABLE,
    .state_size = sizeof(struct source_state),
    .draw = draw,
    .act = act,
    .enters = table_view_enters,
    .close = close,
    .flip_label = "Text",
};
