// SPDX-License-Identifier: Apache-2.0
// What is done without a screen: DLProf's files, a report on standard output, conditions.
#ifndef CLI_BATCH_H
#define CLI_BATCH_H

#include "cli/cli_console.h"
#include "model/profile/loader.h"

// Opens the profile and does all that `cli` asks for. DLProf's lines go to `console`; `tell` is given
// the program's own, *is_crossed whether a condition of --fail-if holds. False: something failed, or
// somebody gave up.
bool cli_run_batch(const struct cli *cli, struct load_request request,
                   const struct console *console, void (*tell)(const char *line), bool *is_crossed,
                   struct error *error);

// Whether the files that `cli` names can be read, and those that it asks for written, as far as can be
// told without a profile.
bool cli_check_files(const struct cli *cli, struct arena *arena, struct error *error);
// The database that a capture leaves, as DLProf named it.
const char *cli_captured_dldb(const struct cli *cli, struct arena *arena);
const char *cli_written_text(const char *path, struct arena *arena); // "FILE written"

#endif
