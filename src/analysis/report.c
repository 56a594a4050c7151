// SPDX-License-Identifier: Apache-2.0
#include "analysis/report.h"

#include <stdatomic.h>
#include <string.h>

#include "analysis/report_list.h"
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
    uint64_t hash = 14695981039346656037u + seed; // FNV-1a
    for (; text && *text; text++)
        hash = (hash ^ (unsigned char)*text) * 1099511628211u;
    return hash;
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

struct sorting {
    const struct report *report;
    const struct rows *rows;
    struct sort_key key;
    uint32_t *ids;
    size_t parts;   // of the rows, which several threads look at
    int64_t *ranks; // by row, in that order
    bool *is_known;
    atomic_bool is_text;
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
    struct sorting *sorting = context;
    const struct column *column = &sorting->report->columns[sorting->key.column];
    size_t count = sorting->rows->count, end = count * (part + 1) / sorting->parts;
    bool is_text = false;
    for (size_t i = count * part / sorting->parts; i < end; i++) {
        struct value value = column->get(report_row(sorting->report, sorting->rows, i));
        sorting->is_known[i] = value.kind != VALUE_NONE;
        is_text |= value.kind == VALUE_TEXT;
        sorting->ranks[i] = sorting->is_known[i] ? value_rank(value) : 0;
    }
    if (is_text)
        atomic_store(&sorting->is_text, true);
}

// A table has a row for each of a million calls: numbers are sorted without looking at pairs of rows.
static void sort_body(void *context, struct arena *scratch)
{
    enum { PART_ROWS = 1 << 14 };
    struct sorting *sorting = context;
    size_t count = sorting->rows->count;
    int64_t *ranks = sorting->ranks = ARENA_ARRAY(scratch, int64_t, count), last = INT64_MIN;
    bool *is_known = sorting->is_known = ARENA_ARRAY(scratch, bool, count);
    sorting->parts = count / PART_ROWS + 1;
    parallel_run(sorting->parts > 1 ? parallel_cores() : 1, sorting->parts, rank_part, sorting);
    if (atomic_load(&sorting->is_text))
        rank_texts(ranks, count, scratch);
    for (size_t i = 0; i < count; i++) {
        int64_t rank = sorting->key.descending ? ~ranks[i] : ranks[i];
        ranks[i] = rank < INT64_MAX ? rank : INT64_MAX - 1;
        last = is_known[i] && ranks[i] > last ? ranks[i] : last;
    }
    for (size_t i = 0; i < count; i++)
        ranks[i] = is_known[i] ? ranks[i] : last + 1;
    sort_ids_by_time(sorting->ids, count, ranks, NULL, scratch);
}

void report_sort_more(const struct report *report, const struct rows *rows, struct sort_key key,
                      uint32_t *ids, struct arena *arena)
{
    scratch_run(arena, sort_body,
                &(struct sorting){.report = report, .rows = rows, .key = key, .ids = ids});
}

uint32_t *report_sort(const struct report *report, const struct rows *rows,
                      const struct sort_key *keys, unsigned key_count, struct arena *arena)
{
    uint32_t *ids = ARENA_ARRAY(arena, uint32_t, rows->count + 1);
    for (size_t i = 0; i < rows->count; i++)
        ids[i] = (uint32_t)i;
    for (unsigned k = key_count; k-- > 0;) // the last first: each sort keeps the order of ties
        report_sort_more(report, rows, keys[k], ids, arena);
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
    *call->rows = call->report->build(call->profile, call->selection, call->arena);
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
