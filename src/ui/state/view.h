// SPDX-License-Identifier: Apache-2.0
// Views fill the screen between the title and the footer.
//
// To add a view, write view_x.c with a class and add one line to ui/app/view_list.c. Each report is
// already a view by its name and needs a class only for a digit or for drawing of its own.
#ifndef UI_STATE_VIEW_H
#define UI_STATE_VIEW_H

#include "analysis/report/selection.h"
#include "ui/state/view_classes.h"
#include "ui/table/table.h"
#include "ui/term/action.h"
#include "ui/term/canvas.h"

struct app;
struct view;
struct cached;
struct finding;
struct row_place;

struct view_legend {
    const char *head, *text; // the text for action_text()
};

struct view_class {
    const char *name;  // argument of `:view NAME`
    const char *title; // "Kernels"
    const char *tab;   // short title for a screen of 80 columns; NULL: no tab
    const char *doc;
    char digit;                       // 0: none
    unsigned kinds;                   // enum view_kind: selects the actions that apply
    const char *report;               // report of its table; NULL: no table
    const struct report *own_report;  // the same, for a report that does not show the profile
    const struct report *memo_report; // for a view without a table: a report without rows whose
                                      // build() fills the memo with what draw() needs
    int min_name_percent;             // see struct table
    enum profile_stage stage;         // first loading stage that can show it; 0: the last
    const char *saves;                // report to save if there is no table; NULL: a picture
    const char *flip;       // view that F5 switches to; NULL: act() handles F5, or F5 has no effect
    const char *flip_label; // label of F5 in the footer
    // Returns true if the profile (NULL: none yet) can have this view; F5 skips views that it
    // cannot have. NULL: any profile can.
    bool (*has)(const struct profile *profile);
    // For a view with a digit: returns the view that the digit opens instead if that shows more of
    // this profile. If it is NULL or returns NULL, the digit opens this view.
    const char *(*face)(const struct profile *profile);
    size_t state_size;
    void (*refresh)(struct view *view); // called when the profile or selection changes
    void (*draw)(struct view *view, struct canvas *canvas, struct area area);
    bool (*act)(struct view *view, enum action action); // false: not handled
    // Finds the place of the row under the cursor on the timeline (app_timeline.c). NULL: the same
    // as for tables.
    bool (*place)(struct view *view, struct row_place *place);
    // Searches (`/`) in a view without a table. Returns false if the pattern is wrong.
    bool (*search)(struct view *view, const char *text, struct error *error);
    // Handles the mouse on a screen cell; `key` satisfies key_is_mouse(). If it is NULL or returns
    // false, the wheel is handled as a key and the rest by the table. A double click follows a
    // click on the same cell; a drag and its end arrive only if this view took the press.
    bool (*point)(struct view *view, uint32_t key, int x, int y);
    const char *(*enters)(
        struct view *view); // describes the effect of Enter on the row; NULL: none
    // Replaces the report's narrow(): returns the view that Enter opens on a row and sets its
    // selection. NULL: Enter opens no view.
    const char *(*opens)(struct view *view, const void *row, struct selection *selection);
    bool begins_split; // starts split, if there is room for the pane
    // For a list of findings: the finding under the cursor or NULL. `(` and `)` start there.
    const struct finding *(*finding)(struct view *view);
    bool lists_findings; // shows only findings, so that keys wait until they are computed
    bool (*is_flipped)(const struct view *view); // shows its second face; NULL: has only one
    void (*close)(struct view *view);            // NULL: only its arena is freed
    // For the help of a view without columns: the i-th sign it shows and its meaning. Returns false
    // at the end.
    bool (*legend)(struct view *view, size_t i, struct view_legend *legend);
    // For a table whose rows are sentences: the sentence under the cursor, shown in full below the
    // table. Returns false if there is none.
    bool (*sentence)(struct view *view, struct view_legend *legend);
    // For sessions, for views without a table. keep() returns commands (one per line, without the
    // colon) that bring a new view to the position of this one. go() performs `:row PLACE` and
    // returns false if the position does not exist.
    const char *(*keep)(struct view *view, struct arena *arena);
    bool (*go)(struct view *view, const char *place);
};

enum { MAX_CHIPS = 32 };
struct chip { // a term of the filter, as last drawn over the table
    int16_t x, width;
};

enum own_field { OWN_ITERATIONS = 1, OWN_DEVICE = 2, OWN_PROCESS = 4 };

// A view and its state, so that going back restores it exactly.
struct view {
    struct app *app;
    const struct view_class *class;
    const struct report *report; // report of the table; NULL: no table
    const struct report *base; // equals `report`, or is the report whose comparison the table shows
    struct table base_table;   // the table of `base` while a comparison is shown
    struct selection narrow;   // its node, names, op ... belong to the view
    unsigned own;              // enum own_field: the other fields that belong to the view
    char label[96];            // name of the row that led here, for the path
    char opened[200];          // the command that opened it from there; "": unknown
    struct table table;
    struct chip chips[MAX_CHIPS];
    int chip_count;
    struct cached *cached; // the rows of the table
    bool has_rows;         // the table has had rows before
    bool is_late;          // the rows of the current selection are still being computed
    bool is_evidence;      // rows of a finding: no comparison until the user asks
    bool is_visit;         // a second view of its class; freed when it is left
    uint32_t step_before;  // for a visit: app->places->step when it began
    bool is_proof;         // opened for a finding; replaced by the next finding's
    unsigned generation;   // app generation at the last refresh
    int64_t backward_ns;   // backward work that belongs to the node but is outside of its subtree
    struct error problem;  // why there are no rows
    enum {
        SPLIT_AT_FIRST,
        SPLIT_OFF,
        SPLIT_ON
    } splits;               // FIRST: as the class says; else chosen by a key
    struct area drawn;      // where it was last drawn, for the mouse; empty: not yet
    struct area list;       // where its table was last drawn
    struct view *pane;      // pane with what Enter opens on the row under the cursor, or NULL
    bool is_pane, has_keys; // is the pane of another view; its own pane receives keys
    enum {
        DRAG_NONE,
        DRAG_PRESSED,
        DRAG_ON
    } drag;              // mouse button over the rows: up, pressed, dragging
    struct arena *arena; // owns `state`
    void *state;
};

// Returns the view that F5 switches to and its label in the footer, or NULL.
const struct view_class *view_flip(const struct view *view, const char **label);
bool view_is(const struct view *view, const char *name); // true if its class has that name
static inline bool class_is_help(const struct view_class *class)
{
    return class->kinds & KIND_HELP;
}

struct view *view_new(struct app *app, const struct view_class *class,
                      const struct selection *narrow, unsigned own, struct error *error);
void view_free(struct view *view);
void view_refresh(struct view *view); // updates the rows if anything has changed
void view_refresh_async(
    struct view *view);                    // the same without waiting, for a frame; may set is_late
void view_measure_step(struct view *view); // computes step_ns if shares of the step are shown
void view_show_base(struct view *view);    // ends the comparison
void view_release_profile(struct view *view); // releases everything that depends on the profile

struct area view_room(const struct view *view); // where it was last drawn, or would be
unsigned view_kinds(const struct view *view);   // enum view_kind of its class and rows
bool view_is_ready(const struct view *view);    // false: the profile is not loaded far enough
bool view_is_drawable(
    const struct view *view); // ready, and everything that draw() needs is computed

// Returns the app's scope, narrowed by the view.
struct selection view_selection(const struct view *view);

// Returns the view that Enter opens on the row under the cursor and sets its selection. NULL: Enter
// shows the row itself.
const char *view_row_opens(struct view *view, struct selection *selection);
void view_close_pane(struct view *view); // the pane of a split view
// Sets `selection` to the kernel name of the row under the cursor. Returns false if it has none.
bool view_kernel(struct view *view, struct selection *selection);

// Conditions under which an action applies to a view (view_applies.c).
bool view_knows_kernel(struct view *view);
bool view_has_name_forms(struct view *view); // rows are kernels with different names
bool view_is_op_tree(struct view *view);     // rows are nodes of the op tree, as a tree or as boxes
bool view_has_folds(struct view *view);      // some rows have children
bool view_has_siblings(struct view *view);   // shows the whole op tree, which has numbered siblings
bool view_has_steps(struct view *view);      // more than one step
bool view_has_step_kinds(struct view *view); // some step is known as prefill, decode ...
bool view_has_many_steps(struct view *view); // more than fit on a chart
bool view_zooms(struct view *view);          // shows a chart that can be zoomed
bool view_has_gpus(struct view *view);       // more than one GPU has work and none is selected
bool view_has_baseline(struct view *view);   // there is a baseline
bool view_has_backward(struct view *view);   // the node has backward work outside of it
bool view_adds_up(struct view *view); // rows are sums over steps, so that figures per step differ
bool view_has_more_columns(struct view *view);

#endif
