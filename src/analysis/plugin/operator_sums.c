// SPDX-License-Identifier: Apache-2.0
// Host and GPU time per operator. Self time of an operator on the host is its duration less that of
// the operators, modules, places and API calls directly inside it.
#include "analysis/plugin/operator_sums.h"

#include <stdlib.h>

#include "analysis/report/stats.h"
#include "base/id_map.h"
#include "base/scratch.h"
#include "model/markers/markers.h"
#include "model/rules/rules.h"

struct operator_summing {
    const struct profile *profile;
    const struct selection *selection;
    enum operator_key key;
    struct arena *arena; // of the sums
    struct operator_sum *items;
    size_t count, capacity;
    const uint32_t *owners;
    uint32_t *row_of_label; // [label] row + 1; 0: not looked up yet
    struct id_map rows;     // (hash of the grouping key, name) -> row + 1
};

// ---- rows -----------------------------------------------------------------------------------

// By the marker's type if it has one (`mm` of `aten::mm`), else by the name.
static enum tristate label_eligible(const struct profile *profile, const struct range_label *label)
{
    string_id type = profile->markers[label->marker].type;
    return rules_op_eligible(
        rules_get(),
        profile_text(profile, type != STRING_NONE ? type : operator_name(profile, label)));
}

// Returns the row of the operator that a range is a call of.
static struct operator_sum *row_of(struct operator_summing *summing, uint32_t range)
{
    const struct profile *profile = summing->profile;
    uint32_t number = AT(profile->ranges.label, range), *row = &summing->row_of_label[number];
    if (!*row) {
        const struct range_label *label = &profile->ranges.labels[number];
        struct id_key key = {operator_hash(profile, label, summing->key),
                             operator_name(profile, label), 0};
        uint32_t *slot = id_map_slot(&summing->rows, key);
        if (!*slot) {
            ARENA_PUSH(summing->arena, summing->items, summing->count, summing->capacity) =
                (struct operator_sum){.label = number, .eligible = label_eligible(profile, label)};
            *slot = (uint32_t)summing->count;
        }
        *row = *slot;
    }
    return &summing->items[*row - 1];
}

static bool is_operator(const struct profile *profile, uint32_t range)
{
    return operator_role(profile, range_label(&profile->ranges, range)) == RANGE_ROLE_OPERATOR;
}

// Returns the range itself if it is an operator, else the innermost operator that encloses it, or
// ROW_NONE.
static uint32_t operator_at(const struct operator_summing *summing, uint32_t range)
{
    while (range != ROW_NONE && !is_operator(summing->profile, range))
        range = operator_outer(summing->profile, summing->owners, range);
    return range;
}

static uint32_t next_outer_operator(const struct operator_summing *summing, uint32_t range)
{
    return operator_at(summing, operator_outer(summing->profile, summing->owners, range));
}

// ---- the host -------------------------------------------------------------------------------

// Subtracts `ns` from the self time of `outer` if it is a selected operator.
static void subtract_inner(struct operator_summing *summing, uint32_t outer, int64_t ns)
{
    if (outer != ROW_NONE && is_operator(summing->profile, outer) &&
        selection_has_range(summing->profile, summing->selection, outer))
        sum_add(&row_of(summing, outer)->host_self_ns, -ns);
}

// Adds calls and host time of the selected operators.
static void add_ranges(struct operator_summing *summing)
{
    const struct profile *profile = summing->profile;
    const struct ranges *ranges = &profile->ranges;
    for (uint32_t r = 0; r < ranges->count; r++) {
        if (summing->owners[r] != r)
            continue;
        int64_t ns = AT(ranges->end, r) - AT(ranges->start, r);
        subtract_inner(summing, operator_outer(profile, summing->owners, r), ns);
        if (!is_operator(profile, r) || !selection_has_range(profile, summing->selection, r))
            continue;
        struct operator_sum *row = row_of(summing, r);
        row->calls++;
        sum_add(&row->host_total_ns, ns);
        sum_add(&row->host_self_ns, ns);
    }
}

// Returns the time of a call within its range, less the part that earlier calls cover: driver calls
// inside runtime calls count once. Calls come by thread and time. In a database of DLProf the
// recorded owner of a call need not agree with its times, so the call is clipped to its range. (A
// trace records owners as well, but there the figures follow the plugin.) *thread must be ROW_NONE
// at first.
static int64_t uncovered_ns(const struct profile *profile, uint32_t call, uint32_t range,
                            uint32_t *thread, int64_t *covered_to)
{
    const struct api_calls *api = &profile->api;
    const struct ranges *ranges = &profile->ranges;
    int64_t start = AT(api->start, call), end = AT(api->end, call);
    if (AT(api->thread, call) != *thread) {
        *thread = AT(api->thread, call);
        *covered_to = INT64_MIN;
    }
    start = start < *covered_to ? *covered_to : start;
    *covered_to = end > *covered_to ? end : *covered_to;
    if (profile->told && range != ROW_NONE) {
        start = start < AT(ranges->start, range) ? AT(ranges->start, range) : start;
        end = end > AT(ranges->end, range) ? AT(ranges->end, range) : end;
    }
    return end > start ? end - start : 0;
}

static void subtract_calls(struct operator_summing *summing)
{
    const struct api_calls *api = &summing->profile->api;
    uint32_t thread = ROW_NONE;
    int64_t covered_to = 0;
    for (uint32_t call = 0; call < api->count; call++) {
        uint32_t range = AT(api->range, call);
        int64_t ns = uncovered_ns(summing->profile, call, range, &thread, &covered_to);
        if (range != ROW_NONE && ns)
            subtract_inner(summing, summing->owners[range], ns);
    }
}

// An operator is eligible for Tensor Cores if an operator inside it is.
static void propagate_eligible(struct operator_summing *summing)
{
    const struct ranges *ranges = &summing->profile->ranges;
    for (uint32_t r = 0; r < ranges->count; r++) {
        uint32_t row = summing->row_of_label[AT(ranges->label, r)];
        if (!row || summing->owners[r] != r ||
            label_eligible(summing->profile, range_label(ranges, r)) != STATE_YES)
            continue;
        for (uint32_t o = next_outer_operator(summing, r); o != ROW_NONE;
             o = next_outer_operator(summing, o))
            if (summing->row_of_label[AT(ranges->label, o)])
                row_of(summing, o)->eligible = STATE_YES;
    }
}

// ---- the device -----------------------------------------------------------------------------

// Adds work to its innermost operator (self) and all enclosing ones (total).
static void add_work(struct operator_summing *summing)
{
    const struct profile *profile = summing->profile;
    const struct gpu_work *work = &profile->work;
    for (uint32_t w = 0; w < work->count; w++) {
        uint32_t range = work_range(profile, w);
        if (range == ROW_NONE || !selection_has_work(profile, summing->selection, w))
            continue;
        int64_t ns = work_duration(profile, w);
        enum tristate state = profile->functions[AT(work->function, w)].tensor_core;
        int64_t tensor_ns = state == STATE_YES ? ns : 0,
                unknown_ns = state == STATE_UNKNOWN ? ns : 0;
        uint32_t innermost = operator_at(summing, summing->owners[range]);
        for (uint32_t o = innermost; o != ROW_NONE; o = next_outer_operator(summing, o)) {
            struct operator_sum *row = row_of(summing, o);
            sum_add(&row->device_total_ns, ns);
            sum_add(&row->tensor_total_ns, tensor_ns);
            sum_add(&row->unknown_total_ns, unknown_ns);
            if (o != innermost)
                continue;
            sum_add(&row->device_self_ns, ns);
            sum_add(&row->tensor_self_ns, tensor_ns);
            sum_add(&row->unknown_self_ns, unknown_ns);
        }
    }
}

// ---- result ------------------------------------------------------------------------------------

static int compare_descending(int64_t a, int64_t b)
{
    return (a < b) - (a > b);
}

static int compare_sums(const void *a, const void *b)
{
    const struct operator_sum *x = a, *y = b;
    int order = compare_descending(x->device_self_ns, y->device_self_ns);
    if (!order)
        order = compare_descending(x->host_self_ns, y->host_self_ns);
    return order ? order : (x->label > y->label) - (x->label < y->label);
}

static void sum_operators(void *context, struct arena *scratch)
{
    struct operator_summing *summing = context;
    const struct profile *profile = summing->profile;
    summing->rows.arena = scratch;
    summing->row_of_label = ARENA_ARRAY(scratch, uint32_t, (size_t)profile->ranges.label_count + 1);
    summing->owners = operator_owners(profile, scratch);
    add_ranges(summing);
    if (HAS(profile->api.range))
        subtract_calls(summing);
    add_work(summing);
    propagate_eligible(summing);
}

struct operator_sums operator_sums_of(const struct profile *profile,
                                      const struct selection *selection, enum operator_key key,
                                      struct arena *arena)
{
    struct operator_summing summing = {
        .profile = profile, .selection = selection, .key = key, .arena = arena};
    if (!HAS(profile->ranges.parent) || !profile->markers)
        return (struct operator_sums){0};
    scratch_run(arena, sum_operators, &summing);
    if (summing.count)
        qsort(summing.items, summing.count, sizeof *summing.items, compare_sums);
    return (struct operator_sums){summing.count, summing.items};
}
