// SPDX-License-Identifier: Apache-2.0
// Groups rows that have the same texts in all text columns; one such combination of texts is a
// kind. The table is split into parts, which threads process in parallel, each with its own hash
// table of kinds.
#include "ui/table/table_texts.h"

#include <string.h>

#include "analysis/report/value.h"
#include "base/parallel.h"

enum { SLOTS = 2 * MAX_TEXT_KINDS };

struct texts_build {
    struct table *table;
    struct table_texts *texts;
    size_t parts;
    uint16_t *slots; // per part: kind + 1, 0: free
};

size_t table_parts(const struct table *table)
{
    return table->report->depth ? 1 : parallel_parts(table->rows.count);
}

static size_t slot_of(const char *const *texts_out, size_t count)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ (uintptr_t)texts_out[i]) * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(hash >> 32) % SLOTS;
}

// Writes the texts of a row to `texts_out`. The caller passes the next free entry of part->texts,
// so that a new kind is already in place.
static void row_texts(const struct texts_build *build, size_t row, const char **texts_out)
{
    const struct report *report = build->table->report;
    const void *data = report_row(report, &build->table->rows, row);
    for (size_t i = 0; i < build->texts->columns; i++) {
        struct value value = report->columns[build->texts->column[i]].get(data);
        texts_out[i] = value.kind == VALUE_TEXT ? value.text : NULL;
    }
}

static void part_find_kinds(void *context, size_t p)
{
    const struct texts_build *build = context;
    struct text_part *part = &build->texts->parts[p];
    uint16_t *slots = build->slots + p * SLOTS;
    size_t columns = build->texts->columns;
    size_t count = build->table->rows.count, end = count * (p + 1) / build->parts;
    for (size_t row = count * p / build->parts; row < end; row++) {
        const char **texts_out = part->texts + part->kinds * columns;
        row_texts(build, row, texts_out);
        size_t slot = slot_of(texts_out, columns);
        while (slots[slot] && memcmp(part->texts + (slots[slot] - 1) * columns, texts_out,
                                     columns * sizeof *texts_out) != 0)
            slot = (slot + 1) % SLOTS;
        if (!slots[slot])
            slots[slot] = (uint16_t)++part->kinds;
        build->texts->kind[row] = (uint16_t)(slots[slot] - 1);
        if (part->kinds == MAX_TEXT_KINDS) { // too many kinds: 0 marks the part as not grouped
            part->kinds = 0;
            return;
        }
    }
}

static bool texts_body(void *context, struct error *error)
{
    struct texts_build *build = context;
    struct table *table = build->table;
    struct arena *arena = table->ordered;
    (void)error;
    struct table_texts *texts = build->texts = ARENA_NEW(arena, struct table_texts);
    for (size_t c = 0; c < table->report->column_count && c < MAX_TABLE_COLUMNS; c++)
        if (table->report->columns[c].unit == UNIT_TEXT)
            texts->column[texts->columns++] = (uint16_t)c;
    texts->kind = ARENA_ARRAY(arena, uint16_t, table->rows.count);
    texts->parts = ARENA_ARRAY(arena, struct text_part, build->parts);
    build->slots = ARENA_ARRAY(arena, uint16_t, build->parts * SLOTS);
    for (size_t p = 0; p < build->parts; p++)
        texts->parts[p].texts =
            ARENA_ARRAY(arena, const char *, MAX_TEXT_KINDS * texts->columns + 1);
    parallel_run(parallel_cores(), build->parts, part_find_kinds, build);
    ARENA_RELEASE(arena, build->slots, build->parts * SLOTS);
    table->texts = texts;
    return true;
}

const struct table_texts *table_texts(struct table *table)
{
    struct texts_build build = {.table = table, .parts = table_parts(table)};
    if (table->texts || build.parts == 1)
        return table->texts;
    return arena_run(table->ordered, texts_body, &build, NULL) ? table->texts : NULL;
}
