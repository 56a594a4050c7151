// SPDX-License-Identifier: Apache-2.0
// Columns of --print chosen by key, and the check that they fit into --width.
#ifndef CLI_CLI_COLUMNS_H
#define CLI_CLI_COLUMNS_H

#include "cli/cli.h"

// Applies --columns and --width to the table. Returns false if a column does not exist or the
// width is too small.
bool cli_set_columns(const struct cli *cli, struct export_table *table, struct arena *arena,
                     struct error *error);

#endif
