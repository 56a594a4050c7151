// SPDX-License-Identifier: Apache-2.0
#include "ui/session/tour.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/detect/expert.h"
#include "base/embedded.h"
#include "ui/host.h"
#include "ui/session/session_actions.h"
#include "ui/session/session_calls.h"
#include "ui/state/app_state.h"
#include "ui/state/comparing.h"
#include "ui/state/findings.h"
#include "ui/state/messages.h"
#include "ui/state/places.h"
#include "ui/state/prompt.h"
#include "ui/state/requests.h"
#include "ui/state/scope.h"
#include "ui/state/script_state.h"
#include "ui/state/tour_state.h"
#include "ui/state/undo.h"
#include "ui/state/view.h"
#include "ui/state/view_classes.h"
#include "ui/term/key.h"

// All that a tour changes, put aside: the places themselves, and what they look at.
struct aside {
    struct view *trail[TRAIL_MAX];
    size_t depth, tab_count;
    struct panes panes;
    struct undo undo[UNDO_MAX];
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

static bool put_aside(struct app *app)
{
    struct aside *aside = malloc(sizeof *aside + app->places->tab_count * sizeof *aside->tabs);
    if (!aside)
        return false;
    *aside = (struct aside){.depth = app->places->depth,
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
    memcpy(aside->trail, app->places->trail, sizeof aside->trail);
    for (size_t i = 0; i < aside->tab_count; i++)
        aside->tabs[i] = app->places->tabs[i];
    memcpy(aside->undo, app->undo->changes, sizeof aside->undo);
    app->tour->aside = aside;
    app->places->panes = (struct panes){.count = 1};
    app->places->depth = app->places->tab_count = app->undo->at = app->undo->count = 0;
    app->findings->opened = app->findings->left = 0;
    app->comparing->is_shown = false;
    app_changed(app);
    return true;
}

static void take_back(struct app *app, struct aside *aside)
{
    while (app_drop_pane(app))
        ;
    while (app->places->depth > 0)
        view_free(app->places->trail[--app->places->depth]);
    while (app->places->tab_count > 0)
        view_free(app->places->tabs[--app->places->tab_count]);
    memcpy(app->places->trail, aside->trail, sizeof aside->trail);
    memcpy(app->undo->changes, aside->undo, sizeof aside->undo);
    app->places->depth = aside->depth;
    app->places->panes = aside->panes;
    app->places->tab_count = aside->tab_count;
    for (size_t i = 0; i < aside->tab_count; i++)
        app->places->tabs[i] = aside->tabs[i];
    app->undo->at = aside->undo_at;
    app->undo->count = aside->undo_count;
    *app->scope = aside->scope;
    app->display->names = aside->names;
    app->display->is_folded = aside->is_folded;
    app->display->per = aside->per;
    app->places->step = aside->iteration_cursor;
    app->findings->opened = aside->finding_at;
    app->findings->left = aside->findings_left_at;
    app->comparing->is_shown = aside->compares;
    free(aside);
    app_changed(app);
}

void tour_end(struct app *app)
{
    struct aside *aside = app->tour->aside;
    *app->tour = (struct tour){0};
    app->box->is_open = app->menu->is_open = false;
    app->prompt->kind = PROMPT_NONE;
    if (aside)
        take_back(app, aside);
}

static unsigned stops_of(const char *text)
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

// Lines up to the end of a note. False: one could not be understood, or did not do what it says.
static bool run(struct app *app, struct error *error)
{
    struct tour *tour = app->tour;
    bool done = true, is_note = false, has_note = false;
    app->box->is_open = false;
    tour->goes_on = app->script->is_noting = false;
    tour->is_running = true;
    tour->problem[0] = 0;
    while (done && tour->text && *tour->text && !app->requests->is_done) {
        char line[SCRIPT_LINE];
        size_t length = strcspn(tour->text, "\n");
        bool was_note = is_note;
        is_note = strncmp(tour->text, "note", 4) == 0;
        has_note |= is_note;
        if (was_note && !is_note)
            break;
        if (length >= sizeof line) {
            done = error_set(error, ERROR_USAGE, "script:%d: the line is too long", tour->line);
            break;
        }
        memcpy(line, tour->text, length);
        line[length] = 0;
        done = script_line(app, line, tour->line, NULL, error);
        if (!done && tour->aside) { // on another profile than it was written for
            snprintf(tour->problem, sizeof tour->problem, "%.190s", app->messages->text);
            done = true;
        }
        tour->text += length + (tour->text[length] == '\n');
        tour->line++;
    }
    tour->is_running = false;
    if (!done || !has_note) {
        tour_end(app);
        return done;
    }
    tour->stop++;
    size_t used = strlen(app->box->text);
    if (tour->problem[0])
        snprintf(app->box->text + used, sizeof app->box->text - used, "\n(Here: %s)",
                 tour->problem);
    snprintf(app->box->title, sizeof app->box->title, "%u of %u", tour->stop, tour->stops);
    return true;
}

static void begin(struct app *app, const char *text)
{
    struct aside *aside = app->tour->aside;
    *app->tour = (struct tour){.text = text, .line = 1, .stops = stops_of(text), .aside = aside};
}

bool tour_play(struct app *app, const char *text, struct error *error)
{
    begin(app, text);
    return run(app, error);
}

void tour_go_on(struct app *app)
{
    struct error error = {0};
    if (app->tour->goes_on && !app->tour->is_running && !run(app, &error))
        app_complain(app, "%s", error.message);
}

void tour_key(struct app *app, uint32_t key)
{
    if (key == KEY_ENTER_PRESSED || key == '\n' || key == ' ') {
        app->tour->goes_on = true;
    } else if (key == KEY_ESCAPE || key == 3 || key == 'q' || key == 'Q') {
        bool is_back = app->tour->aside;
        tour_end(app);
        app_say(app, is_back ? "the tour has ended; this is where you were. {tour} begins it again"
                             : "the script has ended; the keys are yours");
    } else {
        box_key(app, key); // a long text scrolls; nothing else closes it
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
        return; // one is on: it says nothing about another
    if (app->profile->stage != STAGE_READY || app->messages->loading[0] ||
        app->comparing_load->wanted[0]) {
        app_say(app, "the tour begins once everything is loaded");
        return;
    }
    if (!put_aside(app)) {
        app_complain(app, "out of memory");
        return;
    }
    app_go_to(app, view_class_find("summary"));
    if (app->places->depth == 0) {
        tour_end(app);
        app_complain(app, "out of memory");
        return;
    }
    begin(app, text);
    app->tour->goes_on = true;
}
