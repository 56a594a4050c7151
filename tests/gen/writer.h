// SPDX-License-Identifier: Apache-2.0
//
// Streams rows into an SQLite export. The simulator adds rows in the order it meets them; real
// exports are sorted by start. Each table therefore keeps rows until the simulator declares that
// nothing earlier follows, and then writes them sorted. Memory is bounded by about one step. Any
// failure ends the program, because a half-written profile must not be used as a test fixture.
#ifndef DLPROF_GEN_WRITER_H
#define DLPROF_GEN_WRITER_H

#include "schema.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Writer Writer;

// Called for every row written; rows of a table come in order of start.
typedef void (*WriterWatch)(void *context, TableId table, const int64_t *row);

Writer *writer_open(const char *path, SchemaVersion version, bool force);
void writer_watch(Writer *writer, WriterWatch watch, void *context);
SchemaVersion writer_version(const Writer *writer);

// Drops rows that start at or after stop, and all but ranges that end after it.
void writer_stop_at(Writer *writer, int64_t stop_ns);
// Drops host rows (API, ranges, OS calls) that start before; GPU rows stay.
void writer_cut_host_before(Writer *writer, int64_t start_ns);
void writer_drop_table(Writer *writer, TableId table);

// Returns the id in StringIds; the string is copied.
int64_t writer_intern(Writer *writer, const char *text);

// Adds a row with all members ROW_NULL, valid until the next call; text may be NULL.
int64_t *writer_add(Writer *writer, TableId table, int64_t start_ns, int64_t end_ns,
                    const char *text);

// Writes all rows that start before the given time.
void writer_flush(Writer *writer, TableId table, int64_t before_ns);

// Runs SQL formatted by sqlite3's printf (%q, %Q), for the small metadata tables.
void writer_sql(Writer *writer, const char *format, ...);

int64_t writer_stop(const Writer *writer); // INT64_MAX: no end is set
uint64_t writer_rows(const Writer *writer, TableId table);
void writer_close(Writer *writer);

#endif
