// SPDX-License-Identifier: Apache-2.0
// Finds the program line that makes each API call.
//
// Terms:
// - chain: the recorded frames of a call or range, innermost first (profile.frames);
// - stack: a call stack as the text of a marker (traceMarker of DLProf and PyProf);
// - place: the text of a program line, such as "model.py:12 forward";
// - route: the place of the innermost frame that is not in a library (rules/frames.yaml), and the
//   program's frames that called it (struct call_route).
//
// The first of these sources that has a frame of the program gives the route:
// 1. the chain of the call, or else of its innermost enclosing range with a chain;
// 2. for a call in a backward: the chain of its forward op; the place says so;
// 3. the stack of the innermost enclosing range with a stack;
// 4. the stack of the call's op, which a backward op shares with its forward op.
#include <string.h>

#include "base/id_map.h"
#include "base/scratch.h"
#include "base/sort.h"
#include "model/derive/derive.h"
#include "model/markers/markers.h"
#include "model/ops/backward_pairs.h"
#include "model/ops/ops.h"
#include "model/rules/frame_classifier.h"
#include "model/rules/frame_text.h"
#include "model/rules/rules.h"

enum { MAX_CALLERS = 6 };

struct call_place_state {
    struct profile *profile;
    struct arena *scratch;
    struct arena *text_arena; // reset after each frame
    struct frame_classifier classifier;
    struct id_map frame_rows; // (symbol, module) -> row of `texts`
    size_t count, capacity;
    string_id *texts;          // place of a frame; STRING_NONE: a library frame
    struct call_route *routes; // by first row of a chain
    bool *has_route;           // routes[i] has been computed
    // For traces that record where ops were called: the chain of each range, and, for ranges in a
    // backward node, the forward range + 1. NULL: not recorded.
    uint32_t *chains, *forward_ranges;
    struct id_map forward_places; // place -> the same place with " (its forward)"
    struct id_map stacks;         // stack -> row of stack_routes
    size_t stack_count, stack_capacity;
    struct call_route *stack_routes;
    string_id last_stack; // cache of the last lookup in `stacks`
    struct call_route last_route;
    size_t line_count, line_capacity;
    struct program_line *lines; // one for each (symbol, module) in the program
};

// ---- frames ------------------------------------------------------------------------------------

static string_id frame_place(struct call_place_state *state, string_id symbol, string_id module)
{
    const struct profile *profile = state->profile;
    uint32_t *slot = id_map_slot(&state->frame_rows, (struct id_key){symbol, module, 0});
    if (*slot)
        return state->texts[*slot - 1];
    *slot = (uint32_t)state->count + 1;
    string_id *text = &ARENA_PUSH(state->scratch, state->texts, state->count, state->capacity);
    *text = STRING_NONE;
    const char *name = profile_text(profile, symbol), *file = profile_text(profile, module);
    if ((*name || *file) && !frame_is_library(&state->classifier, symbol, module)) {
        struct program_line line = {
            .text =
                strings_intern_text(profile->strings, frame_text(name, file, state->text_arena))};
        struct frame_file found = frame_file_of(name, file, state->text_arena);
        line.line = found.line;
        if (found.line)
            line.file = strings_intern(profile->strings, found.path, found.length);
        state->texts[*slot - 1] = line.text;
        ARENA_PUSH(state->scratch, state->lines, state->line_count, state->line_capacity) = line;
    }
    arena_reset(state->text_arena);
    return *text;
}

struct frame_walk { // a route under construction, while the frames are read, innermost first
    struct call_place_state *state;
    struct call_route route;
    char callers[MAX_CALLERS * (FRAME_COLUMNS * 4 + 4)];
    size_t length;
    int count;
};

// Adds a frame. Returns false if no further frame is needed.
static bool walk_frame(struct frame_walk *walk, string_id symbol, string_id module)
{
    const struct profile *profile = walk->state->profile;
    string_id text = frame_place(walk->state, symbol, module);
    if (text == STRING_NONE)
        return true;
    if (walk->route.place == STRING_NONE) {
        walk->route.place = text;
        return true;
    }
    size_t size = strings_length(profile->strings, text), sign = walk->count ? 3 : 0;
    if (walk->length + sign + size >= sizeof walk->callers)
        return false;
    memcpy(walk->callers + walk->length, " < ", sign);
    memcpy(walk->callers + walk->length + sign, profile_text(profile, text), size);
    walk->length += sign + size;
    return ++walk->count < MAX_CALLERS;
}

static struct call_route walk_end(struct frame_walk *walk)
{
    if (walk->length)
        walk->route.callers =
            strings_intern(walk->state->profile->strings, walk->callers, walk->length);
    return walk->route;
}

// ---- chains ------------------------------------------------------------------------------------

static struct call_route route_of_chain(struct call_place_state *state, uint32_t first)
{
    const struct frames *frames = &state->profile->frames;
    struct frame_walk walk = {.state = state};
    for (uint32_t row = first; row < frames->count && frames->chain[row] == frames->chain[first];
         row++)
        if (!walk_frame(&walk, frames->symbol[row], frames->module[row]))
            break;
    return walk_end(&walk);
}

// Returns the first row of a chain, or ROW_NONE if the file lacks it.
static uint32_t chain_first(const struct frames *frames, uint32_t chain)
{
    uint32_t low = 0, high = frames->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (frames->chain[middle] < chain)
            low = middle + 1;
        else
            high = middle;
    }
    return low < frames->count && frames->chain[low] == chain ? low : ROW_NONE;
}

static bool has_range_chains(const struct profile *profile)
{
    for (uint32_t i = 0; i < profile->ranges.label_count; i++)
        if (profile->ranges.labels[i].chain)
            return true;
    return false;
}

// Returns per range its chain, or else the chain of the innermost enclosing range with one.
static uint32_t *range_chains(const struct profile *profile, struct arena *scratch)
{
    const struct ranges *ranges = &profile->ranges;
    uint32_t *chains = ARENA_ARRAY(scratch, uint32_t, ranges->count);
    for (uint32_t i = 0; i < ranges->count; i++) {
        chains[i] = range_label(ranges, i)->chain;
        if (!chains[i] && AT(ranges->parent, i) != ROW_NONE)
            chains[i] = chains[AT(ranges->parent, i)];
    }
    return chains;
}

static struct call_route chain_route(struct call_place_state *state, uint32_t chain)
{
    uint32_t first = chain ? chain_first(&state->profile->frames, chain) : ROW_NONE;
    if (first == ROW_NONE)
        return (struct call_route){0};
    if (!state->has_route[first])
        state->routes[first] = route_of_chain(state, first);
    state->has_route[first] = true;
    return state->routes[first];
}

static struct call_route call_route(struct call_place_state *state, uint32_t call)
{
    const struct profile *profile = state->profile;
    uint32_t chain = HAS(profile->api.callchain) ? AT(profile->api.callchain, call) : 0;
    uint32_t range = AT(profile->api.range, call);
    if (!chain && state->chains && range != ROW_NONE)
        chain = state->chains[range];
    return chain_route(state, chain);
}

// Returns "model.py:12 forward (its forward)" for a place, and copies its entry in `lines`.
static string_id forward_place(struct call_place_state *state, string_id place)
{
    static const char suffix[] = " (its forward)";
    uint32_t *slot = id_map_slot(&state->forward_places, (struct id_key){place, 0, 0});
    if (*slot)
        return *slot - 1;
    const char *text =
        arena_format(state->text_arena, "%s%s", profile_text(state->profile, place), suffix);
    string_id of_forward = strings_intern_text(state->profile->strings, text);
    arena_reset(state->text_arena);
    *slot = of_forward + 1;
    for (size_t i = 0, count = state->line_count; i < count; i++) {
        struct program_line line = state->lines[i];
        if (line.text != place)
            continue;
        line.text = of_forward;
        ARENA_PUSH(state->scratch, state->lines, state->line_count, state->line_capacity) = line;
    }
    return of_forward;
}

// Returns the route of the forward op of a backward call, whose own thread has no program lines.
static struct call_route forward_route(struct call_place_state *state, uint32_t call)
{
    uint32_t range = AT(state->profile->api.range, call);
    uint32_t forward =
        range != ROW_NONE && state->forward_ranges ? state->forward_ranges[range] : 0;
    if (!forward)
        return (struct call_route){0};
    struct call_route route = chain_route(state, state->chains[forward - 1]);
    if (route.place != STRING_NONE)
        route.place = forward_place(state, route.place);
    return route;
}

// ---- call stacks in markers --------------------------------------------------------------------

// Returns the route of a stack, whose lines are frames, the innermost last.
static struct call_route route_of_stack(struct call_place_state *state, string_id stack)
{
    struct strings *strings = state->profile->strings;
    struct frame_walk walk = {.state = state};
    size_t end = strings_length(strings, stack);
    for (bool needs_more = true; needs_more && end > 0;) {
        const char *text = strings_text(strings, stack);
        size_t from = end;
        while (from > 0 && text[from - 1] != '\n')
            from--;
        needs_more =
            walk_frame(&walk, STRING_NONE, strings_intern(strings, text + from, end - from));
        end = from ? from - 1 : 0;
    }
    return walk_end(&walk);
}

static struct call_route stack_route(struct call_place_state *state, string_id stack)
{
    if (stack == STRING_NONE)
        return (struct call_route){0};
    if (stack == state->last_stack) // consecutive calls often belong to one op
        return state->last_route;
    uint32_t *slot = id_map_slot(&state->stacks, (struct id_key){stack, 0, 0});
    if (!*slot) {
        *slot = (uint32_t)state->stack_count + 1;
        ARENA_PUSH(state->scratch, state->stack_routes, state->stack_count, state->stack_capacity) =
            route_of_stack(state, stack);
    }
    state->last_stack = stack;
    state->last_route = state->stack_routes[*slot - 1];
    return state->last_route;
}

static bool has_stacks(const struct profile *profile)
{
    for (uint32_t i = 0; i < profile->marker_count; i++)
        if (profile->markers[i].stack != STRING_NONE)
            return true;
    return false;
}

// Returns per range its stack, or else the stack of the innermost enclosing range with one.
static string_id *range_stacks(const struct profile *profile, struct arena *scratch)
{
    const struct ranges *ranges = &profile->ranges;
    string_id *stacks = ARENA_ARRAY(scratch, string_id, ranges->count);
    for (uint32_t i = 0; i < ranges->count; i++) {
        stacks[i] = profile->markers[ranges->labels[AT(ranges->label, i)].marker].stack;
        if (stacks[i] == STRING_NONE && AT(ranges->parent, i) != ROW_NONE)
            stacks[i] = stacks[AT(ranges->parent, i)];
    }
    return stacks;
}

// Returns the route by the stack of the enclosing ranges, or else of the call's op.
static struct call_route marker_route(struct call_place_state *state, const string_id *stacks,
                                      uint32_t call)
{
    const struct profile *profile = state->profile;
    uint32_t range = AT(profile->api.range, call);
    struct call_route route =
        stack_route(state, range != ROW_NONE ? stacks[range] : (string_id)STRING_NONE);
    if (route.place == STRING_NONE && profile->ops)
        route = stack_route(
            state,
            profile->ops->items[AT(profile->ops->op, AT(profile->api.instance, call))].stack);
    return route;
}

// ---- all calls ---------------------------------------------------------------------------------

static int compare_lines(const void *context, uint32_t a, uint32_t b)
{
    const struct program_line *lines = context;
    return (lines[a].text > lines[b].text) - (lines[a].text < lines[b].text);
}

// Stores the lines sorted by text. Equal texts become one line, whose file is unknown if they
// differ in file or number.
static void store_lines(struct call_place_state *state, struct arena *scratch)
{
    struct profile *profile = state->profile;
    uint32_t *order = ARENA_ARRAY(scratch, uint32_t, state->line_count + 1);
    for (uint32_t i = 0; i < state->line_count; i++)
        order[i] = i;
    sort_ids(order, state->line_count, compare_lines, state->lines, scratch);
    profile->lines = ARENA_ARRAY(profile->arena, struct program_line, state->line_count + 1);
    profile->line_count = 0;
    for (size_t i = 0; i < state->line_count; i++) {
        const struct program_line *line = &state->lines[order[i]];
        uint32_t count = profile->line_count;
        struct program_line *last = count ? &profile->lines[count - 1] : NULL;
        if (!last || last->text != line->text)
            profile->lines[profile->line_count++] = *line;
        else if (last->file != line->file || last->line != line->line)
            last->file = STRING_NONE;
    }
}

static void find_all_routes(void *context, struct arena *scratch, struct arena *text_arena)
{
    struct call_place_state *state = context;
    state->text_arena = text_arena;
    struct profile *profile = state->profile;
    uint32_t rows = profile->frames.count;
    state->scratch = state->classifier.arena = state->frame_rows.arena = state->stacks.arena =
        state->forward_places.arena = scratch;
    state->routes = ARENA_ARRAY(scratch, struct call_route, rows);
    state->has_route = ARENA_ARRAY(scratch, bool, rows);
    string_id *stacks = has_stacks(profile) ? range_stacks(profile, scratch) : NULL;
    if (has_range_chains(profile)) {
        state->chains = range_chains(profile, scratch);
        state->forward_ranges = backward_pairs(profile, true, scratch);
    }
    if (state->forward_ranges)
        backward_pair_descendants(profile, state->forward_ranges);
    struct tuples routes; // (place, callers)
    tuples_open(&routes, scratch, 2);
    tuples_put(&routes, (const int64_t[2]){STRING_NONE, STRING_NONE});
    uint32_t *route_of = ARENA_ARRAY(scratch, uint32_t, profile->api.count), row = 0;
    struct call_route last = {STRING_NONE, STRING_NONE};
    for (uint32_t call = 0; call < profile->api.count; call++) {
        struct call_route route = call_route(state, call);
        if (route.place == STRING_NONE)
            route = forward_route(state, call);
        if (route.place == STRING_NONE && stacks)
            route = marker_route(state, stacks, call);
        if (route.place != last.place || route.callers != last.callers)
            row = tuples_put(&routes, (const int64_t[2]){route.place, route.callers});
        last = route;
        route_of[call] = row;
    }
    profile->api.route = profile_pack32(profile, route_of, profile->api.count);
    profile->api.routes = ARENA_ARRAY(profile->arena, struct call_route, routes.count);
    for (uint32_t i = 0; i < routes.count; i++) {
        const int64_t *key = tuples_key(&routes, i);
        profile->api.routes[i] = (struct call_route){(string_id)key[0], (string_id)key[1]};
    }
    store_lines(state, scratch);
}

void profile_place_calls(struct profile *profile)
{
    struct call_place_state state = {.profile = profile, .classifier = {.profile = profile}};
    bool has_chains =
        profile->frames.count && (HAS(profile->api.callchain) || has_range_chains(profile));
    if (!has_chains && !has_stacks(profile))
        return;
    scratch_run_two(profile->arena, find_all_routes, &state);
}

void profile_note_chains(struct profile *profile)
{
    if (!profile->frames.count && profile->api.count)
        profile_note(profile, NOTE_INFO, "no_callchains", 0,
                     "--cudabacktrace=all --python-backtrace=cuda",
                     "call chains of CUDA calls were not captured: source lines are %s",
                     HAS(profile->api.route) ? "those in markers" : "not known");
}
