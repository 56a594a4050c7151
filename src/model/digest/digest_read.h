// SPDX-License-Identifier: Apache-2.0
// Inside of reading a digest: load_digest.c takes the file apart, digest_rows.c the rows of its tables.
// Whatever fails says so in reading->error.
#ifndef MODEL_DIGEST_READ_H
#define MODEL_DIGEST_READ_H

#include "base/coded.h"
#include "model/digest/digest.h"
#include "model/profile/loader.h"

struct digest_reading {
    const struct load_request *request;
    struct profile *profile;
    struct arena *scratch; // ends with the reading
    const unsigned char *bytes;
    size_t size, at;
    uint32_t word_count;
    const char **words;
    int64_t earliest, latest; // of all times
    struct error *error;
};

struct digest_column {
    bool is_there;
    struct coded coded;
    const unsigned char *bytes;
};

// "PATH is a damaged digest: WHAT of OF"; returns false.
bool digest_damaged(const struct digest_reading *reading, const char *what, const char *of);

// The table that comes next, which must be this one, as far as the file is large enough for its rows.
bool digest_take_table(struct digest_reading *reading, const char *name, uint32_t *rows,
                       uint32_t *columns);
// The column that comes next, if it is this one.
bool digest_take_column(struct digest_reading *reading, const char *name,
                        struct digest_column *column);

bool digest_read_small(struct digest_reading *reading, const struct small_table *table);
bool digest_read_long(struct digest_reading *reading, const struct table *table);
bool digest_read_metrics(struct digest_reading *reading);
// What must hold between the tables; fills in what follows from their order.
bool digest_check_whole(struct digest_reading *reading);

#endif
