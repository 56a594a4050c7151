// SPDX-License-Identifier: Apache-2.0
// The batch of a comparison: the other side is loaded, rows become those of both, limits are judged.
#ifndef CLI_COMPARE_H
#define CLI_COMPARE_H

#include "analysis/compare/baseline.h"
#include "cli/cli.h"
#include "model/profile/loader.h"

// Loads a profile whose stages nobody looks at: of a load that breaks off nothing is left.
struct profile *cli_load(const struct load_request *request, struct error *error);

// Loads --baseline as `request` loads the profile; *loaded: to be freed, NULL where the file is the
// same. False: it cannot be opened.
bool cli_load_baseline(const struct cli *cli, const struct load_request *request,
                       const struct profile **loaded, struct error *error);

// Makes the selection of side B one with a baseline. `loaded` NULL: of the same profile.
bool cli_set_baseline(const struct cli *cli, const struct profile *profile,
                      const struct profile *loaded, struct selection *selection,
                      struct arena *arena, struct error *error);

// The report that compares; NULL: rows of this one are no totals.
const struct report *cli_compare_report(const struct report *report,
                                        const struct selection *selection, struct arena *arena,
                                        struct error *error);

// What stands over its rows for people: both sides, the step, what speaks against it.
const char *cli_compare_caption(const struct cli *cli, const struct report *report,
                                const struct profile *profile, const struct selection *selection,
                                struct arena *arena);

// Judges --fail-if; `tell` is given a line for each, safe to print. *crossed: one of them is. False: one could not be
// judged.
bool cli_check_limits(const struct cli *cli, const struct profile *profile,
                      const struct selection *selection, void (*tell)(const char *line),
                      bool *crossed, struct arena *arena, struct error *error);

#endif
