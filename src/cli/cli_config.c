// SPDX-License-Identifier: Apache-2.0
// Reads config.yaml, which sets options by their names on the command line, and finds the user's
// rules.
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/parse/yaml.h"
#include "base/xdg.h"
#include "cli/cli.h"

static const char *kept_word(size_t i)
{
    for (size_t k = 0; k < cli_option_count; k++)
        if (cli_options[k].flags & OPTION_IN_CONFIG && i-- == 0)
            return cli_options[k].name;
    return NULL;
}

static size_t kept_count(void)
{
    size_t count = 0;
    while (kept_word(count))
        count++;
    return count;
}

static bool entry_take(struct cli *cli, const struct yaml_node *node, struct error *error)
{
    const struct cli_option *option = cli_find_option(node->key, strlen(node->key));
    struct error inner = {0};
    if (!option || !(option->flags & OPTION_IN_CONFIG)) {
        if (option)
            error_set(&inner, ERROR_USAGE, "'%s' is for the command line only", node->key);
        else
            cli_unknown_word("no option ", "", node->key, kept_word, kept_count(), &inner);
        return error_set(error, ERROR_USAGE, "%s:%d:%d: %s", node->file, node->key_line,
                         node->key_column, inner.message);
    }
    if (node->kind != YAML_SCALAR)
        return yaml_fail(node, error, "'%s' has one value", node->key);
    if (!option->set(cli, node->text, &inner))
        return yaml_fail(node, error, "%s: %s", node->key, inner.message);
    return cli->cache != CACHE_FILL ||
           yaml_fail(node, error, "%s: %s is for the command line only", node->key, node->text);
}

struct config_reading {
    struct cli *cli;
    const char *path;
    struct arena *arena;
};

static bool read_body(void *context, struct error *error)
{
    const struct config_reading *reading = context;
    const struct yaml_node *root = yaml_read(reading->arena, reading->path, error);
    if (root && root->kind != YAML_MAPPING)
        return yaml_fail(root, error, "a configuration is a mapping of options to values");
    for (size_t i = 0; root && i < root->child_count; i++)
        if (!entry_take(reading->cli, &root->children[i], error))
            return false;
    return root != NULL;
}

bool cli_read_config(struct cli *cli, const char *path, struct arena *arena, struct error *error)
{
    cli->arena = arena;
    struct config_reading reading = {cli, path, arena};
    return arena_run(arena, read_body, &reading, error);
}

// Requires that a folder given by --rules exists; the default folder may be missing.
static bool is_folder(const char *path, struct error *error)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return error_set(error, ERROR_IO, "--rules: %s: %s", path, strerror(errno));
    return S_ISDIR(status.st_mode) ||
           error_set(error, ERROR_IO, "--rules: %s: %s", path, strerror(ENOTDIR));
}

bool cli_find_rules(const struct cli *cli, struct arena *arena, const char **folder,
                    struct error *error)
{
    *folder = cli->rules ? cli->rules : xdg_path(arena, XDG_CONFIG, "rules");
    return !cli->rules || is_folder(cli->rules, error);
}
