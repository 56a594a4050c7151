// SPDX-License-Identifier: Apache-2.0
#include "ui/app/action.h"

#include <string.h>

#include "ui/app/app_actions.h"
#include "ui/app/completion.h"
#include "ui/state/view.h"
#include "ui/term/key.h"

#define MOVING    "Moving"
#define GOING     "Going in and back"
#define FINDING   "Finding"
#define ARRANGING "Arranging"
#define LOOKING   "What is looked at"
#define SAVING    "Saving"
#define PROGRAM   "The program"

#define ALL SCOPE_EVERYWHERE
#define ALL_KINDS                                                                        \
    (KIND_TABLE | KIND_TREE | KIND_SUMMARY | KIND_ITERATIONS | KIND_EXPERT | KIND_HELP | \
     KIND_TIMELINE | KIND_FLAME)

const char *const action_scope_names[SCOPE_COUNT] = {
    [SCOPE_EVERYWHERE] = "everywhere",
    [SCOPE_ROWS] = "rows",
    [SCOPE_TABLE] = "tables",
    [SCOPE_TREE] = "trees",
    [SCOPE_ITERATIONS] = "iterations",
    [SCOPE_TIMELINE] = "timeline",
    [SCOPE_CHARTS] = "charts",
    [SCOPE_MARKS] = "tables, iterations",
    [SCOPE_NAMES] = "rows, timeline",
    [SCOPE_FLAME] = "flame",
    [SCOPE_NESTED] = "trees, flame",
    [SCOPE_TEXTS] = "rows, findings",
    [SCOPE_MARKED] = "rows, iterations, findings",
};
const unsigned action_scope_kinds[SCOPE_COUNT] = {
    [SCOPE_EVERYWHERE] = ALL_KINDS,
    [SCOPE_ROWS] = KIND_TABLE | KIND_HELP,
    [SCOPE_TABLE] = KIND_TABLE,
    [SCOPE_TREE] = KIND_TREE,
    [SCOPE_FLAME] = KIND_FLAME,
    [SCOPE_NESTED] = KIND_TREE | KIND_FLAME,
    [SCOPE_ITERATIONS] = KIND_ITERATIONS,
    [SCOPE_TIMELINE] = KIND_TIMELINE,
    [SCOPE_CHARTS] = KIND_ITERATIONS | KIND_TIMELINE,
    [SCOPE_MARKS] = KIND_TABLE | KIND_ITERATIONS,
    [SCOPE_MARKED] = KIND_TABLE | KIND_ITERATIONS | KIND_EXPERT,
    [SCOPE_NAMES] = KIND_TABLE | KIND_HELP | KIND_TIMELINE,
    [SCOPE_TEXTS] = KIND_TABLE | KIND_HELP | KIND_EXPERT,
};

// clang-format off
const struct action_row actions[ACTION_COUNT] = {
    [ACTION_DOWN] = {.name = "down", .keys = "j Down WheelDown", .scope = ALL, .group = MOVING,
        .doc = "next row"},
    [ACTION_UP] = {.name = "up", .keys = "k Up WheelUp", .scope = ALL, .group = MOVING,
        .doc = "previous row"},
    [ACTION_LEFT] = {.name = "left", .keys = "h Left", .scope = ALL, .group = MOVING,
        .doc = "tree: fold, or to the parent; table: column to the left; steps: one back",
        .hint = "fold", .hint_kinds = KIND_TREE, .applies = view_has_folds},
    [ACTION_RIGHT] = {.name = "right", .keys = "l Right", .scope = ALL, .group = MOVING,
        .doc = "tree: unfold, or to the first child; table: column to the right; steps: one on",
        .hint = "fold", .hint_kinds = KIND_TREE, .applies = view_has_folds},
    [ACTION_SCROLL_LEFT] = {.name = "scroll-left", .keys = "H S-Left WheelLeft", .scope = SCOPE_ROWS,
        .group = MOVING, .doc = "long names: scroll back; tree: column to the left",
        .hint = "columns", .hint_kinds = KIND_TREE, .applies = view_has_more_columns},
    [ACTION_SCROLL_RIGHT] = {.name = "scroll-right", .keys = "L S-Right WheelRight", .scope = SCOPE_ROWS,
        .group = MOVING, .doc = "long names: scroll to their end; tree: column to the right",
        .hint = "columns", .hint_kinds = KIND_TREE, .applies = view_has_more_columns},
    [ACTION_FIRST] = {.name = "first", .keys = "g Home", .scope = ALL, .group = MOVING,
        .doc = "first row"},
    [ACTION_LAST] = {.name = "last", .keys = "G End", .scope = ALL, .group = MOVING,
        .doc = "last row"},
    [ACTION_HALF_DOWN] = {.name = "half-down", .keys = "C-d", .scope = ALL, .group = MOVING,
        .doc = "half a page down"},
    [ACTION_HALF_UP] = {.name = "half-up", .keys = "C-u", .scope = ALL, .group = MOVING,
        .doc = "half a page up"},
    [ACTION_PAGE_DOWN] = {.name = "page-down", .keys = "C-f PgDn", .scope = ALL, .group = MOVING,
        .doc = "a page down"},
    [ACTION_PAGE_UP] = {.name = "page-up", .keys = "C-b PgUp", .scope = ALL, .group = MOVING,
        .doc = "a page up"},
    [ACTION_PARENT] = {.name = "parent", .keys = "^", .scope = SCOPE_NESTED, .group = MOVING,
        .doc = "the row above in the tree"},
    [ACTION_CENTRE] = {.name = "centre", .keys = "z", .scope = SCOPE_ROWS, .group = MOVING,
        .doc = "scroll so that the cursor is in the middle"},
    [ACTION_PAN_LEFT] = {.name = "pan-left", .keys = "H S-Left WheelLeft", .scope = SCOPE_TIMELINE,
        .group = MOVING, .doc = "a page back in time", .hint = "page",
        .hint_kinds = KIND_TIMELINE},
    [ACTION_PAN_RIGHT] = {.name = "pan-right", .keys = "L S-Right WheelRight", .scope = SCOPE_TIMELINE,
        .group = MOVING, .doc = "a page on in time", .hint = "page", .hint_kinds = KIND_TIMELINE},
    [ACTION_PREVIOUS_ITEM] = {.name = "previous-item", .keys = "<", .scope = SCOPE_TIMELINE,
        .group = MOVING, .doc = "the range, call or kernel before this one, however short",
        .hint = "each", .hint_kinds = KIND_TIMELINE},
    [ACTION_NEXT_ITEM] = {.name = "next-item", .keys = ">", .scope = SCOPE_TIMELINE,
        .group = MOVING, .doc = "the one after it; {left} and {right} go on by a column at least",
        .hint = "each", .hint_kinds = KIND_TIMELINE},
    [ACTION_FIT] = {.name = "fit", .keys = "z", .scope = SCOPE_TIMELINE, .group = MOVING,
        .doc = "what is chosen fills the width; again: the whole run", .hint = "fit",
        .hint_kinds = KIND_TIMELINE},
    [ACTION_LINK] = {.name = "link", .keys = "w", .scope = SCOPE_TIMELINE, .group = MOVING,
        .doc = "from a kernel to the call that launched it, from a call to its kernel",
        .hint = "launch, kernel", .hint_kinds = KIND_TIMELINE, .applies = view_has_link},
    [ACTION_ROW] = {.name = "row", .keys = "J", .scope = ALL, .group = MOVING,
        .argument = "NAME", .doc = "to the row of that name, unfolding what it lies in",
        .run = app_row},

    [ACTION_ENTER] = {.name = "enter", .keys = "Enter", .scope = ALL, .group = GOING,
        .argument = "box|row",
        .doc = "go in: layer, its kernels, their launches; finding, its proof; step, what it is "
            "made of; in the flame view box: wider, row: its kernels",
        .run = app_enter_as},
    [ACTION_CANCEL] = {.name = "cancel", .keys = "Esc", .scope = ALL, .group = GOING,
        .doc = "close what is open, clear the search, the marks, then the filter; else back", .hint = "back",
        .hint_kinds = KIND_HELP, .ignores_rows = true, .waits_in = KIND_TIMELINE | KIND_FLAME,
        .run = app_cancel},
    [ACTION_BACK] = {.name = "back", .keys = "Backspace", .scope = ALL, .group = GOING,
        .doc = "back to the former place, exactly as it was", .ignores_rows = true,
        .waits_in = KIND_TIMELINE | KIND_FLAME, .run = app_back},
    [ACTION_VIEW] = {.name = "view", .keys = ACTION_VIEW_KEYS " _", .scope = ALL, .group = GOING,
        .argument = "NAME", .complete = &complete_views,
        .doc = "the view of that number; by name: any view or report (`tree new`: a second one, "
            "above this); _: choose from all",
        .ignores_rows = true, .run = app_view},
    [ACTION_NEXT_VIEW] = {.name = "next-view", .keys = "Tab", .scope = ALL, .group = GOING,
        .doc = "next view; before it the next panel of the first screen, the other pane", .hint = "next panel",
        .hint_kinds = KIND_SUMMARY, .ignores_rows = true, .run = app_next_view},
    [ACTION_PREVIOUS_VIEW] = {.name = "previous-view", .keys = "S-Tab", .scope = ALL,
        .group = GOING, .doc = "previous view", .ignores_rows = true, .run = app_previous_view},
    [ACTION_WHO] = {.name = "who", .keys = "w", .scope = SCOPE_TABLE, .group = GOING,
        .doc = "who launches this kernel: its ops and layers", .hint = "who launches it",
        .hint_kinds = KIND_TABLE, .applies = view_knows_kernel,
        .applies_by_row = true, .run = app_who},
    [ACTION_TIMELINE] = {.name = "timeline", .keys = "t", .scope = ALL, .group = GOING,
        .doc = "where this is on the time line, of several the longest; again: back",
        .hint = "timeline", .hint_kinds = KIND_TABLE | KIND_ITERATIONS, .applies = view_has_place,
        .run = app_timeline},
    [ACTION_PREVIOUS_FINDING] = {.name = "previous-finding", .keys = "(", .scope = ALL,
        .group = GOING,
        .doc = "the rows that prove the previous finding; {cancel}: back to where one was",
        .hint = "findings", .hint_kinds = KIND_EXPERT, .run = app_previous_finding},
    [ACTION_NEXT_FINDING] = {.name = "next-finding", .keys = ")", .scope = ALL, .group = GOING,
        .argument = "N|NAME", .complete = &complete_findings,
        .doc = "the rows that prove the next finding, or that of a number or name; {cancel}: back to "
            "where one was",
        .hint = "findings", .hint_kinds = KIND_EXPERT, .run = app_next_finding},
    [ACTION_BOOKMARK] = {.name = "bookmark", .keys = "m", .scope = ALL, .group = GOING,
        .argument = "LETTER", .complete = &complete_bookmarks,
        .doc = "keep this place under a letter or digit: view and way there, row, filter, steps, "
            "GPU; sessions keep it",
        .run = app_bookmark},
    [ACTION_JUMP] = {.name = "jump", .keys = "'", .scope = ALL, .group = GOING,
        .argument = "LETTER", .complete = &complete_bookmarks,
        .doc = "to the bookmark of that letter; {cancel}: back; {jump}': at once to where one jumped from",
        .run = app_jump},
    [ACTION_BOOKMARKS] = {.name = "bookmarks", .keys = "\"", .scope = ALL, .group = GOING,
        .doc = "all bookmarks to choose from", .run = app_bookmarks},

    [ACTION_SEARCH] = {.name = "search", .keys = "/ F3", .scope = SCOPE_NAMES, .group = FINDING,
        .label = "Find", .argument = "PATTERN",
        .doc = "search names (regular expression, smart case)", .run = app_search},
    [ACTION_NEXT_MATCH] = {.name = "next-match", .keys = "n", .scope = SCOPE_NAMES,
        .group = FINDING, .doc = "next match"},
    [ACTION_PREVIOUS_MATCH] = {.name = "previous-match", .keys = "N", .scope = SCOPE_NAMES,
        .group = FINDING, .doc = "previous match"},
    [ACTION_SEARCH_WORD] = {.name = "search-word", .keys = "*", .scope = SCOPE_ROWS,
        .group = FINDING, .doc = "search the name under the cursor, as it is; {next-match} and {previous-match} go on",
        .run = app_search_word},
    [ACTION_FILTER] = {.name = "filter", .keys = "\\ f F4", .scope = SCOPE_ROWS, .group = FINDING,
        .label = "Filter", .argument = "TERMS", .complete = &complete_terms,
        .doc = "keep rows while typing: gemm  !copy  gpu>1ms  tc:no  \"two words\"",
        .run = app_filter},
    [ACTION_KEEP] = {.name = "keep", .keys = "=", .scope = SCOPE_ROWS, .group = FINDING,
        .doc = "keep only the marked rows, else those with the value under the cursor"},
    [ACTION_OMIT] = {.name = "omit", .keys = "!", .scope = SCOPE_ROWS, .group = FINDING,
        .doc = "leave out the marked rows, else those with the value under the cursor"},
    [ACTION_UNFILTER] = {.name = "unfilter", .keys = "-", .scope = SCOPE_ROWS, .group = FINDING,
        .argument = "N|TERM|all",
        .doc = "take a term off the filter, the only one at once; clicking it does the same",
        .run = app_unfilter},

    [ACTION_SORT_LEFT] = {.name = "sort-left", .keys = "<", .scope = SCOPE_ROWS,
        .group = ARRANGING, .doc = "sort by the column to the left", .hint = "sort",
        .hint_kinds = KIND_TABLE},
    [ACTION_SORT_RIGHT] = {.name = "sort-right", .keys = ">", .scope = SCOPE_ROWS,
        .group = ARRANGING, .doc = "sort by the column to the right", .hint = "sort",
        .hint_kinds = KIND_TABLE},
    [ACTION_INVERT] = {.name = "invert", .keys = "I", .scope = SCOPE_ROWS, .group = ARRANGING,
        .doc = "sort the other way round"},
    [ACTION_SORT] = {.name = "sort", .keys = "; F6", .scope = SCOPE_ROWS, .group = ARRANGING,
        .label = "Sort", .argument = "COLUMN ...", .complete = &complete_sorts,
        .doc = "choose the column to sort by; the former decides among equals; `-gpu calls`: by "
            "both, largest GPU first",
        .run = app_sort},
    [ACTION_UNFOLD_ALL] = {.name = "unfold-all", .keys = "E", .scope = SCOPE_TREE,
        .group = ARRANGING, .doc = "unfold all below the cursor"},
    [ACTION_FOLD_ALL] = {.name = "fold-all", .keys = "C", .scope = SCOPE_TREE, .group = ARRANGING,
        .doc = "fold everything"},
    [ACTION_SIBLINGS] = {.name = "siblings", .keys = "o", .scope = ALL, .group = ARRANGING,
        .argument = "on|off",
        .doc = "numbered siblings (layers.0, layers.1, ...) as one row or (on) each",
        .hint = "siblings", .hint_kinds = KIND_TREE, .applies = view_has_siblings,
        .run = app_siblings},
    [ACTION_FLIP] = {.name = "flip", .keys = "F F5", .scope = ALL, .group = ARRANGING,
        .label = "Flip", .argument = "on|off",
        .doc = "the other face: summary, DLProf's dashboard; tree, flat ops; kernels, by op; "
            "steps, ms, % or rows; help, questions",
        .run = app_flip},
    [ACTION_BOXES] = {.name = "boxes", .keys = ",", .scope = SCOPE_TREE, .group = ARRANGING,
        .doc = "this row as a box of the flame view: as wide as its GPU time, over what it is made of",
        .hint = "flame", .hint_kinds = KIND_TREE, .applies = view_is_op_tree, .run = app_boxes},
    [ACTION_IN_TREE] = {.name = "in-tree", .keys = ",", .scope = SCOPE_FLAME, .group = ARRANGING,
        .doc = "the row of this box in the op tree", .hint = "tree", .hint_kinds = KIND_FLAME,
        .run = app_in_tree},
    [ACTION_NAMES] = {.name = "names", .keys = "v", .scope = ALL, .group = ARRANGING,
        .argument = "FORM", .complete = &complete_names,
        .doc = "kernel names: family, short, full", .hint = "names",
        .hint_kinds = KIND_TABLE, .applies = view_has_name_forms, .run = app_names},
    [ACTION_PER_STEP] = {.name = "per-step", .keys = "#", .scope = SCOPE_TABLE, .group = ARRANGING,
        .argument = "on|off",
        .doc = "times and counts per step and GPU, or in total", .hint = "per step",
        .hint_kinds = KIND_TABLE, .applies = view_adds_up, .run = app_per_step},
    [ACTION_SHARE] = {.name = "share", .keys = "%", .scope = SCOPE_TABLE, .group = ARRANGING,
        .argument = "own|step|parent|shown",
        .doc = "shares: the report's own, of the step, of the parent row, of the rows shown",
        .run = app_share},
    [ACTION_DETAIL] = {.name = "detail", .keys = "d", .scope = SCOPE_ROWS, .group = ARRANGING,
        .argument = "on|off",
        .doc = "all fields of the row, exactly; again: hide", .hint = "details",
        .hint_kinds = KIND_TABLE,
        .run = app_detail},
    [ACTION_DETAIL_DOWN] = {.name = "detail-down", .keys = "D S-Down", .scope = SCOPE_TEXTS,
        .group = ARRANGING,
        .doc = "details, a finding's text: scroll down where they are longer than their place"},
    [ACTION_DETAIL_UP] = {.name = "detail-up", .keys = "U S-Up", .scope = SCOPE_TEXTS,
        .group = ARRANGING, .doc = "details, a finding's text: scroll up"},
    [ACTION_SPLIT] = {.name = "split", .keys = "S", .scope = SCOPE_TABLE, .group = ARRANGING,
        .argument = "on|off|beside|below",
        .doc = "beside or below: what {enter} would open for the row; {next-view} goes there; again: "
            "close",
        .hint = "split", .hint_kinds = KIND_TABLE, .applies = view_has_split, .run = app_split},
    [ACTION_PANE] = {.name = "pane", .keys = "C-w", .scope = ALL, .group = ARRANGING,
        .argument = "VIEW|40%|#N", .complete = &complete_views,
        .doc = "another pane that stays, with a view and a way of its own; its share, or of each "
            "(40% 60%); #2: keys go to the second",
        .run = app_pane},
    [ACTION_PANE_CLOSE] = {.name = "pane-close", .keys = "C-x", .scope = ALL, .group = ARRANGING,
        .doc = "close this pane; the others stay", .run = app_close_pane},
    [ACTION_PANE_GROW] = {.name = "pane-grow", .keys = "C-g", .scope = ALL, .group = ARRANGING,
        .doc = "more room for this pane", .run = app_grow_pane},
    [ACTION_PANE_SHRINK] = {.name = "pane-shrink", .keys = "C-n", .scope = ALL,
        .group = ARRANGING, .doc = "less room for this pane", .run = app_shrink_pane},
    [ACTION_PANE_TURN] = {.name = "pane-turn", .keys = "C-t", .scope = ALL, .group = ARRANGING,
        .argument = "beside|below|as-fits",
        .doc = "panes and splits beside or below each other", .run = app_turn_panes},
    [ACTION_EXPLAIN] = {.name = "explain", .keys = "K", .scope = ALL, .group = ARRANGING,
        .doc = "what the figure under the cursor means", .hint = "explains",
        .hint_kinds = KIND_SUMMARY | KIND_EXPERT | KIND_TABLE | KIND_ITERATIONS,
        .run = app_explain},
    [ACTION_COLUMNS] = {.name = "columns", .keys = "c F2", .scope = SCOPE_ROWS, .group = ARRANGING,
        .label = "Columns", .argument = "COLUMN HOW|reset", .complete = &complete_columns,
        .doc = "columns: show, hide, move, widen; HOW: show, hide, left, right, first, last, wider, "
            "narrower, or how many cells; reset: all as the report has them",
        .run = app_columns},
    [ACTION_ZOOM_IN] = {.name = "zoom-in", .keys = "+ C-WheelUp", .scope = SCOPE_CHARTS,
        .group = ARRANGING,
        .doc = "half as many steps in the chart, half as much time, around the cursor",
        .hint = "zoom", .hint_kinds = KIND_ITERATIONS | KIND_TIMELINE, .applies = view_zooms},
    [ACTION_ZOOM_OUT] = {.name = "zoom-out", .keys = "- C-WheelDown", .scope = SCOPE_CHARTS,
        .group = ARRANGING, .doc = "twice as many steps in the chart, twice as much time",
        .hint = "zoom", .hint_kinds = KIND_ITERATIONS | KIND_TIMELINE, .applies = view_zooms},
    [ACTION_BY_GPU] = {.name = "by-gpu", .keys = "S", .scope = SCOPE_ITERATIONS,
        .group = ARRANGING, .argument = "on|off",
        .doc = "the GPUs side by side, or their mean", .hint = "by GPU",
        .hint_kinds = KIND_ITERATIONS, .applies = view_has_gpus, .run = app_by_gpu},
    [ACTION_WHY] = {.name = "why", .keys = "w", .scope = SCOPE_ITERATIONS, .group = GOING,
        .doc = "all that makes this step longer or shorter than the median one", .hint = "why",
        .hint_kinds = KIND_ITERATIONS, .applies = view_has_steps},
    [ACTION_STEP] = {.name = "step", .keys = "/ F3", .scope = SCOPE_ITERATIONS, .group = FINDING,
        .label = "Find", .argument = "N", .doc = "to the step of that number; as a command `:17` too",
        .hint = "step", .hint_kinds = KIND_ITERATIONS, .applies = view_has_many_steps,
        .run = app_go_step},

    [ACTION_MARK] = {.name = "mark", .keys = "Space", .scope = SCOPE_MARKED, .group = LOOKING,
        .doc = "mark the row for {keep} {omit} {copy} {save}; steps: take the one under the cursor into the set or out "
            "of it",
        .hint = "in/out", .hint_kinds = KIND_ITERATIONS, .applies = view_has_steps},
    [ACTION_SPAN] = {.name = "span", .keys = "V", .scope = SCOPE_MARKS, .group = LOOKING,
        .doc = "begin a span here; {mark} marks all of it, or takes these steps in or out"},
    [ACTION_SET] = {.name = "set", .keys = "i F7", .scope = ALL, .group = LOOKING,
        .label = "Steps", .argument = "SET", .complete = &complete_sets,
        .doc = "type the set of steps: 3-22,!7  all  steady  !warm-up  !outliers",
        .ignores_rows = true, .run = app_set},
    [ACTION_ALL] = {.name = "all", .keys = "a", .scope = ALL, .group = LOOKING, .doc = "all steps",
        .hint = "all", .hint_kinds = KIND_ITERATIONS, .applies = view_has_steps, .ignores_rows = true, .run = app_all},
    [ACTION_STEADY] = {.name = "steady", .keys = "A", .scope = ALL, .group = LOOKING,
        .doc = "the steady range: the longest run of steps near the median, none cut", .hint = "steady",
        .hint_kinds = KIND_ITERATIONS, .applies = view_has_steps, .ignores_rows = true, .run = app_steady},
    [ACTION_WARM_UP] = {.name = "warm-up", .keys = "W", .scope = ALL, .group = LOOKING,
        .doc = "leave the warm-up out: the first steps while they stand out by their length",
        .hint = "no warm-up", .hint_kinds = KIND_ITERATIONS, .applies = view_has_steps,
        .ignores_rows = true, .run = app_warm_up},
    [ACTION_LEAVE_OUT] = {.name = "leave-out", .keys = "x", .scope = SCOPE_MARKS,
        .group = LOOKING, .doc = "leave out the marked steps, else the one under the cursor"},
    [ACTION_OUTLIERS] = {.name = "outliers", .keys = "X", .scope = ALL, .group = LOOKING,
        .doc = "leave outliers out: further than 5 MAD, and 5%, from the median", .hint = "no outliers",
        .hint_kinds = KIND_ITERATIONS, .applies = view_has_steps, .ignores_rows = true, .run = app_outliers},
    [ACTION_START] = {.name = "start", .keys = ",", .scope = SCOPE_ITERATIONS, .group = LOOKING,
        .argument = "N",
        .doc = "begin the set at the step under the cursor; what is left out stays out",
        .hint = "start", .hint_kinds = KIND_ITERATIONS, .applies = view_has_steps, .run = app_start},
    [ACTION_STOP] = {.name = "stop", .keys = ".", .scope = SCOPE_ITERATIONS, .group = LOOKING,
        .argument = "N",
        .doc = "end the set at the step under the cursor; what is left out stays out",
        .hint = "stop", .hint_kinds = KIND_ITERATIONS, .applies = view_has_steps, .run = app_stop},
    [ACTION_PREVIOUS_STEP] = {.name = "previous-step", .keys = "[", .scope = ALL, .group = LOOKING,
        .doc = "only the step before the one chosen or under the cursor; round at the ends",
        .ignores_rows = true, .run = app_previous_step},
    [ACTION_NEXT_STEP] = {.name = "next-step", .keys = "]", .scope = ALL, .group = LOOKING,
        .doc = "only the step after it", .ignores_rows = true, .run = app_next_step},
    [ACTION_KEY_OP] = {.name = "key", .keys = "O", .scope = ALL, .group = LOOKING,
        .argument = "NAME", .complete = &complete_splits,
        .doc = "what cuts the run into steps: choose, or name an op or a range",
        .hint = "what cuts steps",
        .hint_kinds = KIND_ITERATIONS, .run = app_key_op},
    [ACTION_SCOPE] = {.name = "scope", .keys = "p", .scope = ALL, .group = LOOKING,
        .argument = "all|gpu N|rank N|host N|role NAME|process PID|domain NAME", .complete = &complete_scopes,
        .doc = "one GPU, rank, host, role or process only; of a DLProf database another domain",
        .ignores_rows = true, .run = app_scope},
    [ACTION_RUN] = {.name = "run", .keys = "", .scope = ALL, .group = LOOKING, .argument = "NAME",
        .complete = &complete_runs, .reach = REACH_OUT,
        .doc = "another run of the folder that was opened; without a name the list of them",
        .ignores_rows = true, .run = app_choose_run},
    [ACTION_PREVIOUS_DEVICE] = {.name = "previous-gpu", .keys = "{", .scope = ALL,
        .group = LOOKING, .doc = "previous GPU", .ignores_rows = true, .run = app_previous_device},
    [ACTION_NEXT_DEVICE] = {.name = "next-gpu", .keys = "}", .scope = ALL, .group = LOOKING,
        .doc = "next GPU", .ignores_rows = true, .run = app_next_device},
    [ACTION_ADOPTION] = {.name = "adoption", .keys = "@", .scope = ALL, .group = LOOKING,
        .argument = "on|off",
        .doc = "work of threads without ranges: to the waiting thread's range, or outside",
        .ignores_rows = true, .run = app_adoption},
    [ACTION_FLOPS] = {.name = "flops", .keys = "", .scope = ALL, .group = LOOKING,
        .argument = "6*1.3e9*12288|off",
        .doc = "FLOPs that the model needs for a step on one GPU, for the MFU; off: what the file tells",
        .ignores_rows = true, .run = app_flops},
    [ACTION_ITEMS] = {.name = "items", .keys = "", .scope = ALL, .group = LOOKING,
        .argument = "tokens:12288|off",
        .doc = "what goes through one GPU in a step, for items per second",
        .ignores_rows = true, .run = app_items},
    [ACTION_WITH_BACKWARD] = {.name = "with-backward", .keys = "&", .scope = SCOPE_TABLE,
        .group = LOOKING, .argument = "on|off",
        .doc = "of a layer: also the backward work of its ops",
        .hint = "with backward", .hint_kinds = KIND_TABLE, .applies = view_has_backward,
        .run = app_with_backward},
    [ACTION_BASELINE] = {.name = "baseline", .keys = "b", .scope = ALL, .group = LOOKING,
        .argument = "FILE|FOLDER|off", .complete = &complete_files,
        .doc = "compare with the present steps and GPU from now on; with an older profile; off: "
            "with nothing",
        .run = app_take_baseline},
    [ACTION_DELTAS] = {.name = "deltas", .keys = "B F8", .scope = ALL, .group = LOOKING,
        .label = "Diff", .argument = "on|off",
        .doc = "show what differs from the baseline, or the figures as they are",
        .hint = "A and B", .hint_kinds = ALL_KINDS, .applies = view_has_baseline,
        .run = app_deltas},
    [ACTION_UNDO] = {.name = "undo", .keys = "u", .scope = ALL, .group = LOOKING,
        .doc = "undo the last change of set, scope, filter, sort, columns, names or parts",
        .hint = "undo",
        .hint_kinds = KIND_ITERATIONS, .run = app_undo},
    [ACTION_REDO] = {.name = "redo", .keys = "C-r", .scope = ALL, .group = LOOKING,
        .doc = "redo it", .run = app_redo},

    [ACTION_SAVE] = {.name = "save", .keys = "s", .scope = ALL, .group = SAVING,
        .reach = REACH_FILES, .argument = "FILE", .complete = &complete_files,
        .doc = "save the view as shown, or its marked rows; the ending chooses csv, tsv, json, md, "
            "txt; svg, screen: a picture",
        .hint = "save", .hint_kinds = KIND_TABLE, .run = app_save},
    [ACTION_PAGE] = {.name = "page", .keys = "P", .scope = ALL, .group = SAVING,
        .reach = REACH_FILES, .argument = "FILE", .complete = &complete_files,
        .doc = "save a one-page report in Markdown", .run = app_page},
    [ACTION_SESSION] = {.name = "session", .keys = "Z", .scope = ALL, .group = SAVING,
        .reach = REACH_FILES, .argument = "FILE", .complete = &complete_files,
        .doc = "keep where one is: views, rows, folds, filters, sorts, steps, GPU, baseline, theme; "
            "--session=FILE comes back",
        .run = app_session},
    [ACTION_CAPTURE_LINE] = {.name = "capture-line", .keys = "R", .scope = ALL, .group = SAVING,
        .doc = "the line that would record what is missing", .hint = "capture line",
        .hint_kinds = KIND_EXPERT, .run = app_capture_line},

    [ACTION_NCU] = {.name = "ncu", .keys = "$", .scope = SCOPE_TABLE, .group = SAVING,
        .reach = REACH_FILES,
        .doc = "the Nsight Compute line that profiles this launch; of a row of several the one of "
            "median length: shown and copied",
        .run = app_ncu},
    [ACTION_EDIT] = {.name = "edit", .keys = "e", .scope = ALL, .group = SAVING,
        .reach = REACH_OUT,
        .doc = "the row's line of the program in $VISUAL or $EDITOR", .run = app_edit},
    [ACTION_SOURCE_ROOT] = {.name = "source-root", .keys = "|", .scope = ALL, .group = SAVING,
        .argument = "FOLDER", .complete = &complete_files,
        .doc = "below which files of the program are looked for, when they are not where the "
            "capture saw them",
        .run = app_set_source_root},

    [ACTION_COPY] = {.name = "copy", .keys = "y", .scope = ALL, .group = SAVING,
        .argument = "cell|row|marked|view|tsv|markdown|csv|json|text|FILE",
        .complete = &complete_files, .reach = REACH_FILES,
        .doc = "copy the finding as a paragraph, the marked rows, or the cell: to the terminal's "
            "clipboard, else a file",
        .hint = "copy", .hint_kinds = KIND_EXPERT, .run = app_copy_command},
    [ACTION_COPY_VIEW] = {.name = "copy-view", .keys = "Y", .scope = ALL, .group = SAVING,
        .reach = REACH_FILES,
        .doc = "copy the whole view as shown: rows as a table, else a picture",
        .run = app_copy_view},

    [ACTION_HELP] = {.name = "help", .keys = "? F1", .scope = ALL, .group = PROGRAM,
        .label = "Help", .doc = "what can be done here, columns explained, all keys; searchable", .hint = "all keys",
        .hint_kinds = ALL_KINDS, .ignores_rows = true, .run = app_help},
    [ACTION_TOUR] = {.name = "tour", .keys = "~", .scope = ALL, .group = PROGRAM,
        .doc = "what the views are for, on this profile: a dozen stops, then back to here",
        .hint = "tour", .hint_kinds = KIND_HELP, .run = app_tour},
    [ACTION_COMMAND] = {.name = "command", .keys = ":", .scope = ALL, .group = PROGRAM,
        .doc = "type a command: every action by its name", .run = app_command},
    [ACTION_THEME] = {.name = "theme", .keys = "T", .scope = ALL, .group = PROGRAM,
        .argument = "NAME", .complete = &complete_themes, .doc = "next theme", .run = app_theme},
    [ACTION_MOUSE] = {.name = "mouse", .keys = "M", .scope = ALL, .group = PROGRAM,
        .doc = "the mouse here, or left to the terminal to select text with", .run = app_mouse},
    [ACTION_RELOAD] = {.name = "reload", .keys = "r", .scope = ALL, .group = PROGRAM,
        .doc = "read the rules again (kernels, ops, gpus, expert.yaml) and judge anew",
        .run = app_reload},
    [ACTION_REDRAW] = {.name = "redraw", .keys = "C-l", .scope = ALL, .group = PROGRAM,
        .doc = "draw the screen anew", .run = app_redraw},
    [ACTION_SUSPEND] = {.name = "suspend", .keys = "C-z", .scope = ALL, .group = PROGRAM,
        .reach = REACH_OUT, .doc = "to the shell; `fg` comes back", .run = app_suspend},
    [ACTION_INTERRUPT] = {.name = "interrupt", .keys = "C-c", .scope = ALL, .group = PROGRAM,
        .reach = REACH_OUT, .doc = "cancel what is going on; twice: quit", .run = app_interrupt},
    [ACTION_QUIT] = {.name = "quit", .keys = "q F10", .scope = ALL, .group = PROGRAM,
        .reach = REACH_OUT, .label = "Quit", .doc = "back; at the first view quit; as a command :q too",
        .ignores_rows = true, .run = app_quit},
    [ACTION_QUIT_NOW] = {.name = "quit-now", .keys = "Q", .scope = ALL, .group = PROGRAM,
        .reach = REACH_OUT, .doc = "quit at once; as a command :q! too", .run = app_quit_now},
};
// clang-format on

static const char *const *keys_in_use = NULL; // NULL: those of the table

// The same, read from their names once: what is pressed or drawn is looked for in all of them.
static struct {
    uint32_t keys[ACTION_KEYS_MOST];
    size_t count;
} known[ACTION_COUNT];
static bool are_known = false;

void action_use_keys(const char *const keys[ACTION_COUNT])
{
    keys_in_use = keys;
    are_known = false;
}

static void keys_know(void)
{
    if (are_known)
        return;
    for (enum action action = 0; action < ACTION_COUNT; action++) {
        size_t n = 0;
        while (n < ACTION_KEYS_MOST && key_list_at(action_keys(action), n, &known[action].keys[n]))
            n++;
        known[action].count = n;
    }
    are_known = true;
}

const char *action_keys(enum action action)
{
    return keys_in_use ? keys_in_use[action] : actions[action].keys;
}

bool action_key(enum action action, size_t n, uint32_t *key)
{
    keys_know();
    if (n >= known[action].count)
        return false;
    *key = known[action].keys[n];
    return true;
}

const char *action_first_key(enum action action, char out[KEY_NAME_SIZE])
{
    uint32_t key;
    return action_key(action, 0, &key) ? key_text(key, out) : "";
}

enum action action_of_key(uint32_t key, unsigned kinds)
{
    keys_know();
    for (enum action action = 0; action < ACTION_COUNT; action++) {
        bool is_here = action_scope_kinds[actions[action].scope] & kinds;
        for (size_t n = 0; is_here && n < known[action].count; n++)
            if (known[action].keys[n] == key)
                return action;
    }
    return ACTION_NONE;
}

enum action action_find(const char *name)
{
    for (enum action action = 0; action < ACTION_COUNT; action++)
        if (strcmp(actions[action].name, name) == 0)
            return action;
    return ACTION_NONE;
}
