// SPDX-License-Identifier: Apache-2.0
// Lists the export formats, and writes files atomically.
#include "analysis/export/export.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/export/export_list.h"
#include "analysis/report/value.h"

#define EXPORT_ENTRY(name) &export_##name,
const struct export_format *const export_formats[] = {EXPORT_LIST(EXPORT_ENTRY)};
const size_t export_format_count = sizeof export_formats / sizeof *export_formats;

const struct export_format *export_format_of_file(const char *path)
{
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < export_format_count; i++)
        if (strcmp(export_formats[i]->extension, dot + 1) == 0)
            return export_formats[i];
    return NULL;
}

const struct export_format *export_format_find(const char *name)
{
    for (size_t i = 0; i < export_format_count; i++)
        if (strcmp(export_formats[i]->name, name) == 0)
            return export_formats[i];
    return NULL;
}

struct export_columns export_columns_of(const struct export_table *table, bool for_people,
                                        struct arena *arena)
{
    const struct report *report = table->report;
    struct export_columns columns = {
        .items = ARENA_ARRAY(arena, const struct column *, report->column_count + 1)};
    for (size_t i = 0; table->columns && i < table->column_count; i++)
        columns.items[columns.count++] = &report->columns[table->columns[i]];
    for (size_t c = 0; !table->columns && c < report->column_count; c++)
        if (!(report->columns[c].flags & (for_people ? COLUMN_SLOT | COLUMN_DETAIL : COLUMN_SLOT)))
            columns.items[columns.count++] = &report->columns[c];
    return columns;
}

static const struct export_share *share_of(const struct export_table *table,
                                           const struct column *column)
{
    return column->flags & COLUMN_SHARE ? table->share : NULL;
}

const char *export_title(const struct export_table *table, const struct column *column,
                         struct arena *arena)
{
    const struct export_share *share = share_of(table, column);
    if (export_is_per_step(table, column))
        return arena_format(arena, "%s per %s", column->title, parts_name(&table->parts, column));
    return share ? share->title : column->title;
}

const char *export_head(const struct export_table *table, const struct column *column)
{
    const struct export_share *share = share_of(table, column);
    return share ? share->head : column->head;
}

size_t export_row_count(const struct export_table *table)
{
    return table->order ? table->count : table->rows.count;
}

const void *export_row(const struct export_table *table, size_t i)
{
    return report_row(table->report, &table->rows, table->order ? table->order[i] : i);
}

bool export_is_per_step(const struct export_table *table, const struct column *column)
{
    return parts_of(&table->parts, column) > 1;
}

struct value export_value(const struct export_table *table, const struct column *column,
                          const void *row)
{
    const struct export_share *share = share_of(table, column);
    return share ? share->get(share->context, row)
                 : value_per_step(column, column->get(row), &table->parts);
}

bool export_check_other(const char *path, const char *read, const char *what, struct error *error)
{
    struct stat here, there;
    if (!read || stat(path, &here) != 0 || stat(read, &there) != 0 || here.st_dev != there.st_dev ||
        here.st_ino != there.st_ino)
        return true;
    return error_set(error, ERROR_USAGE,
                     "%s is the %s that is read: it is not replaced; name another file", path,
                     what);
}

// Returns the mode of a new file under the current umask; mkstemp() itself grants only the owner.
// Reading the umask sets it for all threads, hence the mutex.
static mode_t new_file_mode(void)
{
    static pthread_mutex_t alone = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&alone);
    mode_t mask = umask(022);
    umask(mask);
    pthread_mutex_unlock(&alone);
    return 0666 & ~mask;
}

bool export_beside(const char *path, enum export_how how,
                   bool (*fill)(void *context, const char *temp_path, int descriptor,
                                struct error *error),
                   void *context, struct arena *arena, struct error *error)
{
    struct stat status;
    const bool force = how != EXPORT_NEW;
    if (!force && lstat(path, &status) == 0)
        return error_set(error, ERROR_IO, "%s: exists already; not overwritten", path);
    // rename() would replace even root's /dev/null.
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
        return error_set(error, ERROR_IO, "%s: is not a file; not overwritten", path);
    char *temporary = arena_format(arena, "%s.XXXXXX", path);
    int descriptor = mkstemp(temporary);
    if (descriptor < 0)
        return error_set(error, ERROR_IO, "%s: cannot write here: %s", path, strerror(errno));
    struct error why = {0};
    errno = 0;
    bool done = fill(context, temporary, descriptor, &why) &&
                (how == EXPORT_PRIVATE || fchmod(descriptor, new_file_mode()) == 0) &&
                fsync(descriptor) == 0;
    int reason = errno;
    if (close(descriptor) != 0 && done) {
        done = false;
        reason = errno;
    }
    // link() fails where rename() would replace a file that someone else has made in the meantime.
    if (done && !force && link(temporary, path) != 0) {
        reason = errno;
        done = reason != EEXIST && rename(temporary, path) == 0;
        if (done)
            return true;
    } else if (done && force && rename(temporary, path) == 0) {
        return true;
    } else if (done && force) {
        reason = errno;
        done = false;
    }
    unlink(temporary);
    if (done)
        return true;
    if (why.kind != ERROR_NONE) {
        *error = why;
        return false;
    }
    return error_set(error, ERROR_IO, "%s: writing failed: %s", path,
                     reason ? strerror(reason) : "out of memory");
}

struct stream_write {
    bool (*write)(void *context, FILE *file);
    void *context;
};

static bool stream_fill(void *context, const char *temp_path, int descriptor, struct error *error)
{
    const struct stream_write *stream = context;
    int own = dup(descriptor);
    FILE *file = own < 0 ? NULL : fdopen(own, "w");
    (void)temp_path;
    (void)error;
    if (!file) {
        int reason = errno;
        close(own);
        errno = reason;
        return false;
    }
    errno = 0;
    bool done = stream->write(stream->context, file) && !ferror(file) && fflush(file) == 0;
    int reason = errno;
    if (fclose(file) != 0 && done)
        return false;
    errno = reason;
    return done;
}

bool export_atomic(const char *path, enum export_how how, bool (*write)(void *context, FILE *file),
                   void *context, struct arena *arena, struct error *error)
{
    struct stream_write stream = {write, context};
    return export_beside(path, how, stream_fill, &stream, arena, error);
}

bool export_plain(void *text, FILE *file)
{
    const char *const *plain = text;
    return fputs(*plain, file) >= 0;
}

bool export_bytes(void *bytes, FILE *file)
{
    return bytes_write(bytes, file);
}

struct table_write {
    const struct export_table *table;
    const struct export_format *format;
    struct arena *arena;
    FILE *file;
};

static bool table_write_body(void *context, struct error *error)
{
    (void)error;
    struct table_write *write = context;
    return write->format->write(write->table, write->file, write->arena);
}

static bool table_write(void *context, FILE *file)
{
    struct table_write *write = context;
    write->file = file;
    return arena_run(write->arena, table_write_body, write, NULL);
}

bool export_file(const char *path, bool force, const struct export_table *table,
                 const struct export_format *format, struct arena *arena, struct error *error)
{
    struct table_write write = {table, format, arena, NULL};
    return export_atomic(path, force ? EXPORT_REPLACE : EXPORT_NEW, table_write, &write, arena,
                         error);
}
