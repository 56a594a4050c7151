// SPDX-License-Identifier: Apache-2.0
// Reading profiles that are SQLite files: the guarded file, its tables by slices, raw columns. The
// loaders of nsys, nvprof and DLProf's databases stand on it; nobody else includes this.
//
// A table is read in slices of its rowids. Slices are cut by the table's size alone, are read by
// any number of threads, each on a connection of its own and into memory of its own, and are
// merged in the order of the table: the result is the same for any number of threads. Numbers go
// straight into raw columns, reserved by the span of rowids; texts and other keys get local ids,
// which the merge maps to those of the profile.
#ifndef MODEL_SQLITE_SQLITE_FILE_H
#define MODEL_SQLITE_SQLITE_FILE_H

#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/parallel.h"
#include "base/tuples.h"
#include "model/profile/loader.h"
#include "model/profile/times.h"

enum { NSYS_POOL = 64, NSYS_RAW = 64, NSYS_SPANS = 3 };

struct nsys;
struct nsys_reader;
struct nsys_slices;
struct nsys_slice;
struct nsys_table;

// Rows of a table that are read.
struct nsys_span {
    int64_t first_row, last_row; // where the table has rowids
    uint32_t rows;               // at most
    const char *where;           // what they must be, of ?5 and ?6; NULL: nothing
};

// What another tool calls a table or a column that is asked for by nsys's name.
struct nsys_alias {
    const char *table;  // nsys's name; NULL: of whatever table
    const char *column; // nsys's name; NULL: the table itself
    const char *is;     // the table's own name, or an expression of its columns: ?3 is the time
                        // that the profile calls 0, ?4 nsys->pid
    const char *needs;  // the columns in it, between blanks; NULL: none
};

// A tool that writes CUPTI's records into SQLite, and how its files differ from nsys's.
struct nsys_dialect {
    const char *format;               // name of the loader
    const char *tool;                 // "Nsight Systems"
    const char *what;                 // "an export of Nsight Systems"
    const char *again;                // what to do with one that is not whole
    const char *string_key;           // its name for StringIds.id
    int tid_bits;                     // of a thread's number; above them is that of its process
    const struct nsys_alias *aliases; // up to one that is nothing; NULL: none
    bool (*is_own)(const struct nsys *nsys); // by the names of its tables; NULL: not asked again
    // What it reads of NVTX, from rows that have `range_column` and are `range_rows`.
    const struct nsys_reader *ranges;
    const char *range_column, *range_rows;
    void (*end_ranges)(struct nsys *nsys, struct nsys_slices *slices); // all rows are read; NULL
    void (*open)(struct nsys *nsys); // once times are known to be believed; NULL: nothing to do
    void (*read_capture)(struct nsys *nsys);
    void (*read_names)(struct nsys *nsys); // of processes and threads that did something
    // The rows of a table that are read, in their order, and what a slice of them is asked for.
    size_t (*spans)(struct nsys *nsys, const struct nsys_reader *reader,
                    const struct nsys_table *table, struct nsys_span spans[NSYS_SPANS],
                    struct nsys_slice *slice);
    // Texts of ids below 0, which no table has; NULL: there are none.
    const char *(*text)(int64_t id, struct arena *arena);
};

struct nsys_object { // of the file's schema
    const char *name;
    bool is_table; // false: a view or a virtual table
};

struct nsys_table {
    const char *name; // as in the file
    const char *base; // nsys's name
    const struct nsys_dialect *dialect;
    size_t column_count;
    const char **columns;
    const char *key; // column that is the rowid by another name, or NULL
    bool has_rowid;
    int64_t first_row, last_row; // where has_rowid; last below first when empty
    uint32_t capacity;           // rows at most
};

// Why rows are left out, in table_count.why.
enum nsys_skip {
    SKIP_TIME,      // no start or end
    SKIP_BACKWARDS, // ends before it starts
    SKIP_ABSURD,    // beyond the limits above
    SKIP_EXCESS,    // more rows than the table can hold: the file is damaged
    SKIP_THREAD,    // of no thread
    SKIP_COUNT
};

// Which rows of a table an excerpt needs, by their times.
enum nsys_extent {
    EXTENT_ALL,     // all: they have no times, or what they say holds for later ones
    EXTENT_WORK,    // GPU work: also what was launched in the excerpt and runs later
    EXTENT_CALLS,   // also what launched before it what runs in it
    EXTENT_RANGES,  // also those around such calls
    EXTENT_SPANS,   // what touches it, from `start` to `end`
    EXTENT_SAMPLES, // what lies in it, by `timestamp`
    EXTENT_BEFORE,  // what begins before its end
};

struct nsys_slice;
struct nsys_reader {
    const char *table;          // base name, as in nsys's documentation
    const char *const *columns; // asked for, NULL-terminated; "a|b": the first that exists
    void (*begin)(struct nsys_slice *slice); // NULL: nothing to prepare
    void (*row)(struct nsys_slice *slice, sqlite3_value **row);
    enum nsys_extent extent;
};

struct nsys_slice {
    struct nsys *nsys;
    const struct nsys_reader *reader;
    const struct nsys_table *table;
    void *target;                // raw columns of the table's kind
    int64_t first_row, last_row; // where the table has rowids
    uint32_t base, capacity;     // rows of the raw columns that are this slice's
    uint32_t count;              // of them filled
    int64_t rows, skipped[SKIP_COUNT];
    int64_t told;       // rows that `progress` knows of
    int64_t text_bytes; // taken since nsys_take_text()
    bool is_endless;
    sqlite3_value **cells; // of the row that is being taken
    struct arena *arena;
    struct strings *strings; // local
    struct tuples text_ids;  // ids of StringIds seen; text_of has what they are locally
    string_id *text_of;
    size_t text_capacity;
    string_id *names; // after the merge: local id -> the profile's
    void *local;      // the reader's own
    sqlite3 *db;
    sqlite3_stmt *statement, *text_statement;
    const char *where;   // of its span
    int64_t least, most; // what stands for ?5 and ?6 there
    bool done;
    char damage[120]; // SQLite's words when the table cannot be read to its end
    struct error error;
};

struct nsys_slices {
    size_t count, capacity;
    struct nsys_slice *items;
    uint32_t rows; // capacity of the raw columns
    void *raw;     // target of all, where they are read ahead
    bool is_begun; // ahead of its turn
    struct parallel run;
};

struct nsys_early { // a call before the excerpt that launched what is in it
    int64_t thread, start, end;
};

// What is read of a file of which an excerpt is asked for; its lists lie in the profile's arena.
struct nsys_excerpt {
    bool is_on;
    struct excerpt of;     // by the file's clock
    int64_t launches_from; // what runs in it was launched from here on ...
    int64_t work_until;    // ... and what was launched in it begins up to here, as far as is known
    struct tuples apart;   // (process, correlation) of calls between these two that do not touch it
    bool *is_wanted;       // of each: what it launched does
    size_t early_count, early_capacity;
    struct nsys_early *early; // of these the calls, by thread and start
};

struct nsys {
    const struct load_request *request;
    const struct nsys_dialect *dialect;
    const char *shown; // the file as the user calls it
    struct profile *profile;
    struct load_progress *progress, no_progress;
    struct arena *arena;   // the profile's
    struct arena *scratch; // emptied between the stages
    const char *real;      // the file's path without symbolic links
    struct stat found;     // the file as it was opened
    const char *uri;
    int64_t bytes;
    bool has_extent;                // of the profile: something lies between its first and last
    int64_t epoch;                  // the file's time that is 0
    int64_t origin;                 // a time in the middle of the file
    int64_t pid;                    // process of what the file says of none: its number
    atomic_int_fast64_t steps_left; // of SQLite's machine, before a query is held to be endless
    atomic_int_fast64_t text_left;  // bytes of texts, before rows are held to share them
    atomic_int failure;             // the first result of SQLite that was no answer
    sqlite3 *db;
    unsigned threads;
    pthread_mutex_t lock; // of the pool
    sqlite3 *pool[NSYS_POOL];
    size_t pool_count;
    // Released when a load breaks off: what is being read, and what other threads read ahead while
    // this one arranges what has been read.
    struct nsys_slices *open, *ahead;
    atomic_bool is_over;                // it has broken off
    struct nsys_slices *calls, *ranges; // begun or being read
    struct raw_column {
        void *data;
        size_t size;                  // bytes of an item
        const struct nsys_slices *of; // whose rows it has, as they are read; NULL: packed
        struct arena *arena;
    } raw[NSYS_RAW];
    _Atomic(const char *) disguised; // a view or virtual table that has a table's name
    size_t object_count, object_capacity;
    struct nsys_object *objects;
    const struct nsys_table *strings; // StringIds, or NULL
    const char *text_column;          // of its texts
    struct tuples loaded_ids;         // StringIds read whole, where its ids are no rowids
    const char **loaded_texts;
    size_t loaded_capacity;
    size_t process_capacity, table_capacity;
    struct tuples processes;    // global pid -> row of the profile's processes
    struct tuples threads_seen; // global tid -> row of the profile's threads
    struct tuples device_keys;  // (process, its ordinal) of all that ran work ...
    uint32_t *device_rows;      // ... -> row of the profile's devices
    struct nsys_excerpt excerpt;
    unsigned rank_variable; // that told the rank, see ranks.h
    size_t thread_capacity, domain_capacity;
    struct thread *thread_items;
};

// ---- load_nsys_file.c: the file ------------------------------------------------------------------

// Opens the file and reads its schema.
bool nsys_open(struct nsys *nsys, struct error *error);
bool nsys_check_file(struct nsys *nsys, struct error *error);         // journals, whole pages
bool nsys_is_unchanged(const struct nsys *nsys, struct error *error); // since then
const char *nsys_uri(struct nsys *nsys);                              // of nsys->real
// For probes: a file with this head is SQLite's; and for each of the names one of its tables begins
// so. Sets `error` where the machine did not let it look.
bool nsys_is_sqlite(const unsigned char *head, size_t head_size);
bool nsys_has_tables(const char *path, const char *const *names, struct error *error);

// ---- load_nsys_open.c: connections, schema, statements -------------------------------------------

sqlite3 *nsys_connect(struct nsys *nsys, struct error *error); // to nsys->uri
bool nsys_schema(struct nsys *nsys, struct error *error);
// The table of that base name (or its highest _V2, _V3 ... with rows), or NULL.
const struct nsys_table *nsys_table(struct nsys *nsys, const char *base);
bool nsys_has_column(const struct nsys_table *table, const char *column);
bool nsys_has_rows(struct nsys *nsys, const struct nsys_table *table, const char *where);
// A statement over the columns asked for, NULLs for those the table lacks; on the main connection.
// NULL when it cannot be prepared.
sqlite3_stmt *nsys_select(struct nsys *nsys, const struct nsys_table *table,
                          const char *const *columns);
// The same of the rowids ?1 to ?2, in their order; `where` (or "") is what else must hold.
sqlite3_stmt *nsys_select_rows(struct nsys *nsys, const struct nsys_table *table,
                               const char *const *columns, const char *where);
// Constants of statements; ?1 and ?2 are rowids, or keys.
enum { NSYS_BIND_EPOCH = 3, NSYS_BIND_PID = 4, NSYS_BIND_LEAST = 5, NSYS_BIND_MOST = 6 };
// The same as arguments of the aggregate function NSYS_TAKE, of the rowids ?1 to ?2 where the table
// has some: SQLite calls it with each row, which costs less than a step and a call for each column.
#define NSYS_TAKE "take"
// `where` (or NULL) is what else must hold.
sqlite3_stmt *nsys_pass(struct nsys *nsys, sqlite3 *db, struct arena *arena,
                        const struct nsys_table *table, const char *const *columns,
                        const char *where);
// Whether the file has a table or view of that name, or one that begins so.
bool nsys_has_object(const struct nsys *nsys, const char *name, bool is_prefix);
// Names of the first tables, for messages.
const char *nsys_list_tables(struct nsys *nsys);
// The table of texts by id, for slice_text_by_id() and nsys_text().
void nsys_open_strings(struct nsys *nsys, const char *table, const char *text_column);
// A text by its id, at most 1,000 bytes, on the main connection. False: there is none, or an empty one.
bool nsys_text(struct nsys *nsys, int64_t id, const char **text);
// Steps through a small table on the main connection, until its texts are more than a file can hold.
bool nsys_each(struct nsys *nsys, const char *base, const char *const *columns,
               void (*row)(struct nsys *nsys, sqlite3_value **row, void *context), void *context);

// The cells of a row are SQLite's until the next row; one thread uses a connection at a time.
bool cell_number(sqlite3_value *cell, int64_t *value); // false: NULL or no number
static inline bool cell_integer(sqlite3_value **row, int column, int64_t *value)
{
    if (sqlite3_value_type(row[column]) != SQLITE_INTEGER)
        return cell_number(row[column], value);
    *value = sqlite3_value_int64(row[column]);
    return true;
}

static inline int64_t cell_integer_or(sqlite3_value **row, int column, int64_t fallback)
{
    int64_t value;
    return cell_integer(row, column, &value) ? value : fallback;
}

static inline int32_t cell_small(sqlite3_value **row, int column) // -1: unknown
{
    int64_t value = cell_integer_or(row, column, -1);
    return value < -1 || value > INT32_MAX ? -1 : (int32_t)value;
}

// A process or a thread: a whole number, or (nvprof) a blob of two. False: it is neither.
bool cell_thread(const struct nsys *nsys, sqlite3_value *cell, int64_t *thread);
// The cell's text, at most `limit` bytes of it, in `arena`; "" for NULL.
const char *cell_copy(sqlite3_value **row, int column, size_t limit, struct arena *arena);

// ---- load_nsys_step.c: queries whose failures are kept ------------------------------------------

sqlite3_stmt *nsys_prepare(struct nsys *nsys, sqlite3 *db, const char *sql); // NULL: failed
int nsys_step(struct nsys *nsys, sqlite3_stmt *statement);
void nsys_heed(struct nsys *nsys, int status); // keeps it when it is a failure
// False: the disk or memory failed, or the file is not what it was or seems to be.
bool nsys_is_readable(struct nsys *nsys, struct error *error);
void nsys_note_damage(struct nsys *nsys); // of the others

// ---- load_nsys_read.c: slices -------------------------------------------------------------------

void nsys_slices_add(struct nsys *nsys, struct nsys_slices *slices,
                     const struct nsys_reader *reader, const struct nsys_table *table,
                     void *target);
// Reads on all threads but this one, until nsys_slices_read(); for slices, raw columns and what they
// point to that lie in the profile's arena, as `scratch` is emptied meanwhile.
void nsys_slices_begin(struct nsys *nsys, struct nsys_slices *slices);
bool nsys_slices_read(struct nsys *nsys, struct nsys_slices *slices, const char *doing,
                      struct error *error);
void nsys_slices_abandon(struct nsys *nsys); // all that is being read
// Interns each slice's texts into the profile (slice->names), counts rows into profile->tables.
void nsys_slices_merge(struct nsys *nsys, struct nsys_slices *slices);
void nsys_slices_close(struct nsys *nsys, struct nsys_slices *slices);
// Makes the raw columns of these slices dense. Returns the rows in use.
uint32_t nsys_slices_pack(struct nsys *nsys, const struct nsys_slices *slices);

// Start and end of a row. False: counted as skipped.
bool slice_times(struct nsys_slice *slice, sqlite3_value **row, int start_column, int64_t *start,
                 int64_t *end);
bool slice_room(struct nsys_slice *slice, uint32_t *at); // the raw row to fill
// A text of a row, NULL; all are taken by this, so that no file's cost more than it can hold.
const char *slice_cell(struct nsys_slice *slice, sqlite3_value **row, int column, size_t *length);
string_id slice_text(struct nsys_slice *slice, sqlite3_value **row, int column);
string_id slice_text_by_id(struct nsys_slice *slice, sqlite3_value **row, int column);

// ---- load_nsys_columns.c: raw columns ------------------------------------------------------------

// A column that goes back to the system at once when it is not needed any more.
void *nsys_raw(struct nsys *nsys, size_t count, size_t size);
void *nsys_column(struct nsys *nsys, const struct nsys_slices *slices, size_t size); // of all rows
void nsys_raw_free(struct nsys *nsys, void *data);
// raw[order[i]] for all i in the profile's arena (order NULL: as they stand); frees the raw column.
struct column32 nsys_take32(struct nsys *nsys, uint32_t *raw, const uint32_t *order, size_t count);
struct column64 nsys_take64(struct nsys *nsys, int64_t *raw, const uint32_t *order, size_t count);
void *nsys_take(struct nsys *nsys, void *raw, const uint32_t *order, size_t count, size_t size);
// Rows by (group, time, second). Groups are few and dense; that of a row is of[key[row]], where `of` is
// NULL its key. In scratch; fills first[groups + 1].
uint32_t *nsys_order(struct nsys *nsys, const uint32_t *key, const uint32_t *of, uint32_t groups,
                     const int64_t *time, const int64_t *second, uint32_t count, uint32_t *first);
// The same by start and, of those that start together, the longer one first: it is the outer one.
uint32_t *nsys_order_outer(struct nsys *nsys, const uint32_t *key, const uint32_t *of,
                           uint32_t groups, const int64_t *start, int64_t *end, uint32_t count,
                           uint32_t *first);

// ---- load_nsys_times.c: which times are believed ------------------------------------------------

struct nsys_time_column {
    const char *table, *column;
};
void nsys_find_origin(struct nsys *nsys, const struct nsys_time_column *columns, size_t count);
bool nsys_is_time(const struct nsys *nsys, int64_t time);

// ---- load_nsys_seek.c: rows by their times -------------------------------------------------------

// A table whose rows stand in order of their times, as far as samples tell: what is asked of it costs
// a few looks and not all rows.
struct nsys_seek {
    struct nsys *nsys;
    const struct nsys_table *table;
    sqlite3_stmt *row; // rowid and time of the first one from ?1 on
    bool is_sorted;
};
// Of the column that tells the time. False: there is no such table, row or column.
bool nsys_seek_open(struct nsys *nsys, const char *base, const char *column,
                    struct nsys_seek *seek);
void nsys_seek_close(struct nsys_seek *seek);
// The first row at that time or later; behind the last row: there is none. Only where it is sorted.
int64_t nsys_seek_row(const struct nsys_seek *seek, int64_t time);
// Time of the first row from that one on; false: there is none.
bool nsys_seek_time(const struct nsys_seek *seek, int64_t row, int64_t *time);

// ---- what loaders ask of a number or a text ------------------------------------------------------

// Of a process or any thread of it: the number of the process.
static inline int64_t nsys_pid(const struct nsys *nsys, int64_t global_id)
{
    return global_id & ~((INT64_C(1) << nsys->dialect->tid_bits) - 1);
}

#endif
