// SPDX-License-Identifier: Apache-2.0
#include "analysis/detect_tools.h"

#include <string.h>

#include "model/copy_kinds.h"
#include "model/ops.h"

bool detect_text_has(const char *text, const char *word)
{
    return strcasestr(text, word) != NULL;
}

bool detect_any_op_has(const struct profile *profile, const char *word)
{
    for (uint32_t i = 0; profile->ops && i < profile->ops->count; i++) {
        const struct op *op = &profile->ops->items[i];
        if (detect_text_has(profile_text(profile, op->type), word) ||
            detect_text_has(profile_text(profile, op->name), word))
            return true;
    }
    return false;
}

bool detect_any_op_type(const struct profile *profile, bool (*is_such)(const char *type))
{
    for (uint32_t i = 0; profile->ops && i < profile->ops->count; i++)
        if (is_such(profile_text(profile, profile->ops->items[i].type)))
            return true;
    return false;
}

bool detect_type_is_16_bit(const char *type)
{
    static const char *const names[] = {"half", "float16", "fp16", "bf16"}; // float16: bfloat16 too
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (detect_text_has(type, names[i]))
            return true;
    return false;
}

const struct copy *detect_upload(const struct profile *profile, uint32_t work)
{
    const struct copy *copy = work != ROW_NONE ? work_copy(profile, work) : NULL;
    return copy && copy->copy_kind == COPY_HTOD ? copy : NULL;
}

int64_t detect_limit(struct step *step, int64_t room)
{
    int64_t gain = claims_measure(&step->claims);
    if (gain <= room)
        return gain;
    double part = room > 0 ? (double)room / (double)gain : 0;
    claims_scale(&step->claims, &part);
    return claims_measure(&step->claims);
}

struct leader leader_new(const struct step *step)
{
    return (struct leader){
        .ns = ARENA_ARRAY(step->scratch, int64_t, (size_t)step->profile->function_count + 1),
        .best = ROW_NONE};
}

void leader_add(struct leader *leader, uint32_t function, int64_t ns)
{
    leader->count += leader->ns[function] == 0;
    leader->ns[function] += ns;
    if (leader->best == ROW_NONE || leader->ns[function] > leader->ns[leader->best])
        leader->best = function;
}

const char *leader_name(const struct step *step, const struct leader *leader)
{
    return profile_text(step->profile, step->profile->functions[leader->best].family);
}
