// SPDX-License-Identifier: Apache-2.0
// Which line of the program an API call comes from: the innermost frame of its call chain that is
// of no library (rules/frames.yaml), and the program's frames that led there. Of a call without a
// chain that of the range around it, of a backward that of its forward op, which the text says; of one
// without, or with one of libraries alone, the same of the call stack in the marker around it (DLProf's
// and PyProf's traceMarker); else of the one of its op, which a backward has of its forward.
#include <string.h>

#include "base/id_map.h"
#include "base/scratch.h"
#include "base/sort.h"
#include "model/derive/derive.h"
#include "model/markers/markers.h"
#include "model/ops/backward_pairs.h"
#include "model/ops/ops.h"
#include "model/rules/frame_judge.h"
#include "model/rules/frame_text.h"
#include "model/rules/rules.h"

enum { CALLERS_MOST = 6 };

struct placing {
    struct profile *profile;
    struct arena *scratch;
    struct arena *words; // emptied after each frame
    struct frame_judge judge;
    struct id_map known; // frame texts by (symbol, module)
    size_t count, capacity;
    string_id *texts;          // STRING_NONE: of a library
    struct call_route *routes; // by the first row of a chain
    bool *is_done;             // ...
    // Of traces that tell where ops were called: the chain of each range, and for what runs in a backward
    // node its forward range + 1. NULL: there are none.
    uint32_t *chains, *forward;
    struct id_map forwards; // places of the forward + 1 by the place
    struct id_map stacks;   // rows of stack_routes by the text of a marker's call stack
    size_t stack_count, stack_capacity;
    struct call_route *stack_routes;
    string_id last_stack; // the last that was asked for, and what it was
    struct call_route last_route;
    size_t line_count, line_capacity;
    struct program_line *lines; // of each pair of symbol and module that is of the program
};

// ---- frames ------------------------------------------------------------------------------------

static string_id frame_place(struct placing *placing, string_id symbol, string_id module)
{
    const struct profile *profile = placing->profile;
    uint32_t *slot = id_map_slot(&placing->known, (struct id_key){symbol, module, 0});
    if (*slot)
        return placing->texts[*slot - 1];
    *slot = (uint32_t)placing->count + 1;
    string_id *text =
        &ARENA_PUSH(placing->scratch, placing->texts, placing->count, placing->capacity);
    *text = STRING_NONE;
    const char *name = profile_text(profile, symbol), *file = profile_text(profile, module);
    if ((*name || *file) && !frame_is_library(&placing->judge, symbol, module)) {
        struct program_line line = {
            .text = strings_intern_text(profile->strings, frame_text(name, file, placing->words))};
        struct frame_file found = frame_file_of(name, file, placing->words);
        line.line = found.line;
        if (found.line)
            line.file = strings_intern(profile->strings, found.path, found.length);
        placing->texts[*slot - 1] = line.text;
        ARENA_PUSH(placing->scratch, placing->lines, placing->line_count, placing->line_capacity) =
            line;
    }
    arena_reset(placing->words);
    return *text;
}

struct walk { // along frames, the innermost first
    struct placing *placing;
    struct call_route route;
    char callers[CALLERS_MOST * (FRAME_COLUMNS * 4 + 4)];
    size_t length;
    int count;
};

// False: that is enough.
static bool walk_frame(struct walk *walk, string_id symbol, string_id module)
{
    const struct profile *profile = walk->placing->profile;
    string_id text = frame_place(walk->placing, symbol, module);
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
    return ++walk->count < CALLERS_MOST;
}

static struct call_route walk_end(struct walk *walk)
{
    if (walk->length)
        walk->route.callers =
            strings_intern(walk->placing->profile->strings, walk->callers, walk->length);
    return walk->route;
}

// ---- chains ------------------------------------------------------------------------------------

static struct call_route place_chain(struct placing *placing, uint32_t first)
{
    const struct frames *frames = &placing->profile->frames;
    struct walk walk = {.placing = placing};
    for (uint32_t row = first; row < frames->count && frames->chain[row] == frames->chain[first];
         row++)
        if (!walk_frame(&walk, frames->symbol[row], frames->module[row]))
            break;
    return walk_end(&walk);
}

// The first row of a chain; ROW_NONE: the file lacks it.
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

// The chain that each range began in: its own or that of the innermost one around it.
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

static struct call_route chain_route(struct placing *placing, uint32_t chain)
{
    uint32_t first = chain ? chain_first(&placing->profile->frames, chain) : ROW_NONE;
    if (first == ROW_NONE)
        return (struct call_route){0};
    if (!placing->is_done[first])
        placing->routes[first] = place_chain(placing, first);
    placing->is_done[first] = true;
    return placing->routes[first];
}

static struct call_route call_route(struct placing *placing, uint32_t call)
{
    const struct profile *profile = placing->profile;
    uint32_t chain = HAS(profile->api.callchain) ? AT(profile->api.callchain, call) : 0;
    uint32_t range = AT(profile->api.range, call);
    if (!chain && placing->chains && range != ROW_NONE)
        chain = placing->chains[range];
    return chain_route(placing, chain);
}

// "model.py:12 forward (its forward)": a place of its own, in the same line of the file.
static string_id forward_place(struct placing *placing, string_id place)
{
    static const char words[] = " (its forward)";
    uint32_t *slot = id_map_slot(&placing->forwards, (struct id_key){place, 0, 0});
    if (*slot)
        return *slot - 1;
    const char *text =
        arena_format(placing->words, "%s%s", profile_text(placing->profile, place), words);
    string_id of_forward = strings_intern_text(placing->profile->strings, text);
    arena_reset(placing->words);
    *slot = of_forward + 1;
    for (size_t i = 0, count = placing->line_count; i < count; i++) {
        struct program_line line = placing->lines[i];
        if (line.text != place)
            continue;
        line.text = of_forward;
        ARENA_PUSH(placing->scratch, placing->lines, placing->line_count, placing->line_capacity) =
            line;
    }
    return of_forward;
}

// A backward runs on a thread of its own, from no line of the program: that of its forward op.
static struct call_route forward_route(struct placing *placing, uint32_t call)
{
    uint32_t range = AT(placing->profile->api.range, call);
    uint32_t forward = range != ROW_NONE && placing->forward ? placing->forward[range] : 0;
    if (!forward)
        return (struct call_route){0};
    struct call_route route = chain_route(placing, placing->chains[forward - 1]);
    if (route.place != STRING_NONE)
        route.place = forward_place(placing, route.place);
    return route;
}

// ---- call stacks in markers --------------------------------------------------------------------

// Its lines are the frames, the innermost last.
static struct call_route place_stack(struct placing *placing, string_id stack)
{
    struct strings *strings = placing->profile->strings;
    struct walk walk = {.placing = placing};
    size_t end = strings_length(strings, stack);
    for (bool goes_on = true; goes_on && end > 0;) {
        const char *text = strings_text(strings, stack);
        size_t from = end;
        while (from > 0 && text[from - 1] != '\n')
            from--;
        goes_on = walk_frame(&walk, STRING_NONE, strings_intern(strings, text + from, end - from));
        end = from ? from - 1 : 0;
    }
    return walk_end(&walk);
}

static struct call_route stack_route(struct placing *placing, string_id stack)
{
    if (stack == STRING_NONE)
        return (struct call_route){0};
    if (stack == placing->last_stack) // calls of an op follow each other
        return placing->last_route;
    uint32_t *slot = id_map_slot(&placing->stacks, (struct id_key){stack, 0, 0});
    if (!*slot) {
        *slot = (uint32_t)placing->stack_count + 1;
        ARENA_PUSH(placing->scratch, placing->stack_routes, placing->stack_count,
                   placing->stack_capacity) = place_stack(placing, stack);
    }
    placing->last_stack = stack;
    placing->last_route = placing->stack_routes[*slot - 1];
    return placing->last_route;
}

static bool has_stacks(const struct profile *profile)
{
    for (uint32_t i = 0; i < profile->marker_count; i++)
        if (profile->markers[i].stack != STRING_NONE)
            return true;
    return false;
}

// The call stack at each range: its own or that of the innermost one around it.
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

static struct call_route marker_route(struct placing *placing, const string_id *stacks,
                                      uint32_t call)
{
    const struct profile *profile = placing->profile;
    uint32_t range = AT(profile->api.range, call);
    struct call_route route =
        stack_route(placing, range != ROW_NONE ? stacks[range] : (string_id)STRING_NONE);
    if (route.place == STRING_NONE && profile->ops)
        route = stack_route(
            placing,
            profile->ops->items[AT(profile->ops->op, AT(profile->api.instance, call))].stack);
    return route;
}

// ---- all calls ---------------------------------------------------------------------------------

static int compare_lines(const void *context, uint32_t a, uint32_t b)
{
    const struct program_line *lines = context;
    return (lines[a].text > lines[b].text) - (lines[a].text < lines[b].text);
}

// By text, each once.
static void keep_lines(struct placing *placing, struct arena *scratch)
{
    struct profile *profile = placing->profile;
    uint32_t *order = ARENA_ARRAY(scratch, uint32_t, placing->line_count + 1);
    for (uint32_t i = 0; i < placing->line_count; i++)
        order[i] = i;
    sort_ids(order, placing->line_count, compare_lines, placing->lines, scratch);
    profile->lines = ARENA_ARRAY(profile->arena, struct program_line, placing->line_count + 1);
    profile->line_count = 0;
    for (size_t i = 0; i < placing->line_count; i++) {
        const struct program_line *line = &placing->lines[order[i]];
        uint32_t count = profile->line_count;
        struct program_line *last = count ? &profile->lines[count - 1] : NULL;
        if (!last || last->text != line->text)
            profile->lines[profile->line_count++] = *line;
        else if (last->file != line->file || last->line != line->line)
            last->file = STRING_NONE;
    }
}

static void place_all(void *context, struct arena *scratch, struct arena *words)
{
    struct placing *placing = context;
    placing->words = words;
    struct profile *profile = placing->profile;
    uint32_t rows = profile->frames.count;
    placing->scratch = placing->judge.arena = placing->known.arena = placing->stacks.arena =
        placing->forwards.arena = scratch;
    placing->routes = ARENA_ARRAY(scratch, struct call_route, rows);
    placing->is_done = ARENA_ARRAY(scratch, bool, rows);
    string_id *stacks = has_stacks(profile) ? range_stacks(profile, scratch) : NULL;
    if (has_range_chains(profile)) {
        placing->chains = range_chains(profile, scratch);
        placing->forward = backward_pairs(profile, true, scratch);
    }
    if (placing->forward)
        backward_pair_below(profile, placing->forward);
    struct tuples routes; // (place, callers)
    tuples_open(&routes, scratch, 2);
    tuples_put(&routes, (const int64_t[2]){STRING_NONE, STRING_NONE});
    uint32_t *route_of = ARENA_ARRAY(scratch, uint32_t, profile->api.count), row = 0;
    struct call_route last = {STRING_NONE, STRING_NONE};
    for (uint32_t call = 0; call < profile->api.count; call++) {
        struct call_route route = call_route(placing, call);
        if (route.place == STRING_NONE)
            route = forward_route(placing, call);
        if (route.place == STRING_NONE && stacks)
            route = marker_route(placing, stacks, call);
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
    keep_lines(placing, scratch);
}

void profile_place_calls(struct profile *profile)
{
    struct placing placing = {.profile = profile, .judge = {.profile = profile}};
    bool has_chains =
        profile->frames.count && (HAS(profile->api.callchain) || has_range_chains(profile));
    if (!has_chains && !has_stacks(profile))
        return;
    scratch_run_two(profile->arena, place_all, &placing);
}

void profile_note_chains(struct profile *profile)
{
    if (!profile->frames.count && profile->api.count)
        profile_note(profile, NOTE_INFO, "no_callchains", 0,
                     "--cudabacktrace=all --python-backtrace=cuda",
                     "call chains of CUDA calls were not captured: source lines are %s",
                     HAS(profile->api.route) ? "those in markers" : "not known");
}

const char *call_place(const struct profile *profile, uint32_t call)
{
    string_id place = api_route(&profile->api, call).place;
    return place != STRING_NONE ? profile_text(profile, place) : NULL;
}

const struct program_line *profile_line(const struct profile *profile, string_id text)
{
    uint32_t low = 0, high = profile->line_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (profile->lines[middle].text < text)
            low = middle + 1;
        else
            high = middle;
    }
    return low < profile->line_count && profile->lines[low].text == text ? &profile->lines[low]
                                                                         : NULL;
}
