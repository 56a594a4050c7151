// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare_match.h"

#include <inttypes.h>

#include "base/strings.h"
#include "model/scratch.h"

struct side_rows side_rows_make(const struct report *report, struct rows rows, struct arena *arena)
{
    struct side_rows side = {.rows = rows};
    uint32_t count = (uint32_t)rows.count, open = ROW_NONE; // the innermost row still open
    side.parent = ARENA_ARRAY(arena, uint32_t, rows.count + 1);
    side.subtree_end = ARENA_ARRAY(arena, uint32_t, rows.count + 1);
    for (uint32_t r = 0; r < count; r++) {
        unsigned depth = report->depth ? report->depth(report_row(report, &rows, r)) : 0;
        while (open != ROW_NONE &&
               (!report->depth || report->depth(report_row(report, &rows, open)) >= depth)) {
            side.subtree_end[open] = r;
            open = side.parent[open];
        }
        side.parent[r] = open;
        open = r;
    }
    for (; open != ROW_NONE; open = side.parent[open])
        side.subtree_end[open] = count;
    return side;
}

static struct row_match match_of(const struct report *report, const void *row)
{
    if (report->match)
        return report->match(row);
    for (size_t c = 0; c < report->column_count; c++)
        if (report->columns[c].flags & COLUMN_NAME)
            return (struct row_match){report->columns[c].get(row).text, NULL};
    return (struct row_match){0};
}

// The name of a row below a row of side A (ROW_NONE: an outer one).
static const char *key_of(const struct report *report, const void *row, uint32_t parent,
                          struct arena *arena)
{
    struct row_match match = match_of(report, row);
    return arena_format(arena, "%" PRIu32 "\x1f%s\x1f%s", parent, match.first ? match.first : "",
                        match.second ? match.second : "");
}

struct matching {
    const struct report *report;
    const struct side_rows *a, *b;
    uint32_t *pair_of_b; // row of A, ROW_NONE: new
    bool *has_pair;      // by row of A
};

// Rows of A by name, those of one name in their order; each is taken by the first of B that asks.
static void match_body(void *context, struct arena *scratch)
{
    struct matching *m = context;
    uint32_t count_a = (uint32_t)m->a->rows.count, count_b = (uint32_t)m->b->rows.count;
    struct strings *names = strings_new(scratch);
    uint32_t *next = ARENA_ARRAY(scratch, uint32_t, (size_t)count_a + 1); // + 1, 0: none
    string_id *name_of = ARENA_ARRAY(scratch, string_id, (size_t)count_a + 1);
    for (uint32_t r = 0; r < count_a; r++)
        name_of[r] =
            strings_intern_text(names, key_of(m->report, report_row(m->report, &m->a->rows, r),
                                              m->a->parent[r], scratch));
    uint32_t *first = ARENA_ARRAY(scratch, uint32_t, strings_count(names) + 1);
    for (uint32_t r = count_a; r-- > 0;) {
        next[r] = first[name_of[r]];
        first[name_of[r]] = r + 1;
    }
    for (uint32_t r = 0; r < count_b; r++) {
        uint32_t parent = m->b->parent[r], pair = parent;
        m->pair_of_b[r] = ROW_NONE;
        if (parent != ROW_NONE && (pair = m->pair_of_b[parent]) == ROW_NONE)
            continue; // below a new row all is new
        string_id name = strings_find(
            names, key_of(m->report, report_row(m->report, &m->b->rows, r), pair, scratch));
        uint32_t found = name == STRING_NONE ? 0 : first[name];
        if (!found)
            continue;
        first[name] = next[found - 1];
        m->pair_of_b[r] = found - 1;
        m->has_pair[found - 1] = true;
    }
}

// What is gone, by the row of A that it lay in directly: the first and the next, + 1; the outer
// ones under count.
struct gone {
    uint32_t *first, *next;
};

static struct gone gone_make(const struct matching *m, struct arena *arena)
{
    uint32_t count = (uint32_t)m->a->rows.count;
    struct gone gone = {ARENA_ARRAY(arena, uint32_t, (size_t)count + 1),
                        ARENA_ARRAY(arena, uint32_t, (size_t)count + 1)};
    for (uint32_t r = count; r-- > 0;) {
        uint32_t parent = m->a->parent[r];
        if (m->has_pair[r] || (parent != ROW_NONE && !m->has_pair[parent]))
            continue;
        uint32_t *first = &gone.first[parent == ROW_NONE ? count : parent];
        gone.next[r] = *first;
        *first = r + 1;
    }
    return gone;
}

struct row_pair *rows_match(const struct report *report, const struct side_rows sides[SIDES],
                            size_t *count, struct arena *arena)
{
    uint32_t count_a = (uint32_t)sides[SIDE_A].rows.count;
    uint32_t count_b = (uint32_t)sides[SIDE_B].rows.count;
    struct matching m = {report, &sides[SIDE_A], &sides[SIDE_B],
                         ARENA_ARRAY(arena, uint32_t, (size_t)count_b + 1),
                         ARENA_ARRAY(arena, bool, (size_t)count_a + 1)};
    scratch_run(arena, match_body, &m);
    struct gone gone = gone_make(&m, arena);
    struct row_pair *pairs = ARENA_ARRAY(arena, struct row_pair, (size_t)count_a + count_b + 1);
    *count = 0;
    uint32_t open = ROW_NONE; // the innermost row of B whose rows are not all there yet
    for (uint32_t r = 0; r <= count_b; r++) {
        uint32_t parent = r < count_b ? m.b->parent[r] : ROW_NONE;
        for (; open != parent; open = m.b->parent[open]) {
            uint32_t pair = m.pair_of_b[open];
            for (uint32_t g = pair == ROW_NONE ? 0 : gone.first[pair]; g; g = gone.next[g - 1])
                for (uint32_t a = g - 1; a < m.a->subtree_end[g - 1]; a++)
                    pairs[(*count)++] = (struct row_pair){{a, ROW_NONE}};
        }
        if (r < count_b) {
            pairs[(*count)++] = (struct row_pair){{m.pair_of_b[r], r}};
            open = r;
        }
    }
    for (uint32_t g = gone.first[count_a]; g; g = gone.next[g - 1])
        for (uint32_t a = g - 1; a < m.a->subtree_end[g - 1]; a++)
            pairs[(*count)++] = (struct row_pair){{a, ROW_NONE}};
    return pairs;
}
