// SPDX-License-Identifier: Apache-2.0
// --digest: a profile as the file that opens at once and merges with those of other ranks.
#ifndef CLI_DIGEST_H
#define CLI_DIGEST_H

#include "cli/cli.h"

// A name of a file with what the environment says for each %q{VAR} in it, as nsys writes it, so that
// one line serves all ranks of a job. False: no such variable.
bool cli_expand(const char **name, struct arena *arena, struct error *error);

// Whether --digest could be written, as far as can be told without a profile.
bool cli_check_digest(const struct cli *cli, struct error *error);
// Writes the digest of a part (load_request.part_of) to --digest; `tell` is given a line on it.
bool cli_write_digest(const struct cli *cli, const struct profile *part,
                      void (*tell)(const char *line), struct arena *arena, struct error *error);

#endif
