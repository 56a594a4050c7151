// SPDX-License-Identifier: Apache-2.0
// Splits by an aggregation that a DLProf database contains.
#include <stdlib.h>
#include <string.h>

#include "base/text/format.h"
#include "model/steps/split_build.h"

static const char prefix[] = "aggregation:";

const char *aggregation_name(const struct aggregation *aggregation, struct arena *arena)
{
    return arena_format(arena, "%s%lld", prefix, (long long)aggregation->id);
}

const struct aggregation *aggregation_find(const struct profile *profile, const char *name)
{
    if (strncmp(name, prefix, sizeof prefix - 1) != 0)
        return NULL;
    char *end;
    long long id = strtoll(name + sizeof prefix - 1, &end, 10);
    for (uint32_t i = 0; i < profile->aggregation_count && !*end; i++)
        if (profile->aggregations[i].id == id && profile->aggregations[i].count > 1)
            return &profile->aggregations[i];
    return NULL;
}

bool aggregation_has(const struct aggregation *aggregation, uint32_t window)
{
    return aggregation->number[window] >= aggregation->first &&
           aggregation->number[window] <= aggregation->last;
}

const char *aggregation_text(const struct aggregation *aggregation, struct arena *arena)
{
    char count[FORMAT_SIZE];
    format_counted(count, aggregation->count, "iteration");
    if (aggregation->count == 1)
        return arena_format(arena, "aggregation %lld: %s, key op \"%s\" not found",
                            (long long)aggregation->id, count, aggregation->key);
    uint32_t first = 0, last = aggregation->count - 1;
    while (first < last && !aggregation_has(aggregation, first))
        first++;
    while (last > first && !aggregation_has(aggregation, last))
        last--;
    return arena_format(arena, "aggregation %lld: iterations %lld to %lld of %s by key op \"%s\"",
                        (long long)aggregation->id, (long long)aggregation->number[first],
                        (long long)aggregation->number[last], count, aggregation->key);
}

struct split *split_by_aggregation(const struct profile *profile,
                                   const struct aggregation *aggregation, struct arena *arena)
{
    uint32_t count = aggregation->count;
    bool is_excess = split_exceeds(profile, count);
    if (count == 1 || is_excess) {
        struct split *split = split_unmarked(profile, arena);
        split->key = aggregation->key;
        split->text = arena_format(arena, "1 iteration: DLProf did not find the key op \"%s\"",
                                   aggregation->key);
        if (is_excess)
            split_report_excess(split, count, arena);
        return split;
    }
    struct split *split = split_new_by_key(arena, count);
    split->is_told = true;
    split->key_found = true;
    split->key = aggregation_name(aggregation, arena);
    split->text = arena_format(arena, "%u iterations by key op %s (DLProf's aggregation %lld)",
                               count, aggregation->key, (long long)aggregation->id);
    for (uint32_t i = 0; i < count; i++) {
        split->number[i] = aggregation->number[i];
        split->start[i] = aggregation->start[i];
        split->stop[i] = aggregation->stop[i];
        split->is_cut[i] = !aggregation_has(aggregation, i);
    }
    split_fill_rows(profile, split, arena);
    split_settle(profile, split, false, arena);
    return split;
}
