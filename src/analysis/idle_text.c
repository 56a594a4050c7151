// SPDX-License-Identifier: Apache-2.0
#include "analysis/idle_text.h"

#include "analysis/work_text.h"

string_id idle_evidence_name(const struct profile *profile, const struct selection *selection,
                             const struct idle_part *part)
{
    if (part->row == ROW_NONE)
        return STRING_NONE;
    switch ((enum evidence_kind)part->kind) {
    case EVIDENCE_API:
        return profile->api.name[part->row];
    case EVIDENCE_RANGE:
        return profile->ranges.name[part->row];
    case EVIDENCE_OSRT:
        return profile->osrt.name[part->row];
    case EVIDENCE_OVERHEAD:
        return profile->overheads.name[part->row];
    case EVIDENCE_WORK:
        return selection_name(profile, selection, profile->work.function[part->row]);
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
