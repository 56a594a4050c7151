// SPDX-License-Identifier: Apache-2.0
#include "model/profile/excerpt.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
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

bool excerpt_parse_window(const char *text, struct excerpt *excerpt, struct error *error)
{
    const char *dots = strstr(text, "..");
    size_t before = dots ? (size_t)(dots - text) : 0;
    const char *behind = dots ? dots + 2 : "";
    *excerpt = (struct excerpt){INT64_MIN, INT64_MAX, UNKNOWN, UNKNOWN};
    if (!dots || (before == 0 && !*behind) ||
        (before && !time_parse(text, before, &excerpt->from)) ||
        (*behind && !time_parse(behind, strlen(behind), &excerpt->to)))
        return error_set(error, ERROR_USAGE,
                         "no two times with .. between them: %.100s; such as " WINDOW_EXAMPLES,
                         text);
    return excerpt->from < excerpt->to ||
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
static bool steps_take(const char *at, struct excerpt *excerpt)
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
        excerpt->first_step = first < excerpt->first_step ? first : excerpt->first_step;
        excerpt->last_step = last > excerpt->last_step ? last : excerpt->last_step;
        if (*at != ',')
            return !*at;
        at++;
    }
}

bool excerpt_parse_steps(const char *text, struct excerpt *excerpt, struct error *error)
{
    *excerpt = (struct excerpt){INT64_MIN, INT64_MAX, INT64_MAX, INT64_MIN};
    return steps_take(text, excerpt) ||
           error_set(error, ERROR_USAGE, "no numbers of steps: %.100s; such as 100-110 or 3,7-9",
                     text);
}

bool excerpt_is_of_steps(const struct excerpt *excerpt)
{
    return excerpt->first_step != UNKNOWN;
}

bool excerpt_is_beside(const struct excerpt *excerpt, int64_t step)
{
    return excerpt_is_of_steps(excerpt) &&
           (step < excerpt->first_step || step > excerpt->last_step);
}

const char *excerpt_text(const struct excerpt *excerpt, struct arena *arena)
{
    char from[FORMAT_SIZE], to[FORMAT_SIZE];
    if (excerpt_is_of_steps(excerpt) && excerpt->first_step == excerpt->last_step)
        return arena_format(arena, "step %" PRId64, excerpt->first_step);
    if (excerpt_is_of_steps(excerpt))
        return arena_format(arena, "steps %" PRId64 "-%" PRId64, excerpt->first_step,
                            excerpt->last_step);
    if (excerpt->from == INT64_MIN)
        return arena_format(arena, "up to %s", format_time(to, excerpt->to));
    if (excerpt->to == INT64_MAX)
        return arena_format(arena, "%s to the end", format_time(from, excerpt->from));
    return arena_format(arena, "%s to %s", format_time(from, excerpt->from),
                        format_time(to, excerpt->to));
}
