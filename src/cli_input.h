// SPDX-License-Identifier: Apache-2.0
// The profile that standard input is: `dlprof-tui < net.dict`, `... | dlprof-tui -`.
#ifndef CLI_INPUT_H
#define CLI_INPUT_H

#include "cli.h"

// Where "-" stands for the profile, or none is named and standard input is a file: names that file, or one
// that holds what came through a pipe and is gone when the program ends. Keys then come from the
// terminal itself. Anything else stays as it is.
bool cli_take_input(struct cli *cli, struct arena *arena, struct error *error);

#endif
