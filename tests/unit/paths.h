// SPDX-License-Identifier: Apache-2.0
// Files of the checkout and of the build. The folders come from the environment, SOURCE_DIR and
// BUILD_DIR, as ctest and ./dev set it; as macros they would make each object of each checkout
// another one to ccache.
#ifndef TESTS_PATHS_H
#define TESTS_PATHS_H

// The folder followed by `below`, such as "/rules/gpus.yaml". The string is valid until the program
// exits.
const char *source_path(const char *below);
const char *build_path(const char *below);

#endif
