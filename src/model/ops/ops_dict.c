// SPDX-License-Identifier: Apache-2.0
// Finds ops by the rules of the dialect's own tool: DLProf's dicts, TensorFlow's nodes, TensorRT's
// layers.
#include <string.h>

#include "base/scratch.h"
#include "model/ops/backward_pairs.h"
#include "model/ops/ops_draft.h"

// Returns DLProf's name of an op: funcStack without < and >, and with brackets for parentheses.
static string_id op_name(struct op_drafts *drafts, string_id path, string_id type)
{
    struct profile *profile = drafts->profile;
    if (path == STRING_NONE) { // PyProf before it wrote funcStack
        char *name = arena_format(drafts->scratch, "/%s", profile_text(profile, type));
        return strings_intern_text(profile->strings, name);
    }
    size_t length = strings_length(profile->strings, path), used = 0;
    char *name = arena_copy(drafts->scratch, profile_text(profile, path), length);
    for (size_t i = 0; i < length; i++) {
        char c = name[i];
        if (c != '<' && c != '>')
            name[used++] = c == '(' ? '[' : c == ')' ? ']' : c;
    }
    return strings_intern(profile->strings, name, used);
}

// Returns whether the range is a call of NCCL. DLProf treats these as ops of TensorFlow, with names
// such as `NCCL/ncclAllReduce`.
static bool is_nccl(const struct profile *profile, const struct marker *marker)
{
    return marker->kind == MARKER_LIBRARY &&
           strcmp(profile_text(profile, marker->module), "NCCL") == 0;
}

static string_id nccl_name(struct op_drafts *drafts, const struct marker *marker)
{
    struct profile *profile = drafts->profile;
    char *name = arena_format(drafts->scratch, "NCCL/%s", profile_text(profile, marker->title));
    return strings_intern_text(profile->strings, name);
}

static bool is_op(const struct profile *profile, const struct marker *marker,
                  enum marker_dialect dialect)
{
    return (marker->kind == MARKER_OP && marker->dialect == dialect) ||
           (dialect == DIALECT_TENSORFLOW && is_nccl(profile, marker));
}

enum { MARKS_OP = 1, MARKS_TRACE = 2 };

struct outermost_ops { // the op ranges of a dialect that are not inside another op range
    struct op_drafts *drafts;
    enum marker_dialect dialect;
    uint8_t *marks;  // per marker
    uint32_t *trace; // per range: its trace marker, else that of the nearest enclosing range
    bool *is_inside; // per range: it is an op, or inside one
    uint32_t *rows;  // the outermost op ranges, in order
    uint32_t count;
};

static struct outermost_ops outermost_open(struct op_drafts *drafts, enum marker_dialect dialect)
{
    const struct profile *profile = drafts->profile;
    uint32_t count = profile->ranges.count;
    struct outermost_ops outermost = {
        .drafts = drafts,
        .dialect = dialect,
        .marks = ARENA_ARRAY(drafts->scratch, uint8_t, profile->marker_count),
        .trace = ARENA_ARRAY(drafts->scratch, uint32_t, count),
        .is_inside = ARENA_ARRAY(drafts->scratch, bool, count),
        .rows = ARENA_ARRAY(drafts->scratch, uint32_t, count),
    };
    for (uint32_t m = 0; m < profile->marker_count; m++) {
        const struct marker *marker = &profile->markers[m];
        if (marker->kind == MARKER_TRACE)
            outermost.marks[m] = MARKS_TRACE;
        else if (is_op(profile, marker, dialect))
            outermost.marks[m] = MARKS_OP;
    }
    return outermost;
}

static void outermost_find(struct outermost_ops *outermost)
{
    const struct op_drafts *drafts = outermost->drafts;
    const struct ranges *ranges = &drafts->profile->ranges;
    for (uint32_t i = 0; i < ranges->count; i++) {
        uint32_t parent = AT(ranges->parent, i);
        const struct range_label *label = &ranges->labels[AT(ranges->label, i)];
        uint8_t marks = outermost->marks[label->marker];
        bool is_inner = parent != ROW_NONE && outermost->is_inside[parent];
        outermost->trace[i] = marks == MARKS_TRACE ? label->marker
                              : parent != ROW_NONE ? outermost->trace[parent]
                                                   : ROW_NONE;
        outermost->is_inside[i] = is_inner || marks == MARKS_OP;
        if (marks == MARKS_OP && !is_inner && label->ending != RANGE_CROSS_THREAD &&
            drafts->own[i] == ROW_NONE)
            outermost->rows[outermost->count++] = i;
    }
}

// Adds drafts for them and releases the memory of outermost_open().
static void outermost_add(struct outermost_ops *outermost)
{
    struct op_drafts *drafts = outermost->drafts;
    const struct profile *profile = drafts->profile;
    const struct ranges *ranges = &profile->ranges;
    enum marker_dialect dialect = outermost->dialect;
    ARENA_RELEASE(drafts->scratch, outermost->is_inside, ranges->count);
    string_id *name_of = ARENA_ARRAY(drafts->scratch, string_id, profile->marker_count);
    for (uint32_t i = 0; i < outermost->count; i++) {
        uint32_t range = outermost->rows[i], traced = outermost->trace[range];
        const struct range_label *label = range_label(ranges, range);
        uint32_t row = label->marker;
        const struct marker *marker = &profile->markers[row];
        string_id name = marker->title, type = marker->type;
        if (is_nccl(profile, marker)) {
            type = marker->module;
            name = nccl_name(drafts, marker);
        } else if (dialect == DIALECT_DLPROF) {
            // The name follows from the funcStack of the trace marker. Without it the trace marker
            // has only a call stack, which all ops called by one line of the program share.
            bool has_path = traced != ROW_NONE && profile->markers[traced].path != STRING_NONE;
            uint32_t named_by = has_path ? traced : row;
            if (!name_of[named_by])
                name_of[named_by] = op_name(drafts, profile->markers[named_by].path, marker->type);
            name = name_of[named_by];
        }
        bool is_backward = strcmp(profile_text(profile, type), "backward") == 0;
        int64_t start = AT(ranges->start, range), end = AT(ranges->end, range);
        drafts->own[range] =
            op_draft_add(drafts, (struct op_draft){
                                     .start = start,
                                     .end = end,
                                     .self_ns = end - start,
                                     .thread = label->thread,
                                     .process = profile->threads[label->thread].process,
                                     .marker = row,
                                     .trace = traced,
                                     .forward = ROW_NONE,
                                     .backward = ROW_NONE,
                                     .name = name,
                                     .type = type,
                                     .direction = dialect != DIALECT_DLPROF ? DIRECTION_NONE
                                                  : is_backward             ? DIRECTION_BPROP
                                                                            : DIRECTION_FPROP,
                                 });
    }
    ARENA_RELEASE(drafts->scratch, outermost->trace, ranges->count);
    ARENA_RELEASE(drafts->scratch, outermost->rows, ranges->count);
    ARENA_RELEASE(drafts->scratch, name_of, profile->marker_count);
    ARENA_RELEASE(drafts->scratch, outermost->marks, profile->marker_count);
}

void op_draft_add_backward(struct op_drafts *drafts, uint32_t forward, uint32_t range)
{
    const struct ranges *ranges = &drafts->profile->ranges;
    uint32_t draft = drafts->items[forward].backward;
    int64_t length = AT(ranges->end, range) - AT(ranges->start, range);
    if (draft == ROW_NONE) {
        struct op_draft backward = drafts->items[forward];
        backward.start = AT(ranges->start, range);
        backward.end = AT(ranges->end, range);
        backward.self_ns = 0;
        backward.thread = range_thread(ranges, range);
        backward.forward = forward;
        backward.direction = DIRECTION_BPROP;
        draft = op_draft_add(drafts, backward);
        drafts->items[forward].backward = draft;
    }
    struct op_draft *item = &drafts->items[draft];
    if (AT(ranges->start, range) < item->start)
        item->start = AT(ranges->start, range);
    if (AT(ranges->end, range) > item->end)
        item->end = AT(ranges->end, range);
    item->self_ns += length;
    drafts->own[range] = draft;
}

void ops_find_named(struct op_drafts *drafts, enum marker_dialect dialect)
{
    struct outermost_ops outermost = outermost_open(drafts, dialect);
    outermost_find(&outermost);
    outermost_add(&outermost);
}

struct dict_job {
    struct outermost_ops outermost;
    uint32_t *pairs; // NULL: none
};

// Finds the op ranges (job 0) and the backward pairs (job 1), which are independent of each other.
static void find_job(void *context, size_t i, struct arena *scratch)
{
    struct dict_job *job = context;
    if (i == 0)
        outermost_find(&job->outermost);
    else
        backward_pairs_find(job->outermost.drafts->profile, false, job->pairs, scratch);
}

void ops_find_dict(struct op_drafts *drafts)
{
    const struct ranges *ranges = &drafts->profile->ranges;
    drafts->counts_runs = true;
    struct dict_job job = {.outermost = outermost_open(drafts, DIALECT_DLPROF)};
    if (backward_pairs_are_possible(drafts->profile))
        job.pairs = ARENA_ARRAY(drafts->scratch, uint32_t, ranges->count);
    scratch_jobs(drafts->scratch, drafts->profile->workers, job.pairs ? 2 : 1, find_job, &job);
    outermost_add(&job.outermost);
    const uint32_t *pairs = job.pairs;
    if (!pairs)
        return;
    // The draft of each range or of its nearest ancestor that has one.
    uint32_t *around = ARENA_ARRAY(drafts->scratch, uint32_t, ranges->count);
    for (uint32_t i = 0; i < ranges->count; i++) {
        around[i] = drafts->own[i];
        uint32_t parent = around[i] == ROW_NONE ? AT(ranges->parent, i) : ROW_NONE;
        if (parent != ROW_NONE)
            around[i] = around[parent];
    }
    size_t forward_count = drafts->count;
    for (uint32_t i = 0; i < ranges->count; i++) {
        uint32_t forward = pairs[i] ? around[pairs[i] - 1] : ROW_NONE;
        if (forward == ROW_NONE || forward >= forward_count || drafts->own[i] != ROW_NONE ||
            drafts->items[forward].direction == DIRECTION_BPROP)
            continue;
        op_draft_add_backward(drafts, forward, i);
    }
    ARENA_RELEASE(drafts->scratch, around, ranges->count);
    ARENA_RELEASE(drafts->scratch, job.pairs, ranges->count);
    // DLProf's CPU time of an op is the length of its range.
    for (size_t i = forward_count; i < drafts->count; i++)
        drafts->items[i].self_ns = drafts->items[i].end - drafts->items[i].start;
}
