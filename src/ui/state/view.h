// SPDX-License-Identifier: Apache-2.0
// Views: what fills the screen between the title and the footer.
//
// To add a view: view_x.c with a class, and one line in ui/app/view_list.c. Every report is a view
// already, by its name; a class for it is only needed for a digit or a face of its own.
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
    const char *name;  // of `:view NAME`
    const char *title; // "Kernels"
    const char *tab;   // short, for 80 columns; NULL: no tab of its own
    const char *doc;
    char digit;                      // 0: none
    unsigned kinds;                  // enum view_kind: which actions mean something here
    const char *report;              // rows of its table; NULL: no table
    const struct report *own_report; // the same, of a report that is no face of the profile
    const struct report *rests_on; // without a table: what draws it rests on; has no rows, but what
                                   // its build() makes is kept in the memo
    int min_name_percent;          // see struct table
    enum profile_stage stage;      // from which on it can be shown while loading; 0: the last
    const char *saves;             // report that is saved where there is no table; NULL: a picture
    const char *flip;              // view that F5 turns to; NULL: act() does it or nothing
    const char *flip_label;        // of F5 in the footer
    // Whether a profile (NULL: none yet) can have it: F5 passes over views that it cannot have. NULL: any.
    bool (*has)(const struct profile *profile);
    // Of a view with a digit: the view that the digit opens where that says more of this profile; NULL,
    // or answers NULL: itself.
    const char *(*face)(const struct profile *profile);
    size_t state_size;
    void (*refresh)(struct view *view); // profile or selection changed
    void (*draw)(struct view *view, struct canvas *canvas, struct area area);
    bool (*act)(struct view *view, enum action action); // false: not mine
    // Where on the time line the row under the cursor is (app_timeline.c); NULL: as tables do.
    bool (*place)(struct view *view, struct row_place *place);
    // Of `/`, where there is no table: false, with what is wrong with the pattern.
    bool (*search)(struct view *view, const char *text, struct error *error);
    // The mouse on a cell of the screen: a key that key_is_mouse(). NULL or false: a wheel is a key
    // like others, and of the rest tables make something. A double click comes after a click on the
    // same cell, a drag and its end only where the press was this view's.
    bool (*point)(struct view *view, uint32_t key, int x, int y);
    const char *(*enters)(struct view *view); // what Enter does on the row; NULL: nothing
    // Instead of the report's narrow(): what Enter opens on a row, and of what; NULL: nothing.
    const char *(*opens)(struct view *view, const void *row, struct selection *selection);
    bool begins_split; // with what Enter opens beside it, where there is room for both
    // Of a list of findings the one under the cursor, NULL: none there; where `(` and `)` begin.
    const struct finding *(*finding)(struct view *view);
    bool lists_findings; // all that it shows: keys wait for those that are being worked out
    bool (*is_flipped)(const struct view *view); // shows its second face; NULL: has one
    void (*close)(struct view *view);            // NULL: nothing beside its arena
    // For the help, of what has no columns: the i-th thing it shows, and what that means. False: none.
    bool (*legend)(struct view *view, size_t i, struct view_legend *legend);
    // Of a table whose rows are sentences: the one under the cursor, which is shown whole below. False:
    // there is none.
    bool (*sentence)(struct view *view, struct view_legend *legend);
    // For sessions, of what is no table: commands (a line each, without the colon) that bring a new
    // view to where this one is; and `:row PLACE`, with false where there is no such place.
    const char *(*keep)(struct view *view, struct arena *arena);
    bool (*go)(struct view *view, const char *place);
};

enum { CHIPS_MAX = 32 };
struct chip { // a term of the filter as last drawn over the table
    int16_t x, width;
};

enum own_field { OWN_ITERATIONS = 1, OWN_DEVICE = 2, OWN_PROCESS = 4 };

// A view with its place: where one comes back to exactly.
struct view {
    struct app *app;
    const struct view_class *class;
    const struct report *report; // of the table, NULL: none
    const struct report *base;   // that, or the one whose comparison the table shows
    struct table shelf;          // the table of `base` meanwhile
    struct selection narrow;     // node, names, op ... are the view's own
    unsigned own;                // enum own_field: of the rest, what is the view's own
    char label[96];              // the row that led here, for the trail
    char opened[200];            // the command that opened it there; "": no longer known
    struct table table;
    struct chip chips[CHIPS_MAX];
    int chip_count;
    struct cached *cached; // the rows in the table
    bool has_rows;         // has had some
    bool is_late;          // those of what is looked at are still being worked out
    bool is_evidence;      // of a finding: compared with nothing until somebody asks
    bool is_visit;         // a second one of its view: goes when it is left
    uint32_t step_before;  // of a visit: under the cursor of the Iterations view when it began
    bool is_proof;         // opened for a finding: the next one's takes its place
    unsigned generation;   // of the app when last refreshed
    int64_t backward_ns;   // backward work of the node chosen that lies elsewhere
    struct error problem;  // why there are no rows
    enum { SPLIT_AT_FIRST, SPLIT_OFF, SPLIT_ON } splits; // a key chose; first: as the class says
    struct area drawn;      // where it was drawn last, as its mouse counts; nothing: nowhere yet
    struct area list;       // ... and its table
    struct view *pane;      // of the split: what Enter opens for the row under the cursor; NULL
    bool is_pane, has_keys; // it is the pane of another one; keys go to its pane
    enum {
        DRAG_NONE,
        DRAG_PRESSED,
        DRAG_ON
    } drag;              // the mouse over its rows: pressed on one, moved
    struct arena *arena; // of `state`
    void *state;
};

// What F5 turns to, and what the footer calls it; NULL: nothing.
const struct view_class *view_flip(const struct view *view, const char **label);
bool view_is(const struct view *view, const char *name); // of the class of that name
static inline bool class_is_help(const struct view_class *class)
{
    return class->kinds & KIND_HELP;
}

struct view *view_new(struct app *app, const struct view_class *class,
                      const struct selection *narrow, unsigned own, struct error *error);
void view_free(struct view *view);
void view_refresh(struct view *view);      // if anything changed since
void view_refresh_soon(struct view *view); // the same for a frame, which does not wait: is_late
void view_measure_step(struct view *view); // what shares of the step are of, where they are shown
void view_show_base(struct view *view);    // no comparison any more
void view_let_go(struct view *view);       // of all that rests on the present profile

struct area view_room(const struct view *view); // where it was drawn last, else where it would be
unsigned view_kinds(const struct view *view);   // enum view_kind: of its class and its rows
bool view_is_ready(const struct view *view);    // false: its part of the profile is being loaded
bool view_is_there(const struct view *view); // ready, and what it is drawn from has been worked out

// What the view looks at: the app's scope narrowed by the view.
struct selection view_selection(const struct view *view);

// Plain tables and trees.
void table_view_draw(struct view *view, struct canvas *canvas, struct area area);
bool table_view_act(struct view *view, enum action action);
// The line over a table, and whether there is anything to draw below it; else it says why not.
bool table_view_ready(struct view *view, struct canvas *canvas, struct area area);
void table_view_caption(struct view *view, struct canvas *canvas, struct area area);
const char *table_view_enters(struct view *view);
// What a drag to line `y` of the screen spans in the table, from the row that was pressed on to the
// cursor, in rows; 0: nothing, or nothing any more.
size_t view_drag_rows(struct view *view, int y);
int view_chip_at(const struct view *view, int x); // in the line over the table; -1: none
// What Enter opens on the row under the cursor, and of what: NULL: nothing but the row itself.
const char *view_row_opens(struct view *view, struct selection *selection);
// The step's tree, with a set of its own (view_iterations.c).
void view_enter_step(struct view *view, uint32_t step);

// The pane of a split (app_split.c). Takes its part of `area`: width 0: there is none.
struct area view_take_pane(const struct view *view, struct area *area);
void view_draw_pane(struct view *view, struct canvas *canvas, struct area area);
void view_close_pane(struct view *view);
void view_settle_pane(struct view *view); // before it gets the keys: it may be about to follow
bool view_has_split(struct view *view);   // rows open something, and there is room for a pane

// Below a table whose rows are sentences (view_sentence.c). Takes its lines of `area`: height 0: the
// class has none, there is no room, or the details tell all.
struct area view_take_sentence(const struct view *view, struct area *area);
void view_draw_sentence(struct view *view, struct canvas *canvas, struct area area);

// "Op tree › forward › layers.* › Kernels": where one is, cut at its beginning (view_path.c).
const char *view_path_text(struct view *view, int width, struct arena *arena);
// The kernel name that the row under the cursor is of, in `selection`; false: of none.
bool view_kernel(struct view *view, struct selection *selection);

// What a view has, so that an action means something in it (view_applies.c).
bool view_knows_kernel(struct view *view);
bool view_has_name_forms(struct view *view); // rows are kernels of more than one name
bool view_is_op_tree(struct view *view);     // rows are places, as a tree or as boxes
bool view_has_folds(struct view *view);      // rows with others below them
bool view_has_siblings(struct view *view);   // numbered ones: the tree of places, all of it
bool view_has_steps(struct view *view);      // more than one
bool view_has_many_steps(struct view *view); // more than are seen well at once
bool view_has_link(struct view *view);       // what is chosen launches or is launched
bool view_has_place(struct view *view);      // the row under the cursor is on the time line
bool view_zooms(struct view *view);          // a chart of more than fits
bool view_has_gpus(struct view *view);       // steps on more than one
bool view_has_baseline(struct view *view);   // there is one to compare with
bool view_has_backward(struct view *view);   // of the node chosen, that lies elsewhere
bool view_adds_up(struct view *view);        // rows are sums over steps, so that per step differs
bool view_has_more_columns(struct view *view);
#define TABLE_VIEW \
    .kinds = KIND_TABLE, .draw = table_view_draw, .act = table_view_act, .enters = table_view_enters
#define TREE_VIEW                                                                    \
    .kinds = KIND_TABLE | KIND_TREE, .draw = table_view_draw, .act = table_view_act, \
    .enters = table_view_enters

#endif
