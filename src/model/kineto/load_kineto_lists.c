// SPDX-License-Identifier: Apache-2.0
// Describes the lists of records, so that code can go over all rows that have a time.
#include <string.h>

#include "model/kineto/load_kineto.h"

static enum kineto_class class_of_work(const struct kineto *kineto, const void *row)
{
    const struct kineto_work *work = row;
    switch (tuples_key(&kineto->functions, work->function)[0]) {
    case WORK_MEMCPY:
        return KINETO_MEMCPY;
    case WORK_MEMSET:
        return KINETO_MEMSET;
    default:
        return KINETO_KERNEL;
    }
}

static enum kineto_class class_of_range(const struct kineto *kineto, const void *row)
{
    const struct kineto_range *range = row;
    int64_t flags = tuples_key(&kineto->drafts, range->draft)[3];
    enum range_said said = (enum range_said)(flags >> 1 & 0x7f);
    return flags >> 8 ? KINETO_FRAME : said == SAID_OP ? KINETO_OP : KINETO_ANNOTATION;
}

#define CLASS_OF(name, class)                                                              \
    static enum kineto_class class_of_##name(const struct kineto *kineto, const void *row) \
    {                                                                                      \
        (void)kineto;                                                                      \
        (void)row;                                                                         \
        return class;                                                                      \
    }
CLASS_OF(call, KINETO_CALL)
CLASS_OF(frame, KINETO_FRAME)
CLASS_OF(sync, KINETO_SYNC)
CLASS_OF(overhead, KINETO_OVERHEAD)
CLASS_OF(allocation, KINETO_MEMORY)

void kineto_lists(struct kineto *kineto, struct kineto_list lists[KINETO_LISTS])
{
#define LIST(name, times, is_work, class_of)                                                \
    {                                                                                       \
        kineto->name, sizeof *kineto->name, times, &kineto->name##_count, is_work, class_of \
    }
    const struct kineto_list all[KINETO_LISTS] = {
        LIST(work, 2, true, class_of_work),
        LIST(calls, 2, false, class_of_call),
        LIST(ranges, 2, false, class_of_range),
        LIST(frames, 2, false, class_of_frame),
        LIST(syncs, 2, true, class_of_sync),
        LIST(overheads, 2, false, class_of_overhead),
        LIST(allocations, 1, false, class_of_allocation),
    };
    memcpy(lists, all, sizeof all);
}
