// SPDX-License-Identifier: Apache-2.0
// Host and GPU time per module. A row is a module at its position in the tree of modules: (row of
// the enclosing module, name, number). Rows are made in one pass over the ranges; the work is added
// in a second pass, and in the end the rows are brought into pre-order (a module before the modules
// inside it).
#include "analysis/plugin/module_sums.h"

#include "analysis/report/stats.h"
#include "base/id_map.h"
#include "base/scratch.h"
#include "model/markers/markers.h"

enum { MAX_DEPTH = 1000 }; // modules nested deeper count as the module at this depth

struct module_summing {
    const struct profile *profile;
    const struct selection *selection;
    struct arena *arena;
    const uint32_t *owners;
    struct module_sum *items; // in order of first call
    size_t count, capacity;
    struct id_map places;   // (outer module, name, number) -> row + 1
    uint32_t *row_of_range; // [range] row + 1, for ranges of selected modules
    struct module_sum *ordered;
};

int64_t module_number(const struct profile *profile, uint32_t range)
{
    uint32_t module = range_label(&profile->ranges, range)->module;
    return module ? (int64_t)module - 1 : UNKNOWN;
}

static enum operator_role role_of(const struct profile *profile, uint32_t range)
{
    return operator_role(profile, range_label(&profile->ranges, range));
}

static uint32_t outer_of(const struct module_summing *summing, uint32_t range)
{
    return operator_outer(summing->profile, summing->owners, range);
}

// Returns the range itself if it is a module, else the innermost module that encloses it, in the
// operator tree, or ROW_NONE.
static uint32_t module_at(const struct module_summing *summing, uint32_t range)
{
    while (range != ROW_NONE && role_of(summing->profile, range) != RANGE_ROLE_MODULE)
        range = outer_of(summing, range);
    return range;
}

static struct module_sum *row_of(struct module_summing *summing, uint32_t range)
{
    uint32_t row = range == ROW_NONE ? 0 : summing->row_of_range[range];
    return row ? &summing->items[row - 1] : NULL;
}

// Finds or adds the row of a module's call.
static void add_module(struct module_summing *summing, uint32_t range)
{
    const struct profile *profile = summing->profile;
    const struct range_label *label = range_label(&profile->ranges, range);
    uint32_t outer_module = module_at(summing, outer_of(summing, range));
    uint32_t outer = outer_module == ROW_NONE ? 0 : summing->row_of_range[outer_module];
    if (outer && summing->items[outer - 1].depth >= MAX_DEPTH) {
        summing->row_of_range[range] = outer;
        return;
    }
    struct id_key key = {(uint64_t)outer << 32 | profile->markers[label->marker].title,
                         label->module, 0};
    uint32_t *slot = id_map_slot(&summing->places, key);
    if (!*slot) {
        ARENA_PUSH(summing->arena, summing->items, summing->count, summing->capacity) =
            (struct module_sum){.range = range,
                                .outer = outer ? outer - 1 : ROW_NONE,
                                .depth = outer ? summing->items[outer - 1].depth + 1 : 0};
        *slot = (uint32_t)summing->count;
        if (outer)
            summing->items[outer - 1].has_inner = true;
    }
    summing->row_of_range[range] = *slot;
}

// ---- figures --------------------------------------------------------------------------------

// Adds calls and host time of the selected modules.
static void add_ranges(struct module_summing *summing)
{
    const struct profile *profile = summing->profile;
    const struct ranges *ranges = &profile->ranges;
    for (uint32_t r = 0; r < ranges->count; r++) {
        enum operator_role role = role_of(profile, r);
        if (summing->owners[r] != r || role == RANGE_ROLE_NONE)
            continue;
        int64_t ns = AT(ranges->end, r) - AT(ranges->start, r);
        uint32_t outer = outer_of(summing, r);
        struct module_sum *outer_module =
            outer != ROW_NONE && role_of(profile, outer) == RANGE_ROLE_MODULE
                ? row_of(summing, outer)
                : NULL;
        if (outer_module) {
            sum_add(&outer_module->host_self_ns, -ns);
            outer_module->operators += role == RANGE_ROLE_OPERATOR;
        }
        if (role != RANGE_ROLE_MODULE || !selection_has_range(profile, summing->selection, r))
            continue;
        add_module(summing, r);
        struct module_sum *row = row_of(summing, r);
        row->calls++;
        sum_add(&row->host_total_ns, ns);
        sum_add(&row->host_self_ns, ns);
    }
}

// Adds work to the total of all modules that enclose its launch. It is also self time of the
// innermost one, unless an unselected module or a RANGE_ROLE_PLACE is in between.
static void add_work(struct module_summing *summing)
{
    const struct profile *profile = summing->profile;
    const struct gpu_work *work = &profile->work;
    for (uint32_t w = 0; w < work->count; w++) {
        uint32_t range = work_range(profile, w);
        if (range == ROW_NONE || !selection_has_work(profile, summing->selection, w))
            continue;
        int64_t ns = work_duration(profile, w);
        uint32_t inner = ROW_NONE;
        for (uint32_t enclosing = summing->owners[range]; enclosing != ROW_NONE;
             enclosing = outer_of(summing, enclosing)) {
            struct module_sum *row = row_of(summing, enclosing);
            if (row) {
                sum_add(&row->device_total_ns, ns);
                bool is_self_time =
                    inner == ROW_NONE || role_of(profile, inner) == RANGE_ROLE_OPERATOR;
                sum_add(&row->device_self_ns, is_self_time ? ns : 0);
            }
            inner = enclosing;
        }
    }
}

// ---- pre-order ---------------------------------------------------------------------------------

// Fills summing->ordered: each row is followed by its inner rows.
static void order_in_preorder(struct module_summing *summing, struct arena *scratch)
{
    size_t count = summing->count;
    // [row] first inner row + 1; [count]: first outermost row + 1
    uint32_t *first = ARENA_ARRAY(scratch, uint32_t, count + 1);
    uint32_t *next = ARENA_ARRAY(scratch, uint32_t, count + 1); // [row] next sibling + 1
    uint32_t *ordered_row = ARENA_ARRAY(scratch, uint32_t, count + 1);
    for (size_t i = count; i-- > 0;) {
        size_t outer = summing->items[i].outer == ROW_NONE ? count : summing->items[i].outer;
        next[i] = first[outer];
        first[outer] = (uint32_t)i + 1;
    }
    summing->ordered = ARENA_ARRAY(summing->arena, struct module_sum, count + 1);
    size_t ordered_count = 0;
    for (uint32_t current = first[count]; current;) {
        struct module_sum *row = &summing->ordered[ordered_count];
        *row = summing->items[current - 1];
        ordered_row[current - 1] = (uint32_t)ordered_count++;
        uint32_t outer = row->outer;
        row->outer = outer == ROW_NONE ? ROW_NONE : ordered_row[outer];
        uint32_t enclosing = current;
        current = first[current - 1];
        // without inner rows the next sibling follows, or the next sibling of an outer row
        while (!current && enclosing) {
            current = next[enclosing - 1];
            outer = summing->items[enclosing - 1].outer;
            enclosing = outer == ROW_NONE ? 0 : outer + 1;
        }
    }
}

static void sum_modules(void *context, struct arena *scratch)
{
    struct module_summing *summing = context;
    const struct profile *profile = summing->profile;
    summing->places.arena = scratch;
    summing->row_of_range = ARENA_ARRAY(scratch, uint32_t, (size_t)profile->ranges.count + 1);
    summing->owners = operator_owners(profile, scratch);
    add_ranges(summing);
    if (summing->count)
        add_work(summing);
    order_in_preorder(summing, scratch);
}

struct module_sums module_sums_of(const struct profile *profile, const struct selection *selection,
                                  struct arena *arena)
{
    struct module_summing summing = {.profile = profile, .selection = selection, .arena = arena};
    if (!HAS(profile->ranges.parent) || !profile->markers)
        return (struct module_sums){0};
    scratch_run(arena, sum_modules, &summing);
    return (struct module_sums){summing.count, summing.ordered};
}
