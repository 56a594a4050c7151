// SPDX-License-Identifier: Apache-2.0
// Reports what makes the capture incomplete or unlike a run without a profiler. Shown before any
// advice.
#include "analysis/detect/finding.h"
#include "analysis/detect/step.h"
#include "model/profile/recorder.h"
#include "model/rules/thresholds.h"

DETECTOR_DECLARE(capture_quality);

static void add_note(struct finding_list *findings, const char *key, const char *problem,
                     const char *recommendation)
{
    struct finding *finding = finding_add(findings, &detect_capture_quality, SEVERITY_NOTE);
    finding->key = key;
    finding->problem = problem;
    finding->recommendation = recommendation;
    finding->opens = "trust";
}

static void capture_quality(struct step *step, const struct scan *scan,
                            struct finding_list *findings)
{
    (void)scan;
    const struct profile *profile = step->profile;
    const struct note *lost = profile_find_note(profile, "lost_events");
    if (lost)
        add_note(findings, "lost_events",
                 arena_format(step->arena, "Events were lost: %s", lost->text),
                 recorder_advice_text(profile, ADVISE_LOST));
    if (profile_find_note(profile, "event_trace"))
        add_note(
            findings, "event_trace",
            "CUDA events were traced: the profiler can make streams wait for each other, so that "
            "work that overlaps without it does not here",
            recorder_advice_text(profile, ADVISE_EVENTS));
    if (profile->lacks_times)
        return; // the rest is about gaps and steps
    if (step->has_steps && step->window_count < expert_threshold("capture_quality.steps"))
        add_note(
            findings, "few_steps",
            arena_format(step->arena,
                         "Only %u whole step%s: what happens in every step and what happened once "
                         "cannot be told apart",
                         step->window_count, step->window_count == 1 ? "" : "s"),
            "Capture ten steps or more, after the warm-up");
    // A trace has a range for every op anyway; notes of its loader say what more was recorded.
    if (recorder_of(profile) == RECORDER_NSYS &&
        (HAS(profile->ranges.op_id) || HAS(profile->ranges.seq)))
        add_note(findings, "op_ranges", recorder_advice_text(profile, ADVISE_OPS_COST),
                 recorder_advice_text(profile, ADVISE_OPS));
}

const struct detector detect_capture_quality = {
    .id = "capture_quality",
    .title = "what distorts the capture",
    .doc = "Events were lost, CUDA events traced, every op has a range in a capture of nsys, or "
           "there are fewer than "
           "capture_quality.steps whole steps. A note above all findings; no gain.",
    .needs_no_times = true,
    .is_about_capture = true,
    .judge = capture_quality,
};
