// SPDX-License-Identifier: Apache-2.0
// DLProf's detector for iterations that vary. Only its purpose is known; rule and texts are ours.
#include "analysis/detect/finding.h"
#include "analysis/report/stats.h"
#include "analysis/steps/step_sets.h"
#include "model/profile/recorder.h"
#include "model/rules/thresholds.h"

DETECTOR_DECLARE(bad_iterations);

// Returns a length in millionths of the median of its kind, so that steps of all kinds vary alike.
static int64_t of_usual(const struct step_norms *norms, uint32_t step, int64_t ns)
{
    int64_t median_ns = step_norm(norms, step)->median_ns;
    return median_ns > 0 ? (int64_t)((double)ns / (double)median_ns * 1e6) : 0;
}

static void bad_iterations(const struct profile *profile, const struct selection *selection,
                           struct finding_list *findings)
{
    (void)profile;
    const struct split *split = selection->split;
    struct arena *arena = findings->arena;
    uint32_t count = selection_iteration_count(selection), known = 0, first = ROW_NONE, last = 0;
    if (!split_has_steps(split) || count < expert_threshold("bad_iterations.minimum"))
        return;
    int64_t *chosen = ARENA_ARRAY(arena, int64_t, (size_t)count + 1);
    const int64_t *lengths = step_lengths(profile, selection, arena);
    struct step_sets sets = step_sets_of(split, lengths, arena); // as --iters=steady
    struct step_norms norms = step_norms_of(split, lengths, selection->iterations, arena);
    bool has_kinds = split_count_kinds(split, (uint32_t[STEP_KIND_COUNT]){0});
    bool is_all_steady = true;
    for (uint32_t i = 0; i < split->count; i++) {
        if (sets.steady[i]) {
            first = first == ROW_NONE ? i : first;
            last = i;
        }
        if (!selection_has_iteration(selection, i))
            continue;
        is_all_steady &= sets.steady[i];
        if (lengths[i] != UNKNOWN)
            chosen[known++] = has_kinds ? of_usual(&norms, i, lengths[i]) : lengths[i];
    }
    struct stats stats = stats_of(chosen, known);
    double variation = stats.mean > 0 ? stats.deviation / stats.mean : 0;
    if (variation <= expert_threshold("bad_iterations.variation"))
        return;
    if (sets.steady_count < 2 || is_all_steady)
        return;
    struct finding *finding = finding_add(findings, &detect_bad_iterations, SEVERITY_WARNING);
    finding->problem = arena_format(
        arena, "The aggregated iteration range of %lld to %lld contains a lot of variation",
        (long long)split->number[selection_first_iteration(selection)],
        (long long)split->number[selection_last_iteration(selection)]);
    long long from = (long long)split->number[first];
    long long to = (long long)split->number[last];
    finding->recommendation =
        recorder_of(profile) == RECORDER_NSYS
            ? arena_format(arena,
                           "Try limiting the iteration range to a steady range by rerunning with "
                           "the --database option and setting --iter_start=%lld --iter_stop=%lld",
                           from, to)
            : arena_format(arena,
                           "Limit what is aggregated to the steady iterations %lld to %lld "
                           "(--iters=%lld-%lld)",
                           from, to, from, to);
    finding->why =
        arena_format(arena,
                     "The standard deviation is %.0f %% of the mean; %u iterations in "
                     "a row lie near the median%s",
                     100 * variation, sets.steady_count, has_kinds ? " of their kind" : "");
    finding->opens = "iterations";
    finding->evidence = *selection;
    finding->evidence.iterations = sets.steady;
}

const struct detector detect_bad_iterations = {
    .id = "bad_iterations_detector",
    .title = "iterations vary",
    .doc =
        "The standard deviation of at least bad_iterations.minimum selected iterations is above "
        "bad_iterations.variation of their mean, and some run of steps is steady (--iters=steady): "
        "each within bad_iterations.tolerance of the median one. Of a server each kind of step "
        "is judged by itself.",
    .is_dlprof = true,
    .detect = bad_iterations,
};
