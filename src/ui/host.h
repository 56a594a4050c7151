// SPDX-License-Identifier: Apache-2.0
// What a view may ask of the app that shows it.
//
// A view knows no more of the app than this: `struct app` stays incomplete. ui/state implements it.
// Text that the app shows names keys as action_text() does: "{undo} takes it back".
#ifndef UI_HOST_H
#define UI_HOST_H

#include <stdbool.h>
#include <stdint.h>
#include "analysis/report/selection.h"
#include "ui/term/action.h"

struct app;
struct baseline;
struct canvas;
struct cached;
struct finding;
struct finding_list;
struct memo;
struct profile;
struct report;
struct scope;
struct steps_why;
struct view;
struct view_class;

// ---- what it looks at --------------------------------------------------------------------------

const struct profile *host_profile(const struct app *app);
struct canvas *host_canvas(const struct app *app);     // with the arena of the frame
const struct scope *host_scope(const struct app *app); // ui/state/scope.h
unsigned host_generation(const struct app *app);       // counts changes of scope and profile
bool host_is_live(const struct app *app);              // in a terminal, where nobody waits
struct selection app_selection(const struct app *app); // all that the scope lets through
struct memo *app_memo(const struct app *app); // of the present split, for selections; NULL: none
// Whether tables tell figures per step: wherever there are steps, unless somebody switched.
bool app_is_per_step(const struct app *app);

// ---- rows --------------------------------------------------------------------------------------

// The rows of a report, built now if they must be; cache_release() (ui/state/cache.h) gives them back.
// NULL: memory ended.
struct cached *host_rows(struct app *app, const struct report *report,
                         const struct selection *selection);
// Whether host_rows() takes no time; else the rows are being built on a thread.
bool host_has_rows(struct app *app, const struct report *report, const struct selection *selection);

// ---- steps -------------------------------------------------------------------------------------

uint32_t host_step(const struct app *app); // under the cursor of the Iterations view
void host_set_step(struct app *app, uint32_t step);
bool app_iteration_is_in(const struct app *app, uint32_t iteration); // the set that is looked at
void app_choose_set(struct app *app, const bool *members);           // NULL: all
// Takes these, both ends included, out of the set where all are in it, else into it.
void app_toggle_iterations(struct app *app, uint32_t from, uint32_t to);
void app_leave_iterations_out(struct app *app, const bool *out); // by iteration
struct steps_why *host_steps_why(struct app *app); // kept from frame to frame (ui/state/steps.h)
const char *step_name(const struct app *app, uint32_t iteration, struct arena *arena); // "#17"
char *step_label(const struct app *app, uint32_t iteration, struct arena *arena);      // "step 17"
const char *step_title(const struct app *app, uint32_t iteration,
                       struct arena *arena); // "Step 17"; without steps what it is

// ---- findings ----------------------------------------------------------------------------------

// Of what is looked at. In a terminal nobody waits for them: they are worked out on a thread of their
// own, and until then those of before stand there.
const struct finding_list *app_findings(struct app *app);
bool app_findings_pending(const struct app *app); // not yet those of what is looked at
bool host_had_findings(const struct app *app);    // those of before stand there meanwhile
void app_findings_await(struct app *app);         // for a key that is about them
// What stands where no finding is; `is_judged`: that is praise.
const char *app_findings_none(const struct app *app, bool *is_judged);
void app_open_finding(struct app *app, const struct finding *finding);
void app_explain_finding(struct app *app, const struct finding *finding);
// Turns the view of the rows that prove a finding to these: filter and sort of the finding.
void app_finding_rows(struct view *view, const struct finding *finding);
bool host_is_previewing(const struct app *app); // a split is only looked at (candidates)

// ---- comparing ---------------------------------------------------------------------------------

bool app_compares(const struct app *app); // with a baseline, and shows it
const struct baseline *app_baseline(const struct app *app);
// The comparison of a report that is to be shown, NULL: none is.
const struct report *app_comparison(struct app *app, const struct report *base);
const char *app_comparing_one(const struct app *app); // "step", "slice"; "capture" without any
// "per step and GPU": what figures of a report's comparison are of.
const char *app_comparing_unit(const struct app *app, const struct report *report,
                               struct arena *arena);

// ---- going elsewhere ---------------------------------------------------------------------------

struct view *app_front(const struct app *app); // the view that fills the screen; NULL: none yet
struct view *app_top(const struct app *app);   // the one that keys go to: it or its pane
// The view that this one was opened from; NULL: none.
struct view *host_view_before(const struct app *app, const struct view *view);
bool app_go_in(struct app *app, const struct view_class *class, const struct selection *narrow,
               unsigned own, const char *label);
void app_go_to(struct app *app, const struct view_class *class); // by digit, tab, name
void app_enter(struct app *app, const char *report, const struct selection *selection,
               const char *label);
void app_show_node(struct app *app, uint32_t node, const char *label); // of the folded tree
void app_take_pane(struct app *app); // the pane that keys go to fills the screen from now on
// The row of the other tree that stands for a node of the one: see there.
uint64_t node_across(const struct profile *profile, uint64_t node, bool to_folded);

// Does what an action does, or a command without its colon (false: a mistake), from inside of a key
// or command.
void app_do(struct app *app, enum action action, const char *argument);
bool app_run_command(struct app *app, const char *line);

// ---- saying and showing ------------------------------------------------------------------------

// What the line below the view says.
void app_say(struct app *app, const char *format, ...) __attribute__((format(printf, 2, 3)));
void app_complain(struct app *app, const char *format, ...) __attribute__((format(printf, 2, 3)));
void app_complain_of(struct app *app, const struct error *error); // with its kind
bool host_has_complained(const struct app *app);                  // since the key or command began
void app_explain_steps(struct app *app);
void app_explain_column(struct app *app, struct view *view, unsigned column); // of its table
void box_open(struct app *app, const char *title, const char *text);          // over the screen
// To the terminal's clipboard, else into a file; says which. `what`: "the finding".
void app_copy(struct app *app, const char *what, const char *text);
void app_copy_lines(struct app *app, const char *what, const char *text); // of several lines

// ---- words and files ---------------------------------------------------------------------------

// What a command that switches is told to: "on", "off"; "" leaves `wanted` as it is. False: neither.
bool app_switch(struct app *app, const char *argument, bool *wanted);
const char *app_source_root(const struct app *app); // below which source files are looked for
unsigned host_source_serial(const struct app *app); // counts its changes

#endif
