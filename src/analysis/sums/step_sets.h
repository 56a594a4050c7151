// SPDX-License-Identifier: Apache-2.0
// Sets of steps that have a meaning: warm-up, outliers, the steady range; sets as they are typed;
// and why steps are left out, in words.
#ifndef ANALYSIS_STEP_SETS_H
#define ANALYSIS_STEP_SETS_H

#include "analysis/sums/step_statistics.h"

// Each [split->count]. A step that the capture cut is in `cut` alone.
struct step_sets {
    bool *cut;      // the capture began or ended in it
    bool *warm_up;  // at the beginning and longer than usual, see step_is_outlier()
    bool *outliers; // of the others: such as stand out, longer or shorter
    bool *steady;   // the steady range: see steady_range(), of steps that are not cut
    uint32_t cut_count, warm_up_count, outlier_count, steady_count;
};
struct step_sets step_sets_of(const struct split *split, const int64_t *duration_ns,
                              struct arena *arena);

// The longest run of members that all lie within `tolerance` (0..1) of `median_ns`: what
// bad_iterations proposes. Returns how many they are, and the first of them.
uint32_t steady_range(const int64_t *duration_ns, const bool *members, uint32_t count,
                      double median_ns, double tolerance, uint32_t *first);

// The set that a run is seen in where none is asked for: the steps that the capture did not cut, and
// of what lies outside of steps nothing where those leave it out. NULL: all of it, which is so too
// where no step is whole.
const bool *step_set_whole(const struct split *split, struct arena *arena);

// Fills members[split->count] with what a text names (see set_parse()): numbers of steps, "all",
// "warm-up", "cut", "outliers" (those of the warm-up as well), "steady": "3-20,!7", "!outliers". A
// set that begins with ! begins from what is not cut; "all but outliers" is "!outliers". False: it is no
// set, or nothing is in it.
bool step_set_parse(const struct split *split, const int64_t *duration_ns, const char *text,
                    bool *members, struct arena *arena, struct error *error);
// The same as a set to take: "all" is everything, also what is outside of steps, and so NULL.
bool step_set_take(const struct split *split, const int64_t *duration_ns, const char *text,
                   const bool **set, struct arena *arena, struct error *error);
// These words, beside "all", in the order in which they are offered; and a line of examples.
enum step_set_word {
    STEP_SET_STEADY,
    STEP_SET_WARM_UP,
    STEP_SET_OUTLIERS,
    STEP_SET_CUT,
    STEP_SET_WORD_COUNT
};
extern const char *const step_set_words[STEP_SET_WORD_COUNT];
#define STEP_SET_EXAMPLES "3-22,!7  all  steady  !warm-up  !outliers"

struct step_choice {     // as on the command line
    const char *iters;   // NULL: not given
    int64_t start, stop; // UNKNOWN: not given
};
static inline bool step_choice_is_given(const struct step_choice *choice)
{
    return choice->iters || choice->start != UNKNOWN || choice->stop != UNKNOWN;
}
// Sets selection->iterations. False: usage.
bool step_choice_take(const struct step_choice *choice, const struct profile *profile,
                      struct selection *selection, struct arena *arena, struct error *error);

// Which steps are left out and why: "0-2 warm-up, 23 cut off by the capture"; NULL: none is.
// `usual`: of the chosen ones, what outliers are meant against; where these are half of all or fewer,
// the others are just not chosen. From STEPS_OUT_FULL on shorter and shorter.
enum steps_out_form { STEPS_OUT_FULL, STEPS_OUT_SHORT, STEPS_OUT_COUNTS, STEPS_OUT_FORMS };
const char *steps_out_text(const struct split *split, const int64_t *duration_ns,
                           const bool *members, const struct step_sets *sets,
                           const struct step_statistics *usual, enum steps_out_form form,
                           struct arena *arena);

#endif
