// SPDX-License-Identifier: Apache-2.0
#include "analysis/claims.h"

#include <string.h>

// ---- what is wanted ----------------------------------------------------------------------------

void wants_add(struct wants *wants, struct arena *scratch, int64_t from, int64_t to, uint32_t group,
               uint32_t window)
{
    if (wants->count && from < wants->items[wants->count - 1].to)
        from = wants->items[wants->count - 1].to;
    if (to <= from)
        return;
    ARENA_PUSH(scratch, wants->items, wants->count, wants->capacity) =
        (struct want){.from = from, .to = to, .group = group, .window = window};
    wants->groups = group >= wants->groups ? group + 1 : wants->groups;
}

void wants_end(struct wants *wants, struct arena *arena, uint32_t window_count)
{
    struct want *grown = wants->items;
    wants->items = ARENA_ARRAY(arena, struct want, wants->count + 1);
    if (wants->count)
        memcpy(wants->items, grown, wants->count * sizeof *grown);
    wants->first = ARENA_ARRAY(arena, size_t, (size_t)window_count + 1);
    wants->ns = ARENA_ARRAY(arena, int64_t, (size_t)window_count + 1);
    size_t i = 0;
    for (uint32_t w = 0; w < window_count; w++) {
        wants->first[w] = i;
        for (; i < wants->count && wants->items[i].window == w; i++)
            wants->ns[w] += wants->items[i].to - wants->items[i].from;
    }
    wants->first[window_count] = i;
}

// ---- what is free ------------------------------------------------------------------------------

struct claims claims_new(struct arena *arena, uint32_t window_count, const uint32_t *windows,
                         uint32_t count)
{
    return (struct claims){.arena = arena,
                           .count = count,
                           .windows = windows,
                           .taken = ARENA_ARRAY(arena, struct taken, (size_t)window_count + 1),
                           .free_ns = ARENA_ARRAY(arena, int64_t, (size_t)window_count + 1)};
}

void claims_open(struct claims *claims, const struct wants *wants)
{
    claims->wants = wants;
    claims->parts = NULL;
    claims->group_ns = ARENA_ARRAY(claims->arena, int64_t, (size_t)wants->groups + 1);
}

static int64_t want_end(const struct claims *claims, const struct want *want)
{
    double part = claims->parts ? claims->parts[want->group] : 1;
    return part < 1 ? want->from + (int64_t)((double)(want->to - want->from) * part) : want->to;
}

static int64_t measure_window(struct claims *claims, uint32_t window)
{
    const struct wants *wants = claims->wants;
    const struct taken *taken = &claims->taken[window];
    int64_t sum = 0;
    size_t at = 0;
    if (taken->count == 0 && wants->groups <= 1 && !claims->parts)
        return claims->group_ns[0] += wants->ns[window], wants->ns[window];
    for (size_t i = wants->first[window]; i < wants->first[window + 1]; i++) {
        const struct want *want = &wants->items[i];
        int64_t end = want_end(claims, want), ns = end - want->from;
        while (at < taken->count && taken->items[at].to <= want->from)
            at++;
        for (size_t t = at; t < taken->count && taken->items[t].from < end; t++) {
            int64_t from = taken->items[t].from, to = taken->items[t].to;
            ns -= (to < end ? to : end) - (from > want->from ? from : want->from);
        }
        claims->group_ns[want->group] += ns;
        sum += ns;
    }
    return sum;
}

int64_t claims_measure(struct claims *claims)
{
    int64_t sum = 0;
    for (uint32_t g = 0; g < claims->wants->groups; g++)
        claims->group_ns[g] = 0;
    for (uint32_t i = 0; i < claims->count; i++) {
        uint32_t window = claims->windows[i];
        sum += claims->free_ns[window] = measure_window(claims, window);
    }
    return sum;
}

void claims_scale(struct claims *claims, const double *parts)
{
    claims->parts = parts;
}

// ---- what is taken -----------------------------------------------------------------------------

static void taken_add(struct taken *out, int64_t from, int64_t to)
{
    struct want *last = out->count ? &out->items[out->count - 1] : NULL;
    if (last && from <= last->to)
        last->to = to > last->to ? to : last->to;
    else if (to > from)
        out->items[out->count++] = (struct want){.from = from, .to = to};
}

static void take_window(struct claims *claims, uint32_t window, const bool *keep)
{
    const struct wants *wants = claims->wants;
    struct taken *taken = &claims->taken[window];
    size_t i = wants->first[window], end = wants->first[window + 1], t = 0;
    if (i == end)
        return;
    struct taken out = {.items = ARENA_ARRAY(claims->arena, struct want, end - i + taken->count)};
    for (; i < end; i++) {
        const struct want *want = &wants->items[i];
        if (keep && !keep[want->group])
            continue;
        for (; t < taken->count && taken->items[t].from <= want->from; t++)
            taken_add(&out, taken->items[t].from, taken->items[t].to);
        taken_add(&out, want->from, want_end(claims, want));
    }
    for (; t < taken->count; t++)
        taken_add(&out, taken->items[t].from, taken->items[t].to);
    *taken = out;
}

void claims_take(struct claims *claims, const bool *keep)
{
    bool any = !keep;
    for (uint32_t g = 0; keep && g < claims->wants->groups; g++)
        any |= keep[g];
    for (uint32_t i = 0; any && i < claims->count; i++)
        take_window(claims, claims->windows[i], keep);
}
