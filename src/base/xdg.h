// SPDX-License-Identifier: Apache-2.0
// The user's own folders, by the XDG base directory specification: where a variable is not an
// absolute path it counts as unset, and what HOME says holds.
#ifndef BASE_XDG_H
#define BASE_XDG_H

#include <stdbool.h>
#include <stdint.h>

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

// Of the files in the folder of XDG_CACHE those used longest ago (xdg_cache_mark_used) go, until the
// others have `most` bytes at most; not those of the last hour. What cannot be removed stays, in silence.
#define XDG_CACHE_MOST INT64_C(16000000000)
void xdg_cache_trim(struct arena *arena, int64_t most);
void xdg_cache_mark_used(const char *path);

#endif
