// SPDX-License-Identifier: Apache-2.0
#include "paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct kept {
    struct kept *next;
    char path[];
};

static struct kept *all;

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
    for (struct kept *kept = all; kept; kept = kept->next)
        if (strcmp(kept->path, path) == 0)
            return kept->path;
    struct kept *kept = malloc(sizeof *kept + size);
    if (!kept)
        abort();
    memcpy(kept->path, path, size);
    kept->next = all;
    all = kept;
    return kept->path;
}

const char *source_path(const char *below)
{
    return path_below("SOURCE_DIR", below);
}

const char *build_path(const char *below)
{
    return path_below("BUILD_DIR", below);
}
