// SPDX-License-Identifier: Apache-2.0
// Actions that change the scope and its display: GPU, process, adoption, names.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "analysis/report/selection_parts.h"
#include "base/text/format.h"
#include "model/profile/ranks.h"
#include "ui/actions/actions.h"
#include "ui/actions/table_view.h"
#include "ui/host.h"
#include "ui/overlay/prompt.h"
#include "ui/state/app_state.h"
#include "ui/state/messages.h"
#include "ui/state/requests.h"
#include "ui/state/scope.h"
#include "ui/state/undo.h"
#include "ui/state/view.h"
#include "ui/table/table.h"
#include "ui/term/canvas.h"

// Reports that a typed host or role does not exist, and lists those that do.
static void complain_of_group(struct app *app, const char *typed)
{
    enum { SHOWN = 6, KIND_LENGTH = sizeof "host" - 1 };
    const struct profile *profile = app->profile;
    const char *kind = strncasecmp(typed, "host", KIND_LENGTH) == 0 ? "host" : "role", *names = "";
    uint32_t count = 0;
    for (uint32_t g = 0; g < profile->group_count; g++) {
        const char *label = profile->groups[g].label;
        if (strncmp(label, kind, KIND_LENGTH) == 0 && count++ < SHOWN)
            names = arena_format(app->canvas->frame, "%s%s%s", names, *names ? ", " : "",
                                 label + KIND_LENGTH + 1);
    }
    if (count == 0)
        host_complain(app, "no %.60s: nothing in this profile tells %ss apart", typed, kind);
    else if (count <= SHOWN)
        host_complain(app, "no %.60s; the %ss are %s", typed, kind, names);
    else
        host_complain(app, "no %.60s; of %u %ss the first are %s: {scope} lists all", typed, count,
                      kind, names);
}

// Selects a domain by reopening the file, because another domain has other ops and so other rows in
// all views.
static void choose_domain(struct app *app, const char *name)
{
    const struct profile *profile = app->profile;
    for (uint32_t d = 0; d < profile->recorded_domain_count; d++)
        if (strcmp(profile->recorded_domains[d], name) == 0) {
            if (d == profile->recorded_domain)
                return;
            if (strlen(name) >= sizeof app->requests->domain_wanted) {
                host_complain(app, "the name of that domain is too long: --domain opens it");
                return;
            }
            snprintf(app->requests->domain_wanted, sizeof app->requests->domain_wanted, "%s", name);
            app->requests->is_done = true;
            return;
        }
    host_complain(app, "no domain %.60s", name);
}

static void choose_scope(struct app *app, const char *argument)
{
    static const char domain[] = "domain ";
    struct scope scope = *app->scope;
    const struct profile *profile = app->profile;
    unsigned number;
    char rest;
    if (strncasecmp(argument, domain, sizeof domain - 1) == 0) {
        choose_domain(app, argument + sizeof domain - 1);
        return;
    }
    if (strcasecmp(argument, "all") == 0) {
        scope.device = scope.process = ROW_NONE;
    } else if (sscanf(argument, "gpu %9u%c", &number, &rest) == 1) {
        scope.device = profile_find_device(profile, number);
        if (scope.device == ROW_NONE) {
            host_complain(app, "no GPU %u", number);
            return;
        }
    } else if (sscanf(argument, "process %9u%c", &number, &rest) == 1) {
        scope.process = profile_find_process(profile, number);
        if (scope.process == ROW_NONE) {
            host_complain(app, "no process %u", number);
            return;
        }
    } else if (sscanf(argument, "rank %9u%c", &number, &rest) == 1) {
        scope.process = profile_find_rank(profile, number);
        if (scope.process == ROW_NONE) {
            host_complain(app, "no rank %u", number);
            return;
        }
    } else if (profile_find_label(profile, argument) != ROW_NONE) {
        scope.process = profile_find_label(profile, argument);
    } else if (strncasecmp(argument, "host ", 5) == 0 || strncasecmp(argument, "role ", 5) == 0) {
        complain_of_group(app, argument);
        return;
    } else {
        host_complain(app,
                      "scope: all, gpu N, rank N, host N, role NAME, process PID or domain NAME");
        return;
    }
    if (scope.device == app->scope->device && scope.process == app->scope->process)
        return;
    // If the process does not run on the GPU, the one of the two that was not chosen now is reset.
    if (scope.device != ROW_NONE && !processes_run_on(profile, scope.process, scope.device))
        *(scope.device != app->scope->device ? &scope.process : &scope.device) = ROW_NONE;
    app_remember(app);
    *app->scope = scope;
    app_changed(app);
}

// Returns the executable of a process, else the name of its first named thread, else "".
static const char *process_name(const struct profile *profile, uint32_t process)
{
    const char *name = profile_text(profile, profile->processes[process].name);
    for (uint32_t t = 0; t < profile->thread_count && !*name; t++)
        if (profile->threads[t].process == process)
            name = profile_text(profile, profile->threads[t].name);
    return name;
}

// Returns "GPU 2", "4 GPUs" or "no GPU work". `process` may be a group.
static const char *process_devices(const struct app *app, uint32_t process)
{
    const struct profile *profile = app->profile;
    const struct process *row =
        process < profile->process_count ? &profile->processes[process] : NULL;
    struct arena *arena = app->canvas->frame;
    if (row && row->gpus == PROCESS_NO_GPU)
        return "no GPU work";
    if (row && row->gpus == PROCESS_ONE_GPU)
        return arena_format(arena, "GPU %" PRId64, device_number(profile, row->device));
    struct selection selection = selection_all(app->scope->split);
    selection.process = process;
    return arena_format(arena, "%u GPUs", selection_device_count(profile, &selection));
}

// Returns true if a process has anything that a view could show: GPU work, API calls or ranges.
static bool process_has_data(const struct profile *profile, uint32_t process)
{
    if (profile->processes[process].gpus != PROCESS_NO_GPU)
        return true;
    for (uint32_t t = 0; t < profile->thread_count; t++) {
        const struct thread *thread = &profile->threads[t];
        if (thread->process == process &&
            (thread->end_range > thread->first_range || thread->end_api > thread->first_api))
            return true;
    }
    return false;
}

void app_scope(struct app *app, const char *argument)
{
    const struct profile *profile = app->profile;
    char scope[PROCESS_LABEL_SIZE];
    uint32_t idle = 0;
    if (*argument) {
        choose_scope(app, argument);
        return;
    }
    menu_open(app, "Look at", choose_scope);
    menu_add(app, "all", app->scope->device == ROW_NONE && app->scope->process == ROW_NONE,
             "all GPUs, all processes");
    for (uint32_t g = 0; g < profile->group_count; g++) {
        uint32_t group = profile->process_count + g;
        menu_add(app, profile->groups[g].label, app->scope->process == group, "%s  %s",
                 profile->groups[g].label, process_devices(app, group));
    }
    for (uint32_t d = 0; d < profile->device_count; d++) {
        int64_t number = device_number(profile, d);
        snprintf(scope, sizeof scope, "gpu %" PRId64, number);
        if (profile->devices[d].has_work)
            menu_add(app, scope, app->scope->device == d, "GPU %" PRId64 "  %s", number,
                     profile_text(profile, profile->devices[d].name));
    }
    for (uint32_t p = 0; p < profile->process_count; p++) {
        if (!process_has_data(profile, p)) { // workers of data loaders, for example
            idle++;
            continue;
        }
        process_label(profile, p, scope);
        const char *name = process_name(profile, p);
        menu_add(app, scope, app->scope->process == p, "%s%s%.40s  %s", scope, *name ? "  " : "",
                 name, process_devices(app, p));
    }
    size_t cursor = app->menu->cursor; // stays at the current scope
    for (uint32_t d = 0; d < profile->recorded_domain_count; d++) {
        const char *label =
            arena_format(app->canvas->frame, "domain %s", profile->recorded_domains[d]);
        if (strlen(label) < sizeof app->menu->items->argument)
            menu_add(app, label, d == profile->recorded_domain, "%s", label);
    }
    app->menu->cursor = cursor;
    char count[FORMAT_SIZE];
    if (idle > 0)
        host_say(app, "%s without GPU work, CUDA calls and ranges not listed",
                 format_counted(count, idle, "process"));
}

// Selects the next GPU in the cycle: all -> first -> ... -> last -> all
static void step_device(struct app *app, int direction)
{
    const struct profile *profile = app->profile;
    int64_t at = app->scope->device == ROW_NONE ? -1 : (int64_t)app->scope->device;
    for (uint32_t tries = 0; tries <= profile->device_count; tries++) {
        at += direction;
        if (at < -1)
            at = (int64_t)profile->device_count - 1;
        if (at >= (int64_t)profile->device_count)
            at = -1;
        if (at == -1 || processes_run_on(profile, app->scope->process, (uint32_t)at))
            break;
    }
    uint32_t device = at < 0 ? ROW_NONE : (uint32_t)at;
    if (device == app->scope->device) {
        host_say(app, "there is only one GPU");
        return;
    }
    app_remember(app);
    app->scope->device = device;
    app_changed(app);
}

void app_previous_device(struct app *app, const char *argument)
{
    (void)argument;
    step_device(app, -1);
}

void app_next_device(struct app *app, const char *argument)
{
    (void)argument;
    step_device(app, 1);
}

void app_adoption(struct app *app, const char *argument)
{
    bool wanted = !app->scope->adoption;
    if (!host_parse_switch(app, argument, &wanted) || wanted == app->scope->adoption)
        return;
    app_remember(app);
    app->scope->adoption = wanted;
    app_changed(app);
    host_say(app, app->scope->adoption
                      ? "work of threads without ranges counts to the range that waits for it"
                      : "adoption off: work of threads without ranges is outside");
}

// Sets a figure of the step size that the user gives, such as its FLOPs.
static void size_change(struct app *app, const char *argument,
                        bool (*read)(struct step_size *size, const char *text, struct error *error))
{
    struct step_size size = app->scope->step_size;
    struct error error = {0};
    if (!read(&size, argument, &error)) {
        host_complain(app, "%s", error.message);
        return;
    }
    app_remember(app);
    app->scope->step_size = size;
    app_changed(app);
}

void app_flops(struct app *app, const char *argument)
{
    size_change(app, argument, step_size_flops);
    if (app->messages->is_error)
        return;
    if (app->scope->step_size.flops > 0)
        host_say(app, "%.4g FLOPs a step and GPU: {view} mfu has what that is of the peak",
                 app->scope->step_size.flops);
    else
        host_say(app, "the model's FLOPs are those that the file tells");
}

void app_items(struct app *app, const char *argument)
{
    size_change(app, argument, step_size_items);
    if (app->messages->is_error)
        return;
    if (app->scope->step_size.items > 0)
        host_say(app, "%.4g %s a step and GPU", app->scope->step_size.items,
                 app->scope->step_size.unit);
    else
        host_say(app, "nothing is said of what goes through a step");
}

void app_with_backward(struct app *app, const char *argument)
{
    struct view *view = host_top_view(app);
    bool wanted = !view->narrow.with_backward;
    if (!view_has_backward(view)) {
        host_say(
            app,
            view->narrow.node == ROW_NONE
                ? "these rows are of no layer: {enter} on a layer of the tree opens its kernels"
                : "nothing below this layer has backward work elsewhere");
        return;
    }
    if (!host_parse_switch(app, argument, &wanted) || wanted == view->narrow.with_backward)
        return;
    app_remember(app);
    view->narrow.with_backward = wanted;
    view->generation = app->generation - 1;
    host_say(app, view->narrow.with_backward ? "with the backward work of these ops"
                                             : "forward only: without the backward of these ops");
}

uint64_t host_map_node(const struct profile *profile, uint64_t node, bool to_folded)
{
    const struct op_tree *from = to_folded ? profile->tree : profile->folded_tree;
    uint32_t first = 0;
    if (!profile->tree || !from || node >= from->count)
        return node;
    if (to_folded)
        return profile->tree->folded[node];
    while (first < profile->tree->count && profile->tree->folded[first] != node)
        first++;
    return first;
}

// Rows are nodes of one of two trees. Maps the cursor and the toggled rows to the other tree; marks
// cannot be mapped and are dropped.
void app_remap_tree_rows(struct app *app, struct view *view)
{
    struct table *table = &view->table;
    const struct profile *profile = app->profile;
    bool to_folded = view->narrow.is_folded;
    const struct op_tree *from = to_folded ? profile->tree : profile->folded_tree;
    if (!profile->tree || !from)
        return;
    table->cursor_id = host_map_node(profile, table->cursor_id, to_folded);
    if (table_marked_count(table) > 0)
        host_say(app, "marks were of rows that are folded otherwise: taken off");
    table_drop_marks(table);
    struct id_set old_toggled = table->toggled;
    table->toggled = (struct id_set){0};
    for (uint32_t n = 0; old_toggled.count && n < profile->tree->count; n++) {
        uint32_t folded = profile->tree->folded[n];
        uint32_t old_node = to_folded ? n : folded, new_node = to_folded ? folded : n;
        if (id_set_has(&old_toggled, old_node) && !id_set_has(&table->toggled, new_node))
            id_set_flip(&table->toggled, new_node, table->arena);
    }
}

void app_siblings(struct app *app, const char *argument)
{
    struct view *view = host_top_view(app);
    bool wanted = view->narrow.is_folded; // true: each sibling is a row of its own
    if (view->narrow.node != ROW_NONE) {
        host_say(app,
                 "these rows are below one row of the tree: go back to change how it is folded");
        return;
    }
    if (!host_parse_switch(app, argument, &wanted) || wanted == !view->narrow.is_folded)
        return;
    if (view_has_siblings(view) && table_has_picks(&view->table)) {
        host_say(app, "the filter is of marked rows, which are folded so: - takes it off");
        return;
    }
    app_remember(app);
    app->display->is_folded = view->narrow.is_folded = !wanted;
    view->generation = app->generation - 1;
    host_say(app, app->display->is_folded ? "numbered siblings are one row: layers.*"
                                          : "every numbered sibling is a row of its own");
    if (view_has_siblings(view))
        app_remap_tree_rows(app, view);
}

void app_names(struct app *app, const char *argument)
{
    struct view *view = host_top_view(app);
    if (view->narrow.name != STRING_NONE) {
        host_say(app, "these rows are of one kernel name: go back to change the form of names");
        return;
    }
    enum name_form form = (view->narrow.names + 1) % NAME_FORM_COUNT;
    if (*argument) {
        for (form = 0; form < NAME_FORM_COUNT && strcmp(name_form_names[form], argument) != 0;)
            form++;
        if (form == NAME_FORM_COUNT) {
            host_complain(app, "names: family, short or full");
            return;
        }
    }
    app_remember(app);
    app->display->names = view->narrow.names = form;
    view->generation = app->generation - 1;
    host_say(app, "kernel names: %s", name_form_names[form]);
}
