// SPDX-License-Identifier: Apache-2.0
// The one table of the screen: any report, flat or as a tree, sorted, filtered, folded, searched.
//
// The table keeps what a person did (cursor, sort, filter, folds, by row id) apart from the rows,
// which come and go with the selection. What depends on the rows is worked out once after a
// change; a frame costs only the rows on screen. The table knows no app: views feed it.
#ifndef UI_TABLE_H
#define UI_TABLE_H

#include "analysis/export/export.h"
#include "analysis/report/value.h"
#include "base/parse/expr.h"
#include "base/pattern.h"
#include "ui/table/column_layout.h"
#include "ui/term/action.h"
#include "ui/term/canvas.h"

// The filter has room for the longest names that `=` takes from a cell.
enum { TABLE_SORTS = 3, TABLE_RANKED = 5, TABLE_FILTER_SIZE = 4001, TABLE_TERMS = 32 };

struct table_texts;

struct id_set {      // of row ids; open addressing, in the arena of its table
    uint64_t *slots; // id + 1, 0: free
    size_t count, capacity;
};

// Rows marked, also those that are not there at the moment.
struct marks {
    struct id_set ids;
    uint64_t span_id; // where a span began that ends at the cursor
    size_t span_line; // its line when it was last looked for
    bool has_span;
    // Of the rows that are there, once counted (table_marks.c).
    bool is_counted;
    size_t count;
    int64_t sum; // of the known figures in the column `summed`; in a tree of the outermost of them
    size_t unknown; // rows of those whose figure is not known
    size_t known;   // the others of them
    int summed;     // -1: no column adds up
};

enum { PICKS_MAX = 64, PICK_SLOTS = 1 << 23 };

// What the share column of a report is of. The first one is the report's own: of the GPU busy time,
// of all GPU work; its head says which.
enum share_of {
    SHARE_OWN,
    SHARE_STEP,   // the time of the chosen steps on all GPUs that are looked at
    SHARE_PARENT, // the row above in the tree; of the outermost rows all of them together
    SHARE_SHOWN,  // the rows that pass the filter; what it says of the share itself aside
    SHARE_KINDS,
};
extern const char *const share_names[SHARE_KINDS]; // "own", "step", "parent", "shown"

enum table_stale {
    TABLE_FRESH,
    TABLE_STALE_ORDER, // of a flat table: which rows pass holds
    TABLE_STALE,
};

struct table {
    const struct report *report; // as the rows name its columns
    const struct report *own;    // as it was opened by
    struct rows rows;
    struct arena *arena;   // what the user did: lives as long as the table
    struct arena *ordered; // orders, `parent`, `ranks`, `texts`: renewed with the rows; of a tree
                           // with its sort too
    struct arena *derived; // what else follows from rows: renewed with each change of it

    // What the user did.
    struct sort_key sort[TABLE_SORTS]; // the first decides
    unsigned sort_count;
    struct sort_key walk[TABLE_SORTS]; // the keys before `<` and `>` began to walk over columns
    unsigned walk_count;
    bool is_walking;
    char filter_text[TABLE_FILTER_SIZE];
    bool is_filter_given; // it came with the place, as a finding's proof does: nobody typed it
    struct filter filter;
    struct arena *filter_arena;
    char search_text[256];
    struct pattern *search;
    bool has_cursor;       // somebody has moved it
    uint64_t cursor_id;    // row under the cursor; where it is gone the cursor stays in its line
    size_t cursor, top;    // lines, counted in `shown`
    int column;            // column cursor: index of report->columns
    int name_scroll;       // columns by which names are scrolled
    bool is_unfolded;      // what `toggled` is an exception of
    unsigned open_depth;   // rows less deep are unfolded at first
    struct id_set toggled; // tree rows whose fold state is not the default one
    uint64_t glimpse;      // id of a row seen although it lies in folded ones; see has_glimpse
    bool has_glimpse;
    struct column_layout columns; // how they are arranged
    struct marks marks;
    struct id_set picks[PICKS_MAX]; // rows that `=` and `!` took from marks: marked:1 in the filter
    unsigned pick_count;
    bool has_detail; // detail pane shown
    int detail_top;  // its lines above its edge, where they are more than fit
    int name_share;  // least part of the width for names, in percent; 0: as usual
    bool ascii;
    struct parts parts; // what sums are shown as parts of; zeroes: totals
    enum share_of share;
    int64_t step_ns; // what SHARE_STEP is of; 0: nobody knows

    // Derived.
    enum table_stale stale;
    unsigned serial; // another one, of no other table, each time what follows was worked out
    uint32_t *order; // all rows in the order of the sort that it was made by; NULL: not yet
    struct sort_key order_by[TABLE_SORTS];
    unsigned order_keys;
    uint32_t *tied; // of a flat table: the same by all keys but the first; NULL: not yet
    uint32_t *next; // where the next row of each place goes, while one is made
    struct sort_key tied_by[TABLE_SORTS];
    unsigned tied_keys;
    // Of a flat table: its rows by the columns that were asked for last, the last one first.
    struct table_ranks {
        unsigned column;
        struct report_ranks ranks; // of no rows: none yet
    } ranks[TABLE_RANKED];
    struct table_texts *texts; // of many rows, once one was looked for in them; NULL: not yet
    uint32_t *parent;          // of a tree row, UINT32_MAX: none
    uint32_t *shown;           // rows that pass filter and folds
    size_t shown_count;
    uint8_t *state;     // per row: enum row_state
    size_t match_count; // rows that match the search, folded ones too
    size_t kept_count;  // rows that match the filter
    uint16_t widths[TABLE_COLUMNS];
    struct measured { // what rows hold, in whatever order and by whatever filter (table_layout.c)
        bool is_there, ascii;
        struct parts parts; // with these
        enum share_of share;
        int64_t step_ns;
        uint16_t widths[TABLE_COLUMNS];
        double bar_max[TABLE_COLUMNS];
    } measured;
    int64_t outer_sum, shown_sum; // of the column with the bars: all outer rows; SHARE_SHOWN
    int page, detail_page;        // lines of the last drawing
    unsigned deepest;             // depth of its rows at most, in a tree
};

enum row_state {
    ROW_KEPT = 1,      // matches the filter
    ROW_ABOVE = 2,     // does not, but a row below it does
    ROW_FOUND = 4,     // matches the search
    ROW_FOLDED = 8,    // a folded tree row
    ROW_GLIMPSED = 16, // would be, but leads to the row that a search is at
    ROW_BENEATH = 32,  // kept with what is above it: nothing need be open to show it
};

bool table_open(struct table *table, const struct report *report, struct error *error);
void table_close(struct table *table);

// New rows of the same report: place, folds, sort and filter stay.
void table_set_rows(struct table *table, const struct rows *rows);
// Works out what is shown; called by everything below where needed.
bool table_update(struct table *table, struct error *error);

// False, with what was expected: the filter before stays in force.
bool table_set_filter(struct table *table, const char *text, struct error *error);
// `=` and `!`: by the rows marked, without any by the cell under the cursor.
bool table_keep(struct table *table, bool inverse, struct error *error);
// Adds a term that keeps, or leaves out, what shows the same as the cursor's cell.
bool table_filter_cell(struct table *table, bool inverse, struct error *error);
// "word  !word  gpu_total>1ms  tc:no": what can be typed, by the columns that there are.
const char *table_filter_hint(const struct table *table, struct arena *arena);
bool table_set_search(struct table *table, const char *text, struct error *error);
bool table_search_name(struct table *table, struct error *error); // of the row under the cursor
bool table_on_match(const struct table *table);
bool table_next_match(struct table *table, int direction); // -1: backwards; false: none
bool table_glimpse_match(struct table *table);             // the same while one types
void table_sort_by(struct table *table, unsigned column, bool descending);
// "-gpu", which comes before the keys there are; "-gpu calls": these and no others.
bool table_sort_named(struct table *table, const char *names, struct error *error);
int table_sort_place(const struct table *table, unsigned column); // as which key, from 0; -1: none
int table_find_column(const struct table *table, const char *name); // by beginning; -1

// Marks (table_marks.c): by row id, so that they outlive sort, filter, folds and other rows.
void table_mark(struct table *table);        // the row under the cursor, or the span that it ends
void table_span(struct table *table);        // begins a span there, or drops the one begun
bool table_clear_marks(struct table *table); // the span, else the marks; false: there are none
void table_drop_marks(struct table *table);  // all of it: they have served
bool row_is_marked(const struct table *table, uint32_t row);
// The lines of the span begun, both ends included; false: there is none, or where it began is not
// shown any more.
bool table_span_lines(struct table *table, size_t *from, size_t *to);
size_t table_marked(struct table *table); // how many of the rows that are there
// Which, in the order of the sort, folded and filtered ones too; NULL: none.
uint32_t *table_marked_rows(struct table *table, struct arena *arena, size_t *count);
// "3 marked: GPU 31.2 ms", NULL: none is.
const char *table_marks_text(struct table *table, struct arena *arena);
// Takes the marks off and adds a term that keeps, or leaves out, what they were on.
bool table_filter_marks(struct table *table, bool inverse, struct error *error);
bool table_has_picks(const struct table *table); // whether the filter has such a term
// The group that a term of the filter means, from 1 on; 0: it is of a column.
unsigned filter_pick(const struct filter_term *term);

// False: not an action of tables, or nothing to do.
bool table_act(struct table *table, enum action action);
const void *table_row(const struct table *table);     // under the cursor, NULL: no rows
void table_go_line(struct table *table, size_t line); // of those shown
bool table_go(struct table *table, uint64_t id);      // puts the cursor on a row, unfolding to it

// A row's place as a text, and back to it: by id where the row of that id is called so, else by name
// (table_place.c). NULL: too long to be written; false: no such row is shown.
const char *table_place(const struct table *table, uint32_t row, struct arena *arena);
bool table_go_place(struct table *table, const char *place, struct arena *arena);

// Whether there is such a column, and whether nobody has hidden it; table_shows(): at that width.
bool table_names_column(const struct table *table, unsigned column);
bool table_has_column(const struct table *table, unsigned column);
bool table_shows(const struct table *table, unsigned column, int width);
void table_toggle_column(struct table *table, unsigned column, int width);
int table_columns_beyond(const struct table *table, int width); // that there is no room for
void table_draw(struct table *table, struct canvas *canvas, struct area area);
void table_empty_draw(const struct table *table, struct canvas *canvas, struct area area); // why
bool table_has_line(const struct table *table, int y, struct area area); // a row is shown there
// The wheel over the details of the row; false: it is not there.
bool table_scroll_detail(struct table *table, int lines, int x, int y, struct area area);
// A click on the sign that folds a row: its row is chosen, and folded or unfolded. False: none there.
bool table_fold_click(struct table *table, int x, int y, struct area area);
int table_click(struct table *table, int x, int y, struct area area); // column of a header, or -1

// Shares (table_share.c). The column that can be shown of several wholes; -1: none.
int table_share_column(const struct table *table);
bool table_has_share(const struct table *table, enum share_of share); // that means something here
struct value table_share(const struct table *table, const void *row);
const char *table_head(const struct table *table, unsigned column); // what stands over it: "%step"
const char *table_title(const struct table *table, unsigned column);
const char *table_doc(const struct table *table, unsigned column);
struct export_share table_export_share(const struct table *table, struct arena *arena);
int64_t table_share_part(const struct table *table, const void *row); // 0: nothing known

// The text of the column that names rows; NULL: this one has none.
const char *table_row_name(const struct table *table, const void *row);
// The value in the present manner (per step or total), and its text in `arena`.
struct value table_value(const struct table *table, unsigned column, const void *row);
const char *table_cell(const struct table *table, unsigned column, const void *row,
                       struct arena *arena);

// Parts, each in its own file.
bool table_order(struct table *table, struct error *error); // table_order.c; as long as `ordered`
// table_order.c: its rows by a column, as long as nobody has asked for TABLE_RANKED others. Of a flat
// table that has been ordered; NULL: no memory.
const struct report_ranks *table_ranks(struct table *table, unsigned column);
void table_show(struct table *table);  // table_order.c: of table_match()'s
void table_match(struct table *table); // table_match.c: ROW_KEPT and ROW_FOUND of every row
bool row_is_folded(const struct table *table, uint32_t row);
void row_fold(struct table *table, uint32_t row, bool folded);
int column_step(const struct table *table, int column, int direction); // next visible one
uint64_t table_row_id(const struct table *table, uint32_t row);
uint32_t table_row_of(const struct table *table, uint64_t id); // UINT32_MAX: none
bool id_set_has(const struct id_set *set, uint64_t id);
void id_set_clear(struct id_set *set); // keeps its memory
void id_set_flip(struct id_set *set, uint64_t id, struct arena *arena);
void tree_measure(struct table *table); // before the rows of a page are drawn
int tree_draw(const struct table *table, struct canvas *canvas, int x, int y, int width,
              size_t line);                                       // table_tree.c: columns taken
int tree_sign(const struct table *table, int width, size_t line); // its column; -1: folds nothing
bool tree_act(struct table *table, enum action action);           // table_tree.c
void tree_open_hot(struct table *table,
                   size_t lines); // unfolds what costs most, while there is room
void detail_draw(struct table *table, struct canvas *canvas, struct area area); // table_detail.c

#endif
