// SPDX-License-Identifier: Apache-2.0
// Parses the command line: splits words, calls the setters of the options, checks combinations.
#include "cli/cli.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/reports/report_list.h"
#include "base/xdg.h"
#include "cli/cli_columns.h"
#include "cli/cli_digest.h"
#include "cli/cli_words.h"
#include "model/nsys/nsys_program.h"
#include "model/open/open.h"
#include "model/open/run_folder.h"

// Enumerates option names first, then their other spellings, for "did you mean".
static const char *option_word(size_t i)
{
    const struct cli_option *option = &cli_options[i % cli_option_count];
    return i < cli_option_count || !option->other ? option->name : option->other;
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

static void add_capturing_option(struct cli *cli, const struct cli_option *option)
{
    size_t i = 0;
    while (i < cli->capturing_count && cli->capturing[i] != option)
        i++;
    if (i == cli->capturing_count)
        ARENA_PUSH(cli->arena, cli->capturing, cli->capturing_count, cli->capturing_capacity) =
            option;
}

static bool apply(struct cli *cli, const struct cli_option *option, const char *value,
                  struct error *error)
{
    struct error inner = {0};
    if (option->set(cli, value, &inner)) {
        if (option->flags & OPTION_FOR_CAPTURE)
            add_capturing_option(cli, option);
        return true;
    }
    return error_set(error, ERROR_USAGE, "--%s: %s", option->name, inner.message);
}

static bool is_list_word(const struct cli_option *option, const char *word)
{
    return option->word == cli_format_word ? export_format_find(word) != NULL
                                           : cli_find_report(word) != NULL;
}

// Chapter 10 of DLProf's guide also writes lists as separate words: "--reports summary kernel
// --".
static bool apply_list_words(struct cli *cli, const struct cli_option *option, int count,
                             char **arguments, int *i, struct error *error)
{
    if (strcmp(option->value, "LIST") != 0)
        return true;
    while (*i + 1 < count && is_list_word(option, arguments[*i + 1]))
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
            return cli_unknown_word("no option ", "--", name, option_word, 2 * cli_option_count,
                                    error);
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
           apply_list_words(cli, option, count, arguments, i, error);
}

// True if a word names a program to run: one on the PATH, or an executable file. A profile is not
// a program, although some file systems mark all files as executable.
static bool is_program(const char *word)
{
    char found[NSYS_PATH_BYTES];
    struct stat status;
    if (stat(word, &status) == 0 && S_ISREG(status.st_mode))
        return access(word, X_OK) == 0 && !profile_has_loader(word);
    return !strchr(word, '/') && program_find(word, found);
}

// A folder may have the same name as a program. A single word means the folder; a program to be
// run comes with arguments.
static bool is_lone_folder(const char *word, int count)
{
    return count == 1 && run_folder_is(word);
}

static bool refuse_two(const char *one, const char *other, struct error *error)
{
    return error_set(error, ERROR_USAGE,
                     "two profiles given: %s and %s; to compare them: --baseline=%s %s", one, other,
                     one, other);
}

// Adds a profile path. Several paths are the ranks of one job.
static bool add_path(struct cli *cli, const char *word, struct error *error)
{
    const char *other = cli->path ? cli->path : cli->database;
    if (cli->path && access(cli->path, F_OK) != 0)
        return error_set(error, ERROR_USAGE, "%s is neither a file nor a program", cli->path);
    if (other && is_program(word))
        return error_set(error, ERROR_USAGE, "%s is a profile, and %s a program to be run: which?",
                         other, word);
    if (cli->database)
        return refuse_two(other, word, error);
    cli->path = cli->path ? cli->path : word;
    cli->paths[cli->path_count++] = word;
    return true;
}

// Handles a word that is no option: a profile, or a program with all words after it. With
// `is_after_dashes` the word follows "--", where any word with arguments is a program.
static bool add_word(struct cli *cli, char **words, int count, bool is_after_dashes,
                     struct arena *arena, struct error *error)
{
    const char *word = words[0];
    if (access(word, F_OK) != 0 && !cli_expand_variables(&word, arena, error))
        return false;
    bool is_words = is_after_dashes && count > 1 && !profile_has_loader(word);
    bool is_folder = !is_after_dashes && is_lone_folder(word, count);
    if (cli->path || is_folder || !(is_program(word) || is_words))
        return add_path(cli, word, error);
    cli->application = words;
    cli->application_count = count;
    return true;
}

// True for requests that need neither profile nor screen. They are answered even if other options
// or the configuration are wrong.
static bool needs_no_profile(const struct cli *cli)
{
    return cli->help || cli->version || cli->list || cli->completion || cli->man;
}

// DLProf's simple mode has neither ops nor iterations: rejects options that need them and drops
// such reports.
static bool check_simple(struct cli *cli, struct error *error)
{
    size_t count = 0;
    if (cli->mode != MODE_SIMPLE)
        return true;
    if (cli->key_op || cli->steps.start != UNKNOWN || cli->steps.stop != UNKNOWN)
        return error_set(error, ERROR_USAGE,
                         "--mode=simple aggregates no iterations: --key_op, --iter_start and "
                         "--iter_stop do not go with it");
    for (size_t i = 0; i < cli->report_count; i++) {
        if (!cli->reports[i]->needs_ops)
            cli->reports[count++] = cli->reports[i];
        else if (!cli->all_reports)
            return error_set(error, ERROR_USAGE,
                             "--mode=simple has no ops: of --reports it has summary and kernel, "
                             "not %s",
                             cli->reports[i]->name);
    }
    cli->report_count = count;
    return true;
}

// Rejects options that do not go with writing digests only.
static bool check_writes_digest_only(const struct cli *cli, const char *option, struct error *error)
{
    if (cli->has_file_window)
        return error_set(error, ERROR_USAGE,
                         "%s is of a whole file: --window and --steps do not go with it", option);
    if (cli->report_count || cli->dldb || cli->dump_model_data || cli->print || cli->limit_count ||
        cli->script || cli->dump || cli_compares(cli))
        return error_set(error, ERROR_USAGE,
                         "%s writes a digest and nothing else; open the profile for the rest",
                         option);
    return true;
}

// A digest is made from one whole file.
static bool check_digest(const struct cli *cli, struct error *error)
{
    if (cli->path_count > 1)
        return error_set(error, ERROR_USAGE,
                         "--digest is of one profile; write one for each, and open them together");
    return check_writes_digest_only(cli, "--digest", error);
}

static bool check_fill(const struct cli *cli, struct error *error)
{
    if (cli->digest || cli->application)
        return error_set(error, ERROR_USAGE,
                         "--cache=fill is of profiles that are there, and goes with no other file");
    return check_writes_digest_only(cli, "--cache=fill", error);
}

// PyProf's options imply the report and the format, unless these are given.
static bool check_forms(struct cli *cli, struct arena *arena, struct error *error)
{
    const char *form = cli->is_pyprof_csv ? "pyprof-csv" : cli->width ? "pyprof-columns" : NULL;
    if (!form && !cli->columns)
        return true;
    if (cli_writes_files(cli) || cli->limit_count || cli->script || cli->dump)
        return error_set(error, ERROR_USAGE,
                         "--columns, --csv and --width are of --print, and of nothing beside it");
    if (cli->is_pyprof_csv && cli->width)
        return error_set(error, ERROR_USAGE, "--csv and --width exclude each other");
    if (form && cli->format_count && strcmp(cli->formats[0]->name, form) != 0)
        return error_set(error, ERROR_USAGE, "%s is --formats=%s, not %s",
                         cli->width ? "--width" : "--csv", form, cli->formats[0]->name);
    if (form && !cli->format_count)
        cli_add_format(cli, export_format_find(form));
    cli->print = cli->print ? cli->print : "pyprof";
    // Check columns before a load that may take minutes. A comparison has columns that are known
    // later only.
    struct export_table table = {.report = report_find(cli->print)};
    return cli_compares(cli) || cli_set_columns(cli, &table, arena, error);
}

// Checks combinations of options.
static bool check_combinations(struct cli *cli, struct arena *arena, struct error *error)
{
    if (cli->database && cli->path)
        return refuse_two(cli->path, cli->database, error);
    if (cli->database)
        cli->path = cli->database;
    if (cli->dry_run && (cli->path || !cli->application))
        return error_set(error, ERROR_USAGE,
                         "--dry-run: no program is to be run: dlprof-tui --dry-run -- python "
                         "train.py");
    if (cli->steps.iters && (cli->steps.start != UNKNOWN || cli->steps.stop != UNKNOWN))
        return error_set(error, ERROR_USAGE,
                         "--iters and --iter_start/--iter_stop exclude each other");
    if (cli->steps.start != UNKNOWN && cli->steps.stop != UNKNOWN &&
        cli->steps.stop < cli->steps.start)
        return error_set(error, ERROR_USAGE, "--iter_stop lies before --iter_start");
    if (cli->part && cli->key_op)
        return error_set(error, ERROR_USAGE,
                         "--steps goes by the ranges that number steps; with --key_op choose by "
                         "--iters, and a time by --window");
    if (cli->part && !step_choice_is_given(&cli->steps))
        cli->steps.iters = cli->part;
    if (!check_forms(cli, arena, error))
        return false;
    if (cli->cache == CACHE_FILL)
        return check_fill(cli, error);
    if (cli->digest)
        return check_digest(cli, error);
    if (cli_writes_files(cli) && cli_compares(cli))
        return error_set(error, ERROR_USAGE,
                         "--reports and --dldb write the files of one profile; --print compares");
    return check_simple(cli, error);
}

static bool arguments_parse(struct cli *cli, int count, char **arguments, struct arena *arena,
                            struct error *error)
{
    cli->paths = ARENA_ARRAY(arena, const char *, (size_t)count);
    bool is_after_dashes = false;
    for (int i = 1; i < count && !cli->application; i++) {
        const char *word = arguments[i];
        bool is_done = true;
        if (!is_after_dashes && strcmp(word, "--") == 0)
            is_after_dashes = true;
        else if (!is_after_dashes && word[0] == '-' && word[1])
            is_done = parse_option(cli, count, arguments, &i, error);
        else
            is_done = add_word(cli, arguments + i, count - i, is_after_dashes, arena, error);
        if (!is_done)
            return false;
    }
    return (!cli->digest || cli_expand_variables(&cli->digest, arena, error)) &&
           (needs_no_profile(cli) || check_combinations(cli, arena, error));
}

static const struct cli defaults = {
    .mode = MODE_AUTO,
    .steps = {NULL, UNKNOWN, UNKNOWN},
    .baseline_gpu = UNKNOWN,
    .baseline_process = UNKNOWN,
    .output_path = ".",
    .nsys_base_name = "nsys_profile",
    .detailed_mode = true,
    .color = "auto",
    .verbosity = VERBOSITY_NORMAL,
};

bool cli_writes_files(const struct cli *cli)
{
    return cli->report_count || cli->dump_model_data || cli->dldb || cli->digest ||
           cli->cache == CACHE_FILL;
}

bool cli_uses_screen(const struct cli *cli)
{
    return !cli_writes_files(cli) && !cli->print && !cli->limit_count && !cli->script &&
           !cli->dump && isatty(STDOUT_FILENO);
}

bool cli_parse(struct cli *cli, int count, char **arguments, struct arena *arena,
               struct error *error)
{
    *cli = defaults;
    cli->arena = arena;
    if (!arguments_parse(cli, count, arguments, arena, error))
        return false;
    if (needs_no_profile(cli))
        return true;
    const char *config = cli->config;
    if (!config && cli_uses_screen(cli) && (config = xdg_path(arena, XDG_CONFIG, "config.yaml")) &&
        access(config, F_OK) != 0)
        config = NULL;
    if (!config || cli->doctor) // the doctor reads the file itself and continues on errors
        return true;
    *cli = defaults; // parse the arguments once more, as they override the file
    cli->arena = arena;
    return cli_read_config(cli, config, arena, error) &&
           arguments_parse(cli, count, arguments, arena, error);
}

const struct file_window *cli_excerpt(const struct cli *cli)
{
    return cli->has_file_window ? &cli->file_window : NULL;
}

bool cli_compares(const struct cli *cli)
{
    return cli->baseline || cli->baseline_iters || cli->baseline_gpu != UNKNOWN ||
           cli->baseline_process != UNKNOWN;
}
