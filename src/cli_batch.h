// SPDX-License-Identifier: Apache-2.0
// What is done without a screen: DLProf's files, a report on standard output, conditions.
#ifndef CLI_BATCH_H
#define CLI_BATCH_H

#include "cli.h"
#include "model/loader.h"

// Opens the profile and does all that `cli` asks for. `tell` is given lines for people, *is_crossed
// whether a condition of --fail-if holds. False: something failed, or somebody gave up.
bool cli_run_batch(const struct cli *cli, struct load_request request,
                   void (*tell)(const char *line), bool *is_crossed, struct error *error);

#endif
