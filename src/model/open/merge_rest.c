// SPDX-License-Identifier: Apache-2.0
// Merges the rest of several parts once their rows are concatenated: samples of GPU metrics,
// descriptions of the captures, and notes.
#include <stdio.h>
#include <string.h>

#include "base/text/text.h"
#include "model/open/merge_small.h"

// ---- samples of GPU metrics --------------------------------------------------------------------

struct metric_series { // the samples of one part
    uint32_t part, first, count;
};

// Finds the samples of each GPU and metric. If several parts sampled a GPU, the first one is used:
// all have the same samples.
static struct metric_series *find_series(const struct profile_merger *merger, uint32_t groups)
{
    struct metric_series *all =
        ARENA_ARRAY(merger->merged->arena, struct metric_series, (size_t)groups + 1);
    for (uint32_t p = 0; p < merger->count; p++) {
        const struct profile *part = merger->parts[p].profile;
        uint32_t own = part->metrics.first ? part->device_count * METRIC_COUNT : 0;
        for (uint32_t g = 0; g < own; g++) {
            uint32_t device = merged_row(merger, p, REFERS_DEVICE, g / METRIC_COUNT);
            struct metric_series *series = &all[device * METRIC_COUNT + g % METRIC_COUNT];
            uint32_t first = part->metrics.first[g], count = part->metrics.first[g + 1] - first;
            if (!series->count)
                *series = (struct metric_series){p, first, count};
        }
    }
    return all;
}

static void merge_metrics(struct profile_merger *merger)
{
    struct profile *merged = merger->merged;
    struct gpu_metrics *metrics = &merged->metrics;
    uint32_t groups = merged->device_count * METRIC_COUNT, count = 0;
    const struct metric_series *all = find_series(merger, groups);
    for (uint32_t g = 0; g < groups; g++)
        count += all[g].count;
    if (!count)
        return;
    metrics->time = ARENA_ARRAY(merged->arena, int64_t, count);
    metrics->sum = ARENA_ARRAY(merged->arena, double, count);
    metrics->first = ARENA_ARRAY(merged->arena, uint32_t, (size_t)groups + 1);
    for (uint32_t g = 0; g < groups; g++) {
        const struct metric_series *series = &all[g];
        const struct part *part = &merger->parts[series->part];
        metrics->first[g] = metrics->count;
        for (uint32_t i = series->first; i < series->first + series->count; i++) {
            metrics->time[metrics->count] = part_time(&part->clock, part->profile->metrics.time[i]);
            metrics->sum[metrics->count++] = part->profile->metrics.sum[i];
        }
    }
    metrics->first[groups] = metrics->count;
}

// ---- descriptions of the captures --------------------------------------------------------------

// Keeps a text only if all parts have the same.
static void merge_text(const char **text, const char *other, struct arena *arena)
{
    if (!*text)
        *text = arena_text(arena, other);
    else if (strcmp(*text, other) != 0)
        *text = "";
}

static void merge_capture(struct profile_merger *merger)
{
    struct profile *merged = merger->merged;
    struct capture all = {0};
    for (uint32_t p = 0; p < merger->count; p++) {
        const struct capture *part = &merger->parts[p].profile->capture;
        merge_text(&all.cpu, part->cpu, merged->arena);
        merge_text(&all.driver, part->driver, merged->arena);
        merge_text(&all.cuda, part->cuda, merged->arena);
        merge_text(&all.cudnn, part->cudnn, merged->arena);
        merge_text(&all.framework, part->framework, merged->arena);
        merge_text(&all.nsys, part->nsys, merged->arena);
        merge_text(&all.dlprof, part->dlprof, merged->arena);
        merge_text(&all.dlprof_build, part->dlprof_build, merged->arena);
        merge_text(&all.graph_mode, part->graph_mode, merged->arena);
        merge_text(&all.event_trace, part->event_trace, merged->arena);
        merge_text(&all.trace_options, part->trace_options, merged->arena);
    }
    const struct capture *first = &merger->parts[0].profile->capture;
    all.name = merged->capture.name;
    all.started = arena_text(merged->arena, first->started);
    all.utc_epoch_ns = first->utc_epoch_ns;
    merged->capture = all;
}

static void merge_extent(struct profile_merger *merger)
{
    struct profile *merged = merger->merged;
    bool has_any = false;
    for (uint32_t p = 0; p < merger->count; p++) {
        const struct part *part = &merger->parts[p];
        const struct profile *profile = part->profile;
        merged->has_kernels |= profile->has_kernels;
        merged->has_api |= profile->has_api;
        merged->has_api_results |= profile->has_api_results;
        merged->has_ranges |= profile->has_ranges;
        merged->has_osrt |= profile->has_osrt;
        merged->has_syncs |= profile->has_syncs;
        merged->has_overhead |= profile->has_overhead;
        merged->has_gpu_metrics |= profile->has_gpu_metrics;
        merged->has_memory_events |= profile->has_memory_events;
        merged->has_allocations |= profile->has_allocations;
        merged->has_diagnostics |= profile->has_diagnostics;
        if (profile->first_ns == 0 && profile->last_ns == 0)
            continue;
        int64_t from = part_time(&part->clock, profile->first_ns);
        int64_t to = part_time(&part->clock, profile->last_ns);
        merged->first_ns = !has_any || from < merged->first_ns ? from : merged->first_ns;
        merged->last_ns = !has_any || to > merged->last_ns ? to : merged->last_ns;
        has_any = true;
    }
}

static void count_add(int64_t *all, int64_t own)
{
    if (__builtin_add_overflow(*all, own, all))
        *all = INT64_MAX;
}

static void merge_counts(struct profile_merger *merger)
{
    struct profile *merged = merger->merged;
    size_t capacity = 0;
    for (uint32_t p = 0; p < merger->count; p++) {
        const struct profile *part = merger->parts[p].profile;
        for (size_t i = 0; i < part->table_count; i++) {
            const struct table_count *count = &part->tables[i];
            size_t at = 0;
            while (at < merged->table_count && strcmp(merged->tables[at].table, count->table) != 0)
                at++;
            if (at == merged->table_count)
                ARENA_PUSH(merged->arena, merged->tables, merged->table_count, capacity) =
                    (struct table_count){.table = arena_text(merged->arena, count->table),
                                         .why = ""};
            struct table_count *all = &merged->tables[at];
            count_add(&all->rows, count->rows);
            count_add(&all->skipped, count->skipped);
            if (!*all->why)
                all->why = arena_text(merged->arena, count->why);
        }
    }
}

// ---- notes -------------------------------------------------------------------------------------

struct note_count {
    uint32_t parts, first;
    int64_t count;
};

static struct note_count look_for(const struct profile_merger *merger, const char *key)
{
    struct note_count seen = {0};
    for (uint32_t p = merger->count; p-- > 0;) {
        const struct note *note = profile_find_note(merger->parts[p].profile, key);
        if (!note)
            continue;
        seen.parts++;
        seen.first = p;
        count_add(&seen.count, note->count);
    }
    return seen;
}

// Merges the notes: a note of several files becomes one, with the text of the first file.
static void merge_notes(struct profile_merger *merger)
{
    struct profile *merged = merger->merged;
    for (uint32_t p = 0; p < merger->count; p++) {
        const struct profile *part = merger->parts[p].profile;
        for (size_t i = 0; i < part->note_count; i++) {
            const struct note *note = &part->notes[i];
            if (profile_find_note(merged, note->key))
                continue;
            struct note_count seen = look_for(merger, note->key);
            const char *file = text_file_name(part->sources[0].path, NULL);
            char where[100] = "";
            if (seen.parts > 1)
                snprintf(where, sizeof where, " (and in %u more of the %u files)", seen.parts - 1,
                         merger->count);
            profile_note(merged, note->level, arena_text(merged->arena, note->key), seen.count,
                         arena_text(merged->arena, note->flag), "%s: %s%s", file, note->text,
                         where);
        }
    }
}

void merge_rest(struct profile_merger *merger)
{
    merge_metrics(merger);
    merge_capture(merger);
    merge_extent(merger);
    merge_counts(merger);
    merge_notes(merger);
}
