// SPDX-License-Identifier: Apache-2.0
// Builds small profiles in memory: collects rows, sorts them and fills the tables of a profile.
#include "profile_builder.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "columns.h"
#include "model/derive/derive.h"
#include "model/markers/markers.h"

struct thread_row {
    uint32_t pid, tid;
};

struct range_row {
    uint32_t thread;
    int64_t start, end, seq, op_id;
    string_id name, sizes;
    uint16_t domain;
    uint8_t is_open;
};

struct call_row {
    uint32_t thread, correlation;
    int64_t start, end;
    string_id name;
};

struct work_row {
    uint32_t call, device, stream;
    int64_t start, end, bytes, graph, node;
    enum work_kind kind;
    string_id name;
    struct copy copy;
    bool has_copy;
};

struct node_row {
    int64_t node, original, time;
    uint32_t thread;
};

#define LIST(type, name) \
    type *name;          \
    size_t name##_count, name##_capacity

struct builder_rows {
    LIST(struct thread_row, threads);
    LIST(struct range_row, ranges);
    LIST(struct call_row, calls);
    LIST(struct work_row, works);
    LIST(struct node_row, nodes);
    LIST(string_id, domains);
    LIST(uint32_t, pids);
    string_id gpu;
    bool has_graph;
};

#define PUSH(builder, list, value)                                                               \
    (ARENA_PUSH((builder)->profile->arena, (builder)->rows->list, (builder)->rows->list##_count, \
                (builder)->rows->list##_capacity) = (value),                                     \
     (uint32_t)(builder)->rows->list##_count - 1)

struct profile_builder *builder_new(void)
{
    struct profile_builder *builder = calloc(1, sizeof *builder);
    struct arena *arena = arena_new(0);
    assert(builder && arena);
    builder->profile = ARENA_NEW(arena, struct profile);
    builder->profile->arena = arena;
    builder->profile->strings = strings_new(arena);
    builder->rows = ARENA_NEW(arena, struct builder_rows);
    (void)PUSH(builder, domains, (string_id)STRING_NONE);
    return builder;
}

void builder_free(struct profile_builder *builder)
{
    arena_free(builder->profile->arena);
    free(builder);
}

static string_id intern(struct profile_builder *builder, const char *text)
{
    return strings_intern_text(builder->profile->strings, text);
}

static uint32_t process_of(struct profile_builder *builder, uint32_t pid)
{
    for (uint32_t i = 0; i < builder->rows->pids_count; i++)
        if (builder->rows->pids[i] == pid)
            return i;
    return PUSH(builder, pids, pid);
}

uint32_t builder_thread(struct profile_builder *builder, uint32_t pid, uint32_t tid)
{
    process_of(builder, pid);
    for (uint32_t i = 0; i < builder->rows->threads_count; i++)
        if (builder->rows->threads[i].pid == pid && builder->rows->threads[i].tid == tid)
            return i;
    return PUSH(builder, threads, ((struct thread_row){pid, tid}));
}

// ---- ranges ------------------------------------------------------------------------------------

static int64_t cut_number(const char *text, const char *key, size_t *length)
{
    const char *found = strstr(text, key);
    if (!found)
        return SEQ_NONE;
    if ((size_t)(found - text) < *length)
        *length = (size_t)(found - text);
    return (int64_t)strtoull(found + strlen(key), NULL, 10);
}

uint32_t builder_range_in(struct profile_builder *builder, const char *domain, uint32_t thread,
                          int64_t start, int64_t end, const char *text)
{
    struct range_row row = {.thread = thread, .start = start, .end = end};
    size_t length = strlen(text);
    row.seq = cut_number(text, ", seq = ", &length);
    row.op_id = cut_number(text, ", op_id = ", &length);
    const char *sizes = strstr(text, ", sizes = ");
    if (sizes) {
        row.sizes = intern(builder, sizes + strlen(", sizes = "));
        if ((size_t)(sizes - text) < length)
            length = (size_t)(sizes - text);
    }
    row.name = strings_intern(builder->profile->strings, text, length);
    if (*domain) {
        string_id id = intern(builder, domain);
        while (row.domain < builder->rows->domains_count &&
               builder->rows->domains[row.domain] != id)
            row.domain++;
        if (row.domain == builder->rows->domains_count)
            (void)PUSH(builder, domains, id);
    }
    return PUSH(builder, ranges, row);
}

uint32_t builder_range(struct profile_builder *builder, uint32_t thread, int64_t start, int64_t end,
                       const char *text)
{
    return builder_range_in(builder, "", thread, start, end, text);
}

void builder_range_open(struct profile_builder *builder, uint32_t range, uint8_t is_open)
{
    builder->rows->ranges[range].is_open = is_open;
}

// ---- calls and work ----------------------------------------------------------------------------

uint32_t builder_call(struct profile_builder *builder, uint32_t thread, int64_t start, int64_t end,
                      const char *name)
{
    struct call_row row = {thread, (uint32_t)builder->rows->calls_count + 1, start, end,
                           intern(builder, name)};
    return PUSH(builder, calls, row);
}

void builder_gpu(struct profile_builder *builder, const char *name)
{
    builder->rows->gpu = intern(builder, name);
}

uint32_t builder_kernel(struct profile_builder *builder, uint32_t call, uint32_t device,
                        uint32_t stream, int64_t start, int64_t end, const char *name)
{
    struct work_row row = {.call = call,
                           .device = device,
                           .stream = stream,
                           .start = start,
                           .end = end,
                           .kind = WORK_KERNEL,
                           .name = intern(builder, name)};
    return PUSH(builder, works, row);
}

uint32_t builder_copy(struct profile_builder *builder, uint32_t call, uint32_t device,
                      uint32_t stream, int64_t start, int64_t end, int64_t bytes)
{
    struct work_row row = {.call = call,
                           .device = device,
                           .stream = stream,
                           .start = start,
                           .end = end,
                           .bytes = bytes,
                           .kind = WORK_MEMCPY,
                           .name = intern(builder, "[memcpy HtoD]")};
    return PUSH(builder, works, row);
}

void builder_copy_kind(struct profile_builder *builder, uint32_t work, int copy_kind, int src_kind,
                       int dst_kind)
{
    builder->rows->works[work].copy = (struct copy){copy_kind, src_kind, dst_kind};
    builder->rows->works[work].has_copy = true;
}

uint32_t builder_graph_row(struct profile_builder *builder, uint32_t call, uint32_t device,
                           uint32_t stream, int64_t start, int64_t end, int64_t graph)
{
    char name[64];
    snprintf(name, sizeof name, "[graph %lld]", (long long)graph);
    struct work_row row = {.call = call,
                           .device = device,
                           .stream = stream,
                           .start = start,
                           .end = end,
                           .graph = graph,
                           .kind = WORK_GRAPH,
                           .name = intern(builder, name)};
    builder->rows->has_graph = true;
    return PUSH(builder, works, row);
}

void builder_in_graph(struct profile_builder *builder, uint32_t work, int64_t graph, int64_t node)
{
    builder->rows->works[work].graph = graph;
    builder->rows->works[work].node = node;
    builder->rows->has_graph = true;
}

void builder_graph_node(struct profile_builder *builder, int64_t node, int64_t original,
                        uint32_t thread, int64_t time)
{
    struct node_row row = {node, original, time, thread};
    (void)PUSH(builder, nodes, row);
}

uint32_t builder_launch(struct profile_builder *builder, uint32_t thread, int64_t time,
                        const char *kernel)
{
    uint32_t call = builder_call(builder, thread, time, time + 10, "cudaLaunchKernel_v7000");
    return builder_kernel(builder, call, 0, 7, time + 20, time + 30, kernel);
}

// ---- building ----------------------------------------------------------------------------------

static int compare_ranges(const void *context, uint32_t a, uint32_t b)
{
    const struct range_row *rows = context, *x = &rows[a], *y = &rows[b];
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->end < y->end) - (x->end > y->end);
}

static int compare_calls(const void *context, uint32_t a, uint32_t b)
{
    const struct call_row *rows = context, *x = &rows[a], *y = &rows[b];
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return (x->start > y->start) - (x->start < y->start);
}

static int compare_works(const void *context, uint32_t a, uint32_t b)
{
    const struct work_row *rows = context, *x = &rows[a], *y = &rows[b];
    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

static int compare_nodes(const void *context, uint32_t a, uint32_t b)
{
    const struct node_row *rows = context;
    return (rows[a].node > rows[b].node) - (rows[a].node < rows[b].node);
}

// Sorts `count` rows and sets `*row_of` to the row of each handle.
static uint32_t *sorted(struct profile_builder *builder, size_t count, sort_compare *compare,
                        const void *rows, uint32_t **row_of)
{
    struct arena *arena = builder->profile->arena;
    uint32_t *order = ARENA_ARRAY(arena, uint32_t, count);
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    sort_ids(order, count, compare, rows, arena);
    *row_of = ARENA_ARRAY(arena, uint32_t, count);
    for (uint32_t i = 0; i < count; i++)
        (*row_of)[order[i]] = i;
    return order;
}

static void fill_threads(struct profile_builder *builder)
{
    struct profile *profile = builder->profile;
    const struct builder_rows *rows = builder->rows;
    profile->process_count = (uint32_t)rows->pids_count;
    profile->processes = ARENA_ARRAY(profile->arena, struct process, rows->pids_count);
    for (uint32_t i = 0; i < rows->pids_count; i++)
        profile->processes[i] =
            (struct process){.global_pid = (int64_t)rows->pids[i] << 24, .pid = rows->pids[i]};
    profile->thread_count = (uint32_t)rows->threads_count;
    profile->threads = ARENA_ARRAY(profile->arena, struct thread, rows->threads_count);
    for (uint32_t i = 0; i < rows->threads_count; i++) {
        const struct thread_row *row = &rows->threads[i];
        profile->threads[i] = (struct thread){.global_tid = (int64_t)row->pid << 24 | row->tid,
                                              .tid = row->tid,
                                              .process = process_of(builder, row->pid)};
    }
}

// Looks only at the last few labels, so that large profiles build fast.
static uint32_t label_row(struct ranges *ranges, const struct range_label *label)
{
    enum { LAST = 16 };
    for (uint32_t i = ranges->label_count, n = 0; i-- > 0 && n < LAST; n++)
        if (memcmp(&ranges->labels[i], label, sizeof *label) == 0)
            return i;
    ranges->labels[ranges->label_count] = *label;
    return ranges->label_count++;
}

static void fill_ranges(struct profile_builder *builder)
{
    struct profile *profile = builder->profile;
    struct builder_rows *rows = builder->rows;
    struct ranges *ranges = &profile->ranges;
    uint32_t count = (uint32_t)rows->ranges_count;
    uint32_t *order = sorted(builder, count, compare_ranges, rows->ranges, &builder->range_row);
    ranges->count = count;
    ranges->start = column64_loose(profile->arena, count);
    ranges->end = column64_loose(profile->arena, count);
    ranges->label = column32_loose(profile->arena, count);
    ranges->labels = ARENA_ARRAY(profile->arena, struct range_label, count);
    ranges->label_count = 0; // of an earlier build
    struct column64 seq = column64_loose(profile->arena, count);
    struct column64 op_id = column64_loose(profile->arena, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct range_row *row = &rows->ranges[order[i]];
        SET(ranges->start, i, row->start);
        SET(ranges->end, i, row->end);
        struct range_label label = {.name = row->name,
                                    .sizes = row->sizes,
                                    .domain = row->domain,
                                    .thread = row->thread,
                                    .ending = row->is_open,
                                    .has_seq = row->seq != SEQ_NONE,
                                    .has_op_id = row->op_id != SEQ_NONE};
        SET(ranges->label, i, label_row(ranges, &label));
        SET(seq, i, row->seq);
        SET(op_id, i, row->op_id);
        if (label.has_seq)
            ranges->seq = seq;
        if (label.has_op_id)
            ranges->op_id = op_id;
        struct thread *thread = &profile->threads[row->thread];
        if (thread->first_range == thread->end_range)
            thread->first_range = i;
        thread->end_range = i + 1;
    }
    profile->domain_count = (uint32_t)rows->domains_count;
    profile->domains = ARENA_ARRAY(profile->arena, struct domain, rows->domains_count);
    for (uint32_t i = 0; i < rows->domains_count; i++)
        profile->domains[i].name = rows->domains[i];
}

static void fill_calls(struct profile_builder *builder)
{
    struct profile *profile = builder->profile;
    struct builder_rows *rows = builder->rows;
    struct api_calls *api = &profile->api;
    uint32_t count = (uint32_t)rows->calls_count;
    uint32_t *order = sorted(builder, count, compare_calls, rows->calls, &builder->call_row);
    api->count = count;
    api->start = column64_loose(profile->arena, count);
    api->end = column64_loose(profile->arena, count);
    api->name = column32_loose(profile->arena, count);
    api->thread = column32_loose(profile->arena, count);
    api->correlation = column32_loose(profile->arena, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct call_row *row = &rows->calls[order[i]];
        SET(api->start, i, row->start);
        SET(api->end, i, row->end);
        SET(api->name, i, row->name);
        SET(api->thread, i, row->thread);
        SET(api->correlation, i, row->correlation);
        struct thread *thread = &profile->threads[row->thread];
        if (thread->first_api == thread->end_api)
            thread->first_api = i;
        thread->end_api = i + 1;
    }
}

static uint32_t function_of(struct profile *profile, const struct work_row *row)
{
    for (uint32_t i = 0; i < profile->function_count; i++)
        if (profile->functions[i].kind == row->kind && profile->functions[i].full == row->name)
            return i;
    struct function function = {
        .kind = row->kind, .full = row->name, .brief = row->name, .family = row->name};
    profile->functions[profile->function_count] = function;
    return profile->function_count++;
}

static uint32_t stream_of(struct profile *profile, uint32_t process, const struct work_row *row)
{
    for (uint32_t i = 0; i < profile->stream_count; i++)
        if (profile->streams[i].process == process && profile->streams[i].device == row->device &&
            profile->streams[i].stream_id == row->stream)
            return i;
    struct stream stream = {
        .process = process, .device = row->device, .context = 1, .stream_id = row->stream};
    profile->streams[profile->stream_count] = stream;
    return profile->stream_count++;
}

static void fill_work(struct profile_builder *builder)
{
    struct profile *profile = builder->profile;
    struct builder_rows *rows = builder->rows;
    struct gpu_work *work = &profile->work;
    uint32_t count = (uint32_t)rows->works_count;
    uint32_t *order = sorted(builder, count, compare_works, rows->works, &builder->work_row);
    for (uint32_t i = 0; i < count; i++)
        if (rows->works[i].device >= profile->device_count)
            profile->device_count = rows->works[i].device + 1;
    profile->devices = ARENA_ARRAY(profile->arena, struct device, profile->device_count);
    for (uint32_t i = 0; i < profile->device_count; i++)
        profile->devices[i] = (struct device){.gpu_id = i,
                                              .ordinal = i,
                                              .name = rows->gpu,
                                              .memory_bandwidth = UNKNOWN,
                                              .compute_major = -1,
                                              .compute_minor = -1};
    profile->functions = ARENA_ARRAY(profile->arena, struct function, count);
    profile->streams = ARENA_ARRAY(profile->arena, struct stream, count);
    profile->copies = ARENA_ARRAY(profile->arena, struct copy, (size_t)count + 1);
    work->count = count;
    work->start = column64_loose(profile->arena, count);
    work->end = column64_loose(profile->arena, count);
    work->bytes = column64_loose(profile->arena, count);
    work->function = column32_loose(profile->arena, count);
    work->stream = column32_loose(profile->arena, count);
    work->correlation = column32_loose(profile->arena, count);
    work->shape = column32_loose(profile->arena, count);
    work->flags = column32_loose(profile->arena, count);
    if (rows->has_graph) {
        work->graph = column64_loose(profile->arena, count);
        work->graph_node = column64_loose(profile->arena, count);
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct work_row *row = &rows->works[order[i]];
        const struct call_row *call = row->call == ROW_NONE ? NULL : &rows->calls[row->call];
        uint32_t process = call ? profile->threads[call->thread].process : 0;
        SET(work->start, i, row->start);
        SET(work->end, i, row->end);
        SET(work->bytes, i, row->bytes);
        SET(work->function, i, function_of(profile, row));
        SET(work->stream, i, stream_of(profile, process, row));
        SET(work->correlation, i, call ? call->correlation : 0);
        SET(work->shape, i, ROW_NONE);
        if (row->has_copy) {
            SET(work->shape, i, profile->copy_count);
            profile->copies[profile->copy_count++] = row->copy;
        }
        if (rows->has_graph) {
            SET(work->graph, i, row->graph);
            SET(work->graph_node, i, row->node);
        }
        struct device *device = &profile->devices[row->device];
        device->has_work = true;
        device->has_kernels |= row->kind == WORK_KERNEL;
        if (device->first_work == device->end_work)
            device->first_work = i;
        device->end_work = i + 1;
    }
}

static void fill_graph_nodes(struct profile_builder *builder)
{
    struct profile *profile = builder->profile;
    struct builder_rows *rows = builder->rows;
    struct graph_nodes *nodes = &profile->graph_nodes;
    uint32_t count = (uint32_t)rows->nodes_count, *unused;
    uint32_t *order = sorted(builder, count, compare_nodes, rows->nodes, &unused);
    nodes->count = count;
    nodes->node = ARENA_ARRAY(profile->arena, int64_t, count);
    nodes->original = ARENA_ARRAY(profile->arena, int64_t, count);
    nodes->start = ARENA_ARRAY(profile->arena, int64_t, count);
    nodes->thread = ARENA_ARRAY(profile->arena, uint32_t, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct node_row *row = &rows->nodes[order[i]];
        nodes->node[i] = row->node;
        nodes->original[i] = row->original;
        nodes->start[i] = row->time;
        nodes->thread[i] = row->thread;
    }
}

static void stretch(struct profile *profile, struct column64 start, struct column64 end,
                    uint32_t count, bool *is_empty)
{
    for (uint32_t i = 0; i < count; i++) {
        if (*is_empty || AT(start, i) < profile->first_ns)
            profile->first_ns = AT(start, i);
        if (*is_empty || AT(end, i) > profile->last_ns)
            profile->last_ns = AT(end, i);
        *is_empty = false;
    }
}

struct profile *builder_link(struct profile_builder *builder)
{
    struct profile *profile = builder->profile;
    fill_threads(builder);
    fill_ranges(builder);
    fill_calls(builder);
    fill_work(builder);
    fill_graph_nodes(builder);
    bool is_empty = true;
    stretch(profile, profile->work.start, profile->work.end, profile->work.count, &is_empty);
    stretch(profile, profile->api.start, profile->api.end, profile->api.count, &is_empty);
    stretch(profile, profile->ranges.start, profile->ranges.end, profile->ranges.count, &is_empty);
    profile->source_count = 1;
    profile->sources = ARENA_NEW(profile->arena, struct source);
    *profile->sources = source_new("test", "test");
    profile->has_kernels = profile->work.count > 0;
    profile->has_api = profile->api.count > 0;
    profile->has_ranges = profile->ranges.count > 0;
    profile->capture = CAPTURE_UNKNOWN;
    profile_classify(profile);
    profile_link_work(profile);
    profile_link_calls(profile);
    profile_link_ranges(profile);
    return profile;
}

struct profile *builder_build(struct profile_builder *builder, enum mode mode)
{
    struct profile *profile = builder_link(builder);
    markers_parse(profile);
    ops_build(profile, mode);
    op_tree_build(profile);
    profile->stage = STAGE_READY;
    return profile;
}

// ---- inspecting trees --------------------------------------------------------------------------

const char *node_path(const struct profile *profile, const struct op_tree *tree, uint32_t node)
{
    if (node == 0)
        return "";
    char *path = arena_format(profile->arena, "%s", profile_text(profile, tree->name[node]));
    for (uint32_t up = tree->parent[node]; up; up = tree->parent[up])
        path = arena_format(profile->arena, "%s/%s", profile_text(profile, tree->name[up]), path);
    return path;
}

uint32_t node_find(const struct profile *profile, const struct op_tree *tree, const char *path)
{
    for (uint32_t i = 0; i < tree->count; i++)
        if (strcmp(node_path(profile, tree, i), path) == 0)
            return i;
    return ROW_NONE;
}

const char *tree_picture(const struct profile *profile, const struct op_tree *tree)
{
    const char *picture = "";
    for (uint32_t i = 1; i < tree->count; i++) {
        const char *name = profile_text(profile, tree->name[i]);
        int indent = 2 * (tree->depth[i] - 1);
        picture = tree->member_count[i] > 1
                      ? arena_format(profile->arena, "%s%*s%s x%u\n", picture, indent, "", name,
                                     tree->member_count[i])
                      : arena_format(profile->arena, "%s%*s%s\n", picture, indent, "", name);
    }
    return picture;
}
