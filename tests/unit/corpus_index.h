// SPDX-License-Identifier: Apache-2.0
// Which traces of the corpus have golden values that may be trusted.
#ifndef TESTS_CORPUS_INDEX_H
#define TESTS_CORPUS_INDEX_H

#include <stdbool.h>

// Whether INDEX.tsv of the folder `root` lists the case `name`. Prints a line where it does not: what is
// not compared is told.
bool corpus_index_has(const char *root, const char *name);

#endif
