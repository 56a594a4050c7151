// SPDX-License-Identifier: Apache-2.0
// The order of all rows (table_order) and which of them are shown (table_show).
//
// A flat table is sorted from the last key to the first, by stable counting sorts: each key uses
// the ranks of the rows in its column, which are computed once. `tied` is the order by all keys
// but the first. In a tree the children of each row are sorted among themselves.
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "ui/table/table.h"

// ---- sets of row ids ---------------------------------------------------------------------------

static size_t slot_of(const struct id_set *set, uint64_t id)
{
    size_t slot = (size_t)(id * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (set->capacity - 1);
    while (set->slots[slot] && set->slots[slot] != id + 1)
        slot = (slot + 1) & (set->capacity - 1);
    return slot;
}

bool id_set_has(const struct id_set *set, uint64_t id)
{
    return set->capacity && set->slots[slot_of(set, id)] != 0;
}

void id_set_clear(struct id_set *set)
{
    set->count = 0;
    if (set->capacity)
        memset(set->slots, 0, set->capacity * sizeof *set->slots);
}

void id_set_flip(struct id_set *set, uint64_t id, struct arena *arena)
{
    struct id_set old = *set;
    bool is_removal = id_set_has(set, id);
    if (!is_removal && (set->count + 1) * 2 <= set->capacity) {
        set->slots[slot_of(set, id)] = id + 1;
        set->count++;
        return;
    }
    // Growing copies all entries; removal moves the entries that follow the free slot. Both are
    // rare and small.
    size_t capacity = old.capacity ? old.capacity : 16;
    while ((old.count + 1) * 2 > capacity)
        capacity *= 2;
    if (capacity != old.capacity) {
        set->slots = ARENA_ARRAY(arena, uint64_t, capacity);
        set->capacity = capacity;
        set->count = 0;
        for (size_t i = 0; i < old.capacity; i++) {
            if (old.slots[i]) {
                set->slots[slot_of(set, old.slots[i] - 1)] = old.slots[i];
                set->count++;
            }
        }
    }
    if (!is_removal) {
        set->slots[slot_of(set, id)] = id + 1;
        set->count++;
        return;
    }
    size_t hole = slot_of(set, id);
    set->slots[hole] = 0;
    set->count--;
    for (size_t i = (hole + 1) & (set->capacity - 1); set->slots[i];
         i = (i + 1) & (set->capacity - 1)) {
        uint64_t moved = set->slots[i];
        set->slots[i] = 0;
        set->slots[slot_of(set, moved - 1)] = moved;
    }
}

bool row_is_folded(const struct table *table, uint32_t row)
{
    const void *data = report_row(table->report, &table->rows, row);
    if (!table->report->has_children || !table->report->has_children(data))
        return false;
    bool folded = !table->is_unfolded && table->report->depth(data) >= table->open_depth;
    return folded != id_set_has(&table->toggled, table_row_id(table, row));
}

void row_fold(struct table *table, uint32_t row, bool folded)
{
    const void *data = report_row(table->report, &table->rows, row);
    if (table->report->has_children && table->report->has_children(data) &&
        row_is_folded(table, row) != folded) {
        id_set_flip(&table->toggled, table_row_id(table, row), table->arena);
        table->stale = TABLE_STALE;
    }
}

// ---- order -------------------------------------------------------------------------------------

// Computes the parent of each row from the depths, and an order in which each row is followed by
// its subtree and siblings have the order of `sorted`.
static void order_tree(struct table *table, const uint32_t *sorted)
{
    struct arena *arena = table->ordered;
    const struct report *report = table->report;
    uint32_t count = (uint32_t)table->rows.count;
    uint32_t *parent = ARENA_ARRAY(arena, uint32_t, count + 1);
    // A family is a set of siblings: family 0 has the outermost rows, family r + 1 the children of
    // row r. Its rows are children[first[family] .. first[family + 1]).
    uint32_t *first = ARENA_ARRAY(arena, uint32_t, count + 2);
    uint32_t *children = ARENA_ARRAY(arena, uint32_t, count + 1);
    unsigned *depth = ARENA_ARRAY(arena, unsigned, count + 1);
    for (uint32_t row = 0; row < count; row++) {
        depth[row] = report->depth(report_row(report, &table->rows, row));
        uint32_t up = row ? row - 1 : UINT32_MAX;
        while (up != UINT32_MAX && depth[up] >= depth[row])
            up = parent[up];
        parent[row] = up;
        first[up == UINT32_MAX ? 1 : up + 2]++;
    }
    for (uint32_t i = 0; i <= count; i++)
        first[i + 1] += first[i];
    uint32_t *fill = ARENA_ARRAY(arena, uint32_t, count + 1);
    memcpy(fill, first, (count + 1) * sizeof *fill);
    for (uint32_t i = 0; i < count; i++)
        children[fill[parent[sorted[i]] + 1]++] = sorted[i]; // no parent: UINT32_MAX + 1 == 0
    // Visits the tree without recursion: stack[] has the families on the way to the current row,
    // next[] the next child to visit in each.
    uint32_t *stack = ARENA_ARRAY(arena, uint32_t, count + 2);
    uint32_t *next = fill;
    memcpy(next, first, (count + 1) * sizeof *next);
    uint32_t *order = ARENA_ARRAY(arena, uint32_t, count + 1);
    uint32_t height = 0, out = 0;
    stack[height++] = 0;
    while (height > 0) {
        uint32_t family = stack[height - 1];
        if (next[family] == first[family + 1]) {
            height--;
            continue;
        }
        uint32_t row = children[next[family]++];
        order[out++] = row;
        stack[height++] = row + 1;
    }
    table->parent = parent;
    table->order = order;
}

static bool keys_equal(const struct sort_key *a, unsigned a_count, const struct sort_key *b,
                       unsigned b_count)
{
    bool is_same = a_count == b_count;
    for (unsigned k = 0; is_same && k < a_count; k++)
        is_same = a[k].column == b[k].column && a[k].descending == b[k].descending;
    return is_same;
}

// Returns the ranks of the rows by a column. The ranks of the MAX_RANKED_COLUMNS columns used last
// are kept, so that inverting an order, sorting by such a column again, or filtering by its numbers
// evaluates no row.
static const struct sort_places *ranks_of(struct table *table, unsigned column)
{
    struct table_ranks *ranks = table->ranks;
    unsigned at = 0;
    while (at + 1 < MAX_RANKED_COLUMNS && ranks[at].ranks.of_row && ranks[at].column != column)
        at++;
    struct table_ranks found = ranks[at];
    if (!found.ranks.of_row || found.column != column) {
        // replaces the least recently used column
        if (!found.ranks.of_row)
            found.ranks = sort_places_new(table->rows.count, table->ordered);
        // Invalid if the allocation below fails.
        ranks[at] = (struct table_ranks){UINT_MAX, found.ranks};
        found.column = column;
        sort_places_fill(table->report, &table->rows, column, &found.ranks, table->ordered);
    }
    memmove(ranks + 1, ranks, at * sizeof *ranks);
    ranks[0] = found;
    return &ranks[0].ranks;
}

struct ranks_call {
    struct table *table;
    unsigned column;
    const struct sort_places *ranks;
};

static bool ranks_body(void *context, struct error *error)
{
    struct ranks_call *call = context;
    (void)error;
    call->ranks = ranks_of(call->table, call->column);
    return true;
}

const struct sort_places *table_ranks(struct table *table, unsigned column)
{
    struct ranks_call call = {.table = table, .column = column};
    return arena_run(table->ordered, ranks_body, &call, NULL) ? call.ranks : NULL;
}

// Sorts the rows of `tied` by one key, stably, into `order`.
static void sort_by_key(struct table *table, struct sort_key key)
{
    report_sort_by_places(ranks_of(table, key.column), table->rows.count, key.descending,
                          table->tied, table->order, table->next);
}

static void swap_orders(struct table *table)
{
    uint32_t *order = table->order;
    table->order = table->tied;
    table->tied = order;
}

// Sorts a flat table. If the order by all keys but the first is known, only one sort is needed:
// after a key was added in front, the first key changed, or the order was inverted.
static void order_flat(struct table *table)
{
    const struct sort_key *rest = table->sort + 1;
    unsigned count = table->sort_count > 0 ? table->sort_count - 1 : 0;
    if (!table->tied) {
        table->order = ARENA_ARRAY(table->ordered, uint32_t, table->rows.count + 1);
        table->tied = ARENA_ARRAY(table->ordered, uint32_t, table->rows.count + 1);
        table->next = ARENA_ARRAY(table->ordered, uint32_t, table->rows.count + 2);
        table->order_keys = table->tied_keys = UINT_MAX; // no order
    }
    if (keys_equal(table->order_by, table->order_keys, rest, count)) {
        swap_orders(table);
    } else if (!keys_equal(table->tied_by, table->tied_keys, rest, count)) {
        for (uint32_t row = 0; row < table->rows.count; row++)
            table->tied[row] = row;
        for (unsigned k = count; k-- > 0; swap_orders(table))
            sort_by_key(table, rest[k]);
    }
    memcpy(table->tied_by, rest, count * sizeof *rest);
    table->tied_keys = count;
    if (table->sort_count > 0)
        sort_by_key(table, table->sort[0]);
    else
        memcpy(table->order, table->tied, table->rows.count * sizeof *table->order);
}

static bool order_body(void *context, struct error *error)
{
    struct table *table = context;
    (void)error;
    if (table->report->depth)
        order_tree(table, report_sort(table->report, &table->rows, table->sort, table->sort_count,
                                      table->ordered));
    else
        order_flat(table);
    memcpy(table->order_by, table->sort, sizeof table->sort);
    table->order_keys = table->sort_count;
    return true;
}

bool table_order(struct table *table, struct error *error)
{
    if (table->order &&
        keys_equal(table->order_by, table->order_keys, table->sort, table->sort_count))
        return true;
    if (!table->tied) {
        table->order = table->parent = NULL;
        table->texts = NULL;
        memset(table->ranks, 0, sizeof table->ranks);
        arena_reset(table->ordered);
    }
    if (arena_run(table->ordered, order_body, table, error))
        return true;
    table->order = table->tied = NULL;
    return false;
}

// ---- rows shown --------------------------------------------------------------------------------

static void flat_show(struct table *table)
{
    const uint8_t *state = table->state;
    uint32_t *shown = table->shown;
    size_t count = 0;
    for (size_t i = 0; i < table->rows.count; i++) {
        shown[count] = table->order[i];
        count +=
            // Branch-free: mispredicted every second row otherwise.
            (state[table->order[i]] & ROW_KEPT) != 0;
    }
    table->shown_count = table->kept_count = count;
}

// Finds the shown rows of a tree: rows that pass the filter and their ancestors, without the rows
// below folded ones.
static void tree_show(struct table *table)
{
    uint32_t count = (uint32_t)table->rows.count;
    for (uint32_t row = 0; row < count; row++) {
        if (!(table->state[row] & ROW_KEPT))
            continue;
        table->kept_count++;
        if (table->state[row] & ROW_KEPT_WITH_PARENT)
            continue;
        for (uint32_t up = row; table->parent[up] != UINT32_MAX;) {
            up = table->parent[up];
            if (table->state[up] & ROW_LEADS_TO_KEPT)
                break;
            table->state[up] |= ROW_LEADS_TO_KEPT;
        }
    }
    uint32_t up = table->has_peeked_row ? table_row_of(table, table->peeked_row) : UINT32_MAX;
    while (up != UINT32_MAX && (up = table->parent[up]) != UINT32_MAX)
        table->state[up] |= ROW_PEEKED;
    // Rows below a folded row are skipped; in pre-order a depth tells where they end. With a
    // filter, ancestors of matches are shown open.
    unsigned folded_depth = UINT32_MAX;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t row = table->order[i];
        unsigned depth = table->report->depth(report_row(table->report, &table->rows, row));
        if (depth > folded_depth)
            continue;
        folded_depth = UINT32_MAX;
        unsigned opens = ROW_PEEKED | (table->filter.count ? ROW_LEADS_TO_KEPT : 0);
        if (row_is_folded(table, row) && !(table->state[row] & opens)) {
            table->state[row] |= ROW_FOLDED;
            folded_depth = depth;
        }
        if (table->state[row] & (ROW_KEPT | ROW_LEADS_TO_KEPT))
            table->shown[table->shown_count++] = row;
    }
}

// Rows omitted by the filter do not count as found.
static void count_found(struct table *table)
{
    for (size_t row = 0; table->search && row < table->rows.count; row++) {
        if (!(table->state[row] & (ROW_KEPT | ROW_LEADS_TO_KEPT)))
            table->state[row] &= (uint8_t)~ROW_FOUND;
        table->match_count += (table->state[row] & ROW_FOUND) != 0;
    }
}

void table_show(struct table *table)
{
    if (!table->shown)
        table->shown = ARENA_ARRAY(table->derived, uint32_t, table->rows.count + 1);
    table->shown_count = table->kept_count = table->match_count = 0;
    if (table->report->depth)
        tree_show(table);
    else
        flat_show(table);
    count_found(table);
}
