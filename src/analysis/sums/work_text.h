// SPDX-License-Identifier: Apache-2.0
// Words about GPU work that several reports share.
#ifndef ANALYSIS_WORK_TEXT_H
#define ANALYSIS_WORK_TEXT_H

#include "analysis/report/report.h"

extern const char *const work_kind_names[WORK_KIND_COUNT]; // "kernel", "memcpy", ...
extern const char *const work_class_names[CLASS_COUNT];    // "compute", "comm", ...

// Why there is no GPU work: the profile has none, or nothing of it is selected.
const char *work_empty_text(const struct profile *profile);
const char *kernels_empty_text(const struct profile *profile); // of kernels alone

// Where DLProf's rule of short names and the full names disagree about Tensor Cores by more than
// a hundredth of the selected kernels' time: both figures. Else NULL.
const char *tensor_core_text(const struct profile *profile, const struct selection *selection,
                             struct arena *arena);
// The caption of DLProf's tables that go by short names: that, or that they do.
const char *tensor_core_caption(const struct profile *profile, const struct selection *selection,
                                struct arena *arena);

// Of a grid or block: "132x1x1". NULL: the file does not tell.
const char *dims_text(const int32_t dims[3], struct arena *arena);

// "7 compute": number and role.
const char *stream_text(const struct profile *profile, uint32_t stream, struct arena *arena);
// The same beside other things, "s7 compute".
const char *stream_label(const struct profile *profile, uint32_t stream, struct arena *arena);

// The names from the root to a node, joined by " > ", the last ones where there are many.
const char *node_path_text(const struct profile *profile, const struct op_tree *tree, uint32_t node,
                           struct arena *arena);

// Of such a path what lies below the steps that it begins with, by which it is known in another profile.
const char *node_path_in_step(const struct profile *profile, const struct op_tree *tree,
                              uint32_t node, const char *path);

// Number of the thread that made an API call; ROW_NONE: none is known.
struct value call_thread(const struct profile *profile, uint32_t call);

#endif
