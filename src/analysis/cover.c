// SPDX-License-Identifier: Apache-2.0
#include "analysis/cover.h"

#include <stdbool.h>
#include <string.h>

enum { BLOCK = 64 };

struct cursor { // the merged interval of a class that the sweep is in or before
    const struct cover_source *source;
    size_t next;
    int64_t start, end;
    bool live;
};

static void cursor_advance(struct cursor *cursor)
{
    const struct cover_source *source = cursor->source;
    cursor->live = false;
    for (; cursor->next < source->count; cursor->next++) {
        size_t row = source->rows ? source->rows[cursor->next] : cursor->next;
        int64_t start = AT(source->start, row), end = AT(source->end, row);
        if (cursor->live && start > cursor->end)
            return;
        if (!cursor->live) {
            cursor->start = start;
            cursor->end = end;
            cursor->live = end > start; // empty ones do not count
        } else if (end > cursor->end) {
            cursor->end = end;
        }
    }
}

static void stretch_add(struct cover *cover, int64_t at, uint8_t owner)
{
    if (cover->count && cover->owner[cover->count - 1] == owner)
        return;
    cover->at[cover->count] = at;
    cover->owner[cover->count++] = owner;
}

static void cover_sum(struct cover *cover, struct arena *arena)
{
    cover->sums = ARENA_ARRAY(arena, int64_t, (cover->count / BLOCK + 1) * cover->classes);
    int64_t running[COVER_CLASSES] = {0};
    for (size_t i = 0; i < cover->count; i++) {
        if (i % BLOCK == 0)
            memcpy(cover->sums + i / BLOCK * cover->classes, running,
                   cover->classes * sizeof *running);
        if (i + 1 < cover->count && cover->owner[i] < cover->classes)
            running[cover->owner[i]] += cover->at[i + 1] - cover->at[i];
    }
}

struct cover_source cover_source_of(const int64_t *start, const int64_t *end, size_t count,
                                    struct arena *arena)
{
    return (struct cover_source){.count = count,
                                 .start = column64_pack(arena, 1, start, NULL, count),
                                 .end = column64_pack(arena, 1, end, NULL, count)};
}

struct cover cover_build(const struct cover_source *sources, size_t classes, struct arena *arena)
{
    struct cover cover = {.classes = classes};
    struct cursor cursors[COVER_CLASSES];
    int64_t now = INT64_MAX;
    size_t most = 1; // stretches: one from each begin and each end; what is not used costs nothing
    for (size_t c = 0; c < classes; c++)
        most += 2 * sources[c].count;
    cover.at = ARENA_ARRAY(arena, int64_t, most);
    cover.owner = ARENA_ARRAY(arena, uint8_t, most);
    for (size_t c = 0; c < classes; c++) {
        cursors[c] = (struct cursor){.source = &sources[c]};
        cursor_advance(&cursors[c]);
        if (cursors[c].live && cursors[c].start < now)
            now = cursors[c].start;
    }
    while (now != INT64_MAX) {
        uint8_t owner = COVER_CLASSES;
        int64_t next = INT64_MAX;
        for (size_t c = 0; c < classes && owner == COVER_CLASSES; c++) {
            if (!cursors[c].live)
                continue;
            if (cursors[c].start <= now)
                owner = (uint8_t)c;
            int64_t change = cursors[c].start <= now ? cursors[c].end : cursors[c].start;
            next = change < next ? change : next;
        }
        stretch_add(&cover, now, owner);
        now = next;
        for (size_t c = 0; c < classes; c++)
            while (cursors[c].live && cursors[c].end <= now)
                cursor_advance(&cursors[c]);
    }
    cover_sum(&cover, arena);
    return cover;
}

// The stretch that holds `time`: the last that begins at or before it; SIZE_MAX: none does.
static size_t cover_find(const struct cover *cover, int64_t time)
{
    size_t low = 0, high = cover->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (cover->at[middle] <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low - 1;
}

// Adds sign times the time of each class before `time`.
static void cover_before(const struct cover *cover, int64_t time, int64_t sign, int64_t *ns)
{
    size_t at = cover_find(cover, time);
    if (at == SIZE_MAX)
        return;
    const int64_t *sums = cover->sums + at / BLOCK * cover->classes;
    for (size_t c = 0; c < cover->classes; c++)
        ns[c] += sign * sums[c];
    for (size_t i = at / BLOCK * BLOCK; i <= at; i++)
        if (cover->owner[i] < cover->classes)
            ns[cover->owner[i]] += sign * ((i == at ? time : cover->at[i + 1]) - cover->at[i]);
}

struct cover cover_copy(const struct cover *cover, struct arena *arena)
{
    struct cover copy = *cover;
    size_t sums = (cover->count / BLOCK + 1) * cover->classes;
    copy.at = ARENA_ARRAY(arena, int64_t, cover->count + 1);
    copy.owner = ARENA_ARRAY(arena, uint8_t, cover->count + 1);
    copy.sums = ARENA_ARRAY(arena, int64_t, sums);
    if (cover->count) { // where nothing runs there are no arrays to copy from
        memcpy(copy.at, cover->at, cover->count * sizeof *copy.at);
        memcpy(copy.owner, cover->owner, cover->count * sizeof *copy.owner);
    }
    memcpy(copy.sums, cover->sums, sums * sizeof *copy.sums);
    return copy;
}

void cover_add(const struct cover *cover, int64_t from, int64_t to, int64_t *ns)
{
    if (to <= from)
        return;
    cover_before(cover, to, 1, ns);
    cover_before(cover, from, -1, ns);
}
