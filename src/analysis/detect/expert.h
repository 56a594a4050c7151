// SPDX-License-Identifier: Apache-2.0
// Findings: what is wrong, what to do, and the rows that prove it.
//
// Three kinds of detectors: DLProf's, which look at the selection and go into its report; those of
// PyTorch's TensorBoard plugin, of the same form; and those of today, which look at each step once
// (scan.h) and of the steps chosen claim parts (step.h), so that their bounds do not overlap. What
// the former say without a measured share is folded away on screen: finding_is_folded().
//
// To add a detector: two functions and one row in detect_x.c, its thresholds in rules/expert.yaml,
// and one line in detect_list.c.
#ifndef ANALYSIS_EXPERT_H
#define ANALYSIS_EXPERT_H

#include "analysis/report/selection.h"

enum severity { SEVERITY_NOTE, SEVERITY_WARNING, SEVERITY_NOT_JUDGED };

enum certainty { CERTAINTY_NONE, CERTAINTY_LIKELY, CERTAINTY_CERTAIN }; // NONE: DLProf's say none
extern const char *const certainty_names[];                             // "", "likely", "certain"

struct detector;

struct finding {
    const struct detector *detector;
    enum severity severity;
    int64_t gain_ns; // what a step can gain at most, disjoint from all others; UNKNOWN
    double share;    // of the step that this is; 0 when unknown
    enum certainty certainty;
    const char *key;     // of a detector that may speak of several things: which of them this
                         // is, whatever else is selected; else NULL
    const char *id;      // "sync_drain:cudaStreamSynchronize@step N": the same for every set
    const char *place;   // path of the op tree, or NULL
    const char *source;  // line of the program that most of it comes from, or NULL
    const char *problem; // one sentence with the figures
    const char *recommendation; // what to do
    const char *why;            // the evidence in words, or NULL
    const char *flag;           // NOT_JUDGED: nsys option that would tell more, NULL: none does
    const char *opens;          // report with the rows that prove it, or NULL
    struct selection evidence;  // selection for that report
    const char *filter;         // of its rows, as a person would type it, or NULL
    const char *sort;           // of its rows, "-exclusive": descending; NULL: as the report's own
};

struct finding_list {
    struct arena *arena;
    struct finding *items;
    size_t count, capacity;
    int64_t gain_ns;  // of all findings with a bound, which do not overlap, ...
    double share;     // ... and of the step
    uint32_t device;  // the GPU that today's findings look at: the one that the others wait for
    bool is_blind;    // no GPU ran anything in what is selected: today's detectors judge nothing
    uint32_t steps;   // selected, ...
    const char *unit; // what one is called: "step"
    uint32_t cut;     // ... and of these cut by the capture, which today's findings leave out
    int64_t step_ns;  // its mean step, or all its time: what shares are of; 0: no GPU ran anything
    bool lacks_times; // what is not told when it ran: step_ns is the work alone
};

struct scan;
struct step;

// A file that names one detector declares it: DETECTOR_DECLARE(slow_gpu);
#define DETECTOR_DECLARE(name) extern const struct detector detect_##name

struct detector {
    const char *id;    // "amp_detector", stable
    const char *title; // plain name
    const char *doc;   // the rule, for the man page
    bool is_dlprof;    // one of DLProf's, with its texts: goes into expert_systems
    bool is_plugin;    // one of PyTorch's TensorBoard plugin
    bool comes_first;  // speaks of the capture and not of the program: above all findings
    // Names, durations and what markers tell are enough for it; the others cannot judge where no file
    // tells when things ran (profile.lacks_times).
    bool needs_no_times;
    void (*detect)(const struct profile *profile, const struct selection *selection,
                   struct finding_list *findings); // DLProf's and the plugin's
    // Today's, instead: what is to be found in each step, whichever are chosen (NULL: nothing), and
    // a judgement of those that are.
    void (*scan)(struct scan *scan);
    void (*judge)(struct step *step, const struct scan *scan, struct finding_list *findings);
};
extern const struct detector *const detectors[]; // DLProf's in its order, then today's
extern const size_t detector_count;

// What spoils the capture, warnings, notes, what could not be judged, and last what is folded. Of
// one kind today's by what they gain, then the others in the order of their detectors.
struct finding_list expert_run(const struct profile *profile, const struct selection *selection,
                               struct arena *arena);
// What DLProf's detectors say alone, in their order.
struct finding_list expert_dlprof(const struct profile *profile, const struct selection *selection,
                                  struct arena *arena);

// Adds one; returns it for filling in what is not given here.
struct finding *finding_add(struct finding_list *findings, const struct detector *detector,
                            enum severity severity);

// Said by DLProf or the plugin without a measured share of the step.
bool finding_is_folded(const struct finding *finding);
// Its number everywhere, from 1: its place among the findings and notes on the program. 0: none.
size_t expert_number(const struct finding_list *findings, const struct finding *finding);
size_t expert_count(const struct finding_list *findings, enum severity severity); // not folded
size_t expert_folded(const struct finding_list *findings);
size_t expert_clean(const struct finding_list *findings); // detectors that say nothing
// "156 ms = 37.9% of GPU 2's 412 ms", at most; NULL: nothing has a bound.
const char *expert_together(const struct finding_list *findings, const struct profile *profile,
                            bool ascii, struct arena *arena);
// "DLProf would also say 3 and not judge 2": what is folded. NULL: nothing is.
const char *expert_others(const struct finding_list *findings, struct arena *arena);
const char *detector_source(const struct detector *detector); // "dlprof-tui", "dlprof", "plugin"

// The rule with its thresholds as they are now: "loader_wait.share = 0.01".
const char *expert_rule(const struct detector *detector, struct arena *arena);

// The finding with all its figures as one line to paste, without control characters.
const char *expert_paragraph(const struct finding_list *findings, const struct finding *finding,
                             const struct profile *profile, struct arena *arena);

// Place and line of the program: "step N > loss.item, train.py:88 step"; NULL: neither is known.
const char *expert_where(const struct finding *finding, struct arena *arena);

// What gains are of: "a step" or, where no steps are found, "of the capture".
const char *expert_unit(const struct selection *selection);

// What shares are of, in words: "446 ms", or "GPU 2's 446 ms" where there are others.
const char *expert_whole(const struct finding_list *findings, const struct profile *profile,
                         bool ascii, struct arena *arena);

// "23 of 24: 1 cut step is not judged", or NULL.
const char *expert_left_out(const struct finding_list *findings, struct arena *arena);

// Whether an option of nsys would tell more about what could not be judged.
bool expert_would_tell_more(const struct finding_list *findings);

// What stands where no finding is; without GPU work that is no praise: `is_judged` is false, and
// today's detectors are all listed as not judged.
const char *expert_none(const struct profile *profile, const struct finding_list *findings,
                        bool *is_judged);

// The nsys line that would capture what this profile lacks.
const char *expert_capture_line(const struct profile *profile, struct arena *arena);

#endif
