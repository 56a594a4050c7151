// SPDX-License-Identifier: Apache-2.0
// Finds ops by the rules of the dialect's own tool: DLProf's dicts, TensorFlow's nodes, TensorRT's
// layers.
#include <string.h>

#include "base/scratch.h"
#include "model/ops/backward_pairs.h"
#include "model/ops/ops_draft.h"
#include "model/ops/wrappers.h"

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
    uint8_t *roles;  // per marker: enum wrapper_role; NULL: the dialect has no wrappers
    uint32_t *trace; // per range: its trace marker, else that of the nearest enclosing range
    // Per range: whether it is an op, or inside one, and then whether that may be a wrapper.
    uint8_t *inside;
    const bool *wrappers; // per range; NULL: none is, or it is not known yet
    bool has_wrappers;    // some op that may be a wrapper encloses one that has a formula
    uint32_t *rows;       // the outermost op ranges, in order
    uint32_t count;
};

enum { OUTSIDE_OPS, INSIDE_OP, INSIDE_MAYBE_WRAPPER };

static struct outermost_ops outermost_open(struct op_drafts *drafts, enum marker_dialect dialect)
{
    const struct profile *profile = drafts->profile;
    uint32_t count = profile->ranges.count;
    struct outermost_ops outermost = {
        .drafts = drafts,
        .dialect = dialect,
        .marks = ARENA_ARRAY(drafts->scratch, uint8_t, profile->marker_count),
        .trace = ARENA_ARRAY(drafts->scratch, uint32_t, count),
        .inside = ARENA_ARRAY(drafts->scratch, uint8_t, count),
        .rows = ARENA_ARRAY(drafts->scratch, uint32_t, count),
    };
    for (uint32_t m = 0; m < profile->marker_count; m++) {
        const struct marker *marker = &profile->markers[m];
        if (marker->kind == MARKER_TRACE)
            outermost.marks[m] = MARKS_TRACE;
        else if (is_op(profile, marker, dialect))
            outermost.marks[m] = MARKS_OP;
    }
    if (dialect == DIALECT_DLPROF)
        outermost.roles = wrapper_roles(profile, drafts->scratch);
    return outermost;
}

// Returns the value of `inside` for an op range that is not inside another one.
static uint8_t inside_of(const struct outermost_ops *outermost, uint32_t marker)
{
    bool may_wrap = outermost->roles && outermost->roles[marker] == WRAPPER_MAYBE;
    return may_wrap ? INSIDE_MAYBE_WRAPPER : INSIDE_OP;
}

static void outermost_find(struct outermost_ops *outermost)
{
    const struct op_drafts *drafts = outermost->drafts;
    const struct ranges *ranges = &drafts->profile->ranges;
    outermost->count = 0;
    for (uint32_t i = 0; i < ranges->count; i++) {
        uint32_t parent = AT(ranges->parent, i);
        const struct range_label *label = &ranges->labels[AT(ranges->label, i)];
        uint8_t marks = outermost->marks[label->marker];
        uint8_t inside = parent != ROW_NONE ? outermost->inside[parent] : OUTSIDE_OPS;
        outermost->trace[i] = marks == MARKS_TRACE ? label->marker
                              : parent != ROW_NONE ? outermost->trace[parent]
                                                   : ROW_NONE;
        outermost->inside[i] = inside;
        if (marks != MARKS_OP || (outermost->wrappers && outermost->wrappers[i]))
            continue;
        if (inside != OUTSIDE_OPS) {
            outermost->has_wrappers |= inside == INSIDE_MAYBE_WRAPPER &&
                                       outermost->roles[label->marker] == WRAPPER_FORMULA;
            continue;
        }
        outermost->inside[i] = inside_of(outermost, label->marker);
        if (label->ending != RANGE_CROSS_THREAD && drafts->own[i] == ROW_NONE)
            outermost->rows[outermost->count++] = i;
    }
}

// Adds the wrappers that make API calls themselves to the outermost ops. Returns per range the
// innermost of these wrappers around it, outside of any op; it may be the range itself.
static uint32_t *outermost_add_wrappers(struct outermost_ops *outermost)
{
    const struct op_drafts *drafts = outermost->drafts;
    const struct profile *profile = drafts->profile;
    const struct ranges *ranges = &profile->ranges;
    uint32_t *around = ARENA_ARRAY(drafts->scratch, uint32_t, ranges->count);
    bool *calls = ARENA_ARRAY(drafts->scratch, bool, ranges->count);
    for (int pass = 0; pass < 2; pass++) { // first all wrappers, then those that make calls
        for (uint32_t i = 0; i < ranges->count; i++) {
            uint32_t parent = AT(ranges->parent, i);
            bool counts = outermost->wrappers[i] && (pass == 0 || calls[i]);
            around[i] = outermost->inside[i] ? ROW_NONE
                        : counts             ? i
                        : parent != ROW_NONE ? around[parent]
                                             : ROW_NONE;
            if (pass == 1 && counts && !outermost->inside[i] && !range_is_cross_thread(ranges, i) &&
                drafts->own[i] == ROW_NONE)
                outermost->rows[outermost->count++] = i;
        }
        for (uint32_t i = 0; pass == 0 && i < profile->api.count; i++) {
            uint32_t range = AT(profile->api.range, i);
            if (range != ROW_NONE && around[range] != ROW_NONE)
                calls[around[range]] = true;
        }
    }
    return around;
}

// Takes the time of the ops in a wrapper off its own.
static void cut_wrapped(struct op_drafts *drafts, const uint32_t *around)
{
    const struct ranges *ranges = &drafts->profile->ranges;
    for (uint32_t i = 0; i < ranges->count; i++) {
        uint32_t parent = AT(ranges->parent, i);
        uint32_t wrapper = parent != ROW_NONE ? around[parent] : ROW_NONE;
        if (wrapper != ROW_NONE && drafts->own[i] != ROW_NONE && drafts->own[wrapper] != ROW_NONE)
            drafts->items[drafts->own[wrapper]].self_ns -=
                AT(ranges->end, i) - AT(ranges->start, i);
    }
}

// Adds drafts for them and releases the memory of outermost_open().
static void outermost_add(struct outermost_ops *outermost)
{
    struct op_drafts *drafts = outermost->drafts;
    const struct profile *profile = drafts->profile;
    const struct ranges *ranges = &profile->ranges;
    enum marker_dialect dialect = outermost->dialect;
    ARENA_RELEASE(drafts->scratch, outermost->inside, ranges->count);
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

// Adds drafts for the outermost ops; with wrappers, which is rare, these are looked for again.
static void add_outermost(struct outermost_ops *outermost)
{
    struct op_drafts *drafts = outermost->drafts;
    struct profile *profile = drafts->profile;
    uint32_t *around = NULL;
    if (outermost->has_wrappers) {
        drafts->wrappers = wrappers_find(profile, outermost->roles, profile->arena);
        outermost->wrappers = drafts->wrappers;
        outermost_find(outermost);
        around = outermost_add_wrappers(outermost);
    }
    outermost_add(outermost);
    if (around)
        cut_wrapped(drafts, around);
}

void ops_find_dict(struct op_drafts *drafts)
{
    const struct ranges *ranges = &drafts->profile->ranges;
    drafts->counts_runs = true;
    struct dict_job job = {.outermost = outermost_open(drafts, DIALECT_DLPROF)};
    if (backward_pairs_are_possible(drafts->profile))
        job.pairs = ARENA_ARRAY(drafts->scratch, uint32_t, ranges->count);
    scratch_jobs(drafts->scratch, drafts->profile->workers, job.pairs ? 2 : 1, find_job, &job);
    add_outermost(&job.outermost);
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
