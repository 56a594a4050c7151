// SPDX-License-Identifier: Apache-2.0
// Determines which rows of a table pass its filter and match its search.
//
// Terms: A filter consists of terms; a row passes if all terms hold for it. Term t of the filter
// and the search (t == SEARCHED) are handled alike. Four methods avoid evaluating each row:
// - parts: threads process ranges of rows (table_parts()), each with its own `row_matching`;
// - kinds: rows with equal texts are of one kind, which is matched once (table_texts.h);
// - memo: the result of a pattern is remembered per text, for rows without kinds;
// - ranks: a comparison of numbers becomes a range of ranks in the sorted column.
#include <limits.h>
#include <string.h>

#include "analysis/report/stats.h"
#include "analysis/report/value.h"
#include "base/parallel.h"
#include "base/text/format.h"
#include "ui/table/table.h"
#include "ui/table/table_compare.h"
#include "ui/table/table_texts.h"

// Remembers pattern results per text pointer: many rows share the same name pointer.
struct match_memo {
    const char **texts;
    uint8_t *answers;
    size_t capacity;
};

static bool memo_match(struct match_memo *memo, const struct pattern *pattern, const char *text)
{
    size_t slot =
        (size_t)((uintptr_t)text * UINT64_C(0x9e3779b97f4a7c15) >> 24) & (memo->capacity - 1);
    if (memo->texts[slot] != text) {
        memo->texts[slot] = text;
        memo->answers[slot] = pattern_match(pattern, text, strlen(text));
    }
    return memo->answers[slot] != 0;
}

static struct match_memo memo_new(struct arena *arena, size_t rows)
{
    size_t capacity = 64;
    while (capacity < rows && capacity < 8192) // fits into the cache of a core
        capacity *= 2;
    return (struct match_memo){ARENA_ARRAY(arena, const char *, capacity),
                               ARENA_ARRAY(arena, uint8_t, capacity), capacity};
}

// ANY_TEXT and PICKED replace the column of a term: it applies to all texts of the row, or it names
// a set of rows picked from marks ("marked:1"). SEARCHED is the number of the search, used like a
// term.
enum { ANY_TEXT = -1, PICKED = -2, SEARCHED = MAX_FILTER_TERMS };

struct rank_range {         // rows for which a comparison holds, as ranks of its column
    const uint32_t *of_row; // rank of each row; NULL: ranks are not known
    uint32_t from, to;      // it does not hold outside of ranks from .. to - 1
    bool *answers;          // whether it holds, per rank in the range; NULL: for all of them
};

struct row_matching { // state for matching one part of the rows; arrays are indexed by term
    const struct table *table;
    const uint16_t *kind;               // kind of each row; used where `answers` is not NULL
    int columns[MAX_FILTER_TERMS];      // column of the term, ANY_TEXT or PICKED
    bool is_deferred[MAX_FILTER_TERMS]; // compares a share of the rows that pass the other terms
    bool covers_subtree
        [MAX_FILTER_TERMS]; // in trees: if it holds for a row, it holds for all rows below
    unsigned matched_depth
        [MAX_FILTER_TERMS]; // depth of the row that such a term matched; UINT_MAX: none
    struct match_memo memos[MAX_FILTER_TERMS + 1];
    bool *answers[MAX_FILTER_TERMS + 1]; // result per kind; NULL: match each row
    struct filter_comparison comparisons[MAX_FILTER_TERMS];
    struct rank_range rank_ranges[MAX_FILTER_TERMS]; // used instead of values if known
};

// ---- texts -------------------------------------------------------------------------------------

// True if any text of the row matches. In a tree only name columns count, so that text inherited
// from ancestors matches only if its column is named.
static bool text_matches(struct row_matching *matching, size_t t, const struct pattern *pattern,
                         uint32_t row)
{
    const struct report *report = matching->table->report;
    if (matching->answers[t])
        return matching->answers[t][matching->kind[row]];
    const void *data = report_row(report, &matching->table->rows, row);
    for (size_t i = 0; i < report->column_count; i++) {
        const struct column *column = &report->columns[i];
        if (column->unit != UNIT_TEXT || (report->depth && !(column->flags & COLUMN_NAME)))
            continue;
        struct value value = column->get(data);
        if (value.kind == VALUE_TEXT && memo_match(&matching->memos[t], pattern, value.text))
            return true;
    }
    return false;
}

// ---- terms -------------------------------------------------------------------------------------

static bool value_matches(struct row_matching *matching, size_t t, struct value value)
{
    const struct table *table = matching->table;
    const struct filter_term *term = &table->filter.terms[t];
    const struct column *column = &table->report->columns[matching->columns[t]];
    char out[FORMAT_SIZE];
    const char *text = "";
    if (term->operator!= FILTER_MATCH)
        return comparison_holds(&matching->comparisons[t], value, table->derived);
    switch (value.kind) {
    case VALUE_TEXT:
        return memo_match(&matching->memos[t], term->pattern, value.text);
    case VALUE_STATE:
        text = state_text(column, (enum tristate)value.integer);
        break;
    case VALUE_NONE:
        text = "-";
        break;
    case VALUE_INTEGER:
        snprintf(out, sizeof out, "%lld", (long long)value.integer);
        text = out;
        break;
    case VALUE_REAL:
        snprintf(out, sizeof out, "%g", value.real);
        text = out;
        break;
    }
    return pattern_match(term->pattern, text, strlen(text));
}

static struct value value_of(const struct row_matching *matching, size_t t, uint32_t row)
{
    const struct table *table = matching->table;
    return table_value(table, (unsigned)matching->columns[t],
                       report_row(table->report, &table->rows, row));
}

static bool rank_holds(const struct rank_range *range, uint32_t rank)
{
    return rank >= range->from && rank < range->to &&
           (!range->answers || range->answers[rank - range->from]);
}

static bool term_holds(struct row_matching *matching, size_t t, uint32_t row)
{
    const struct table *table = matching->table;
    const struct filter_term *term = &table->filter.terms[t];
    if (matching->rank_ranges[t].of_row)
        return rank_holds(&matching->rank_ranges[t], matching->rank_ranges[t].of_row[row]);
    if (matching->answers[t])
        return matching->answers[t][matching->kind[row]];
    switch (matching->columns[t]) {
    case PICKED:
        return id_set_has(&table->picks[filter_pick_number(term) - 1], table_row_id(table, row));
    case ANY_TEXT:
        return text_matches(matching, t, term->pattern, row);
    default: // compares displayed values, that is, per step if so shown
        return value_matches(matching, t, value_of(matching, t, row));
    }
}

// Evaluates a term that covers subtrees. Rows must be passed in pre-order, so that the rows below a
// match follow it. Sets `*follows_parent` if the row is kept because a row above it matches.
static bool subtree_term_holds(struct row_matching *matching, size_t t, uint32_t row,
                               bool *follows_parent)
{
    const struct table *table = matching->table;
    unsigned depth = table->report->depth(report_row(table->report, &table->rows, row));
    if (depth <= matching->matched_depth[t])
        matching->matched_depth[t] = UINT_MAX;
    if (matching->matched_depth[t] != UINT_MAX) {
        *follows_parent |= !table->filter.terms[t].inverse;
        return true;
    }
    if (!term_holds(matching, t, row))
        return false;
    matching->matched_depth[t] = depth;
    return true;
}

// Returns true if all terms hold that are (`deferred`) or are not deferred.
static bool row_is_kept(struct row_matching *matching, uint32_t row, bool deferred,
                        bool *follows_parent)
{
    const struct table *table = matching->table;
    bool is_kept = true;
    for (size_t t = 0; t < table->filter.count; t++) {
        const struct filter_term *term = &table->filter.terms[t];
        if (matching->is_deferred[t] != deferred || (!is_kept && !matching->covers_subtree[t]))
            continue;
        bool holds = matching->covers_subtree[t]
                         ? subtree_term_holds(matching, t, row, follows_parent)
                         : term_holds(matching, t, row);
        is_kept &= holds != term->inverse;
    }
    return is_kept;
}

static struct row_matching matching_make(struct table *table)
{
    struct row_matching matching = {.table = table};
    for (size_t t = 0; t < table->filter.count; t++) {
        const struct filter_term *term = &table->filter.terms[t];
        int column = term->column ? table_find_column(table, term->column) : ANY_TEXT;
        matching.columns[t] = filter_pick_number(term) ? PICKED : column;
        matching.covers_subtree[t] =
            table->report->depth &&
            (filter_pick_number(term) ||
             (term->inverse &&
              (column == ANY_TEXT || table->report->columns[column].flags & COLUMN_NAME)));
        matching.matched_depth[t] = UINT_MAX;
        matching.is_deferred[t] = column >= 0 && table->share == SHARE_SHOWN &&
                                  table->report->columns[column].flags & COLUMN_SHARE;
        if (column < 0 || term->operator== FILTER_MATCH)
            continue;
        const struct column *compared = &table->report->columns[column];
        matching.comparisons[t] = comparison_make(compared, term, table->derived);
    }
    return matching;
}

// ---- numbers ------------------------------------------------------------------------------------

// Returns the first rank whose value is at least `bound`, or with `is_above` greater than
// `bound`.
static uint32_t rank_lower_bound(const struct row_matching *matching, size_t t,
                                 const struct sort_places *ranks, double bound, bool is_above)
{
    uint32_t from = 0, to = ranks->unknown;
    while (from < to) {
        uint32_t rank = from + (to - from) / 2;
        double x = value_number(value_of(matching, t, ranks->row_of[rank]));
        if (is_above ? x > bound : x >= bound)
            to = rank;
        else
            from = rank + 1;
    }
    return from;
}

// Converts a comparison to a range of ranks, so that no row has to be evaluated. This is possible
// because the rows for which it holds have consecutive ranks. Figures per step have the same order
// as totals, because all totals are divided by the same number.
static struct rank_range rank_range_find(struct row_matching *matching, size_t t,
                                         const struct sort_places *ranks)
{
    struct value_bounds bounds = comparison_bounds(&matching->comparisons[t]);
    struct rank_range range = {.of_row = ranks->of_row,
                               .from = rank_lower_bound(matching, t, ranks, bounds.least, false),
                               .to = rank_lower_bound(matching, t, ranks, bounds.most, true)};
    if (value_matches(matching, t, value_none())) { // it holds for rows without a value
        range.from = ranks->unknown;
        range.to = range.from + 1;
    } else if (!bounds.is_all && range.from < range.to) {
        range.answers = ARENA_ARRAY(matching->table->derived, bool, range.to - range.from);
        for (uint32_t rank = range.from; rank < range.to; rank++)
            range.answers[rank - range.from] =
                value_matches(matching, t, value_of(matching, t, ranks->row_of[rank]));
    }
    return range;
}

// Only for large tables. At most MAX_RANKED_COLUMNS terms use ranks, because further columns would
// evict the ranks of the first ones; the remaining terms evaluate rows.
static void comparisons_use_ranks(struct row_matching *matching, struct table *table)
{
    size_t ranked = 0;
    for (size_t t = 0; t < table->filter.count && table_parts(table) > 1; t++) {
        const struct column *column = matching->comparisons[t].column;
        if (!column || !unit_is_number(column->unit) || column->flags & COLUMN_SHARE ||
            ranked++ >= MAX_RANKED_COLUMNS)
            continue;
        const struct sort_places *ranks = table_ranks(table, (unsigned)matching->columns[t]);
        if (ranks)
            matching->rank_ranges[t] = rank_range_find(matching, t, ranks);
    }
}

// Computes the sums that shares are divided by. Rows below a counted row are not added, because its
// value includes theirs.
static void sums_make(struct table *table)
{
    const struct report *report = table->report;
    unsigned counted_depth = UINT_MAX;
    table->outer_sum = table->shown_sum = 0;
    for (size_t row = 0; table->share != SHARE_OWN && row < table->rows.count; row++) {
        const void *data = report_row(report, &table->rows, row);
        unsigned depth = report->depth ? report->depth(data) : 0;
        if (depth == 0)
            sum_add(&table->outer_sum, table_share_part(table, data));
        if (!report->depth || depth <= counted_depth)
            counted_depth = UINT_MAX;
        if (counted_depth != UINT_MAX || !(table->state[row] & ROW_KEPT))
            continue;
        counted_depth = report->depth ? depth : UINT_MAX;
        sum_add(&table->shown_sum, table_share_part(table, data));
    }
}

// Evaluates the terms on SHARE_SHOWN: after all others, because shown_sum must be known.
static void match_deferred(struct table *table, struct row_matching *matching)
{
    bool has_deferred = false, follows_parent = false;
    for (size_t t = 0; t < table->filter.count; t++)
        has_deferred |= matching->is_deferred[t];
    uint8_t *passes =
        has_deferred ? ARENA_ARRAY(table->derived, uint8_t, table->rows.count + 1) : NULL;
    for (uint32_t row = 0; has_deferred && row < table->rows.count; row++)
        passes[row] = row_is_kept(matching, row, true, &follows_parent);
    for (size_t row = 0; has_deferred && row < table->rows.count; row++)
        if (!passes[row])
            table->state[row] &= (uint8_t)~ROW_KEPT;
}

// ---- kinds of rows -----------------------------------------------------------------------------

// Matches a term, or the search if t is SEARCHED, against the texts of a kind.
static bool kind_matches(struct row_matching *matching, const struct table_texts *texts,
                         const char *const *kind_texts, size_t t)
{
    const struct table *table = matching->table;
    const struct pattern *pattern = t == SEARCHED ? table->search : table->filter.terms[t].pattern;
    int column = t == SEARCHED ? ANY_TEXT : matching->columns[t];
    bool is_match = false;
    for (size_t i = 0; i < texts->columns && !is_match; i++) {
        if (column == ANY_TEXT)
            is_match = kind_texts[i] && memo_match(&matching->memos[t], pattern, kind_texts[i]);
        else if (column == texts->column[i])
            is_match = value_matches(matching, t, value_text(kind_texts[i]));
    }
    return is_match;
}

static bool is_text_term(const struct row_matching *matching, size_t t)
{
    int column = t == SEARCHED ? ANY_TEXT : matching->columns[t];
    return column == ANY_TEXT ||
           (column >= 0 && matching->table->report->columns[column].unit == UNIT_TEXT);
}

// Fills part->answers[t]: the result for each kind of part p. `all` has the memos of part 0.
static void kinds_match(struct row_matching *part, struct row_matching *all,
                        const struct table_texts *texts, size_t p, size_t t)
{
    const struct text_part *kind_texts = &texts->parts[p];
    part->kind = texts->kind;
    part->answers[t] = ARENA_ARRAY(part->table->derived, bool, kind_texts->kinds);
    for (size_t kind = 0; kind < kind_texts->kinds; kind++)
        part->answers[t][kind] =
            kind_matches(all, texts, kind_texts->texts + kind * texts->columns, t);
}

// ---- rows --------------------------------------------------------------------------------------

struct row_match_run {
    struct table *table;
    bool only_omits; // all terms omit rows (`!`), so no row has to be unfolded to show a match
    size_t count;    // number of parts
    struct row_matching *parts;
};

static void match_part(void *context, size_t p)
{
    const struct row_match_run *run = context;
    struct table *table = run->table;
    struct row_matching *matching = &run->parts[p];
    size_t end = table->rows.count * (p + 1) / run->count;
    for (size_t i = table->rows.count * p / run->count; i < end; i++) {
        uint32_t row = (uint32_t)i;
        bool follows_parent = run->only_omits;
        if (row_is_kept(matching, row, false, &follows_parent))
            table->state[row] |= ROW_KEPT;
        // A row that is kept with its parent does not require the parent to be unfolded.
        uint32_t up = follows_parent && table->parent ? table->parent[row] : UINT32_MAX;
        if (up != UINT32_MAX && table->state[up] & ROW_KEPT)
            table->state[row] |= ROW_KEPT_WITH_PARENT;
        if (table->search && text_matches(matching, SEARCHED, table->search, row))
            table->state[row] |= ROW_FOUND;
    }
}

// Terms that format a text per row allocate from the arena, so they run on one thread.
static bool formats_texts(const struct row_matching *matching)
{
    const struct filter *filter = &matching->table->filter;
    bool formats = false;
    for (size_t t = 0; t < filter->count; t++) {
        const struct filter_term *term = &filter->terms[t];
        formats |= term->operator==
                   FILTER_EQUAL && !matching->answers[t] && !matching->rank_ranges[t]
                       .of_row;
    }
    return formats;
}

static bool is_used(const struct table *table, size_t t)
{
    return t == SEARCHED ? table->search != NULL : t < table->filter.count;
}

// Returns true if a term, or the search, matches texts by a pattern.
static bool needs_memo(const struct table *table, size_t t)
{
    return t == SEARCHED ? table->search != NULL
                         : t < table->filter.count && table->filter.terms[t].pattern;
}

static struct row_match_run run_make(struct table *table)
{
    struct arena *arena = table->derived;
    struct row_match_run run = {.table = table, .only_omits = true, .count = table_parts(table)};
    struct row_matching all = matching_make(table);
    comparisons_use_ranks(&all, table);
    bool is_text = false;
    for (size_t t = 0; t <= SEARCHED; t++)
        is_text |= is_used(table, t) && is_text_term(&all, t);
    const struct table_texts *texts = is_text ? table_texts(table) : NULL;
    for (size_t t = 0; t <= SEARCHED; t++)
        if (needs_memo(table, t))
            all.memos[t] = memo_new(arena, table->rows.count);
    for (size_t t = 0; t < table->filter.count; t++)
        run.only_omits &= table->filter.terms[t].inverse;
    run.parts = ARENA_ARRAY(arena, struct row_matching, run.count);
    for (size_t p = 0; p < run.count; p++) {
        struct row_matching *part = &run.parts[p];
        *part = all;
        for (size_t t = 0; t <= SEARCHED; t++) {
            if (texts && texts->parts[p].kinds && is_used(table, t) && is_text_term(&all, t))
                kinds_match(part, &all, texts, p, t);
            else if (p > 0 && needs_memo(table, t))
                part->memos[t] = memo_new(arena, table->rows.count / run.count + 1);
        }
    }
    return run;
}

void table_match(struct table *table)
{
    table->state = ARENA_ARRAY(table->derived, uint8_t, table->rows.count + 1);
    struct row_match_run run = run_make(table);
    bool is_serial = run.count == 1;
    for (size_t p = 0; p < run.count; p++)
        is_serial |= formats_texts(&run.parts[p]);
    parallel_run(is_serial ? 1 : parallel_cores(), run.count, match_part, &run);
    sums_make(table);
    match_deferred(table, &run.parts[0]);
}
