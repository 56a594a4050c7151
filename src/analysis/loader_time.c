// SPDX-License-Identifier: Apache-2.0
#include "analysis/loader_time.h"

// The OS calls that idle time is put down to.
static void spend_os_calls(struct loader_time *time, struct lead *lead)
{
    const struct idle *idle = lead->step->idle;
    const struct os_calls *osrt = &lead->step->profile->osrt;
    uint32_t last = ROW_NONE;
    for (size_t i = 0; i < idle->count; i++) {
        const struct idle_part *part = &idle->parts[i];
        if (part->cause != IDLE_DATA || part->kind != EVIDENCE_OSRT || part->row == last)
            continue;
        last = part->row;
        lead_spend(lead, osrt->start[last], osrt->end[last], 0);
        time->is_inferred = true;
    }
}

struct loader_time loader_time(struct lead *lead)
{
    struct loader_time time = {.idle = cause_time(lead->step, IDLE_DATA)};
    lead_spend_activity(lead, HOST_LOADER, 0);
    spend_os_calls(&time, lead);
    time.inside_ns = lead_spent(lead);
    return time;
}
