// SPDX-License-Identifier: Apache-2.0
// Caches the rules that match each name of a frame, so that each pattern is matched once per name.
#include "model/rules/frame_classifier.h"

#include "model/rules/rules.h"

static struct frame_marks marks_of(struct frame_classifier *judge, string_id name, bool is_symbol)
{
    judge->known.arena = judge->arena;
    uint32_t *slot = id_map_slot(&judge->known, (struct id_key){name, is_symbol, 0});
    if (!*slot) {
        *slot = (uint32_t)judge->count + 1;
        rules_mark_frame(rules_get(), profile_text(judge->profile, name), is_symbol,
                         &ARENA_PUSH(judge->arena, judge->marks, judge->count, judge->capacity));
    }
    return judge->marks[*slot - 1];
}

bool frame_is_library(struct frame_classifier *judge, string_id symbol, string_id module)
{
    struct frame_marks of_symbol = marks_of(judge, symbol, true);
    struct frame_marks of_module = marks_of(judge, module, false);
    return rules_is_library(rules_get(), &of_symbol, &of_module);
}
