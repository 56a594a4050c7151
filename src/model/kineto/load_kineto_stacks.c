// SPDX-License-Identifier: Apache-2.0 Finds the chains of Python frames around calls and ops: the
// functions that are open when they begin, outermost first. A chain is stored as its parent chain
// (all frames but the innermost) and the name of its innermost frame. Equal chains are one, so that
// the millions of calls of a training loop have a few thousand chains. Calls of modules become
// ranges instead of frames.
#include <string.h>

#include "base/sort.h"
#include "model/kineto/load_kineto.h"
#include "model/profile/records.h"

enum {
    MAX_DEPTH = 4096,        // open frames of a thread
    MAX_WRITTEN_FRAMES = 64, // frames written per chain, from the innermost
    MIN_WRITTEN_FRAMES = 8,
    MAX_FRAME_ROWS = 1 << 22, // rows of all chains, unless MIN_WRITTEN_FRAMES per chain are more
};

static uint32_t chain_within(struct kineto *kineto, uint32_t around, string_id name)
{
    return tuples_put(&kineto->nodes, (int64_t[2]){around, name}) + 1;
}

uint32_t kineto_chain_of_text(struct kineto *kineto, const char *text, size_t length)
{
    uint32_t chain = 0;
    for (unsigned depth = 0; length > 0 && depth < MAX_DEPTH; depth++) {
        const char *before = memrchr(text, ';', length);
        const char *frame = before ? before + 1 : text;
        size_t size = (size_t)(text + length - frame);
        if (size > 0)
            chain =
                chain_within(kineto, chain, strings_intern(kineto->profile->strings, frame, size));
        length = before ? (size_t)(before - text) : 0;
    }
    return chain;
}

// ---- modules -----------------------------------------------------------------------------------

static void put_modules(struct kineto *kineto)
{
    for (size_t i = 0; i < kineto->frames_count; i++) {
        const struct kineto_frame *frame = &kineto->frames[i];
        if (!frame->is_module)
            continue;
        int64_t key[4] = {frame->name, STRING_NONE, frame->thread,
                          label_draft_flags(SAID_MODULE, false, frame->module)};
        ARENA_PUSH(kineto->scratch, kineto->ranges, kineto->ranges_count, kineto->ranges_capacity) =
            (struct kineto_range){.start = frame->start,
                                  .end = frame->end,
                                  .seq = SEQ_NONE,
                                  .draft = tuples_put(&kineto->drafts, key),
                                  .collective = ROW_NONE};
    }
}

// ---- open frames of a thread over time ----------------------------------------------------------

struct open_frame {
    int64_t end;
    uint32_t chain;
};

struct frame_stack {
    struct kineto *kineto;
    const uint32_t *order; // remaining frames of the thread
    uint32_t next, last;
    struct open_frame open[MAX_DEPTH];
    uint32_t depth;
};

static void pop_until(struct frame_stack *stack, int64_t time)
{
    while (stack->depth && stack->open[stack->depth - 1].end <= time)
        stack->depth--;
}

static uint32_t chain_at(struct frame_stack *stack, int64_t time)
{
    struct kineto *kineto = stack->kineto;
    for (; stack->next < stack->last; stack->next++) {
        const struct kineto_frame *frame = &kineto->frames[stack->order[stack->next]];
        if (frame->start > time)
            break;
        pop_until(stack, frame->start);
        if (frame->is_module || stack->depth == MAX_DEPTH)
            continue;
        uint32_t around = stack->depth ? stack->open[stack->depth - 1].chain : 0;
        stack->open[stack->depth++] =
            (struct open_frame){frame->end, chain_within(kineto, around, frame->name)};
    }
    pop_until(stack, time);
    return stack->depth ? stack->open[stack->depth - 1].chain : 0;
}

// Returns the frames in order of thread and start; a longer frame comes before the frames inside
// it.
static uint32_t *order_frames(struct kineto *kineto, uint32_t *first)
{
    struct arena *scratch = kineto->scratch;
    uint32_t count = (uint32_t)kineto->frames_count;
    uint32_t *thread = ARENA_ARRAY(scratch, uint32_t, (size_t)count + 1);
    int64_t *start = ARENA_ARRAY(scratch, int64_t, (size_t)count + 1);
    int64_t *end = ARENA_ARRAY(scratch, int64_t, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++) {
        thread[i] = kineto->frames[i].thread;
        start[i] = kineto->frames[i].start;
        end[i] = -kineto->frames[i].end;
    }
    uint32_t *order = records_group(scratch, thread, count, kineto->threads.count, first);
    for (uint32_t t = 0; t < kineto->threads.count; t++)
        sort_ids_by_time(order + first[t], first[t + 1] - first[t], start, end, scratch);
    ARENA_RELEASE(scratch, thread, count + 1);
    ARENA_RELEASE(scratch, start, count + 1);
    ARENA_RELEASE(scratch, end, count + 1);
    return order;
}

static uint32_t range_thread_of(const struct kineto *kineto, uint32_t range)
{
    return (uint32_t)tuples_key(&kineto->drafts, kineto->ranges[range].draft)[2];
}

// Sets the chains of a thread's calls. `order` groups calls by thread, each in order of time.
static void set_call_chains(struct frame_stack *stack, const uint32_t *order, uint32_t thread,
                            uint32_t *next)
{
    struct kineto *kineto = stack->kineto;
    for (; *next < kineto->calls_count && kineto->calls[order[*next]].thread == thread; ++*next) {
        struct kineto_call *call = &kineto->calls[order[*next]];
        call->chain = chain_at(stack, call->start);
    }
}

static void set_range_chains(struct frame_stack *stack, const uint32_t *order, uint32_t thread,
                             uint32_t *next)
{
    struct kineto *kineto = stack->kineto;
    for (; *next < kineto->ranges_count && range_thread_of(kineto, order[*next]) == thread;
         ++*next) {
        struct kineto_range *range = &kineto->ranges[order[*next]];
        if (!range->chain)
            range->chain = chain_at(stack, range->start);
    }
}

void kineto_add_modules(struct kineto *kineto)
{
    if (kineto->frames_count)
        put_modules(kineto);
}

void kineto_make_stacks(struct kineto *kineto, const uint32_t *call_order,
                        const uint32_t *range_order)
{
    struct arena *scratch = kineto->scratch;
    if (!kineto->frames_count)
        return;
    uint32_t threads = kineto->threads.count, next_call = 0, next_range = 0;
    uint32_t *first = ARENA_ARRAY(scratch, uint32_t, (size_t)threads + 1);
    struct frame_stack *stack = ARENA_NEW(scratch, struct frame_stack);
    stack->kineto = kineto;
    stack->order = order_frames(kineto, first);
    for (uint32_t t = 0; t < threads; t++) {
        stack->next = first[t];
        stack->last = first[t + 1];
        stack->depth = 0;
        set_call_chains(stack, call_order, t, &next_call);
        stack->next = first[t];
        stack->depth = 0;
        set_range_chains(stack, range_order, t, &next_range);
    }
    ARENA_RELEASE(scratch, kineto->frames, kineto->frames_capacity);
    kineto->frames = NULL;
    kineto->frames_count = kineto->frames_capacity = 0;
}

// ---- frames of chains in use --------------------------------------------------------------------

// Splits "/app/train.py(12): step" into the symbol "step" and the module "/app/train.py:12".
static void split_frame(struct strings *strings, string_id frame, string_id *symbol,
                        string_id *module)
{
    const char *text = strings_text(strings, frame);
    const char *colon = strstr(text, "): ");
    const char *open = colon;
    *symbol = frame;
    *module = STRING_NONE;
    while (open && open > text && open[-1] >= '0' && open[-1] <= '9')
        open--;
    if (!open || open == colon || open <= text || open[-1] != '(')
        return;
    char place[4096];
    int length = snprintf(place, sizeof place, "%.*s:%.*s", (int)(open - 1 - text), text,
                          (int)(colon - open), open);
    if (length <= 0 || (size_t)length >= sizeof place)
        return;
    *module = strings_intern(strings, place, (size_t)length);
    *symbol = strings_intern_text(strings, colon + 3);
}

// Returns, by chain, whether a call or label refers to it.
static bool *find_used(struct kineto *kineto, uint32_t chains)
{
    bool *is_used = ARENA_ARRAY(kineto->scratch, bool, (size_t)chains + 1);
    for (size_t i = 0; i < kineto->calls_count; i++)
        is_used[kineto->calls[i].chain] = true;
    for (uint32_t i = 0; i < kineto->labels.count; i++)
        is_used[tuples_key(&kineto->labels, i)[1]] = true;
    return is_used;
}

// Returns how many frames of each chain are written, from the innermost. Fewer are written if there
// are very many chains: in a recursive program with ops at every depth, all frames would need space
// quadratic in the depth.
static uint32_t frames_of_chain(const bool *is_used, uint32_t chains)
{
    uint32_t used = 0;
    for (uint32_t chain = 1; chain <= chains; chain++)
        used += is_used[chain];
    uint32_t most = used ? (uint32_t)(MAX_FRAME_ROWS / used) : MAX_WRITTEN_FRAMES;
    return most > MAX_WRITTEN_FRAMES   ? MAX_WRITTEN_FRAMES
           : most < MIN_WRITTEN_FRAMES ? MIN_WRITTEN_FRAMES
                                       : most;
}

// Appends up to `most` frames of a chain; if `frames` has no columns, only counts them.
static void put_frames(struct kineto *kineto, uint32_t chain, uint32_t most, string_id *splits,
                       struct frames *frames)
{
    uint32_t depth = 0;
    for (uint32_t at = chain; at && depth < most; depth++) {
        const int64_t *node = tuples_key(&kineto->nodes, at - 1);
        string_id *split = splits + 2 * (size_t)at;
        if (!split[0])
            split_frame(kineto->profile->strings, (string_id)node[1], &split[0], &split[1]);
        if (frames->chain) {
            frames->chain[frames->count + depth] = chain;
            frames->symbol[frames->count + depth] = split[0];
            frames->module[frames->count + depth] = split[1];
        }
        at = (uint32_t)node[0];
    }
    frames->count += depth;
}

void kineto_make_frames(struct kineto *kineto)
{
    struct profile *profile = kineto->profile;
    struct frames *frames = &profile->frames;
    uint32_t chains = kineto->nodes.count;
    if (!chains)
        return;
    bool *is_used = find_used(kineto, chains);
    uint32_t most = frames_of_chain(is_used, chains);
    string_id *splits = ARENA_ARRAY(kineto->scratch, string_id, 2 * ((size_t)chains + 1));
    for (int pass = 0; pass < 2; pass++) {
        if (pass) {
            size_t count = (size_t)frames->count + 1;
            frames->chain = ARENA_ARRAY(profile->arena, uint32_t, count);
            frames->symbol = ARENA_ARRAY(profile->arena, string_id, count);
            frames->module = ARENA_ARRAY(profile->arena, string_id, count);
            frames->count = 0;
        }
        for (uint32_t chain = 1; chain <= chains; chain++)
            if (is_used[chain])
                put_frames(kineto, chain, most, splits, frames);
    }
    ARENA_RELEASE(kineto->scratch, is_used, chains + 1);
    ARENA_RELEASE(kineto->scratch, splits, 2 * ((size_t)chains + 1));
}
