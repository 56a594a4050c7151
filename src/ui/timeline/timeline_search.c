// SPDX-License-Identifier: Apache-2.0
// Search on the timeline: ranges, calls and GPU work by name, in order of time over all lanes.
#include <stdlib.h>
#include <string.h>

#include "base/text/format.h"
#include "ui/host.h"
#include "ui/state/view.h"
#include "ui/timeline/timeline_view.h"

enum match { MATCH_UNKNOWN, MATCH_NO, MATCH_YES };

void timeline_search_end(struct timeline_search *search)
{
    pattern_free(search->pattern);
    free(search->matches);
    *search = (struct timeline_search){0};
}

struct searching {
    const struct timeline *timeline;
    struct selection selection;
    struct timeline_search *search;
};

// Matches each name once and caches the result, however many items have the name.
static bool key_matches(const struct searching *searching, const struct lane *lane, uint32_t key)
{
    const struct profile *profile = searching->timeline->profile;
    struct timeline_search *search = searching->search;
    string_id name = lane_key_name(profile, &searching->selection, lane, key);
    if (search->matches[name] == MATCH_UNKNOWN) {
        const char *text = profile_text(profile, name);
        bool is_match = pattern_match(search->pattern, text, strlen(text));
        search->matches[name] = is_match ? MATCH_YES : MATCH_NO;
    }
    return search->matches[name] == MATCH_YES;
}

static uint64_t lane_matches(const struct searching *searching, size_t l)
{
    const struct lane *lane = &searching->timeline->lanes[l];
    uint64_t count = 0;
    if (!lane_is_selected(searching->timeline, &searching->selection, l))
        return 0;
    for (uint32_t i = 0; i < lane->name_count; i++)
        if (key_matches(searching, lane, lane->names[i].key))
            count += lane->names[i].count;
    return count;
}

struct moment { // position of an item; matches are ordered by time, lane, item
    int64_t time;
    struct lane_item at;
};

static bool is_before(const struct moment *a, const struct moment *b)
{
    if (a->time != b->time)
        return a->time < b->time;
    return a->at.lane != b->at.lane ? a->at.lane < b->at.lane : a->at.item < b->at.item;
}

// Finds the nearest match of a lane after `from` (before it if direction < 0) and stores it in
// `best` if it is nearer. Returns false if there is none.
static bool lane_match(const struct searching *searching, size_t l, const struct moment *from,
                       int direction, struct moment *best, bool has_best)
{
    const struct lane *lane = &searching->timeline->lanes[l];
    uint32_t item = direction > 0 ? lane_after(lane, from->time) : lane_before(lane, from->time);
    for (; item<lane->count; item += direction> 0 ? 1 : UINT32_MAX) {
        struct moment here = {lane_start(lane, item), {l, item}};
        if (direction > 0 ? !is_before(from, &here) : !is_before(&here, from))
            continue;
        if (has_best && (direction > 0 ? !is_before(&here, best) : !is_before(best, &here)))
            return false;
        if (key_matches(searching, lane, lane_key(searching->timeline->profile, lane, item))) {
            *best = here;
            return true;
        }
    }
    return false;
}

static bool next_match(const struct searching *searching, const struct moment *from, int direction,
                       struct moment *best)
{
    bool has_best = false;
    for (size_t l = 0; l < searching->timeline->count; l++)
        if (lane_matches(searching, l) > 0) // skips lanes without any match
            has_best |= lane_match(searching, l, from, direction, best, has_best);
    return has_best;
}

// Returns the position from which the search begins: the chosen item, in the lane of its stream, or
// else the edge of the window.
static struct moment search_start(struct view *view, const struct timeline *timeline, int direction)
{
    const struct timeline_state *state = view->state;
    const struct lane *lane = timeline_lane(state, timeline);
    struct timeline_span span;
    struct moment now = {direction > 0 ? state->from : state->to, {0, 0}};
    if (!timeline_chosen(view, timeline, &span))
        return now;
    now = (struct moment){span.from, state->at};
    if (!state->is_gap && lane->kind == LANE_DEVICE)
        timeline_find(timeline, TABLE_WORK, lane_row(lane, state->at.item), &now.at);
    return now;
}

void timeline_next_match(struct view *view, const struct timeline *timeline, int direction)
{
    struct timeline_state *state = view->state;
    struct searching searching = {timeline, view_selection(view), &state->search};
    struct moment from = search_start(view, timeline, direction), best;
    if (!state->search.pattern) {
        host_say(view->app, "nothing is searched for: {search} begins");
        return;
    }
    bool is_found = next_match(&searching, &from, direction, &best);
    if (!is_found) { // continue from the other end
        from = (struct moment){direction > 0 ? INT64_MIN : INT64_MAX,
                               {direction > 0 ? 0 : SIZE_MAX, ROW_NONE}};
        is_found = next_match(&searching, &from, direction, &best);
        if (is_found)
            host_say(view->app, direction > 0 ? "from the beginning" : "from the end");
        else
            host_say(view->app, "not found: %s", state->search.text);
    }
    if (!is_found)
        return;
    state->at.lane = best.at.lane;
    timeline_choose(view, timeline, best.at.item);
}

bool timeline_search(struct view *view, const char *text, struct error *error)
{
    struct timeline_state *state = view->state;
    struct timeline_lines lines = timeline_lines_of(view);
    timeline_settle(view, &lines);
    struct timeline_search found = {.pattern = pattern_new(text, PATTERN_SMART, error)};
    if (!found.pattern)
        return false;
    found.matches = calloc((size_t)strings_count(host_profile(view->app)->strings) + 1, 1);
    if (!found.matches) {
        timeline_search_end(&found);
        return error_set(error, ERROR_MEMORY, "out of memory");
    }
    snprintf(found.text, sizeof found.text, "%s", text);
    timeline_search_end(&state->search);
    state->search = found;
    struct searching searching = {lines.timeline, view_selection(view), &state->search};
    uint64_t count = 0;
    char number[FORMAT_SIZE];
    for (size_t l = 0; l < lines.timeline->count; l++)
        count += lane_matches(&searching, l);
    if (count == 0) {
        host_say(view->app, "not found: %s", text);
        return true;
    }
    timeline_next_match(view, lines.timeline, 1);
    host_say(view->app, "%s found, in order of time; {next-match} and {previous-match} go on",
             format_count(number, (int64_t)count));
    return true;
}
