// SPDX-License-Identifier: Apache-2.0
// Paths in the checkout and in the build folder. The folders are the environment variables
// SOURCE_DIR and BUILD_DIR, which ctest and ./dev set. If they were macros, ccache could not share
// objects between checkouts.
#ifndef TESTS_PATHS_H
#define TESTS_PATHS_H

// Return the folder followed by `below`, such as "/rules/gpus.yaml". The string is valid until the
// program exits.
const char *source_path(const char *below);
const char *build_path(const char *below);

#endif
