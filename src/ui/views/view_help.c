// SPDX-License-Identifier: Apache-2.0
// The help: first the actions of the view it was opened from, with the meaning of its columns, then
// the actions that work everywhere. It is a table made from the list of actions, so it can be
// filtered, searched and saved like any other.
#include <ctype.h>
#include <string.h>

#include "ui/actions/actions.h"
#include "ui/actions/table_view.h"
#include "ui/host.h"
#include "ui/overlay/prompt.h"
#include "ui/state/view.h"
#include "ui/state/view_classes.h"
#include "ui/table/table.h"
#include "ui/term/action.h"
#include "ui/term/canvas.h"

enum help_kind { HELP_ACTION, HELP_HEAD, HELP_COLUMN, HELP_LEGEND, HELP_COMMAND };

struct help_row {
    const char *group, *keys, *command, *scope, *doc;
    enum help_kind kind;
    size_t n; // index of the column of the view, or of the entry of its legend
};

static struct value get_group(const void *row)
{
    return value_text(((const struct help_row *)row)->group);
}

static struct value get_keys(const void *row)
{
    return value_text(((const struct help_row *)row)->keys);
}

static struct value get_command(const void *row)
{
    return value_text(((const struct help_row *)row)->command);
}

static struct value get_scope(const void *row)
{
    return value_text(((const struct help_row *)row)->scope);
}

static struct value get_doc(const void *row)
{
    return value_text(((const struct help_row *)row)->doc);
}

static const struct column columns[] = {
    {"keys", "Keys", "keys", UNIT_TEXT, get_keys, "Keys that do it; a column's head.", 0},
    {"what", "What It Does", "what it does", UNIT_TEXT, get_doc,
     "What the keys do; what the figures of a column are.", COLUMN_NAME},
    {"command", "Command", "command", UNIT_TEXT, get_command,
     "The same on the command line; a unique beginning is enough.", COLUMN_WIDE},
    {"group", "Group", "group", UNIT_TEXT, get_group, "What kind of action it is.", COLUMN_WIDE},
    {"scope", "Where", "where", UNIT_TEXT, get_scope, "In which views it means something.",
     COLUMN_WIDE},
};

// Returns the keys without those of the wheel, which are the last and need no explanation.
static const char *keys_text(const char *keys, struct arena *arena)
{
    const char *wheel = strstr(keys, "Wheel");
    while (wheel && wheel > keys && wheel[-1] != ' ')
        wheel--;
    return wheel && wheel > keys ? arena_copy(arena, keys, (size_t)(wheel - 1 - keys)) : keys;
}

// Returns "1-5 7-9 0": the digits of views in the order of the keyboard.
static const char *digits_text(struct arena *arena)
{
    static const char digits[] = "1234567890";
    const char *text = "";
    for (size_t i = 0, range_end; digits[i]; i = range_end + 1) {
        range_end = i;
        if (!view_class_find((char[]){digits[i], 0}))
            continue;
        while (digits[range_end + 1] > '0' && view_class_find((char[]){digits[range_end + 1], 0}))
            range_end++;
        text = arena_format(arena, "%s%s%c", text, *text ? " " : "", digits[i]);
        if (range_end > i)
            text = arena_format(arena, "%s-%c", text, digits[range_end]);
    }
    return text;
}

// Returns the digits of views and the key that lists all views.
static const char *view_keys_text(struct arena *arena)
{
    const char *keys = keys_text(action_keys(ACTION_VIEW), arena), *other = strrchr(keys, ' ');
    return arena_format(arena, "%s%s", digits_text(arena),
                        other && !strchr("0123456789", other[1]) ? other : "");
}

static struct help_row row_of(enum action action, struct arena *arena)
{
    const struct action_row *row = &actions[action];
    return (struct help_row){
        .group = row->group,
        // One form of each key is enough here. Digits have a row of their own.
        .keys =
            action == ACTION_VIEW ? view_keys_text(arena) : keys_text(action_keys(action), arena),
        .command = row->argument ? arena_format(arena, ":%s %s", row->name, row->argument)
                                 : arena_format(arena, ":%s", row->name),
        .scope = action_scope_names[row->scope],
        .doc = action_text(row->doc, arena),
    };
}

static struct rows build(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    (void)profile, (void)selection;
    struct help_row *rows = ARENA_ARRAY(arena, struct help_row, action_count);
    for (enum action a = 0; (size_t)a < action_count; a++)
        rows[a] = row_of(a, arena);
    return (struct rows){.items = rows, .count = action_count, .caption = "Keys and commands"};
}

// ---- of one view --------------------------------------------------------------------------------

struct help_list {
    struct help_row *rows;
    size_t count, capacity;
    struct arena *arena;
};

static void add(struct help_list *list, struct help_row row)
{
    ARENA_PUSH(list->arena, list->rows, list->count, list->capacity) = row;
}

static void add_head(struct help_list *list, const char *text)
{
    add(list,
        (struct help_row){
            .kind = HELP_HEAD, .group = "", .keys = "", .command = "", .scope = "", .doc = text});
}

// Returns true if an action is specific to this view.
static bool is_of_view(struct view *view, enum action action)
{
    const struct action_row *row = &actions[action];
    unsigned kinds = view_kinds(view);
    bool is_special =
        row->scope != SCOPE_EVERYWHERE && row->scope != SCOPE_ROWS && row->scope != SCOPE_TEXTS;
    bool is_hinted = row->hint && row->hint_kinds & kinds && action != ACTION_HELP;
    return action_scope_kinds[row->scope] & kinds && (is_special || is_hinted) &&
           (!row->applies || row->applies(view));
}

// Adds "GPU time in all: ..." for each column and "Idle: ..." for each entry of the view's legend.
static void add_columns(struct help_list *list, struct view *view)
{
    struct view_legend legend;
    if (view->report) {
        add_head(list, action_text("COLUMNS: {enter} has unit, formula and source", list->arena));
        const struct report *report = view->table.report;
        for (unsigned c = 0; c < report->column_count; c++)
            if (table_column_exists(&view->table, c))
                add(list,
                    (struct help_row){
                        .kind = HELP_COLUMN,
                        .n = c,
                        .group = "columns",
                        .keys = arena_text(list->arena, report->columns[c].head),
                        .doc = arena_text(list->arena, table_doc(&view->table, c)),
                        .command = arena_format(list->arena, ":sort %s", report->columns[c].key),
                        .scope = ""});
    }
    if (!view->class->legend || !view->class->legend(view, 0, &legend))
        return;
    add_head(list, action_text("WHAT IT SHOWS: {enter} has all of a line", list->arena));
    for (size_t i = 0; view->class->legend(view, i, &legend); i++)
        add(list, (struct help_row){.kind = HELP_LEGEND,
                                    .n = i,
                                    .group = "figures",
                                    .keys = arena_text(list->arena, legend.head),
                                    .doc = action_text(legend.text, list->arena),
                                    .command = "",
                                    .scope = ""});
}

static void add_everywhere(struct help_list *list, const bool *is_listed)
{
    const char *group = "";
    for (enum action a = 0; (size_t)a < action_count; a++) {
        if (is_listed[a])
            continue;
        if (strcmp(actions[a].group, group) != 0) {
            group = actions[a].group;
            char *head = arena_text(list->arena, group);
            for (char *c = head; *c; c++)
                *c = (char)toupper((unsigned char)*c);
            add_head(list, head);
        }
        add(list, row_of(a, list->arena));
    }
}

#define QUESTIONS "questions"

// Common questions and the commands that answer them. A command that ends in a blank is left in the
// prompt to be completed.
static const struct question {
    const char *text, *command;
} questions[] = {
    {"Which layer costs most?", ":view layers"},
    {"Which ops could use Tensor Cores and do not?", ":view tensor_cores"},
    {"Why is a step slow? ({left} {right}: the bar; {why}: all that differs)", ":view iterations"},
    {"Which line of the program costs, or waits?", ":view source"},
    {"How much of the communication is hidden? (comm: exclusive is not)", ":view streams"},
    {"What do the workers of a job wait for each other?", ":view distributed"},
    {"Which GPU is late? (the others wait for it in comm)", ":view devices"},
    {"What does the first finding rest on?", ":next-finding 1"},
    {"What happens when, and what waits for what?", ":view timeline"},
    {"How do I compare with another run?", ":baseline "},
    {"What was left out, or is missing in the file?", ":view trust"},
    {"How do I save what I see?", ":save"},
};

static void add_questions(struct help_list *list)
{
    add_head(list, action_text("QUESTIONS: {enter} answers", list->arena));
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
        add(list, (struct help_row){.kind = HELP_COMMAND,
                                    .group = QUESTIONS,
                                    .keys = "",
                                    .doc = action_text(questions[i].text, list->arena),
                                    .command = questions[i].command,
                                    .scope = ""});
    add_head(list, action_text("VIEWS: {enter} opens", list->arena));
    for (size_t i = 0; i < view_count; i++) {
        const char digit[] = {views[i]->digit, 0};
        add(list, (struct help_row){
                      .kind = HELP_COMMAND,
                      .group = "views",
                      .keys = arena_text(list->arena, digit),
                      .doc = arena_format(list->arena, "%s: %s", views[i]->title, views[i]->doc),
                      .command = arena_format(list->arena, ":view %s", views[i]->name),
                      .scope = ""});
    }
}

static bool rows_body(void *context, struct error *error)
{
    struct view *view = context, *opener = host_previous_view(view->app, view);
    struct help_list list = {.arena = view->arena};
    bool is_listed[MAX_ACTIONS] = {[ACTION_TOUR] = true};
    (void)error;
    add(&list, row_of(ACTION_TOUR, list.arena));
    if (opener) {
        add_head(&list, arena_format(list.arena, "THIS VIEW: %s, %s", opener->class->title,
                                     opener->class->doc ? opener->class->doc : ""));
        for (enum action a = 0; (size_t)a < action_count; a++) {
            is_listed[a] |= is_of_view(opener, a);
            if (is_listed[a] && a != ACTION_TOUR)
                add(&list, row_of(a, list.arena));
        }
        add_columns(&list, opener);
    }
    add_questions(&list);
    add_everywhere(&list, is_listed);
    const char *caption =
        opener ? arena_format(list.arena, "%s: keys, commands, figures", opener->class->title)
               : NULL;
    const struct rows rows = {.items = list.rows, .count = list.count, .caption = caption};
    table_set_rows(&view->table, &rows);
    return true;
}

static void refresh(struct view *view)
{
    struct error error = {0};
    if (!arena_run(view->arena, rows_body, view, &error))
        host_complain(view->app, "%s", error.message);
}

static const struct report help_report = {
    .name = "help",
    .title = "Keys and commands",
    .doc = "Every action of the screen.",
    .row_size = sizeof(struct help_row),
    .columns = columns,
    .column_count = sizeof columns / sizeof *columns,
    .build = build,
};

// ---- on the screen -----------------------------------------------------------------------------

static const char *enters(struct view *view)
{
    const struct help_row *row = table_row(&view->table);
    return !row || row->kind == HELP_HEAD ? NULL
           : row->kind == HELP_COMMAND    ? "goes there"
           : row->kind == HELP_ACTION     ? "does it"
                                          : "what it means";
}

static bool sentence(struct view *view, struct view_legend *legend)
{
    const struct help_row *row = table_row(&view->table);
    if (!row)
        return false;
    const char *gap = *row->keys && *row->command ? "   " : "";
    legend->head =
        arena_format(host_canvas(view->app)->frame, "%s%s%s", row->keys, gap, row->command);
    legend->text = row->doc;
    return true;
}

static void draw(struct view *view, struct canvas *canvas, struct area area)
{
    // Width from which COLUMN_WIDE columns are shown, so the name gets a smaller share.
    enum { WIDE = 120 };
    view->table.min_name_percent = area.width < WIDE ? 75 : 62;
    table_view_draw(view, canvas, area);
}

// Moves to the first question and scrolls it to the top; from there moves to the first row.
static void questions_go(struct view *view)
{
    struct table *table = &view->table;
    const struct help_row *rows = table->rows.items;
    size_t line = 0;
    if (!table_update(table, NULL) || table->shown_count == 0)
        return;
    while (line < table->shown_count && strcmp(rows[table->shown[line]].group, QUESTIONS) != 0)
        line++;
    if (table->shown_count == 0) // no row has been drawn yet
        return;
    if (line == table->shown_count || line == table->cursor)
        line = 0;
    table_go_line(table, line);
    table->top = line;
}

// Explains the meaning of a column or figure, or the effect of a key or command.
static void row_explain(struct view *view, const struct help_row *row)
{
    struct app *app = view->app;
    struct view *opener = host_previous_view(view->app, view);
    struct view_legend legend;
    if (row->kind == HELP_COLUMN && opener && opener->report &&
        row->n < opener->report->column_count)
        host_explain_column(app, opener, (unsigned)row->n);
    else if (row->kind == HELP_LEGEND && opener && opener->class->legend(opener, row->n, &legend))
        host_open_box(app, legend.head, action_text(legend.text, host_canvas(app)->frame));
    else if (row->kind != HELP_HEAD)
        host_open_box(app, *row->keys ? row->keys : row->command,
                      arena_format(host_canvas(app)->frame, "%s\n\n%s", row->doc, row->command));
}

static bool act(struct view *view, enum action action)
{
    const struct help_row *row = table_row(&view->table);
    struct app *app = view->app;
    if (action == ACTION_FLIP) {
        questions_go(view);
        return true;
    }
    if (row && action == ACTION_EXPLAIN) {
        row_explain(view, row);
        return true;
    }
    if (!row || action != ACTION_ENTER)
        return table_view_act(view, action);
    if (row->kind == HELP_COLUMN || row->kind == HELP_LEGEND) {
        row_explain(view, row);
    } else if (row->kind == HELP_COMMAND) {
        size_t length = strlen(row->command);
        app_back(app, "");
        if (row->command[length - 1] == ' ')
            prompt_open(app, PROMPT_COMMAND, row->command + 1);
        else
            host_run_command(app, row->command);
    } else if (row->kind == HELP_ACTION) { // runs in the view that the help was opened from
        char command[64];
        snprintf(command, sizeof command, "%.*s", (int)strcspn(row->command + 1, " "),
                 row->command + 1);
        app_back(app, "");
        host_run_command(app, command);
    }
    return true;
}

const struct view_class view_help = {
    .name = "help",
    .title = "Help",
    .doc = "all keys and commands",
    .kinds = KIND_HELP,
    .own_report = &help_report,
    .refresh = refresh,
    .draw = draw,
    .act = act,
    .enters = enters,
    .sentence = sentence,
    .flip_label = "Questions",
};
