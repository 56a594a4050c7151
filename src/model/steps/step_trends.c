// SPDX-License-Identifier: Apache-2.0
// Finds families whose texts differ in several numbers, or in one that follows a letter, and what
// the numbers of a family do from range to range: one that counts is the number of the step.
#include <string.h>

#include "model/markers/markers.h"
#include "model/steps/step_families.h"

// ---- families by text up to all numbers --------------------------------------------------------

// Finds the families that join several families by text, of plain ranges. Returns NULL if there is
// none.
uint32_t *step_numbers_find(struct step_families *families, const uint32_t *text_of)
{
    const struct profile *profile = families->profile;
    struct arena *arena = families->arena;
    char pattern[NAME_LIMIT + 1];
    int64_t values[MAX_STEP_NUMBERS];
    struct strings *texts = strings_new(arena);
    uint32_t *of_marker = ARENA_ARRAY(arena, uint32_t, (size_t)profile->marker_count + 1);
    uint32_t *text_of_marker = ARENA_ARRAY(arena, uint32_t, (size_t)profile->marker_count + 1);
    for (uint32_t i = 0; i < profile->ranges.count; i++)
        text_of_marker[range_label(&profile->ranges, i)->marker] = text_of[i];
    for (uint32_t i = 0; i < profile->marker_count; i++) {
        const char *text = profile_text(profile, profile->markers[i].text);
        if (text_of_marker[i] && profile->markers[i].kind == MARKER_PLAIN &&
            profile->markers[i].dialect == DIALECT_PLAIN &&
            step_numbers_of(text, strlen(text), pattern, values))
            of_marker[i] = strings_intern_text(texts, pattern);
    }
    // Per pattern: its first family by text, then whether it has others, then its own family.
    uint32_t *first_text = ARENA_ARRAY(arena, uint32_t, (size_t)strings_count(texts) + 1);
    bool *has_several = ARENA_ARRAY(arena, bool, (size_t)strings_count(texts) + 1);
    uint32_t *of_pattern = ARENA_ARRAY(arena, uint32_t, (size_t)strings_count(texts) + 1);
    bool any = false;
    for (uint32_t i = 0; i < profile->marker_count; i++) {
        uint32_t id = of_marker[i];
        has_several[id] |= id && first_text[id] && first_text[id] != text_of_marker[i];
        first_text[id] = first_text[id] ? first_text[id] : text_of_marker[i];
    }
    for (uint32_t i = 0; i < profile->marker_count; i++) {
        uint32_t id = of_marker[i];
        if (!id || !has_several[id] || of_pattern[id])
            continue;
        const char *text = strings_text(texts, id);
        size_t from, to;
        struct step_family family = {.text = text, .role = step_role_of(text), .has_numbers = true};
        family.is_numbered = step_number_in(text, strlen(text), &from, &to);
        ARENA_PUSH(arena, families->items, families->count, families->capacity) = family;
        of_pattern[id] = (uint32_t)families->count;
        any = true;
    }
    uint32_t *of_range = ARENA_ARRAY(arena, uint32_t, (size_t)profile->ranges.count + 1);
    for (uint32_t i = 0; any && i < profile->ranges.count; i++)
        of_range[i] = of_pattern[of_marker[range_label(&profile->ranges, i)->marker]];
    return any ? of_range : NULL;
}

// ---- what the numbers of a family do -----------------------------------------------------------

uint32_t step_counter_of(const struct profile *profile, const uint32_t *rows, uint32_t count,
                         enum step_trend *trend, int64_t *number)
{
    char pattern[NAME_LIMIT + 1];
    int64_t values[MAX_STEP_NUMBERS];
    uint32_t numbers = 0;
    *trend = TREND_NONE;
    count = count < TREND_RANGES ? count : TREND_RANGES;
    for (uint32_t i = 0; i < count; i++) {
        const char *text = profile_text(profile, range_marker(profile, rows[i])->text);
        numbers = step_numbers_of(text, strlen(text), pattern, values);
        for (uint32_t n = 0; n < numbers; n++)
            number[(size_t)n * count + i] = values[n];
    }
    for (uint32_t n = 0; n < numbers; n++) {
        enum step_trend found = step_trend_of(number + (size_t)n * count, count);
        if (found == TREND_COUNTER) {
            *trend = found;
            return n;
        }
        // A value tells a size; without one, numbers that only cycle or identify tell no step.
        if (*trend == TREND_NONE || found == TREND_VALUE)
            *trend = found != TREND_NONE ? found : *trend;
    }
    return MAX_STEP_NUMBERS;
}

int64_t step_family_number(const struct step_families *families, const struct step_family *family,
                           uint32_t range)
{
    const struct profile *profile = families->profile;
    uint32_t marker = range_label(&profile->ranges, range)->marker;
    if (!family->has_numbers)
        return families->number[marker];
    char pattern[NAME_LIMIT + 1];
    int64_t values[MAX_STEP_NUMBERS];
    const char *text = profile_text(profile, profile->markers[marker].text);
    uint32_t numbers = step_numbers_of(text, strlen(text), pattern, values);
    return family->counter < numbers ? values[family->counter] : UNKNOWN;
}

static void find_trend(struct step_families *families, struct step_family *family, int64_t *number)
{
    enum { MIN_RANGES = 3 };
    const struct step_part *part = &families->parts[family->first_part];
    for (uint32_t p = 1; p < family->parts; p++)
        if (families->parts[family->first_part + p].count > part->count)
            part = &families->parts[family->first_part + p];
    family->counter = MAX_STEP_NUMBERS;
    if (part->count < MIN_RANGES)
        return;
    const uint32_t *rows = families->rows + part->first;
    if (family->has_numbers) {
        family->counter =
            step_counter_of(families->profile, rows, part->count, &family->trend, number);
        return;
    }
    uint32_t count = part->count < TREND_RANGES ? part->count : TREND_RANGES;
    for (uint32_t i = 0; i < count; i++)
        number[i] = step_family_number(families, family, rows[i]);
    if (number[0] != UNKNOWN)
        family->trend = step_trend_of(number, count);
}

void step_trends_find(struct step_families *families)
{
    int64_t *number = ARENA_ARRAY(families->arena, int64_t, TREND_ROOM);
    for (size_t i = 0; i < families->count; i++)
        if (families->items[i].parts)
            find_trend(families, &families->items[i], number);
}
