// SPDX-License-Identifier: Apache-2.0
//
// NVTX ranges of a thread: push/pop, registered texts, start/end.
#include "sim.h"

#include "fail.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define PUSH_NS  350
#define POP_NS   250
#define TEXT_MAX 4096

static void range_open(Thread *thread, const char *text, int64_t text_id, int64_t domain)
{
    if (thread->depth == thread->depth_capacity) {
        thread->depth_capacity = thread->depth_capacity ? thread->depth_capacity * 2 : 16;
        thread->ranges =
            memory_grow(thread->ranges, thread->depth_capacity * sizeof *thread->ranges);
    }
    OpenRange *range = &thread->ranges[thread->depth++];
    *range = (OpenRange){thread->now_ns, thread->text_size, text_id, domain, 59};
    if (text) {
        size_t size = strlen(text) + 1;
        if (thread->text_size + size > thread->text_capacity) {
            thread->text_capacity = (thread->text_size + size) * 2;
            thread->text = memory_grow(thread->text, thread->text_capacity);
        }
        memcpy(thread->text + thread->text_size, text, size);
        thread->text_size += size;
    }
    thread->now_ns += PUSH_NS;
}

void range_push(Rank *rank, Thread *thread, const char *format, ...)
{
    (void)rank;
    char text[TEXT_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    range_open(thread, text, ROW_NULL, 0);
}

void range_push_registered(Rank *rank, Thread *thread, int64_t domain, const char *text)
{
    range_open(thread, NULL, writer_intern(rank->world->writer, text), domain);
}

void range_start(Rank *rank, Thread *thread, const char *text)
{
    range_push_registered(rank, thread, 0, text);
    thread->ranges[thread->depth - 1].event_type = 60;
}

void range_pop(Rank *rank, Thread *thread)
{
    if (thread->depth == 0)
        fail("a range is closed that was never opened");
    const OpenRange *range = &thread->ranges[--thread->depth];
    thread->now_ns += POP_NS;
    if (rank->world->recording) {
        bool named = range->text_id != ROW_NULL;
        int64_t *row = writer_add(rank->world->writer, TABLE_NVTX, range->start_ns, thread->now_ns,
                                  named ? NULL : thread->text + range->text_at);
        row[ROW_CLASS_ID] = range->event_type;
        row[ROW_ID] = thread->global_tid;
        row[ROW_TEXT_ID] = range->text_id;
        row[ROW_DOMAIN] = range->domain;
    }
    thread->text_size = range->text_at;
}

int64_t range_oldest(const Rank *rank)
{
    int64_t oldest_ns = INT64_MAX;
    if (rank->main.depth && rank->main.ranges[0].start_ns < oldest_ns)
        oldest_ns = rank->main.ranges[0].start_ns;
    if (rank->autograd.depth && rank->autograd.ranges[0].start_ns < oldest_ns)
        oldest_ns = rank->autograd.ranges[0].start_ns;
    return oldest_ns;
}
