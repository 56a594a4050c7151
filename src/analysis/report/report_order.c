// SPDX-License-Identifier: Apache-2.0
// Sorts a report's rows by its columns. The place of a row is its position in the order of a
// column; rows with equal values have the same place. Rows are sorted by places, not by comparing
// values: if a column has few distinct values, only these are sorted.
#include <stdatomic.h>
#include <string.h>

#include "analysis/report/report.h"
#include "base/parallel.h"
#include "base/scratch.h"
#include "base/sort.h"
#include "base/text/text.h"

// ---- values -------------------------------------------------------------------------------------

// Returns a number that grows with the value; for texts their address.
static int64_t value_rank(struct value value)
{
    int64_t rank = value.integer;
    if (value.kind == VALUE_TEXT)
        return (int64_t)(uintptr_t)value.text;
    if (value.kind == VALUE_REAL) {     // for one sign, doubles order like their bits
        double real = value.real + 0.0; // turns -0.0 into 0.0
        memcpy(&rank, &real, sizeof rank);
        rank = rank < 0 ? rank ^ INT64_MAX : rank;
    }
    return rank;
}

// ---- places in the order ------------------------------------------------------------------------

enum {
    MAX_DISTINCT = 8192, // limit of distinct values per part, to fit into a core's cache
    SLOT_BITS = 14,
    SLOTS = 1 << SLOT_BITS, // at least half of the slots are free
};

// The sorted items: rows, or distinct values if there are few.
struct sort_items {
    size_t count;
    int64_t *values; // numbers in the same order as the values
    bool *is_known;
    // number of rows with the value, and one of these rows; NULL: the item is a row
    uint32_t *rows;
    uint32_t *row;
    uint32_t *places; // the result
};

struct column_ranking {
    const struct report *report;
    const struct rows *rows;
    const struct column *column;
    struct sort_places *ranks;
    size_t parts; // number of parts of the rows, for threads
    // up to MAX_DISTINCT values per part if there are few distinct values, else the rows
    struct sort_items items;
    uint16_t *slots;        // per part: index of the value + 1; 0: free
    atomic_uint kinds_seen; // bit set of 1 << enum value_kind
    atomic_bool has_many_values;
    bool as_reals; // both integers and reals occur: integers are compared as reals
};

static void part_rows(const struct column_ranking *ranking, size_t part, size_t *begin, size_t *end)
{
    *begin = ranking->rows->count * part / ranking->parts;
    *end = ranking->rows->count * (part + 1) / ranking->parts;
}

static int64_t row_value(struct column_ranking *ranking, size_t row, bool *is_known,
                         unsigned *kinds_seen)
{
    struct value value = ranking->column->get(report_row(ranking->report, ranking->rows, row));
    *is_known = value.kind != VALUE_NONE;
    *kinds_seen |= 1U << value.kind;
    if (ranking->as_reals && value.kind == VALUE_INTEGER)
        value = value_real((double)value.integer);
    return *is_known ? value_rank(value) : 0;
}

static void read_rows_part(void *context, size_t part)
{
    struct column_ranking *ranking = context;
    size_t row, end;
    unsigned kinds_seen = 0;
    part_rows(ranking, part, &row, &end);
    for (; row < end; row++)
        ranking->items.values[row] =
            row_value(ranking, row, &ranking->items.is_known[row], &kinds_seen);
    atomic_fetch_or(&ranking->kinds_seen, kinds_seen);
}

// Numbers the distinct values of a part in `of_row`. Stops if there are more than MAX_DISTINCT.
static void find_distinct_part(void *context, size_t part)
{
    struct column_ranking *ranking = context;
    struct sort_items *items = &ranking->items;
    uint16_t *slots = ranking->slots + part * SLOTS;
    size_t first = part * MAX_DISTINCT, distinct_count = 0, row, end;
    unsigned kinds_seen = 0;
    bool is_known;
    part_rows(ranking, part, &row, &end);
    for (; row < end; row++) {
        int64_t value = row_value(ranking, row, &is_known, &kinds_seen);
        size_t slot =
            ((uint64_t)value + is_known) * UINT64_C(0x9e3779b97f4a7c15) >> (64 - SLOT_BITS);
        while (slots[slot] && (items->values[first + slots[slot] - 1] != value ||
                               items->is_known[first + slots[slot] - 1] != is_known))
            slot = (slot + 1) & (SLOTS - 1);
        if (!slots[slot] && (distinct_count == MAX_DISTINCT ||
                             atomic_load_explicit(&ranking->has_many_values, memory_order_relaxed)))
            break;
        if (!slots[slot]) {
            items->values[first + distinct_count] = value;
            items->is_known[first + distinct_count] = is_known;
            items->row[first + distinct_count] = (uint32_t)row;
            slots[slot] = (uint16_t)++distinct_count;
        }
        items->rows[first + slots[slot] - 1]++;
        ranking->ranks->of_row[row] = (uint32_t)(first + slots[slot] - 1);
    }
    if (row < end)
        atomic_store(&ranking->has_many_values, true);
    atomic_fetch_or(&ranking->kinds_seen, kinds_seen);
}

static void set_places_part(void *context, size_t part)
{
    struct column_ranking *ranking = context;
    size_t row, end;
    part_rows(ranking, part, &row, &end);
    for (; row < end; row++)
        ranking->ranks->of_row[row] = ranking->items.places[ranking->ranks->of_row[row]];
}

static void run_parts(struct column_ranking *ranking, void (*job)(void *context, size_t part))
{
    parallel_run(ranking->parts > 1 ? parallel_cores() : 1, ranking->parts, job, ranking);
}

static struct sort_items items_new(size_t count, struct arena *scratch)
{
    return (struct sort_items){.count = count,
                               .values = ARENA_ARRAY(scratch, int64_t, count),
                               .is_known = ARENA_ARRAY(scratch, bool, count)};
}

// Texts are identified by their addresses, stored as numbers.
static int compare_texts(const void *context, uint32_t a, uint32_t b)
{
    const int64_t *addresses = context;
    return text_compare_natural((const char *)(uintptr_t)addresses[a],
                                (const char *)(uintptr_t)addresses[b]);
}

// Replaces addresses by places in the order of the texts. Many items share an address, which is
// compared once.
static void rank_texts(const struct sort_items *items, uint32_t *ids, size_t count,
                       struct arena *scratch)
{
    int64_t *addresses = items->values;
    uint32_t *firsts = ARENA_ARRAY(scratch, uint32_t, count); // one item per text
    uint32_t *ranks = ARENA_ARRAY(scratch, uint32_t, items->count);
    size_t texts = 0;
    sort_ids_by_time(ids, count, addresses, NULL, scratch);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || addresses[ids[i]] != addresses[ids[i - 1]])
            firsts[texts++] = ids[i];
    sort_ids(firsts, texts, compare_texts, addresses, scratch);
    for (size_t i = 1; i < texts; i++)
        ranks[firsts[i]] =
            ranks[firsts[i - 1]] + (compare_texts(addresses, firsts[i - 1], firsts[i]) != 0);
    for (size_t i = 1; i < count; i++)
        if (addresses[ids[i]] == addresses[ids[i - 1]])
            ranks[ids[i]] = ranks[ids[i - 1]];
    for (size_t i = 0; i < count; i++)
        addresses[ids[i]] = ranks[ids[i]];
}

// Fills items->places and `ranks`.
static void assign_places(const struct sort_items *items, bool is_text, struct sort_places *ranks,
                          struct arena *scratch)
{
    const int64_t *values = items->values;
    uint32_t *sorted = ARENA_ARRAY(scratch, uint32_t, items->count + 1), place = 0, below = 0;
    size_t known = 0;
    for (size_t i = 0; i < items->count; i++)
        if (items->is_known[i])
            sorted[known++] = (uint32_t)i;
    if (is_text)
        rank_texts(items, sorted, known, scratch);
    sort_ids_by_time(sorted, known, values, NULL, scratch);
    ranks->below[0] = 0;
    for (size_t i = 0; i < known; i++) {
        if (i > 0 && values[sorted[i]] != values[sorted[i - 1]])
            ranks->below[++place] = below;
        items->places[sorted[i]] = place;
        ranks->row_of[place] = items->row ? items->row[sorted[i]] : sorted[i];
        below += items->rows ? items->rows[sorted[i]] : 1;
    }
    ranks->unknown = known ? place + 1 : 0;
    ranks->below[ranks->unknown] = below;
    for (size_t i = 0; i < items->count; i++)
        if (!items->is_known[i])
            items->places[i] = ranks->unknown;
}

static bool has_integers_and_reals(struct column_ranking *ranking)
{
    unsigned number_kinds = 1U << VALUE_INTEGER | 1U << VALUE_REAL;
    return (atomic_load(&ranking->kinds_seen) & number_kinds) == number_kinds;
}

// Returns false if there are too many distinct values, or both integers and reals.
static bool find_distinct_values(struct column_ranking *ranking, struct arena *scratch)
{
    struct sort_items *items = &ranking->items;
    *items = items_new(ranking->parts * MAX_DISTINCT, scratch);
    items->rows = ARENA_ARRAY(scratch, uint32_t, items->count);
    items->row = ARENA_ARRAY(scratch, uint32_t, items->count);
    items->places = ARENA_ARRAY(scratch, uint32_t, items->count);
    ranking->slots = ARENA_ARRAY(scratch, uint16_t, ranking->parts * SLOTS);
    run_parts(ranking, find_distinct_part);
    return !atomic_load(&ranking->has_many_values) && !has_integers_and_reals(ranking);
}

static void read_all_rows(struct column_ranking *ranking, struct arena *scratch)
{
    ranking->items = items_new(ranking->rows->count, scratch);
    ranking->items.places = ranking->ranks->of_row;
    ranking->as_reals = has_integers_and_reals(ranking); // as far as values have been read
    run_parts(ranking, read_rows_part);
    if (!ranking->as_reals && (ranking->as_reals = has_integers_and_reals(ranking)))
        run_parts(ranking, read_rows_part);
}

// A table may have a million rows. They are sorted without comparing pairs, and if there are few
// distinct values, only these are sorted.
static void rank_column(void *context, struct arena *scratch)
{
    struct column_ranking *ranking = context;
    ranking->parts = parallel_parts(ranking->rows->count);
    bool has_few_values = ranking->parts > 1 && find_distinct_values(ranking, scratch);
    if (!has_few_values)
        read_all_rows(ranking, scratch);
    bool is_text = atomic_load(&ranking->kinds_seen) & 1U << VALUE_TEXT;
    assign_places(&ranking->items, is_text, ranking->ranks, scratch);
    if (has_few_values)
        run_parts(ranking, set_places_part);
}

struct sort_places sort_places_new(size_t rows, struct arena *arena)
{
    return (struct sort_places){.of_row = ARENA_ARRAY(arena, uint32_t, rows + 1),
                                .below = ARENA_ARRAY(arena, uint32_t, rows + 2),
                                .row_of = ARENA_ARRAY(arena, uint32_t, rows + 1)};
}

void sort_places_fill(const struct report *report, const struct rows *rows, unsigned column,
                      struct sort_places *ranks, struct arena *scratch)
{
    scratch_run(
        scratch, rank_column,
        &(struct column_ranking){
            .report = report, .rows = rows, .column = &report->columns[column], .ranks = ranks});
}

void report_sort_by_places(const struct sort_places *ranks, size_t count, bool descending,
                           const uint32_t *from, uint32_t *to, uint32_t *next)
{
    const uint32_t *below = ranks->below;
    uint32_t unknown = ranks->unknown, known = below[unknown];
    for (uint32_t place = 0; place < unknown; place++)
        next[place] = descending ? known - below[place + 1] : below[place];
    next[unknown] = known;
    for (size_t i = 0; i < count; i++)
        to[next[ranks->of_row[from[i]]]++] = from[i];
}

uint32_t *report_sort(const struct report *report, const struct rows *rows,
                      const struct sort_key *keys, unsigned key_count, struct arena *arena)
{
    size_t size = rows->count + 2;
    uint32_t *ids = ARENA_ARRAY(arena, uint32_t, size);
    uint32_t *other = NULL, *next = NULL;
    struct sort_places ranks = {0};
    for (size_t i = 0; i < rows->count; i++)
        ids[i] = (uint32_t)i;
    if (key_count > 0) {
        ranks = sort_places_new(rows->count, arena);
        other = ARENA_ARRAY(arena, uint32_t, size);
        next = ARENA_ARRAY(arena, uint32_t, size);
    }
    // from the last key to the first; each sort keeps the order of ties
    for (unsigned k = key_count; k-- > 0;) {
        sort_places_fill(report, rows, keys[k].column, &ranks, arena);
        report_sort_by_places(&ranks, rows->count, keys[k].descending, ids, other, next);
        uint32_t *sorted = other;
        other = ids;
        ids = sorted;
    }
    ARENA_RELEASE(arena, ranks.of_row, rows->count + 1);
    ARENA_RELEASE(arena, ranks.below, size);
    ARENA_RELEASE(arena, ranks.row_of, rows->count + 1);
    ARENA_RELEASE(arena, other, size);
    ARENA_RELEASE(arena, next, size);
    return ids;
}

uint32_t *report_order(const struct report *report, const struct rows *rows, struct arena *arena)
{
    if (!report->sort || report->depth || report->is_dlprof)
        return NULL;
    bool descending = report->sort[0] == '-';
    const struct column *column = report_column(report, report->sort + descending);
    struct sort_key key = {(uint16_t)(column - report->columns), descending};
    return report_sort(report, rows, &key, 1, arena);
}
