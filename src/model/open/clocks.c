// SPDX-License-Identifier: Apache-2.0
// Aligns the clocks of files by the ends of collectives, which all ranks leave at about the same
// time.
//
// Terms:
// - part: the profile of one file; reference: an aligned part with which another one is compared;
// - distance: time of an end on the reference's clock minus time of an end on the other clock;
// - offset: the distance of ends of the same collective; drift: its growth per ns;
// - match: two ends that are taken for the same collective;
// - spread: median deviation of the matches after the alignment.
//
// 1. Vote: all pairs of ends with equal kernel names give a histogram of distances. Its maximum is
//    the first estimate of the offset.
// 2. Follow: starting from it, the nearest end is matched with each end of the reference, while the
//    estimate is corrected, since it changes with the drift.
// 3. Fit: the matches give the offset and the drift.
#include "model/open/clocks.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/scratch.h"
#include "base/sort.h"

enum {
    SAMPLES = 1000,          // maximum number of ends of the reference that vote
    MIN_SAMPLES = 64,        // minimum number, even if they span more than SAMPLES_NS
    SAMPLES_NS = 1000000000, // time in which a clock drifts by less than a bin
    CANDIDATES = 4096,       // ends of the other part that are compared with one end
    BIN_NS = 4000,           // bin width of the histogram of distances
    // Tolerance for the distance within which two ends are the same collective.
    NEAR_NS = 20000,
    MAX_NEAR_NS = 200000,   // maximum of the tolerance
    NEAR_SHARE = 50000,     // after a time without matches, 1/NEAR_SHARE of it (20 ppm) is added
    SPREAD_NS = 10000,      // maximum spread; with a larger one the matches are accidental
    MIN_MATCHES = 8,        // minimum for an offset
    MIN_DRIFT_MATCHES = 64, // minimum for a drift
    REFERENCES = 4,         // number of parts that one part is compared with
};
#define WINDOW_WITH_WALL (INT64_C(250) * 1000000) // maximum offset of wall clocks
// Maximum distance between the starts of captures of one job.
#define WINDOW_WITHOUT_WALL (INT64_C(30) * 1000000000)
// 104 days: larger offsets are captures of different runs.
#define OFFSET_LIMIT (INT64_C(1) << 53)
#define DRIFT_LIMIT  1e-3 // no real clock drifts more

// ---- ends of collectives -----------------------------------------------------------------------

struct collective_ends { // sorted by (name, time)
    uint32_t count;
    int64_t *time;
    uint64_t *name;
};

// Returns whether a kernel is a collective that ends at the same time on all ranks.
static bool ends_together(const struct function *function)
{
    return function->kind == WORK_KERNEL && function->class == CLASS_COMM && !function->is_paired;
}

static struct collective_ends ends_of(const struct profile *profile, const struct part_clock *clock,
                                      struct arena *scratch)
{
    const struct gpu_work *work = &profile->work;
    uint64_t *name_of = ARENA_ARRAY(scratch, uint64_t, profile->function_count + 1);
    for (uint32_t f = 0; f < profile->function_count; f++)
        if (ends_together(&profile->functions[f])) // 0: no collective
            name_of[f] =
                hash_text(HASH_SEED, profile_text(profile, profile->functions[f].full)) | 1;
    uint32_t count = 0;
    for (uint32_t i = 0; i < work->count; i++)
        count += name_of[AT(work->function, i)] != 0;
    int64_t *time = ARENA_ARRAY(scratch, int64_t, count + 1);
    int64_t *name = ARENA_ARRAY(scratch, int64_t, count + 1);
    uint32_t row = 0;
    for (uint32_t i = 0; i < work->count; i++) {
        uint64_t name_hash = name_of[AT(work->function, i)];
        if (!name_hash)
            continue;
        time[row] = part_time(clock, AT(work->end, i));
        name[row++] = (int64_t)name_hash;
    }
    const uint32_t *order = sort_by_time(scratch, name, time, count);
    struct collective_ends ends = {.count = count,
                                   .time = ARENA_ARRAY(scratch, int64_t, count + 1),
                                   .name = ARENA_ARRAY(scratch, uint64_t, count + 1)};
    for (uint32_t i = 0; i < count; i++) {
        ends.time[i] = time[order[i]];
        ends.name[i] = (uint64_t)name[order[i]];
    }
    return ends;
}

// Returns the first end with (name, time) at or after the given ones.
static uint32_t end_from(const struct collective_ends *ends, uint64_t name, int64_t time)
{
    uint32_t low = 0, high = ends->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int64_t order = (int64_t)ends->name[middle] < (int64_t)name   ? -1
                        : (int64_t)ends->name[middle] > (int64_t)name ? 1
                        : ends->time[middle] < time                   ? -1
                                                                      : 0;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// ---- offset of two clocks ----------------------------------------------------------------------

struct end_match {
    int64_t time, distance; // `time` on the other clock; `distance` to add to it
};

struct clock_comparison {
    struct collective_ends reference, other;
    int64_t coarse, window; // estimated offset by wall clocks, and its maximum error
    struct arena *scratch;
};

static int compare_times(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

// Returns the ends of the reference in time order, from the time on at which both were captured.
static uint32_t *reference_order(const struct clock_comparison *comparison, uint32_t *count)
{
    const struct collective_ends *ends = &comparison->reference;
    int64_t from = INT64_MAX;
    for (uint32_t i = 0; i < comparison->other.count; i++)
        from = comparison->other.time[i] < from ? comparison->other.time[i] : from;
    from += comparison->coarse;
    uint32_t *order = sort_by_time(comparison->scratch, ends->time, NULL, ends->count);
    uint32_t first = 0;
    while (first < ends->count && ends->time[order[first]] < from)
        first++;
    *count = ends->count - first;
    return order + first;
}

struct distance_votes {
    uint32_t *of_bin;
    size_t bin_count;
};

static struct distance_votes votes_count(const struct clock_comparison *comparison,
                                         const uint32_t *order, uint32_t count)
{
    const struct collective_ends *other = &comparison->other;
    struct distance_votes votes = {.bin_count = (size_t)(2 * comparison->window / BIN_NS) + 2};
    votes.of_bin = ARENA_ARRAY(comparison->scratch, uint32_t, votes.bin_count);
    for (uint32_t s = 0; s < count && s < SAMPLES; s++) {
        int64_t reference_time = comparison->reference.time[order[s]],
                time = reference_time - comparison->coarse;
        uint64_t name = comparison->reference.name[order[s]];
        if (s >= MIN_SAMPLES && reference_time - comparison->reference.time[order[0]] > SAMPLES_NS)
            break;
        uint32_t first = end_from(other, name, time - comparison->window);
        for (uint32_t i = first; i < other->count && i - first < CANDIDATES; i++) {
            if (other->name[i] != name || other->time[i] > time + comparison->window)
                break;
            votes.of_bin[(time + comparison->window - other->time[i]) / BIN_NS]++;
        }
    }
    return votes;
}

// Returns the votes of a bin and the next one.
static uint32_t votes_at(const struct distance_votes *votes, size_t bin)
{
    return votes->of_bin[bin] + votes->of_bin[bin + 1];
}

// Finds the most frequent distance, with an error of one bin. Returns false if it has too few
// votes, or if another one has nearly as many, as happens with collectives at regular intervals.
static bool vote_for_distance(const struct clock_comparison *comparison, const uint32_t *order,
                              uint32_t count, int64_t *distance)
{
    enum { RIVAL_PERCENT = 80 };
    struct distance_votes votes = votes_count(comparison, order, count);
    size_t best = 0;
    for (size_t i = 0; i + 1 < votes.bin_count; i++)
        if (votes_at(&votes, i) > votes_at(&votes, best))
            best = i;
    uint32_t best_votes = votes_at(&votes, best), rival = 0;
    const size_t bins_apart = SPREAD_NS / BIN_NS + 1;
    for (size_t i = 0; i + 1 < votes.bin_count; i++)
        if ((i + bins_apart < best || i > best + bins_apart) && votes_at(&votes, i) > rival)
            rival = votes_at(&votes, i);
    *distance = comparison->coarse + ((int64_t)best + 1) * BIN_NS - comparison->window;
    return best_votes >= MIN_MATCHES &&
           (uint64_t)rival * 100 < (uint64_t)best_votes * RIVAL_PERCENT;
}

// Finds the end nearest to the expected one, within `near`. Returns false when there is none.
static bool find_nearest_end(const struct collective_ends *other, uint64_t name, int64_t time,
                             int64_t distance, int64_t near, struct end_match *match)
{
    int64_t best = near;
    uint32_t first = end_from(other, name, time - distance - near);
    for (uint32_t i = first; i < other->count && i - first < CANDIDATES; i++) {
        if (other->name[i] != name || other->time[i] > time - distance + near)
            break;
        int64_t candidate = time - other->time[i];
        if (llabs(candidate - distance) >= best)
            continue;
        best = llabs(candidate - distance);
        *match = (struct end_match){other->time[i], candidate};
    }
    return best < near;
}

// Predicts the distance of the next end from the latest distance and its growth.
struct distance_track {
    int64_t time, distance; // of the latest match
    int64_t from, at_first; // time and distance of the first match with a stable estimate
    uint32_t count;         // matches so far
};

static int64_t track_predict(const struct distance_track *track, int64_t time)
{
    int64_t span = track->time - track->from;
    double rate = track->count > MIN_DRIFT_MATCHES && span > SAMPLES_NS / 10
                      ? (double)(track->distance - track->at_first) / (double)span
                      : 0;
    return track->distance + (int64_t)(rate * (double)(time - track->time));
}

static void track_update(struct distance_track *track, int64_t time, int64_t distance)
{
    enum { SLOWNESS = 8, STEADY = 2 * SLOWNESS };
    int64_t expected = track_predict(track, time), off = distance - expected;
    track->distance = expected + (llabs(off) < NEAR_NS ? off / SLOWNESS : off);
    track->time = time;
    if (++track->count <= STEADY) {
        track->from = time;
        track->at_first = track->distance;
    }
}

// Finds the matches of all ends. Returns their number, or 0 if they cover less than COVERED_PERCENT
// of the time that both captures share.
static uint32_t follow_distance(const struct clock_comparison *comparison, const uint32_t *order,
                                uint32_t count, int64_t distance, struct end_match *matches)
{
    enum { COVERED_PERCENT = 75 };
    const struct collective_ends *other = &comparison->other;
    int64_t first = comparison->reference.time[order[0]], end = INT64_MIN;
    struct distance_track track = {.time = first, .distance = distance};
    uint32_t found = 0;
    for (uint32_t i = 0; i < other->count; i++)
        end = other->time[i] > end ? other->time[i] : end;
    for (uint32_t s = 0; s < count; s++) {
        int64_t time = comparison->reference.time[order[s]];
        int64_t near = NEAR_NS + (time - track.time) / NEAR_SHARE;
        if (find_nearest_end(other, comparison->reference.name[order[s]], time,
                             track_predict(&track, time), near < MAX_NEAR_NS ? near : MAX_NEAR_NS,
                             &matches[found]))
            track_update(&track, time, matches[found++].distance);
    }
    end += track.distance;
    int64_t last = comparison->reference.time[order[count - 1]];
    end = end < last ? end : last;
    return (double)(track.time - first) * 100 < (double)(end - first) * COVERED_PERCENT ? 0 : found;
}

static int64_t median_distance(const struct end_match *matches, uint32_t from, uint32_t to,
                               struct arena *scratch)
{
    int64_t *values = ARENA_ARRAY(scratch, int64_t, to - from + 1);
    for (uint32_t i = from; i < to; i++)
        values[i - from] = matches[i].distance;
    qsort(values, to - from, sizeof *values, compare_times);
    return values[(to - from) / 2];
}

static struct part_clock fit_clock(const struct end_match *matches, uint32_t count,
                                   struct arena *scratch)
{
    struct part_clock clock = {.offset = median_distance(matches, 0, count, scratch),
                               .at = matches[count / 2].time};
    if (count < MIN_DRIFT_MATCHES)
        return clock;
    uint32_t part = count / 4;
    int64_t begin = median_distance(matches, 0, part, scratch);
    int64_t end = median_distance(matches, count - part, count, scratch);
    int64_t span = matches[count - part / 2 - 1].time - matches[part / 2].time;
    clock.drift = span > 0 ? (double)(end - begin) / (double)span : 0;
    return clock;
}

// Corrects the offset so that the median of the remaining distances is 0. Returns the spread.
static int64_t centre_clock(struct part_clock *clock, const struct end_match *matches,
                            uint32_t count, struct arena *scratch)
{
    int64_t *rest = ARENA_ARRAY(scratch, int64_t, count);
    for (uint32_t i = 0; i < count; i++)
        rest[i] = matches[i].time + matches[i].distance - part_time(clock, matches[i].time);
    qsort(rest, count, sizeof *rest, compare_times);
    int64_t middle = rest[count / 2];
    clock->offset += middle;
    for (uint32_t i = 0; i < count; i++)
        rest[i] = llabs(rest[i] - middle);
    qsort(rest, count, sizeof *rest, compare_times);
    return rest[count / 2];
}

static bool compare_clocks(const struct clock_comparison *comparison, struct part_clock *clock,
                           int64_t *spread)
{
    uint32_t count;
    const uint32_t *order = reference_order(comparison, &count);
    int64_t distance;
    if (count == 0 || !vote_for_distance(comparison, order, count, &distance))
        return false;
    struct end_match *matches = ARENA_ARRAY(comparison->scratch, struct end_match, count + 1);
    uint32_t found = follow_distance(comparison, order, count, distance, matches);
    if (found < MIN_MATCHES)
        return false;
    *clock = fit_clock(matches, found, comparison->scratch);
    if (clock->drift > DRIFT_LIMIT || clock->drift < -DRIFT_LIMIT)
        return false;
    *spread = centre_clock(clock, matches, found, comparison->scratch);
    return *spread <= SPREAD_NS;
}

// ---- all parts ---------------------------------------------------------------------------------

static bool wall_clock_distance(const struct profile *a, const struct profile *b, int64_t *distance)
{
    bool has_wall =
        a->capture.utc_epoch_ns != UNKNOWN && b->capture.utc_epoch_ns != UNKNOWN &&
        !__builtin_sub_overflow(b->capture.utc_epoch_ns, a->capture.utc_epoch_ns, distance) &&
        -OFFSET_LIMIT < *distance && *distance < OFFSET_LIMIT;
    *distance = has_wall ? *distance : 0;
    return has_wall;
}

struct clock_alignment {
    const struct profile *const *parts;
    struct part_clock *clock;
    struct clock *results;
    struct arena *scratch;
};

struct align_job {
    const struct clock_alignment *all;
    uint32_t part, reference;
    int64_t coarse;
    bool has_wall, is_aligned;
};

static void align_body(void *context, struct arena *scratch)
{
    struct align_job *job = context;
    const struct clock_alignment *all = job->all;
    struct clock_comparison comparison = {
        .reference = ends_of(all->parts[job->reference], &all->clock[job->reference], scratch),
        .other = ends_of(all->parts[job->part], &(struct part_clock){0}, scratch),
        .coarse = job->coarse,
        .window = job->has_wall ? WINDOW_WITH_WALL : WINDOW_WITHOUT_WALL,
        .scratch = scratch,
    };
    struct part_clock clock;
    int64_t spread;
    job->is_aligned = comparison.reference.count >= MIN_MATCHES &&
                      comparison.other.count >= MIN_MATCHES &&
                      compare_clocks(&comparison, &clock, &spread);
    if (!job->is_aligned)
        return;
    all->clock[job->part] = clock;
    all->results[job->part] =
        (struct clock){.offset = clock.offset - job->coarse, .spread = spread, .is_aligned = true};
}

// Aligns a part with part `reference`, which is aligned itself. The memory is released after each
// comparison, since the votes need 60 MB if wall clocks are not recorded.
static bool align_by(const struct clock_alignment *all, uint32_t part, uint32_t reference,
                     int64_t coarse, bool has_wall)
{
    struct align_job job = {all, part, reference, coarse, has_wall, false};
    scratch_run(all->scratch, align_body, &job);
    return job.is_aligned;
}

static void align(const struct clock_alignment *all, uint32_t part)
{
    const struct profile *const *parts = all->parts;
    int64_t coarse;
    bool has_wall = wall_clock_distance(parts[0], parts[part], &coarse);
    // Tries the first part, then the preceding ones, since ranks that share collectives often have
    // consecutive numbers.
    uint32_t compared = 0;
    for (uint32_t i = 0; i < part && compared < REFERENCES; i++) {
        uint32_t reference = i == 0 ? 0 : part - i;
        if (!all->results[reference].is_aligned)
            continue;
        compared++;
        if (align_by(all, part, reference, coarse, has_wall))
            return;
    }
    all->clock[part] = (struct part_clock){.offset = coarse};
    all->results[part] = (struct clock){.spread = UNKNOWN, .is_aligned = has_wall};
}

// Uses the clock of another part. This part started `later` ns after that one, and each counts time
// from its own start.
static void copy_clock(const struct clock_alignment *all, uint32_t part, uint32_t from,
                       int64_t later)
{
    all->results[part].offset = all->results[from].offset;
    all->clock[part] = all->clock[from];
    all->clock[part].offset += later;
    all->clock[part].at -= later;
}

// Uses the alignment of another capture of the same machine, since both use its clock.
static void align_by_host(const struct clock_alignment *all, uint32_t count, uint32_t part)
{
    uint64_t host = all->parts[part]->sources[0].host;
    int64_t later; // distance from the start of that capture to the start of this one
    if (!host)
        return;
    for (uint32_t p = 0; p < count; p++) {
        if (all->results[p].spread == UNKNOWN || host != all->parts[p]->sources[0].host ||
            !wall_clock_distance(all->parts[p], all->parts[part], &later))
            continue;
        copy_clock(all, part, p, later);
        return;
    }
}

// Uses the clock of the same process: its later windows share no collective with the earlier ones.
static void align_continued(const struct clock_alignment *all, uint32_t part, uint32_t first)
{
    int64_t later;
    all->results[part] = all->results[first];
    all->results[part].spread = UNKNOWN;
    all->results[part].is_aligned &=
        wall_clock_distance(all->parts[first], all->parts[part], &later);
    copy_clock(all, part, first, later);
}

void clocks_align(const struct profile *const *parts, const uint32_t *continues, uint32_t count,
                  struct part_clock *clock, struct clock *results, struct arena *scratch)
{
    struct clock_alignment all = {parts, clock, results, scratch};
    for (uint32_t p = 0; p < count; p++) {
        clock[p] = (struct part_clock){0};
        results[p] = (struct clock){.spread = p ? UNKNOWN : 0, .is_aligned = p == 0};
        if (p > 0 && continues[p])
            align_continued(&all, p, continues[p] - 1);
        else if (p > 0)
            align(&all, p);
    }
    for (uint32_t p = 1; p < count; p++)
        if (results[p].is_aligned && results[p].spread == UNKNOWN)
            align_by_host(&all, count, p);
}
