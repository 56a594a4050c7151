// SPDX-License-Identifier: Apache-2.0
// The full-screen program, which main() calls.
#ifndef UI_APP_APP_H
#define UI_APP_APP_H

#include "ui/state/app_options.h"

// Opens the profile and shows it until the user quits. Returns the exit status: 0, 1, 2 or 130. If
// it is not 0, `error` holds the reason ("" if there is nothing to report).
int app_run(const struct app_options *options, struct error *error);

#endif
