// SPDX-License-Identifier: Apache-2.0
#include "base/text/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool text_file_is_regular(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static bool read_all(int number, char *bytes, size_t size, size_t *length)
{
    *length = 0;
    while (*length < size) {
        ssize_t got = read(number, bytes + *length, size - *length);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return false;
        if (got == 0)
            break;
        *length += (size_t)got;
    }
    return true;
}

static void find_lines(struct text_file *file, struct arena *arena)
{
    size_t capacity = 0, count = 0, *first = NULL;
    for (size_t at = 0; at < file->length;) {
        ARENA_PUSH(arena, first, count, capacity) = at;
        const char *end = memchr(file->bytes + at, '\n', file->length - at);
        at = end ? (size_t)(end - file->bytes) + 1 : file->length;
    }
    file->count = count;
    ARENA_PUSH(arena, first, count, capacity) = file->length;
    file->first = first;
}

bool text_file_bytes(const char *path, size_t max_bytes, struct arena *arena,
                     struct text_file *file, struct error *error)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return error_set(error, ERROR_IO, "%s: %s", path, strerror(errno));
    if (!S_ISREG(status.st_mode))
        return error_set(error, ERROR_IO, "%s is no regular file", path);
    if ((size_t)status.st_size > max_bytes)
        return error_set(error, ERROR_IO, "%s is too large to be shown", path);
    size_t size = (size_t)status.st_size;
    char *bytes = arena_alloc(arena, size + 1, 1);
    // O_NONBLOCK: if the file has become a pipe since stat(), open() must not wait for its writer.
    int number = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    bool is_read = number >= 0 && fstat(number, &status) == 0 && S_ISREG(status.st_mode) &&
                   read_all(number, bytes, size, &file->length);
    int why = number < 0 ? errno : 0;
    if (number >= 0)
        close(number);
    if (!is_read)
        return error_set(error, ERROR_IO, "%s cannot be read%s%s", path, why ? ": " : "",
                         why ? strerror(why) : "");
    file->bytes = bytes;
    return true;
}

bool text_file_read_lines(const char *path, size_t max_bytes, struct arena *arena,
                          struct text_file *file, struct error *error)
{
    if (!text_file_bytes(path, max_bytes, arena, file, error))
        return false;
    find_lines(file, arena);
    return true;
}

const char *text_file_line(const struct text_file *file, size_t line, size_t *length)
{
    size_t from = file->first[line], to = file->first[line + 1];
    while (to > from && (file->bytes[to - 1] == '\n' || file->bytes[to - 1] == '\r'))
        to--;
    *length = to - from;
    return file->bytes + from;
}
