// SPDX-License-Identifier: Apache-2.0
// Builds small profiles in memory for tests: add events in any order, then build.
//
// The functions return handles. After builder_build() the rows of the profile are
// range_row[handle], call_row[handle] and work_row[handle]. All memory lives until builder_free().
#ifndef TESTS_PROFILE_BUILDER_H
#define TESTS_PROFILE_BUILDER_H

#include "model/ops/op_tree.h"
#include "model/ops/ops.h"
#include "model/profile/profile.h"

struct profile_builder {
    struct profile *profile;
    uint32_t *range_row, *call_row, *work_row; // set by builder_build()
    struct builder_rows *rows;
};

struct profile_builder *builder_new(void);
void builder_free(struct profile_builder *builder);

// Returns a thread of a process; creates both if they are new.
uint32_t builder_thread(struct profile_builder *builder, uint32_t pid, uint32_t tid);

// Adds a push/pop range. The text may end with `, seq = 5, op_id = 7, sizes = [[8, 16]]`.
uint32_t builder_range(struct profile_builder *builder, uint32_t thread, int64_t start, int64_t end,
                       const char *text);
uint32_t builder_range_in(struct profile_builder *builder, const char *domain, uint32_t thread,
                          int64_t start, int64_t end, const char *text);
void builder_range_open(struct profile_builder *builder, uint32_t range, uint8_t is_open);

uint32_t builder_call(struct profile_builder *builder, uint32_t thread, int64_t start, int64_t end,
                      const char *name);
// Sets the name of all GPUs; without it they have none.
void builder_gpu(struct profile_builder *builder, const char *name);
// Adds work of a call. ROW_NONE means that the launch is not in the file; such work belongs to the
// first process.
uint32_t builder_kernel(struct profile_builder *builder, uint32_t call, uint32_t device,
                        uint32_t stream, int64_t start, int64_t end, const char *name);
uint32_t builder_copy(struct profile_builder *builder, uint32_t call, uint32_t device,
                      uint32_t stream, int64_t start, int64_t end, int64_t bytes);
// Sets the kind of a copy, see copy_kinds.h; without it the kind is unknown.
void builder_copy_kind(struct profile_builder *builder, uint32_t work, int copy_kind, int src_kind,
                       int dst_kind);
// Adds a whole replay as one row, as graph-level tracing records it.
uint32_t builder_graph_row(struct profile_builder *builder, uint32_t call, uint32_t device,
                           uint32_t stream, int64_t start, int64_t end, int64_t graph);
// Makes a piece of work a node of a graph's replay.
void builder_in_graph(struct profile_builder *builder, uint32_t work, int64_t graph, int64_t node);
// Records where a graph node was created.
void builder_graph_node(struct profile_builder *builder, int64_t node, int64_t original,
                        uint32_t thread, int64_t time);

// Adds a cudaLaunchKernel of 10 ns at `time` with a kernel of 10 ns that starts 20 ns later on
// device 0, stream 7. Returns the kernel's handle; the call has the same handle if nothing else is
// added.
uint32_t builder_launch(struct profile_builder *builder, uint32_t thread, int64_t time,
                        const char *kernel);

// Sorts, links, parses and makes ops and tree: what a loader does after reading.
struct profile *builder_build(struct profile_builder *builder, enum mode mode);
// First part of builder_build(): sorts and links, and leaves markers, ops and tree to the test.
struct profile *builder_link(struct profile_builder *builder);

// Returns the path of a node: "step N/forward/layers.3". It is in the profile's arena.
const char *node_path(const struct profile *profile, const struct op_tree *tree, uint32_t node);
// Returns the node of a path, or ROW_NONE.
uint32_t node_find(const struct profile *profile, const struct op_tree *tree, const char *path);
// Draws the tree as text: one node per line, two spaces per level.
const char *tree_picture(const struct profile *profile, const struct op_tree *tree);

#endif
