// SPDX-License-Identifier: Apache-2.0
// Detects weights that are copied from the host repeatedly instead of being kept on the GPU.
//
// A group is the large copies from host to GPU between two compute kernels. Groups with the same
// sizes in the same order are of one kind; weights are streamed if kinds recur.
#include "analysis/detect/detect_tools.h"
#include "analysis/detect/finding.h"
#include "analysis/detect/step.h"
#include "base/hash.h"
#include "base/id_map.h"
#include "base/text/format.h"
#include "model/rules/thresholds.h"

DETECTOR_DECLARE(streamed_weights);

enum {
    MIN_LARGE_BYTES = 65536, // a smaller copy is an index or a flag
    MIN_RECURRENCES = 3,     // a group must occur this often
    MIN_GROUPS_PER_STEP = 4, // one or two are a batch and its labels
    MIN_GROUPS = 8,          // in total, if steps are not marked
    MIN_KINDS = 2            // then also kinds of groups, as the layers of a model produce
};

struct upload_group {
    uint32_t kind;
    int64_t bytes;
};

struct upload_groups {
    const struct step_line *line;
    struct id_map map;
    size_t count, capacity;
    struct upload_group *items;
    size_t kinds, kinds_capacity;
    uint32_t *times; // by kind: number of groups
    // The group that is being read:
    uint64_t sizes; // hash of the sizes of its copies, in order
    int64_t bytes;
};

static void group_close(struct upload_groups *groups)
{
    if (groups->bytes == 0)
        return;
    uint32_t *slot = id_map_slot(&groups->map, (struct id_key){groups->sizes, 0, 0});
    if (!*slot) {
        *slot = (uint32_t)groups->kinds + 1;
        ARENA_PUSH(groups->line->scratch, groups->times, groups->kinds, groups->kinds_capacity) = 0;
    }
    uint32_t kind = *slot - 1;
    groups->times[kind]++;
    ARENA_PUSH(groups->line->scratch, groups->items, groups->count, groups->capacity) =
        (struct upload_group){kind, groups->bytes};
    groups->sizes = 0;
    groups->bytes = 0;
}

static bool is_upload(const struct step_line *line, uint32_t work)
{
    return detect_upload(line->profile, work) && line_window_of(line, work) != ROW_NONE;
}

static bool is_large_upload(const struct step_line *line, uint32_t work)
{
    return work_bytes(line->profile, work) >= MIN_LARGE_BYTES && is_upload(line, work);
}

static struct upload_groups groups_find(const struct step_line *line)
{
    const struct profile *profile = line->profile;
    const struct device *device = &profile->devices[line->device];
    struct upload_groups groups = {.line = line, .map = {.arena = line->scratch}};
    for (uint32_t w = device->first_work; w < device->end_work; w++) {
        if (is_large_upload(line, w)) {
            // Hash collisions are practically impossible.
            groups.sizes = hash_number(groups.sizes, (uint64_t)AT(profile->work.bytes, w)) + 1;
            if (__builtin_add_overflow(groups.bytes, AT(profile->work.bytes, w), &groups.bytes))
                groups.bytes = INT64_MAX;
        } else if (profile->functions[AT(profile->work.function, w)].class == CLASS_COMPUTE) {
            group_close(&groups);
        }
    }
    group_close(&groups);
    return groups;
}

// Returns true if most of the copied bytes are in groups of recurring kinds, all over the work.
static bool groups_recur(const struct upload_groups *groups)
{
    size_t recurring = 0, kinds = 0;
    double recurring_bytes = 0, total_bytes = 0;
    for (size_t k = 0; k < groups->kinds; k++)
        kinds += groups->times[k] >= MIN_RECURRENCES;
    for (size_t i = 0; i < groups->count; i++) {
        bool recurs = groups->times[groups->items[i].kind] >= MIN_RECURRENCES;
        recurring += recurs;
        recurring_bytes += recurs ? (double)groups->items[i].bytes : 0;
        total_bytes += (double)groups->items[i].bytes;
    }
    const struct step_line *line = groups->line;
    bool is_marked = line->selection->split->method == SPLIT_RANGES ||
                     line->selection->split->method == SPLIT_KEY;
    bool is_spread = is_marked ? recurring >= (size_t)MIN_GROUPS_PER_STEP * line->window_count
                               : recurring >= MIN_GROUPS && kinds >= MIN_KINDS;
    return is_spread && 2 * recurring_bytes > total_bytes;
}

enum { SUM_ON_COMPUTE = SUM_OWN, SUM_COPIES, SUM_BYTES };

static void streamed_weights_scan(struct scan *scan)
{
    const struct step_line *line = scan->line;
    const struct profile *profile = line->profile;
    const struct gpu_work *work = &profile->work;
    size_t *count = scan->own = ARENA_NEW(scan->arena, size_t); // groups between kernels
    struct upload_groups groups = groups_find(line);
    uint32_t previous_work = ROW_NONE;
    if (!groups_recur(&groups))
        return;
    *count = groups.count;
    for (size_t s = 0; s < line->count; s++) {
        const struct line_interval *interval = &line->intervals[s];
        if (interval->class != CLASS_COPY || !is_large_upload(line, interval->work))
            continue;
        int64_t length = interval->to - interval->from;
        if (profile->streams[AT(work->stream, interval->work)].role == ROLE_COMPUTE)
            scan_add(scan, SUM_ON_COMPUTE, interval->window, length);
        if (interval->work != previous_work) {
            scan_add(scan, SUM_COPIES, interval->window, 1);
            scan_add(scan, SUM_BYTES, interval->window, AT(work->bytes, interval->work));
        }
        previous_work = interval->work;
        scan_function(scan, interval->window, previous_work, length);
        scan_layer(scan, interval->window, previous_work, length);
    }
    detect_request_copies(scan, is_upload); // small copies are weights too: biases, scales
}

static void streamed_weights(struct step *step, const struct scan *scan,
                             struct finding_list *findings)
{
    int64_t gain = grants_measure(&step->grants);
    bool is_reported = step_share(step, gain) > expert_threshold("streamed_weights.share");
    struct finding *finding = step_take_finding(step, findings, &detect_streamed_weights,
                                                is_reported, gain, CERTAINTY_LIKELY);
    if (!finding)
        return;
    char size[FORMAT_SIZE];
    struct leader leader = step_leader(step, scan);
    finding->place = step_node_text(step, step_place(step, scan));
    finding->problem = arena_format(
        step->arena,
        "Weights are streamed from the host%s: %s %s go into copies with nothing beside them",
        2 * step_sum(step, scan, SUM_ON_COMPUTE) > gain ? " on a compute stream" : "",
        step_duration(step, gain), step_unit(step));
    finding->recommendation =
        "Keep on the GPU what is copied again each time: smaller types (bfloat16, 8 or 4 bits), "
        "the model split over several GPUs, fewer layers offloaded. What must stay on the host: "
        "copy it on a stream of its own, a layer ahead, for more work at a time (a larger batch)";
    finding->why = arena_format(step->arena,
                                "%lld copies, %s. The capture has %zu groups of copies between "
                                "kernels; those of the same sizes in the same order come again "
                                "and again, as layers do. Only copying less gains all of it: the "
                                "GPU computes for %s %s",
                                (long long)step_sum(step, scan, SUM_COPIES),
                                format_bytes(size, step_sum(step, scan, SUM_BYTES)),
                                *(const size_t *)scan->own, step_duration(step, step->compute_ns),
                                step_unit(step));
    finding->opens = leader.count == 1 ? "launches" : "memory";
    if (leader.count == 1)
        finding->evidence.function = leader.best;
}

const struct detector detect_streamed_weights = {
    .id = "streamed_weights",
    .title = "weights are streamed from the host",
    .doc = "Groups of copies of the same sizes in the same order go from the host to the GPU again "
           "and again between kernels (four in each step, or without marked steps eight in all of "
           "two kinds), and take more than streamed_weights.share of the step with no kernel "
           "beside them. Bound: that time.",
    .scan = streamed_weights_scan,
    .judge = streamed_weights,
};
