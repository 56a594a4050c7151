// SPDX-License-Identifier: Apache-2.0
// Finds the replays of CUDA graphs in a trace, matches them to captures and stores the result.
#include "model/kineto/load_kineto_graphs.h"

#include <string.h>

#include "base/sort.h"
#include "base/text/format.h"
#include "model/derive/derive.h"

static enum call_kind kind_of_name(const char *name)
{
    static const struct {
        const char *part;
        enum call_kind kind;
    } parts[] = {
        {"GraphLaunch", CALL_REPLAY},
        {"GraphAddChildGraph", CALL_CHILD},
        {"StreamBeginCapture", CALL_BEGIN},
        {"StreamEndCapture", CALL_END},
        {"StreamWaitEvent", CALL_WAIT},
        {"LaunchKernel", CALL_LAUNCH},
        {"LaunchCooperative", CALL_LAUNCH},
        {"Memcpy", CALL_COPY},
        {"Memset", CALL_SET},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(name, parts[i].part))
            return parts[i].kind;
    return CALL_OTHER;
}

enum call_kind graphs_kind_of(const struct graph_search *graphs, uint32_t call)
{
    string_id name = AT(graphs->kineto->profile->api.name, call);
    if (!graphs->kinds[name])
        graphs->kinds[name] =
            (uint8_t)(kind_of_name(profile_text(graphs->kineto->profile, name)) + 1);
    return (enum call_kind)(graphs->kinds[name] - 1);
}

// ---- replays -----------------------------------------------------------------------------------

static bool link_work(struct graph_search *graphs)
{
    const struct profile *profile = graphs->kineto->profile;
    uint32_t count = profile->work.count;
    bool has_replays = false;
    for (uint32_t i = 0; i < profile->api.count && !has_replays; i++)
        has_replays = graphs_kind_of(graphs, i) == CALL_REPLAY;
    if (!has_replays)
        return false;
    graphs->launch = ARENA_ARRAY(graphs->scratch, uint32_t, (size_t)count + 1);
    graphs->has_work = ARENA_ARRAY(graphs->scratch, bool, (size_t)profile->api.count + 1);
    uint32_t *process = ARENA_ARRAY(graphs->scratch, uint32_t, (size_t)count + 1);
    uint32_t *correlation = column32_unpack(graphs->scratch, profile->work.correlation, count);
    for (uint32_t i = 0; i < count; i++)
        process[i] = work_process(profile, i);
    profile_join(profile, process, correlation, count, graphs->launch);
    for (uint32_t i = 0; i < count; i++)
        if (graphs->launch[i] != ROW_NONE)
            graphs->has_work[graphs->launch[i]] = true;
    ARENA_RELEASE(graphs->scratch, process, (size_t)count + 1);
    ARENA_RELEASE(graphs->scratch, correlation, count);
    return true;
}

static int64_t grid_of(struct graph_search *graphs, uint32_t work)
{
    const struct profile *profile = graphs->kineto->profile;
    const struct launch_shape *shape = work_launch_shape(profile, work);
    if (!shape)
        return -1;
    int64_t key[6];
    for (int i = 0; i < 6; i++) {
        key[i] = i < 3 ? shape->grid[i] : shape->block[i - 3];
        if (key[i] < 0)
            return -1;
    }
    return tuples_put(&graphs->kineto->grids, key);
}

static void add_work(struct graph_search *graphs, uint32_t row)
{
    const struct profile *profile = graphs->kineto->profile;
    const struct gpu_work *work = &profile->work;
    const struct function *function = &profile->functions[AT(work->function, row)];
    ARENA_PUSH(graphs->scratch, graphs->match.work, graphs->work_count, graphs->work_capacity) =
        (struct graph_node){
            .kernel = function->full,
            .grid = grid_of(graphs, row),
            .kind = function->kind,
            .row = row,
            .stream = AT(work->stream, row),
            .start = AT(work->start, row),
            .end = AT(work->end, row),
            .id = HAS(work->graph_node) ? AT(work->graph_node, row) : 0,
        };
}

// Returns the graph that all work of a replay names; 0: none, or several graphs.
static int64_t graph_of(const struct graph_search *graphs, const struct graph_replay *replay)
{
    struct column64 ids = graphs->kineto->profile->work.graph;
    int64_t graph = 0;
    for (uint32_t i = replay->first; HAS(ids) && i < replay->first + replay->count; i++) {
        int64_t work_graph = AT(ids, graphs->match.work[i].row);
        if (graph && work_graph && work_graph != graph)
            return 0;
        graph = work_graph ? work_graph : graph;
    }
    return graph;
}

static void end_replay(struct graph_search *graphs, uint32_t call, uint32_t first)
{
    const struct profile *profile = graphs->kineto->profile;
    struct graph_match *match = &graphs->match;
    size_t count = match->replay_count;
    struct graph_replay replay = {
        .time = AT(profile->api.start, call),
        .process = profile->threads[AT(profile->api.thread, call)].process,
        .first = first,
        .count = (uint32_t)graphs->work_count - first,
    };
    replay.graph = graph_of(graphs, &replay);
    ARENA_PUSH(graphs->scratch, match->replays, count, graphs->replay_capacity) = replay;
    match->replay_count = (uint32_t)count;
}

static void find_replays(struct graph_search *graphs)
{
    const struct profile *profile = graphs->kineto->profile;
    uint32_t count = profile->work.count;
    int64_t *keys = ARENA_ARRAY(graphs->scratch, int64_t, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++)
        keys[i] = graphs->launch[i];
    const uint32_t *order = sort_by_time(graphs->scratch, keys, NULL, count);
    for (uint32_t i = 0; i < count;) {
        uint32_t call = graphs->launch[order[i]], first = (uint32_t)graphs->work_count;
        if (call == ROW_NONE)
            break; // work without a call comes last
        bool is_replay = graphs_kind_of(graphs, call) == CALL_REPLAY;
        for (; i < count && graphs->launch[order[i]] == call; i++)
            if (is_replay)
                add_work(graphs, order[i]);
        if (is_replay)
            end_replay(graphs, call, first);
    }
}

// ---- results ------------------------------------------------------------------------------------

static void store_matches(const struct graph_search *graphs)
{
    struct profile *profile = graphs->kineto->profile;
    const struct graph_match *match = &graphs->match;
    uint32_t count = profile->work.count;
    uint32_t *flags = column32_unpack(graphs->scratch, profile->work.flags, count);
    uint32_t *capture = ARENA_ARRAY(graphs->scratch, uint32_t, (size_t)count + 1);
    bool is_any = false;
    for (uint32_t i = 0; i < count; i++)
        capture[i] = ROW_NONE;
    for (uint32_t r = 0; r < match->replay_count; r++) {
        const struct graph_replay *replay = &match->replays[r];
        for (uint32_t i = 0; i < replay->count; i++) {
            uint32_t work = match->work[replay->first + i].row, of = match->capture_of[r];
            flags[work] |= WORK_IN_GRAPH | WORK_LACKS * (uint32_t)match->lack[r];
            if (of != ROW_NONE)
                capture[work] = match->launches[match->captures[of].first + i].row;
            is_any |= of != ROW_NONE;
        }
    }
    profile->work.flags = profile_pack32(profile, flags, count);
    if (is_any)
        profile->work.capture = profile_pack32(profile, capture, count);
}

static void note_matches(const struct graph_search *graphs)
{
    struct profile *profile = graphs->kineto->profile;
    char number[FORMAT_SIZE];
    int64_t counts[CAPTURE_LACKS] = {0};
    for (uint32_t r = 0; r < graphs->match.replay_count; r++)
        counts[graphs->match.lack[r]]++;
    if (counts[CAPTURE_KNOWN])
        profile_note(
            profile, NOTE_INFO, "graph_replays", counts[CAPTURE_KNOWN], NULL,
            "%s of CUDA graphs: what they ran has the op and the layer of the launches that "
            "were captured, found by their number, kinds and order",
            format_counted(number, (uint64_t)counts[CAPTURE_KNOWN], "replay"));
    for (int lack = CAPTURE_KNOWN + 1; lack < CAPTURE_LACKS; lack++)
        if (counts[lack])
            profile_note(profile, NOTE_INFO, "graph_replays_without_capture", counts[lack], NULL,
                         "%s of CUDA graphs: what they ran has no op and no layer, as %s",
                         format_counted(number, (uint64_t)counts[lack], "replay"),
                         capture_lack_texts[lack]);
}

void kineto_match_graphs(struct kineto *kineto, const uint32_t *call_order)
{
    struct graph_search graphs = {
        .kineto = kineto,
        .call_order = call_order,
        .scratch = kineto->scratch,
        .kinds = ARENA_ARRAY(kineto->scratch, uint8_t,
                             (size_t)strings_count(kineto->profile->strings) + 1),
    };
    if (!link_work(&graphs))
        return;
    find_replays(&graphs);
    graphs_find_captures(&graphs);
    graph_match_find(&graphs.match, kineto->scratch);
    store_matches(&graphs);
    note_matches(&graphs);
}
