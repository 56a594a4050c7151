// SPDX-License-Identifier: Apache-2.0
// Stores digests of opened files, so that they open faster the next time
// (model/open/digest_cache.h).
#ifndef CLI_CLI_CACHE_H
#define CLI_CLI_CACHE_H

#include "cli/cli.h"
#include "model/profile/loader.h"

// Makes missing digests one after the other, with the threads and the progress of `request`.
// `tell` gets a line per file. Must be called inside arena_run() of `arena`.
bool cli_fill_cache(const struct cli *cli, const struct load_request *request,
                    void (*tell)(const char *line), struct arena *arena, struct error *error);

// Starts a process at the lowest priority that makes the digests of large files. It may outlive
// this process. Failures are ignored, as digests are optional.
void cli_fill_cache_later(const struct load_request *request);

#endif
