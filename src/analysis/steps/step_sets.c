// SPDX-License-Identifier: Apache-2.0
// Computes sets of steps, parses typed sets, and describes omitted steps.
#include "analysis/steps/step_sets.h"

#include <math.h>
#include <string.h>

#include "base/parse/expr.h"
#include "model/rules/thresholds.h"

uint32_t steady_range(const struct step_norms *norms, const int64_t *duration_ns,
                      const bool *members, double tolerance, uint32_t *first)
{
    uint32_t best = 0, run_length = 0;
    for (uint32_t i = 0; i < norms->split->count; i++) {
        uint32_t median = step_norm(norms, i)->median;
        double usual_ns = median == ROW_NONE ? NAN : (double)duration_ns[median];
        bool steady = (!members || members[i]) && duration_ns[i] != UNKNOWN &&
                      fabs((double)duration_ns[i] - usual_ns) <= tolerance * usual_ns;
        run_length = steady ? run_length + 1 : 0;
        if (run_length > best) {
            best = run_length;
            *first = i + 1 - run_length;
        }
    }
    return best;
}

struct step_sets step_sets_of(const struct split *split, const int64_t *duration_ns,
                              struct arena *arena)
{
    uint32_t count = split->count, first = 0;
    struct step_sets sets = {.cut = ARENA_ARRAY(arena, bool, (size_t)count + 1),
                             .warm_up = ARENA_ARRAY(arena, bool, (size_t)count + 1),
                             .outliers = ARENA_ARRAY(arena, bool, (size_t)count + 1),
                             .steady = ARENA_ARRAY(arena, bool, (size_t)count + 1)};
    bool *whole = ARENA_ARRAY(arena, bool, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++) {
        sets.cut[i] = split->is_cut && split->is_cut[i];
        sets.cut_count += sets.cut[i];
        whole[i] = !sets.cut[i];
    }
    struct step_norms norms = step_norms_of(split, duration_ns, whole, arena);
    for (uint32_t i = 0; i + 1 < count && duration_ns[i] > step_norm(&norms, i)->median_ns &&
                         step_stands_out(&norms, i, duration_ns[i]);
         i++) {
        sets.warm_up_count += sets.warm_up[i] = whole[i];
        whole[i] = false;
    }
    norms = step_norms_of(split, duration_ns, whole, arena);
    for (uint32_t i = 0; i < count; i++)
        sets.outlier_count += sets.outliers[i] =
            whole[i] && step_stands_out(&norms, i, duration_ns[i]);
    sets.steady_count = steady_range(&norms, duration_ns, whole,
                                     expert_threshold("bad_iterations.tolerance"), &first);
    for (uint32_t i = first; i < first + sets.steady_count; i++)
        sets.steady[i] = true;
    return sets;
}

const bool *step_set_default(const struct split *split, struct arena *arena)
{
    bool *members = ARENA_ARRAY(arena, bool, (size_t)split->count + 1);
    uint32_t whole = 0;
    for (uint32_t i = 0; i < split->count; i++)
        whole += members[i] = !(split->is_cut && split->is_cut[i]);
    bool leaves = split->leaves_outside && (split->outside_count > 0 || split->has_pauses);
    return (whole < split->count || leaves) && whole > 0 ? members : NULL;
}

const char *const step_set_words[STEP_SET_WORD_COUNT] = {[STEP_SET_STEADY] = "steady",
                                                         [STEP_SET_WARM_UP] = "warm-up",
                                                         [STEP_SET_OUTLIERS] = "outliers",
                                                         [STEP_SET_CUT] = "cut",
                                                         [STEP_SET_KINDS] = "prefill",
                                                         "decode",
                                                         "mixed",
                                                         "idle"};

bool step_set_word_applies(const struct split *split, enum step_set_word word)
{
    uint32_t counts[STEP_KIND_COUNT];
    split_count_kinds(split, counts);
    return word < STEP_SET_KINDS || counts[STEP_PREFILL + word - STEP_SET_KINDS] > 0;
}

uint32_t step_set_of_kind(const struct split *split, enum step_kind kind, bool *members)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < split->count; i++)
        count += members[i] = split_kind(split, i) == kind && !(split->is_cut && split->is_cut[i]);
    return count;
}

bool step_set_parse(const struct split *split, const int64_t *duration_ns, const char *text,
                    bool *members, struct arena *arena, struct error *error)
{
    struct step_sets sets = step_sets_of(split, duration_ns, arena);
    bool *outliers = ARENA_ARRAY(arena, bool, (size_t)split->count + 1);
    bool any = false;
    for (uint32_t i = 0; i < split->count; i++) {
        outliers[i] = sets.outliers[i] || sets.warm_up[i];
        any |= !sets.cut[i];
    }
    const bool *named[STEP_SET_WORD_COUNT] = {[STEP_SET_STEADY] = sets.steady,
                                              [STEP_SET_WARM_UP] = sets.warm_up,
                                              [STEP_SET_OUTLIERS] = outliers,
                                              [STEP_SET_CUT] = sets.cut};
    for (enum step_kind kind = STEP_PREFILL; kind < STEP_KIND_COUNT; kind++) {
        bool *of_kind = ARENA_ARRAY(arena, bool, (size_t)split->count + 1);
        step_set_of_kind(split, kind, of_kind);
        named[STEP_SET_KINDS + kind - STEP_PREFILL] = of_kind;
    }
    struct set_word words[STEP_SET_WORD_COUNT];
    for (size_t i = 0; i < STEP_SET_WORD_COUNT; i++)
        words[i] = (struct set_word){step_set_words[i], named[i]};
    struct error ignored = {0};
    static const char all_but[] = "all but "; // a spoken form of "!"
    if (strncmp(text, all_but, sizeof all_but - 1) == 0)
        text = arena_format(arena, "!%s", text + sizeof all_but - 1);
    bool begins_whole = any && text[strspn(text, " ")] == '!';
    const char *whole = begins_whole ? arena_format(arena, "all,!cut,%s", text) : text;
    // error messages refer to the typed text
    if (!set_parse_words(whole, split->number, split->count, words, STEP_SET_WORD_COUNT, members,
                         &ignored) &&
        !set_parse_words(text, split->number, split->count, words, STEP_SET_WORD_COUNT, members,
                         error))
        return false;
    for (uint32_t i = 0; i < split->count; i++)
        if (members[i])
            return true;
    return error_set(error, ERROR_USAGE, "no step is in the set \"%.200s\"", text);
}

bool step_set_choose(const struct split *split, const int64_t *duration_ns, const char *text,
                     const bool **set, struct arena *arena, struct error *error)
{
    bool *members = ARENA_ARRAY(arena, bool, (size_t)split->count + 1);
    size_t leading_blanks = strspn(text, " ");
    if (!step_set_parse(split, duration_ns, text, members, arena, error))
        return false;
    bool is_all = strncmp(text + leading_blanks, "all", 3) == 0 &&
                  !text[leading_blanks + 3 + strspn(text + leading_blanks + 3, " ")];
    *set = is_all ? NULL : members;
    return true;
}

bool step_choice_apply(const struct step_choice *choice, const struct profile *profile,
                       struct selection *selection, struct arena *arena, struct error *error)
{
    const struct split *split = selection->split;
    if (!step_choice_is_given(choice)) {
        selection->iterations = step_set_default(split, arena);
        return true;
    }
    struct error inner = {0};
    selection->iterations = NULL;
    if (choice->iters)
        return step_set_choose(split, step_lengths(profile, selection, arena), choice->iters,
                               &selection->iterations, arena, &inner) ||
               error_set(error, ERROR_USAGE, "--iters: %s", inner.message);
    bool *members = ARENA_ARRAY(arena, bool, (size_t)split->count + 1);
    selection->iterations = members;
    return selection_span_iterations(split, choice->start, choice->stop, members, error);
}

const char *omitted_steps_text(const struct split *split, const int64_t *duration_ns,
                               const bool *members, const struct step_sets *sets,
                               const struct step_norms *norms, enum omitted_steps_form form,
                               struct arena *arena)
{
    enum { WARM_UP, OUTLIER, CUT, OTHER, REASONS };
    const struct split_words *cut = split_words_of(split);
    const char *const words[OMITTED_STEPS_FORMS][REASONS] = {
        [OMITTED_STEPS_FULL] = {"warm-up", "outliers", cut->cut, "not chosen"},
        [OMITTED_STEPS_SHORT] = {"warm-up", "outliers", cut->cut_short, "not chosen"},
        [OMITTED_STEPS_COUNTS] = {"warm-up", "outliers", cut->cut_short, "other"},
    };
    if (!members)
        return NULL;
    bool *why[REASONS];
    uint32_t counts[REASONS] = {0};
    for (int r = 0; r < REASONS; r++)
        why[r] = ARENA_ARRAY(arena, bool, (size_t)split->count + 1);
    uint32_t whole = 0;
    for (uint32_t i = 0; i < split->count; i++)
        whole += !sets->cut[i];
    bool is_rest =
        norms->count <= whole / 2; // a small set cannot show whether other steps are usual
    for (uint32_t i = 0; i < split->count; i++) {
        int r = sets->cut[i]                                ? CUT
                : is_rest                                   ? OTHER
                : sets->warm_up[i]                          ? WARM_UP
                : step_stands_out(norms, i, duration_ns[i]) ? OUTLIER
                                                            : OTHER;
        if (!members[i])
            counts[r] += why[r][i] = true;
    }
    const char *text = NULL;
    for (int r = 0; r < REASONS; r++) {
        if (counts[r] == 0)
            continue;
        const char *which = form == OMITTED_STEPS_COUNTS
                                ? arena_format(arena, "%u", counts[r])
                                : set_format(arena, why[r], split->number, split->count);
        text = arena_format(arena, "%s%s%s %s", text ? text : "", text ? ", " : "", which,
                            words[form][r]);
    }
    return text;
}
