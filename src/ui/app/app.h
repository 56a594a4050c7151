// SPDX-License-Identifier: Apache-2.0
// The full-screen program: what main() calls.
#ifndef UI_APP_APP_H
#define UI_APP_APP_H

#include "ui/state/app_options.h"

// Opens the profile and shows it until the user quits. Returns the exit status: 0, 1, 2 or 130;
// other than 0 with the reason in `error` ("" when there is nothing to say).
int app_run(const struct app_options *options, struct error *error);

#endif
