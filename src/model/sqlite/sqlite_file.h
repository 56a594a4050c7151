// SPDX-License-Identifier: Apache-2.0
// Reading profiles that are SQLite files: the guarded database, its tables by slices, raw columns.
// Used by the loaders of nsys, nvprof and DLProf's databases only (through
// model/nsys/nsys_tables.h).
//
// A table is read in slices, each of which is a span of its rowids:
// 1. nsys_slices_add() divides the table, depending only on its size. Raw columns (arrays with one
//    item per possible rowid) are allocated.
// 2. nsys_slices_read() reads the slices on several threads, each with its own connection and
//    memory. Numbers are stored in the raw columns. Texts and other keys get local ids.
// 3. nsys_slices_merge() replaces the local ids by ids of the profile, slice by slice in table
//    order. The result therefore does not depend on the number of threads.
// 4. nsys_slices_compact() removes the unused items of the raw columns, and nsys_gather*() moves
//    them to the profile in sorted order.
#ifndef MODEL_SQLITE_SQLITE_FILE_H
#define MODEL_SQLITE_SQLITE_FILE_H

#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/parallel.h"
#include "base/tuples.h"
#include "model/profile/loader.h"
#include "model/profile/time_limits.h"

enum { NSYS_POOL = 64, NSYS_RAW = 64, NSYS_SPANS = 3 };

struct nsys;
struct table_reader;
struct table_slices;
struct table_slice;
struct sqlite_table;

// A span of rows that is read.
struct slice_span {
    int64_t first_row, last_row; // if the table has rowids
    uint32_t rows;               // upper bound
    const char *where;           // condition on ?5 and ?6; NULL: none
};

// Another tool's name of a table or column that is requested by nsys's name.
struct nsys_alias {
    const char *table;  // nsys's name; NULL: any table
    const char *column; // nsys's name; NULL: the table itself
    // The tool's table name, or an expression of its columns: ?3 is the file's time that the
    // profile calls 0, ?4 is nsys->pid.
    const char *is;
    const char *needs; // the columns in it, separated by blanks; NULL: none
};

// A tool that writes CUPTI's records into SQLite, and the differences of its files from nsys's.
struct nsys_dialect {
    const char *format;     // name of the loader
    const char *tool;       // "Nsight Systems"
    const char *what;       // "an export of Nsight Systems"
    const char *again;      // advice for an incomplete file
    const char *string_key; // its name for StringIds.id
    // Size of a thread's number in a global id; the bits above are the process.
    int tid_bits;
    const struct nsys_alias *aliases;        // terminated by an empty one; NULL: none
    bool (*is_own)(const struct nsys *nsys); // by the names of its tables; NULL: not checked
    // Reader of NVTX ranges, for tables that have `range_column` and rows that satisfy
    // `range_rows`.
    const struct table_reader *ranges;
    const char *range_column, *range_rows;
    // Called when all rows are read; NULL.
    void (*end_ranges)(struct nsys *nsys, struct table_slices *slices);
    // Called when the origin of times is known; NULL: nothing to do.
    void (*open)(struct nsys *nsys);
    void (*read_capture)(struct nsys *nsys);
    void (*read_names)(struct nsys *nsys); // of the processes and threads that have records
    // Returns the spans of a table to read, in order, and sets up a slice for them.
    size_t (*spans)(struct nsys *nsys, const struct table_reader *reader,
                    const struct sqlite_table *table, struct slice_span spans[NSYS_SPANS],
                    struct table_slice *slice);
    // Texts of negative ids, which no table has; NULL: none.
    const char *(*text)(int64_t id, struct arena *arena);
};

struct sqlite_object { // an entry of the file's schema
    const char *name;
    bool is_table; // false: a view or a virtual table
};

struct sqlite_table {
    const char *name; // as in the file
    const char *base; // nsys's name
    const struct nsys_dialect *dialect;
    size_t column_count;
    const char **columns;
    const char *key; // column that is an alias of the rowid, or NULL
    bool has_rowid;
    int64_t first_row, last_row; // if has_rowid; last_row < first_row when the table is empty
    uint32_t capacity;           // maximum number of rows
};

// Reasons for skipping rows, listed in table_count.why.
enum skip_reason {
    SKIP_TIME,        // no start or end
    SKIP_BACKWARDS,   // ends before it starts
    SKIP_IMPLAUSIBLE, // an impossible time or duration
    SKIP_EXCESS,      // more rows than the table can hold: the file is damaged
    SKIP_THREAD,      // the thread is unknown
    SKIP_COUNT
};

// The rows of a table that an excerpt needs, by time.
enum excerpt_extent {
    EXTENT_ALL,     // all: they have no times, or apply to later times
    EXTENT_WORK,    // GPU work, also work launched in the excerpt that runs later
    EXTENT_CALLS,   // calls, also earlier ones whose work runs in the excerpt
    EXTENT_RANGES,  // ranges, also those around such calls
    EXTENT_SPANS,   // rows that overlap the excerpt, from `start` to `end`
    EXTENT_SAMPLES, // rows inside the excerpt, by `timestamp`
    EXTENT_BEFORE,  // rows that begin before its end
};

struct table_slice;
struct table_reader {
    const char *table;          // nsys's base name, as in its documentation
    const char *const *columns; // requested columns, NULL-terminated; "a|b": the first that exists
    void (*begin)(struct table_slice *slice); // NULL: nothing to prepare
    void (*row)(struct table_slice *slice, sqlite3_value **row);
    enum excerpt_extent extent;
};

struct table_slice {
    struct nsys *nsys;
    const struct table_reader *reader;
    const struct sqlite_table *table;
    void *target;                // raw columns of the table's kind
    int64_t first_row, last_row; // if the table has rowids
    uint32_t base, capacity;     // range of rows of the raw columns
    uint32_t count;              // rows filled
    int64_t rows, skipped[SKIP_COUNT];
    int64_t reported;   // rows counted in `progress`
    int64_t text_bytes; // bytes since the last deduction from text_left
    bool is_endless;
    sqlite3_value **cells; // of the current row
    struct arena *arena;
    struct strings *strings; // local texts
    struct tuples text_ids;  // ids seen of StringIds; text_of has their local ids
    string_id *text_of;
    size_t text_capacity;
    string_id *names; // after the merge: local id -> id in the profile
    void *local;      // private data of the reader
    sqlite3 *db;
    sqlite3_stmt *statement, *text_statement;
    const char *where;   // condition of its span
    int64_t least, most; // values of ?5 and ?6 in it
    bool done;
    char damage[120]; // SQLite's message when the table cannot be read completely
    struct error error;
};

struct table_slices {
    size_t count, capacity;
    struct table_slice *items;
    uint32_t rows; // capacity of the raw columns
    void *raw;     // target of all slices when they are read ahead
    bool is_begun; // read ahead by other threads
    struct parallel run;
};

struct nsys_early_call { // a call before the excerpt whose work runs in it
    int64_t thread, start, end;
};

// The rows to read for an excerpt of a file. Its lists are in the profile's arena.
struct nsys_excerpt {
    bool is_on;
    struct file_window of; // on the file's clock
    int64_t launches_from; // the earliest time of launches whose work is in the excerpt
    int64_t work_until;    // the latest start of work launched in the excerpt, as far as is known
    // (process, correlation) of calls in [launches_from, work_until) that do not overlap the
    // excerpt.
    struct tuples apart;
    bool *is_wanted; // per row of `apart`: its work overlaps the excerpt
    size_t early_count, early_capacity;
    struct nsys_early_call *early; // the wanted calls, by thread and start
};

struct nsys {
    const struct load_request *request;
    const struct nsys_dialect *dialect;
    const char *shown; // the file's name as the user gave it
    struct profile *profile;
    struct load_progress *progress, no_progress;
    struct arena *arena;   // the profile's
    struct arena *scratch; // released after each stage
    const char *real;      // path without symbolic links
    struct stat found;     // state of the file when it was opened
    const char *uri;
    int64_t bytes;
    bool has_extent; // first_ns and last_ns of the profile are set
    int64_t epoch;   // the file's time that the profile calls 0
    int64_t origin;  // a time in the middle of the file
    int64_t pid;     // process number for rows without one
    // Steps that SQLite's virtual machine may still execute. A query that needs more is treated as
    // endless.
    atomic_int_fast64_t steps_left;
    atomic_int_fast64_t text_left; // bytes of text; rows that need more are taken to share texts
    atomic_int failure;            // first failed result code of SQLite
    sqlite3 *db;
    unsigned threads;
    pthread_mutex_t lock; // of the pool
    sqlite3 *pool[NSYS_POOL];
    size_t pool_count;
    // Slices to release when a load fails: those being read, and those that other threads read
    // ahead while this one processes the previous ones.
    struct table_slices *open, *ahead;
    atomic_bool is_over;                 // the load has failed
    struct table_slices *calls, *ranges; // started or being read
    struct raw_column {
        void *data;
        size_t size;                   // bytes per item
        const struct table_slices *of; // slices whose rows it has, unpacked; NULL: packed
        struct arena *arena;
    } raw[NSYS_RAW];
    _Atomic(const char *) disguised; // a view or virtual table that has a table's name
    size_t object_count, object_capacity;
    struct sqlite_object *objects;
    const struct sqlite_table *strings; // StringIds, or NULL
    const char *text_column;            // its column of texts
    struct tuples loaded_ids;           // StringIds read completely, when its ids are no rowids
    const char **loaded_texts;
    size_t loaded_capacity;
    size_t process_capacity, table_capacity;
    struct tuples processes;    // global pid -> row of the profile's processes
    struct tuples threads_seen; // global tid -> row of the profile's threads
    struct tuples device_keys;  // (process, ordinal) of all devices with work ...
    uint32_t *device_rows;      // ... -> row of the profile's devices
    struct nsys_excerpt file_window;
    unsigned rank_variable, world_variable; // from which the rank and the number of ranks are
                                            // known, see ranks.h
    size_t thread_capacity, domain_capacity;
    struct thread *thread_items;
};

// ---- the file ----------------------------------------------------------------------------------

// Checks for journals and missing pages.
bool nsys_check_file(struct nsys *nsys, struct error *error);
bool nsys_is_unchanged(const struct nsys *nsys, struct error *error); // since nsys_check_file()
const char *nsys_uri(struct nsys *nsys);                              // of nsys->real
// For probes: whether a file with this head is a SQLite file, and whether for each name the file
// has a table whose name begins with it. Sets `error` when the machine prevented the check.
bool nsys_is_sqlite(const unsigned char *head, size_t head_size);
bool nsys_has_tables(const char *path, const char *const *names, struct error *error);

// ---- connections, schema, statements -----------------------------------------------------------

sqlite3 *nsys_connect(struct nsys *nsys, struct error *error); // connects to nsys->uri
bool nsys_schema(struct nsys *nsys, struct error *error);
// Returns the table of that base name (or the highest version _V2, _V3 ... that has rows), or NULL.
const struct sqlite_table *sqlite_table(struct nsys *nsys, const char *base);
bool nsys_has_column(const struct sqlite_table *table, const char *column);
bool nsys_has_rows(struct nsys *nsys, const struct sqlite_table *table, const char *where);
// Prepares a statement over the requested columns on the main connection, with NULL for columns
// that the table lacks. Returns NULL on failure.
sqlite3_stmt *nsys_select(struct nsys *nsys, const struct sqlite_table *table,
                          const char *const *columns);
// The same for rowids ?1 to ?2, in order; `where` (or "") is an additional condition.
sqlite3_stmt *nsys_select_rows(struct nsys *nsys, const struct sqlite_table *table,
                               const char *const *columns, const char *where);
// Indexes of parameters. ?1 and ?2 are rowids, or keys.
enum { NSYS_BIND_EPOCH = 3, NSYS_BIND_PID = 4, NSYS_BIND_MIN = 5, NSYS_BIND_MAX = 6 };
// nsys_select_each() passes the columns to the aggregate function NSYS_ROW_FUNCTION, for rowids ?1
// to ?2 if the table has rowids. SQLite calls the function for each row, which is cheaper than a
// step and a call per column.
#define NSYS_ROW_FUNCTION "take"
// `where` (or NULL) is an additional condition.
sqlite3_stmt *nsys_select_each(struct nsys *nsys, sqlite3 *db, struct arena *arena,
                               const struct sqlite_table *table, const char *const *columns,
                               const char *where);
// Calls `row` for each row of a small table on the main connection, until its texts exceed what a
// file can hold.
bool nsys_each_row(struct nsys *nsys, const char *base, const char *const *columns,
                   void (*row)(struct nsys *nsys, sqlite3_value **row, void *context),
                   void *context);

// The cells of a row belong to SQLite and are valid until the next row; a connection is used by one
// thread at a time.
bool cell_number(sqlite3_value *cell, int64_t *value); // false: NULL or not a number
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

// Reads the id of a process or a thread: an integer, or (nvprof) a blob of two. False: it is
// neither.
bool cell_thread(const struct nsys *nsys, sqlite3_value *cell, int64_t *thread);
// Returns the cell's text, cut to `limit` bytes, in `arena`; "" for NULL.
const char *cell_copy(sqlite3_value **row, int column, size_t limit, struct arena *arena);

// ---- queries that record their failures --------------------------------------------------------

sqlite3_stmt *nsys_prepare(struct nsys *nsys, sqlite3 *db, const char *sql); // NULL: failed
int nsys_step(struct nsys *nsys, sqlite3_stmt *statement);
void nsys_record_error(struct nsys *nsys, int status); // keeps the status if it is a failure
// Returns false when the disk or memory failed, or the file has changed or is forged.
bool nsys_is_readable(struct nsys *nsys, struct error *error);
void nsys_note_damage(struct nsys *nsys); // reports other failures, which are damage of the file

// ---- slices ------------------------------------------------------------------------------------

void nsys_slices_add(struct nsys *nsys, struct table_slices *slices,
                     const struct table_reader *reader, const struct sqlite_table *table,
                     void *target);
// Starts reading on all threads but this one, until nsys_slices_read(). The slices, their raw
// columns and targets must be in the profile's arena, since `scratch` is released in the meantime.
void nsys_slices_read_ahead(struct nsys *nsys, struct table_slices *slices);
bool nsys_slices_read(struct nsys *nsys, struct table_slices *slices, const char *doing,
                      struct error *error);
void nsys_slices_abandon(struct nsys *nsys); // releases all slices that are being read
// Interns the texts of each slice into the profile (slice->names) and counts rows into
// profile->tables.
void nsys_slices_merge(struct nsys *nsys, struct table_slices *slices);
void nsys_slices_close(struct nsys *nsys, struct table_slices *slices);
// Makes the raw columns of these slices dense. Returns the number of rows.
uint32_t nsys_slices_compact(struct nsys *nsys, const struct table_slices *slices);

// Reads start and end of a row. False: the row is counted as skipped.
bool slice_times(struct table_slice *slice, sqlite3_value **row, int start_column, int64_t *start,
                 int64_t *end);
bool slice_room(struct table_slice *slice, uint32_t *at); // reserves the next raw row
// Returns a text of a row, or NULL. All texts are read by this function, which limits their total
// size to what the file can hold.
const char *slice_cell(struct table_slice *slice, sqlite3_value **row, int column, size_t *length);
string_id slice_text(struct table_slice *slice, sqlite3_value **row, int column);
string_id slice_text_by_id(struct table_slice *slice, sqlite3_value **row, int column);

// ---- raw columns -------------------------------------------------------------------------------

// Allocates a column in memory of its own, which nsys_raw_free() returns to the system at once.
void *nsys_raw_alloc(struct nsys *nsys, size_t count, size_t size);
// Allocates a column for all rows of the slices.
void *nsys_raw_column(struct nsys *nsys, const struct table_slices *slices, size_t size);
void nsys_raw_free(struct nsys *nsys, void *data);
// Return raw[order[i]] for all i, in the profile's arena (order NULL: unchanged), and free the raw
// column.
struct column32 nsys_gather32(struct nsys *nsys, uint32_t *raw, const uint32_t *order,
                              size_t count);
struct column64 nsys_gather64(struct nsys *nsys, int64_t *raw, const uint32_t *order, size_t count);
void *nsys_gather(struct nsys *nsys, void *raw, const uint32_t *order, size_t count, size_t size);
// Sorts rows by (group, time, second). Groups are few and dense; the group of a row is
// of[key[row]], or key[row] when `of` is NULL. Returns the order, in scratch memory; fills
// first[groups + 1].
uint32_t *nsys_order(struct nsys *nsys, const uint32_t *key, const uint32_t *of, uint32_t groups,
                     const int64_t *time, const int64_t *second, uint32_t count, uint32_t *first);
// Sorts by (group, start). Of ranges with the same start the longest is first, since it encloses
// the others.
uint32_t *nsys_order_outer(struct nsys *nsys, const uint32_t *key, const uint32_t *of,
                           uint32_t groups, const int64_t *start, int64_t *end, uint32_t count,
                           uint32_t *first);

// ---- plausible times ---------------------------------------------------------------------------

struct nsys_time_column {
    const char *table, *column;
};
void nsys_find_origin(struct nsys *nsys, const struct nsys_time_column *columns, size_t count);
bool nsys_is_plausible_time(const struct nsys *nsys, int64_t time);

// ---- rows by time ------------------------------------------------------------------------------

// A table whose rows are in order of time, as far as samples show, so that a look-up reads a few
// rows only.
struct nsys_seek {
    struct nsys *nsys;
    const struct sqlite_table *table;
    sqlite3_stmt *row; // rowid and time of the first row from ?1 on
    bool is_sorted;
};
// `column` has the time. Returns false when there is no such table, column or row.
bool nsys_seek_open(struct nsys *nsys, const char *base, const char *column,
                    struct nsys_seek *seek);
void nsys_seek_close(struct nsys_seek *seek);
// Returns the first row at or after `time`; past the last row when there is none. Requires
// is_sorted.
int64_t nsys_seek_row(const struct nsys_seek *seek, int64_t time);
// Reads the time of the first row from `row` on; false: there is none.
bool nsys_seek_time(const struct nsys_seek *seek, int64_t row, int64_t *time);

// ---- global ids --------------------------------------------------------------------------------

// Returns the process number of a process or of any of its threads.
static inline int64_t nsys_pid(const struct nsys *nsys, int64_t global_id)
{
    return global_id & ~((INT64_C(1) << nsys->dialect->tid_bits) - 1);
}

#endif
