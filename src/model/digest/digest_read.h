// SPDX-License-Identifier: Apache-2.0
// Internals of reading a digest: load_digest.c reads the file, digest_rows.c the rows of its
// tables. Functions that fail set reader->error.
#ifndef MODEL_DIGEST_DIGEST_READ_H
#define MODEL_DIGEST_DIGEST_READ_H

#include "base/coded.h"
#include "model/digest/digest.h"
#include "model/profile/loader.h"

struct digest_reader {
    const struct load_request *request;
    struct profile *profile;
    struct arena *scratch; // released after reading
    const unsigned char *bytes;
    size_t size, at;
    uint32_t word_count;
    const char **words;
    int64_t earliest, latest; // over all times
    struct error *error;
};

struct digest_column {
    bool is_there;
    struct coded coded;
    const unsigned char *bytes;
};

// Sets the error "PATH is a damaged digest: WHAT of OF"; returns false.
bool digest_fail_damaged(const struct digest_reader *reader, const char *what, const char *of);

// Reads the head of the next table, which must have this name and not more rows than the file size
// allows.
bool digest_read_table(struct digest_reader *reader, const char *name, uint32_t *rows,
                       uint32_t *columns);
// Reads the next column if it has this name.
bool digest_read_column(struct digest_reader *reader, const char *name,
                        struct digest_column *column);

// Read one table of either kind, and the metrics of the GPUs.
bool digest_read_small(struct digest_reader *reader, const struct small_table *table);
bool digest_read_long(struct digest_reader *reader, const struct profile_table *table);
bool digest_read_metrics(struct digest_reader *reader);
// Checks the relations between the tables, and sets what follows from the order of their rows.
bool digest_check_whole(struct digest_reader *reader);

#endif
