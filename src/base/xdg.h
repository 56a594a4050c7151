// SPDX-License-Identifier: Apache-2.0
// The user's folders by the XDG base directory specification. A variable that is not an absolute
// path counts as unset; the default below HOME then applies.
#ifndef BASE_XDG_H
#define BASE_XDG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

enum xdg_folder {
    XDG_CONFIG, // written by the user
    XDG_STATE,  // remembered by the program
    XDG_CACHE,  // can be recomputed
    XDG_FOLDER_COUNT,
};

// Returns "~/.config/dlprof-tui/NAME", or the folder itself if `name` is "". Returns NULL if there
// is no home. The path need not exist.
const char *xdg_path(struct arena *arena, enum xdg_folder folder, const char *name);

// Creates the folder of `path` and its parents for this user only. Returns false with errno set on
// failure.
bool xdg_make_folder_of(struct arena *arena, const char *path);

// Removes the least recently used files (see xdg_cache_mark_used()) from XDG_CACHE until the others
// have at most `max_bytes` bytes. Files used within the last hour are kept. Failures are ignored.
#define MAX_XDG_CACHE_BYTES INT64_C(16000000000)
void xdg_cache_trim(struct arena *arena, int64_t max_bytes);
void xdg_cache_mark_used(const char *path);

#endif
