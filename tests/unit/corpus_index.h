// SPDX-License-Identifier: Apache-2.0
// Tells which traces of the corpus have trusted golden values.
#ifndef TESTS_CORPUS_INDEX_H
#define TESTS_CORPUS_INDEX_H

#include <stdbool.h>

// Returns true if INDEX.tsv in the folder `root` lists the case `name`. Otherwise prints a line, so
// that cases that are not compared are reported.
bool corpus_index_has(const char *root, const char *name);

#endif
