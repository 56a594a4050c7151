// SPDX-License-Identifier: Apache-2.0
// Formats values of reports, and divides totals into means per step.
#include "analysis/report/value.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/text/format.h"
#include "base/text/text.h"

const char *const unit_names[] = {
    [UNIT_TEXT] = "text",       [UNIT_COUNT] = "count", [UNIT_NS] = "ns",
    [UNIT_TIME] = "time (ns)",  [UNIT_BYTES] = "bytes", [UNIT_RATE] = "bytes/s",
    [UNIT_PERCENT] = "percent", [UNIT_REAL] = "number", [UNIT_ID] = "id",
    [UNIT_STATE] = "yes/no/-",
};

static const char *const state_texts[] = {"no", "yes", "-"};

bool unit_is_number(enum unit unit)
{
    return unit != UNIT_TEXT && unit != UNIT_STATE;
}

// Returns true if a row's total is of one GPU or one thread, so that its parts are steps.
static bool is_of_row(const struct column *column)
{
    return (column->flags & (COLUMN_NOT_ADDITIVE | COLUMN_HOST | COLUMN_ALL_GPUS)) ==
           COLUMN_NOT_ADDITIVE;
}

double parts_of(const struct sum_parts *parts, const struct column *column)
{
    double count = column->flags & COLUMN_HOST ? parts->host
                   : is_of_row(column)         ? parts->row
                                               : parts->gpu;
    return column->flags & (COLUMN_SUM | COLUMN_NOT_ADDITIVE) && count > 1 ? count : 1;
}

const char *parts_name(const struct sum_parts *parts, const struct column *column)
{
    return column->flags & COLUMN_HOST ? parts->host_name
           : is_of_row(column)         ? parts->row_name
                                       : parts->gpu_name;
}

const char *parts_text(const struct sum_parts *parts, const struct report *report,
                       struct arena *arena)
{
    const char *gpu = NULL, *host = NULL;
    for (size_t c = 0; c < report->column_count; c++)
        if (parts_of(parts, &report->columns[c]) > 1)
            *(report->columns[c].flags & COLUMN_HOST ? &host : &gpu) =
                parts_name(parts, &report->columns[c]);
    // With as many processes as GPUs, one word names both.
    if (gpu && host && parts->gpu != parts->host)
        return arena_format(arena, "%s, of the host %s", gpu, host);
    return gpu ? gpu : host;
}

struct value value_per_step(const struct column *column, struct value total,
                            const struct sum_parts *parts)
{
    double count = parts_of(parts, column);
    if (count <= 1 || total.kind != VALUE_INTEGER)
        return total;
    return value_real((double)total.integer / count);
}

int64_t value_whole(struct value value)
{
    if (value.kind == VALUE_INTEGER)
        return value.integer;
    if (value.kind == VALUE_REAL && value.real >= 9.2e18)
        return INT64_MAX;
    if (value.kind == VALUE_NONE || value.real <= -9.2e18)
        return INT64_MIN + 1;
    return llround(value.real);
}

int64_t ns_per_step(int64_t total_ns, double count)
{
    return count > 1 ? value_whole(value_real((double)total_ns / count)) : total_ns;
}

static bool is_more_than_nothing(struct value value)
{
    return value.kind == VALUE_INTEGER ? value.integer > 0
                                       : value.kind == VALUE_REAL && value.real > 0;
}

// Parts of sums are rounded so that they add up (compare.h), so a difference of 1 ns is no change.
static bool is_rounding(const struct column *column, struct value value)
{
    return column->unit == UNIT_NS && value.kind == VALUE_INTEGER &&
           (value.integer == 1 || value.integer == -1);
}

static const char *signed_for_people(const struct column *column, struct value value, bool ascii,
                                     struct arena *arena)
{
    struct column unsigned_one = *column;
    unsigned_one.flags &= ~(unsigned)COLUMN_SIGNED;
    char out[FORMAT_SIZE];
    if (column->unit == UNIT_PERCENT)
        return arena_format(arena, "%s", format_change(out, value_number(value), ""));
    if (is_rounding(column, value))
        value.integer = 0;
    const char *text = value_display_text(&unsigned_one, value, ascii, arena);
    bool is_more = is_more_than_nothing(value) && strpbrk(text, "123456789");
    return is_more ? arena_format(arena, "+%s", text) : text;
}

const char *value_display_text(const struct column *column, struct value value, bool ascii,
                               struct arena *arena)
{
    if (value.kind == VALUE_NONE)
        return column->flags & COLUMN_MARK ? "" : "-";
    if (column->flags & COLUMN_SIGNED)
        return signed_for_people(column, value, ascii, arena);
    if (value.kind == VALUE_TEXT)
        return text_display_units(arena, text_safe(arena, value.text, strlen(value.text), true),
                                  ascii || !(column->flags & COLUMN_SENTENCE));
    if (value.kind == VALUE_STATE)
        return state_texts[value.integer];
    char out[FORMAT_SIZE];
    switch (column->unit) {
    case UNIT_NS:
        format_duration(out, value_whole(value), ascii);
        break;
    case UNIT_TIME:
        format_time(out, value_whole(value));
        break;
    case UNIT_BYTES:
        format_bytes(out, value_whole(value));
        break;
    case UNIT_RATE:
        return arena_format(arena, "%s/s", format_bytes(out, value_whole(value)));
    case UNIT_PERCENT:
        format_percent(out, value_number(value));
        break;
    case UNIT_ID:
        return arena_format(arena, "%" PRId64, value_whole(value));
    case UNIT_REAL:
        format_real(out, value_number(value));
        break;
    default:
        // counts per step may be fractions
        if (value.kind == VALUE_REAL && value.real < 1000 && value.real != floor(value.real))
            format_real(out, value.real);
        else
            format_count(out, value_whole(value));
        break;
    }
    return arena_text(arena, out);
}

void value_append_plain(struct bytes *out, const struct column *column, struct value value)
{
    switch (value.kind) {
    case VALUE_NONE:
        return;
    case VALUE_TEXT:
        text_put_safe(out, value.text, strlen(value.text), false);
        return;
    case VALUE_STATE:
        if (value.integer != STATE_UNKNOWN)
            bytes_text(out, state_texts[value.integer]);
        return;
    case VALUE_INTEGER:
        if (column->unit == UNIT_PERCENT)
            break;
        bytes_integer(out, value.integer);
        return;
    case VALUE_REAL:
        break;
    }
    if (column->unit == UNIT_PERCENT)
        bytes_decimals(out, value_number(value) * 100, 1);
    else if (column->unit == UNIT_REAL)
        bytes_exact(out, value_number(value));
    else
        bytes_decimals(out, value_number(value), column->unit == UNIT_COUNT ? 3 : 1);
}
