// SPDX-License-Identifier: Apache-2.0
// Writes a temporary file in the folder of the target, then renames or links it to the target's
// name.
#include "base/text/atomic_file.h"
#include "base/text/bytes.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Returns the permissions of a new file under the current umask; mkstemp() gives permissions to the
// owner only. The umask can only be read by setting it, which affects all threads, hence the mutex.
static mode_t new_file_mode(void)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&mutex);
    mode_t mask = umask(022);
    umask(mask);
    pthread_mutex_unlock(&mutex);
    return 0666 & ~mask;
}

bool atomic_file_fill(const char *path, enum atomic_file_mode mode,
                      bool (*fill)(void *context, const char *beside, int descriptor,
                                   struct error *error),
                      void *context, struct arena *arena, struct error *error)
{
    struct stat status;
    const bool force = mode != ATOMIC_FILE_NEW;
    if (!force && lstat(path, &status) == 0)
        return error_set(error, ERROR_IO, "%s: exists already; not overwritten", path);
    // rename() would replace root's /dev/null as well.
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
        return error_set(error, ERROR_IO, "%s: is not a file; not overwritten", path);
    char *temporary = arena_format(arena, "%s.XXXXXX", path);
    int descriptor = mkstemp(temporary);
    if (descriptor < 0)
        return error_set(error, ERROR_IO, "%s: cannot write here: %s", path, strerror(errno));
    struct error why = {0};
    errno = 0;
    bool done = fill(context, temporary, descriptor, &why) &&
                (mode == ATOMIC_FILE_PRIVATE || fchmod(descriptor, new_file_mode()) == 0) &&
                fsync(descriptor) == 0;
    int reason = errno;
    if (close(descriptor) != 0 && done) {
        done = false;
        reason = errno;
    }
    // link() fails if another process has created the file in the meantime; rename() would replace
    // it.
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

static bool stream_fill(void *context, const char *temporary, int descriptor, struct error *error)
{
    const struct stream_write *stream = context;
    int copy = dup(descriptor);
    FILE *file = copy < 0 ? NULL : fdopen(copy, "w");
    (void)temporary;
    (void)error;
    if (!file) {
        int reason = errno;
        close(copy);
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

bool atomic_file_write(const char *path, enum atomic_file_mode mode,
                       bool (*write)(void *context, FILE *file), void *context, struct arena *arena,
                       struct error *error)
{
    struct stream_write stream = {write, context};
    return atomic_file_fill(path, mode, stream_fill, &stream, arena, error);
}

bool atomic_file_text(void *text, FILE *file)
{
    const char *const *plain = text;
    return fputs(*plain, file) >= 0;
}

bool atomic_file_bytes(void *bytes, FILE *file)
{
    return bytes_write(bytes, file);
}
