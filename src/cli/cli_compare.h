// SPDX-License-Identifier: Apache-2.0
// Comparisons without a screen: loads the baseline, builds the compared report, checks limits.
#ifndef CLI_CLI_COMPARE_H
#define CLI_CLI_COMPARE_H

#include "analysis/compare/baseline.h"
#include "cli/cli.h"
#include "model/profile/loader.h"

// Loads a profile without showing partial stages; on failure a partial stage is freed.
struct profile *cli_load(const struct load_request *request, struct error *error);

// Loads --baseline with the settings of `request`. *loaded must be freed; NULL if the baseline is
// in the same file. Returns false if it cannot be opened.
bool cli_load_baseline(const struct cli *cli, const struct load_request *request,
                       const struct profile **loaded, struct error *error);

// Adds the baseline to the selection of side B. `loaded` NULL: it is in the same profile.
bool cli_set_baseline(const struct cli *cli, const struct profile *profile,
                      const struct profile *loaded, struct selection *selection,
                      struct arena *arena, struct error *error);

// Returns the report that compares; NULL with an error if rows of this report are no totals.
const struct report *cli_compare_report(const struct report *report,
                                        const struct selection *selection, struct arena *arena,
                                        struct error *error);

// Returns the caption for readers: both sides, the unit, and notes on comparability.
const char *cli_compare_caption(const struct cli *cli, const struct report *report,
                                const struct profile *profile, const struct selection *selection,
                                struct arena *arena);

// Evaluates --fail-if; `tell` gets a printable line for each. *crossed: at least one condition
// holds. Returns false if one cannot be evaluated.
bool cli_check_limits(const struct cli *cli, const struct profile *profile,
                      const struct selection *selection, void (*tell)(const char *line),
                      bool *crossed, struct arena *arena, struct error *error);

#endif
