// SPDX-License-Identifier: Apache-2.0
// Folders given as profiles. A folder of files is one run with one worker per file (`dlprof-tui
// log/run1`); a folder of such folders holds several runs, of which one is opened.
#ifndef CLI_CLI_FOLDER_H
#define CLI_CLI_FOLDER_H

#include "cli/cli.h"

// Replaces a folder by the profiles in it, sorted by name. With several runs, sets cli->runs (in
// `arena`) for a choice on the screen; without a screen or next to other paths, fails with a list
// of them. Files are not changed.
bool cli_expand_folders(struct cli *cli, struct arena *arena, struct error *error);

#endif
