// SPDX-License-Identifier: Apache-2.0
#include "cli/cli_digest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text/atomic_file.h"
#include "base/text/format.h"
#include "base/text/text.h"
#include "model/digest/digest.h"
#include "model/open/open.h"

bool cli_expand_variables(const char **name, struct arena *arena, struct error *error)
{
    static const char begin[] = "%q{";
    struct bytes text = {.arena = arena};
    const char *at = *name, *found, *end;
    while ((found = strstr(at, begin)) && (end = strchr(found, '}'))) {
        const char *variable_start = found + sizeof begin - 1;
        const char *variable = arena_copy(arena, variable_start, (size_t)(end - variable_start));
        const char *value = getenv(variable);
        if (!value)
            return error_set(error, ERROR_USAGE, "%s: the environment has no %s", *name, variable);
        bytes_add(&text, at, (size_t)(found - at));
        bytes_text(&text, value);
        at = end + 1;
    }
    if (at == *name)
        return true;
    bytes_text(&text, at);
    *name = arena_copy(arena, text.items, text.count);
    return true;
}

bool cli_check_digest(const struct cli *cli, struct error *error)
{
    struct stat status;
    return !cli->digest || cli->force || lstat(cli->digest, &status) != 0 ||
           error_set(error, ERROR_IO, "%s: exists already; not overwritten (--force=true replaces)",
                     cli->digest);
}

bool cli_write_digest(const struct cli *cli, const struct profile *part,
                      void (*tell)(const char *line), struct arena *arena, struct error *error)
{
    struct bytes digest;
    char size[FORMAT_SIZE];
    if (part->told)
        return error_set(error, ERROR_USAGE, "--digest: %s has no digest: %s",
                         part->sources[0].path, profile_no_digest(part->sources[0].path));
    digest_encode(part, part->workers, &digest, arena);
    format_bytes(size, (int64_t)digest.count);
    if (!atomic_file_write(cli->digest, cli->force ? ATOMIC_FILE_REPLACE : ATOMIC_FILE_NEW,
                           atomic_file_bytes, &digest, arena, error))
        return false;
    if (cli->verbosity >= VERBOSITY_NORMAL)
        tell(arena_format(arena, "%s written, %s",
                          text_safe(arena, cli->digest, strlen(cli->digest), true), size));
    return true;
}
