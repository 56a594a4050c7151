// SPDX-License-Identifier: Apache-2.0
// What the marks of a split say of its windows: prefill or decode, requests, tokens.
#include <string.h>

#include "model/markers/markers.h"
#include "model/steps/split_build.h"

static struct step_content content_of(const struct profile *profile, uint32_t range)
{
    const struct marker *marker = range_marker(profile, range);
    const char *text = profile_text(profile, marker->text);
    if (marker->dialect == DIALECT_SERVING)
        return marker->content ? *marker->content : step_content_none;
    return step_content_read(text, strlen(text));
}

void split_fill_content(const struct profile *profile, const uint32_t *rows, const uint32_t *of_row,
                        size_t count, struct split *split, struct arena *arena)
{
    struct step_content *content = ARENA_ARRAY(arena, struct step_content, (size_t)split->count);
    bool *is_known = ARENA_ARRAY(arena, bool, (size_t)split->count);
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        struct step_content said = content_of(profile, rows[i]);
        uint32_t window = of_row[i];
        content[window] = is_known[window] ? step_content_join(content[window], said) : said;
        is_known[window] = true;
        any |= step_content_says(&said);
    }
    for (uint32_t i = 0; i < split->count; i++)
        if (!is_known[i])
            content[i] = step_content_none;
    split->content = any ? content : NULL;
}

bool split_count_kinds(const struct split *split, uint32_t counts[STEP_KIND_COUNT])
{
    memset(counts, 0, STEP_KIND_COUNT * sizeof *counts);
    for (uint32_t i = 0; split->content && i < split->count; i++)
        counts[split->content[i].kind]++;
    return split->content && counts[STEP_KIND_NONE] < split->count;
}

const char *split_kinds_text(const struct split *split, struct arena *arena)
{
    uint32_t counts[STEP_KIND_COUNT];
    const char *text = "";
    if (split_count_kinds(split, counts))
        for (enum step_kind kind = STEP_PREFILL; kind < STEP_KIND_COUNT; kind++)
            if (counts[kind])
                text = arena_format(arena, "%s, %u %s", text, counts[kind], step_kind_names[kind]);
    return text;
}
