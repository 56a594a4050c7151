// SPDX-License-Identifier: Apache-2.0
// The list of runs in a folder, to choose one. It is a table of its own, outside of views, because
// no profile is open yet.
#include "ui/app/runs.h"

#include <string.h>

#include "base/text/format.h"
#include "base/text/text.h"
#include "ui/table/table.h"
#include "ui/term/action.h"
#include "ui/term/canvas.h"
#include "ui/term/key.h"
#include "ui/term/style.h"
#include "ui/widgets/line_edit.h"
#include "ui/widgets/list.h"

// ---- the rows ----------------------------------------------------------------------------------

static struct value get_name(const void *row)
{
    return value_text(((const struct folder_run *)row)->name);
}

static struct value get_formats(const void *row)
{
    return value_text(((const struct folder_run *)row)->formats);
}

static struct value get_workers(const void *row)
{
    return value_integer((int64_t)((const struct folder_run *)row)->workers);
}

static struct value get_files(const void *row)
{
    return value_integer((int64_t)((const struct folder_run *)row)->count);
}

static struct value get_bytes(const void *row)
{
    return value_integer(((const struct folder_run *)row)->bytes);
}

static struct value get_newest(const void *row)
{
    return value_text(((const struct folder_run *)row)->newest);
}

static const struct column columns[] = {
    {"run", "Run", "run", UNIT_TEXT, get_name, "The folder that its files lie in.", COLUMN_NAME},
    {"workers", "Workers", "workers", UNIT_COUNT, get_workers,
     "Processes that files are of, by their names: one may have several windows.", 0},
    {"files", "Files", "files", UNIT_COUNT, get_files, "Profiles that are opened together.", 0},
    {"size", "Size (B)", "size", UNIT_BYTES, get_bytes, "Of the files, as they lie there.", 0},
    {"newest", "Newest", "newest file", UNIT_TEXT, get_newest, "When a file last changed.", 0},
    {"formats", "Formats", "format", UNIT_TEXT, get_formats, "What the files are.", 0},
};

static struct rows build(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    (void)profile, (void)selection, (void)arena;
    return (struct rows){.empty = "No runs."};
}

static const struct report run_report = {
    .name = "runs",
    .title = "Runs",
    .doc = "The runs that lie in a folder.",
    .row_size = sizeof(struct folder_run),
    .columns = columns,
    .column_count = sizeof columns / sizeof *columns,
    .build = build,
};

size_t run_find(const struct run_list *runs, const char *name)
{
    size_t length = strlen(name), found = SIZE_MAX, fits = 0;
    while (length > 1 && name[length - 1] == '/')
        length--;
    for (size_t i = 0; i < runs->count; i++) {
        if (strncmp(runs->items[i].name, name, length) != 0)
            continue;
        if (runs->items[i].name[length] == 0)
            return i;
        fits++;
        found = i;
    }
    return fits == 1 ? found : SIZE_MAX;
}

// ---- the list ----------------------------------------------------------------------------------

enum { NAME_SHARE = 40 }; // percent of the width: runs are chosen by name

bool run_picker_open(struct run_picker *picker, const struct run_list *runs, size_t current,
                     struct error *error)
{
    *picker = (struct run_picker){.runs = runs, .chosen = current};
    if (!table_open(&picker->table, &run_report, error))
        return false;
    picker->table.min_name_percent = NAME_SHARE;
    table_set_rows(&picker->table, &(struct rows){.items = runs->items, .count = runs->count});
    if (!table_update(&picker->table, error)) {
        table_close(&picker->table);
        return false;
    }
    if (current < runs->count)
        table_go_line(&picker->table,
                      current); // the table is not sorted yet, so line and index are equal
    return true;
}

void run_picker_close(struct run_picker *picker)
{
    table_close(&picker->table);
}

static const struct folder_run *run_chosen(const struct run_picker *picker)
{
    return table_row(&picker->table);
}

static enum run_answer choose_run(struct run_picker *picker)
{
    const struct folder_run *run = run_chosen(picker);
    if (!run)
        return RUN_PENDING;
    picker->chosen = (size_t)(run - picker->runs->items);
    return RUN_CHOSEN;
}

static void filter_apply(struct run_picker *picker)
{
    struct error error = {0};
    picker->problem[0] = 0;
    if (!table_set_filter(&picker->table, picker->filter, &error) ||
        !table_update(&picker->table, &error))
        snprintf(picker->problem, sizeof picker->problem, "%s", error.message);
}

static void filter_clear(struct run_picker *picker)
{
    picker->filter[0] = 0;
    picker->filter_length = picker->filter_at = 0;
    filter_apply(picker);
}

// Returns false if the key does not edit the line.
static bool filter_key(struct run_picker *picker, uint32_t key)
{
    struct line_edit line = {picker->filter, sizeof picker->filter, &picker->filter_length,
                             &picker->filter_at};
    bool is_cancelled = (key == KEY_ERASE || key == CONTROL_H) && picker->filter_length == 0;
    if (key == KEY_ENTER_PRESSED || key == '\n' || is_cancelled) {
        picker->is_typing = false;
    } else if (key == KEY_ESCAPE) {
        picker->is_typing = false;
        filter_clear(picker);
    } else if (line_edit_key(line, key)) {
        filter_apply(picker);
    } else {
        return line_move_cursor(line, key);
    }
    return true;
}

static enum run_answer point(struct run_picker *picker, uint32_t key, int x, int y)
{
    struct table *table = &picker->table;
    if (key == KEY_WHEEL_DOWN || key == KEY_WHEEL_UP) {
        table_act(table, key == KEY_WHEEL_DOWN ? ACTION_DOWN : ACTION_UP);
        return RUN_PENDING;
    }
    if (key != KEY_CLICK && key != KEY_DOUBLE_CLICK)
        return RUN_PENDING;
    bool is_row = table_has_line(table, y, picker->list);
    int column = table_click(table, x, y, picker->list);
    if (column >= 0 && table->sort_count && table->sort[0].column == column)
        table_act(table, ACTION_INVERT);
    else if (column >= 0)
        table_sort_by(table, (unsigned)column, unit_is_number(columns[column].unit));
    return key == KEY_DOUBLE_CLICK && is_row ? choose_run(picker) : RUN_PENDING;
}

enum run_answer run_picker_key(struct run_picker *picker, uint32_t key, int x, int y)
{
    if (!picker->is_typing)
        picker->problem[0] = 0; // the user has seen it
    if (key_is_mouse(key))
        return point(picker, key, x, y);
    if (picker->is_typing && key != CONTROL_C && filter_key(picker, key))
        return RUN_PENDING;
    enum action action = action_of_key(key, KIND_TABLE);
    switch (action) {
    case ACTION_ENTER:
        return choose_run(picker);
    case ACTION_SEARCH:
    case ACTION_FILTER:
        picker->is_typing = true;
        return RUN_PENDING;
    case ACTION_CANCEL:
    case ACTION_BACK:
        if (!picker->filter[0])
            return RUN_CANCELLED;
        filter_clear(picker);
        return RUN_PENDING;
    case ACTION_QUIT:
    case ACTION_QUIT_NOW:
    case ACTION_INTERRUPT:
        return RUN_CANCELLED;
    default:
        table_act(&picker->table, action);
        return RUN_PENDING;
    }
}

// ---- on the screen -----------------------------------------------------------------------------

// FILES_FROM: height from which half of the lines are for the files of the run under the cursor.
enum { MIN_WIDTH = 30, MIN_HEIGHT = 8, FILES_FROM = 16, GAP = 3 };

static void title_draw(const struct run_picker *picker, struct canvas *canvas)
{
    char count[FORMAT_SIZE];
    const char *text =
        arena_format(canvas->frame, ": %s%s%s", format_counted(count, picker->runs->count, "run"),
                     *picker->runs->lacks ? "; " : "", picker->runs->lacks);
    int room = canvas->width - 2, width = canvas_width(text);
    const char *folder = text_display_path(picker->runs->folder);
    int wanted = canvas_width(folder);
    wanted = wanted < room - width ? wanted : room - width;
    canvas_fill(canvas, (struct area){0, 0, canvas->width, 1}, STYLE_TITLE, ' ');
    canvas_fit(canvas, 1, 0, wanted, STYLE_TITLE, FIT_MIDDLE, folder);
    canvas_text_in(canvas, 1 + wanted, 0, room - wanted, STYLE_TITLE, text);
}

// Lists the files of the run under the cursor.
static void files_draw(const struct run_picker *picker, struct canvas *canvas, struct area area)
{
    const struct folder_run *run = run_chosen(picker);
    if (!run || area.height < 2)
        return;
    canvas_rule(canvas, area.x, area.y, area.width, run->name);
    int rows = area.height - 1;
    bool is_cut = run->count > (size_t)rows;
    for (int i = 0; i < rows && (size_t)i < run->count; i++) {
        const struct run_file *file = &run->files[i];
        int y = area.y + 1 + i, width = area.width - 14;
        char bytes[FORMAT_SIZE];
        if (is_cut && i == rows - 1) {
            canvas_format(canvas, area.x + 1, y, area.width - 2, STYLE_DIM, "and %s more",
                          format_count(bytes, (int64_t)(run->count - (size_t)i)));
            return;
        }
        canvas_fit(canvas, area.x + 1, y, 10, STYLE_TEXT, FIT_RIGHT,
                   file->bytes == UNKNOWN ? "-" : format_bytes(bytes, file->bytes));
        canvas_fit(canvas, area.x + 13, y, width, STYLE_TEXT, FIT_MIDDLE,
                   text_file_name(file->path, NULL));
    }
}

static void hints_draw(const struct run_picker *picker, struct canvas *canvas, int y)
{
    static const struct {
        const char *keys, *text;
    } hints[] = {{"{enter}", "opens it"},
                 {"{search}", "filters"},
                 {"{down} {up}", "move"},
                 {"{quit}", "leaves"},
                 {"{sort-left} {sort-right}", "sort"}};
    int x = 1;
    if (picker->problem[0] && !picker->is_typing && !picker->filter[0]) {
        canvas_fit(canvas, x, y, canvas->width - 2, STYLE_BAD, FIT_LEFT, picker->problem);
        return;
    }
    if (picker->is_typing || picker->filter[0]) {
        x += canvas_text(canvas, x, y, STYLE_KEY, "filter: ");
        const char *before =
            arena_format(canvas->frame, "%.*s", (int)picker->filter_at, picker->filter);
        int cursor = x + canvas_width(before);
        x += canvas_text_in(canvas, x, y, canvas->width - x - 2, STYLE_TEXT, picker->filter);
        if (picker->is_typing)
            canvas_flag(canvas, (struct area){cursor < x ? cursor : x, y, 1, 1}, CELL_CURSOR);
        x += GAP;
        if (picker->problem[0] || picker->table.shown_count == 0)
            canvas_text_in(canvas, x, y, canvas->width - x - 1, STYLE_BAD,
                           picker->problem[0] ? picker->problem : "no run is called so");
        return;
    }
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) {
        const char *keys = action_text(hints[i].keys, canvas->frame);
        if (x + canvas_width(keys) + 1 + canvas_width(hints[i].text) >= canvas->width)
            return;
        x += canvas_text(canvas, x, y, STYLE_KEY, keys) + 1;
        x += canvas_text(canvas, x, y, STYLE_DIM, hints[i].text) + GAP;
    }
}

struct runs_drawing {
    struct run_picker *picker;
    struct canvas *canvas;
};

static bool draw_body(void *context, struct error *error)
{
    const struct runs_drawing *drawing = context;
    struct run_picker *picker = drawing->picker;
    struct canvas *canvas = drawing->canvas;
    (void)error;
    if (canvas->width < MIN_WIDTH || canvas->height < MIN_HEIGHT) {
        canvas_wrap(canvas, (struct area){0, 0, canvas->width, canvas->height}, STYLE_WARNING,
                    "The window is too small: 30x8 at least.");
        return true;
    }
    // The list gets the lines that it needs; with FILES_FROM or more lines, at most half of all.
    int lines = canvas->height - 3, max_rows = canvas->height >= FILES_FROM ? lines / 2 : lines;
    int need = (int)(picker->runs->count < (size_t)lines ? picker->runs->count : (size_t)lines) + 1;
    int rows = need < max_rows ? need : canvas->height >= FILES_FROM ? max_rows : lines;
    title_draw(picker, canvas);
    picker->list = (struct area){0, 1, canvas->width, rows};
    table_draw(&picker->table, canvas, picker->list);
    files_draw(picker, canvas, (struct area){0, rows + 2, canvas->width, lines - rows - 1});
    hints_draw(picker, canvas, canvas->height - 1);
    return true;
}

void run_picker_draw(struct run_picker *picker, struct canvas *canvas)
{
    struct error error = {0};
    canvas_clear(canvas);
    if (!arena_run(canvas->frame, draw_body, &(struct runs_drawing){picker, canvas}, &error))
        canvas_wrap(canvas, (struct area){0, 0, canvas->width, canvas->height}, STYLE_BAD,
                    error.message);
}
