// SPDX-License-Identifier: Apache-2.0
// From the words of the command line to the setters of the options.
#include "cli.h"

#include <string.h>
#include <unistd.h>

#include "base/xdg.h"

static const char *option_word(size_t i)
{
    return cli_options[i].name;
}

const struct cli_option *cli_find_option(const char *name, size_t length)
{
    for (size_t i = 0; i < cli_option_count; i++) {
        const struct cli_option *option = &cli_options[i];
        if ((strlen(option->name) == length && memcmp(option->name, name, length) == 0) ||
            (option->other && strlen(option->other) == length &&
             memcmp(option->other, name, length) == 0))
            return option;
    }
    return NULL;
}

static const struct cli_option *find_letter(char letter)
{
    for (size_t i = 0; i < cli_option_count; i++)
        if (letter && cli_options[i].letter == letter)
            return &cli_options[i];
    return NULL;
}

static bool is_boolean_word(const char *word)
{
    return word && (strcmp(word, "true") == 0 || strcmp(word, "false") == 0);
}

static bool apply(struct cli *cli, const struct cli_option *option, const char *value,
                  struct error *error)
{
    struct error inner = {0};
    if (option->set(cli, value, &inner))
        return true;
    return error_set(error, ERROR_USAGE, "--%s: %s", option->name, inner.message);
}

// DLProf's chapter 10 also writes "--reports summary kernel --".
static bool apply_report_words(struct cli *cli, const struct cli_option *option, int count,
                               char **arguments, int *i, struct error *error)
{
    if (strcmp(option->name, "reports") != 0)
        return true;
    while (*i + 1 < count && cli_find_report(arguments[*i + 1]))
        if (!apply(cli, option, arguments[++*i], error))
            return false;
    if (*i + 1 < count && strcmp(arguments[*i + 1], "--") == 0)
        ++*i;
    return true;
}

static bool parse_option(struct cli *cli, int count, char **arguments, int *i, struct error *error)
{
    const char *word = arguments[*i];
    const struct cli_option *option;
    const char *value = NULL;
    if (word[1] == '-') {
        size_t length = strcspn(word + 2, "=");
        option = cli_find_option(word + 2, length);
        if (word[2 + length] == '=')
            value = word + 2 + length + 1;
        if (!option) {
            char name[64];
            snprintf(name, sizeof name, "%.*s", (int)(length < 60 ? length : 60), word + 2);
            return cli_unknown("no option ", "--", name, option_word, cli_option_count, error);
        }
    } else {
        option = find_letter(word[1]);
        if (!option)
            return error_set(error, ERROR_USAGE, "no option -%c", word[1]);
        if (word[2])
            value = word + 2;
    }
    const char *next = *i + 1 < count ? arguments[*i + 1] : NULL;
    if (!option->value) {
        if (!value && is_boolean_word(next)) {
            value = next;
            ++*i;
        }
        return apply(cli, option, value, error);
    }
    if (value)
        return apply(cli, option, value, error);
    if (!next)
        return error_set(error, ERROR_USAGE, "--%s needs a value: --%s=%s", option->name,
                         option->name, option->value);
    ++*i;
    return apply(cli, option, next, error) &&
           apply_report_words(cli, option, count, arguments, i, error);
}

static bool arguments_parse(struct cli *cli, int count, char **arguments, struct arena *arena,
                            struct error *error)
{
    const char **paths = ARENA_ARRAY(arena, const char *, (size_t)count);
    bool only_paths = false;
    for (int i = 1; i < count; i++) {
        const char *word = arguments[i];
        if (!only_paths && strcmp(word, "--") == 0) {
            only_paths = true;
        } else if (!only_paths && word[0] == '-' && word[1]) {
            if (!parse_option(cli, count, arguments, &i, error))
                return false;
        } else {
            paths[cli->path_count++] = word;
        }
    }
    cli->paths = paths;
    cli->path = cli->path_count ? paths[0] : cli->path;
    if (cli->steps.iters && (cli->steps.start != UNKNOWN || cli->steps.stop != UNKNOWN))
        return error_set(error, ERROR_USAGE,
                         "--iters and --iter_start/--iter_stop exclude each other");
    if (cli->steps.start != UNKNOWN && cli->steps.stop != UNKNOWN &&
        cli->steps.stop < cli->steps.start)
        return error_set(error, ERROR_USAGE, "--iter_stop lies before --iter_start");
    if (cli->report_count && cli_compares(cli))
        return error_set(error, ERROR_USAGE,
                         "--reports writes the files of one profile; --print compares");
    return true;
}

static const struct cli defaults = {
    .mode = MODE_AUTO,
    .steps = {NULL, UNKNOWN, UNKNOWN},
    .baseline_gpu = UNKNOWN,
    .baseline_process = UNKNOWN,
    .output_path = ".",
    .detailed_mode = true,
    .color = "auto",
};

bool cli_is_screen(const struct cli *cli)
{
    return !cli->report_count && !cli->print && !cli->limit_count && !cli->script && !cli->dump &&
           isatty(STDOUT_FILENO);
}

// What needs no profile and no screen: a slip in the configuration must not keep anybody from it.
static bool is_answer(const struct cli *cli)
{
    return cli->help || cli->version || cli->list || cli->completion || cli->man;
}

bool cli_parse(struct cli *cli, int count, char **arguments, struct arena *arena,
               struct error *error)
{
    *cli = defaults;
    if (!arguments_parse(cli, count, arguments, arena, error))
        return false;
    if (is_answer(cli))
        return true;
    const char *config = cli->config;
    if (!config && cli_is_screen(cli) && (config = xdg_path(arena, XDG_CONFIG, "config.yaml")) &&
        access(config, F_OK) != 0)
        config = NULL;
    if (!config || cli->doctor) // who reads it for itself, and goes on
        return true;
    *cli = defaults; // what is typed comes last
    return cli_read_config(cli, config, arena, error) &&
           arguments_parse(cli, count, arguments, arena, error);
}

bool cli_compares(const struct cli *cli)
{
    return cli->baseline || cli->baseline_iters || cli->baseline_gpu != UNKNOWN ||
           cli->baseline_process != UNKNOWN;
}
