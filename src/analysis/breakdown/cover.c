// SPDX-License-Identifier: Apache-2.0
// Builds activity lines by a sweep over intervals, and sums windows by block sums. A stretch is an
// interval of a line with one owner: the class that it counts for.
#include "analysis/breakdown/cover.h"

#include <string.h>

enum { STRETCHES_PER_BLOCK = 64 };

struct class_cursor { // the current merged interval of a class
    const struct cover_source *source;
    size_t next;
    int64_t start, end;
    bool has_interval;
};

// Moves to the next interval: the union of all that overlap or touch each other.
static void cursor_advance(struct class_cursor *cursor)
{
    const struct cover_source *source = cursor->source;
    cursor->has_interval = false;
    for (; cursor->next < source->count; cursor->next++) {
        size_t row = source->rows ? source->rows[cursor->next] : cursor->next;
        int64_t start = AT(source->start, row), end = AT(source->end, row);
        if (cursor->has_interval && start > cursor->end)
            return;
        if (!cursor->has_interval) {
            cursor->start = start;
            cursor->end = end;
            cursor->has_interval = end > start; // empty intervals do not count
        } else if (end > cursor->end) {
            cursor->end = end;
        }
    }
}

struct cover_draft {
    size_t count;
    uint32_t last_owner; // owner of the last stretch
    struct column_writer *at, *owner;
};

static void stretch_add(struct cover_draft *draft, int64_t time, uint32_t owner)
{
    if (draft->count && draft->last_owner == owner)
        return;
    column64_put(draft->at, time);
    column32_put(draft->owner, owner);
    draft->last_owner = owner;
    draft->count++;
}

static void cover_sum(struct cover *cover, struct arena *arena)
{
    cover->sums =
        ARENA_ARRAY(arena, int64_t, (cover->count / STRETCHES_PER_BLOCK + 1) * cover->classes);
    int64_t running[MAX_COVER_CLASSES] = {0};
    for (size_t i = 0; i < cover->count; i++) {
        if (i % STRETCHES_PER_BLOCK == 0)
            memcpy(cover->sums + i / STRETCHES_PER_BLOCK * cover->classes, running,
                   cover->classes * sizeof *running);
        uint32_t owner = AT(cover->owner, i);
        if (i + 1 < cover->count && owner < cover->classes)
            running[owner] += AT(cover->at, i + 1) - AT(cover->at, i);
    }
}

struct cover_source cover_source_of(const int64_t *start, const int64_t *end, size_t count,
                                    struct arena *arena)
{
    return (struct cover_source){.count = count,
                                 .start = column64_pack(arena, 1, start, NULL, count),
                                 .end = column64_pack(arena, 1, end, NULL, count)};
}

static int64_t start_of(const void *cover, size_t i)
{
    return AT(((const struct cover *)cover)->at, i);
}

struct cover cover_build(const struct cover_source *sources, size_t classes, struct arena *arena)
{
    struct cover cover = {.classes = classes};
    struct class_cursor cursors[MAX_COVER_CLASSES];
    struct cover_draft draft = {.at = column_begin(arena), .owner = column_begin(arena)};
    int64_t now = INT64_MAX;
    for (size_t c = 0; c < classes; c++) {
        cursors[c] = (struct class_cursor){.source = &sources[c]};
        cursor_advance(&cursors[c]);
        if (cursors[c].has_interval && cursors[c].start < now)
            now = cursors[c].start;
    }
    while (now != INT64_MAX) {
        uint32_t owner = MAX_COVER_CLASSES;
        int64_t next = INT64_MAX;
        for (uint32_t c = 0; c < classes && owner == MAX_COVER_CLASSES; c++) {
            if (!cursors[c].has_interval)
                continue;
            if (cursors[c].start <= now)
                owner = c;
            int64_t change = cursors[c].start <= now ? cursors[c].end : cursors[c].start;
            next = change < next ? change : next;
        }
        bool is_silent = owner < classes && sources[owner].is_silent;
        stretch_add(&draft, now, is_silent ? MAX_COVER_CLASSES : owner);
        now = next;
        for (size_t c = 0; c < classes; c++)
            while (cursors[c].has_interval && cursors[c].end <= now)
                cursor_advance(&cursors[c]);
    }
    cover.count = draft.count;
    cover.at = column64_end(draft.at, arena);
    cover.owner = column32_end(draft.owner, arena);
    cover.bins = bins_make(cover.count, start_of, &cover, arena);
    cover_sum(&cover, arena);
    return cover;
}

// Returns the stretch that contains `time`: the last one that begins at or before it, or SIZE_MAX.
static size_t cover_find(const struct cover *cover, int64_t time)
{
    struct bins_bounds place = bins_find(&cover->bins, time);
    size_t low = place.low, high = place.high;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (AT(cover->at, middle) <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low - 1;
}

void cover_until(const struct cover *cover, int64_t time, int64_t *ns)
{
    size_t stretch = cover_find(cover, time);
    if (stretch == SIZE_MAX)
        return;
    size_t block =
        (stretch + STRETCHES_PER_BLOCK / 2) / STRETCHES_PER_BLOCK; // nearest block boundary
    block = block < (cover->count - 1) / STRETCHES_PER_BLOCK
                ? block
                : (cover->count - 1) / STRETCHES_PER_BLOCK;
    size_t nearest = block * STRETCHES_PER_BLOCK, first = nearest > stretch ? stretch : nearest;
    const int64_t *sums = cover->sums + block * cover->classes;
    for (size_t c = 0; c < cover->classes; c++)
        ns[c] += sums[c];
    int64_t sign = nearest > stretch ? -1 : 1,
            from = nearest > stretch ? time : AT(cover->at, first), to;
    for (size_t i = first; i < nearest || i <= stretch; i++, from = to) {
        uint32_t owner = AT(cover->owner, i);
        to = i == stretch && nearest <= stretch ? time : AT(cover->at, i + 1);
        if (owner < cover->classes)
            ns[owner] += sign * (to - from);
    }
}

struct cover cover_copy(const struct cover *cover, struct arena *arena)
{
    struct cover copy = *cover;
    size_t sums = (cover->count / STRETCHES_PER_BLOCK + 1) * cover->classes;
    copy.at = column64_copy(arena, cover->at, cover->count);
    copy.owner = column32_copy(arena, cover->owner, cover->count);
    copy.bins = bins_make(copy.count, start_of, &copy, arena);
    copy.sums = ARENA_ARRAY(arena, int64_t, sums);
    memcpy(copy.sums, cover->sums, sums * sizeof *copy.sums);
    return copy;
}

void cover_add(const struct cover *cover, int64_t from, int64_t to, int64_t *ns)
{
    int64_t before[MAX_COVER_CLASSES] = {0}, after[MAX_COVER_CLASSES] = {0};
    if (to <= from)
        return;
    cover_until(cover, from, before);
    cover_until(cover, to, after);
    for (size_t c = 0; c < cover->classes; c++)
        ns[c] += after[c] - before[c];
}
