// SPDX-License-Identifier: Apache-2.0
// A text that identifies a row: in the same profile by its id, in another one by its name: "#1f
// forward/layers.*/mlp".
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"
#include "ui/table/table.h"

enum { PLACE_MAX = 3000 }; // bytes; fits into a line of a script

// Returns the name of a row as a single line.
static const char *name_of(const struct table *table, uint32_t row, struct arena *arena)
{
    const char *name = table_row_name(table, report_row(table->report, &table->rows, row));
    size_t length = name ? strlen(name) : 0;
    if (text_plain_length(name ? name : "", length) != length)
        name = text_safe(arena, name, length, true);
    return name ? name : "";
}

static size_t length_trimmed(const char *text)
{
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == ' ')
        length--;
    return length;
}

const char *table_place(const struct table *table, uint32_t row, struct arena *arena)
{
    const char *path = name_of(table, row, arena);
    size_t length = length_trimmed(path);
    if (length > PLACE_MAX)
        return NULL;
    path = arena_copy(arena, path, length);
    for (uint32_t up = row; table->parent && (up = table->parent[up]) != UINT32_MAX;) {
        const char *name = name_of(table, up, arena);
        if (strlen(name) + strlen(path) > PLACE_MAX)
            break;
        path = arena_format(arena, "%s/%s", name, path);
    }
    return arena_format(arena, "#%" PRIx64 " %s", table_row_id(table, row), path);
}

// Returns true if the names of the row and its nearest ancestors equal the names in `path`.
static bool row_has_name(const struct table *table, uint32_t row, const char *path,
                         struct arena *arena)
{
    size_t left = length_trimmed(path);
    const char *name = name_of(table, row, arena);
    size_t length = length_trimmed(name);
    for (;;) {
        if (length > left || memcmp(path + left - length, name, length) != 0)
            return false;
        left -= length;
        if (left == 0)
            return true;
        if (path[left - 1] != '/' || !table->parent || table->parent[row] == UINT32_MAX)
            return false;
        left--;
        row = table->parent[row];
        name = name_of(table, row, arena);
        length = strlen(name);
    }
}

bool table_go_place(struct table *table, const char *place, struct arena *arena)
{
    char *end = NULL;
    uint64_t id = *place == '#' ? strtoull(place + 1, &end, 16) : 0;
    bool has_id = end && end > place + 1 && (*end == ' ' || *end == 0);
    const char *path = has_id ? end + strspn(end, " ") : place;
    if (!table_update(table, NULL))
        return false;
    uint32_t found = has_id ? table_row_of(table, id) : UINT32_MAX;
    if (found != UINT32_MAX && row_has_name(table, found, path, arena))
        return table_go(table, id);
    // In another profile the name must be unique.
    found = UINT32_MAX;
    for (uint32_t row = 0; row < table->rows.count && *path; row++) {
        if (!row_has_name(table, row, path, arena))
            continue;
        if (has_id && found != UINT32_MAX)
            return false;
        found = found == UINT32_MAX ? row : found;
    }
    return found != UINT32_MAX && table_go(table, table_row_id(table, found));
}
