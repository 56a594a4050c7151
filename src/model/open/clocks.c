// SPDX-License-Identifier: Apache-2.0
#include "model/open/clocks.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/scratch.h"
#include "base/sort.h"

enum {
    SAMPLES = 1000,          // ends of the first part that vote, at most,
    SAMPLES_LEAST = 64,      // and these, even if they take longer than ...
    SAMPLES_NS = 1000000000, // ... a clock does not drift in by more than a bin
    CANDIDATES = 4096,       // ends of the other part that one may belong to
    BIN_NS = 4000,           // of distances
    NEAR_NS = 20000,         // of the distance found: the same collective;
    NEAR_MOST_NS = 200000,   // behind a gap it may have drifted so far,
    NEAR_SHARE = 50000,      // by 20 millionths of it
    SPREAD_NS = 10000,       // more, and it is chance
    MATCHES_LEAST = 8,       // for a distance,
    DRIFT_LEAST = 64,        // for how it grows
    REFERENCES = 4,          // parts that one is compared with
};
#define WINDOW_TOLD   (INT64_C(250) * 1000000)   // that wall clocks are apart
#define WINDOW_UNTOLD (INT64_C(30) * 1000000000) // that captures of one job begin apart
#define OFFSET_LIMIT  (INT64_C(1) << 53)         // 104 days: captures of different runs
#define DRIFT_LIMIT   1e-3                       // of any clock that is one

// ---- ends of collectives -------------------------------------------------------------------------

struct ends { // in order of (name, time)
    uint32_t count;
    int64_t *time;
    uint64_t *name;
};

static bool ends_together(const struct function *function)
{
    return function->kind == WORK_KERNEL && function->class == CLASS_COMM && !function->is_paired;
}

static struct ends ends_of(const struct profile *profile, const struct part_clock *clock,
                           struct arena *scratch)
{
    const struct gpu_work *work = &profile->work;
    uint64_t *name_of = ARENA_ARRAY(scratch, uint64_t, profile->function_count + 1);
    for (uint32_t f = 0; f < profile->function_count; f++)
        if (ends_together(&profile->functions[f])) // 0: it does not
            name_of[f] =
                hash_text(HASH_SEED, profile_text(profile, profile->functions[f].full)) | 1;
    uint32_t count = 0;
    for (uint32_t i = 0; i < work->count; i++)
        count += name_of[AT(work->function, i)] != 0;
    int64_t *time = ARENA_ARRAY(scratch, int64_t, count + 1);
    int64_t *name = ARENA_ARRAY(scratch, int64_t, count + 1);
    uint32_t at = 0;
    for (uint32_t i = 0; i < work->count; i++) {
        uint64_t of = name_of[AT(work->function, i)];
        if (!of)
            continue;
        time[at] = part_time(clock, AT(work->end, i));
        name[at++] = (int64_t)of;
    }
    const uint32_t *order = sort_by_time(scratch, name, time, count);
    struct ends ends = {.count = count,
                        .time = ARENA_ARRAY(scratch, int64_t, count + 1),
                        .name = ARENA_ARRAY(scratch, uint64_t, count + 1)};
    for (uint32_t i = 0; i < count; i++) {
        ends.time[i] = time[order[i]];
        ends.name[i] = (uint64_t)name[order[i]];
    }
    return ends;
}

// The first of that name, or of one behind it, from that time on.
static uint32_t end_from(const struct ends *ends, uint64_t name, int64_t time)
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

// ---- how far apart -------------------------------------------------------------------------------

struct match {
    int64_t time, distance; // of the other's clock; that is to be added to it
};

struct comparing {
    struct ends reference, other;
    int64_t coarse, window; // what the wall clocks tell, and how far that may be wrong
    struct arena *scratch;
};

static int compare_times(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

// Some of the reference, as they come in time, from where both were captured.
static uint32_t *sample(const struct comparing *comparing, uint32_t *count)
{
    const struct ends *ends = &comparing->reference;
    int64_t from = INT64_MAX;
    for (uint32_t i = 0; i < comparing->other.count; i++)
        from = comparing->other.time[i] < from ? comparing->other.time[i] : from;
    from += comparing->coarse;
    uint32_t *order = sort_by_time(comparing->scratch, ends->time, NULL, ends->count);
    uint32_t first = 0;
    while (first < ends->count && ends->time[order[first]] < from)
        first++;
    *count = ends->count - first;
    return order + first;
}

struct votes {
    uint32_t *of_bin;
    size_t bins;
};

static struct votes votes_count(const struct comparing *comparing, const uint32_t *order,
                                uint32_t count)
{
    const struct ends *other = &comparing->other;
    struct votes votes = {.bins = (size_t)(2 * comparing->window / BIN_NS) + 2};
    votes.of_bin = ARENA_ARRAY(comparing->scratch, uint32_t, votes.bins);
    for (uint32_t s = 0; s < count && s < SAMPLES; s++) {
        int64_t at = comparing->reference.time[order[s]], time = at - comparing->coarse;
        uint64_t name = comparing->reference.name[order[s]];
        if (s >= SAMPLES_LEAST && at - comparing->reference.time[order[0]] > SAMPLES_NS)
            break;
        uint32_t first = end_from(other, name, time - comparing->window);
        for (uint32_t i = first; i < other->count && i - first < CANDIDATES; i++) {
            if (other->name[i] != name || other->time[i] > time + comparing->window)
                break;
            votes.of_bin[(time + comparing->window - other->time[i]) / BIN_NS]++;
        }
    }
    return votes;
}

static uint32_t votes_at(const struct votes *votes, size_t bin) // and the bin behind it
{
    return votes->of_bin[bin] + votes->of_bin[bin + 1];
}

// The distance that most pairs have, within a bin. False: there is none, or others have nearly as many,
// as where collectives follow each other like the ticks of a clock.
static bool vote(const struct comparing *comparing, const uint32_t *order, uint32_t count,
                 int64_t *distance)
{
    enum { RIVAL_PERCENT = 80 };
    struct votes votes = votes_count(comparing, order, count);
    size_t best = 0;
    for (size_t i = 0; i + 1 < votes.bins; i++)
        if (votes_at(&votes, i) > votes_at(&votes, best))
            best = i;
    uint32_t most = votes_at(&votes, best), rival = 0;
    const size_t apart = SPREAD_NS / BIN_NS + 1;
    for (size_t i = 0; i + 1 < votes.bins; i++)
        if ((i + apart < best || i > best + apart) && votes_at(&votes, i) > rival)
            rival = votes_at(&votes, i);
    *distance = comparing->coarse + ((int64_t)best + 1) * BIN_NS - comparing->window;
    return most >= MATCHES_LEAST && (uint64_t)rival * 100 < (uint64_t)most * RIVAL_PERCENT;
}

// The end nearest to what is expected, within `near`. False: there is none.
static bool nearest(const struct ends *other, uint64_t name, int64_t time, int64_t distance,
                    int64_t near, struct match *match)
{
    int64_t best = near;
    uint32_t first = end_from(other, name, time - distance - near);
    for (uint32_t i = first; i < other->count && i - first < CANDIDATES; i++) {
        if (other->name[i] != name || other->time[i] > time - distance + near)
            break;
        int64_t apart = time - other->time[i];
        if (llabs(apart - distance) >= best)
            continue;
        best = llabs(apart - distance);
        *match = (struct match){other->time[i], apart};
    }
    return best < near;
}

// What is expected of the next end: where it was, and by how much it grows.
struct track {
    int64_t time, distance; // at the last match
    int64_t from, at_first; // the same of the first that are steady
    uint32_t count;
};

static int64_t track_predict(const struct track *track, int64_t time)
{
    int64_t span = track->time - track->from;
    double rate = track->count > DRIFT_LEAST && span > SAMPLES_NS / 10
                      ? (double)(track->distance - track->at_first) / (double)span
                      : 0;
    return track->distance + (int64_t)(rate * (double)(time - track->time));
}

static void track_take(struct track *track, int64_t time, int64_t distance)
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

// Follows it through the capture as it grows. Returns the matches: 0 where they end long before what
// both captured does.
static uint32_t follow(const struct comparing *comparing, const uint32_t *order, uint32_t count,
                       int64_t distance, struct match *matches)
{
    enum { COVERED_PERCENT = 75 };
    const struct ends *other = &comparing->other;
    int64_t first = comparing->reference.time[order[0]], end = INT64_MIN;
    struct track track = {.time = first, .distance = distance};
    uint32_t found = 0;
    for (uint32_t i = 0; i < other->count; i++)
        end = other->time[i] > end ? other->time[i] : end;
    for (uint32_t s = 0; s < count; s++) {
        int64_t time = comparing->reference.time[order[s]];
        int64_t near = NEAR_NS + (time - track.time) / NEAR_SHARE;
        if (nearest(other, comparing->reference.name[order[s]], time, track_predict(&track, time),
                    near < NEAR_MOST_NS ? near : NEAR_MOST_NS, &matches[found]))
            track_take(&track, time, matches[found++].distance);
    }
    end += track.distance;
    int64_t last = comparing->reference.time[order[count - 1]];
    end = end < last ? end : last;
    return (double)(track.time - first) * 100 < (double)(end - first) * COVERED_PERCENT ? 0 : found;
}

static int64_t median_distance(const struct match *matches, uint32_t from, uint32_t to,
                               struct arena *scratch)
{
    int64_t *values = ARENA_ARRAY(scratch, int64_t, to - from + 1);
    for (uint32_t i = from; i < to; i++)
        values[i - from] = matches[i].distance;
    qsort(values, to - from, sizeof *values, compare_times);
    return values[(to - from) / 2];
}

static struct part_clock fit(const struct match *matches, uint32_t count, struct arena *scratch)
{
    struct part_clock clock = {.offset = median_distance(matches, 0, count, scratch),
                               .at = matches[count / 2].time};
    if (count < DRIFT_LEAST)
        return clock;
    uint32_t part = count / 4;
    int64_t begin = median_distance(matches, 0, part, scratch);
    int64_t end = median_distance(matches, count - part, count, scratch);
    int64_t span = matches[count - part / 2 - 1].time - matches[part / 2].time;
    clock.drift = span > 0 ? (double)(end - begin) / (double)span : 0;
    return clock;
}

// How far what should end together lies apart: of half of it at most.
static int64_t settle(struct part_clock *clock, const struct match *matches, uint32_t count,
                      struct arena *scratch)
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

static bool compare(const struct comparing *comparing, struct part_clock *clock, int64_t *spread)
{
    uint32_t count;
    const uint32_t *order = sample(comparing, &count);
    int64_t distance;
    if (count == 0 || !vote(comparing, order, count, &distance))
        return false;
    struct match *matches = ARENA_ARRAY(comparing->scratch, struct match, count + 1);
    uint32_t found = follow(comparing, order, count, distance, matches);
    if (found < MATCHES_LEAST)
        return false;
    *clock = fit(matches, found, comparing->scratch);
    if (clock->drift > DRIFT_LIMIT || clock->drift < -DRIFT_LIMIT)
        return false;
    *spread = settle(clock, matches, found, comparing->scratch);
    return *spread <= SPREAD_NS;
}

// ---- all parts -----------------------------------------------------------------------------------

static bool tells_wall_clock(const struct profile *a, const struct profile *b, int64_t *apart)
{
    bool is_told =
        a->capture.utc_epoch_ns != UNKNOWN && b->capture.utc_epoch_ns != UNKNOWN &&
        !__builtin_sub_overflow(b->capture.utc_epoch_ns, a->capture.utc_epoch_ns, apart) &&
        -OFFSET_LIMIT < *apart && *apart < OFFSET_LIMIT;
    *apart = is_told ? *apart : 0;
    return is_told;
}

struct aligning {
    const struct profile *const *parts;
    struct part_clock *clock;
    struct clock *told;
    struct arena *scratch;
};

struct align_job {
    const struct aligning *all;
    uint32_t part, reference;
    int64_t coarse;
    bool is_told, is_aligned;
};

static void align_body(void *context, struct arena *scratch)
{
    struct align_job *job = context;
    const struct aligning *all = job->all;
    struct comparing comparing = {
        .reference = ends_of(all->parts[job->reference], &all->clock[job->reference], scratch),
        .other = ends_of(all->parts[job->part], &(struct part_clock){0}, scratch),
        .coarse = job->coarse,
        .window = job->is_told ? WINDOW_TOLD : WINDOW_UNTOLD,
        .scratch = scratch,
    };
    struct part_clock clock;
    int64_t spread;
    job->is_aligned = comparing.reference.count >= MATCHES_LEAST &&
                      comparing.other.count >= MATCHES_LEAST &&
                      compare(&comparing, &clock, &spread);
    if (!job->is_aligned)
        return;
    all->clock[job->part] = clock;
    all->told[job->part] =
        (struct clock){.offset = clock.offset - job->coarse, .spread = spread, .is_aligned = true};
}

// By part `reference`, which is aligned itself. What a comparison takes, 60 MB of votes where wall
// clocks are not told, the next one takes again.
static bool align_by(const struct aligning *all, uint32_t part, uint32_t reference, int64_t coarse,
                     bool is_told)
{
    struct align_job job = {all, part, reference, coarse, is_told, false};
    scratch_run(all->scratch, align_body, &job);
    return job.is_aligned;
}

static void align(const struct aligning *all, uint32_t part)
{
    const struct profile *const *parts = all->parts;
    int64_t coarse;
    bool is_told = tells_wall_clock(parts[0], parts[part], &coarse);
    // The first, then those before it: ranks of one group have numbers that are near.
    uint32_t compared = 0;
    for (uint32_t i = 0; i < part && compared < REFERENCES; i++) {
        uint32_t reference = i == 0 ? 0 : part - i;
        if (!all->told[reference].is_aligned)
            continue;
        compared++;
        if (align_by(all, part, reference, coarse, is_told))
            return;
    }
    all->clock[part] = (struct part_clock){.offset = coarse};
    all->told[part] = (struct clock){.spread = UNKNOWN, .is_aligned = is_told};
}

// The clock that another part told of, whose times begin `later` before those of this one.
static void take_clock(const struct aligning *all, uint32_t part, uint32_t from, int64_t later)
{
    all->told[part].offset = all->told[from].offset;
    all->clock[part] = all->clock[from];
    all->clock[part].offset += later;
    all->clock[part].at -= later;
}

// A machine has one clock: what another of its captures told of it.
static void align_by_host(const struct aligning *all, uint32_t count, uint32_t part)
{
    uint64_t host = all->parts[part]->sources[0].host;
    int64_t later; // begins this capture than that one
    if (!host)
        return;
    for (uint32_t p = 0; p < count; p++) {
        if (all->told[p].spread == UNKNOWN || host != all->parts[p]->sources[0].host ||
            !tells_wall_clock(all->parts[p], all->parts[part], &later))
            continue;
        take_clock(all, part, p, later);
        return;
    }
}

// So does a process, and what is recorded of it later has no collective in common with what was before.
static void align_continued(const struct aligning *all, uint32_t part, uint32_t first)
{
    int64_t later;
    all->told[part] = all->told[first];
    all->told[part].spread = UNKNOWN;
    all->told[part].is_aligned &= tells_wall_clock(all->parts[first], all->parts[part], &later);
    take_clock(all, part, first, later);
}

void clocks_align(const struct profile *const *parts, const uint32_t *continues, uint32_t count,
                  struct part_clock *clock, struct clock *told, struct arena *scratch)
{
    struct aligning all = {parts, clock, told, scratch};
    for (uint32_t p = 0; p < count; p++) {
        clock[p] = (struct part_clock){0};
        told[p] = (struct clock){.spread = p ? UNKNOWN : 0, .is_aligned = p == 0};
        if (p > 0 && continues[p])
            align_continued(&all, p, continues[p] - 1);
        else if (p > 0)
            align(&all, p);
    }
    for (uint32_t p = 1; p < count; p++)
        if (told[p].is_aligned && told[p].spread == UNKNOWN)
            align_by_host(&all, count, p);
}
