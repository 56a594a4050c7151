// SPDX-License-Identifier: Apache-2.0
// Texts about GPU work that several reports share.
#ifndef ANALYSIS_SUMS_WORK_TEXT_H
#define ANALYSIS_SUMS_WORK_TEXT_H

#include "analysis/report/report.h"

extern const char *const work_kind_names[WORK_KIND_COUNT]; // "kernel", "memcpy", ...
extern const char *const work_class_names[CLASS_COUNT];    // "compute", "comm", ...

// Returns why there is no GPU work: the profile has none, or none is selected.
const char *work_empty_text(const struct profile *profile);
const char *kernels_empty_text(const struct profile *profile); // for kernels only

// Returns a text with the share of kernel time on Tensor Cores by DLProf's short names and by full
// names, if the two differ by more than 1 % of the selected kernels' time; else NULL.
const char *tensor_core_text(const struct profile *profile, const struct selection *selection,
                             struct arena *arena);
// Returns the caption of DLProf's tables that use short names: that text, or a note that they use
// short names.
const char *tensor_core_caption(const struct profile *profile, const struct selection *selection,
                                struct arena *arena);

// Returns a grid or block as "132x1x1"; NULL: unknown.
const char *dims_text(const int32_t dims[3], struct arena *arena);

// Returns number and role, "7 compute".
const char *stream_text(const struct profile *profile, uint32_t stream, struct arena *arena);
// The same to be used inside a sentence, "s7 compute".
const char *stream_label(const struct profile *profile, uint32_t stream, struct arena *arena);

// Returns the names from the root to a node, joined by " > "; of a long path, the last names.
const char *node_path_text(const struct profile *profile, const struct op_tree *tree, uint32_t node,
                           struct arena *arena);

// Returns the part of such a path that follows the nodes of steps at its beginning. It identifies
// the node in another profile.
const char *node_path_in_step(const struct profile *profile, const struct op_tree *tree,
                              uint32_t node, const char *path);

// Returns the number of the thread that made an API call; ROW_NONE gives no value.
struct value call_thread(const struct profile *profile, uint32_t call);

#endif
