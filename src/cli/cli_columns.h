// SPDX-License-Identifier: Apache-2.0
// The columns of --print that were asked for by their keys, and whether a line has room for them.
#ifndef CLI_COLUMNS_H
#define CLI_COLUMNS_H

#include "cli/cli.h"

// Gives the table the columns of --columns and --width, of its report as it is now. False: there is
// no such column, or no room.
bool cli_set_columns(const struct cli *cli, struct export_table *table, struct arena *arena,
                     struct error *error);

#endif
