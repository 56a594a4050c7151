// SPDX-License-Identifier: Apache-2.0
// Opening views, going back, and the trail: the views from the first one to the current one, each
// opened from the one before. Terms: A tab is a view that was left and is kept for a return. A
// visit is a second view of a class that is on the trail already, opened by a jump or `:view NAME
// new`.
#include <string.h>

#include "base/text/text.h"
#include "ui/actions/actions.h"
#include "ui/actions/app_panes.h"
#include "ui/actions/app_trail.h"
#include "ui/host.h"
#include "ui/overlay/prompt.h"
#include "ui/state/app_calls.h"
#include "ui/state/app_state.h"
#include "ui/state/places.h"
#include "ui/state/scope.h"
#include "ui/state/script_state.h"
#include "ui/state/undo.h"
#include "ui/state/view.h"
#include "ui/state/view_classes.h"
#include "ui/table/table.h"
#include "ui/table/table_layout.h"
#include "ui/term/action.h"
#include "ui/term/canvas.h"

// Keeps a view that the user leaves as a tab, instead of an older view of its class.
static void tab_add(struct app *app, struct view *view)
{
    for (size_t i = 0; i < app->places->tab_count; i++) {
        if (app->places->tabs[i]->class == view->class) {
            view_free(app->places->tabs[i]);
            app->places->tabs[i] = view;
            return;
        }
    }
    app->places->tabs[app->places->tab_count++] = view; // one per class: there is room
}

static void trail_pop(struct app *app)
{
    struct view *view = app->places->trail[--app->places->depth];
    if (view->label[0] || view->is_visit)
        view_free(view);
    else
        tab_add(app, view);
}

static bool trail_push(struct app *app, struct view *view)
{
    snprintf(view->opened, sizeof view->opened, "%s", view->label[0] ? app->script->doing : "");
    if (app->places->depth == MAX_TRAIL) { // drops the second: the first stays, `q` returns to it
        struct view *oldest = app->places->trail[1];
        view_free(oldest);
        memmove(&app->places->trail[1], &app->places->trail[2],
                (MAX_TRAIL - 2) * sizeof *app->places->trail);
        app->places->trail[1]->opened[0] = 0; // the view that it was opened from was dropped
        app->places->depth--;
    }
    app->places->trail[app->places->depth++] = view;
    return true;
}

void app_drop_below(struct app *app)
{
    struct view *view = app->places->trail[app->places->depth - 2];
    view_free(view);
    app->places->trail[app->places->depth - 2] = app->places->trail[app->places->depth - 1];
    app->places->depth--;
}

bool host_open_view(struct app *app, const struct view_class *class, const struct selection *narrow,
                    unsigned own, const char *label)
{
    struct error error = {0};
    struct selection selection = *narrow;
    if (!(own & OWN_ITERATIONS))
        selection.iterations = NULL;
    struct view *opened = view_new(app, class, &selection, own, &error);
    if (!opened) {
        host_complain(app, "%s", error.message);
        return false;
    }
    label = label && *label ? label : class->title;
    size_t length = strlen(label);
    if (length >= sizeof opened->label) { // cuts at a character boundary
        length = sizeof opened->label - 1;
        while (length > 0 && ((unsigned char)label[length] & 0xc0) == 0x80)
            length--;
    }
    snprintf(opened->label, sizeof opened->label, "%.*s", (int)length, label);
    const struct view *from = host_top_view(app);
    bool is_from_pane = from && from->is_pane;
    trail_push(app, opened);
    if (is_from_pane) // the command would be run in the view of the pane, for another row
        opened->opened[0] = 0;
    return true;
}

unsigned app_own_fields(const struct app *app, const struct view *from,
                        const struct selection *selection)
{
    struct selection now = from ? view_selection(from) : selection_all(app->scope->split);
    unsigned own = from ? from->own : 0;
    if (selection->device != now.device)
        own |= OWN_DEVICE;
    if (selection->process != now.process)
        own |= OWN_PROCESS;
    if (selection->iterations != now.iterations)
        own |= OWN_ITERATIONS;
    return own;
}

void host_expand_pane(struct app *app)
{
    struct view *view = host_front_view(app), *pane = view->pane;
    view->pane = NULL;
    view->has_keys = pane->is_pane = false;
    trail_push(app, pane);
    snprintf(pane->opened, sizeof pane->opened, "enter"); // regardless of the current command
}

void host_open_report(struct app *app, const char *report, const struct selection *selection,
                      const char *label)
{
    const struct view_class *class = view_class_find(report);
    if (!class) {
        host_complain(app, "no view '%s'", report);
        return;
    }
    unsigned own = app_own_fields(app, host_top_view(app), selection);
    struct selection narrow = *selection;
    narrow.split = app->scope->split;
    host_open_view(app, class, &narrow, own, label);
}

void host_show_node(struct app *app, uint32_t node, const char *label)
{
    struct selection selection = selection_all(app->scope->split);
    selection.names = app->display->names;
    if (!host_open_view(app, view_class_find("tree"), &selection, 0, label))
        return;
    struct view *view = host_top_view(app);
    view_refresh(view);
    table_go(&view->table, node);
}

// Removes the help from the trail: it describes the view that it was opened from, so it must be
// opened again for another one.
static void help_remove(struct app *app)
{
    size_t i = 0;
    while (i < app->places->depth && !class_is_help(app->places->trail[i]->class))
        i++;
    if (i == app->places->depth)
        return;
    view_free(app->places->trail[i]);
    memmove(&app->places->trail[i], &app->places->trail[i + 1],
            (app->places->depth - i - 1) * sizeof *app->places->trail);
    app->places->depth--;
}

void host_go_to(struct app *app, const struct view_class *class)
{
    if (class_is_help(class))
        help_remove(app);
    // If the trail has the view already, go back to it.
    for (size_t i = app->places->depth; i-- > 0;) {
        if (app->places->trail[i]->class == class && !app->places->trail[i]->label[0]) {
            while (app->places->depth > i + 1)
                trail_pop(app);
            return;
        }
    }
    struct view *view = NULL;
    for (size_t i = 0; i < app->places->tab_count; i++) {
        if (app->places->tabs[i]->class == class) {
            view = app->places->tabs[i];
            app->places->tabs[i] = app->places->tabs[--app->places->tab_count];
            if (class_is_help(class)) { // help for another view differs
                view_free(view);
                view = NULL;
            }
            break;
        }
    }
    struct error error = {0};
    if (!view && !(view = view_new(app, class, NULL, 0, &error))) {
        host_complain(app, "%s", error.message);
        return;
    }
    trail_push(app, view);
}

// Opens a new view of a class even if the trail has one. Returns false, with a message, if out of
// memory.
static bool open_new_view(struct app *app, const struct view_class *class)
{
    struct error error = {0};
    struct view *view = view_new(app, class, NULL, 0, &error);
    if (!view) {
        host_complain(app, "%s", error.message);
        return false;
    }
    view->is_visit = true;
    return trail_push(app, view);
}

bool app_leave_visit(struct app *app)
{
    size_t at = app->places->depth;
    while (at > 0 && !app->places->trail[at - 1]->is_visit)
        at--;
    if (at < 2)
        return false;
    app_forget_visit(app, app->places->trail[at - 1]);
    uint32_t step = app->places->trail[at - 1]->step_before;
    while (app->places->depth >= at)
        trail_pop(app);
    if (step < app->scope->split->count)
        app->places->step = step;
    return true;
}

static void choose_view(struct app *app, const char *argument)
{
    host_go_to(app, view_class_find(argument));
}

// Chooses a view by its digit.
static bool view_menu_key(struct app *app, uint32_t key, const char *argument)
{
    const struct view_class *class =
        key >= '0' && key <= '9' ? view_class_find((char[]){(char)key, 0}) : NULL;
    (void)argument;
    if (!class)
        return false;
    app->menu->is_open = false;
    app->menu->choose(app, class->name);
    return true;
}

// Lists the views with a digit, the other views, and reports as tables.
void view_menu(struct app *app, const char *title,
               void (*choose)(struct app *app, const char *argument))
{
    const struct view *top = host_front_view(app);
    menu_open(app, title, choose);
    app->menu->key = view_menu_key;
    for (size_t i = 0; i < view_name_count(); i++) {
        const struct view_class *class = view_class_find(view_name(i));
        bool is_known = !class || class_is_help(class);
        for (size_t k = 0; k < app->menu->count && !is_known; k++)
            is_known = strcmp(app->menu->items[k].argument, class->name) == 0;
        if (!is_known)
            menu_add(app, class->name, top->class == class, "%c %-16s %s",
                     class->digit ? class->digit : ' ', class->name, class->doc);
    }
}

void app_view(struct app *app, const char *argument)
{
    static const char new_suffix[] = " new";
    const struct view_class *class = view_class_find(argument);
    size_t length = strlen(argument), end = strlen(new_suffix);
    bool is_new = !class && length > end && strcmp(argument + length - end, new_suffix) == 0;
    if (is_new)
        class = view_class_find(arena_copy(app->canvas->frame, argument, length - end));
    if (class && length == 1 && class->digit == *argument)
        class = view_class_face(app, class);
    if (!*argument)
        view_menu(app, "View (its name is a command, too)", choose_view);
    else if (is_new && class && !class_is_help(class))
        open_new_view(app, class);
    else if (class)
        host_go_to(app, class);
    else if (strlen(argument) == 1 && *argument >= '0' && *argument <= '9')
        host_say(app, "there is no view %s", argument);
    else
        host_complain(app, "no view '%s'; Tab completes names", argument);
}

static void step_view(struct app *app, int direction)
{
    size_t tabs = 0, at = 0;
    const struct view_class **list =
        ARENA_ARRAY(app->canvas->frame, const struct view_class *, view_count + 1);
    for (size_t i = 0; i < view_count; i++)
        if (views[i]->digit)
            list[tabs++] = views[i];
    for (size_t i = app->places->depth; i-- > 0;) {
        bool found = false;
        for (size_t t = 0; t < tabs; t++) {
            if (list[t] == app->places->trail[i]->class ||
                view_class_face(app, list[t]) == app->places->trail[i]->class) {
                at = t;
                found = true;
            }
        }
        if (found)
            break;
    }
    if (tabs)
        host_go_to(app,
                   view_class_face(app, list[(at + tabs + (direction > 0 ? 1 : tabs - 1)) % tabs]));
}

void app_next_view(struct app *app, const char *argument)
{
    (void)argument;
    if (!app_next_pane(app, 1))
        step_view(app, 1);
}

void app_previous_view(struct app *app, const char *argument)
{
    (void)argument;
    if (!app_next_pane(app, -1))
        step_view(app, -1);
}

void app_back(struct app *app, const char *argument)
{
    (void)argument;
    if (host_top_view(app) != host_front_view(app)) // moves the keys from the pane to the view
        host_front_view(app)->has_keys = false;
    else if (app->places->depth > 1 && host_front_view(app)->is_visit)
        app_leave_visit(app);
    else if (app->places->depth > 1)
        trail_pop(app);
    else
        host_say(app, "this is the first view; {quit} %s",
                 app->places->panes.count > 1 ? "closes this pane" : "quits");
}

void app_cancel(struct app *app, const char *argument)
{
    struct view *view = host_top_view(app);
    if (view && view->report && view->table.search) {
        table_set_search(&view->table, "", NULL);
        return;
    }
    if (view && view->report && table_clear_marks(&view->table))
        return;
    // A filter that a link set is not removed, so that one Esc closes the proof of a finding.
    if (view && view->report && view->table.filter_text[0] && !view->table.is_filter_from_link) {
        app_remember(app);
        table_set_filter(&view->table, "", NULL);
        view->table.filter_text[0] = 0;
        return;
    }
    if (view && view->report && view->table.has_detail && !class_is_help(view->class)) {
        view->table.has_detail = false;
        return;
    }
    (void)argument;
    host_do_action(app, ACTION_BACK, ""); // the view may handle it
}

void app_help(struct app *app, const char *argument)
{
    (void)argument;
    struct view *top = host_top_view(app);
    if (top && class_is_help(top->class)) {
        app_back(app, "");
        return;
    }
    host_go_to(app, view_class_find("help"));
    // Show the details only if they fit at the right of the list, so that it keeps its lines.
    struct table *table = &host_top_view(app)->table;
    table->has_detail = true;
    table->has_detail = table_list_width(table, app->canvas->width - 2) < app->canvas->width - 2;
}

// Shows which ops launch the kernel under the cursor.
void app_who(struct app *app, const char *argument)
{
    (void)argument;
    struct view *view = host_top_view(app);
    struct selection selection;
    if (!view_kernel(view, &selection)) {
        host_say(app, "there is no kernel under the cursor");
        return;
    }
    const char *name = table_row_name(&view->table, table_row(&view->table));
    host_open_report(app, "kernel_ops", &selection, name ? name : "kernel");
}

// Moves the cursor to a row, given by its name or by the form that sessions write (table_place()).
void app_row(struct app *app, const char *argument)
{
    struct view *view = host_top_view(app);
    if (!*argument)
        prompt_open(app, PROMPT_ROW, "");
    else if (view->class->go
                 ? !view->class->go(view, argument)
                 : !view->report || !table_go_place(&view->table, argument, app->canvas->frame))
        host_complain(app, "no row '%.200s' is shown here", argument);
}
