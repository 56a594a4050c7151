// SPDX-License-Identifier: Apache-2.0
#include "ui/action.h"

#include <string.h>

#include "ui/app_actions.h"
#include "ui/key.h"

#define MOVING    "Moving"
#define GOING     "Going in and back"
#define FINDING   "Finding"
#define ARRANGING "Arranging"
#define LOOKING   "What is looked at"
#define SAVING    "Saving"
#define PROGRAM   "The program"

#define ALL SCOPE_EVERYWHERE

const char *const action_scope_names[SCOPE_COUNT] = {
    [SCOPE_EVERYWHERE] = "everywhere", [SCOPE_ROWS] = "rows",
    [SCOPE_TABLE] = "tables",          [SCOPE_TREE] = "trees",
    [SCOPE_ITERATIONS] = "iterations",
};
const unsigned action_scope_kinds[SCOPE_COUNT] = {
    [SCOPE_EVERYWHERE] =
        KIND_TABLE | KIND_TREE | KIND_SUMMARY | KIND_ITERATIONS | KIND_EXPERT | KIND_HELP,
    [SCOPE_ROWS] = KIND_TABLE | KIND_HELP,
    [SCOPE_TABLE] = KIND_TABLE,
    [SCOPE_TREE] = KIND_TREE,
    [SCOPE_ITERATIONS] = KIND_ITERATIONS,
};
const size_t action_count = ACTION_COUNT;

const struct action_row actions[ACTION_COUNT] = {
    [ACTION_DOWN] = {"down", "j Down WheelDown", ALL, MOVING, NULL, NULL, "next row", NULL},
    [ACTION_UP] = {"up", "k Up WheelUp", ALL, MOVING, NULL, NULL, "previous row", NULL},
    [ACTION_LEFT] = {"left", "h Left", ALL, MOVING, NULL, NULL,
                     "tree: fold, or to the parent; table: column to the left; steps: one back",
                     NULL},
    [ACTION_RIGHT] = {"right", "l Right", ALL, MOVING, NULL, NULL,
                      "tree: unfold, or to the first child; table: column to the right; steps: one "
                      "on",
                      NULL},
    [ACTION_SCROLL_LEFT] = {"scroll-left", "H S-Left", SCOPE_ROWS, MOVING, NULL, NULL,
                            "long names: scroll back; tree: column to the left", NULL},
    [ACTION_SCROLL_RIGHT] = {"scroll-right", "L S-Right", SCOPE_ROWS, MOVING, NULL, NULL,
                             "long names: scroll to their end; tree: column to the right", NULL},
    [ACTION_FIRST] = {"first", "g Home", ALL, MOVING, NULL, NULL, "first row", NULL},
    [ACTION_LAST] = {"last", "G End", ALL, MOVING, NULL, NULL, "last row", NULL},
    [ACTION_HALF_DOWN] = {"half-down", "C-d", ALL, MOVING, NULL, NULL, "half a page down", NULL},
    [ACTION_HALF_UP] = {"half-up", "C-u", ALL, MOVING, NULL, NULL, "half a page up", NULL},
    [ACTION_PAGE_DOWN] = {"page-down", "C-f PgDn", ALL, MOVING, NULL, NULL, "a page down", NULL},
    [ACTION_PAGE_UP] = {"page-up", "C-b PgUp", ALL, MOVING, NULL, NULL, "a page up", NULL},
    [ACTION_PARENT] = {"parent", "^", SCOPE_TREE, MOVING, NULL, NULL, "the row above in the tree",
                       NULL},
    [ACTION_CENTRE] = {"centre", "z", SCOPE_ROWS, MOVING, NULL, NULL,
                       "scroll so that the cursor is in the middle", NULL},

    [ACTION_ENTER] =
        {"enter", "Enter", ALL, GOING, NULL, NULL,
         "go in: layer, its kernels, their launches; finding, its proof; step, what it is made of",
         NULL},
    [ACTION_CANCEL] = {"cancel", "Esc", ALL, GOING, NULL, NULL,
                       "close what is open, clear the search, then the filter; else back",
                       app_cancel},
    [ACTION_BACK] = {"back", "Backspace", ALL, GOING, NULL, NULL,
                     "back to the former place, exactly as it was", app_back},
    [ACTION_VIEW] = {"view", ACTION_VIEW_KEYS, ALL, GOING, NULL, "NAME",
                     "the view of that number; by name: any view or report", app_view},
    [ACTION_NEXT_VIEW] = {"next-view", "Tab", ALL, GOING, NULL, NULL,
                          "next view; on the first screen its next panel before", app_next_view},
    [ACTION_PREVIOUS_VIEW] = {"previous-view", "S-Tab", ALL, GOING, NULL, NULL, "previous view",
                              app_previous_view},
    [ACTION_WHO] = {"who", "w", SCOPE_TABLE, GOING, NULL, NULL,
                    "who launches this kernel: its ops and layers", app_who},
    [ACTION_NEXT_FINDING] = {"next-finding", ")", ALL, GOING, NULL, NULL,
                             "open the proof of the next finding", app_next_finding},
    [ACTION_PREVIOUS_FINDING] = {"previous-finding", "(", ALL, GOING, NULL, NULL,
                                 "open the proof of the previous finding", app_previous_finding},

    [ACTION_SEARCH] = {"search", "/ F3", SCOPE_ROWS, FINDING, "Find", "PATTERN",
                       "search names (regular expression, smart case)", app_search},
    [ACTION_NEXT_MATCH] = {"next-match", "n", SCOPE_ROWS, FINDING, NULL, NULL, "next match", NULL},
    [ACTION_PREVIOUS_MATCH] = {"previous-match", "N", SCOPE_ROWS, FINDING, NULL, NULL,
                               "previous match", NULL},
    [ACTION_SEARCH_WORD] = {"search-word", "*", SCOPE_ROWS, FINDING, NULL, NULL,
                            "search the name under the cursor", NULL},
    [ACTION_FILTER] = {"filter", "\\ f F4", SCOPE_ROWS, FINDING, "Filter", "TERMS",
                       "keep rows while typing: gemm  !copy  gpu>1ms  tc:no  \"two words\"",
                       app_filter},
    [ACTION_KEEP] = {"keep", "=", SCOPE_ROWS, FINDING, NULL, NULL,
                     "keep only rows with the value under the cursor", NULL},
    [ACTION_OMIT] = {"omit", "!", SCOPE_ROWS, FINDING, NULL, NULL,
                     "leave out rows with the value under the cursor", NULL},

    [ACTION_SORT_LEFT] = {"sort-left", "<", SCOPE_ROWS, ARRANGING, NULL, NULL,
                          "sort by the column to the left", NULL},
    [ACTION_SORT_RIGHT] = {"sort-right", ">", SCOPE_ROWS, ARRANGING, NULL, NULL,
                           "sort by the column to the right", NULL},
    [ACTION_INVERT] = {"invert", "I", SCOPE_ROWS, ARRANGING, NULL, NULL, "sort the other way round",
                       NULL},
    [ACTION_SORT] = {"sort", "; F6", SCOPE_ROWS, ARRANGING, "Sort", "COLUMN",
                     "choose the column to sort by; `-COLUMN`: largest first", app_sort},
    [ACTION_UNFOLD_ALL] = {"unfold-all", "E", SCOPE_TREE, ARRANGING, NULL, NULL,
                           "unfold all below the cursor", NULL},
    [ACTION_FOLD_ALL] = {"fold-all", "C", SCOPE_TREE, ARRANGING, NULL, NULL, "fold everything",
                         NULL},
    [ACTION_SIBLINGS] = {"siblings", "o", ALL, ARRANGING, NULL, NULL,
                         "numbered siblings (layers.0, layers.1, ...) as one row or each",
                         app_siblings},
    [ACTION_FLIP] = {"flip", "F F5", ALL, ARRANGING, "Flip", NULL,
                     "the other face: summary, DLProf's dashboard; tree, flat ops; kernels, by op; "
                     "steps, ms or %",
                     NULL},
    [ACTION_NAMES] = {"names", "v", ALL, ARRANGING, NULL, "FORM",
                      "kernel names: family, short, full", app_names},
    [ACTION_PER_STEP] = {"per-step", "#", SCOPE_TABLE, ARRANGING, NULL, NULL,
                         "times and counts per step and GPU, or in total", app_per_step},
    [ACTION_DETAIL] = {"detail", "d", SCOPE_ROWS, ARRANGING, NULL, NULL,
                       "all fields of the row, exactly; again: hide", NULL},
    [ACTION_EXPLAIN] = {"explain", "K", ALL, ARRANGING, NULL, NULL,
                        "what the figure under the cursor means", app_explain},
    [ACTION_COLUMNS] = {"columns", "c F2", SCOPE_ROWS, ARRANGING, "Columns", NULL,
                        "show or hide columns", app_columns},

    [ACTION_MARK] = {"mark", "Space", SCOPE_ITERATIONS, LOOKING, NULL, NULL,
                     "take the step under the cursor into the set or out of it", NULL},
    [ACTION_SET] = {"set", "i F7", ALL, LOOKING, "Steps", "SET", "type the set of steps: 3-22,!7",
                    app_set},
    [ACTION_ALL] = {"all", "a", ALL, LOOKING, NULL, NULL, "all steps", app_all},
    [ACTION_STEADY] = {"steady", "A", ALL, LOOKING, NULL, NULL,
                       "the steady steps: without warm-up and steps cut by the capture",
                       app_steady},
    [ACTION_LEAVE_OUT] = {"leave-out", "x", SCOPE_ITERATIONS, LOOKING, NULL, NULL,
                          "leave the step under the cursor out", NULL},
    [ACTION_OUTLIERS] = {"outliers", "X", ALL, LOOKING, NULL, NULL,
                         "leave outliers out: further than 5 MAD from the median", app_outliers},
    [ACTION_START] = {"start", ",", SCOPE_ITERATIONS, LOOKING, NULL, "N",
                      "begin the set at the step under the cursor", app_start},
    [ACTION_STOP] = {"stop", ".", SCOPE_ITERATIONS, LOOKING, NULL, "N",
                     "end the set at the step under the cursor", app_stop},
    [ACTION_PREVIOUS_STEP] = {"previous-step", "[", ALL, LOOKING, NULL, NULL,
                              "only the step before (u: back to the set)", app_previous_step},
    [ACTION_NEXT_STEP] = {"next-step", "]", ALL, LOOKING, NULL, NULL, "only the step after",
                          app_next_step},
    [ACTION_KEY_OP] = {"key", "O", ALL, LOOKING, NULL, "NAME",
                       "what cuts the run into steps: choose, or name an op or a range",
                       app_key_op},
    [ACTION_SCOPE] = {"scope", "p", ALL, LOOKING, NULL, "all|gpu N|process PID",
                      "one GPU or one process only", app_scope},
    [ACTION_PREVIOUS_DEVICE] = {"previous-gpu", "{", ALL, LOOKING, NULL, NULL, "previous GPU",
                                app_previous_device},
    [ACTION_NEXT_DEVICE] = {"next-gpu", "}", ALL, LOOKING, NULL, NULL, "next GPU", app_next_device},
    [ACTION_ADOPTION] =
        {"adoption", "@", ALL, LOOKING, NULL, NULL,
         "work of threads without ranges: to the waiting thread's range, or outside", app_adoption},
    [ACTION_UNDO] = {"undo", "u", ALL, LOOKING, NULL, NULL,
                     "undo the last change of set, scope, filter or sort", app_undo},
    [ACTION_REDO] = {"redo", "C-r", ALL, LOOKING, NULL, NULL, "redo it", app_redo},

    [ACTION_SAVE] = {"save", "s", ALL, SAVING, NULL, "FILE",
                     "save the view as shown; the ending chooses csv, tsv, json, md or txt",
                     app_save},
    [ACTION_PAGE] = {"page", "P", ALL, SAVING, NULL, "FILE", "save a one-page report in Markdown",
                     app_page},
    [ACTION_CAPTURE_LINE] = {"capture-line", "R", ALL, SAVING, NULL, NULL,
                             "the nsys line that would record what is missing", app_capture_line},

    [ACTION_HELP] = {"help", "? F1", ALL, PROGRAM, "Help", NULL, "all keys, searchable", app_help},
    [ACTION_COMMAND] = {"command", ":", ALL, PROGRAM, NULL, NULL,
                        "type a command: every action by its name", app_command},
    [ACTION_THEME] = {"theme", "T", ALL, PROGRAM, NULL, "NAME", "next theme", app_theme},
    [ACTION_REDRAW] = {"redraw", "C-l", ALL, PROGRAM, NULL, NULL, "draw the screen anew",
                       app_redraw},
    [ACTION_SUSPEND] = {"suspend", "C-z", ALL, PROGRAM, NULL, NULL, "to the shell; `fg` comes back",
                        app_suspend},
    [ACTION_INTERRUPT] = {"interrupt", "C-c", ALL, PROGRAM, NULL, NULL,
                          "cancel what is going on; twice: quit", app_interrupt},
    [ACTION_QUIT] = {"quit", "q F10", ALL, PROGRAM, "Quit", NULL, "back; at the first view quit",
                     app_quit},
    [ACTION_QUIT_NOW] = {"quit-now", "Q", ALL, PROGRAM, NULL, NULL, "quit at once", app_quit_now},
};

bool action_key(enum action action, size_t n, uint32_t *key)
{
    const char *at = actions[action].keys;
    for (size_t i = 0;; i++) {
        at += strspn(at, " ");
        size_t length = strcspn(at, " ");
        if (length == 0 || length >= KEY_NAME_SIZE)
            return false;
        if (i == n) {
            char name[KEY_NAME_SIZE] = {0};
            memcpy(name, at, length);
            return key_parse(name, key);
        }
        at += length;
    }
}

enum action action_of_key(uint32_t key, unsigned kinds)
{
    for (enum action action = 0; action < ACTION_COUNT; action++) {
        uint32_t known;
        bool is_here = action_scope_kinds[actions[action].scope] & kinds;
        for (size_t n = 0; is_here && action_key(action, n, &known); n++)
            if (known == key)
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
