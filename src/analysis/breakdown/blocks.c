// SPDX-License-Identifier: Apache-2.0
// Sweep over running kernels, see blocks.h.
#include "analysis/breakdown/blocks.h"

#include "base/sort.h"
#include "base/sums.h"

void blocks_sweep(const struct running_kernels *running, struct arena *scratch,
                  blocks_interval *each, void *context)
{
    const uint32_t *by_end = sort_by_time(scratch, running->end, NULL, running->count);
    size_t begun = 0, ended = 0;
    int64_t micro_blocks = 0, now = 0;
    while (ended < running->count) {
        int64_t end = running->end[by_end[ended]];
        bool begins = begun < running->count && running->start[begun] < end;
        int64_t next = begins ? running->start[begun] : end;
        if (micro_blocks > 0)
            each(context, now, next, micro_blocks < MICRO ? (uint32_t)micro_blocks : MICRO);
        now = next;
        if (begins)
            micro_blocks = add_saturating(micro_blocks, running->micro_blocks[begun++]);
        else
            micro_blocks -= running->micro_blocks[by_end[ended++]];
    }
}
