// SPDX-License-Identifier: Apache-2.0
// A report is a pure function (profile, selection) -> rows, described by one table of columns.
//
// Tables, trees, CSV, JSON, help and man page all present reports. To add a column: one field, one
// accessor, one row in report_x.c. To add a report: report_x.c and one line in report_list.c.
#ifndef ANALYSIS_REPORT_REPORT_H
#define ANALYSIS_REPORT_REPORT_H

#include <math.h>

#include "analysis/report/selection.h"
#include "base/error.h"

enum unit {
    UNIT_TEXT,  // a name; shortened in the middle if it does not fit
    UNIT_COUNT, // an integer
    UNIT_NS,    // duration, ns
    UNIT_TIME,  // point in time, ns
    UNIT_BYTES,
    UNIT_RATE,    // bytes per second
    UNIT_PERCENT, // a share 0..1, printed as 0.0..100.0; the title names the whole
    UNIT_REAL,
    UNIT_ID,    // a number that is not a quantity: device 0, pid 4711
    UNIT_STATE, // tristate: yes, no, - (unknown)
};

enum value_kind { VALUE_NONE, VALUE_INTEGER, VALUE_REAL, VALUE_TEXT, VALUE_STATE };

struct value { // VALUE_NONE: unknown, shown as "-" and as an empty CSV cell
    enum value_kind kind;
    union {
        int64_t integer; // COUNT, NS, TIME, BYTES, ID; VALUE_STATE: enum tristate
        double real;
        const char *text;
    };
};

static inline struct value value_none(void)
{
    return (struct value){VALUE_NONE, {0}};
}
static inline struct value value_integer(int64_t n)
{
    return n == UNKNOWN ? value_none() : (struct value){VALUE_INTEGER, {.integer = n}};
}
static inline struct value value_real(double x)
{
    return isnan(x) ? value_none() : (struct value){VALUE_REAL, {.real = x}};
}
static inline double value_number(struct value value) // of an integer or real value
{
    return value.kind == VALUE_INTEGER ? (double)value.integer : value.real;
}
static inline struct value value_share(int64_t part, int64_t whole) // unknown if the whole is 0
{
    return whole > 0 ? value_real((double)part / (double)whole) : value_none();
}
static inline struct value value_text(const char *text)
{
    return text ? (struct value){VALUE_TEXT, {.text = text}} : value_none();
}
static inline struct value value_state(enum tristate state)
{
    return (struct value){VALUE_STATE, {.integer = state}};
}

int value_compare(struct value a, struct value b); // VALUE_NONE sorts before all others

enum column_flag {
    // names the row: the last column to be shortened, gets the spare width
    COLUMN_NAME = 1,
    COLUMN_BAR = 2,      // a bar shows its share of the largest row
    COLUMN_WIDE = 4,     // shown if the screen has 120 columns or more
    COLUMN_DETAIL = 8,   // not in the table on screen, but in the detail pane, CSV, JSON
    COLUMN_QUOTED = 16,  // always quoted in CSV
    COLUMN_SUM = 32,     // additive over the selection, so it may be shown per step
    COLUMN_HOST = 64,    // a sum on the host: its parts are processes, not GPUs
    COLUMN_SIGNED = 128, // a difference: the screen shows its sign, also a "+"
    // a text or id that distinguishes rows of one name; a comparison shows it for both sides
    COLUMN_IDENTIFIES = 256,
    COLUMN_MARK = 512, // set on some rows; blank on the others
    // a total in rows that are not additive (report.apart): a comparison, and the screen of a
    // report with is_aggregate, show it per step (with COLUMN_HOST per step and process)
    COLUMN_NOT_ADDITIVE = 1024,
    COLUMN_ONE_STEP = 2048, // a figure of one step; a comparison shows it unchanged
    // with COLUMN_NOT_ADDITIVE or COLUMN_ONE_STEP: a total of all GPUs; a comparison shows it per
    // GPU
    COLUMN_ALL_GPUS = 4096,
    // a share of a whole that is the same in all rows: the sum of the column with bars. The screen
    // can show it as a share of other wholes, too
    COLUMN_SHARE = 8192,
    COLUMN_SELF = 16384,      // in a tree: of the row itself without the rows below it
    COLUMN_RANK_SLOT = 32768, // exists only if rows.report names it after a rank
    COLUMN_SENTENCE = 65536,  // a sentence: shown completely, since its end matters
    // exists only if rows.report clears it: the file says it of some rows
    COLUMN_SAID = 262144,
    // depends on when kernels ran, on copies or on the host, not only on durations of kernels:
    // unknown if profile.lacks_times, like every UNIT_TIME
    COLUMN_TIMED = 131072,
};

// Columns that exist only in some reports as built.
#define COLUMN_MAY_LACK (COLUMN_RANK_SLOT | COLUMN_SAID)

struct column {
    const char *key;   // stable, for filters, sorting, JSON: "gpu_total"
    const char *title; // CSV header: "Total GPU Time (ns)"
    const char *head;  // short title on screen: "GPU"
    enum unit unit;
    struct value (*get)(const void *row);
    const char *doc; // meaning and formula in one or two sentences
    unsigned flags;  // bit set of enum column_flag
};

struct rows {
    const void *items; // count x row_size bytes, in the report's own order
    size_t count;
    // one line above the table, "61 kernels by family, 2,184 launches", or NULL
    const char *caption;
    const char *empty; // why there are no rows; set if count is 0
    // meaning of the figures if no column is additive, "mean of 12 steps", or NULL
    const char *each;
    // The report with some of its COLUMN_SLOTs named after what the rows show; their flag is
    // cleared. NULL: the report itself.
    const struct report *report;
};

struct row_place;

struct row_match { // texts that identify a row, as many as needed; the rest NULL
    const char *text[4];
};

// Matches any row. For steps: their numbers have no meaning in another set, so the first step of
// one set matches the first of the other, and so on.
struct row_match row_match_any(const void *row);

// A file that names one report declares it: REPORT_DECLARE(kernels);
#define REPORT_DECLARE(name) extern const struct report report_##name

struct report {
    const char *name;  // "kernels"
    const char *title; // "Kernels by name"
    const char *doc;
    size_t row_size;
    size_t column_count;
    const struct column *columns;
    struct rows (*build)(const struct profile *profile, const struct selection *selection,
                         struct arena *arena);
    // Set in a comparison instead of `build`: the report that is compared, and what builds its
    // rows.
    const struct report *compared;
    struct rows (*build_compared)(const struct report *compared, const struct profile *profile,
                                  const struct selection *selection, struct arena *arena);
    // column by which the screen sorts initially, "-gpu_total" is descending; NULL: the report's
    // own order
    const char *sort;
    // The following members are for the screen; each may be NULL.
    uint64_t (*id)(const void *row);    // stays the same if the set of steps changes
    unsigned (*depth)(const void *row); // rows are a tree in pre-order
    bool (*has_children)(const void *row);
    // Returns the GPU time of a row by category of breakdown_gpu: GPU_IDLE figures, ns.
    const int64_t *(*categories)(const void *row);
    // Action of Enter: narrows the selection to the row and returns the report to open.
    const char *(*narrow)(const struct profile *profile, const void *row,
                          struct selection *selection);
    uint32_t (*work)(const void *row); // rows are single pieces of GPU work: returns its row
    // Returns how the figure of a column came about in this row, shown before the column's `doc`;
    // "" if there is nothing to say.
    const char *(*explain)(const void *row, const struct column *column, struct arena *arena);
    // Returns true if the figure differs notably from the figures of the neighbouring columns.
    bool (*is_odd)(const void *row, size_t column);
    // Finds the position of a row on the time axis (row_place.h), if it follows neither from `work`
    // nor from the longest event that narrow() selects. Returns false if there is none.
    bool (*place)(const struct profile *profile, const struct selection *selection, const void *row,
                  struct row_place *place, struct arena *arena);
    // defined by DLProf: columns and order never change. Reads neither the op tree nor source
    // lines, which may be missing (load_request.stops_after_ops)
    bool is_dlprof;
    bool needs_ops;         // needs ops, which simple mode (MODE_SIMPLE) lacks
    const char *file;       // part of DLProf's file name, "detailed"; or NULL
    const char *file_title; // first line of that file; the summary has a title per block instead
    // rows are sums over the selected steps; the screen shows columns with COLUMN_SUM or
    // COLUMN_NOT_ADDITIVE per step
    bool is_aggregate;
    bool is_work;     // rows are of GPU work only, so selection.with_backward applies
    bool is_document; // rows are lines of a text, written without a header
    bool is_timed;    // all columns are as with COLUMN_TIMED
    // decides itself which steps are complete: uses all steps unless some are requested
    bool has_own_steps;
    // printed for all steps, like the report of the tool that it replaces, unless steps or a split
    // are requested; on screen it covers the selected steps like other reports
    bool covers_all_steps;
    // For comparisons (compare.h); each may be NULL. match() identifies a row in any profile
    // (default: the column with COLUMN_NAME). fallback_matches is a list, ended by NULL, of
    // identities that are tried in turn for rows of a table that found no partner; they match if
    // one row remains on each side; a row without any text is skipped.
    struct row_match (*match)(const void *row);
    struct row_match (*const *fallback_matches)(const void *row);
    // in a tree: another tool may lack the row or name it differently
    bool (*is_step)(const void *row);
    bool (*is_unknown)(const void *row); // the row has no figures: it is compared with no row
    const char *busy, *whole;
    // the report that is compared instead: if rows of this one depend on figures or on numbers of a
    // single run, or if the other has the same figures in rows that can be matched
    const struct report *comparison_report;
    // why rows are not additive ("nest"); NULL: they are. Each row is compared by itself, by
    // COLUMN_NOT_ADDITIVE; rows without a match() text are skipped
    const char *apart;
    // rows are steps: compared in order, by COLUMN_ONE_STEP; `comparison_report` holds the sums of
    // the set
    bool is_steps;
    // column that holds the variation of column `whole` from step to step, per GPU
    const char *spread;
    // of a comparison, by column: the parts that figures are per, as in titles, " per step and
    // GPU"; NULL: none
    const char *const *parts;
};

// Returns true if the column is unknown for all rows when profile.lacks_times.
static inline bool column_is_timed(const struct column *column)
{
    return column->flags & COLUMN_TIMED || column->unit == UNIT_TIME;
}

const struct column *report_column(const struct report *report, const char *key); // NULL: none

// Returns the report whose column names the rows use: `report` or rows->report.
static inline const struct report *report_named(const struct report *report,
                                                const struct rows *rows)
{
    return rows->report ? rows->report : report;
}

// Returns true if the reports are the same, with or without named slots.
static inline bool report_is(const struct report *report, const struct report *other)
{
    return report->build == other->build && report->compared == other->compared;
}

static inline const void *report_row(const struct report *report, const struct rows *rows, size_t i)
{
    return (const char *)rows->items + i * report->row_size;
}

// Returns an id of a text (which may be NULL) that differs by `seed`, for reports whose rows have
// no better id.
uint64_t text_id(uint64_t seed, const char *text);

struct sort_key {
    uint16_t column;
    bool descending;
};

// Returns row numbers sorted by the first key, then by the others; ties are in the report's own
// order. Unknown values come last in both directions.
uint32_t *report_sort(const struct report *report, const struct rows *rows,
                      const struct sort_key *keys, unsigned key_count, struct arena *arena);
// The same in two steps, to sort the same rows repeatedly. sort_places_fill() finds the place of
// each row in the order of a column, where equal values share a place; report_sort_by_places()
// sorts rows by their places.
struct sort_places {
    uint32_t *of_row;
    uint32_t *below;  // by place: number of rows in lower places
    uint32_t *row_of; // by place: one of its rows
    uint32_t unknown; // place of all rows with an unknown value, after all others; may be empty
};
struct sort_places sort_places_new(size_t rows, struct arena *arena); // for up to `rows` rows
// Fills `ranks`.
void sort_places_fill(const struct report *report, const struct rows *rows, unsigned column,
                      struct sort_places *ranks, struct arena *scratch);
// Sorts the `count` row numbers in `from` by place into `to`; ties keep their order. `next` has
// room for count + 2 numbers. The three arrays do not overlap.
void report_sort_by_places(const struct sort_places *ranks, size_t count, bool descending,
                           const uint32_t *from, uint32_t *to, uint32_t *next);

// Returns row numbers in the report's initial order on screen (`sort`), ties in its own order.
// NULL: its own order (always for trees).
uint32_t *report_order(const struct report *report, const struct rows *rows, struct arena *arena);

// Reason for missing rows if profile.lacks_times.
extern const char report_no_times_text[];

// Returns the rows of build() without figures that the profile cannot give. Callers use this
// instead of build().
struct rows report_rows(const struct report *report, const struct profile *profile,
                        const struct selection *selection, struct arena *arena);

// The same; running out of memory is reported as an error.
bool report_build(const struct report *report, const struct profile *profile,
                  const struct selection *selection, struct arena *arena, struct rows *rows,
                  struct error *error);

#endif
