// SPDX-License-Identifier: Apache-2.0
// A profile on standard input: `dlprof-tui < net.dict`, `... | dlprof-tui`.
#ifndef CLI_CLI_INPUT_H
#define CLI_CLI_INPUT_H

#include "cli/cli.h"

// If "-" is the profile, or none is named and standard input is a file or a pipe, sets cli->path
// to that file, or to a temporary copy of the pipe that vanishes with the process. Keys are then
// read from the terminal. A pipe without "-" has a timeout, and an empty one is not a profile. In
// all other cases nothing changes.
bool cli_read_stdin(struct cli *cli, void (*tell)(const char *line), struct arena *arena,
                    struct error *error);

#endif
