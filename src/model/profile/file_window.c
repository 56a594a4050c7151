// SPDX-License-Identifier: Apache-2.0
// Parses windows (--window, --steps), formats them, and tests what overlaps them.
#include "model/profile/file_window.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/format.h"
#include "model/profile/profile.h"

#define WINDOW_EXAMPLES "12s..14.5s, 800ms..1.2s, 30s.. or ..5s"

// Parses a time; the default unit is seconds.
static bool time_parse(const char *text, size_t length, int64_t *ns)
{
    enum { MAX_LENGTH = 40 };
    char copy[MAX_LENGTH + 2];
    while (length && text[length - 1] == ' ')
        length--;
    if (length == 0 || length > MAX_LENGTH)
        return false;
    bool has_unit = !strchr("0123456789.", text[length - 1]);
    snprintf(copy, sizeof copy, "%.*s%s", (int)length, text, has_unit ? "" : "s");
    return format_parse_duration(copy, ns);
}

bool file_window_parse_times(const char *text, struct file_window *file_window, struct error *error)
{
    const char *dots = strstr(text, "..");
    size_t before = dots ? (size_t)(dots - text) : 0;
    const char *behind = dots ? dots + 2 : "";
    *file_window = (struct file_window){INT64_MIN, INT64_MAX, UNKNOWN, UNKNOWN};
    if (!dots || (before == 0 && !*behind) ||
        (before && !time_parse(text, before, &file_window->from)) ||
        (*behind && !time_parse(behind, strlen(behind), &file_window->to)))
        return error_set(error, ERROR_USAGE,
                         "no two times with .. between them: %.100s; such as " WINDOW_EXAMPLES,
                         text);
    return file_window->from < file_window->to ||
           error_set(error, ERROR_USAGE, "it ends before it begins, or as it does: %.100s", text);
}

static bool number_take(const char **at, int64_t *number)
{
    size_t length = strspn(*at, "0123456789");
    *number = length ? strtoll(*at, NULL, 10) : 0;
    *at += length;
    return length > 0 && length <= 18;
}

// Parses a list of steps; stores its least and greatest number.
static bool steps_take(const char *at, struct file_window *file_window)
{
    for (;;) {
        int64_t first, last;
        if (!number_take(&at, &first))
            return false;
        last = first;
        if (*at == '-' && (at++, !number_take(&at, &last)))
            return false;
        if (last < first)
            return false;
        file_window->first_step = first < file_window->first_step ? first : file_window->first_step;
        file_window->last_step = last > file_window->last_step ? last : file_window->last_step;
        if (*at != ',')
            return !*at;
        at++;
    }
}

bool file_window_parse_steps(const char *text, struct file_window *file_window, struct error *error)
{
    *file_window = (struct file_window){INT64_MIN, INT64_MAX, INT64_MAX, INT64_MIN};
    return steps_take(text, file_window) ||
           error_set(error, ERROR_USAGE, "no numbers of steps: %.100s; such as 100-110 or 3,7-9",
                     text);
}

bool file_window_has_steps(const struct file_window *file_window)
{
    return file_window->first_step != UNKNOWN;
}

bool file_window_is_neighbour(const struct file_window *file_window, int64_t step)
{
    return file_window_has_steps(file_window) &&
           (step < file_window->first_step || step > file_window->last_step);
}

const char *file_window_text(const struct file_window *file_window, struct arena *arena)
{
    char from[FORMAT_SIZE], to[FORMAT_SIZE];
    if (file_window_has_steps(file_window) && file_window->first_step == file_window->last_step)
        return arena_format(arena, "step %" PRId64, file_window->first_step);
    if (file_window_has_steps(file_window))
        return arena_format(arena, "steps %" PRId64 "-%" PRId64, file_window->first_step,
                            file_window->last_step);
    if (file_window->from == INT64_MIN)
        return arena_format(arena, "up to %s", format_time(to, file_window->to));
    if (file_window->to == INT64_MAX)
        return arena_format(arena, "%s to the end", format_time(from, file_window->from));
    return arena_format(arena, "%s to %s", format_time(from, file_window->from),
                        format_time(to, file_window->to));
}
