// SPDX-License-Identifier: Apache-2.0
// Finds the place of a row of a report on the time axis: where its event is or, if the row sums up
// several events, where the longest of them is.
#include "analysis/place/row_place_find.h"

#include <string.h>

#include "analysis/idle/idle_sums.h"
#include "base/text/format.h"

struct longest { // longest event so far; place.of counts the events
    struct row_place place;
    int64_t ns;
};

static void longest_add(struct longest *longest, uint32_t row, int64_t ns)
{
    if (longest->place.of++ == 0 || ns > longest->ns) {
        longest->ns = ns;
        longest->place.row = row;
    }
}

static bool longest_work(const struct profile *profile, const struct selection *selection,
                         struct row_place *place)
{
    struct longest longest = {.place = {.kind = PLACE_WORK}};
    for (uint32_t w = 0; w < profile->work.count; w++)
        if (selection_has_work(profile, selection, w))
            longest_add(&longest, w, work_duration(profile, w));
    *place = longest.place;
    return place->of > 0;
}

static bool longest_call(const struct profile *profile, const struct selection *selection,
                         struct row_place *place)
{
    struct longest longest = {.place = {.kind = PLACE_CALL}};
    for (uint32_t c = 0; c < profile->api.count; c++)
        if (selection_has_api(profile, selection, c))
            longest_add(&longest, c, AT(profile->api.end, c) - AT(profile->api.start, c));
    *place = longest.place;
    return place->of > 0;
}

// For a selected node only its own ranges count, not the ranges below it.
static bool longest_range(const struct profile *profile, const struct selection *selection,
                          struct row_place *place)
{
    const struct ranges *ranges = &profile->ranges;
    struct longest longest = {.place = {.kind = PLACE_RANGE}};
    for (uint32_t r = 0; r < ranges->count; r++)
        if ((selection->node == ROW_NONE ||
             selection_range_node(profile, selection, r) == selection->node) &&
            selection_has_range(profile, selection, r))
            longest_add(&longest, r, AT(ranges->end, r) - AT(ranges->start, r));
    *place = longest.place;
    return place->of > 0;
}

static void add_gap(void *context, const struct idle_piece *piece)
{
    struct longest *longest = context;
    int64_t previous_ns = longest->ns;
    size_t count = longest->place.of;
    longest_add(longest, piece->device, piece->to - piece->from);
    if (count == 0 || longest->ns > previous_ns) {
        longest->place.from = piece->from;
        longest->place.to = piece->to;
    }
}

static bool longest_gap(const struct profile *profile, const struct selection *selection,
                        struct row_place *place, struct arena *arena)
{
    struct longest longest = {.place = {.kind = PLACE_GAP}};
    idle_each(profile, selection, idle_of(profile, selection, arena), add_gap, &longest);
    *place = longest.place;
    return place->of > 0;
}

// Kinds of events that the rows of a report are, if not GPU work.
static const struct {
    const char *report;
    enum place_kind kind;
} kinds[] = {{"api", PLACE_CALL},
             {"api_threads", PLACE_CALL},
             {"calls", PLACE_CALL},
             {"idle_gaps", PLACE_GAP},
             {"ranges", PLACE_RANGE}};

static enum place_kind kind_of(const char *report)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].report, report) == 0)
            return kinds[i].kind;
    return PLACE_WORK;
}

// Returns true if the selection is a node of the tree and not, for example, a kernel's launches
// there. A node is shown at one of its ranges.
static bool is_node(const struct selection *selection)
{
    return selection->node != ROW_NONE && selection->name == STRING_NONE &&
           selection->function == ROW_NONE && selection->shape == ROW_NONE &&
           selection->op == ROW_NONE && selection->op_type == STRING_NONE &&
           selection->line == STRING_NONE && selection->copies == ROW_NONE;
}

static bool longest_of(const struct profile *profile, const struct selection *selection,
                       enum place_kind kind, struct row_place *place, struct arena *arena)
{
    switch (kind) {
    case PLACE_GAP:
        return longest_gap(profile, selection, place, arena);
    case PLACE_CALL:
        return longest_call(profile, selection, place);
    case PLACE_RANGE:
        return longest_range(profile, selection, place);
    default:
        return (is_node(selection) && longest_range(profile, selection, place)) ||
               longest_work(profile, selection, place);
    }
}

bool place_of_row(const struct profile *profile, const struct selection *selection,
                  const struct report *report, const void *row, struct row_place *place,
                  struct arena *arena)
{
    *place = (struct row_place){.of = 1};
    if (profile->stage < STAGE_READY)
        return false;
    if (report->place)
        return report->place(profile, selection, row, place, arena);
    if (report->work) {
        place->kind = PLACE_WORK;
        place->row = report->work(row);
        return place->row < profile->work.count;
    }
    struct selection narrow = *selection;
    const char *opens = report->narrow ? report->narrow(profile, row, &narrow) : NULL;
    return opens && longest_of(profile, &narrow, kind_of(opens), place, arena);
}

bool place_of_range_name(const struct profile *profile, const struct selection *selection,
                         string_id name, struct row_place *place)
{
    struct selection narrow = *selection;
    narrow.range_name = name;
    return longest_range(profile, &narrow, place);
}

bool place_step(const struct selection *selection, uint32_t iteration, struct row_place *place)
{
    *place = (struct row_place){.kind = PLACE_STEP, .row = iteration, .of = 1};
    return iteration < selection->split->count;
}

const char *place_text(const struct row_place *place, struct arena *arena)
{
    static const char *const nouns[] = {
        [PLACE_WORK] = "launch", [PLACE_CALL] = "call", [PLACE_RANGE] = "range",
        [PLACE_GAP] = "stretch", [PLACE_STEP] = "step", [PLACE_MEMORY] = "moment",
    };
    char count[FORMAT_SIZE];
    const char *of = place->kind == PLACE_GAP ? " of idle time" : "";
    if (place->of <= 1)
        return arena_format(arena, "the only %s%s", nouns[place->kind], of);
    return arena_format(arena, "the longest of %s%s",
                        format_counted(count, place->of, nouns[place->kind]), of);
}
