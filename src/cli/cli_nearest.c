// SPDX-License-Identifier: Apache-2.0
// "Did you mean": suggests the known word that is most similar to a typed one.
#include "base/text/nearest.h"
#include "cli/cli.h"

bool cli_unknown_word(const char *what, const char *dashes, const char *typed,
                      const char *(*word)(size_t i), size_t count, struct error *error)
{
    const char *nearest = nearest_word(typed, word, count);
    if (!nearest)
        return error_set(error, ERROR_USAGE, "%s%s%s", what, dashes, typed);
    return error_set(error, ERROR_USAGE, "%s%s%s; did you mean %s%s?", what, dashes, typed, dashes,
                     nearest);
}
