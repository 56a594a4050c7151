// SPDX-License-Identifier: Apache-2.0
// The interface of the app towards its views.
//
// `struct app` stays incomplete here, so that views depend on these functions only; ui/state,
// ui/overlay and ui/actions implement them. Texts passed to the app may contain "{undo}", which is
// shown as the key of the action (action_text()).
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

// ---- scope -------------------------------------------------------------------------------------

const struct profile *host_profile(const struct app *app);
struct canvas *host_canvas(const struct app *app);     // holds the arena of the frame
const struct scope *host_scope(const struct app *app); // ui/state/scope.h
unsigned host_generation(const struct app *app);       // counts changes of scope and profile
bool host_is_live(const struct app *app); // true in a terminal, where frames never wait for results
struct selection host_selection(const struct app *app); // selects the whole scope
struct memo *host_split_memo(
    const struct app *app); // memo of the current split; NULL if it has none
// Returns true if tables show figures per step. The default is true if the run has steps; the user
// can switch it.
bool host_is_per_step(const struct app *app);

// ---- rows --------------------------------------------------------------------------------------

// Returns the rows of a report and builds them now if necessary. The caller gives them back with
// cache_release() (ui/rows/cache.h). Returns NULL on any error.
struct cached *host_rows(struct app *app, const struct report *report,
                         const struct selection *selection);
// Returns true if host_rows() returns at once; otherwise the rows are being built on a thread.
bool host_has_rows(struct app *app, const struct report *report, const struct selection *selection);

// ---- steps -------------------------------------------------------------------------------------

uint32_t host_step(const struct app *app); // step under the cursor of the Iterations view
void host_set_step(struct app *app, uint32_t step);
bool host_step_is_selected(const struct app *app, uint32_t iteration); // in the selected set
void host_select_steps(struct app *app, const bool *members);          // NULL: all
// Removes the steps `from` to `to` (inclusive) from the selected set if it contains all of them;
// otherwise adds them.
void host_toggle_steps(struct app *app, uint32_t from, uint32_t to);
void host_exclude_steps(struct app *app, const bool *out); // indexed by step
struct steps_why *host_steps_why(
    struct app *app); // cache that lasts over frames (ui/state/steps.h)
const char *host_step_name(const struct app *app, uint32_t iteration, struct arena *arena); // "#17"
char *host_step_label(const struct app *app, uint32_t iteration, struct arena *arena); // "step 17"
// Returns "Step 17"; without steps "First to last GPU work".
const char *host_step_title(const struct app *app, uint32_t iteration, struct arena *arena);

// ---- findings ----------------------------------------------------------------------------------

// Returns the findings of the current scope. In a terminal a thread computes them; until it is done
// host_findings() returns the findings of an earlier scope and host_findings_pending() is true.
const struct finding_list *host_findings(struct app *app);
bool host_findings_pending(const struct app *app);
bool host_had_findings(const struct app *app); // findings have been computed before
void host_await_findings(struct app *app);     // waits; for a key that acts on findings
// Returns the text for an empty list of findings. Sets `is_judged` if everything could be judged,
// so that the empty list is good news.
const char *host_no_findings_text(const struct app *app, bool *is_judged);
void host_open_finding(struct app *app, const struct finding *finding);
void host_explain_finding(struct app *app, const struct finding *finding);
// Applies the filter and sort of a finding to the view of the rows that prove it.
void host_show_finding_rows(struct view *view, const struct finding *finding);
bool host_is_previewing(const struct app *app); // a split is previewed in the list of candidates

// ---- comparing ---------------------------------------------------------------------------------

bool host_is_comparing(const struct app *app); // there is a baseline and the comparison is shown
const struct baseline *host_baseline(const struct app *app);
// Returns the comparison report to show in place of `base`, or NULL.
const struct report *host_comparison(struct app *app, const struct report *base);
const char *host_compared_unit(const struct app *app); // "step" or "slice"; "capture" without steps
// Returns the unit of the figures in a report's comparison, such as "per step and GPU".
const char *host_comparison_unit_text(const struct app *app, const struct report *report,
                                      struct arena *arena);

// ---- navigation --------------------------------------------------------------------------------

// The view that fills the screen; NULL before the first
struct view *host_front_view(const struct app *app);
// The view that receives keys: the front view or its pane
struct view *host_top_view(const struct app *app);
// Returns the view that `view` was opened from, or NULL.
struct view *host_previous_view(const struct app *app, const struct view *view);
bool host_open_view(struct app *app, const struct view_class *class, const struct selection *narrow,
                    unsigned own, const char *label);
void host_go_to(struct app *app, const struct view_class *class); // by digit, tab, name
void host_open_report(struct app *app, const char *report, const struct selection *selection,
                      const char *label);
void host_show_node(struct app *app, uint32_t node, const char *label); // of the folded tree
void host_expand_pane(struct app *app); // makes the pane that has the keys the front view
// Maps a node between the op tree and the folded op tree. Unfolded nodes map to the node that they
// are folded into, folded nodes to the first node that is folded into them.
uint64_t host_map_node(const struct profile *profile, uint64_t node, bool to_folded);

// Run an action, or a command without its colon, from within the handling of a key or command.
// host_run_command() returns false if the command is wrong.
void host_do_action(struct app *app, enum action action, const char *argument);
bool host_run_command(struct app *app, const char *line);

// ---- messages and boxes ------------------------------------------------------------------------

// Set the message line below the view.
void host_say(struct app *app, const char *format, ...) __attribute__((format(printf, 2, 3)));
void host_complain(struct app *app, const char *format, ...) __attribute__((format(printf, 2, 3)));
void host_complain_error(struct app *app, const struct error *error); // keeps the error's kind
bool host_has_complained(const struct app *app); // since the current key or command began
void host_explain_steps(struct app *app);
void host_explain_column(struct app *app, struct view *view,
                         unsigned column);                                // of the view's table
void host_open_box(struct app *app, const char *title, const char *text); // shown over the screen
// Copies a text to the terminal's clipboard, or to a file if there is none, with a message. `what`
// is the name of the text in that message: "the finding".
void host_copy_text(struct app *app, const char *what, const char *text);
void host_copy_lines(struct app *app, const char *what, const char *text); // text of several lines

// ---- words and files ---------------------------------------------------------------------------

// Parses the argument of a command that switches something: "on" or "off"; "" leaves `wanted`
// unchanged. Returns false for anything else.
bool host_parse_switch(struct app *app, const char *argument, bool *wanted);
const char *host_source_root(const struct app *app); // folder that is searched for source files
unsigned host_source_serial(const struct app *app);  // counts changes of the source root

#endif
