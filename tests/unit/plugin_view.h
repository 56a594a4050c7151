// SPDX-License-Identifier: Apache-2.0
// A trace as PyTorch's TensorBoard plugin sees it, where that differs from the trace. A difference
// between a figure of the plugin and ours is explained if our own report of this view gives the
// plugin's figure.
//
// - Times are microseconds in doubles, and an end is computed as start plus duration: Unix times
//   keep a resolution of a quarter of a microsecond. A range that then reaches beyond its parent is
//   in no tree.
// - A call belongs to the op with its External id, wherever the call is, or to none if no op has
//   this id.
// - Work without a call belongs to no op, whatever its External id is.
// - Calls of the driver API are missing, and the work they launch has no operator.
#ifndef TESTS_PLUGIN_VIEW_H
#define TESTS_PLUGIN_VIEW_H

#include "model/profile/profile.h"

// Unchanged parts are shared with `profile`, so the view must not outlive it.
struct profile plugin_view_of(struct profile *profile, const char *path);

// Returns true for the only annotations that are in the plugin's tree: their time does not count
// for the enclosing op.
bool plugin_knows_collective(const char *name);

#endif
