// SPDX-License-Identifier: Apache-2.0
// Finds the captured launch of each piece of work of a replayed CUDA graph, for files that do not
// record it. A trace of the PyTorch Profiler has the launches of the capture, which put nothing on
// a GPU, and the work of each replay under the single id of cudaGraphLaunch.
//
//     capture    launch  launch  copy    launch        calls, in host order
//                  |       |      |        |
//     replay     kernel  kernel  memcpy  kernel        work, in graph order
//
// A replay matches a capture if they have the same number of items, and the items agree one by one
// in everything that both record: whether it is a kernel, copy or memset, and the kernel's name,
// grid and block. If several captures match, the replay is ambiguous unless their launches are in
// ranges with the same texts. An uncertain replay stays unmatched, with a reason (enum
// capture_lack).
#ifndef MODEL_OPS_GRAPH_MATCH_H
#define MODEL_OPS_GRAPH_MATCH_H

#include "base/arena.h"
#include "model/profile/profile.h"

// A launch of a capture, or a piece of work of a replay.
struct graph_node {
    // Ids that are equal for equal names, and grids and blocks; below 0: not recorded.
    int64_t kernel, grid;
    enum work_kind kind;
    uint32_t row;           // of api, or of work
    uint32_t place;         // of a launch: equal for launches in ranges with the same texts
    uint32_t stream;        // this and the members below are only set for work
    int64_t start, end, id; // id: of the node in its graph, 0: not recorded
};

struct graph_capture {
    int64_t end; // ns
    uint32_t process;
    uint32_t first, count; // launches
    // A stream waited for another one: several orders of the launches are possible.
    bool has_branches;
    bool is_mixed; // launches of another capture are interleaved, or their order is unknown
};

struct graph_replay {
    int64_t time, graph; // `time`: of the launch; `graph`: id, 0: not recorded
    uint32_t process;
    uint32_t first, count; // work
};

struct graph_match {
    struct graph_node *launches;
    // Grouped by replay. graph_match_find() sorts the work of a replay in graph order if known.
    struct graph_node *work;
    struct graph_capture *captures; // by (process, start), not nested
    struct graph_replay *replays;
    uint32_t capture_count, replay_count;
    // Result: for each replay the row of its capture, or ROW_NONE and the reason.
    uint32_t *capture_of;
    enum capture_lack *lack;
};

// Texts by enum capture_lack: "no graph was captured before in the file".
extern const char *const capture_lack_texts[CAPTURE_LACKS];

// Fills the result. All memory is in `arena`.
void graph_match_find(struct graph_match *match, struct arena *arena);

#endif
