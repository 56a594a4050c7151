// SPDX-License-Identifier: Apache-2.0
// Finds the ranges that mark steps: explicit step markers, or a family that the user names.
#include <string.h>

#include "base/id_map.h"
#include "base/scratch.h"
#include "model/markers/markers.h"
#include "model/steps/split_build.h"
#include "model/steps/step_families.h"
#include "model/steps/step_idle.h"

struct family_job {
    const struct profile *profile;
    const char *text, *sure;
    struct arena *arena;
    struct split *result;
    size_t excess; // number of marks if there are too many, else 0
};

static struct range_family family_new(const struct profile *profile, struct arena *scratch)
{
    struct range_family family = {.profile = profile, .scratch = scratch};
    family.is_member = ARENA_ARRAY(scratch, bool, profile->marker_count);
    family.number = ARENA_ARRAY(scratch, int64_t, profile->marker_count);
    return family;
}

// ---- explicit step markers ---------------------------------------------------------------------

enum { MAX_FAMILIES = 16 };

struct step_marker_family { // a family of step markers
    string_id name;
    uint64_t ranges, launches;
};

// Finds the families of step markers. family[marker] is the index + 1.
static struct step_marker_family *find_candidates(const struct profile *profile, uint32_t *family,
                                                  struct arena *scratch, size_t *count)
{
    const struct ranges *ranges = &profile->ranges;
    struct step_marker_family *candidates = NULL;
    size_t capacity = 0;
    struct id_map rows = {.arena = scratch};
    *count = 0;
    for (uint32_t i = 0; i < ranges->count; i++) {
        uint32_t at = range_label(ranges, i)->marker;
        const struct marker *marker = &profile->markers[at];
        if (marker->kind != MARKER_STEP || range_is_cross_thread(ranges, i))
            continue;
        string_id name = marker_step_family(marker);
        uint32_t *slot = id_map_slot(&rows, (struct id_key){.a = name});
        if (!candidates || !*slot) { // a slot in use has a candidate
            *slot = (uint32_t)*count + 1;
            ARENA_PUSH(scratch, candidates, *count, capacity) =
                (struct step_marker_family){.name = name};
        }
        family[at] = *slot;
        candidates[*slot - 1].ranges++;
    }
    return candidates;
}

// Counts the calls within ranges of each family, in one pass: of the first MAX_FAMILIES, as bits.
static void count_launches(const struct profile *profile, const uint32_t *family,
                           struct step_marker_family *candidates, size_t count,
                           struct arena *scratch)
{
    const struct ranges *ranges = &profile->ranges;
    uint16_t *inside = ARENA_ARRAY(scratch, uint16_t, (size_t)ranges->count + 1);
    for (uint32_t i = 0; i < ranges->count; i++) {
        uint32_t parent = AT(ranges->parent, i), own = family[range_label(ranges, i)->marker];
        inside[i] = parent != ROW_NONE ? inside[parent] : 0;
        if (own && own <= MAX_FAMILIES)
            inside[i] |= (uint16_t)(1U << (own - 1));
    }
    for (uint32_t i = 0; i < profile->api.count; i++) {
        uint32_t range = AT(profile->api.range, i);
        unsigned bits = range != ROW_NONE ? inside[range] : 0;
        for (size_t f = 0; bits && f < count && f < MAX_FAMILIES; f++)
            candidates[f].launches += bits >> f & 1;
    }
}

// Prefers a family with several ranges, then the family that contains more launches. Counts that
// differ by at most 2 % are taken as equal: the family with fewer ranges is then the outer one, and
// of equally many the one that was found first.
static bool is_better(const struct step_marker_family *candidate,
                      const struct step_marker_family *best)
{
    if ((candidate->ranges > 1) != (best->ranges > 1))
        return candidate->ranges > 1;
    uint64_t launches = candidate->launches, best_launches = best->launches;
    bool is_same =
        launches + launches / 50 >= best_launches && best_launches + best_launches / 50 >= launches;
    return is_same ? candidate->ranges < best->ranges : launches > best_launches;
}

string_id step_markers_best(const struct profile *profile, struct arena *scratch)
{
    size_t count;
    uint32_t *family = ARENA_ARRAY(scratch, uint32_t, (size_t)profile->marker_count + 1);
    struct step_marker_family *candidates = find_candidates(profile, family, scratch, &count);
    const struct step_marker_family *best = NULL;
    if (count > 1)
        count_launches(profile, family, candidates, count, scratch);
    for (size_t i = 0; i < count && i < MAX_FAMILIES; i++)
        if (!best || is_better(&candidates[i], best))
            best = &candidates[i];
    return best ? best->name : STRING_NONE;
}

// ---- families that the user names --------------------------------------------------------------

// Makes all step markers of a family members.
static void add_steps(struct range_family *family, string_id name)
{
    const struct profile *profile = family->profile;
    for (uint32_t i = 0; i < profile->marker_count; i++) {
        const struct marker *marker = &profile->markers[i];
        if (marker->kind != MARKER_STEP || marker_step_family(marker) != name)
            continue;
        family->is_member[i] = true;
        family->number[i] = marker->number;
    }
}

// Returns which number counts the ranges of the process with most of them.
static uint32_t counter_of(const struct range_family *family)
{
    const struct profile *profile = family->profile;
    size_t most = 0, from = 0;
    enum step_trend trend;
    for (size_t i = 0, first = 0; i < family->count; i++) {
        uint32_t thread = range_thread(&profile->ranges, family->rows[i]);
        if (thread != range_thread(&profile->ranges, family->rows[first]))
            first = i;
        if (i + 1 - first > most) {
            most = i + 1 - first;
            from = first;
        }
    }
    return step_counter_of(profile, family->rows + from, (uint32_t)most, &trend,
                           ARENA_ARRAY(family->scratch, int64_t, TREND_ROOM));
}

// Makes the markers members that have a text up to all numbers, numbered by the one that counts.
static void add_by_numbers(struct range_family *family, const char *wanted)
{
    const struct profile *profile = family->profile;
    char pattern[NAME_LIMIT + 1];
    int64_t values[MAX_STEP_NUMBERS];
    for (uint32_t i = 0; i < profile->marker_count; i++) {
        const char *text = profile_text(profile, profile->markers[i].text);
        family->is_member[i] |= profile->markers[i].kind == MARKER_PLAIN &&
                                step_numbers_of(text, strlen(text), pattern, values) &&
                                strcmp(pattern, wanted) == 0;
    }
    family_collect(family);
    uint32_t counter = counter_of(family);
    for (uint32_t i = 0; i < profile->marker_count; i++) {
        const char *text = profile_text(profile, profile->markers[i].text);
        uint32_t numbers =
            family->is_member[i] ? step_numbers_of(text, strlen(text), pattern, values) : 0;
        family->number[i] = counter < numbers ? values[counter] : UNKNOWN;
    }
}

// Leaves out the ranges that launch nothing if these are most. Returns how many.
static size_t keep_launching(struct range_family *family)
{
    struct turns_launching found =
        turns_launching(family->profile, family->rows, (uint32_t)family->count, NULL,
                        launch_calls_before(family->profile, family->scratch), family->scratch);
    size_t all = family->count, kept = 0;
    for (size_t i = 0; i < all; i++)
        if (!found.are_few || found.launches[i])
            family->rows[kept++] = family->rows[i];
    family->count = kept;
    return all - kept;
}

// Splits by the family that a text names. Its markers have this text, or the same text up to one
// number ("step *", as tree nodes show it) or up to all.
static void split_by_text(void *context, struct arena *scratch)
{
    struct family_job *job = context;
    const struct profile *profile = job->profile;
    struct range_family family = family_new(profile, scratch);
    char wanted[NAME_LIMIT + 1] = "", pattern[NAME_LIMIT + 1];
    const char *key = job->text;
    size_t length = strlen(key);
    int64_t number;
    bool any = false;
    if (!step_number_of(key, length, wanted, &number) && strchr(key, '*') && length <= NAME_LIMIT)
        memcpy(wanted, key, length + 1);
    if (*wanted)
        key = wanted;
    for (uint32_t i = 0; i < profile->marker_count; i++) {
        const struct marker *marker = &profile->markers[i];
        const char *text = profile_text(profile, marker->text);
        const char *title = profile_text(profile, marker->title);
        family.number[i] = UNKNOWN;
        bool has_number = step_number_of(text, strlen(text), pattern, &number);
        if (has_number)
            family.number[i] = number;
        bool is_step = marker->kind == MARKER_STEP;
        const char *name = is_step ? profile_text(profile, marker_step_family(marker)) : title;
        family.is_member[i] = strcmp(text, job->text) == 0 || strcmp(title, job->text) == 0 ||
                              strcmp(name, job->text) == 0 ||
                              (*wanted && has_number && strcmp(pattern, wanted) == 0);
        any |= family.is_member[i];
        if (family.is_member[i] && is_step) {
            // The text of one explicit step, such as `step 12`, names the whole family `step N`.
            key = name;
            add_steps(&family, marker_step_family(marker));
            break;
        }
    }
    if (!any && *wanted)
        add_by_numbers(&family, wanted);
    else
        family_collect(&family);
    size_t idle = keep_launching(&family);
    job->result = split_by_family(&family, key, job->sure, job->arena, &job->excess);
    if (job->result && idle)
        job->result->text =
            arena_format(job->arena, "%s, %zu without launches left out", job->result->text, idle);
}

struct split *split_by_range_sure(const struct profile *profile, const char *text, const char *sure,
                                  struct arena *arena)
{
    struct family_job job = {profile, text, sure, arena, NULL, 0};
    scratch_run(arena, split_by_text, &job);
    if (job.result)
        return job.result;
    struct split *split = split_unmarked(profile, arena);
    split->key = arena_text(arena, text);
    split->text = arena_format(arena, "1 iteration: no range %s", text);
    if (job.excess)
        split_report_excess(split, job.excess, arena);
    return split;
}

struct split *split_by_range(const struct profile *profile, const char *text, struct arena *arena)
{
    return split_by_range_sure(profile, text, "", arena);
}
