// SPDX-License-Identifier: Apache-2.0
// Texts about GPU work, see work_text.h.
#include "analysis/sums/work_text.h"

#include <inttypes.h>
#include <string.h>

#include "analysis/sums/function_sums.h"
#include "analysis/sums/op_metrics.h"
#include "base/text/format.h"
#include "model/profile/recorder.h"

enum { PATH_NODES = 48, PATH_BYTES = 2000 }; // limits of a path, from its end

const char *const work_kind_names[WORK_KIND_COUNT] = {[WORK_KERNEL] = "kernel",
                                                      [WORK_MEMCPY] = "memcpy",
                                                      [WORK_MEMSET] = "memset",
                                                      [WORK_GRAPH] = "graph"};

const char *const work_class_names[CLASS_COUNT] = {[CLASS_COMPUTE] = "compute",
                                                   [CLASS_COMM] = "comm",
                                                   [CLASS_COPY] = "copy",
                                                   [CLASS_GRAPH] = "graph"};

const char *work_empty_text(const struct profile *profile)
{
    if (profile->work.count)
        return "No GPU work is in what is selected.";
    return profile->has_kernels && recorder_of(profile) == RECORDER_NSYS
               ? "The profile holds no GPU work: table CUPTI_ACTIVITY_KIND_KERNEL has no rows."
               : recorder_lack_text(profile, LACKS_WORK);
}

const char *kernels_empty_text(const struct profile *profile)
{
    for (uint32_t f = 0; f < profile->function_count; f++)
        if (profile->functions[f].kind == WORK_KERNEL)
            return "No kernel is in what is selected.";
    return profile->work.count ? "The profile holds no kernels; what else ran on the GPU is in the "
                                 "views of kernels by name and of memory operations."
                               : work_empty_text(profile);
}

// Returns the durations of the selected work by function.
static const int64_t *function_totals(const struct profile *profile,
                                      const struct selection *selection, struct arena *arena)
{
    int64_t *totals = ARENA_ARRAY(arena, int64_t, (size_t)profile->function_count + 1);
    const struct function_sum *sums = function_sums_of(profile, selection, arena);
    for (uint32_t f = 0; sums && f < profile->function_count; f++)
        totals[f] = sums[f].total_ns;
    for (uint32_t w = 0; !sums && w < profile->work.count; w++)
        if (selection_has_work(profile, selection, w))
            sum_add(&totals[AT(profile->work.function, w)], work_duration(profile, w));
    return totals;
}

const char *tensor_core_text(const struct profile *profile, const struct selection *selection,
                             struct arena *arena)
{
    enum { MIN_FRACTION = 100 }; // a difference below 1/100 is not reported
    int64_t by_short = 0, by_full = 0, all = 0;
    const int64_t *sums = function_totals(profile, selection, arena);
    for (uint32_t f = 0; f < profile->function_count; f++) {
        const struct function *function = &profile->functions[f];
        if (function->kind != WORK_KERNEL && function->kind != WORK_GRAPH)
            continue;
        sum_add(&all, sums[f]);
        sum_add(&by_short, function->dlprof_tensor_core ? sums[f] : 0);
        sum_add(&by_full, function->tensor_core == STATE_YES ? sums[f] : 0);
    }
    int64_t difference = by_short > by_full ? by_short - by_full : by_full - by_short;
    if (difference <= all / MIN_FRACTION)
        return NULL;
    char a[FORMAT_SIZE], b[FORMAT_SIZE];
    return arena_format(arena, "TC by short names %s%% of kernel time, by full names %s%%",
                        format_percent(a, (double)by_short / (double)all),
                        format_percent(b, (double)by_full / (double)all));
}

const char *tensor_core_caption(const struct profile *profile, const struct selection *selection,
                                struct arena *arena)
{
    const char *text = tensor_core_text(profile, selection, arena);
    return text ? text : "TC by DLProf's short names";
}

const char *dims_text(const int32_t dims[3], struct arena *arena)
{
    if (dims[0] < 0)
        return NULL;
    return arena_format(arena, "%" PRId32 "x%" PRId32 "x%" PRId32, dims[0], dims[1], dims[2]);
}

const char *stream_text(const struct profile *profile, uint32_t stream, struct arena *arena)
{
    const struct stream *row = &profile->streams[stream];
    if (row->stream_id == UNKNOWN) // one stream for all work of a process on its GPU
        return stream_role_names[row->role];
    return arena_format(arena, "%lld %s", (long long)row->stream_id, stream_role_names[row->role]);
}

const char *stream_label(const struct profile *profile, uint32_t stream, struct arena *arena)
{
    bool has_id = profile->streams[stream].stream_id != UNKNOWN;
    return arena_format(arena, "%s%s", has_id ? "s" : "", stream_text(profile, stream, arena));
}

const char *node_path_text(const struct profile *profile, const struct op_tree *tree, uint32_t node,
                           struct arena *arena)
{
    uint32_t nodes[PATH_NODES] = {0};
    size_t count = 0, bytes = 0;
    bool is_cut = false;
    for (; node != ROW_NONE && tree->parent[node] != ROW_NONE; node = tree->parent[node]) {
        bytes += strings_length(profile->strings, tree->name[node]) + 3;
        is_cut = count == PATH_NODES || (bytes > PATH_BYTES && count > 0);
        if (is_cut)
            break;
        nodes[count++] = node;
    }
    if (is_cut)
        bytes -= strings_length(profile->strings, tree->name[node]);
    char *text = ARENA_ARRAY(arena, char, bytes + 8);
    size_t length = 0;
    if (is_cut) {
        memcpy(text, "... > ", 6);
        length = 6;
    }
    while (count-- > 0) {
        string_id name = tree->name[nodes[count]];
        size_t name_length = strings_length(profile->strings, name);
        memcpy(text + length, strings_text(profile->strings, name), name_length);
        length += name_length;
        if (count > 0) {
            memcpy(text + length, " > ", 3);
            length += 3;
        }
    }
    text[length] = '\0';
    return text;
}

static uint32_t node_at_depth(const struct op_tree *tree, uint32_t node, unsigned depth)
{
    while (tree->depth[node] > depth)
        node = tree->parent[node];
    return node;
}

const char *node_path_in_step(const struct profile *profile, const struct op_tree *tree,
                              uint32_t node, const char *path)
{
    for (unsigned depth = 1; node != ROW_NONE && depth < tree->depth[node]; depth++) {
        uint32_t step = node_at_depth(tree, node, depth);
        size_t length = strings_length(profile->strings, tree->name[step]);
        if (tree->kind[step] != NODE_STEP ||
            strncmp(path, profile_text(profile, tree->name[step]), length) != 0 ||
            strncmp(path + length, " > ", 3) != 0) // a long path lacks its beginning
            break;
        path += length + 3;
    }
    return path;
}

struct value call_thread(const struct profile *profile, uint32_t call)
{
    return call == ROW_NONE ? value_none()
                            : value_integer(profile->threads[AT(profile->api.thread, call)].tid);
}
