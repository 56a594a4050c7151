// SPDX-License-Identifier: Apache-2.0
// The table widget: shows any report, flat or as a tree, with sort, filter, folds and search.
//
// User state (cursor, sort, filter, folds) refers to row ids and is independent of the rows, which
// change with the selection. Data derived from the rows is computed once after a change; a frame
// costs only the rows on screen. The table does not depend on the app; views feed it.
#ifndef UI_TABLE_TABLE_H
#define UI_TABLE_TABLE_H

#include "analysis/export/export.h"
#include "analysis/report/value.h"
#include "base/parse/expr.h"
#include "base/text/pattern.h"
#include "ui/table/column_layout.h"
#include "ui/term/action.h"
#include "ui/term/canvas.h"

// TABLE_FILTER_SIZE leaves room for the longest name that `=` copies from a cell.
enum { MAX_SORT_KEYS = 3, MAX_RANKED_COLUMNS = 5, TABLE_FILTER_SIZE = 4001, MAX_FILTER_TERMS = 32 };

struct table_texts;

struct id_set {      // row ids; open addressing, allocated in the arena of the table
    uint64_t *slots; // id + 1, 0: free
    size_t count, capacity;
};

// Marked rows, including rows that are absent at the moment.
struct marks {
    struct id_set ids;
    uint64_t span_id; // start of a span that ends at the cursor
    size_t span_line; // line of span_id when last searched, a hint
    bool has_span;
    // The following describe the present rows and are valid if `is_counted` (table_marks.c).
    bool is_counted;
    size_t count;
    int64_t sum;    // of known values in column `summed`; in a tree, of outermost marked rows only
    size_t unknown; // counted rows without a known value
    size_t known;   // counted rows with a known value
    int summed;     // -1: no column can be summed
};

// Limits of the row sets taken from marks: number of sets, and slots of all of them together.
enum { MAX_PICKS = 64, MAX_PICK_SLOTS = 1 << 23 };

// The whole that a share column relates to. SHARE_OWN is the one the report chose, such as GPU
// busy time or all GPU work; the column head names it.
enum share_of {
    SHARE_OWN,
    SHARE_STEP,   // time of the chosen steps on all selected GPUs
    SHARE_PARENT, // parent row in the tree; for outermost rows, the sum of all outermost rows
    SHARE_SHOWN,  // rows that pass the filter, without its terms on the share itself
    SHARE_KINDS,
};
extern const char *const share_names[SHARE_KINDS]; // "own", "step", "parent", "shown"

enum table_stale {
    TABLE_FRESH,
    TABLE_STALE_ORDER, // flat tables only: the order is stale, the filter result is valid
    TABLE_STALE,
};

struct table {
    const struct report *report; // may rename columns according to the rows
    const struct report *own;    // as given to table_open()
    struct rows rows;
    struct arena *arena; // user state: lives as long as the table
    // Orders, `parent`, `ranks`, `texts`: reset with the rows; in a tree also with the sort.
    struct arena *ordered;
    struct arena *derived; // everything else derived from rows: reset with each change

    // User state.
    struct sort_key sort[MAX_SORT_KEYS]; // most significant key first
    unsigned sort_count;
    struct sort_key walk[MAX_SORT_KEYS]; // sort keys before `<` and `>` began to walk over columns
    unsigned walk_count;
    bool is_walking;
    char filter_text[TABLE_FILTER_SIZE];
    bool is_filter_from_link; // set by a link, such as the evidence of a finding, not typed
    struct filter filter;
    struct arena *filter_arena;
    char search_text[256];
    struct pattern *search;
    bool has_cursor;       // the user has moved the cursor
    uint64_t cursor_id;    // row under the cursor; if it disappears the cursor stays on its line
    size_t cursor, top;    // as indices into `shown`
    int column;            // column cursor: index into report->columns
    int name_scroll;       // scroll offset of names, in columns
    bool is_unfolded;      // default fold state, inverted for rows in `toggled`
    unsigned open_depth;   // rows of smaller depth are unfolded by default
    struct id_set toggled; // tree rows whose fold state is not the default
    uint64_t peeked_row; // id of a row shown although its ancestors are folded; see has_peeked_row
    bool has_peeked_row;
    struct column_layout columns; // how they are arranged
    struct marks marks;
    // Row sets that `=` and `!` took from marks; "marked:1" in the filter is picks[0].
    struct id_set picks[MAX_PICKS];
    unsigned pick_count;
    bool has_detail;      // detail pane shown
    int detail_top;       // number of lines scrolled out of the pane at the top
    int min_name_percent; // least share of the width for names, in percent; 0: default
    bool ascii;
    struct sum_parts parts; // divisors for sums; zeroes: totals
    enum share_of share;
    int64_t step_ns; // whole of SHARE_STEP; 0: unknown

    // Derived data.
    enum table_stale stale;
    unsigned serial; // changes with every update and is unique among all tables
    uint32_t *order; // all rows in sort order; NULL: not yet computed
    struct sort_key order_by[MAX_SORT_KEYS];
    unsigned order_keys;
    uint32_t *tied; // flat tables: all rows sorted by all keys but the first; NULL: not yet
    uint32_t *next; // scratch for sorting: position for the next row of each rank
    struct sort_key tied_by[MAX_SORT_KEYS];
    unsigned tied_keys;
    // Flat tables: ranks of the rows by the columns used last, most recent first.
    struct table_ranks {
        unsigned column;
        struct sort_places ranks; // no rows: unused
    } ranks[MAX_RANKED_COLUMNS];
    struct table_texts *texts; // of large tables, for text matching; NULL: not yet computed
    uint32_t *parent;          // per tree row; UINT32_MAX: none
    uint32_t *shown;           // rows that pass filter and folds
    size_t shown_count;
    uint8_t *state;     // per row: enum row_state
    size_t match_count; // rows that match the search, including folded ones
    size_t kept_count;  // rows that match the filter
    uint16_t widths[MAX_TABLE_COLUMNS];
    // Content widths of the rows, independent of order and filter (table_layout.c).
    struct measured {
        bool is_there, ascii;
        struct sum_parts parts; // the settings that the widths were measured with
        enum share_of share;
        int64_t step_ns;
        uint16_t widths[MAX_TABLE_COLUMNS];
        double bar_max[MAX_TABLE_COLUMNS];
    } measured;
    int64_t outer_sum, shown_sum; // sums of the bar column: of all outermost rows; of SHARE_SHOWN
    int page, detail_page;        // lines of the last frame
    unsigned deepest;             // greatest depth on screen, in a tree
};

enum row_state {
    ROW_KEPT = 1,              // matches the filter
    ROW_LEADS_TO_KEPT = 2,     // does not match, but a row below it does
    ROW_FOUND = 4,             // matches the search
    ROW_FOLDED = 8,            // a folded tree row
    ROW_PEEKED = 16,           // would be folded, but leads to the row of an incremental search
    ROW_KEPT_WITH_PARENT = 32, // kept along with its parent: no row needs to be opened to show it
};

bool table_open(struct table *table, const struct report *report, struct error *error);
void table_close(struct table *table);

// Sets new rows of the same report; cursor, folds, sort and filter stay.
void table_set_rows(struct table *table, const struct rows *rows);
// Computes what is shown. The functions below call it where needed.
bool table_update(struct table *table, struct error *error);

// On failure returns false with what was expected, and the old filter stays in force.
bool table_set_filter(struct table *table, const char *text, struct error *error);
// Implements `=` and `!`: filters by the marked rows, or by the cell under the cursor if there
// are none.
bool table_filter_selected(struct table *table, bool inverse, struct error *error);
// Adds a term that keeps, or with `inverse` omits, rows that show the same text as the cell under
// the cursor.
bool table_filter_cell(struct table *table, bool inverse, struct error *error);
// Returns a hint on filter syntax for the columns present: "word !word gpu_total>1ms tc:no".
const char *table_filter_hint(const struct table *table, struct arena *arena);
bool table_set_search(struct table *table, const char *text, struct error *error);
// Name of the row under the cursor.
bool table_search_name(struct table *table, struct error *error);
bool table_is_on_match(const struct table *table);
bool table_next_match(struct table *table, int direction); // -1: backwards; false: none
bool table_peek_match(struct table *table);                // the same during an incremental search
void table_sort_by(struct table *table, unsigned column, bool descending);
// "-gpu" becomes the first key before the present ones; "-gpu calls" replaces all keys.
bool table_sort_named(struct table *table, const char *names, struct error *error);
// Index of the sort key, from 0; -1: none.
int table_sort_place(const struct table *table, unsigned column);
int table_find_column(const struct table *table, const char *name); // also by prefix; -1: none

// Marks (table_marks.c) are kept by row id, so that they survive sort, filter, folds and new
// rows.
// Toggles the row under the cursor, or the span that ends there.
void table_mark(struct table *table);
void table_span(struct table *table); // begins a span at the cursor, or drops the one begun
// Drops the span, or all marks if there is no span. Returns false if there were neither.
bool table_clear_marks(struct table *table);
void table_drop_marks(struct table *table); // drops span and marks after use
bool row_is_marked(const struct table *table, uint32_t row);
// Returns the lines of the span begun, both ends inclusive; false if there is none or its start
// is not shown.
bool table_span_lines(struct table *table, size_t *from, size_t *to);
size_t table_marked_count(struct table *table); // number of marked rows among the present ones
// Returns marked rows in sort order, including folded and filtered ones; NULL if there are none.
uint32_t *table_marked_rows(struct table *table, struct arena *arena, size_t *count);
// Returns "3 marked: GPU 31.2 ms"; NULL if no row is marked.
const char *table_marks_text(struct table *table, struct arena *arena);
// Replaces the marks by a filter term that keeps, or with `inverse` omits, the marked rows.
bool table_filter_marks(struct table *table, bool inverse, struct error *error);
bool table_has_picks(const struct table *table); // true if the filter has such a term
// Returns the number of the row set that a "marked:N" term means, from 1; 0: another term.
unsigned filter_pick_number(const struct filter_term *term);

// Returns false if tables do not handle the action or it has no effect.
bool table_act(struct table *table, enum action action);
const void *table_row(const struct table *table);     // row under the cursor; NULL: no rows
void table_go_line(struct table *table, size_t line); // index into `shown`
// Puts the cursor on a row and unfolds its ancestors.
bool table_go(struct table *table, uint64_t id);

// Converts a row to a text and back: by id if the row of that id has that name, else by name
// (table_place.c). NULL: too long to be written; false: no such row is shown.
const char *table_place(const struct table *table, uint32_t row, struct arena *arena);
bool table_go_place(struct table *table, const char *place, struct arena *arena);

// table_column_exists(): the column exists. table_column_is_visible(): it is not hidden.
// table_column_fits(): it is visible at that width.
bool table_column_exists(const struct table *table, unsigned column);
bool table_column_is_visible(const struct table *table, unsigned column);
bool table_column_fits(const struct table *table, unsigned column, int width);
void table_toggle_column(struct table *table, unsigned column, int width);
// Columns for which there is no room.
int table_cut_column_count(const struct table *table, int width);
void table_draw(struct table *table, struct canvas *canvas, struct area area);
// Shows why there are no rows.
void table_empty_draw(const struct table *table, struct canvas *canvas, struct area area);
// True if a row is shown at `y`.
bool table_has_line(const struct table *table, int y, struct area area);
// Scrolls the detail pane; returns false if (x, y) is outside it.
bool table_scroll_detail(struct table *table, int lines, int x, int y, struct area area);
// Folds or unfolds the row whose fold sign was clicked and puts the cursor on it. Returns false
// if there is no sign.
bool table_fold_click(struct table *table, int x, int y, struct area area);
// Column of a clicked header, or -1.
int table_click(struct table *table, int x, int y, struct area area);

// Shares (table_share.c). Returns the column whose whole can be changed; -1: none.
int table_share_column(const struct table *table);
// True if the share makes sense here.
bool table_has_share(const struct table *table, enum share_of share);
struct value table_share(const struct table *table, const void *row);
const char *table_head(const struct table *table, unsigned column); // column head: "%step"
const char *table_title(const struct table *table, unsigned column);
const char *table_doc(const struct table *table, unsigned column);
struct export_share table_export_share(const struct table *table, struct arena *arena);
int64_t table_share_part(const struct table *table, const void *row); // 0: unknown

// Returns the text of the name column; NULL if the row has none.
const char *table_row_name(const struct table *table, const void *row);
// Return the value as currently shown (per step or total), and its text in `arena`.
struct value table_value(const struct table *table, unsigned column, const void *row);
const char *table_cell(const struct table *table, unsigned column, const void *row,
                       struct arena *arena);

// Interfaces between the files of this room.
bool table_order(struct table *table, struct error *error); // table_order.c; allocates in `ordered`
// Returns the ranks of rows by a column (table_order.c), valid until MAX_RANKED_COLUMNS other
// columns were requested. Flat tables that have been ordered only; NULL: out of memory.
const struct sort_places *table_ranks(struct table *table, unsigned column);
// table_order.c: computes `shown` from the result of table_match().
void table_show(struct table *table);
void table_match(struct table *table); // table_match.c: sets ROW_KEPT and ROW_FOUND of every row
bool row_is_folded(const struct table *table, uint32_t row);
void row_fold(struct table *table, uint32_t row, bool folded);
int column_step(const struct table *table, int column, int direction); // next visible column
uint64_t table_row_id(const struct table *table, uint32_t row);
uint32_t table_row_of(const struct table *table, uint64_t id); // UINT32_MAX: none
bool id_set_has(const struct id_set *set, uint64_t id);
void id_set_clear(struct id_set *set); // keeps its memory
void id_set_flip(struct id_set *set, uint64_t id, struct arena *arena);
void tree_measure(struct table *table); // must be called before the rows of a page are drawn
int tree_draw(const struct table *table, struct canvas *canvas, int x, int y, int width,
              size_t line); // table_tree.c: returns the number of columns drawn
// Column of the fold sign; -1: no sign.
int tree_sign(const struct table *table, int width, size_t line);
bool tree_act(struct table *table, enum action action); // table_tree.c
void tree_unfold_hot(struct table *table,
                     size_t lines); // unfolds the most expensive rows while there is room
void detail_draw(struct table *table, struct canvas *canvas, struct area area); // table_detail.c

#endif
