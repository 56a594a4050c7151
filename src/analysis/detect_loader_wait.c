// SPDX-License-Identifier: Apache-2.0
// The GPU is idle because it waits for the data loader.
#include <string.h>

#include "analysis/detect_list.h"
#include "analysis/step.h"
#include "base/sort.h"
#include "model/markers.h"

static bool has_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) {
        char before = at > text ? at[-1] : ' ', after = at[length];
        bool is_inner = (before >= 'a' && before <= 'z') || (before >= 'A' && before <= 'Z') ||
                        (before >= '0' && before <= '9') || before == '_' ||
                        (after >= 'a' && after <= 'z') || (after >= '0' && after <= '9') ||
                        after == '_';
        if (!is_inner)
            return true;
    }
    return false;
}

static bool is_loader_text(const char *text)
{
    static const char *const words[] = {"DataLoader", "dataloader", "__next__", "next_batch"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (has_word(text, words[i]))
            return true;
    return false;
}

struct loader_ranges {
    size_t count, capacity;
    uint32_t *rows;   // outermost ones of threads that launch, by start
    int64_t total_ns; // of them, in the windows or not
};

static int compare_starts(const void *context, uint32_t a, uint32_t b)
{
    const struct ranges *ranges = context;
    return (ranges->start[a] > ranges->start[b]) - (ranges->start[a] < ranges->start[b]);
}

static struct loader_ranges find_loader_ranges(const struct step *step)
{
    const struct profile *profile = step->profile;
    const struct ranges *ranges = &profile->ranges;
    struct loader_ranges found = {0};
    bool *is_loader = ARENA_ARRAY(step->scratch, bool, (size_t)profile->marker_count + 1);
    for (uint32_t m = 0; m < profile->marker_count; m++)
        is_loader[m] = profile->markers[m].kind == MARKER_DATALOADER ||
                       is_loader_text(profile_text(profile, profile->markers[m].text));
    for (uint32_t t = 0; t < profile->thread_count; t++) {
        if (!step->launches[t])
            continue;
        const struct thread *thread = &profile->threads[t];
        for (uint32_t r = thread->first_range; r < thread->end_range;) {
            if (!is_loader[ranges->marker[r]] || ranges->is_open[r]) {
                r++;
                continue;
            }
            ARENA_PUSH(step->scratch, found.rows, found.count, found.capacity) = r;
            r = ranges->subtree_end[r] > r ? ranges->subtree_end[r] : r + 1;
        }
    }
    sort_ids(found.rows, found.count, compare_starts, ranges, step->scratch);
    return found;
}

enum { WAITS_MIN = 3 }; // where no steps are found: so many waits are no start-up

static void loader_wait(struct step *step, struct finding_list *findings)
{
    const struct profile *profile = step->profile;
    const struct ranges *ranges = &profile->ranges;
    if (step->hides_work || ranges->count == 0)
        return;
    struct loader_ranges loader = find_loader_ranges(step);
    int64_t *per_node = step_node_sums(step), inside = 0;
    size_t next = 0;
    for (size_t s = 0; s < step->count; s++) {
        const struct stretch *stretch = &step->stretches[s];
        while (next < loader.count && ranges->end[loader.rows[next]] <= stretch->from)
            next++;
        for (size_t i = next; i < loader.count && ranges->start[loader.rows[i]] < stretch->to;
             i++) {
            uint32_t row = loader.rows[i];
            int64_t from = ranges->start[row], to = ranges->end[row];
            from = from > stretch->from ? from : stretch->from;
            to = to < stretch->to ? to : stretch->to;
            if (to <= from)
                continue;
            inside += to - from;
            if (stretch->work != ROW_NONE)
                continue;
            claims_want(&step->claims, from, to, 0, stretch->window);
            uint32_t node = selection_range_node(profile, step->selection, row);
            per_node[node == ROW_NONE ? 0 : node] += to - from;
        }
    }
    int64_t idle_ns = claims_measure(&step->claims);
    uint32_t hit = step_windows_hit(step);
    bool speaks = hit > expert_threshold("loader_wait.steps") * step->window_count &&
                  (step->has_steps || step->claims.count >= WAITS_MIN) &&
                  step_share(step, idle_ns) > expert_threshold("loader_wait.share");
    struct finding *finding =
        step_claim(step, findings, &detect_loader_wait, speaks, idle_ns, step_host_certainty(step));
    if (!finding)
        return;
    const char *steps =
        step->has_steps ? arena_format(step->arena, ", in %u of %u steps", hit, step->window_count)
                        : "";
    finding->problem = arena_format(step->arena, "The GPU waits for the data loader%s: %s %s",
                                    steps, step_duration(step, idle_ns), step_unit(step));
    finding->recommendation =
        "More loader workers or a larger prefetch_factor, pin_memory=True, and decoding moved off "
        "the slow path (or onto the GPU); see what the workers wait for";
    finding->why = arena_format(step->arena,
                                "The thread that launches is inside the loader for %s %s while "
                                "nothing runs on the GPU. Not "
                                "counted: %s in it that other work on the GPU hides",
                                step_duration(step, idle_ns), step_unit(step),
                                step_duration(step, inside - idle_ns));
    uint32_t node = step_place(step, per_node);
    finding->place = step_node_text(step, node);
    finding->opens = step->has_steps ? "iterations" : "ranges";
    if (!step->has_steps && node != ROW_NONE && node != 0)
        finding->evidence.node = node;
}

const struct detector detect_loader_wait = {
    .id = "loader_wait",
    .title = "the GPU waits for the data loader",
    .doc = "The GPU is idle while a thread that launches is inside a range of a data loader, in "
           "more than loader_wait.steps of the steps and for more than loader_wait.share of the "
           "step. Bound: that idle time.",
    .claim = loader_wait,
};
