// SPDX-License-Identifier: Apache-2.0
#include "analysis/claims.h"

void claims_want(struct claims *claims, int64_t from, int64_t to, uint32_t group, uint32_t window)
{
    if (claims->count && from < claims->items[claims->count - 1].to)
        from = claims->items[claims->count - 1].to;
    if (to <= from)
        return;
    ARENA_PUSH(claims->arena, claims->items, claims->count, claims->capacity) =
        (struct claim){.from = from, .to = to, .group = group, .window = window};
}

int64_t claims_measure(struct claims *claims)
{
    int64_t sum = 0;
    size_t at = 0;
    for (size_t i = 0; i < claims->count; i++) {
        struct claim *claim = &claims->items[i];
        while (at < claims->taken_count && claims->taken_to[at] <= claim->from)
            at++;
        claim->free_ns = claim->to - claim->from;
        for (size_t t = at; t < claims->taken_count && claims->taken_from[t] < claim->to; t++) {
            int64_t from = claims->taken_from[t], to = claims->taken_to[t];
            from = from > claim->from ? from : claim->from;
            to = to < claim->to ? to : claim->to;
            claim->free_ns -= to - from;
        }
        sum += claim->free_ns;
    }
    return sum;
}

void claims_scale(struct claims *claims, const double *parts)
{
    for (size_t i = 0; i < claims->count; i++) {
        struct claim *claim = &claims->items[i];
        if (parts[claim->group] < 1)
            claim->to =
                claim->from + (int64_t)((double)(claim->to - claim->from) * parts[claim->group]);
    }
}

static void taken_add(struct claims *out, int64_t from, int64_t to)
{
    if (out->taken_count && from <= out->taken_to[out->taken_count - 1]) {
        if (to > out->taken_to[out->taken_count - 1])
            out->taken_to[out->taken_count - 1] = to;
        return;
    }
    out->taken_from[out->taken_count] = from;
    out->taken_to[out->taken_count++] = to;
}

void claims_take(struct claims *claims, const bool *keep)
{
    size_t kept = 0;
    for (size_t i = 0; i < claims->count; i++)
        if (!keep || keep[claims->items[i].group])
            claims->items[kept++] = claims->items[i];
    claims->count = 0;
    if (kept == 0)
        return;
    struct claims out = {0};
    out.taken_from = ARENA_ARRAY(claims->arena, int64_t, claims->taken_count + kept);
    out.taken_to = ARENA_ARRAY(claims->arena, int64_t, claims->taken_count + kept);
    size_t wanted = 0, taken = 0;
    while (wanted < kept || taken < claims->taken_count) {
        const struct claim *claim = &claims->items[wanted];
        if (taken == claims->taken_count ||
            (wanted < kept && claim->from < claims->taken_from[taken])) {
            taken_add(&out, claim->from, claim->to);
            wanted++;
        } else {
            taken_add(&out, claims->taken_from[taken], claims->taken_to[taken]);
            taken++;
        }
    }
    claims->taken_count = out.taken_count;
    claims->taken_from = out.taken_from;
    claims->taken_to = out.taken_to;
}
