// SPDX-License-Identifier: Apache-2.0
// Finds the ranges that mark steps: explicit step markers, or a family that the user names.
#include <string.h>

#include "base/id_map.h"
#include "base/scratch.h"
#include "model/markers/markers.h"
#include "model/steps/split_build.h"
#include "model/steps/step_families.h"

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
    string_id title;
    uint64_t ranges, launches;
};

static struct step_marker_family *find_candidates(const struct profile *profile,
                                                  struct arena *scratch, size_t *count)
{
    const struct ranges *ranges = &profile->ranges;
    struct step_marker_family *candidates = NULL;
    size_t capacity = 0;
    struct id_map rows = {.arena = scratch};
    *count = 0;
    for (uint32_t i = 0; i < ranges->count; i++) {
        const struct marker *marker = range_marker(profile, i);
        if (marker->kind != MARKER_STEP || range_is_cross_thread(ranges, i))
            continue;
        uint32_t *slot = id_map_slot(&rows, (struct id_key){.a = marker->title});
        if (!candidates || !*slot) { // a slot in use has a candidate
            *slot = (uint32_t)*count + 1;
            ARENA_PUSH(scratch, candidates, *count, capacity) =
                (struct step_marker_family){.title = marker->title};
        }
        candidates[*slot - 1].ranges++;
    }
    return candidates;
}

static bool is_member(const struct step_marker_family *candidate, const struct marker *marker)
{
    return marker->kind == MARKER_STEP && marker->title == candidate->title;
}

// Counts the calls within ranges of the family. `is_inside` is scratch space for all ranges.
static void count_launches(const struct profile *profile, struct step_marker_family *candidate,
                           bool *is_inside)
{
    const struct ranges *ranges = &profile->ranges;
    for (uint32_t i = 0; i < ranges->count; i++)
        is_inside[i] = (AT(ranges->parent, i) != ROW_NONE && is_inside[AT(ranges->parent, i)]) ||
                       is_member(candidate, range_marker(profile, i));
    for (uint32_t i = 0; i < profile->api.count; i++)
        candidate->launches +=
            AT(profile->api.range, i) != ROW_NONE && is_inside[AT(profile->api.range, i)];
}

// Prefers a family with several ranges, then the family that contains more launches. Counts that
// differ by at most 2 % are taken as equal: the family with fewer ranges is then the outer one.
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
    struct step_marker_family *candidates = find_candidates(profile, scratch, &count);
    const struct step_marker_family *best = NULL;
    bool *is_inside = ARENA_ARRAY(scratch, bool, profile->ranges.count);
    for (size_t i = 0; i < count && i < MAX_FAMILIES; i++) {
        count_launches(profile, &candidates[i], is_inside);
        if (!best || is_better(&candidates[i], best))
            best = &candidates[i];
    }
    return best ? best->title : STRING_NONE;
}

// ---- families that the user names --------------------------------------------------------------

// Splits by the family that a text names. Its markers have this text, or the same text up to one
// number ("step *", as tree nodes show it).
static void split_by_text(void *context, struct arena *scratch)
{
    struct family_job *job = context;
    const struct profile *profile = job->profile;
    struct range_family family = family_new(profile, scratch);
    char wanted[NAME_LIMIT + 1] = "", pattern[NAME_LIMIT + 1];
    const char *key = job->text;
    size_t length = strlen(key);
    int64_t number;
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
        family.is_member[i] = strcmp(text, job->text) == 0 || strcmp(title, job->text) == 0 ||
                              (*wanted && has_number && strcmp(pattern, wanted) == 0);
        if (family.is_member[i] && marker->kind == MARKER_STEP) {
            // The text of one explicit step, such as `step 12`, names the whole family `step N`.
            key = title;
            for (uint32_t n = 0; n < profile->marker_count; n++)
                if (profile->markers[n].kind == MARKER_STEP &&
                    profile->markers[n].title == marker->title) {
                    family.is_member[n] = true;
                    family.number[n] = profile->markers[n].number;
                }
            break;
        }
    }
    family_collect(&family);
    job->result = split_by_family(&family, key, job->sure, job->arena, &job->excess);
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
