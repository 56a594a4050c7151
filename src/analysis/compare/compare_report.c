// SPDX-License-Identifier: Apache-2.0
// Presents a comparison as a report. Its columns are derived from those of the compared report.
#include <math.h>
#include <string.h>

#include "analysis/compare/compare_rows.h"
#include "analysis/reports/report_list.h"

// ---- choice of columns --------------------------------------------------------------------------

static void column_add(struct compare_layout *layout, const struct column *base,
                       enum compare_face face, int sum)
{
    if (layout->count < COMPARE_COLUMNS)
        layout->columns[layout->count++] = (struct compare_column){base, face, sum, -1};
}

static void change_add(struct compare_layout *layout, const struct column *base)
{
    if (layout->count < COMPARE_COLUMNS)
        layout->columns[layout->count++] =
            (struct compare_column){base, FACE_CHANGE, -1, (int)layout->change_count++};
}

static void sum_add_columns(struct compare_layout *layout, int sum, enum compare_face from,
                            enum compare_face to)
{
    for (enum compare_face face = from; face <= to; face++)
        column_add(layout, layout->sums[sum], face, sum);
}

static bool is_number(const struct column *column)
{
    return column->unit != UNIT_TEXT && column->unit != UNIT_ID && column->unit != UNIT_TIME;
}

// Returns true if a column is shown once for each side: figures, and texts that may differ between
// matched rows.
static bool has_sides(const struct report *report, const struct column *column)
{
    return (is_number(column) && !(column->flags & COLUMN_SAID)) ||
           ((report->fallback_matches || report->is_steps) &&
            column->flags & (COLUMN_NAME | COLUMN_IDENTIFIES));
}

// Returns true for the main sum: the one that adds up to the step (report.whole or report.busy),
// else the one with bars.
static bool is_main_sum(const struct report *report, const struct column *column)
{
    const char *key = report->whole ? report->whole : report->busy;
    return key ? strcmp(column->key, key) == 0 : (column->flags & COLUMN_BAR) != 0;
}

// Adds the column with the name of the row. Matched steps may differ in number, so both
// numbers are shown.
static void name_add(struct compare_layout *layout, const struct column *base)
{
    if (layout->base->is_steps)
        change_add(layout, base);
    else
        column_add(layout, base, FACE_TEXT, -1);
}

// Returns true if the rows of a column are summed for each side.
static bool is_added_up(const struct column *column)
{
    return (column->flags & (COLUMN_SUM | COLUMN_NOT_ADDITIVE | COLUMN_ONE_STEP)) != 0;
}

bool report_is_comparable(const struct report *report)
{
    size_t c = 0;
    while (c < report->column_count && !is_added_up(&report->columns[c]))
        c++;
    return report->comparison_report || c < report->column_count;
}

const struct report *compare_base(const struct report *report)
{
    while (report->comparison_report)
        report = report->comparison_report;
    return report;
}

void compare_layout_init(struct compare_layout *layout, const struct report *base)
{
    *layout = (struct compare_layout){.base = base};
    for (size_t c = 0; c < base->column_count; c++) {
        const struct column *column = &base->columns[c];
        if (!is_added_up(column) || layout->sum_count == COMPARE_SUMS)
            continue;
        if (is_main_sum(base, column))
            layout->main = (int)layout->sum_count;
        layout->sums[layout->sum_count++] = column;
    }
    // The columns in order: name, main sum, change of the other sums, and the rest.
    for (size_t c = 0; c < base->column_count; c++)
        if (base->columns[c].flags & COLUMN_NAME)
            name_add(layout, &base->columns[c]);
    for (size_t c = 0; c < base->column_count; c++)
        if (base->columns[c].flags & COLUMN_IDENTIFIES)
            change_add(layout, &base->columns[c]);
    sum_add_columns(layout, layout->main, FACE_A, FACE_PERCENT);
    column_add(layout, NULL, FACE_STATUS, -1);
    for (int i = 0; i < (int)layout->sum_count; i++)
        if (i != layout->main)
            column_add(layout, layout->sums[i], FACE_DELTA, i);
    for (size_t c = 0; c < base->column_count; c++)
        if (base->columns[c].unit == UNIT_TEXT &&
            !(base->columns[c].flags & (COLUMN_NAME | COLUMN_IDENTIFIES | COLUMN_SAID)))
            column_add(layout, &base->columns[c], FACE_TEXT, -1);
    column_add(layout, layout->sums[layout->main], FACE_MOVED, layout->main);
    for (int i = 0; i < (int)layout->sum_count; i++) {
        if (i == layout->main)
            continue;
        sum_add_columns(layout, i, FACE_A, FACE_B);
        column_add(layout, layout->sums[i], FACE_PERCENT, i);
    }
    for (size_t c = 0; c < base->column_count; c++) {
        const struct column *column = &base->columns[c];
        if (is_added_up(column) || !has_sides(base, column))
            continue;
        column_add(layout, column, FACE_A, -1);
        if (!(column->flags & COLUMN_NAME) || base->is_steps) // other reports show B's name already
            column_add(layout, column, FACE_B, -1);
    }
}

// ---- cells --------------------------------------------------------------------------------------

static struct value value_of_sum(const struct column *column, double x)
{
    if (isnan(x))
        return value_none();
    return column->unit == UNIT_NS || column->unit == UNIT_BYTES || x == floor(x)
               ? value_integer((int64_t)x)
               : value_real(x);
}

static struct value text_cell(const struct compare_row *row, const struct column *column)
{
    int side = row->side[SIDE_B] ? SIDE_B : SIDE_A;
    if (row->side[side])
        return compare_value(row->layout, column, side, row->side[side]);
    return column->flags & COLUMN_NAME ? value_text(row->name) : value_none();
}

static struct value change_cell(const struct compare_row *row, const struct compare_column *column)
{
    const char *change = row->changes ? row->changes[column->change] : NULL;
    return change ? value_text(change) : text_cell(row, column->base);
}

static struct value side_cell(const struct compare_row *row, const struct compare_column *column,
                              int side)
{
    if (column->sum >= 0)
        return value_of_sum(column->base, row->sums[column->sum * SIDES + side]);
    return row->side[side] ? compare_value(row->layout, column->base, side, row->side[side])
                           : value_none();
}

static struct value percent_cell(const struct compare_row *row, int sum)
{
    double a = row->sums[sum * SIDES + SIDE_A], b = row->sums[sum * SIDES + SIDE_B];
    double delta = compare_delta(row, sum);
    bool is_defined = a > 0 && b >= 0; // time across step edges may be negative
    return is_defined ? value_real(delta / a) : value_none();
}

static struct value cell(const void *data, size_t at)
{
    static const char *const status_texts[] = {
        [STATUS_NEW] = "new",         [STATUS_GONE] = "gone",         [STATUS_NOISE] = "noise",
        [STATUS_RENAMED] = "renamed", [STATUS_RESHAPED] = "reshaped", [STATUS_UNKNOWN] = "unknown",
    };
    const struct compare_row *row = data;
    const struct compare_column *column = &row->layout->columns[at];
    switch (column->face) {
    case FACE_TEXT:
        return text_cell(row, column->base);
    case FACE_CHANGE:
        return change_cell(row, column);
    case FACE_A:
        return side_cell(row, column, SIDE_A);
    case FACE_B:
        return side_cell(row, column, SIDE_B);
    case FACE_DELTA:
        return value_of_sum(column->base, compare_delta(row, column->sum));
    case FACE_PERCENT:
        return percent_cell(row, column->sum);
    case FACE_MOVED:
        return value_of_sum(column->base, fabs(compare_delta(row, column->sum)));
    case FACE_STATUS:
        break;
    }
    return value_text(status_texts[row->what]);
}

// column.get() receives a row but no column, so each column needs a function of its own: get_10()
// for the first, get_11() for the second and so on. The numbers begin at 10, since the macros
// append a digit to the tens, and 08 would be no valid number.
#define TEN(X, tens) \
    X(tens##0)       \
    X(tens##1)       \
    X(tens##2) X(tens##3) X(tens##4) X(tens##5) X(tens##6) X(tens##7) X(tens##8) X(tens##9)
#define CELLS(X) \
    TEN(X, 1)    \
    TEN(X, 2)    \
    TEN(X, 3)    \
    TEN(X, 4)    \
    TEN(X, 5) TEN(X, 6) TEN(X, 7) TEN(X, 8) TEN(X, 9) TEN(X, 10) TEN(X, 11) TEN(X, 12) TEN(X, 13)
#define CELL_GETTER(n)                           \
    static struct value get_##n(const void *row) \
    {                                            \
        return cell(row, n - 10);                \
    }
#define CELL_ENTRY(n) get_##n,
CELLS(CELL_GETTER)
static struct value (*const getters[COMPARE_COLUMNS])(const void *row) = {CELLS(CELL_ENTRY)};

// ---- titles and docs of columns -----------------------------------------------------------------

struct face_words {
    const char *key, *title, *head, *main_head, *doc;
};
static const struct face_words face_words[] = {
    [FACE_A] = {"a", "A", "A", "A", "Before, side A."},
    [FACE_B] = {"b", "B", "B", "B", "After, side B: what is looked at."},
    [FACE_DELTA] = {"delta", "B - A", "+-", "B-A",
                    "Side B minus side A; what is new or gone counts as 0 on the other side."},
    [FACE_PERCENT] = {"percent", "B - A (%)", "+-%", "%", "B - A as a share of A."},
    [FACE_MOVED] = {"moved", "Moved by", "moved", "moved", "B - A without its sign."},
};

// Returns the words for the divisor of a column's sums, such as " per step and GPU".
static const char *divisor_text(const struct column *base, const char *unit, struct arena *arena)
{
    const char *device_or_process = base->flags & COLUMN_HOST ? "process" : "GPU";
    if (base->flags & COLUMN_ONE_STEP)
        return base->flags & COLUMN_ALL_GPUS ? " per GPU" : "";
    if ((base->flags & (COLUMN_NOT_ADDITIVE | COLUMN_HOST | COLUMN_ALL_GPUS)) ==
        COLUMN_NOT_ADDITIVE)
        return unit ? arena_format(arena, " per %s", unit) : "";
    return unit ? arena_format(arena, " per %s and %s", unit, device_or_process)
                : arena_format(arena, " per %s", device_or_process);
}

const char *compare_parts_text(const struct report *report, const char *unit, struct arena *arena)
{
    const char *one = unit ? unit : "capture";
    report = compare_base(report);
    if (report->is_steps)
        return arena_format(arena, "%s by %s", one, one);
    struct compare_layout layout;
    compare_layout_init(&layout, report);
    if (layout.sum_count == 0)
        return arena_format(arena, "per %s", one);
    const struct column *column = layout.sums[layout.main];
    const char *words = divisor_text(column, unit, arena);
    bool is_time = column->unit == UNIT_NS && !strstr(column->head, "time");
    return arena_format(arena, "%s%s%s", column->head, is_time ? " time" : "",
                        *words ? words : arena_format(arena, " per %s", one));
}

static const char *column_divisor_text(const struct compare_column *derived, const char *unit,
                                       struct arena *arena)
{
    return derived->sum >= 0 ? divisor_text(derived->base, unit, arena) : "";
}

static unsigned face_flags(const struct compare_layout *layout,
                           const struct compare_column *derived)
{
    bool is_main = derived->sum == layout->main;
    bool is_delta = derived->face == FACE_DELTA || derived->face == FACE_PERCENT;
    unsigned flags = is_delta ? COLUMN_SIGNED : 0;
    if (derived->face == FACE_TEXT)
        return derived->base->flags & COLUMN_NAME ? COLUMN_NAME : COLUMN_DETAIL;
    if (derived->face == FACE_CHANGE)
        return derived->base->flags & (COLUMN_NAME | COLUMN_WIDE | COLUMN_DETAIL);
    if (derived->face == FACE_MOVED) // a tree unfolds the rows with the longest bars
        return COLUMN_DETAIL | COLUMN_BAR;
    if ((!is_main && derived->face != FACE_DELTA))
        return flags | COLUMN_DETAIL;
    if (!is_main && derived->base->flags & COLUMN_DETAIL)
        return flags | COLUMN_DETAIL;
    return flags | (is_main ? 0 : derived->base->flags & COLUMN_WIDE);
}

static struct column column_make(const struct compare_layout *layout, size_t at, const char *unit,
                                 struct arena *arena)
{
    const struct compare_column *derived = &layout->columns[at];
    const struct column *base = derived->base;
    if (derived->face == FACE_STATUS)
        return (struct column){
            .key = "what",
            .title = "What",
            .head = "what",
            .unit = UNIT_TEXT,
            .get = getters[at],
            .doc = arena_format(
                arena,
                "new: not on side A. gone: not on side B. noise: it differs by no more than it "
                "varies from %s to %s, the MAD of A plus that of B.%s",
                unit ? unit : "step", unit ? unit : "step",
                layout->base->is_step             ? " renamed: a step that side A calls otherwise."
                : !layout->base->fallback_matches ? ""
                : layout->base->apart             ? " renamed: under another name on side A."
                                      : " renamed, reshaped: under another name, of another "
                                        "launch shape on side A."),
            .flags = COLUMN_MARK,
        };
    struct column column = *base;
    column.get = getters[at];
    column.flags = face_flags(layout, derived);
    if (derived->face == FACE_CHANGE)
        column.doc = arena_format(arena, "%s Where it differs: before -> after.", base->doc);
    if (derived->face == FACE_CHANGE)
        column.unit = UNIT_TEXT;
    if (derived->face == FACE_TEXT || derived->face == FACE_CHANGE)
        return column;
    const struct face_words *words = &face_words[derived->face];
    bool is_main = derived->sum == layout->main;
    const char *parts = column_divisor_text(derived, unit, arena);
    column.key = arena_format(arena, "%s_%s", base->key, words->key);
    // A or B comes first, since narrow panes cut the end.
    column.title = arena_format(arena, "%s: %s%s", words->title, base->title, parts);
    column.head =
        is_main ? words->main_head : arena_format(arena, "%s %s", base->head, words->head);
    const char *unit_note = derived->sum >= 0 && unit && !layout->base->is_steps
                                ? arena_format(arena, " Of one %s.", unit)
                                : "";
    column.doc = arena_format(arena, "%s %s%s", base->doc, words->doc, unit_note);
    if (derived->face == FACE_PERCENT)
        column.unit = UNIT_PERCENT;
    return column;
}

// ---- the report ---------------------------------------------------------------------------------

const void *compare_row_side(const void *row, int side)
{
    return ((const struct compare_row *)row)->side[side];
}

static uint64_t row_id(const void *row)
{
    return ((const struct compare_row *)row)->id;
}

static unsigned row_depth(const void *row)
{
    return ((const struct compare_row *)row)->depth;
}

static bool row_has_children(const void *row)
{
    return ((const struct compare_row *)row)->has_children;
}

// Narrows the selection to the row of side B. Returns NULL for a row that is gone.
static const char *row_narrow(const struct profile *profile, const void *data,
                              struct selection *selection)
{
    const struct compare_row *row = data;
    return row->side[SIDE_B] ? row->layout->base->narrow(profile, row->side[SIDE_B], selection)
                             : NULL;
}

const struct report *compare_report(const struct report *base, const char *unit,
                                    struct arena *arena)
{
    if (!report_is_comparable(base))
        return NULL;
    base = compare_base(base);
    struct compare_layout layout;
    compare_layout_init(&layout, base);
    struct column *columns = ARENA_ARRAY(arena, struct column, layout.count);
    const char **parts = ARENA_ARRAY(arena, const char *, layout.count);
    for (size_t c = 0; c < layout.count; c++) {
        columns[c] = column_make(&layout, c, unit, arena);
        parts[c] = column_divisor_text(&layout.columns[c], unit, arena);
    }
    struct report *report = ARENA_NEW(arena, struct report);
    *report = (struct report){
        .name = base->name,
        .title = arena_format(arena, "%s, compared", base->title),
        .doc = base->apart
                   ? arena_format(arena,
                                  "%s Compared row by row: rows %s, so that neither they nor "
                                  "their differences add up.",
                                  base->doc, base->apart)
                   : base->doc,
        .row_size = sizeof(struct compare_row),
        .column_count = layout.count,
        .columns = columns,
        .id = row_id,
        .depth = base->depth ? row_depth : NULL,
        .has_children = base->depth ? row_has_children : NULL,
        .narrow = base->narrow ? row_narrow : NULL,
        .is_work = base->is_work,
        .apart = base->apart,
        .parts = parts,
        .compared = base,
        .build_compared = compare_rows,
    };
    return report;
}
