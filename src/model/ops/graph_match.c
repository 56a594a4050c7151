// SPDX-License-Identifier: Apache-2.0
// Matches replays of CUDA graphs with their captures (graph_match.h).
//
// Terms:
// - detail: how much of each kernel is recorded: only its kind, or also its name, or also its grid;
// - sequence: the number of a list of launches at one detail; equal lists have equal numbers;
// - group: the captures of a process with the same sequence at the detail that a replay records;
// - run: all replays with the same process, graph id and sequence, that is, of one graph;
// - place: number of the texts of the ranges around a launch (graph_node.place).
//
// A replay matches a group by its sequence. Its capture is the last member that ended before it,
// provided that all earlier members have the same places.
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

// How much a launch or a piece of work records. All kernels of one capture, or replay, record the
// same.
enum detail { DETAIL_KIND, DETAIL_KERNEL, DETAIL_GRID, DETAIL_LEVELS };

enum { NO_SEQUENCE = -1 };

struct capture_group {     // its captures are sorted by end
    uint32_t first, count; // rows of graph_matcher.members
    // Number of members, from the first on, that have the same places.
    uint32_t same_places;
};

struct graph_matcher {
    struct graph_match *match;
    struct arena *arena;
    struct graph_streams streams;
    // (previous row, kind, kernel, grid): the row of the last launch identifies a sequence.
    struct tuples sequence_steps;
    // (previous row, place): the last row identifies a sequence of places.
    struct tuples place_steps;
    struct tuples runs;         // (process, graph id or 0, sequence of the replay): one graph
    int64_t *first_replay_time; // of runs: time of the first replay
    struct tuples group_keys; // (process, detail of captures and replay, sequence) -> row of group
    struct tuples matched_runs; // (row of group, row of runs matched to it)
    uint32_t *matched_count;    // per row of group: number of such runs
    struct capture_group *groups;
    uint32_t *members;       // rows of captures
    int64_t *ends;           // per member
    struct tuples processes; // those that captured
    int64_t *first_end;      // per process: end of its first capture
};

static enum detail min_detail(enum detail a, enum detail b)
{
    return a < b ? a : b;
}

// ---- sequences ---------------------------------------------------------------------------------

static enum detail detail_of(int64_t kernel, int64_t grid)
{
    return kernel < 0 ? DETAIL_KIND : grid < 0 ? DETAIL_KERNEL : DETAIL_GRID;
}

static enum detail nodes_detail(const struct graph_node *nodes, uint32_t count)
{
    enum detail all = DETAIL_GRID;
    for (uint32_t i = 0; i < count; i++)
        if (nodes[i].kind == WORK_KERNEL)
            all = min_detail(all, detail_of(nodes[i].kernel, nodes[i].grid));
    return all;
}

static int64_t sequence_of(struct graph_matcher *matcher, const struct graph_node *nodes,
                           uint32_t count, enum detail level)
{
    int64_t sequence = NO_SEQUENCE;
    for (uint32_t i = 0; i < count; i++) {
        bool is_kernel = nodes[i].kind == WORK_KERNEL;
        int64_t key[4] = {
            sequence,
            nodes[i].kind,
            is_kernel && level >= DETAIL_KERNEL ? nodes[i].kernel : -1,
            is_kernel && level >= DETAIL_GRID ? nodes[i].grid : -1,
        };
        sequence = tuples_put(&matcher->sequence_steps, key);
    }
    return sequence;
}

static int64_t places_sequence(struct graph_matcher *matcher, const struct graph_node *launches,
                               uint32_t count)
{
    int64_t sequence = NO_SEQUENCE;
    for (uint32_t i = 0; i < count; i++)
        sequence = tuples_put(&matcher->place_steps, (int64_t[2]){sequence, launches[i].place});
    return sequence;
}

// ---- captures that are alike -------------------------------------------------------------------

static int64_t detail_pair(enum detail captures, enum detail replay)
{
    return captures * DETAIL_LEVELS + min_detail(captures, replay);
}

// Calls `visit` for every capture and every detail up to its own: a replay may record less. `row`
// is the row of the group.
static void visit_members(struct graph_matcher *matcher,
                          void (*visit)(struct graph_matcher *matcher, uint32_t row,
                                        uint32_t capture))
{
    const struct graph_match *match = matcher->match;
    for (uint32_t c = 0; c < match->capture_count; c++) {
        const struct graph_capture *capture = &match->captures[c];
        if (capture->is_mixed || !capture->count)
            continue;
        const struct graph_node *launches = match->launches + capture->first;
        enum detail recorded = nodes_detail(launches, capture->count);
        for (enum detail level = DETAIL_KIND; level <= recorded; level++) {
            int64_t key[3] = {capture->process, detail_pair(recorded, level),
                              sequence_of(matcher, launches, capture->count, level)};
            visit(matcher, tuples_put(&matcher->group_keys, key), c);
        }
    }
}

static void count_member(struct graph_matcher *matcher, uint32_t row, uint32_t capture)
{
    (void)capture;
    matcher->groups[row].count++;
}

// Adds a capture to its group; called in order of their ends. `same_places` is increased as long as
// all members so far have the same places as the first.
static void put_member(struct graph_matcher *matcher, uint32_t row, uint32_t c)
{
    const struct graph_match *match = matcher->match;
    struct capture_group *group = &matcher->groups[row];
    uint32_t *members = matcher->members + group->first;
    const struct graph_capture *capture = &match->captures[c];
    members[group->count] = c;
    matcher->ends[group->first + group->count] = capture->end;
    const struct graph_capture *first = &match->captures[members[0]];
    if (group->same_places == group->count &&
        places_sequence(matcher, match->launches + first->first, first->count) ==
            places_sequence(matcher, match->launches + capture->first, capture->count))
        group->same_places++;
    group->count++;
}

// Finds the first end per process: captures are not nested, so the first one to start ends first.
static void find_first_ends(struct graph_matcher *matcher)
{
    const struct graph_match *match = matcher->match;
    matcher->first_end = ARENA_ARRAY(matcher->arena, int64_t, (size_t)match->capture_count + 1);
    for (uint32_t c = 0; c < match->capture_count; c++) {
        const struct graph_capture *capture = &match->captures[c];
        uint32_t known = matcher->processes.count;
        if (tuples_put(&matcher->processes, (int64_t[1]){capture->process}) == known)
            matcher->first_end[known] = capture->end;
    }
}

static void group_captures(struct graph_matcher *matcher)
{
    size_t limit = (size_t)matcher->match->capture_count * DETAIL_LEVELS + 1;
    matcher->groups = ARENA_ARRAY(matcher->arena, struct capture_group, limit);
    matcher->members = ARENA_ARRAY(matcher->arena, uint32_t, limit);
    matcher->ends = ARENA_ARRAY(matcher->arena, int64_t, limit);
    visit_members(matcher, count_member);
    uint32_t next = 0;
    for (uint32_t i = 0; i < matcher->group_keys.count; i++) {
        matcher->groups[i].first = next;
        next += matcher->groups[i].count;
        matcher->groups[i].count = 0;
    }
    visit_members(matcher, put_member);
}

// ---- replays -----------------------------------------------------------------------------------

struct replay_query { // one replay
    const struct graph_replay *replay;
    enum graph_order order;
    uint32_t run;
    // found
    uint32_t group; // row of group; UINT32_MAX: not found
    uint32_t capture;
    enum capture_lack lack;
};

static void open_query(struct graph_matcher *matcher, struct replay_query *query,
                       const struct graph_replay *replay)
{
    struct graph_node *work = matcher->match->work + replay->first;
    enum graph_order order = graph_sort_nodes(&matcher->streams, work, replay->count);
    int64_t key[3] = {replay->process, replay->graph,
                      sequence_of(matcher, work, replay->count, DETAIL_GRID)};
    uint32_t known = matcher->runs.count, run = tuples_put(&matcher->runs, key);
    if (run == known || replay->time < matcher->first_replay_time[run])
        matcher->first_replay_time[run] = replay->time;
    *query = (struct replay_query){replay, order, run, UINT32_MAX, ROW_NONE, CAPTURE_UNSEEN};
}

static bool has_capture_before(const struct graph_matcher *matcher,
                               const struct graph_replay *replay)
{
    uint32_t process = tuples_find(&matcher->processes, (int64_t[1]){replay->process});
    return process != UINT32_MAX && matcher->first_end[process] <= replay->time;
}

static uint32_t members_before(const struct graph_matcher *matcher,
                               const struct capture_group *group, int64_t time)
{
    return search_above(matcher->ends + group->first, 0, group->count, time);
}

static enum capture_lack take_capture(const struct graph_matcher *matcher,
                                      struct replay_query *query, uint32_t row, uint32_t count)
{
    const struct graph_match *match = matcher->match;
    const struct capture_group *group = &matcher->groups[row];
    const uint32_t *members = matcher->members + group->first;
    if (query->group != UINT32_MAX || count > group->same_places)
        return CAPTURE_AMBIGUOUS;
    // The same graph, as far as known, was replayed before the first of these captures ended. So
    // its capture is an earlier one, which was not recorded.
    if (matcher->first_replay_time[query->run] < match->captures[members[0]].end)
        return CAPTURE_UNSEEN;
    query->group = row;
    query->capture = members[count - 1]; // the last one before the replay; all have equal places
    bool is_known = query->order == ORDER_OF_NODES || !match->captures[query->capture].has_branches;
    return is_known ? CAPTURE_KNOWN : CAPTURE_UNORDERED;
}

static void find_capture(struct graph_matcher *matcher, struct replay_query *query)
{
    const struct graph_match *match = matcher->match;
    const struct graph_replay *replay = query->replay;
    const struct graph_node *work = match->work + replay->first;
    enum detail recorded = nodes_detail(work, replay->count);
    if (!has_capture_before(matcher, replay))
        return;
    query->lack = query->order == ORDER_UNKNOWN ? CAPTURE_UNORDERED : CAPTURE_UNFIT;
    for (enum detail level = DETAIL_KIND;
         query->order != ORDER_UNKNOWN && level < DETAIL_LEVELS && query->lack != CAPTURE_AMBIGUOUS;
         level++) {
        int64_t key[3] = {replay->process, detail_pair(level, recorded),
                          sequence_of(matcher, work, replay->count, min_detail(level, recorded))};
        uint32_t row = tuples_find(&matcher->group_keys, key);
        uint32_t count =
            row == UINT32_MAX ? 0 : members_before(matcher, &matcher->groups[row], replay->time);
        if (count)
            query->lack = take_capture(matcher, query, row, count);
    }
    uint32_t known = matcher->matched_runs.count;
    if (query->lack == CAPTURE_KNOWN &&
        tuples_put(&matcher->matched_runs, (int64_t[2]){query->group, query->run}) == known)
        matcher->matched_count[query->group]++;
}

// Returns whether a group has fewer captures than graphs that match it. Each capture makes one
// graph, so some of these graphs were not captured in the trace, and it is unknown which.
static bool has_too_many_graphs(const struct graph_matcher *matcher,
                                const struct replay_query *query)
{
    return query->lack == CAPTURE_KNOWN &&
           matcher->matched_count[query->group] > matcher->groups[query->group].count;
}

void graph_match_find(struct graph_match *match, struct arena *arena)
{
    struct graph_matcher matcher = {.match = match, .arena = arena};
    size_t count = match->replay_count;
    tuples_open(&matcher.sequence_steps, arena, 4);
    tuples_open(&matcher.place_steps, arena, 2);
    tuples_open(&matcher.runs, arena, 3);
    tuples_open(&matcher.group_keys, arena, 3);
    tuples_open(&matcher.matched_runs, arena, 2);
    tuples_open(&matcher.processes, arena, 1);
    matcher.streams = graph_streams_open(match, arena);
    matcher.first_replay_time = ARENA_ARRAY(arena, int64_t, count + 1);
    match->capture_of = ARENA_ARRAY(arena, uint32_t, count + 1);
    match->lack = ARENA_ARRAY(arena, enum capture_lack, count + 1);
    find_first_ends(&matcher);
    group_captures(&matcher);
    matcher.matched_count = ARENA_ARRAY(arena, uint32_t, (size_t)matcher.group_keys.count + 1);
    struct replay_query *query = ARENA_ARRAY(arena, struct replay_query, count + 1);
    for (size_t i = 0; i < count; i++)
        open_query(&matcher, &query[i], &match->replays[i]);
    for (size_t i = 0; i < count; i++)
        find_capture(&matcher, &query[i]);
    for (size_t i = 0; i < count; i++) {
        match->lack[i] =
            has_too_many_graphs(&matcher, &query[i]) ? CAPTURE_AMBIGUOUS : query[i].lack;
        match->capture_of[i] = match->lack[i] == CAPTURE_KNOWN ? query[i].capture : ROW_NONE;
    }
}
