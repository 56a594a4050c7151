// SPDX-License-Identifier: Apache-2.0
#include "analysis/report.h"

#include <stdatomic.h>
#include <string.h>

#include "analysis/report_list.h"
#include "base/hash.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "base/text.h"
#include "model/scratch.h"

#define REPORT_ENTRY(name) &report_##name,
const struct report *const reports[] = {REPORT_LIST(REPORT_ENTRY)};
const size_t report_count = sizeof reports / sizeof *reports;

const struct report *report_find(const char *name)
{
    for (size_t i = 0; i < report_count; i++)
        if (strcmp(reports[i]->name, name) == 0)
            return reports[i];
    return NULL;
}

const struct column *report_column(const struct report *report, const char *key)
{
    for (size_t i = 0; i < report->column_count; i++)
        if (strcmp(report->columns[i].key, key) == 0)
            return &report->columns[i];
    return NULL;
}

uint64_t text_id(uint64_t seed, const char *text)
{
    return hash_text(HASH_SEED + seed, text);
}

int value_compare(struct value a, struct value b)
{
    if (a.kind == VALUE_NONE || b.kind == VALUE_NONE)
        return (a.kind != VALUE_NONE) - (b.kind != VALUE_NONE);
    switch (a.kind) {
    case VALUE_TEXT:
        return text_compare_natural(a.text, b.text);
    case VALUE_REAL:
        return (a.real > b.real) - (a.real < b.real);
    default:
        return (a.integer > b.integer) - (a.integer < b.integer);
    }
}

// ---- order --------------------------------------------------------------------------------------

struct ranking {
    const struct report *report;
    const struct rows *rows;
    const struct column *column;
    size_t parts;    // of the rows, which several threads look at
    int64_t *values; // by row, as numbers in the same order
    bool *is_known;
    atomic_bool is_text;
    struct report_ranks *ranks;
};

// Texts are known by their addresses, as numbers.
static int compare_texts(const void *context, uint32_t a, uint32_t b)
{
    const int64_t *addresses = context;
    const char *x = (const char *)(uintptr_t)addresses[a],
               *y = (const char *)(uintptr_t)addresses[b];
    return text_compare_natural(x ? x : "", y ? y : "");
}

// Addresses become places in the order of the texts. Many rows share one: it is compared once.
static void rank_texts(int64_t *addresses, size_t count, struct arena *scratch)
{
    uint32_t *rows = sort_by_time(scratch, addresses, NULL, count);
    uint32_t *firsts = ARENA_ARRAY(scratch, uint32_t, count); // rows, one of each text
    uint32_t *ranks = ARENA_ARRAY(scratch, uint32_t, count);
    size_t texts = 0;
    for (size_t i = 0; i < count; i++)
        if (i == 0 || addresses[rows[i]] != addresses[rows[i - 1]])
            firsts[texts++] = rows[i];
    sort_ids(firsts, texts, compare_texts, addresses, scratch);
    for (size_t i = 1; i < texts; i++)
        ranks[firsts[i]] =
            ranks[firsts[i - 1]] + (compare_texts(addresses, firsts[i - 1], firsts[i]) != 0);
    for (size_t i = 1; i < count; i++)
        if (addresses[rows[i]] == addresses[rows[i - 1]])
            ranks[rows[i]] = ranks[rows[i - 1]];
    for (size_t i = 0; i < count; i++)
        addresses[i] = ranks[i];
}

// A number that grows with the value.
static int64_t value_rank(struct value value)
{
    int64_t rank = value.integer;
    if (value.kind == VALUE_TEXT)
        return (int64_t)(uintptr_t)value.text;
    if (value.kind == VALUE_REAL) {     // numbers of one sign stand in the order of their bits
        double real = value.real + 0.0; // zero has none
        memcpy(&rank, &real, sizeof rank);
        rank = rank < 0 ? rank ^ INT64_MAX : rank;
    }
    return rank;
}

static void rank_part(void *context, size_t part)
{
    struct ranking *ranking = context;
    size_t count = ranking->rows->count, end = count * (part + 1) / ranking->parts;
    bool is_text = false;
    for (size_t i = count * part / ranking->parts; i < end; i++) {
        struct value value = ranking->column->get(report_row(ranking->report, ranking->rows, i));
        ranking->is_known[i] = value.kind != VALUE_NONE;
        is_text |= value.kind == VALUE_TEXT;
        ranking->values[i] = ranking->is_known[i] ? value_rank(value) : 0;
    }
    if (is_text)
        atomic_store(&ranking->is_text, true);
}

// A table has a row for each of a million calls: they are sorted without looking at pairs of them.
static void rank_body(void *context, struct arena *scratch)
{
    enum { PART_ROWS = 1 << 14 };
    struct ranking *ranking = context;
    size_t count = ranking->rows->count, known = 0;
    int64_t *values = ranking->values = ARENA_ARRAY(scratch, int64_t, count);
    bool *is_known = ranking->is_known = ARENA_ARRAY(scratch, bool, count);
    ranking->parts = count / PART_ROWS + 1;
    parallel_run(ranking->parts > 1 ? parallel_cores() : 1, ranking->parts, rank_part, ranking);
    if (atomic_load(&ranking->is_text))
        rank_texts(values, count, scratch);
    uint32_t *sorted = ARENA_ARRAY(scratch, uint32_t, count + 1), rank = 0;
    for (size_t i = 0; i < count; i++)
        if (is_known[i])
            sorted[known++] = (uint32_t)i;
    sort_ids_by_time(sorted, known, values, NULL, scratch);
    struct report_ranks *ranks = ranking->ranks;
    for (size_t i = 0; i < known; i++) {
        bool is_new = i == 0 || values[sorted[i]] != values[sorted[i - 1]];
        rank += is_new && i > 0;
        if (is_new)
            ranks->below[rank] = (uint32_t)i;
        ranks->of_row[sorted[i]] = rank;
    }
    ranks->unknown = known ? rank + 1 : 0;
    ranks->below[ranks->unknown] = (uint32_t)known;
    for (size_t i = 0; i < count; i++)
        if (!is_known[i])
            ranks->of_row[i] = ranks->unknown;
}

void report_rank(const struct report *report, const struct rows *rows, unsigned column,
                 struct report_ranks *ranks, struct arena *scratch)
{
    scratch_run(
        scratch, rank_body,
        &(struct ranking){
            .report = report, .rows = rows, .column = &report->columns[column], .ranks = ranks});
}

void report_sort_ranked(const struct report_ranks *ranks, size_t count, bool descending,
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
    struct report_ranks ranks = {0};
    for (size_t i = 0; i < rows->count; i++)
        ids[i] = (uint32_t)i;
    if (key_count > 0) {
        ranks.of_row = ARENA_ARRAY(arena, uint32_t, size);
        ranks.below = ARENA_ARRAY(arena, uint32_t, size);
        other = ARENA_ARRAY(arena, uint32_t, size);
        next = ARENA_ARRAY(arena, uint32_t, size);
    }
    for (unsigned k = key_count; k-- > 0;) { // the last first: each sort keeps the order of ties
        report_rank(report, rows, keys[k].column, &ranks, arena);
        report_sort_ranked(&ranks, rows->count, keys[k].descending, ids, other, next);
        uint32_t *sorted = other;
        other = ids;
        ids = sorted;
    }
    ARENA_RELEASE(arena, ranks.of_row, size);
    ARENA_RELEASE(arena, ranks.below, size);
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

struct row_match row_match_any(const void *row)
{
    (void)row;
    return (struct row_match){{""}};
}

// ---- what no file tells -------------------------------------------------------------------------

const char report_lacks_times[] =
    "Not known: PyProf's parser keeps how long kernels ran, and neither when nor copies nor what "
    "the host did. The profile that it read, of nvprof or nsys, has all of it.";

static struct value get_untold(const void *row)
{
    (void)row;
    return value_none();
}

static const struct report *report_untold(const struct report *report, struct arena *arena)
{
    struct report *untold = ARENA_NEW(arena, struct report);
    struct column *columns = ARENA_ARRAY(arena, struct column, report->column_count);
    for (size_t c = 0; c < report->column_count; c++) {
        columns[c] = report->columns[c];
        if (column_is_timed(&columns[c]))
            columns[c].get = get_untold;
    }
    *untold = *report;
    untold->columns = columns;
    return untold;
}

struct rows report_rows(const struct report *report, const struct profile *profile,
                        const struct selection *selection, struct arena *arena)
{
    if (profile->lacks_times && report->is_timed)
        return (struct rows){.empty = report_lacks_times};
    struct rows rows = report->build(profile, selection, arena);
    if (profile->lacks_times)
        rows.report = report_untold(report_named(report, &rows), arena);
    return rows;
}

struct build_call {
    const struct report *report;
    const struct profile *profile;
    const struct selection *selection;
    struct arena *arena;
    struct rows *rows;
};

static bool build_body(void *context, struct error *error)
{
    (void)error;
    struct build_call *call = context;
    bool has_ops = call->profile->mode != MODE_SIMPLE || !call->report->is_of_ops;
    *call->rows = has_ops ? report_rows(call->report, call->profile, call->selection, call->arena)
                          : (struct rows){.empty = "simple mode has no ops (--mode)"};
    return true;
}

bool report_build(const struct report *report, const struct profile *profile,
                  const struct selection *selection, struct arena *arena, struct rows *rows,
                  struct error *error)
{
    struct build_call call = {report, profile, selection, arena, rows};
    *rows = (struct rows){0};
    return arena_run(arena, build_body, &call, error);
}
