// SPDX-License-Identifier: Apache-2.0
// Which launch of a stream capture each piece of work of a replayed CUDA graph comes from, for files that
// do not tell: a trace of the PyTorch Profiler has the launches of the capture, which put nothing on a
// GPU, and the work of each replay under the one id of cudaGraphLaunch.
//
//     capture    launch  launch  copy    launch        calls, in order of the host
//                  |       |      |        |
//     replay     kernel  kernel  memcpy  kernel        work, in order of the graph
//
// A replay is of a capture if what both tell is the same from the first to the last: how many there are,
// which are kernels, copies and memsets and, where launches tell it, the kernel's name, grid and block.
// Of captures that fit nothing tells which it was, unless all say the same of every launch. What is not
// sure stays unmatched, with a reason (enum capture_lack).
#ifndef MODEL_GRAPH_MATCH_H
#define MODEL_GRAPH_MATCH_H

#include "base/arena.h"
#include "model/profile/profile.h"

// A launch of a capture, or work of a replay.
struct graph_node {
    int64_t kernel, grid; // numbers that are alike where these are; below 0: not told
    enum work_kind kind;
    uint32_t row;           // of api, or of work
    uint32_t place;         // of a launch: alike for those in ranges that say the same
    uint32_t stream;        // of work, as what follows
    int64_t start, end, id; // id: the node's in its graph, 0: not told
};

struct graph_capture {
    int64_t end; // time
    uint32_t process;
    uint32_t first, count; // launches
    bool has_branches; // a stream waited for another: the order of the launches is not the only one
    bool is_mixed;     // launches of another capture are among them, or their order is not known
};

struct graph_replay {
    int64_t time, graph; // of the launch; id of the graph, 0: not told
    uint32_t process;
    uint32_t first, count; // work
};

struct graph_match {
    struct graph_node *launches;
    struct graph_node *work; // of each replay in any order; in that of the graph where it is known
    struct graph_capture *captures; // by (process, start), not within each other
    struct graph_replay *replays;
    uint32_t capture_count, replay_count;
    // What is found: of each replay the row of its capture, ROW_NONE, and why.
    uint32_t *capture_of;
    enum capture_lack *lack;
};

// By enum capture_lack: "no graph was captured before in the file".
extern const char *const capture_lack_texts[CAPTURE_LACKS];

// Memory is the arena's.
void graph_match_find(struct graph_match *match, struct arena *arena);

#endif
