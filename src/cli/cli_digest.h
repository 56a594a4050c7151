// SPDX-License-Identifier: Apache-2.0
// --digest: writes a profile as a small file that opens at once and merges with those of other
// ranks.
#ifndef CLI_CLI_DIGEST_H
#define CLI_CLI_DIGEST_H

#include "cli/cli.h"

// Replaces each %q{VAR} in a file name by the environment variable, as nsys does, so that one
// command line serves all ranks of a job. Returns false if a variable is not set.
bool cli_expand_variables(const char **name, struct arena *arena, struct error *error);

// Checks, before a profile is loaded, whether --digest can be written.
bool cli_check_digest(const struct cli *cli, struct error *error);
// Writes the digest of a part (load_request.part_of) to --digest; `tell` gets a line about it.
bool cli_write_digest(const struct cli *cli, const struct profile *part,
                      void (*tell)(const char *line), struct arena *arena, struct error *error);

#endif
