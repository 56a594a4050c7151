// SPDX-License-Identifier: Apache-2.0
#include "model/ops/graph_match.h"

#include "base/search.h"
#include "base/tuples.h"
#include "model/ops/graph_order.h"

const char *const capture_lack_texts[CAPTURE_LACKS] = {
    [CAPTURE_KNOWN] = "",
    [CAPTURE_UNSEEN] = "the graph was captured before the trace begins",
    [CAPTURE_UNFIT] = "no capture in the trace has as many launches of these kinds",
    [CAPTURE_AMBIGUOUS] = "several captures in the trace fit, and differ in what they ran",
    [CAPTURE_UNORDERED] = "the graph has branches, and nothing tells the order of its nodes",
};

// How much is told: of a launch, and of work. All kernels of one capture, or replay, tell as much.
enum telling { TELLS_KIND, TELLS_KERNEL, TELLS_GRID, TELLINGS };

enum { NO_SEQUENCE = -1 };

// Captures that a replay which tells so much cannot tell apart, by end.
struct alike {
    uint32_t first, count; // of `members`
    uint32_t same;         // the first so many say the same of each launch
};

struct matching {
    struct graph_match *match;
    struct arena *arena;
    struct graph_streams streams;
    struct tuples steps;   // step before it, kind, kernel, grid: the last one tells a sequence
    struct tuples places;  // sequence of places before it, place
    struct tuples runs;    // process, id of the graph or 0, sequence of what was replayed: a graph
    int64_t *run_first;    // of runs: time of the first replay
    struct tuples keys;    // process, how much the captures tell, sequence: row of alike
    struct tuples taken;   // row of alike, row of runs that is of one of these captures
    uint32_t *taken_count; // of rows of alike
    struct alike *alike;
    uint32_t *members;       // rows of captures
    int64_t *ends;           // of members
    struct tuples processes; // that captured
    int64_t *first_end;      // of processes: of their first capture
};

static enum telling less(enum telling a, enum telling b)
{
    return a < b ? a : b;
}

// ---- sequences ---------------------------------------------------------------------------------

static enum telling telling_of(int64_t kernel, int64_t grid)
{
    return kernel < 0 ? TELLS_KIND : grid < 0 ? TELLS_KERNEL : TELLS_GRID;
}

static enum telling nodes_tell(const struct graph_node *nodes, uint32_t count)
{
    enum telling all = TELLS_GRID;
    for (uint32_t i = 0; i < count; i++)
        if (nodes[i].kind == WORK_KERNEL)
            all = less(all, telling_of(nodes[i].kernel, nodes[i].grid));
    return all;
}

static int64_t sequence_of(struct matching *matching, const struct graph_node *nodes,
                           uint32_t count, enum telling telling)
{
    int64_t sequence = NO_SEQUENCE;
    for (uint32_t i = 0; i < count; i++) {
        bool is_kernel = nodes[i].kind == WORK_KERNEL;
        int64_t key[4] = {
            sequence,
            nodes[i].kind,
            is_kernel && telling >= TELLS_KERNEL ? nodes[i].kernel : -1,
            is_kernel && telling >= TELLS_GRID ? nodes[i].grid : -1,
        };
        sequence = tuples_put(&matching->steps, key);
    }
    return sequence;
}

static int64_t places_sequence(struct matching *matching, const struct graph_node *launches,
                               uint32_t count)
{
    int64_t sequence = NO_SEQUENCE;
    for (uint32_t i = 0; i < count; i++)
        sequence = tuples_put(&matching->places, (int64_t[2]){sequence, launches[i].place});
    return sequence;
}

// ---- captures that are alike -------------------------------------------------------------------

static int64_t alike_mark(enum telling captures, enum telling replay)
{
    return captures * TELLINGS + less(captures, replay);
}

// Does something with each (capture, how much a replay may tell of what it tells).
static void each_member(struct matching *matching,
                        void (*each)(struct matching *matching, uint32_t row, uint32_t capture))
{
    const struct graph_match *match = matching->match;
    for (uint32_t c = 0; c < match->capture_count; c++) {
        const struct graph_capture *capture = &match->captures[c];
        if (capture->is_mixed || !capture->count)
            continue;
        const struct graph_node *launches = match->launches + capture->first;
        enum telling told = nodes_tell(launches, capture->count);
        for (enum telling telling = TELLS_KIND; telling <= told; telling++) {
            int64_t key[3] = {capture->process, alike_mark(told, telling),
                              sequence_of(matching, launches, capture->count, telling)};
            each(matching, tuples_put(&matching->keys, key), c);
        }
    }
}

static void count_member(struct matching *matching, uint32_t row, uint32_t capture)
{
    (void)capture;
    matching->alike[row].count++;
}

// Captures come by end. As long as each says the same as the first, all do.
static void put_member(struct matching *matching, uint32_t row, uint32_t c)
{
    const struct graph_match *match = matching->match;
    struct alike *alike = &matching->alike[row];
    uint32_t *members = matching->members + alike->first;
    const struct graph_capture *capture = &match->captures[c];
    members[alike->count] = c;
    matching->ends[alike->first + alike->count] = capture->end;
    const struct graph_capture *first = &match->captures[members[0]];
    if (alike->same == alike->count &&
        places_sequence(matching, match->launches + first->first, first->count) ==
            places_sequence(matching, match->launches + capture->first, capture->count))
        alike->same++;
    alike->count++;
}

// The first of a process by start is the first by end.
static void find_first_ends(struct matching *matching)
{
    const struct graph_match *match = matching->match;
    matching->first_end = ARENA_ARRAY(matching->arena, int64_t, (size_t)match->capture_count + 1);
    for (uint32_t c = 0; c < match->capture_count; c++) {
        const struct graph_capture *capture = &match->captures[c];
        uint32_t known = matching->processes.count;
        if (tuples_put(&matching->processes, (int64_t[1]){capture->process}) == known)
            matching->first_end[known] = capture->end;
    }
}

static void group_captures(struct matching *matching)
{
    size_t most = (size_t)matching->match->capture_count * TELLINGS + 1;
    matching->alike = ARENA_ARRAY(matching->arena, struct alike, most);
    matching->members = ARENA_ARRAY(matching->arena, uint32_t, most);
    matching->ends = ARENA_ARRAY(matching->arena, int64_t, most);
    each_member(matching, count_member);
    uint32_t next = 0;
    for (uint32_t i = 0; i < matching->keys.count; i++) {
        matching->alike[i].first = next;
        next += matching->alike[i].count;
        matching->alike[i].count = 0;
    }
    each_member(matching, put_member);
}

// ---- replays -----------------------------------------------------------------------------------

struct asking { // of a replay
    const struct graph_replay *replay;
    enum graph_order order;
    uint32_t run;
    // found
    uint32_t alike; // row, UINT32_MAX
    uint32_t capture;
    enum capture_lack lack;
};

static void ask(struct matching *matching, struct asking *asking, const struct graph_replay *replay)
{
    struct graph_node *work = matching->match->work + replay->first;
    enum graph_order order = graph_put_in_order(&matching->streams, work, replay->count);
    int64_t key[3] = {replay->process, replay->graph,
                      sequence_of(matching, work, replay->count, TELLS_GRID)};
    uint32_t known = matching->runs.count, run = tuples_put(&matching->runs, key);
    if (run == known || replay->time < matching->run_first[run])
        matching->run_first[run] = replay->time;
    *asking = (struct asking){replay, order, run, UINT32_MAX, ROW_NONE, CAPTURE_UNSEEN};
}

static bool has_capture_before(const struct matching *matching, const struct graph_replay *replay)
{
    uint32_t process = tuples_find(&matching->processes, (int64_t[1]){replay->process});
    return process != UINT32_MAX && matching->first_end[process] <= replay->time;
}

static uint32_t members_before(const struct matching *matching, const struct alike *alike,
                               int64_t time)
{
    return search_above(matching->ends + alike->first, 0, alike->count, time);
}

static enum capture_lack take(const struct matching *matching, struct asking *asking, uint32_t row,
                              uint32_t count)
{
    const struct graph_match *match = matching->match;
    const struct alike *alike = &matching->alike[row];
    const uint32_t *members = matching->members + alike->first;
    if (asking->alike != UINT32_MAX || count > alike->same)
        return CAPTURE_AMBIGUOUS;
    // A graph of the same work is older than the first of them: it may be that one.
    if (matching->run_first[asking->run] < match->captures[members[0]].end)
        return CAPTURE_UNSEEN;
    asking->alike = row;
    asking->capture = members[count - 1]; // all say the same: the last one before it
    bool is_known =
        asking->order == ORDER_OF_NODES || !match->captures[asking->capture].has_branches;
    return is_known ? CAPTURE_KNOWN : CAPTURE_UNORDERED;
}

static void find_capture(struct matching *matching, struct asking *asking)
{
    const struct graph_match *match = matching->match;
    const struct graph_replay *replay = asking->replay;
    const struct graph_node *work = match->work + replay->first;
    enum telling told = nodes_tell(work, replay->count);
    if (!has_capture_before(matching, replay))
        return;
    asking->lack = asking->order == ORDER_UNKNOWN ? CAPTURE_UNORDERED : CAPTURE_UNFIT;
    for (enum telling telling = TELLS_KIND;
         asking->order != ORDER_UNKNOWN && telling < TELLINGS && asking->lack != CAPTURE_AMBIGUOUS;
         telling++) {
        int64_t key[3] = {replay->process, alike_mark(telling, told),
                          sequence_of(matching, work, replay->count, less(telling, told))};
        uint32_t row = tuples_find(&matching->keys, key);
        uint32_t count =
            row == UINT32_MAX ? 0 : members_before(matching, &matching->alike[row], replay->time);
        if (count)
            asking->lack = take(matching, asking, row, count);
    }
    uint32_t known = matching->taken.count;
    if (asking->lack == CAPTURE_KNOWN &&
        tuples_put(&matching->taken, (int64_t[2]){asking->alike, asking->run}) == known)
        matching->taken_count[asking->alike]++;
}

// A capture makes one graph: of more graphs than captures nothing tells which are theirs.
static bool is_taken_too_often(const struct matching *matching, const struct asking *asking)
{
    return asking->lack == CAPTURE_KNOWN &&
           matching->taken_count[asking->alike] > matching->alike[asking->alike].count;
}

void graph_match_find(struct graph_match *match, struct arena *arena)
{
    struct matching matching = {.match = match, .arena = arena};
    size_t count = match->replay_count;
    tuples_open(&matching.steps, arena, 4);
    tuples_open(&matching.places, arena, 2);
    tuples_open(&matching.runs, arena, 3);
    tuples_open(&matching.keys, arena, 3);
    tuples_open(&matching.taken, arena, 2);
    tuples_open(&matching.processes, arena, 1);
    matching.streams = graph_streams_open(match, arena);
    matching.run_first = ARENA_ARRAY(arena, int64_t, count + 1);
    match->capture_of = ARENA_ARRAY(arena, uint32_t, count + 1);
    match->lack = ARENA_ARRAY(arena, enum capture_lack, count + 1);
    find_first_ends(&matching);
    group_captures(&matching);
    matching.taken_count = ARENA_ARRAY(arena, uint32_t, (size_t)matching.keys.count + 1);
    struct asking *asking = ARENA_ARRAY(arena, struct asking, count + 1);
    for (size_t i = 0; i < count; i++)
        ask(&matching, &asking[i], &match->replays[i]);
    for (size_t i = 0; i < count; i++)
        find_capture(&matching, &asking[i]);
    for (size_t i = 0; i < count; i++) {
        match->lack[i] =
            is_taken_too_often(&matching, &asking[i]) ? CAPTURE_AMBIGUOUS : asking[i].lack;
        match->capture_of[i] = match->lack[i] == CAPTURE_KNOWN ? asking[i].capture : ROW_NONE;
    }
}
