// SPDX-License-Identifier: Apache-2.0
// A digest: the tables of one profile as they were read, in a file of their own that is small and
// opens without what they were read from. digest_write.c makes it, load_digest.c is the loader that
// opens it, digest_layout.c says what is in it beside the long tables (tables.h).
//
//      header   magic, version, size of the file, checksum of all that follows       (32 bytes)
//      table    name, rows, columns; of each column its name, how it is coded, bytes (base/coded.h)
//      ...      texts, words, the small tables, the long ones, samples of GPU metrics
//      zeros    as many as DIGEST_ROWS_PER_BYTE asks for: hardly ever any
//
// All numbers are little-endian. What a name means never changes: whatever is not understood by a
// reader of before takes a new version. Links, ops and the tree are not in it but made when it is
// opened, as of any part (load_request.part_of): so rules and marks of today's program judge it, and
// several digests are merged by merge.c.
#ifndef MODEL_DIGEST_H
#define MODEL_DIGEST_H

#include "base/bytes.h"
#include "model/profile/tables.h"

#define DIGEST_MAGIC \
    "\x89"           \
    "DLPD\r\n\x1a" // told apart from texts, and from what was sent as one
enum {
    DIGEST_VERSION = 1,
    DIGEST_HEADER = 32,
    DIGEST_NAME = 40, // bytes of a name at most
    // A reader believes no more rows than these for each byte of the file, nor longer texts, and so
    // what it takes of memory is bounded by the file; whoever writes fills up to it.
    DIGEST_ROWS_PER_BYTE = 2,
    DIGEST_TEXT_PER_BYTE = 64,
    DIGEST_LEAST = 1 << 16, // rows, and bytes of texts, that any file may have
};

struct digest_header { // as it stands in the file
    char magic[8];
    uint32_t version, zero;
    uint64_t size;     // of the whole file
    uint64_t checksum; // digest_checksum() of what follows
};

uint64_t digest_checksum(const void *bytes, size_t size);

// ---- the small tables ----------------------------------------------------------------------------

enum member_kind { // of a struct
    MEMBER_U8,
    MEMBER_BOOL,
    MEMBER_I32,
    MEMBER_U32,
    MEMBER_I64,
    MEMBER_WORD, // const char *
};

struct member {
    const char *name;
    size_t at; // in the row
    enum member_kind kind;
    enum reference to;
    int64_t least, most; // of what may stand there
};

struct small_table {
    const char *name;
    size_t rows,
        count; // where struct profile has them; rows NOWHERE: they are its own members, once
    size_t row_size;
    uint32_t most;      // rows that are believed
    bool count_is_size; // a size_t, otherwise a uint32_t
    const struct member *members;
    size_t member_count;
};
#define NOWHERE SIZE_MAX

enum { SMALL_TABLES = 13 };
extern const struct small_table digest_tables[SMALL_TABLES];

uint32_t small_table_rows(const struct profile *profile, const struct small_table *table);
// A row as the profile has it.
char *small_table_row(const struct profile *profile, const struct small_table *table, uint32_t row);

// How many rows a reference may name; UINT32_MAX: any number.
uint32_t reference_rows(const struct profile *profile, enum reference to);

// Whether the first two fields of a table are a start and an end: then the end is written as a length.
static inline bool table_has_spans(const struct table *table)
{
    return table->field_count > 1 && table->fields[0].to == REFERS_TIME &&
           table->fields[1].to == REFERS_TIME;
}

// ---- writing -------------------------------------------------------------------------------------

// The digest of a part (load_request.part_of), which has one source; inside arena_run() of `arena`.
void digest_make(const struct profile *part, unsigned threads, struct bytes *digest,
                 struct arena *arena);

#endif
