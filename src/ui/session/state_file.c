// SPDX-License-Identifier: Apache-2.0
#include "ui/session/state_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text/atomic_file.h"
#include "base/xdg.h"

// Returns the path of a state file, or NULL if no folder for it is known. With `make` its folders
// are created.
static char *path_of(const char *name, bool make, struct arena *arena)
{
    const char *path = xdg_path(arena, XDG_STATE, name);
    if (path && make && !xdg_make_folder_of(arena, path))
        return NULL;
    return path ? arena_text(arena, path) : NULL;
}

bool state_file_create_once(const char *name, struct arena *arena)
{
    const char *path = path_of(name, true, arena);
    int file = path ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
    if (file >= 0)
        close(file);
    return file >= 0;
}

char *state_file_read(const char *name, size_t most, struct arena *arena)
{
    const char *path = path_of(name, false, arena);
    // before open(): a failed allocation would leak the descriptor
    char *text = ARENA_ARRAY(arena, char, most + 1);
    int number = path ? open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;
    struct stat status;
    bool is_file = number >= 0 && fstat(number, &status) == 0 && S_ISREG(status.st_mode);
    FILE *file = is_file ? fdopen(number, "r") : NULL;
    if (file) {
        text[fread(text, 1, most, file)] = 0;
        fclose(file);
    } else if (number >= 0) {
        close(number);
    }
    return file ? text : NULL;
}

bool state_file_write(const char *name, bool (*write)(void *context, FILE *file), void *context,
                      struct arena *arena)
{
    const char *path = path_of(name, true, arena);
    return path && atomic_file_write(path, ATOMIC_FILE_PRIVATE, write, context, arena, NULL);
}
