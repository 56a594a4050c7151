// SPDX-License-Identifier: Apache-2.0
// The user's own folders, by the XDG base directory specification: where a variable is not an
// absolute path it counts as unset, and what HOME says holds.
#ifndef BASE_XDG_H
#define BASE_XDG_H

#include <stdbool.h>

#include "base/arena.h"

enum xdg_folder {
    XDG_CONFIG, // what a person wrote
    XDG_STATE,  // what the program remembers
    XDG_CACHE,  // what can be made again
    XDG_FOLDER_COUNT,
};

// "~/.config/dlprof-tui/NAME", name "": the folder itself; NULL: there is no home. It may not exist.
const char *xdg_path(struct arena *arena, enum xdg_folder folder, const char *name);

// Makes the folder that holds `path`, and those above it, for this user only. False: errno says why.
bool xdg_make_folder_of(struct arena *arena, const char *path);

#endif
