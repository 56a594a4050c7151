// SPDX-License-Identifier: Apache-2.0
// Reads how a DLProf database was cut into iterations each time it was aggregated.
#include <stdlib.h>

#include "base/sort.h"
#include "model/dldb/load_dldb.h"
#include "model/steps/split_build.h"

enum { MAX_AGGREGATIONS = 1000 };

struct iteration_window {
    int64_t aggregation, number, start, stop;
};

struct aggregation_list {
    struct dldb *dldb;
    size_t count, capacity;
    struct aggregation *items;
    size_t window_count, window_capacity;
    struct iteration_window *windows;
};

static struct aggregation *find_aggregation(const struct aggregation_list *list, int64_t id)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].id == id)
            return &list->items[i];
    return NULL;
}

// The table has a row per aggregation and domain with the key op and the range of iterations.
static void summary_row(struct nsys *nsys, sqlite3_value **row, void *context)
{
    struct aggregation_list *list = context;
    int64_t id, key;
    const char *text = NULL;
    bool is_other = list->dldb->domain != UNKNOWN &&
                    cell_integer_or(row, 1, list->dldb->domain) != list->dldb->domain;
    if (is_other || !cell_integer(row, 0, &id) || list->count == MAX_AGGREGATIONS ||
        find_aggregation(list, id))
        return;
    struct aggregation aggregation = {
        .id = id,
        .key = "",
        .first = cell_integer_or(row, 2, INT64_MIN),
        .last = cell_integer_or(row, 3, INT64_MAX),
    };
    if (cell_integer(row, 4, &key) && nsys_text(nsys, key, &text))
        aggregation.key = arena_text(nsys->arena, text);
    ARENA_PUSH(nsys->arena, list->items, list->count, list->capacity) = aggregation;
}

static void window_row(struct nsys *nsys, sqlite3_value **row, void *context)
{
    struct aggregation_list *list = context;
    struct iteration_window window;
    if (!cell_integer(row, 0, &window.aggregation) || !cell_integer(row, 1, &window.number) ||
        !cell_integer(row, 2, &window.start) || !cell_integer(row, 3, &window.stop) ||
        !nsys_is_plausible_time(nsys, window.start) || !nsys_is_plausible_time(nsys, window.stop) ||
        window.start > window.stop)
        return;
    ARENA_PUSH(nsys->scratch, list->windows, list->window_count, list->window_capacity) = window;
}

static int compare_windows(const void *context, uint32_t a, uint32_t b)
{
    const struct iteration_window *x = (const struct iteration_window *)context + a;
    const struct iteration_window *y = (const struct iteration_window *)context + b;
    return x->aggregation != y->aggregation
               ? (x->aggregation > y->aggregation) - (x->aggregation < y->aggregation)
               : (x->start > y->start) - (x->start < y->start);
}

// Fills the windows of an aggregation. DLProf's windows end 1 ns before the next one begins; here
// they end where it begins. Returns false if windows overlap.
static bool take_windows(struct nsys *nsys, struct aggregation *aggregation,
                         const struct iteration_window *windows, const uint32_t *order,
                         uint32_t count)
{
    aggregation->number = ARENA_ARRAY(nsys->arena, int64_t, count);
    aggregation->start = ARENA_ARRAY(nsys->arena, int64_t, count);
    aggregation->stop = ARENA_ARRAY(nsys->arena, int64_t, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct iteration_window *window = &windows[order[i]];
        const struct iteration_window *next = i + 1 < count ? &windows[order[i + 1]] : NULL;
        if (next && (next->start < window->stop || next->number <= window->number))
            return false;
        aggregation->number[i] = window->number;
        aggregation->start[i] = window->start;
        aggregation->stop[i] = next ? next->start : window->stop;
    }
    aggregation->count = count;
    return true;
}

static void make_aggregations(struct nsys *nsys, struct aggregation_list *list)
{
    int64_t overlapping = 0;
    if (list->window_count >= UINT32_MAX)
        return;
    uint32_t count = (uint32_t)list->window_count;
    uint32_t *order = ARENA_ARRAY(nsys->scratch, uint32_t, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    sort_ids(order, count, compare_windows, list->windows, nsys->scratch);
    for (uint32_t first = 0, end; first < count; first = end) {
        int64_t id = list->windows[order[first]].aggregation;
        for (end = first + 1; end < count && list->windows[order[end]].aggregation == id; end++)
            ;
        struct aggregation *aggregation = find_aggregation(list, id);
        if (aggregation &&
            !take_windows(nsys, aggregation, list->windows, order + first, end - first))
            overlapping++;
    }
    if (overlapping)
        profile_note(nsys->profile, NOTE_WARNING, "aggregations_overlapping", overlapping, NULL,
                     "%lld aggregations have iterations that overlap: they are not offered",
                     (long long)overlapping);
}

static int compare_aggregations(const void *left, const void *right)
{
    const struct aggregation *a = left, *b = right;
    return (a->id > b->id) - (a->id < b->id);
}

void dldb_read_aggregations(struct dldb *dldb)
{
    static const char *const summary_columns[] = {"aggr_id",   "domain_id",   "iter_start",
                                                  "iter_stop", "key_node_id", NULL};
    static const char *const window_columns[] = {DLDB_WINDOW, NULL};
    struct nsys *nsys = dldb->nsys;
    struct profile *profile = nsys->profile;
    struct aggregation_list list = {.dldb = dldb};
    nsys_each_row(nsys, DLDB_MODEL_SUMMARY, summary_columns, summary_row, &list);
    nsys_each_row(nsys, DLDB_ITERATION_LIST, window_columns, window_row, &list);
    make_aggregations(nsys, &list);
    // Drops aggregations without iterations.
    size_t count = 0;
    for (size_t i = 0; i < list.count; i++)
        if (list.items[i].count)
            list.items[count++] = list.items[i];
    if (count)
        qsort(list.items, count, sizeof *list.items, compare_aggregations);
    profile->aggregations = list.items;
    profile->aggregation_count = (uint32_t)count;
    for (size_t i = 0; i < count && count > 1; i++)
        profile_note(profile, NOTE_INFO, "aggregations", list.items[i].count, NULL, "%s%s",
                     aggregation_text(&list.items[i], nsys->scratch),
                     i + 1 == count || list.items[i].count < 2
                         ? ""
                         : arena_format(nsys->scratch, "; --key_op=%s shows it",
                                        aggregation_name(&list.items[i], nsys->scratch)));
}
