// SPDX-License-Identifier: Apache-2.0
//
// Writes the ranges of each marker dialect. op_push() and the like open the ranges that the dialect
// of the scenario has for an op or a call, if any, and return their number.
#include "markers.h"

#include "chains.h"
#include "fail.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

void user_push(Rank *rank, Thread *thread, const char *text)
{
    if (thread->chain_depth < (int)(sizeof thread->chains / sizeof thread->chains[0]))
        thread->chains[thread->chain_depth++] = chain_of(text);
    else
        fail("ranges by hand are nested too deep");
    if (rank->world->options.markers != MARKERS_NONE)
        range_push(rank, thread, "%s", text);
}

void user_pop(Rank *rank, Thread *thread)
{
    thread->chain_depth--;
    if (rank->world->options.markers != MARKERS_NONE)
        range_pop(rank, thread);
}

void layer_move(Rank *rank, Thread *thread, const Op *from, const Op *to)
{
    Markers markers = rank->world->options.markers;
    if (markers != MARKERS_LAYER && markers != MARKERS_EMIT)
        return;
    bool block_stays = from && to && same(from->block, to->block);
    if (from && from->part && !(block_stays && same(from->part, to->part)))
        range_pop(rank, thread);
    if (from && from->block && !block_stays)
        range_pop(rank, thread);
    if (to && to->block && !block_stays)
        range_push(rank, thread, "layer:%s", to->block);
    if (to && to->part && !(block_stays && same(from->part, to->part)))
        range_push(rank, thread, "layer:%s", to->part);
}

// Appends within the buffer. Texts of markers are short, and a cut text would still be valid.
static void append(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void append(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

static void append_shape(char *text, size_t size, const int64_t *dims, const char *end)
{
    for (int i = 0; i < OP_DIMS_MAX && dims[i]; i++)
        append(text, size, "%s%lld", i ? ", " : "", (long long)dims[i]);
    append(text, size, "%s", dims[1] ? "" : end);
}

static void emit_push(Rank *rank, Thread *thread, const char *aten, const Op *op, int64_t seq)
{
    bool old = rank->world->scenario->old_kernels; // PyTorch before op_id and sizes were recorded
    char text[512] = "";
    append(text, sizeof text, "%s", aten);
    if (seq >= 0)
        append(text, sizeof text, ", seq = %lld", (long long)seq);
    if (!old) {
        append(text, sizeof text, ", op_id = %lld", (long long)++thread->op_id);
        if (op) {
            append(text, sizeof text, ", sizes = [");
            for (int i = 0; i < OP_SHAPES_MAX && op->shapes[i][0]; i++) {
                append(text, sizeof text, "%s[", i ? ", " : "");
                append_shape(text, sizeof text, op->shapes[i], "");
                append(text, sizeof text, "]");
            }
            append(text, sizeof text, "]");
        }
    }
    range_push(rank, thread, "%s", text);
}

static void trace_push(Rank *rank, Thread *thread, int line, const char *stack,
                       const char *function)
{
    range_push(rank, thread,
               "{'traceMarker': ['train.py:212', 'train.py:164', 'model.py:%d'], "
               "'funcStack': '%s/%s'}",
               line, stack, function);
}

static int dlprof_push(Rank *rank, Thread *thread, const Op *op)
{
    trace_push(rank, thread, op->line, op->stack, op->kind->op);
    char text[768] = "";
    append(text, sizeof text, "{'mod': '%s', 'op': '%s', 'args': [", op->kind->mod, op->kind->op);
    for (int i = 0; i < OP_SHAPES_MAX && op->shapes[i][0]; i++) {
        append(text, sizeof text, "%s{'name': '', 'type': 'tensor', 'shape': (", i ? ", " : "");
        append_shape(text, sizeof text, op->shapes[i], ",");
        append(text, sizeof text, "), 'dtype': '%s'}", op->dtype);
    }
    append(text, sizeof text, "]}");
    range_push(rank, thread, "%s", text);
    return 2;
}

int op_push(Rank *rank, Thread *thread, const Op *op, int index)
{
    Markers markers = rank->world->options.markers;
    int64_t seq = rank->seq++;
    rank->op_seq[index] = seq;
    if (markers != MARKERS_EMIT && markers != MARKERS_DLPROF)
        return 0;
    int count = markers == MARKERS_DLPROF ? dlprof_push(rank, thread, op) : 0;
    emit_push(rank, thread, op->kind->aten, op, seq);
    count++;
    if (op->kind->inner) {
        emit_push(rank, thread, op->kind->inner, NULL, -1);
        count++;
    }
    return count;
}

int op_push_backward(Rank *rank, Thread *thread, const Op *op, int index)
{
    Markers markers = rank->world->options.markers;
    if (markers != MARKERS_EMIT && markers != MARKERS_DLPROF)
        return 0;
    char text[160];
    snprintf(text, sizeof text, "autograd::engine::evaluate_function: %s", op->kind->node);
    emit_push(rank, thread, text, NULL, -1);
    emit_push(rank, thread, op->kind->node, NULL, rank->op_seq[index]);
    emit_push(rank, thread, op->kind->inner ? op->kind->inner : op->kind->aten, NULL, -1);
    return 3;
}

int accumulate_push(Rank *rank, Thread *thread)
{
    Markers markers = rank->world->options.markers;
    if (markers != MARKERS_EMIT && markers != MARKERS_DLPROF)
        return 0;
    emit_push(rank, thread, "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad",
              NULL, -1);
    return 1;
}

int call_push(Rank *rank, Thread *thread, const char *aten, const char *mod, const char *function,
              int line)
{
    Markers markers = rank->world->options.markers;
    if (markers == MARKERS_DLPROF) {
        trace_push(rank, thread, line, "/<module>/train", function);
        range_push(rank, thread, "{'mod': '%s', 'op': '%s', 'args': []}", mod, function);
        return 2;
    }
    if (markers != MARKERS_EMIT)
        return 0;
    emit_push(rank, thread, aten, NULL, -1);
    return 1;
}

int allocation_push(Rank *rank, Thread *thread)
{
    Markers markers = rank->world->options.markers;
    if (!rank->world->scenario->more_calls ||
        (markers != MARKERS_EMIT && markers != MARKERS_DLPROF))
        return 0;
    emit_push(rank, thread, "aten::empty_like", NULL, -1);
    emit_push(rank, thread, "aten::empty_strided", NULL, -1);
    return 2;
}

void ranges_pop(Rank *rank, Thread *thread, int count)
{
    while (count-- > 0)
        range_pop(rank, thread);
}
