// SPDX-License-Identifier: Apache-2.0
// A trace as PyTorch's TensorBoard plugin sees it, where that is not how it is: a figure of the plugin that
// is not ours is explained when our own report, asked of this view, gives the plugin's.
//
// - Times are microseconds in doubles, an end is a start and a length added: of the world's clock they keep
//   a quarter of a microsecond. What then reaches beyond the one around it is in no tree.
// - A call belongs to the op whose External id it has, wherever it lies, to none where no op has it.
// - Work without a call belongs to no op, whatever External id it has.
// - Calls of the driver are not there; what they launch has no operator.
#ifndef TESTS_PLUGIN_VIEW_H
#define TESTS_PLUGIN_VIEW_H

#include "model/profile/profile.h"

// Shares what is not changed with `profile`, and ends with it.
struct profile plugin_view_of(struct profile *profile, const char *path);

// The only annotations that are in its tree, too: their time is not that of the op around them.
bool plugin_knows_collective(const char *name);

#endif
