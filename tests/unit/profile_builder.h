// SPDX-License-Identifier: Apache-2.0
// Small profiles made in memory, for tests: say what happened in any order, then build.
//
// What the functions return are handles; after builder_build() the rows of the profile are
// range_row[handle], call_row[handle] and work_row[handle]. Everything lives until builder_free().
#ifndef TESTS_PROFILE_BUILDER_H
#define TESTS_PROFILE_BUILDER_H

#include "model/ops/op_tree.h"
#include "model/ops/ops.h"
#include "model/profile/profile.h"

struct profile_builder {
    struct profile *profile;
    uint32_t *range_row, *call_row, *work_row; // after builder_build()
    struct builder_rows *rows;
};

struct profile_builder *builder_new(void);
void builder_free(struct profile_builder *builder);

// A thread of a process, both made when they are new.
uint32_t builder_thread(struct profile_builder *builder, uint32_t pid, uint32_t tid);

// A push/pop range. The text may end in `, seq = 5, op_id = 7, sizes = [[8, 16]]`.
uint32_t builder_range(struct profile_builder *builder, uint32_t thread, int64_t start, int64_t end,
                       const char *text);
uint32_t builder_range_in(struct profile_builder *builder, const char *domain, uint32_t thread,
                          int64_t start, int64_t end, const char *text);
void builder_range_open(struct profile_builder *builder, uint32_t range, uint8_t is_open);

uint32_t builder_call(struct profile_builder *builder, uint32_t thread, int64_t start, int64_t end,
                      const char *name);
// What all GPUs are called; without this nothing is.
void builder_gpu(struct profile_builder *builder, const char *name);
// Work of a call (ROW_NONE: its launch is not in the file, then it is of the first process).
uint32_t builder_kernel(struct profile_builder *builder, uint32_t call, uint32_t device,
                        uint32_t stream, int64_t start, int64_t end, const char *name);
uint32_t builder_copy(struct profile_builder *builder, uint32_t call, uint32_t device,
                      uint32_t stream, int64_t start, int64_t end, int64_t bytes);
// How a copy is made, see copy_kinds.h; without this the file does not tell.
void builder_copy_kind(struct profile_builder *builder, uint32_t work, int copy_kind, int src_kind,
                       int dst_kind);
// A whole replay as one row, as graph-level tracing records it.
uint32_t builder_graph_row(struct profile_builder *builder, uint32_t call, uint32_t device,
                           uint32_t stream, int64_t start, int64_t end, int64_t graph);
// Makes a work a node of a graph's replay.
void builder_in_graph(struct profile_builder *builder, uint32_t work, int64_t graph, int64_t node);
// Where a graph node was made.
void builder_graph_node(struct profile_builder *builder, int64_t node, int64_t original,
                        uint32_t thread, int64_t time);

// A cudaLaunchKernel of 10 ns at `time` with a kernel of 10 ns on device 0, stream 7, 20 ns later.
// Returns the kernel's handle; that of its call is the same number when this is all that is used.
uint32_t builder_launch(struct profile_builder *builder, uint32_t thread, int64_t time,
                        const char *kernel);

// Sorts, links, parses, makes ops and tree: what a loader does after reading.
struct profile *builder_build(struct profile_builder *builder, enum mode mode);
// The first part of it: sorts and links, leaves markers, ops and tree to the test.
struct profile *builder_link(struct profile_builder *builder);

// The path of a node: "step N/forward/layers.3". In the profile's arena.
const char *node_path(const struct profile *profile, const struct op_tree *tree, uint32_t node);
// The node of a path, or ROW_NONE.
uint32_t node_find(const struct profile *profile, const struct op_tree *tree, const char *path);
// The tree as a picture: one node a line, two blanks a level.
const char *tree_picture(const struct profile *profile, const struct op_tree *tree);

#endif
