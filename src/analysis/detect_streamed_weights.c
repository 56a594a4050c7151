// SPDX-License-Identifier: Apache-2.0
// Weights that are not kept on the GPU but copied from the host again and again.
#include "analysis/detect_list.h"
#include "analysis/detect_tools.h"
#include "analysis/step.h"
#include "base/format.h"
#include "model/id_map.h"

enum {
    LARGE_BYTES = 65536, // a smaller copy is an index or a flag
    RECURS_MIN = 3,      // so often a group of copies comes again
    GROUPS_A_STEP = 4,   // one or two are a batch and its labels
    GROUPS_MIN = 8,      // where steps are not marked
    KINDS_MIN = 2        // there: of groups, as the layers of a model make them
};

struct group { // of copies between two kernels
    uint32_t kind;
    int64_t bytes;
};

struct groups {
    const struct step *step;
    struct id_map map;
    size_t count, capacity;
    struct group *items;
    size_t kinds, kinds_capacity;
    uint32_t *times; // how often each kind comes
    uint64_t sizes;  // of the group that is open: a hash of its copies' sizes in order
    int64_t bytes;   // of that
};

static void group_close(struct groups *groups)
{
    if (groups->bytes == 0)
        return;
    uint32_t *slot = id_map_slot(&groups->map, (struct id_key){groups->sizes, 0, 0});
    if (!*slot) {
        *slot = (uint32_t)groups->kinds + 1;
        ARENA_PUSH(groups->step->scratch, groups->times, groups->kinds, groups->kinds_capacity) = 0;
    }
    uint32_t kind = *slot - 1;
    groups->times[kind]++;
    ARENA_PUSH(groups->step->scratch, groups->items, groups->count, groups->capacity) =
        (struct group){kind, groups->bytes};
    groups->sizes = 0;
    groups->bytes = 0;
}

static bool is_large_upload(const struct step *step, uint32_t work)
{
    const struct gpu_work *rows = &step->profile->work;
    return rows->bytes && detect_upload(step->profile, work) && rows->bytes[work] >= LARGE_BYTES &&
           step_has_work(step, work);
}

static struct groups groups_find(const struct step *step)
{
    const struct profile *profile = step->profile;
    const struct device *device = &profile->devices[step->device];
    struct groups groups = {.step = step, .map = {.arena = step->scratch}};
    for (uint32_t w = device->first_work; w < device->end_work; w++) {
        if (is_large_upload(step, w)) {
            // FNV-1a over whole sizes: equal hashes of unequal groups are as good as impossible.
            groups.sizes = (groups.sizes ^ (uint64_t)profile->work.bytes[w]) * 0x100000001b3u + 1;
            if (__builtin_add_overflow(groups.bytes, profile->work.bytes[w], &groups.bytes))
                groups.bytes = INT64_MAX;
        } else if (profile->functions[profile->work.function[w]].class == CLASS_COMPUTE) {
            group_close(&groups);
        }
    }
    group_close(&groups);
    return groups;
}

// Whether the same sizes come in the same order again and again, spread over the work.
static bool groups_recur(const struct groups *groups)
{
    size_t recurring = 0, kinds = 0;
    double bytes = 0, all = 0;
    for (size_t k = 0; k < groups->kinds; k++)
        kinds += groups->times[k] >= RECURS_MIN;
    for (size_t i = 0; i < groups->count; i++) {
        bool recurs = groups->times[groups->items[i].kind] >= RECURS_MIN;
        recurring += recurs;
        bytes += recurs ? (double)groups->items[i].bytes : 0;
        all += (double)groups->items[i].bytes;
    }
    const struct step *step = groups->step;
    bool is_marked = step->selection->split->method == SPLIT_RANGES ||
                     step->selection->split->method == SPLIT_KEY;
    bool is_spread = is_marked ? recurring >= (size_t)GROUPS_A_STEP * step->window_count
                               : recurring >= GROUPS_MIN && kinds >= KINDS_MIN;
    return is_spread && 2 * bytes > all;
}

static void streamed_weights(struct step *step, struct finding_list *findings)
{
    const struct profile *profile = step->profile;
    struct groups groups = groups_find(step);
    if (!groups_recur(&groups))
        return;
    struct leader leader = leader_new(step);
    int64_t *per_node = step_node_sums(step), on_compute = 0, bytes = 0;
    uint32_t copies = 0, last = ROW_NONE;
    for (size_t s = 0; s < step->count; s++) {
        const struct stretch *stretch = &step->stretches[s];
        if (stretch->class != CLASS_COPY || !is_large_upload(step, stretch->work))
            continue;
        int64_t length = stretch->to - stretch->from;
        if (profile->streams[profile->work.stream[stretch->work]].role == ROLE_COMPUTE)
            on_compute += length;
        if (stretch->work != last &&
            !__builtin_add_overflow(bytes, profile->work.bytes[stretch->work], &bytes))
            copies++;
        last = stretch->work;
        leader_add(&leader, profile->work.function[last], length);
        per_node[selection_layer_node(profile, step->selection, last)] += length;
    }
    detect_want_copies(step, is_large_upload);
    int64_t gain = claims_measure(&step->claims);
    bool speaks = step_share(step, gain) > expert_threshold("streamed_weights.share");
    struct finding *finding =
        step_claim(step, findings, &detect_streamed_weights, speaks, gain, CERTAINTY_LIKELY);
    if (!finding)
        return;
    char size[FORMAT_SIZE];
    finding->place = step_node_text(step, step_place(step, per_node));
    finding->problem = arena_format(
        step->arena,
        "Weights are streamed from the host%s: %s %s go into copies with nothing beside them",
        2 * on_compute > gain ? " on a compute stream" : "", step_duration(step, gain),
        step_unit(step));
    finding->recommendation =
        "Keep on the GPU what is copied again each time: smaller types (bfloat16, 8 or 4 bits), "
        "the model split over several GPUs, fewer layers offloaded. What must stay on the host: "
        "copy it on a stream of its own, a layer ahead, for more work at a time (a larger batch)";
    finding->why = arena_format(
        step->arena,
        "%u copies, %s, in %zu groups between kernels; groups of the same sizes in the same order "
        "come again and again, as layers do. Only copying less gains all of it: the GPU computes "
        "for %s %s",
        copies, format_bytes(size, bytes), groups.count, step_duration(step, step->compute_ns),
        step_unit(step));
    finding->opens = leader.count == 1 ? "launches" : "memory";
    if (leader.count == 1)
        finding->evidence.function = leader.best;
    finding->evidence.device = step->device;
}

const struct detector detect_streamed_weights = {
    .id = "streamed_weights",
    .title = "weights are streamed from the host",
    .doc = "Groups of copies of the same sizes in the same order go from the host to the GPU again "
           "and again between kernels (four in each step, or without marked steps eight in all of "
           "two kinds), and take more than streamed_weights.share of the step with no kernel "
           "beside them. Bound: that time.",
    .claim = streamed_weights,
};
