// SPDX-License-Identifier: Apache-2.0
// The database file itself: its URI, whether it is complete, and whether it changes while it is
// read.
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/sqlite/sqlite_file.h"

enum {
    HEAD_BYTES = 100,     // size of the header of a SQLite file
    STEPS_PER_BYTE = 16,  // steps of SQLite's virtual machine; sane files need less than one
    MIN_STEPS = 40000000, // allowance for files of a few pages
    TEXTS_PER_BYTE = 16,  // bytes of text; each slice looks up the texts that it needs
    MIN_TEXT = 1 << 28,
};

#define HOW_TO_EXPORT_AGAIN "nsys export --type=sqlite --force-overwrite=true REPORT.nsys-rep"

enum { URI_EXTRA = 32 }; // bytes around a path; each byte of the path takes at most three

static void write_uri(char *out, const char *path)
{
    out += sprintf(out, "file:");
    for (const unsigned char *at = (const unsigned char *)path; *at; at++) {
        if (isalnum(*at) || strchr("/._-~", *at))
            *out++ = (char)*at;
        else
            out += sprintf(out, "%%%02X", *at);
    }
    strcpy(out, "?immutable=1");
}

const char *nsys_uri(struct nsys *nsys)
{
    char *uri = arena_alloc(nsys->arena, 3 * strlen(nsys->real) + URI_EXTRA, 1);
    write_uri(uri, nsys->real);
    return uri;
}

// ---- probes ------------------------------------------------------------------------------------

bool nsys_is_sqlite(const unsigned char *head, size_t head_size)
{
    static const char magic[16] = "SQLite format 3";
    return head_size >= sizeof magic && memcmp(head, magic, sizeof magic) == 0;
}

static bool has_name(struct nsys *nsys, sqlite3_stmt *row, const char *name)
{
    bool is_found = false;
    sqlite3_reset(row);
    while (!is_found && nsys_step(nsys, row) == SQLITE_ROW) {
        const char *own = (const char *)sqlite3_column_text(row, 0);
        is_found = own && strncasecmp(own, name, strlen(name)) == 0;
    }
    return is_found;
}

// Uses no arena. Errors of the file itself are left to the loader, which reports them.
bool nsys_has_tables(const char *path, const char *const *names, struct error *error)
{
    char real[PATH_MAX], uri[3 * PATH_MAX + URI_EXTRA];
    if (!realpath(path, real))
        return false;
    write_uri(uri, real);
    struct load_request request = {.path = path};
    struct load_progress progress = {.wake_fd = -1};
    struct nsys nsys = {.request = &request, .progress = &progress, .uri = uri};
    atomic_store(&nsys.steps_left, MIN_STEPS);
    sqlite3 *db = nsys_connect(&nsys, error);
    sqlite3_stmt *row = db ? nsys_prepare(&nsys, db, "SELECT name FROM sqlite_master") : NULL;
    bool has_all = row != NULL;
    for (; has_all && *names; names++)
        has_all = has_name(&nsys, row, *names);
    sqlite3_finalize(row);
    sqlite3_close(db);
    return nsys_is_readable(&nsys, error) && has_all;
}

static bool refuse_journal(const char *path, const char *real, const char *suffix,
                           struct error *error)
{
    char journal[PATH_MAX + 16];
    struct stat status;
    snprintf(journal, sizeof journal, "%s%s", real, suffix);
    if (stat(journal, &status) != 0 || status.st_size == 0)
        return true;
    return error_set(error, ERROR_DATA,
                     "%s is not whole: %s (%lld bytes) lies beside it and holds rows that are not "
                     "in the file yet, or changes to take back.\n"
                     "Wait until the program that writes it is done, export the report again "
                     "(" HOW_TO_EXPORT_AGAIN "),\n"
                     "or open what the file itself holds with --ignore-journal.",
                     path, journal, (long long)status.st_size);
}

static uint32_t big_endian(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

// Reports a file that is shorter than its header says. SQLite would only call it malformed, which
// does not tell the user what to do.
static bool check_pages(const struct nsys *nsys, const unsigned char head[HEAD_BYTES],
                        struct error *error)
{
    int64_t page = (int64_t)head[16] << 8 | head[17];
    if (page == 1)
        page = 65536;
    int64_t pages = big_endian(head + 28);
    bool is_count_valid = big_endian(head + 24) == big_endian(head + 92);
    long long whole = page * pages, there = nsys->bytes;
    if (!is_count_valid || pages == 0 || whole <= there)
        return true;
    return error_set(error, ERROR_DATA,
                     "%s is cut short: it has %lld bytes and its header says %lld. %s",
                     nsys->request->path, there, whole, nsys->dialect->again);
}

// Reads the header without blocking, since a pipe may have replaced the file after the probe.
static bool read_head(struct nsys *nsys, unsigned char head[HEAD_BYTES], struct error *error)
{
    const char *path = nsys->request->path;
    int file = open(nsys->real, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (file < 0)
        return error_set(error, ERROR_IO, "%s: %s", path, strerror(errno));
    ssize_t got = -1;
    if (fstat(file, &nsys->found) == 0)
        got = S_ISREG(nsys->found.st_mode) ? pread(file, head, HEAD_BYTES, 0) : 0;
    int reason = errno;
    close(file);
    if (got < 0)
        return error_set(error, ERROR_IO, "%s: %s", path, strerror(reason));
    nsys->bytes = nsys->found.st_size;
    if (got == HEAD_BYTES)
        return true;
    return error_set(error, ERROR_DATA,
                     "%s: %lld bytes are no SQLite database: its header alone has 100. "
                     "Copy or export it again.",
                     path, (long long)nsys->bytes);
}

bool nsys_check_file(struct nsys *nsys, struct error *error)
{
    const char *path = nsys->request->path;
    char real[PATH_MAX];
    unsigned char head[HEAD_BYTES] = {0}; // clang's analyzer does not see that it is filled
    if (!realpath(path, real))
        return error_set(error, ERROR_IO, "%s: %s", path, strerror(errno));
    nsys->real = arena_text(nsys->arena, real);
    if (!read_head(nsys, head, error))
        return false;
    atomic_store(&nsys->steps_left, nsys->bytes * STEPS_PER_BYTE + MIN_STEPS);
    atomic_store(&nsys->text_left, nsys->bytes * TEXTS_PER_BYTE + MIN_TEXT);
    if (!nsys->request->ignore_journal)
        return refuse_journal(path, real, "-wal", error) &&
               refuse_journal(path, real, "-journal", error) && check_pages(nsys, head, error);
    struct error journal;
    if (!refuse_journal(path, real, "-wal", &journal) ||
        !refuse_journal(path, real, "-journal", &journal))
        profile_note(nsys->profile, NOTE_WARNING, "journal_ignored", 1, NULL,
                     "a -wal or -journal beside the file was ignored: rows may be missing");
    return check_pages(nsys, head, error);
}

// ---- changes of the file -----------------------------------------------------------------------

// Returns how the file changed since it was opened; NULL: it did not.
static const char *describe_change(const struct nsys *nsys)
{
    const struct stat *then = &nsys->found;
    struct stat now;
    if (stat(nsys->real, &now) != 0)
        return "it is not there any more";
    if (now.st_dev != then->st_dev || now.st_ino != then->st_ino)
        return "another file has its name now";
    if (now.st_size != then->st_size)
        return now.st_size > then->st_size ? "it grew" : "it became shorter";
    if (now.st_mtim.tv_sec != then->st_mtim.tv_sec || now.st_mtim.tv_nsec != then->st_mtim.tv_nsec)
        return "it was written to";
    return NULL;
}

// The file is opened as immutable, by several connections at different times. If it changes, they
// read a mixture of its old and new contents.
bool nsys_is_unchanged(const struct nsys *nsys, struct error *error)
{
    const char *change = nsys->real && nsys->bytes ? describe_change(nsys) : NULL;
    return !change ||
           error_set(error, ERROR_IO,
                     "%s changed while it was read: %s.\nWait until whatever writes it is done, "
                     "and open it again.",
                     nsys->request->path, change);
}
