// SPDX-License-Identifier: Apache-2.0
// Findings: what is wrong, what to do, and the rows that prove it.
//
// There are three kinds of detectors. DLProf's judge the selection as a whole and are part of its
// report. Those of PyTorch's TensorBoard plugin have the same form. Native detectors scan each step
// once (scan.h) and claim parts of the chosen steps (step.h), so that their bounds do not overlap.
// Findings of the first two kinds without a measured share are folded away on screen:
// finding_is_folded().
//
// To add a detector: write analysis/detectors/detect_x.c with two functions and one struct, put its
// thresholds in rules/expert.yaml, and add a line to detector_list.c; among native detectors an
// earlier line claims first.
#ifndef ANALYSIS_DETECT_FINDING_H
#define ANALYSIS_DETECT_FINDING_H

#include "analysis/report/selection.h"

enum severity { SEVERITY_NOTE, SEVERITY_WARNING, SEVERITY_NOT_JUDGED };

// NONE: DLProf's detectors have no certainty
enum certainty { CERTAINTY_NONE, CERTAINTY_LIKELY, CERTAINTY_CERTAIN };
extern const char *const certainty_names[]; // "", "likely", "certain"

struct detector;

struct finding {
    const struct detector *detector;
    enum severity severity;
    int64_t gain_ns; // upper bound of the gain per step, disjoint from all other findings; UNKNOWN
    double share;    // gain_ns as a share of the step; 0 if unknown
    enum certainty certainty;
    // For detectors that can report several problems: which one this is, independent of the
    // selection; else NULL.
    const char *key;
    const char *id;    // "sync_drain:cudaStreamSynchronize@step N": the same for every set of steps
    const char *place; // path of the op tree, or NULL
    const char *source;         // line of the program that causes most of it, or NULL
    const char *problem;        // one sentence with the figures
    const char *recommendation; // what to do
    const char *why;            // the evidence in words, or NULL
    const char *flag;  // NOT_JUDGED: nsys option that would record what is missing; NULL: none
    const char *opens; // report with the rows that prove it, or NULL
    struct selection evidence; // selection for that report
    const char *filter;        // filter for its rows, as typed by the user, or NULL
    const char *sort; // order of its rows, "-exclusive" for descending; NULL: the report's own
};

struct finding_list {
    struct arena *arena;
    struct finding *items;
    size_t count, capacity;
    int64_t gain_ns;     // sum over all findings with a bound, which do not overlap
    double share;        // the same as a share of the step
    uint32_t device;     // the GPU that native detectors judge: the one that the others wait for
    bool lacks_gpu_work; // no GPU ran work in the selection, so native detectors cannot judge
    uint32_t steps;      // number of selected steps
    const char *unit;    // name of one: "step"
    uint32_t cut;        // selected steps that the capture cuts, which native detectors leave out
    // Mean length of a step, or all time; shares refer to it; 0: no GPU ran anything.
    int64_t step_ns;
    bool lacks_times; // start times are not recorded: step_ns is the work alone
};

struct scan;
struct step;

// A file that names one detector declares it: DETECTOR_DECLARE(slow_gpu);
#define DETECTOR_DECLARE(name) extern const struct detector detect_##name

struct detector {
    const char *id;        // "amp_detector", stable
    const char *title;     // plain name
    const char *doc;       // the rule, for the man page
    bool is_dlprof;        // one of DLProf's, with its texts; shown in the report expert_systems
    bool is_plugin;        // one of PyTorch's TensorBoard plugin
    bool is_about_capture; // about the capture, not the program; shown above all findings
    // Names, durations and markers suffice. Other detectors cannot judge files that do not record
    // when things ran (profile.lacks_times).
    bool needs_no_times;
    // Judges GPU work that is not there: idle time, utilisation, unused GPUs. It cannot judge where
    // records of GPU work are known to be missing (work_is_missing()).
    bool needs_all_work;
    void (*detect)(const struct profile *profile, const struct selection *selection,
                   struct finding_list *findings); // DLProf's and the plugin's
    // Native detectors instead: scan() finds what there is in each step, chosen or not (NULL:
    // nothing); judge() judges the chosen steps.
    void (*scan)(struct scan *scan);
    void (*judge)(struct step *step, const struct scan *scan, struct finding_list *findings);
};
struct detector_list {
    const struct detector *const *items;
    size_t count;
};

// Adds a finding and returns it; the caller fills in the remaining fields.
struct finding *finding_add(struct finding_list *findings, const struct detector *detector,
                            enum severity severity);

// The unit that gains refer to: "a step" or, without steps, "of the capture".
const char *expert_unit(const struct selection *selection);

#endif
