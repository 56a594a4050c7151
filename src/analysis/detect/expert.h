// SPDX-License-Identifier: Apache-2.0
// Findings: what is wrong, what to do, and the rows that prove it.
//
// There are three kinds of detectors. DLProf's look at the selection as a whole and go into its
// report. Those of PyTorch's TensorBoard plugin have the same form. Native detectors scan each step
// once (scan.h) and claim parts of the chosen steps (step.h), so that their bounds do not overlap.
// Findings of the first two kinds without a measured share are folded away on screen:
// finding_is_folded().
//
// To add a detector: write two functions and one struct in detect_x.c, put its thresholds in
// rules/expert.yaml, and add a line to detect_list.c; among native detectors an earlier line claims
// first.
#ifndef ANALYSIS_DETECT_EXPERT_H
#define ANALYSIS_DETECT_EXPERT_H

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
    bool lacks_gpu_work; // no GPU ran anything in the selection, so native detectors judge nothing
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
    bool is_dlprof;        // one of DLProf's, with its texts; goes into expert_systems
    bool is_plugin;        // one of PyTorch's TensorBoard plugin
    bool is_about_capture; // about the capture, not the program; shown above all findings
    // Names, durations and markers suffice. Other detectors cannot judge files that do not record
    // when things ran (profile.lacks_times).
    bool needs_no_times;
    void (*detect)(const struct profile *profile, const struct selection *selection,
                   struct finding_list *findings); // DLProf's and the plugin's
    // Native detectors instead: scan() finds what there is in each step, chosen or not (NULL:
    // nothing); judge() judges the chosen steps.
    void (*scan)(struct scan *scan);
    void (*judge)(struct step *step, const struct scan *scan, struct finding_list *findings);
};
extern const struct detector *const detectors[]; // DLProf's in its order, then native
extern const size_t detector_count;

// Runs all detectors. Order: capture problems, warnings, notes, not judged, folded. Within each,
// native findings come by gain, then the others in the order of their detectors.
struct finding_list expert_run(const struct profile *profile, const struct selection *selection,
                               struct arena *arena);
// Runs only DLProf's detectors, in their order.
struct finding_list expert_dlprof(const struct profile *profile, const struct selection *selection,
                                  struct arena *arena);

// Adds a finding and returns it; the caller fills in the remaining fields.
struct finding *finding_add(struct finding_list *findings, const struct detector *detector,
                            enum severity severity);

// True for findings of DLProf or the plugin without a measured share of the step.
bool finding_is_folded(const struct finding *finding);
// Returns the number shown for a finding, from 1: its place among findings and notes on the
// program. 0: it has none.
size_t expert_number(const struct finding_list *findings, const struct finding *finding);
// Without folded ones.
size_t expert_count(const struct finding_list *findings, enum severity severity);
size_t expert_folded(const struct finding_list *findings);
size_t expert_passed_count(const struct finding_list *findings); // detectors without a finding
// "156 ms = 37.9% of GPU 2's 412 ms"; NULL if nothing has a bound.
const char *expert_total_text(const struct finding_list *findings, const struct profile *profile,
                              bool ascii, struct arena *arena);
// "DLProf would also say 3 and not judge 2": the folded findings. NULL if there are none.
const char *expert_folded_text(const struct finding_list *findings, struct arena *arena);
const char *detector_source(const struct detector *detector); // "dlprof-tui", "dlprof", "plugin"

// The rule with the current thresholds: "loader_wait.share = 0.01".
const char *expert_rule(const struct detector *detector, struct arena *arena);

// The finding with all its figures as one line for pasting, without control characters.
const char *expert_paragraph(const struct finding_list *findings, const struct finding *finding,
                             const struct profile *profile, struct arena *arena);

// Place and line of the program: "step N > loss.item, train.py:88 step"; NULL if neither is known.
const char *expert_place_text(const struct finding *finding, struct arena *arena);

// The unit that gains refer to: "a step" or, without steps, "of the capture".
const char *expert_unit(const struct selection *selection);

// The time that shares refer to: "446 ms", or "GPU 2's 446 ms" if there are several.
const char *expert_base_text(const struct finding_list *findings, const struct profile *profile,
                             bool ascii, struct arena *arena);

// "23 of 24: 1 cut step is not judged", or NULL.
const char *expert_cut_text(const struct finding_list *findings, struct arena *arena);

// True if a capture option would allow judging something that is not judged now.
bool expert_has_capture_hint(const struct finding_list *findings);

// The text shown if there are no findings. Without GPU work *is_judged is false, and all native
// detectors are listed as not judged.
const char *expert_empty_text(const struct profile *profile, const struct finding_list *findings,
                              bool *is_judged);

// The command line that would capture what this profile lacks.
const char *expert_capture_line(const struct profile *profile, struct arena *arena);

#endif
