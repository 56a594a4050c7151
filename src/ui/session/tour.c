// SPDX-License-Identifier: Apache-2.0
// A tour is a script that is run in pieces. Each piece ends with a note, a stop: the tour waits
// until the user presses Enter. The tour of docs/tour.script starts from an empty trail; the state
// of the user is saved in `origin` and restored at its end.
#include "ui/session/tour.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/detectors/expert.h"
#include "base/embedded.h"
#include "ui/actions/app_panes.h"
#include "ui/host.h"
#include "ui/overlay/prompt.h"
#include "ui/overlay/tour_state.h"
#include "ui/session/session_actions.h"
#include "ui/session/session_calls.h"
#include "ui/state/app_state.h"
#include "ui/state/comparing.h"
#include "ui/state/findings.h"
#include "ui/state/messages.h"
#include "ui/state/places.h"
#include "ui/state/requests.h"
#include "ui/state/scope.h"
#include "ui/state/script_state.h"
#include "ui/state/undo.h"
#include "ui/state/view.h"
#include "ui/state/view_classes.h"
#include "ui/term/key.h"

// The state that a tour changes, to be restored at its end.
struct origin {
    struct view *trail[MAX_TRAIL];
    size_t depth, tab_count;
    struct panes panes;
    struct undo undo[MAX_UNDO];
    size_t undo_at, undo_count;
    struct scope scope;
    enum name_form names;
    bool is_folded;
    enum per_form per;
    uint32_t iteration_cursor;
    size_t finding_at, findings_left_at;
    bool compares;
    struct view *tabs[]; // [tab_count]
};

static bool state_save(struct app *app)
{
    struct origin *origin = malloc(sizeof *origin + app->places->tab_count * sizeof *origin->tabs);
    if (!origin)
        return false;
    *origin = (struct origin){.depth = app->places->depth,
                              .tab_count = app->places->tab_count,
                              .panes = app->places->panes,
                              .undo_at = app->undo->at,
                              .undo_count = app->undo->count,
                              .scope = *app->scope,
                              .names = app->display->names,
                              .is_folded = app->display->is_folded,
                              .per = app->display->per,
                              .iteration_cursor = app->places->step,
                              .finding_at = app->findings->opened,
                              .findings_left_at = app->findings->left,
                              .compares = app->comparing->is_shown};
    memcpy(origin->trail, app->places->trail, sizeof origin->trail);
    for (size_t i = 0; i < origin->tab_count; i++)
        origin->tabs[i] = app->places->tabs[i];
    memcpy(origin->undo, app->undo->changes, sizeof origin->undo);
    app->tour->origin = origin;
    app->places->panes = (struct panes){.count = 1};
    app->places->depth = app->places->tab_count = app->undo->at = app->undo->count = 0;
    app->findings->opened = app->findings->left = 0;
    app->comparing->is_shown = false;
    app_changed(app);
    return true;
}

static void state_restore(struct app *app, struct origin *origin)
{
    while (app_drop_pane(app))
        ;
    while (app->places->depth > 0)
        view_free(app->places->trail[--app->places->depth]);
    while (app->places->tab_count > 0)
        view_free(app->places->tabs[--app->places->tab_count]);
    memcpy(app->places->trail, origin->trail, sizeof origin->trail);
    memcpy(app->undo->changes, origin->undo, sizeof origin->undo);
    app->places->depth = origin->depth;
    app->places->panes = origin->panes;
    app->places->tab_count = origin->tab_count;
    for (size_t i = 0; i < origin->tab_count; i++)
        app->places->tabs[i] = origin->tabs[i];
    app->undo->at = origin->undo_at;
    app->undo->count = origin->undo_count;
    *app->scope = origin->scope;
    app->display->names = origin->names;
    app->display->is_folded = origin->is_folded;
    app->display->per = origin->per;
    app->places->step = origin->iteration_cursor;
    app->findings->opened = origin->finding_at;
    app->findings->left = origin->findings_left_at;
    app->comparing->is_shown = origin->compares;
    free(origin);
    app_changed(app);
}

void tour_end(struct app *app)
{
    struct origin *origin = app->tour->origin;
    *app->tour = (struct tour){0};
    app->box->is_open = app->menu->is_open = false;
    app->prompt->kind = PROMPT_NONE;
    if (origin)
        state_restore(app, origin);
}

static unsigned count_stops(const char *text)
{
    unsigned stops = 0;
    bool is_note = false;
    for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
        bool was_note = is_note;
        is_note = strncmp(text, "note", 4) == 0;
        stops += is_note && !was_note;
    }
    return stops;
}

// Runs the lines up to the next stop. Returns false if a line cannot be parsed or fails.
static bool tour_run(struct app *app, struct error *error)
{
    struct tour *tour = app->tour;
    bool is_fine = true, is_note = false, has_note = false;
    app->box->is_open = false;
    tour->goes_on = app->script->is_noting = false;
    tour->is_running = true;
    tour->problem[0] = 0;
    while (is_fine && tour->text && *tour->text && !app->requests->is_done) {
        char line[SCRIPT_LINE];
        size_t length = strcspn(tour->text, "\n");
        bool was_note = is_note;
        is_note = strncmp(tour->text, "note", 4) == 0;
        has_note |= is_note;
        if (was_note && !is_note)
            break;
        if (length >= sizeof line) {
            is_fine = error_set(error, ERROR_USAGE, "script:%d: the line is too long", tour->line);
            break;
        }
        memcpy(line, tour->text, length);
        line[length] = 0;
        is_fine = script_line(app, line, tour->line, NULL, error);
        // The tour may run on a profile that it was not written for.
        if (!is_fine && tour->origin) {
            snprintf(tour->problem, sizeof tour->problem, "%.190s", app->messages->text);
            is_fine = true;
        }
        tour->text += length + (tour->text[length] == '\n');
        tour->line++;
    }
    tour->is_running = false;
    if (!is_fine || !has_note) {
        tour_end(app);
        return is_fine;
    }
    tour->stop++;
    size_t used = strlen(app->box->text);
    if (tour->problem[0])
        snprintf(app->box->text + used, sizeof app->box->text - used, "\n(Here: %s)",
                 tour->problem);
    snprintf(app->box->title, sizeof app->box->title, "%u of %u", tour->stop, tour->stops);
    return true;
}

static void tour_begin(struct app *app, const char *text)
{
    struct origin *origin = app->tour->origin;
    *app->tour =
        (struct tour){.text = text, .line = 1, .stops = count_stops(text), .origin = origin};
}

bool tour_play(struct app *app, const char *text, struct error *error)
{
    tour_begin(app, text);
    return tour_run(app, error);
}

void tour_continue(struct app *app)
{
    struct error error = {0};
    if (app->tour->goes_on && !app->tour->is_running && !tour_run(app, &error))
        host_complain(app, "%s", error.message);
}

void tour_key(struct app *app, uint32_t key)
{
    if (key == KEY_ENTER_PRESSED || key == '\n' || key == ' ') {
        app->tour->goes_on = true;
    } else if (key == KEY_ESCAPE || key == 3 || key == 'q' || key == 'Q') {
        bool is_back = app->tour->origin;
        tour_end(app);
        host_say(app, is_back ? "the tour has ended; this is where you were. {tour} begins it again"
                              : "the script has ended; the keys are yours");
    } else {
        box_key(app, key); // keys may scroll a long text but not close it
        app->box->is_open = true;
    }
}

void app_tour(struct app *app, const char *argument)
{
    (void)argument;
    const char *text = NULL;
    for (size_t i = 0; i < embedded_file_count; i++)
        if (strcmp(embedded_files[i].name, "docs/tour.script") == 0)
            text = embedded_files[i].text;
    if (!text || app->tour->text)
        return; // a tour is running already
    if (app->profile->stage != STAGE_READY || app->messages->loading[0] ||
        app->comparing_load->wanted[0]) {
        host_say(app, "the tour begins once everything is loaded");
        return;
    }
    if (!state_save(app)) {
        host_complain(app, "out of memory");
        return;
    }
    host_go_to(app, view_class_find("summary"));
    if (app->places->depth == 0) {
        tour_end(app);
        host_complain(app, "out of memory");
        return;
    }
    tour_begin(app, text);
    app->tour->goes_on = true;
}
