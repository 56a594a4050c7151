// SPDX-License-Identifier: Apache-2.0
// Sets of steps: warm-up, outliers, the steady range; sets as typed by the user; and the reasons
// why steps are omitted, in words.
#ifndef ANALYSIS_STEPS_STEP_SETS_H
#define ANALYSIS_STEPS_STEP_SETS_H

#include "analysis/steps/step_statistics.h"

// Sets as arrays [split->count]. A cut step is only in `cut`.
struct step_sets {
    bool *cut;      // the capture began or ended within the step
    bool *warm_up;  // at the beginning and longer than usual, see step_stands_out()
    bool *outliers; // other steps that are notably longer or shorter than usual for their kind
    bool *steady;   // steady_range() of the steps that are not cut
    uint32_t cut_count, warm_up_count, outlier_count, steady_count;
};
struct step_sets step_sets_of(const struct split *split, const int64_t *duration_ns,
                              struct arena *arena);

// Finds the longest run of members within `tolerance` (0..1) of the step of median length of their
// kind, which the detector bad_iterations proposes; not of the median itself, which lies between
// the lengths if half of the steps are longer. Returns its length and sets *first.
uint32_t steady_range(const struct step_norms *norms, const int64_t *duration_ns,
                      const bool *members, double tolerance, uint32_t *first);

// Returns the default set: steps that are not cut. NULL: all time; returned if no step is cut
// (unless the split excludes time outside of steps), or if all are.
const bool *step_set_default(const struct split *split, struct arena *arena);

// Fills members[split->count] with the set that a text names (see set_parse()): numbers of steps,
// "all", "warm-up", "cut", "outliers" (including warm-up), "steady", "decode", as in "3-20,!7" or
// "!outliers". A set that begins with ! starts from all steps that are not cut; "all but outliers"
// means "!outliers". Returns false if the text is not a set or the set is empty.
bool step_set_parse(const struct split *split, const int64_t *duration_ns, const char *text,
                    bool *members, struct arena *arena, struct error *error);
// The same as a set for a selection: "all" includes what is outside of steps, and is therefore
// NULL.
bool step_set_choose(const struct split *split, const int64_t *duration_ns, const char *text,
                     const bool **set, struct arena *arena, struct error *error);
// The words other than "all", in the order of suggestions; and a line of examples.
enum step_set_word {
    STEP_SET_STEADY,
    STEP_SET_WARM_UP,
    STEP_SET_OUTLIERS,
    STEP_SET_CUT,
    // The kinds of steps of a server, from STEP_PREFILL on.
    STEP_SET_KINDS,
    STEP_SET_WORD_COUNT = STEP_SET_KINDS + STEP_KIND_COUNT - STEP_PREFILL
};
extern const char *const step_set_words[STEP_SET_WORD_COUNT];
// Returns whether a word can name steps of the split: those of a server have kinds.
bool step_set_word_applies(const struct split *split, enum step_set_word word);
// Sets members[split->count] to the steps of a kind that are not cut; returns how many.
uint32_t step_set_of_kind(const struct split *split, enum step_kind kind, bool *members);
#define STEP_SET_EXAMPLES "3-22,!7  all  steady  !warm-up  !outliers"

struct step_choice {     // choice of steps on the command line
    const char *iters;   // NULL: not given
    int64_t start, stop; // UNKNOWN: not given
};
static inline bool step_choice_is_given(const struct step_choice *choice)
{
    return choice->iters || choice->start != UNKNOWN || choice->stop != UNKNOWN;
}
// Sets selection->iterations. Returns false with a usage error.
bool step_choice_apply(const struct step_choice *choice, const struct profile *profile,
                       struct selection *selection, struct arena *arena, struct error *error);

// Returns the omitted steps with the reasons: "0-2 warm-up, 23 cut off by the capture"; NULL: none.
// `norms` are those of the chosen steps, which define outliers. If at most half of all
// steps are chosen, the others are just "not chosen". The forms are ordered from long to short.
enum omitted_steps_form {
    OMITTED_STEPS_FULL,
    OMITTED_STEPS_SHORT,
    OMITTED_STEPS_COUNTS,
    OMITTED_STEPS_FORMS
};
const char *omitted_steps_text(const struct split *split, const int64_t *duration_ns,
                               const bool *members, const struct step_sets *sets,
                               const struct step_norms *norms, enum omitted_steps_form form,
                               struct arena *arena);

#endif
