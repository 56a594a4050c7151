// SPDX-License-Identifier: Apache-2.0
// Accessors and columns that identify the op of a row, for reports in DLProf's terms whose rows
// have `const struct profile *profile` and `const struct op *op`.
#ifndef ANALYSIS_SUMS_OP_GETTERS_H
#define ANALYSIS_SUMS_OP_GETTERS_H

#include "analysis/report/report.h"
#include "model/ops/ops.h"

// Defines get_op_X, which returns a text of the op: id, name, type, data_type, stack.
#define OP_TEXT_GETTER(field, row_type)                            \
    static struct value get_op_##field(const void *row)            \
    {                                                              \
        const struct row_type *r = row;                            \
        return value_text(profile_text(r->profile, r->op->field)); \
    }

#define OP_DIRECTION_GETTER(row_type)                         \
    static struct value get_op_direction(const void *row)     \
    {                                                         \
        const struct row_type *r = row;                       \
        return value_text(direction_names[r->op->direction]); \
    }

// clang-format off
// Uses the accessors of id, name, direction and type.
#define OP_IDENTITY_COLUMNS                                                                       \
    {.key = "id", .title = "Op ID", .head = "op id", .unit = UNIT_TEXT, .get = get_op_id,         \
     .doc = "Type in capitals and a number in order of first appearance.",                        \
     .flags = COLUMN_QUOTED | COLUMN_WIDE},                                                       \
    {.key = "name", .title = "Op Name", .head = "op", .unit = UNIT_TEXT, .get = get_op_name,      \
     .doc = "Path of the op in the model, as the markers tell it.",                               \
     .flags = COLUMN_QUOTED | COLUMN_NAME},                                                       \
    {.key = "direction", .title = "Direction", .head = "dir", .unit = UNIT_TEXT,                  \
     .get = get_op_direction, .doc = "fprop, bprop, or empty for what belongs to no op.",         \
     .flags = COLUMN_IDENTIFIES}, \
    {.key = "type", .title = "Op Type", .head = "type", .unit = UNIT_TEXT, .get = get_op_type,    \
     .doc = "What the op does: conv2d, linear, ...", .flags = COLUMN_QUOTED | COLUMN_WIDE}
// clang-format on

#endif
