// SPDX-License-Identifier: Apache-2.0
// Texts for the evidence of idle time, see idle_text.h.
#include "analysis/idle/idle_text.h"

#include "analysis/breakdown/gpu_windows.h"
#include "analysis/report/value.h"
#include "analysis/sums/work_text.h"
#include "base/text/format.h"
#include "model/profile/api_name.h"

string_id idle_evidence_name(const struct profile *profile, const struct selection *selection,
                             const struct idle_part *part)
{
    if (part->row == ROW_NONE)
        return STRING_NONE;
    switch ((enum evidence_kind)part->kind) {
    case EVIDENCE_API:
        return AT(profile->api.name, part->row);
    case EVIDENCE_RANGE:
        return range_name(&profile->ranges, part->row);
    case EVIDENCE_OSRT:
        return AT(profile->osrt.name, part->row);
    case EVIDENCE_OVERHEAD:
        return profile->overheads.name[part->row];
    case EVIDENCE_WORK:
        return selection_name(profile, selection, AT(profile->work.function, part->row));
    default:
        return STRING_NONE;
    }
}

const char *idle_evidence_text(const struct profile *profile, enum evidence_kind kind,
                               string_id name, struct arena *arena)
{
    const char *text = name != STRING_NONE ? profile_text(profile, name) : NULL;
    return text && kind == EVIDENCE_API ? arena_copy(arena, text, api_name_length(text)) : text;
}

const char *idle_causes_text(const struct idle_sum *sum, size_t max_causes, struct arena *arena)
{
    enum idle_cause order[IDLE_CAUSES];
    size_t count = idle_order(sum, order);
    const char *text = "";
    for (size_t i = 0; i < count && i < max_causes; i++) {
        double share = (double)sum->ns[order[i]] / (double)sum->idle_ns;
        text = arena_format(arena, "%s%s%s %.0f%%", text, i ? ", " : "",
                            idle_causes[order[i]].brief, 100 * share);
    }
    return count > max_causes ? arena_format(arena, "%s ...", text) : text;
}

const char *idle_outside_text(const struct profile *profile, const struct selection *selection,
                              struct arena *arena)
{
    const char *text = gpu_outside_steps_text(profile, selection, true, arena);
    return text ? arena_format(arena, "Whether a GPU is idle in %s is not known: %s.",
                               split_words_of(selection->split)->several, text)
                : NULL;
}
