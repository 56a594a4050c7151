// SPDX-License-Identifier: Apache-2.0
// A report is a pure function (profile, selection) -> rows, described by one table of columns.
//
// Whatever a person sees or saves (table, tree, CSV, JSON, help, man page) is a face of a report.
// To add a column: one field, one accessor, one row in report_x.c. To add a report: report_x.c and
// one line in report_list.c.
#ifndef ANALYSIS_REPORT_H
#define ANALYSIS_REPORT_H

#include <math.h>

#include "analysis/report/selection.h"
#include "base/error.h"

enum unit {
    UNIT_TEXT,  // a name; cut in the middle when it does not fit
    UNIT_COUNT, // a whole number
    UNIT_NS,    // nanoseconds, a duration
    UNIT_TIME,  // nanoseconds, a point in time
    UNIT_BYTES,
    UNIT_RATE,    // bytes per second
    UNIT_PERCENT, // a share 0..1, printed as 0.0..100.0; the title names what of
    UNIT_REAL,
    UNIT_ID,    // a number that is not counted: device 0, pid 4711
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
static inline double value_number(struct value value) // of an integer or a real
{
    return value.kind == VALUE_INTEGER ? (double)value.integer : value.real;
}
static inline struct value value_share(int64_t part, int64_t whole) // of nothing: unknown
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

int value_compare(struct value a, struct value b); // none is below everything

enum column_flag {
    COLUMN_NAME = 1,     // the column that names the row: last to be cut, gets the spare width
    COLUMN_BAR = 2,      // a bar of its share of the largest row is drawn beside it
    COLUMN_WIDE = 4,     // shown from 120 columns on
    COLUMN_DETAIL = 8,   // not in the table on screen: detail pane, CSV, JSON
    COLUMN_QUOTED = 16,  // always in quotes in CSV
    COLUMN_SUM = 32,     // adds up over what is selected: may be shown per step
    COLUMN_HOST = 64,    // such a sum is of the host: its part is each process's, not each GPU's
    COLUMN_SIGNED = 128, // a difference: people see its sign, also where it is more
    COLUMN_TELLS = 256,  // a text or id that tells rows of one name apart: a comparison shows both
                         // sides'
    COLUMN_MARK = 512,   // a word on some rows: the cells of the others are blank
    COLUMN_APART = 1024, // a total of rows that report.apart tells of: a comparison, and the screen
                         // of an aggregate, shows its part of a step (COLUMN_HOST: of each
                         // process's step)
    COLUMN_EACH = 2048,  // a figure of one step: a comparison shows it as it is
    COLUMN_GPUS = 4096,  // of either, which is of all GPUs together: a comparison shows each one's
    COLUMN_SHARE = 8192, // a share of one whole for all rows, that of the column with the bars: the
                         // screen can show it of other wholes as well
    COLUMN_OWN = 16384,  // in a tree: of the row itself, what lies below it has its own
    COLUMN_SLOT = 32768, // a column only of rows that name it (rows.report), after a rank
    COLUMN_SENTENCE =
        65536, // a sentence and no name: its end matters, so that text holds all of it
    COLUMN_TIMED =
        131072, // rests on more than how long kernels ran, on when, on copies or on what the
                // host did: unknown where profile.lacks_times, as every UNIT_TIME is
};

struct column {
    const char *key;   // stable, for filter, sort, JSON: "gpu_total"
    const char *title; // CSV header: "Total GPU Time (ns)"
    const char *head;  // short, for the screen: "GPU"
    enum unit unit;
    struct value (*get)(const void *row);
    const char *doc; // meaning and formula, one or two sentences
    unsigned flags;  // enum column_flag
};

struct rows {
    const void *items; // count x row_size, in the report's own order
    size_t count;
    const char *caption; // one line over the table: "61 kernels by family, 2,184 launches"; or NULL
    const char *empty;   // why there are none; set when count is 0
    const char *each;    // what each figure is where no column adds up: "mean of 12 steps"; or NULL
    // The same report with some of its COLUMN_SLOTs named after what the rows are of, and that flag
    // taken off these; NULL: it is as it is.
    const struct report *report;
};

struct place;

struct row_match { // texts that tell a row from others, as many as it takes; the rest NULL
    const char *text[4];
};

// Of steps: their numbers tell nothing of another set, any is like any other, so that of each set the
// first matches the first, the second the second.
struct row_match row_match_any(const void *row);

struct report {
    const char *name;  // "kernels"
    const char *title; // "Kernels by name"
    const char *doc;
    size_t row_size;
    size_t column_count;
    const struct column *columns;
    struct rows (*build)(const struct profile *profile, const struct selection *selection,
                         struct arena *arena);
    // Of a comparison: the report that it compares, and how its rows are made; `build` is NULL.
    const struct report *compared;
    struct rows (*build_compared)(const struct report *compared, const struct profile *profile,
                                  const struct selection *selection, struct arena *arena);
    const char *sort; // column by which the screen sorts at first, "-gpu_total": descending;
                      // NULL: the report's own order
    // The rest is for the screen, each may be NULL.
    uint64_t (*id)(const void *row);    // stays the same when the set changes
    unsigned (*depth)(const void *row); // rows form a tree in pre-order
    bool (*has_children)(const void *row);
    // The GPU time of a row, by category of breakdown_gpu: GPU_IDLE figures in ns.
    const int64_t *(*categories)(const void *row);
    // What Enter means: narrows the selection to the row and names the report to open.
    const char *(*narrow)(const struct profile *profile, const void *row,
                          struct selection *selection);
    uint32_t (*work)(const void *row); // rows are single pieces of GPU work: which one
    // By what the figure of a column is in this row, said before what the column is; "": nothing.
    const char *(*explain)(const void *row, const struct column *column, struct arena *arena);
    // Its figure is out of line with those of the columns beside it.
    bool (*is_odd)(const void *row, size_t column);
    // Where on the axis of time a row is (place.h), where neither `work` nor the longest of what
    // narrow() leaves tells. False: nowhere.
    bool (*place)(const struct profile *profile, const struct selection *selection, const void *row,
                  struct place *place, struct arena *arena);
    bool
        is_dlprof; // fixed by DLProf: columns and order never change. It reads neither the op tree nor
                   // lines of the program, which may not be there (load_request.ends_with_ops)
    bool is_of_ops;         // of which simple mode (MODE_SIMPLE) has none
    const char *file;       // DLProf's file name part: "detailed"; NULL
    const char *file_title; // first line of that file; the summary has a title per block instead
    bool is_aggregate; // rows add up what lies in the selection: COLUMN_SUM (COLUMN_APART) says in
                       // which columns, and the screen shows these per step
    bool is_work;      // rows are of GPU work alone, so that selection.with_backward tells
    bool is_document;  // rows are lines of a text: written without a header
    bool is_timed;     // all of it rests on what COLUMN_TIMED says
    bool
        has_own_steps; // which steps are whole it tells by itself: of all, unless some are asked for
    bool
        is_of_all; // printed it is of all, as the tool's that it stands for, unless steps or what cuts
                   // them is asked for; on the screen it is of the steps chosen, as others are
    // For comparisons (compare.h), each may be NULL: what tells a row from those beside it in any
    // profile (else: the column that names it); of a table, what is asked next of the rows that
    // found none alike, which match where one is left on each side (a row that answers nothing is
    // left out; NULL ends the list); and the column whose rows (of a tree: the outer ones) add up
    // to the GPU busy time of the selection, or to its whole time, idle included.
    struct row_match (*match)(const void *row);
    struct row_match (*const *match_again)(const void *row);
    bool (*is_step)(const void *row); // of a tree: another tool may lack it, or call it otherwise
    bool (*is_unknown)(const void *row); // nothing is known of it: no side is compared with it
    const char *busy, *whole;
    const struct report *stand_in; // is compared instead, where which rows there are depends on
                                   // figures or on numbers that each run has of its own, or where
                                   // it holds the same figures as rows that can be matched
    const char *apart;  // what rows do, so that they do not add up: "nest". Each is compared by
                        // itself, by COLUMN_APART; one to which match() answers nothing is left out
    bool is_steps;      // rows are steps: of each set the first is compared with the first and so
                        // on, by COLUMN_EACH; `stand_in` has those of the set alone
    const char *spread; // column: how much the column `whole` varies from step to step, per GPU
    const char *const *parts; // of a comparison, by column: what its figures are parts of, as the
                              // titles say it, " per step and GPU"; NULL: of none
};

// Whether no cell of it is known where profile.lacks_times.
static inline bool column_is_timed(const struct column *column)
{
    return column->flags & COLUMN_TIMED || column->unit == UNIT_TIME;
}

const struct column *report_column(const struct report *report, const char *key); // NULL: none

// Those that the rows name their columns by: `report`, or rows->report.
static inline const struct report *report_named(const struct report *report,
                                                const struct rows *rows)
{
    return rows->report ? rows->report : report;
}

// Whether it is that report, also as rows name it.
static inline bool report_is(const struct report *report, const struct report *other)
{
    return report->build == other->build && report->compared == other->compared;
}

static inline const void *report_row(const struct report *report, const struct rows *rows, size_t i)
{
    return (const char *)rows->items + i * report->row_size;
}

// An id of a text (NULL: none), apart for each `seed`: for reports whose rows have no better one.
uint64_t text_id(uint64_t seed, const char *text);

struct sort_key {
    uint16_t column;
    bool descending;
};

// Row numbers sorted by the first key, then by the others, ties in the report's own order. What is
// unknown comes last, whichever way round.
uint32_t *report_sort(const struct report *report, const struct rows *rows,
                      const struct sort_key *keys, unsigned key_count, struct arena *arena);
// The same in two steps, for who sorts the same rows more than once: the place of each row in the
// order of a column, equal values in the same one; ...
struct report_ranks {
    uint32_t *of_row;
    uint32_t *below;  // by place: how many rows have one below it
    uint32_t *row_of; // by place: one of its rows
    uint32_t unknown; // the place of all rows of unknown value, above the others; may have none
};
struct report_ranks report_ranks_new(size_t rows, struct arena *arena); // with room for so many
// Fills them.
void report_rank(const struct report *report, const struct rows *rows, unsigned column,
                 struct report_ranks *ranks, struct arena *scratch);
// ... and all `count` row numbers, in whatever order they come, sorted by it into `to`; ties stay as
// they are. `next` has room for two numbers more than that; none of them overlap.
void report_sort_ranked(const struct report_ranks *ranks, size_t count, bool descending,
                        const uint32_t *from, uint32_t *to, uint32_t *next);

// Row numbers in the report's first order on screen (`sort`), ties in its own order. NULL: its own
// order stands (also for trees).
uint32_t *report_order(const struct report *report, const struct rows *rows, struct arena *arena);

// Why there is nothing where profile.lacks_times.
extern const char report_lacks_times[];

// What build() makes, less what no file tells: who asks for rows asks here.
struct rows report_rows(const struct report *report, const struct profile *profile,
                        const struct selection *selection, struct arena *arena);

// The same so that running out of memory is an error.
bool report_build(const struct report *report, const struct profile *profile,
                  const struct selection *selection, struct arena *arena, struct rows *rows,
                  struct error *error);

#endif
