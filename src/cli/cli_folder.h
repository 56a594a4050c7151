// SPDX-License-Identifier: Apache-2.0
// Folders named as profiles: a folder of files is one run with a worker each, `dlprof-tui log/run1`; a
// folder of such folders is several runs, of which one is opened.
#ifndef CLI_FOLDER_H
#define CLI_FOLDER_H

#include "cli/cli.h"

// Puts the profiles that lie in a folder in its place, in the order of their names. Of several runs one is
// chosen on the screen, from cli->runs, which lives in `arena`; without a screen, or where other files are
// named beside it, they are listed and nothing is opened. Files stay as they are.
bool cli_take_folders(struct cli *cli, struct arena *arena, struct error *error);

#endif
