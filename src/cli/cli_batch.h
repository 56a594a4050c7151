// SPDX-License-Identifier: Apache-2.0
// Work without a screen: DLProf's files, a report on standard output, conditions of --fail-if.
#ifndef CLI_CLI_BATCH_H
#define CLI_CLI_BATCH_H

#include "cli/cli_console.h"
#include "model/profile/loader.h"

// Opens the profile and writes the output that `cli` asks for. DLProf's messages are written to
// `console`, messages of this program to `tell`. Sets *is_crossed if a condition of --fail-if is
// true. Returns false on failure or cancellation.
bool cli_run_batch(const struct cli *cli, struct load_request request,
                   const struct console *console, void (*tell)(const char *line), bool *is_crossed,
                   struct error *error);

// Checks, before a profile is loaded, that the files that `cli` names can be read and that its
// output files can be written.
bool cli_check_files(const struct cli *cli, struct arena *arena, struct error *error);
// Returns the path of the database that a capture writes, named as DLProf names it.
const char *cli_captured_dldb(const struct cli *cli, struct arena *arena);
const char *cli_written_text(const char *path, struct arena *arena); // "FILE written"

#endif
