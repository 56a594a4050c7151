// SPDX-License-Identifier: Apache-2.0
// Assigns each draft to an op, and creates the ops with their ids ("CONV2D_3"). Drafts are the same
// op if they have the same name, direction and k. k is 0, or by DLProf's rule the number of earlier
// drafts of this name in the same step.
#include "model/ops/ops_identity.h"

#include <string.h>
#include <strings.h>

#include "base/id_map.h"
#include "model/ops/ops_number.h"
#include "model/profile/recorded_ops.h"
#include "model/rules/rules.h"

// ---- ops ---------------------------------------------------------------------------------------

struct op_type { // properties that follow from the type of an op
    string_id upper;
    enum tristate eligible;
    bool is_dataloader;
};

struct op_identifier {
    const struct op_drafts *drafts;
    struct ops *ops;
    size_t op_count, op_capacity;
    struct id_map by_identity; // (name, direction, k) -> op
    struct id_map type_rows;   // type -> types
    struct op_type *types;
    size_t type_count, type_capacity;
    struct id_map numbers;  // upper-case type -> number of op ids in use
    struct id_map used_ids; // op ids in use by files that record them
};

static const struct op_type *type_get(struct op_identifier *identity, string_id type)
{
    uint32_t *slot = id_map_slot(&identity->type_rows, (struct id_key){.a = type});
    if (*slot)
        return &identity->types[*slot - 1];
    struct profile *profile = identity->drafts->profile;
    struct arena *scratch = identity->drafts->scratch;
    const char *text = profile_text(profile, type);
    size_t length = strings_length(profile->strings, type);
    char *upper = arena_copy(scratch, text, length);
    for (size_t i = 0; i < length; i++)
        if (upper[i] >= 'a' && upper[i] <= 'z')
            upper[i] = (char)(upper[i] - 'a' + 'A');
    struct op_type row = {.upper = strings_intern(profile->strings, upper, length),
                          .eligible = rules_op_eligible(rules_get(), text),
                          .is_dataloader = strcasestr(text, "dataloader") != NULL};
    *slot = (uint32_t)identity->type_count + 1;
    ARENA_PUSH(scratch, identity->types, identity->type_count, identity->type_capacity) = row;
    return &identity->types[identity->type_count - 1];
}

static string_id next_id(struct op_identifier *identity, string_id upper)
{
    struct profile *profile = identity->drafts->profile;
    uint32_t *slot = id_map_slot(&identity->numbers, (struct id_key){.a = upper});
    string_id id;
    do {
        *slot += *slot ? 1 : 2; // stores value + 1; the first number is 1
        char *text = arena_format(identity->drafts->scratch, "%s_%u", profile_text(profile, upper),
                                  *slot - 1);
        id = strings_intern_text(profile->strings, text);
    } while (id_map_get(&identity->used_ids, (struct id_key){.a = id}) != UINT32_MAX);
    return id;
}

static string_id first_dtype(const struct marker *marker)
{
    for (uint32_t i = 0; i < marker->argument_count; i++)
        if (marker->arguments[i].is_tensor)
            return marker->arguments[i].dtype;
    return STRING_NONE;
}

static uint32_t op_put(struct op_identifier *identity, struct op op)
{
    ARENA_PUSH(identity->drafts->profile->arena, identity->ops->items, identity->op_count,
               identity->op_capacity) = op;
    return (uint32_t)identity->op_count - 1;
}

// Adds a recorded op. Two files may use one id for two ops: the second one gets another id.
static uint32_t op_add_recorded(struct op_identifier *identity, const struct op *recorded)
{
    struct op op = *recorded;
    uint32_t *used_ids = id_map_slot(&identity->used_ids, (struct id_key){.a = op.id});
    if (*used_ids == 2)
        op.id = next_id(identity, type_get(identity, op.type)->upper);
    else
        *used_ids = 2;
    return op_put(identity, op);
}

static uint32_t op_add(struct op_identifier *identity, const struct op_draft *draft, uint32_t run)
{
    struct profile *profile = identity->drafts->profile;
    const struct op_type *type = type_get(identity, draft->type);
    struct op op = {
        .id = next_id(identity, type->upper),
        .name = draft->name,
        .type = draft->type,
        .direction = draft->direction,
        .tensor_core_eligible = draft->is_unassociated ? STATE_NO : type->eligible,
        .is_unassociated = draft->is_unassociated,
        .is_dataloader = type->is_dataloader && !draft->is_unassociated,
        .occurrence = run,
    };
    if (draft->marker != ROW_NONE) {
        const struct marker *marker = &profile->markers[draft->marker];
        op.data_type = first_dtype(marker);
        op.is_dataloader |=
            strcasestr(profile_text(profile, marker->module), "dataloader") != NULL ||
            marker->kind == MARKER_DATALOADER;
    }
    if (draft->trace != ROW_NONE)
        op.stack = profile->markers[draft->trace].stack;
    return op_put(identity, op);
}

// Reserves all recorded ids before the first op is created, so that no other op gets one of them.
static void reserve_ids(struct op_identifier *identity)
{
    const struct recorded_ops *recorded = identity->drafts->profile->told;
    for (uint32_t i = 0; recorded && i < recorded->op_count; i++)
        *id_map_slot(&identity->used_ids, (struct id_key){.a = recorded->ops[i].id}) = 1;
}

uint32_t *ops_identify(const struct op_drafts *drafts, const uint32_t *order, struct ops *ops)
{
    struct arena *scratch = drafts->scratch;
    struct op_identifier identity = {.drafts = drafts, .ops = ops};
    identity.by_identity.arena = identity.type_rows.arena = scratch;
    identity.numbers.arena = identity.used_ids.arena = scratch;
    reserve_ids(&identity);
    uint32_t *op_of = ARENA_ARRAY(scratch, uint32_t, drafts->count);
    const uint32_t *numbers = NULL;
    if (drafts->counts_runs)
        numbers = ops_number(drafts, order, &ops->step_bounds);
    for (size_t i = 0; i < drafts->count; i++) {
        uint32_t row = order[i], k = 0;
        const struct op_draft *draft = &drafts->items[row];
        if (draft->captured)
            continue;
        if (draft->recorded) {
            k = draft->recorded->occurrence;
        } else if (numbers && draft->forward != ROW_NONE) {
            // A forward op precedes its backward. If clocks disagree, the backward is the first
            // occurrence.
            uint32_t forward = op_of[draft->forward];
            k = forward < identity.op_count ? ops->items[forward].occurrence : 0;
        } else if (numbers) {
            k = numbers[row];
        }
        struct id_key key = {.a = (uint64_t)draft->name << 8 | draft->direction, .b = k};
        uint32_t *slot = id_map_slot(&identity.by_identity, key);
        if (!*slot)
            *slot = (draft->recorded ? op_add_recorded(&identity, draft->recorded)
                                     : op_add(&identity, draft, k)) +
                    1;
        op_of[row] = *slot - 1;
    }
    for (size_t i = 0; i < drafts->count; i++)
        if (drafts->items[i].captured)
            op_of[i] = op_of[drafts->items[i].captured - 1];
    ops->count = (uint32_t)identity.op_count;
    return op_of;
}
