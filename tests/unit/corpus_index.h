// SPDX-License-Identifier: Apache-2.0
// Tells which traces of the corpus have trusted golden values.
#ifndef TESTS_CORPUS_INDEX_H
#define TESTS_CORPUS_INDEX_H

#include <stdbool.h>

// Golden values of a case: of the operators and modules of the TensorBoard plugin, of HTA.
enum corpus_golden { GOLDEN_OPERATORS, GOLDEN_MODULES, GOLDEN_HTA };

// Returns true if the values of a case in the folder `root` are trusted: INDEX.tsv lists it, or it
// is one of the cases that came later. Otherwise prints why, so that nothing is skipped unseen.
bool corpus_index_has(const char *root, const char *name, enum corpus_golden golden);

#endif
