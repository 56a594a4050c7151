// SPDX-License-Identifier: Apache-2.0
// A digest: a small file with the tables of one profile as they were read, which opens without the
// original. digest_write.c writes it, load_digest.c is its loader, digest_layout.c describes what
// it contains besides the long tables (tables.h).
//
//      header   magic, version, file size, checksum of everything that follows        (32 bytes)
//      table    name, rows, columns; per column its name, encoding, bytes (base/coded.h)
//      ...      texts, words, the small tables, the long ones, samples of GPU metrics
//      zeros    padding that DIGEST_ROWS_PER_BYTE requires: hardly ever any
//
// All numbers are little-endian. The meaning of a name never changes: a change that older readers
// cannot handle requires a new version. Links, ops and the tree are not stored but made when the
// digest is opened, as for any part (load_request.part_of). So the rules and markers of the current
// program apply, and merge.c can merge several digests.
#ifndef MODEL_DIGEST_DIGEST_H
#define MODEL_DIGEST_DIGEST_H

#include "base/text/bytes.h"
#include "model/profile/tables.h"

#define DIGEST_MAGIC \
    "\x89"           \
    "DLPD\r\n\x1a" // no text; the line ends reveal a transfer as text
enum {
    DIGEST_VERSION = 1,
    DIGEST_HEADER = 32,
    DIGEST_NAME = 40, // maximum length of a name in bytes
    // A reader accepts at most this many rows, and bytes of text, per byte of the file, so its
    // memory is bounded by the file size; the writer pads the file accordingly.
    DIGEST_ROWS_PER_BYTE = 2,
    DIGEST_TEXT_PER_BYTE = 64,
    DIGEST_ALLOWANCE = 1 << 16, // rows, and bytes of text, that any file may have
};

struct digest_header { // the file's layout
    char magic[8];
    uint32_t version, zero;
    uint64_t size;     // of the file
    uint64_t checksum; // digest_checksum() of the rest of the file
};

uint64_t digest_checksum(const void *bytes, size_t size);

// ---- the small tables --------------------------------------------------------------------------

enum member_kind { // type of a struct member
    MEMBER_U8,
    MEMBER_BOOL,
    MEMBER_I32,
    MEMBER_U32,
    MEMBER_I64,
    MEMBER_WORD, // const char *
};

struct member {
    const char *name;
    size_t at; // offset in the row
    enum member_kind kind;
    enum reference to;
    int64_t min, max; // range of valid values
};

struct small_table {
    const char *name;
    // Offsets in struct profile; rows IN_PROFILE_ITSELF: a single row, the members of struct
    // profile itself.
    size_t rows, count;
    size_t row_size;
    uint32_t max;       // maximum number of rows
    bool count_is_size; // the count is a size_t; otherwise a uint32_t
    const struct member *members;
    size_t member_count;
};
#define IN_PROFILE_ITSELF SIZE_MAX

enum { SMALL_TABLES = 13 };
extern const struct small_table digest_tables[SMALL_TABLES];

uint32_t small_table_rows(const struct profile *profile, const struct small_table *table);
// Returns a row of the profile's table.
char *small_table_row(const struct profile *profile, const struct small_table *table, uint32_t row);

// Returns the number of rows that a reference can name; UINT32_MAX: not checked here.
uint32_t reference_rows(const struct profile *profile, enum reference to);

// Returns whether the first two fields of a table are a start and an end: the end is then stored as
// a length.
static inline bool table_has_spans(const struct profile_table *table)
{
    return table->field_count > 1 && table->fields[0].to == REFERS_TIME &&
           table->fields[1].to == REFERS_TIME;
}

// ---- writing -----------------------------------------------------------------------------------

// Writes the digest of a part (load_request.part_of), which has one source. Must be called inside
// arena_run() of `arena`.
void digest_encode(const struct profile *part, unsigned threads, struct bytes *digest,
                   struct arena *arena);

#endif
