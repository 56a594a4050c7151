// SPDX-License-Identifier: Apache-2.0
// Keeping digests of what was opened, so that it opens faster the next time (model/digest_cache.h).
#ifndef CLI_CACHE_H
#define CLI_CACHE_H

#include "cli/cli.h"
#include "model/profile/loader.h"

// Makes those that are not there yet, one after the other; what `request` says of threads and of progress
// holds. `tell` is given a line for each file. Inside arena_run() of `arena`.
bool cli_fill_cache(const struct cli *cli, const struct load_request *request,
                    void (*tell)(const char *line), struct arena *arena, struct error *error);

// Has another process do so, for files that are worth it, with what the machine has to spare: it goes
// on when this one ends. In silence: nothing depends on it.
void cli_fill_cache_later(const struct load_request *request);

#endif
