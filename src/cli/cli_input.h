// SPDX-License-Identifier: Apache-2.0
// The profile that standard input is: `dlprof-tui < net.dict`, `... | dlprof-tui`.
#ifndef CLI_INPUT_H
#define CLI_INPUT_H

#include "cli/cli.h"

// Where "-" stands for the profile, or none is named and standard input is a file or a pipe: names that file,
// or one that holds what came through the pipe and is gone when the program ends. Keys then come from the
// terminal itself. For a pipe that is not named by "-" nobody waits for ever, and one through which nothing
// comes is no profile. Anything else stays as it is.
bool cli_take_input(struct cli *cli, void (*tell)(const char *line), struct arena *arena,
                    struct error *error);

#endif
