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

void wants_drop(struct wants *wants, struct arena *scratch)
{
    ARENA_RELEASE(scratch, wants->items, wants->capacity);
    *wants = (struct wants){0};
}

void wants_end(struct wants *wants, struct arena *scratch, struct arena *arena,
               uint32_t window_count)
{
    struct want *grown = wants->items;
    if (wants->count == 0)
        return;
    wants->items = ARENA_ARRAY(arena, struct want, wants->count);
    memcpy(wants->items, grown, wants->count * sizeof *grown);
    ARENA_RELEASE(scratch, grown, wants->capacity);
    wants->capacity = 0;
    wants->first = ARENA_ARRAY(arena, size_t, (size_t)window_count + 1);
    wants->classes = ~0u;
    if (wants->groups <= 1 || (size_t)window_count * wants->groups <= wants->count)
        wants->ns = ARENA_ARRAY(arena, int64_t, (size_t)window_count * wants->groups + 1);
    size_t i = 0;
    for (uint32_t w = 0; w < window_count; w++) {
        wants->first[w] = i;
        for (; i < wants->count && wants->items[i].window == w; i++)
            if (wants->ns)
                wants->ns[(size_t)w * wants->groups + wants->items[i].group] +=
                    wants->items[i].to - wants->items[i].from;
    }
    wants->first[window_count] = i;
}

int64_t wants_in_window(const struct wants *wants, uint32_t window)
{
    int64_t sum = 0;
    for (size_t i = wants->first ? wants->first[window] : 0;
         wants->first && i < wants->first[window + 1]; i++)
        sum += wants->items[i].to - wants->items[i].from;
    return sum;
}

// ---- what is taken -----------------------------------------------------------------------------

struct take { // by one detector
    const struct wants *wants;
    const bool *keep;    // by group; NULL: all
    const double *parts; // by group; NULL: all of each
};

static int64_t want_end(const struct want *want, const double *parts)
{
    double part = parts ? parts[want->group] : 1;
    return part < 1 ? want->from + (int64_t)((double)(want->to - want->from) * part) : want->to;
}

static void taken_add(struct want *room, size_t *count, int64_t from, int64_t to)
{
    struct want *last = *count ? &room[*count - 1] : NULL;
    if (last && from <= last->to)
        last->to = to > last->to ? to : last->to;
    else if (to > from)
        room[(*count)++] = (struct want){.from = from, .to = to};
}

static void take_window(struct claims *claims, struct taken *taken, uint32_t window,
                        const struct take *take)
{
    const struct wants *wants = take->wants;
    size_t i = wants->first[window], end = wants->first[window + 1], t = 0, count = 0;
    if (i == end)
        return;
    if (taken->count == 0 && !take->keep && !take->parts) {
        taken->items = &wants->items[i];
        taken->count = end - i;
        return;
    }
    struct want *room = ARENA_ARRAY(claims->arena, struct want, end - i + taken->count);
    for (; i < end; i++) {
        const struct want *want = &wants->items[i];
        if (take->keep && !take->keep[want->group])
            continue;
        for (; t < taken->count && taken->items[t].from <= want->from; t++)
            taken_add(room, &count, taken->items[t].from, taken->items[t].to);
        taken_add(room, &count, want->from, want_end(want, take->parts));
    }
    for (; t < taken->count; t++)
        taken_add(room, &count, taken->items[t].from, taken->items[t].to);
    taken->items = room;
    taken->count = count;
}

// What is taken in a window by now; for wants without idle time what is taken of idle time alone is left out.
static const struct taken *taken_in(struct claims *claims, uint32_t window)
{
    bool asks_all = claims->wants->classes & CLAIMS_IDLE;
    struct taken *taken = asks_all ? &claims->taken[window] : &claims->busy[window];
    while (taken->takes < claims->take_count) {
        const struct take *take = &claims->takes[taken->takes++];
        if (asks_all || take->wants->classes != CLAIMS_IDLE)
            take_window(claims, taken, window, take);
    }
    return taken;
}

void claims_take(struct claims *claims, const bool *keep)
{
    const struct wants *wants = claims->wants;
    bool *kept = NULL, any = !keep;
    if (keep) {
        kept = ARENA_ARRAY(claims->arena, bool, (size_t)wants->groups + 1);
        bool all = true;
        for (uint32_t g = 0; g < wants->groups; g++) {
            kept[g] = keep[g];
            any |= keep[g];
            all &= keep[g];
        }
        kept = all ? NULL : kept;
    }
    if (any && wants->count) {
        claims->taken_classes |= wants->classes;
        ARENA_PUSH(claims->arena, claims->takes, claims->take_count, claims->take_capacity) =
            (struct take){wants, kept, claims->parts};
    }
}

// ---- what is free ------------------------------------------------------------------------------

struct claims claims_new(struct arena *arena, uint32_t window_count, const uint32_t *windows,
                         uint32_t count)
{
    return (struct claims){.arena = arena,
                           .count = count,
                           .windows = windows,
                           .taken = ARENA_ARRAY(arena, struct taken, (size_t)window_count + 1),
                           .busy = ARENA_ARRAY(arena, struct taken, (size_t)window_count + 1),
                           .free_ns = ARENA_ARRAY(arena, int64_t, (size_t)window_count + 1)};
}

void claims_open(struct claims *claims, const struct wants *wants)
{
    claims->wants = wants;
    claims->parts = NULL;
    claims->group_ns = ARENA_ARRAY(claims->arena, int64_t, (size_t)wants->groups + 1);
}

// The first want from `at` on that ends behind a time: near ones are found at once, far ones by halves.
static size_t first_behind(const struct want *items, size_t at, size_t end, int64_t time)
{
    size_t low = at, step = 1;
    for (; low + step <= end && items[low + step - 1].to <= time; step *= 2)
        low += step;
    size_t high = low + step <= end ? low + step - 1 : end;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (items[middle].to <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Of all that is wanted in a window, by one group and not shortened, what somebody has already:
// where little is taken only its neighbours are looked at.
static int64_t taken_of(const struct wants *wants, const struct taken *taken, uint32_t window)
{
    size_t end = wants->first[window + 1];
    int64_t sum = 0;
    for (size_t t = 0, at = wants->first[window]; t < taken->count && at < end; t++) {
        const struct want *interval = &taken->items[t];
        at = first_behind(wants->items, at, end, interval->from);
        for (size_t i = at; i < end && wants->items[i].from < interval->to; i++) {
            const struct want *want = &wants->items[i];
            sum += (want->to < interval->to ? want->to : interval->to) -
                   (want->from > interval->from ? want->from : interval->from);
        }
    }
    return sum;
}

// Nobody has any of it: what is kept of the window is all that there is to be added up.
static int64_t measure_whole(struct claims *claims, uint32_t window)
{
    const struct wants *wants = claims->wants;
    const int64_t *ns = wants->ns + (size_t)window * wants->groups;
    int64_t sum = 0;
    for (uint32_t g = 0; g < wants->groups; g++) {
        claims->group_ns[g] += ns[g];
        sum += ns[g];
    }
    return sum;
}

static int64_t measure_window(struct claims *claims, uint32_t window)
{
    const struct wants *wants = claims->wants;
    int64_t sum = 0;
    size_t at = 0;
    if (wants->count == 0 || wants->first[window] == wants->first[window + 1])
        return 0;
    if (wants->ns && !claims->parts && !(claims->taken_classes & wants->classes))
        return measure_whole(claims, window);
    const struct taken *taken = taken_in(claims, window);
    if (wants->ns && wants->groups <= 1 && !claims->parts) {
        sum = wants->ns[window] - taken_of(wants, taken, window);
        claims->group_ns[0] += sum;
        return sum;
    }
    for (size_t i = wants->first[window]; i < wants->first[window + 1]; i++) {
        const struct want *want = &wants->items[i];
        int64_t end = want_end(want, claims->parts), ns = end - want->from;
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
