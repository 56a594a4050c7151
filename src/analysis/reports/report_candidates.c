// SPDX-License-Identifier: Apache-2.0
// Lists the possible splits of the run into steps, ranked by evidence.
#include <math.h>

#include "analysis/report/report.h"
#include "base/text/format.h"
#include "model/steps/step_candidates.h"

struct candidate_row {
    const struct step_candidate *candidate;
    bool is_chosen;
};

static const struct step_candidate *candidate_of(const void *row)
{
    const struct candidate_row *r = row;
    return r->candidate;
}

static struct value get_text(const void *row)
{
    return value_text(candidate_of(row)->text);
}

static struct value get_chosen(const void *row)
{
    const struct candidate_row *r = row;
    return value_state(r->is_chosen ? STATE_YES : STATE_NO);
}

static struct value get_confidence(const void *row)
{
    return value_text(confidence_names[candidate_of(row)->confidence]);
}

static struct value get_count(const void *row)
{
    return value_integer(candidate_of(row)->count);
}

static struct value get_unit(const void *row)
{
    return value_text(candidate_of(row)->unit);
}

static struct value get_inner(const void *row)
{
    uint32_t inner = candidate_of(row)->inner;
    return inner ? value_integer(inner) : value_none();
}

static struct value get_period(const void *row)
{
    return value_integer(candidate_of(row)->period_ns);
}

static struct value get_jitter(const void *row)
{
    return value_real(candidate_of(row)->jitter);
}

static struct value get_coverage(const void *row)
{
    return value_real(candidate_of(row)->coverage);
}

static struct value get_equal(const void *row)
{
    return value_state(candidate_of(row)->is_equal ? STATE_YES : STATE_NO);
}

static struct value get_first(const void *row)
{
    return value_integer(candidate_of(row)->first_offset_ns);
}

static struct value get_source(const void *row)
{
    return value_text(candidate_source_names[candidate_of(row)->source]);
}

static struct value get_key(const void *row)
{
    return value_text(candidate_of(row)->key);
}

static struct value get_why(const void *row)
{
    return value_text(candidate_of(row)->why);
}

static const struct column columns[] = {
    {"text", "What Cuts", "what cuts", UNIT_TEXT, get_text, "What cuts the run.", COLUMN_NAME},
    {"chosen", "Chosen", "chosen", UNIT_STATE, get_chosen,
     "Whether it is what the program takes by itself. Replays, sequences, bursts and slices never "
     "are: they are no steps.",
     0},
    {"confidence", "Confidence", "sure", UNIT_TEXT, get_confidence,
     "How sure it is that these are what they are called: certain, the file says so; likely, "
     "DLProf's default key or a loop whose turns are alike; possible, regular at most; no steps, "
     "parts of time, which are evidence of nothing.",
     0},
    {"count", "Count", "count", UNIT_COUNT, get_count,
     "Windows; of processes with their own, of the one with most.", 0},
    {"unit", "Unit", "unit", UNIT_TEXT, get_unit,
     "What one of them is: an iteration, or where they are no steps a replay, sequence, burst or "
     "slice.",
     0},
    {"inner", "Micro-Steps", "micro", UNIT_COUNT, get_inner,
     "Micro-steps in each, as with gradient accumulation.", COLUMN_WIDE},
    {"period", "Median Period (ns)", "period", UNIT_NS, get_period,
     "Median time from the first GPU work of one to that of the next; where they run none, on the "
     "host.",
     COLUMN_TIMED},
    {"jitter", "Jitter (%)", "jitter", UNIT_PERCENT, get_jitter,
     "Median distance of the periods from their median, of it; of an even number the larger of "
     "the middle two.",
     COLUMN_TIMED},
    {"coverage", "Coverage (%)", "cover", UNIT_PERCENT, get_coverage,
     "Of all exclusive GPU time: what is launched inside of them.", 0},
    {"equal", "Equal Counts", "equal", UNIT_STATE, get_equal,
     "Whether every process that has any has as many.", COLUMN_WIDE},
    {"first", "First Offset (ns)", "first", UNIT_TIME, get_first,
     "Start of the first, after the beginning of the profile.", COLUMN_WIDE},
    {"source", "Source", "source", UNIT_TEXT, get_source,
     "What kind of evidence it is: steps, dlprof, aggregation, loop, range, op, replays, sequence, "
     "bursts, slices.",
     COLUMN_WIDE},
    {"key", "Key", "key", UNIT_TEXT, get_key, "What --key_op and :key take for it.", COLUMN_WIDE},
    {"why", "Evidence", "evidence", UNIT_TEXT, get_why, "What speaks for it.", COLUMN_WIDE},
};

static struct rows build(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    (void)selection; // the candidates do not depend on the split in use
    if (!profile->ops)
        return (struct rows){.empty = "What could cut the run is not known before all is read."};
    struct step_candidates *candidates = ARENA_NEW(arena, struct step_candidates);
    *candidates = candidates_find(profile, arena);
    struct candidate_row *rows = ARENA_ARRAY(arena, struct candidate_row, candidates->count + 1);
    for (size_t i = 0; i < candidates->count; i++)
        rows[i] = (struct candidate_row){&candidates->items[i], i == candidates->chosen};
    if (!candidates->count)
        return (struct rows){.empty = "Nothing cuts the run: no range is known to mark steps, and "
                                      "no GPU work shows any."};
    char count[FORMAT_SIZE];
    const char *chosen = candidates->chosen < candidates->count
                             ? arena_format(arena, "%s", candidates->items[candidates->chosen].text)
                             : "none, one iteration";
    return (struct rows){
        .items = rows,
        .count = candidates->count,
        .caption = arena_format(arena, "%s; taken: %s",
                                format_counted(count, candidates->count, "candidate"), chosen)};
}

static uint64_t row_id(const void *row)
{
    return text_id(0, candidate_of(row)->key);
}

const struct report report_candidates = {
    .name = "candidates",
    .title = "What could cut the run into steps",
    .doc = "Ways of cutting the run into steps, best first: what the file marks, DLProf's key, "
           "regular ranges, loops and ops; then replays, kernel sequences, bursts and slices.",
    .row_size = sizeof(struct candidate_row),
    .column_count = sizeof columns / sizeof *columns,
    .columns = columns,
    .build = build,
    .id = row_id,
};
