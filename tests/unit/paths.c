// SPDX-License-Identifier: Apache-2.0
// Paths below two folders. Each distinct path is stored once and never freed.
#include "paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct stored_path {
    struct stored_path *next;
    char path[];
};

static struct stored_path *stored_paths;

static const char *path_below(const char *variable, const char *below)
{
    const char *folder = getenv(variable);
    if (!folder) {
        fprintf(stderr, "%s is not set; ./dev test FILE sets it\n", variable);
        exit(1);
    }
    size_t size = strlen(folder) + strlen(below) + 1;
    char path[size];
    snprintf(path, size, "%s%s", folder, below);
    for (struct stored_path *stored_path = stored_paths; stored_path;
         stored_path = stored_path->next)
        if (strcmp(stored_path->path, path) == 0)
            return stored_path->path;
    struct stored_path *stored_path = malloc(sizeof *stored_path + size);
    if (!stored_path)
        abort();
    memcpy(stored_path->path, path, size);
    stored_path->next = stored_paths;
    stored_paths = stored_path;
    return stored_path->path;
}

const char *source_path(const char *below)
{
    return path_below("SOURCE_DIR", below);
}

const char *build_path(const char *below)
{
    return path_below("BUILD_DIR", below);
}
