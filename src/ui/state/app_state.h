// SPDX-License-Identifier: Apache-2.0
// The state of the running program, shared by the files of this folder that act on it.
#ifndef UI_STATE_APP_STATE_H
#define UI_STATE_APP_STATE_H

#include "analysis/breakdown/breakdown.h"
#include "analysis/compare/baseline.h"
#include "analysis/detect/expert.h"
#include "analysis/idle/step_difference.h"
#include "analysis/sums/step_sets.h"
#include "analysis/sums/step_slowest.h"
#include "model/steps/step_candidates.h"
#include "ui/app/app.h"
#include "ui/app/app_actions.h"
#include "ui/session/bookmarks.h"
#include "ui/session/session.h"
#include "ui/session/tour.h"
#include "ui/state/cache.h"
#include "ui/state/prompt.h"
#include "ui/state/view.h"
#include "ui/term/theme.h"
#include "ui/widgets/panes.h"

enum { TRAIL_MAX = 48, UNDO_MAX = 100, SPLIT_MAX = 12, TAB_MAX = 64, LAYOUT_MAX = 64 };

// What every view looks at.
struct scope {
    const struct split *split;
    const bool *iterations; // NULL: all and what is outside; else one of app->sets
    uint32_t process, device;
    bool adoption;
    struct step_size step_size;
};

enum per_form { PER_AS_FOUND, PER_STEP, PER_TOTAL };

struct undo { // the state before a change
    struct scope scope;
    const struct view *visit;    // that a jump opened, whose change this was; NULL: none
    const struct view *view;     // whose filter and sort these are; NULL: it is gone
    const struct report *report; // ... and of which columns; NULL: it has none
    char filter[TABLE_FILTER_SIZE];
    struct sort_key sort[MAX_SORT_KEYS];
    unsigned sort_count;
    struct column_layout columns;
    enum share_of share;
    bool with_backward;
    // How everything is told.
    enum per_form per;
    enum name_form names;
    bool is_folded;
};

struct split_entry {
    char name[128]; // how it was asked for
    const struct split *split;
    struct arena *arena;
    bool is_preview;   // only looked at: goes with the next one
    struct memo *memo; // NULL: none yet
};

struct iteration_set { // a set once made, found again by its content
    const struct split *split;
    bool *members;
};

struct steps_device { // one GPU of them; parts NULL: nothing runs there
    struct breakdown *parts;
    int64_t *duration_ns;
};

// Steps of the present split, process and device: what charts and statistics rest on.
struct steps {
    const struct split *split;
    uint32_t process, device, count;
    struct breakdown *parts; // by breakdown_gpu
    int64_t *duration_ns;    // by the GPU's clock, else the host's; UNKNOWN: nothing there
    int64_t *host_ns;        // from one to the next on the host; UNKNOWN: not there
    struct step_sets sets;
    struct steps_device *devices; // [device_count], after app_steps_by_device()
    uint32_t device_count;
    const struct steps_slowest *slowest; // NULL: not asked for yet; in the memo of the split
    struct step_statistics statistics;   // of the chosen ones, when `has_statistics`
    const bool *statistics_of;           // the set they are of
    bool has_statistics;
    struct arena *arena;
};

// The candidates for cutting the run into steps, while they are chosen from (candidates.c).
struct candidates_panel {
    bool is_open;
    struct arena *arena; // of `found`, which is of `profile`
    const struct profile *profile;
    struct step_candidates found;
    size_t cursor, top, page; // page: rows shown
    struct scope before;      // to go back to
    uint32_t cursor_before;   // of the steps
    size_t now;               // row of what it was before ...
    bool has_former;          // ... which is none of the candidates: the first row
};

struct steps_why { // what makes the step under the cursor differ (steps_why.c)
    struct arena *arena;
    struct step_difference difference;
    unsigned generation;
    uint32_t step;
    enum name_form names;
    bool is_known;
};

// What is compared with: a profile of its own, or a part of the one that is shown.
enum { COMPARING_UNITS = 7 }; // of compare_unit(): none, step, replay, ..., iteration
struct app_comparing {
    const struct profile *loaded;       // as loaded; NULL: the same profile
    struct baseline_request request;    // its profile, how its steps, GPU and process were chosen
    char path[4096];                    // of the loaded one, as it was given
    char key[128];                      // app_split_name() that the request's set is of
    struct baseline *baseline;          // NULL: there is none
    const struct report **reports;      // comparisons, by report and unit; NULL: not made yet
    const char *units[COMPARING_UNITS]; // that there were, constants
    struct memo *memo;   // of another profile's split; NULL: none yet, or the same profile
    struct arena *arena; // of baseline and reports
    bool is_shown;
};

// Views side by side (app_panes.c).
struct way { // how one came to a view, the last; those of the pane with the keys are app->trail
    struct view *trail[TRAIL_MAX];
    size_t depth;
};
struct panes {
    unsigned count, focus; // at least one; which has the keys
    struct way ways[MAX_PANES];
    unsigned share[MAX_PANES]; // of the width or height: any numbers
    enum panes_side side;
    struct area shown[MAX_PANES]; // where their views were drawn last; all 0: on all of the screen
};

// What a click on some cells means: the key that it stands for. Noted as they are drawn.
enum { ZONE_MAX = 64 };
struct zone {
    int x, y, width;
    uint32_t key;
};

struct app {
    const struct app_options *options;
    const struct profile *profile;
    const struct profile *stage; // as the loader handed it over; `profile` may be a copy
    struct profile preview;      // that copy, of an early stage
    struct arena *judged_arena;  // of that copy, once rules were read again; NULL: they were not
    struct arena *arena;         // lives as long as the program
    struct canvas *canvas;
    struct theme theme;
    struct arena *theme_arena;
    unsigned theme_serial; // counts changes
    struct cache cache;

    struct scope scope;
    enum name_form names;                     // of new views
    bool is_folded;                           // of new views
    enum per_form per;                        // a key chose; see app_is_per_step()
    unsigned generation;                      // counts changes of scope and profile
    struct split_entry splits[SPLIT_MAX + 1]; // one more that is only looked at
    size_t split_count;
    struct iteration_set *sets;
    size_t set_count, set_capacity;
    struct steps steps;
    struct steps_why why;
    struct cached_findings {
        struct arena *arena;
        struct finding_list list;
        unsigned generation;
        bool is_known, has_failed; // failed: for want of memory
        const struct split *split; // that they judge
        struct findings_job *job;  // that works out those of a later generation; NULL: none
    } findings;

    struct app_comparing comparing;
    char comparing_wanted[4096];  // file to be loaded and compared with, "": none
    char comparing_loading[4096]; // the one that is being loaded beside the keyboard, "": none

    struct view *trail[TRAIL_MAX]; // where one is: the last; how one came there: those before
    size_t depth;
    struct panes panes;
    struct view *tabs[TAB_MAX]; // numbered views left by going back, kept as they were
    size_t tab_count;

    struct undo undo[UNDO_MAX]; // [undo_at, undo_count): what redo brings back
    size_t undo_at, undo_count;

    struct { // how the columns of reports[i] are arranged, where somebody has done so
        bool is_there;
        struct column_layout columns;
    } layouts[LAYOUT_MAX];

    struct bookmark bookmarks[BOOKMARK_MAX];

    const struct export_format *copy_format; // of rows; NULL: Markdown

    struct prompt prompt;
    struct menu menu;
    struct candidates_panel candidates;
    struct box box;
    struct tour tour;
    bool is_noting;         // the last line of a script was a note: the next goes on with it
    char doing[200];        // the command whose action is under way, "": none is
    struct session session; // to be followed once the profile is there; no text: none
    bool follows_session;   // just now: no other program may be run
    struct {                // the file written last, or tried, and the view that it was of
        char path[4096], of[64];
    } saved;
    char session_path[4096]; // that places were kept in, or came from; "": none
    char message[400];
    char loading[200];       // what is still being loaded, also to be compared with; "": nothing
    const char *source_root; // below which files of the program are looked for; NULL: here
    unsigned source_serial;  // counts its changes, and files that may have changed
    bool is_touched;         // a key has been pressed
    bool message_is_error;
    enum error_kind complaint; // of a message that is an error
    size_t finding_at;         // opened last, from 1 on; 0: none yet
    size_t findings_left_at;   // under the cursor of a list when one was opened; 0: none yet
    bool is_interrupted;       // C-c was the last key
    bool wants_redraw, wants_suspend;
    bool has_mouse;         // the program has it, not the terminal
    const char *remembered; // columns as they were found
    const char *copy_to;    // a file instead of the clipboard, NULL: none
    bool copies_over;       // one that is there is replaced
    struct zone zones[ZONE_MAX];
    size_t zone_count;
    const struct view *pressed; // that the mouse was pressed on last; NULL: on none
    enum { PANE_FRESH, PANE_WAITS, PANE_RIPE } pane; // of a split: follows when keys rest
    bool is_live;       // in a terminal, where nobody waits for findings
    bool stops_loading; // of what is to be compared with
    bool is_done;
    char domain_wanted[1024]; // of the profile's: it is opened anew with that; "": none
    size_t run_wanted;        // of options->runs, to be opened in its stead; SIZE_MAX: none
    bool wants_runs;          // the list of them
    int status;               // of the exit
    bool is_script;
    uint32_t iteration_cursor; // step under the cursor of the Iterations view
};

struct app *app_new(const struct app_options *options, struct error *error);
void app_free(struct app *app);
bool app_set_profile(struct app *app, const struct profile *profile, struct error *error);
// A later stage of the same profile: places stay as far as somebody has been somewhere.
bool app_show_profile(struct app *app, const struct profile *profile, struct error *error);
// Runs body(context) so that the end of memory, the app's or the frame's, is an error.
bool app_guard(struct app *app, bool (*body)(void *context, struct error *error), void *context,
               struct error *error);
void app_forget_rows(struct app *app); // all rows and figures: they are made anew when shown

void app_key(struct app *app, uint32_t key);
// Whether the key is for a view whose part of the profile is still being loaded: there it would be lost.
bool app_key_is_early(const struct app *app, uint32_t key);
// What the mouse does at a place: a key that key_is_mouse() (app_mouse.c).
void app_point(struct app *app, uint32_t key, int x, int y);
void app_click(struct app *app, int x, int y);
void app_zone(struct app *app, int x, int y, int width, uint32_t key); // while drawing
// What is found again the next time (app_memory.c): at the start, and at the end.
void app_recall(struct app *app);
void app_memorize(struct app *app);
void app_recall_anew(struct app *app); // the columns as they are now are not the person's own
// Takes the keys of the user's file, if there is one; what is wrong in it is a message.
bool app_take_keys(struct app *app, struct error *error);
void app_do(struct app *app, enum action action, const char *argument);
// Inside of these, where the end of memory is caught.
void app_key_body(struct app *app, uint32_t key);
void app_point_body(struct app *app, uint32_t key, int x, int y);
bool app_command_line(struct app *app, const char *line); // without the colon; false: a mistake
bool app_run_command(struct app *app, const char *line);  // the same from inside an action
// The action of a command, of a word of vim's (q) or of a beginning that only one has (`fits`, unless NULL: how many), or
// ACTION_NONE.
enum action command_action(const char *word, size_t *fits);
void app_draw(struct app *app);
struct area app_content(const struct app *app); // where the view is

// What the line below the view says; keys in it by action_text(), "{undo} takes it back".
void app_say(struct app *app, const char *format, ...) __attribute__((format(printf, 2, 3)));
void app_complain(struct app *app, const char *format, ...) __attribute__((format(printf, 2, 3)));
void app_complain_of(struct app *app, const struct error *error); // with its kind

// Places (app_trail.c, app_findings.c).
static inline struct view *app_front(const struct app *app) // the view that fills the screen
{
    return app->depth ? app->trail[app->depth - 1] : NULL;
}
static inline struct view *app_top(const struct app *app) // the one that keys go to: it or its pane
{
    struct view *view = app_front(app);
    return view && view->has_keys && view->pane ? view->pane : view;
}
// Panes (app_panes.c): the way of one of them, and all views there are, NULL after the last.
struct view *const *app_way(const struct app *app, unsigned pane, size_t *depth);
struct view *app_view_at(const struct app *app, size_t i);
void app_focus_pane(struct app *app, unsigned pane); // the keys go there from now on
bool app_next_pane(struct app *app, int direction);  // also into a split; false: there is one only
bool app_drop_pane(struct app *app);                 // with the keys; false: it is the only one
bool app_take_side(struct app *app,
                   const char *word); // beside, below, as-fits; false: none of these
const char *app_shares_text(const struct app *app, struct arena *arena); // "40% 60%"
struct area app_room(const struct app *app); // where the view with the keys is
void app_draw_views(struct app *app);
// A place of the screen becomes one of the view with the keys; with `takes_keys` those go first to
// the pane that lies there: true: to another one than before.
bool app_point_pane(struct app *app, bool takes_keys, int *x, int *y);
void view_menu(struct app *app, const char *title,
               void (*choose)(struct app *app, const char *argument)); // of all views
void app_take_pane(struct app *app); // the pane that keys go to fills the screen from now on
void app_forget_view(struct app *app, const struct view *view); // it goes: undo knows it no more
struct table *app_top_table(struct app *app); // NULL, and said: there are no rows here
bool app_go_in(struct app *app, const struct view_class *class, const struct selection *narrow,
               unsigned own, const char *label);
void app_go_to(struct app *app, const struct view_class *class); // by digit, tab, name
// A second one of it above where one is, whatever there is on the way; false, and said: memory ended.
bool app_go_anew(struct app *app, const struct view_class *class);
// Back from the place that a jump led to, and from what was opened there; false: there is none.
bool app_leave_visit(struct app *app);
void app_drop_below(struct app *app); // the place below the one on top, which takes its place
// What of a selection made from a view's is not the app's: enum own_field, joined.
unsigned app_own(const struct app *app, const struct view *from, const struct selection *selection);
void app_enter(struct app *app, const char *report, const struct selection *selection,
               const char *label);
void app_open_finding(struct app *app, const struct finding *finding);
void app_explain_steps(struct app *app);
void app_explain_column(struct app *app, struct view *view, unsigned column); // of its table
void app_explain_finding(struct app *app, const struct finding *finding);
void app_show_node(struct app *app, uint32_t node, const char *label); // of the folded tree

// What a command that switches is told to: "on", "off"; "" leaves `wanted` as it is. False: neither.
bool app_switch(struct app *app, const char *argument, bool *wanted);

// Scope (app_scope.c, app_steps.c, app_sets.c, app_splits.c, app_undo.c).
void app_cross_trees(struct app *app, struct view *view); // its rows are folded otherwise now
// The row of the other tree that stands for a node of the one: see there.
uint64_t node_across(const struct profile *profile, uint64_t node, bool to_folded);
void app_remember(struct app *app); // before a change that undo takes back
// What has changed since app_remember() came with a jump to the place on top: one change, which goes
// when `visit`, its first view, is left, unless scope was changed once more.
void app_remember_visit(struct app *app, const struct view *visit);
void app_forget_visit(struct app *app, const struct view *visit);
void app_changed(struct app *app);
struct selection app_selection(const struct app *app); // all that the scope lets through
// Whether tables tell figures per step: wherever there are steps, unless somebody switched.
static inline bool app_is_per_step(const struct app *app)
{
    return app->per == PER_AS_FOUND ? app->scope.split->method != SPLIT_NONE : app->per == PER_STEP;
}
// What is kept of the present split, NULL: nothing; app_work_memo() has what views lacked made on a
// thread of its own, so that nobody waits for it.
struct memo *app_memo(const struct app *app);
void app_work_memo(struct app *app);
void app_forget_memos(struct app *app);
enum { SPLIT_FOUND, SPLIT_DLPROF, SPLIT_WORDS }; // names of splits that are no op and no range
extern const char *const split_words[SPLIT_WORDS];
// The split of a profile that is called so: by these words, else by split_by_name().
struct split *split_called(const struct profile *profile, const char *name, struct arena *arena);
bool app_choose_split(struct app *app, const char *name, struct error *error);
// Splits the run anew without that undo knows of it; after any number of these app_end_preview()
// goes back to `before` and its cursor, or keeps what is seen as one change.
bool app_preview_split(struct app *app, const char *name, struct error *error);
void app_end_preview(struct app *app, const struct scope *before, uint32_t cursor, bool is_taken);
const char *app_split_name(const struct app *app);         // how the present one was asked for
void app_choose_set(struct app *app, const bool *members); // NULL: all
// The set that a split begins with: without the steps cut off by the capture, and what lies outside
// where that is none of the program's; beside another profile the usual steps. NULL: all.
const bool *app_first_set(struct app *app, bool is_usual);
const bool *set_keep(struct app *app, const bool *members); // the same set, kept; NULL: all
bool app_iteration_is_in(const struct app *app, uint32_t iteration);
// Takes these, both ends included, out of the set where all are in it, else into it.
void app_toggle_iterations(struct app *app, uint32_t from, uint32_t to);
void app_leave_iterations_out(struct app *app, const bool *out); // by iteration
const struct steps *app_steps(struct app *app);
const struct steps *app_steps_by_device(struct app *app);       // with each GPU's own
const struct steps_slowest *app_steps_slowest(struct app *app); // NULL: not known
struct step_statistics app_step_statistics(struct app *app);    // of the chosen steps
const char *step_name(const struct app *app, uint32_t iteration, struct arena *arena); // "#17"
char *step_label(const struct app *app, uint32_t iteration, struct arena *arena);      // "step 17"
const char *step_title(const struct app *app, uint32_t iteration,
                       struct arena *arena); // "Step 17"; without steps what it is
// Why steps are left out; NULL: none is.
const char *app_out_text(struct app *app, enum omitted_steps_form form, struct arena *arena);
const char *app_outlier_text(struct app *app, size_t most, struct arena *arena); // "#12 #17"
// Of what is looked at. In a terminal (is_live) nobody waits for them: they are worked out on a
// thread of their own, and until then those of before stand there.
const struct finding_list *app_findings(struct app *app);
bool app_findings_pending(const struct app *app); // not yet those of what is looked at
// Takes those that have come since the last frame; false: none. Between frames, so that nothing
// that points into the list outlives it.
bool app_findings_arrived(struct app *app);
void app_findings_await(struct app *app); // for a key that is about them
void app_findings_end(struct app *app);   // before what they rest on goes
void app_findings_forget(struct app *app, const struct split *split); // the same of this split
// What stands where no finding is; `is_judged`: that is praise.
const char *app_findings_none(const struct app *app, bool *is_judged);
// Turns the view of the rows that prove a finding to these: filter and sort of the finding.
void app_finding_rows(struct view *view, const struct finding *finding);

// How columns are arranged (app_columns.c): per report, for all of its views.
void app_keep_columns(struct app *app, const struct table *table); // after a change in a table
void app_give_columns(struct app *app, struct table *table);       // to a table that was opened
// All that differs from how the reports have it, a line each (column_layout.h), in `arena`; and back
// again: lines that cannot be read are passed over, `error` is of the first of them.
char *app_columns_text(const struct app *app, struct arena *arena);
bool app_columns_read(struct app *app, const char *text, struct error *error);

// Comparing (app_baseline.c). The comparison of a report that is to be shown, NULL: none is.
const struct report *app_comparison(struct app *app, const struct report *base);
const struct baseline *app_baseline(const struct app *app);
static inline bool app_compares(const struct app *app) // and shows it
{
    return app->comparing.baseline && app->comparing.is_shown;
}
// Takes over a profile that was loaded as `path`, and shows what changed. False: it stays whose it
// was.
bool app_compare_with(struct app *app, const struct profile *loaded, const char *path,
                      struct error *error);
void app_comparing_follow(struct app *app); // B is cut into other steps now: another profile too
void app_drop_baseline(struct app *app);
void app_comparing_work_memo(struct app *app); // as app_work_memo(), of another profile's side
void app_comparing_forget_memo(struct app *app);
void app_comparing_open_memo(struct app *app); // anew, before any rows are asked for
// What the command line asked for, once the profile is whole.
bool app_start_comparing(struct app *app, struct error *error);
const char *app_comparing_one(const struct app *app); // "step", "slice"; "capture" without any
// "per step and GPU": what figures of a report's comparison are of.
const char *app_comparing_unit(const struct app *app, const struct report *report,
                               struct arena *arena);
// "A: old.sqlite, set 3-20 ...": what stands in the line of the scope besides.
const char *app_comparing_text(struct app *app, struct arena *arena);

// Saving (app_save.c) and copying (app_copy.c).
const char *app_file_stem(struct app *app); // of the profile, for names of files
// To the terminal's clipboard, else into a file; says which. `what`: "the finding".
void app_copy(struct app *app, const char *what, const char *text);
void app_copy_over(struct app *app, const char *argument); // `:copy`, into a file that there is
void app_copy_lines(struct app *app, const char *what,
                    const char *text); // the same of several lines
void app_write_view(struct app *app, const char *path, bool force);
// Whether a file may be written there. Where one is, somebody is asked first, and what `asked_by` does
// comes again with `force`; a script is refused. What is read is never replaced.
bool app_may_write(struct app *app, const char *path, bool force, enum prompt_kind asked_by);
void app_write_page(struct app *app, const char *path, bool force);
void app_write_session(struct app *app, const char *path, bool force); // session_write.c

// The first time (first_run.c): shown once, if that can be remembered; a key that means something is
// not swallowed by it: true.
void first_run_greet(struct app *app);
void first_run_hint(struct app *app);
bool first_run_key(struct app *app, uint32_t key);
// Commands of former runs (history.c).
void history_load(struct app *app);
void history_save(struct app *app);

const char *app_source_root(const struct app *app); // app_source.c

// Scripts (script.c): runs lines; "dump" prints the screen, unless `out` is NULL. False: a line could
// not be understood, or did not do what it says.
enum { SCRIPT_LINE = 8192 }; // bytes
bool script_run(struct app *app, FILE *script, FILE *out, struct error *error);
bool script_line(struct app *app, char *line, int number, FILE *out, struct error *error);
// The same in a terminal: it stops at notes until Enter.
bool script_play(struct app *app, FILE *script, struct error *error);
void script_dump(struct app *app, FILE *out);

#endif
