// SPDX-License-Identifier: Apache-2.0
// Capturing with nsys: builds the command line, prints it for --dry-run, runs it, and finds the
// files that it wrote.
#include "cli/cli_capture.h"

#include <ctype.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text/text.h"
#include "cli/cli_markers.h"

// Suffixes of the files that nsys writes.
static const char *const endings[] = {".sqlite", ".nsys-rep", ".qdrep"};
enum { SQLITE, ENDINGS = sizeof endings / sizeof *endings };

// ---- command line ------------------------------------------------------------------------------

struct word_buffer {
    struct arena *arena;
    const char **items;
    size_t count, capacity;
};

static void words_add(struct word_buffer *words, const char *word)
{
    ARENA_PUSH(words->arena, words->items, words->count, words->capacity) = word;
}

// Splits a text into words as a shell would: blanks separate words unless quoted or escaped by a
// backslash. No other character is special.
static bool words_split(struct word_buffer *words, const char *text, struct error *error)
{
    char *out = ARENA_ARRAY(words->arena, char, strlen(text) + 1);
    for (const char *at = text + strspn(text, " \t\n"); *at; at += strspn(at, " \t\n")) {
        const char *word = out;
        char quote = 0;
        for (; *at && (quote || !strchr(" \t\n", *at)); at++) {
            if (*at == quote)
                quote = 0;
            else if (!quote && (*at == '\'' || *at == '"'))
                quote = *at;
            else if (*at == '\\' && quote != '\'' && at[1])
                *out++ = *++at;
            else
                *out++ = *at;
        }
        if (quote)
            return error_set(error, ERROR_USAGE, "--nsys_options: a quote %c is not closed", quote);
        *out++ = '\0';
        words_add(words, word);
    }
    return true;
}

// True if an option of nsys is present; nsys rejects duplicates.
static bool words_have(const struct word_buffer *words, const char *name, char letter)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < words->count; i++) {
        const char *word = words->items[i];
        if (strncmp(word, name, length) == 0 && (!word[length] || word[length] == '='))
            return true;
        if (letter && word[0] == '-' && word[1] == letter)
            return true;
    }
    return false;
}

static void option_add(struct word_buffer *words, const char *name, char letter, const char *value)
{
    if (!words_have(words, name, letter))
        words_add(words, arena_format(words->arena, "%s=%s", name, value));
}

// Adds "-t cuda,nvtx -s none", as DLProf did, or the user's options instead.
static bool add_recorded(const struct cli *cli, const char *help, struct word_buffer *words,
                         struct error *error)
{
    static const char *const plain[] = {"-t", "cuda,nvtx", "-s", "none"};
    if (cli->nsys_options) {
        if (!words_split(words, cli->nsys_options, error))
            return false;
        return !words_have(words, "--output", 'o') ||
               error_set(error, ERROR_USAGE,
                         "--nsys_options: the output is named by --nsys_base_name and "
                         "--output_path");
    }
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        words_add(words, plain[i]);
    // Newer versions of nsys put PyTorch's ops into ranges without changing the program;
    // --markers records more.
    bool may_trace_pytorch = !cli->markers && (cli->mode == MODE_AUTO || cli->mode == MODE_PYTORCH);
    if (may_trace_pytorch && nsys_help_has(help, "--pytorch")) {
        if (nsys_help_has(help, "autograd-shapes-nvtx"))
            words_add(words, "--pytorch=autograd-shapes-nvtx");
        else if (nsys_help_has(help, "autograd-nvtx"))
            words_add(words, "--pytorch=autograd-nvtx");
    }
    return true;
}

// Adds the options that limit the capture in time. The program continues after the end of a capture
// range.
static void add_time_limits(const struct cli *cli, const char *help, struct word_buffer *words)
{
    if (cli->nsys_profile_range) {
        option_add(words, "--capture-range", 'c', "cudaProfilerApi");
        bool is_old = !nsys_help_has(help, "--capture-range-end") &&
                      nsys_help_has(help, "--stop-on-range-end");
        option_add(words, is_old ? "--stop-on-range-end" : "--capture-range-end", 0,
                   is_old ? "true" : "stop");
        if (is_old)
            option_add(words, "--kill", 0, "none");
    }
    if (cli->delay > 0)
        option_add(words, "--delay", 'y', arena_format(words->arena, "%" PRId64, cli->delay));
    if (cli->duration > 0)
        option_add(words, "--duration", 'd', arena_format(words->arena, "%" PRId64, cli->duration));
}

// Returns the program in the form that nsys finds: a file in the current folder becomes "./name".
// If there is no such program, returns NULL with a clearer error than nsys would give.
static const char *find_application(const char *name, struct arena *arena, struct error *error)
{
    char found[NSYS_PATH_BYTES];
    struct stat status;
    bool is_path = strchr(name, '/'), is_file = stat(name, &status) == 0 && S_ISREG(status.st_mode);
    if (!is_path && program_find(name, found))
        return name;
    if (is_file && access(name, X_OK) == 0)
        return is_path ? name : arena_format(arena, "./%s", name);
    error_set(error, ERROR_USAGE,
              is_file
                  ? "%s is no program: its file may not be executed (is what runs it missing, as "
                    "in `python %s`?)"
                  : "there is no program %s",
              name, name);
    return NULL;
}

// Adds the program and its arguments. With --markers, the marker script is inserted between the
// interpreter and the script.
static bool add_application(const struct cli *cli, const char *application,
                            struct word_buffer *words, struct error *error)
{
    int marker_index = 0; // index at which the marker script is inserted; 0: none
    const char *markers = NULL;
    if (cli->markers &&
        (!cli_markers_place(cli->application, cli->application_count, &marker_index, error) ||
         !cli_markers_find(&markers, words->arena, error)))
        return false;
    words_add(words, application);
    for (int i = 1; i < cli->application_count; i++) {
        if (i == marker_index) {
            words_add(words, markers);
            words_add(words, "--sink=nvtx");
        }
        words_add(words, cli->application[i]);
    }
    return true;
}

bool cli_capture_plan(const struct cli *cli, struct nsys_line *nsys, struct arena *arena,
                      struct error *error)
{
    struct word_buffer words = {.arena = arena};
    const char *name = cli->nsys_base_name;
    if (strchr(name, '/') || !*name)
        return error_set(error, ERROR_USAGE, "--nsys_base_name: '%s' must be a file name", name);
    const char *application = find_application(cli->application[0], arena, error);
    if (!application)
        return false;
    if (!nsys_find(nsys->path))
        *nsys->path = '\0';
    const char *help = *nsys->path ? nsys_help(nsys->path, "profile", arena) : "";
    words_add(&words, "nsys");
    words_add(&words, "profile");
    if (!add_recorded(cli, help, &words, error))
        return false;
    bool is_shown = cli->verbosity >= VERBOSITY_NORMAL;
    option_add(&words, "--show-output", 'w', is_shown ? "true" : "false");
    if (!*help || nsys_help_has(help, "--export")) // otherwise exported afterwards
        option_add(&words, "--export", 0, "sqlite");
    if (cli->force)
        option_add(&words, "--force-overwrite", 'f', "true");
    add_time_limits(cli, help, &words);
    nsys->base = export_dlprof_name(cli->output_path, name, arena);
    const char *dldb = cli->dldb ? cli->dldb : cli->captured_dldb;
    if (dldb && strcmp(dldb, arena_format(arena, "%s%s", nsys->base, endings[SQLITE])) == 0)
        return error_set(error, ERROR_USAGE,
                         "%s would be nsys's file and DLProf's database: --nsys_base_name, "
                         "--base_name or --dldb names another",
                         dldb);
    words_add(&words, "-o");
    words_add(&words, nsys->base);
    if (!add_application(cli, application, &words, error))
        return false;
    words_add(&words, NULL);
    nsys->words = words.items;
    return true;
}

// ---- shell quoting -----------------------------------------------------------------------------

static void put_word(struct bytes *out, const char *word)
{
    bool is_plain = *word;
    for (const char *at = word; *at; at++)
        is_plain &= isalnum((unsigned char)*at) || strchr("-_=./,:+@%", *at);
    if (is_plain) {
        bytes_text(out, word);
        return;
    }
    bytes_char(out, '\'');
    for (const char *at = word; *at; at++)
        if (*at == '\'')
            bytes_text(out, "'\\''");
        else
            bytes_char(out, *at);
    bytes_char(out, '\'');
}

static const char *line_text(const char *const *words, struct arena *arena)
{
    struct bytes out = {.arena = arena};
    for (size_t i = 0; words[i]; i++) {
        if (i)
            bytes_char(&out, ' ');
        put_word(&out, words[i]);
    }
    bytes_char(&out, '\0');
    return out.items;
}

void cli_capture_print(const struct nsys_line *nsys, FILE *file, struct arena *arena)
{
    fprintf(file, "%s\n", line_text(nsys->words, arena));
}

#define NSYS_IS_MISSING                                                                 \
    "nsys is not on the PATH, which captures.\nIt is part of the CUDA toolkit "         \
    "(/usr/local/cuda/bin, or a module), and of NVIDIA's package nsight-systems-cli.\n" \
    "--dry-run prints the line to run where it is; dlprof-tui opens what it leaves."

// ---- running nsys ------------------------------------------------------------------------------

struct capture_results { // files that exist before the run, to detect new ones
    const char *paths[ENDINGS];
    struct stat before[ENDINGS]; // follows links; zeroes: no file
};

static bool results_stat(struct capture_results *results, const struct cli *cli, const char *base,
                         struct arena *arena, struct error *error)
{
    for (int i = 0; i < ENDINGS; i++) {
        results->paths[i] = arena_format(arena, "%s%s", base, endings[i]);
        struct stat *before = &results->before[i];
        if (lstat(results->paths[i], before) == 0 && !cli->force)
            return error_set(error, ERROR_IO,
                             "%s: exists already; nothing was run (--force=true replaces, "
                             "--nsys_base_name names another)",
                             results->paths[i]);
        if (stat(results->paths[i], before) != 0)
            *before = (struct stat){0};
    }
    return true;
}

static bool is_new(const struct capture_results *results, int i)
{
    const struct stat *before = &results->before[i];
    struct stat now;
    if (stat(results->paths[i], &now) != 0 || now.st_size == 0)
        return false;
    return now.st_ino != before->st_ino || now.st_mtim.tv_sec != before->st_mtim.tv_sec ||
           now.st_mtim.tv_nsec != before->st_mtim.tv_nsec;
}

// Returns the export, or the report of a version of nsys that does not export while it profiles.
static const char *result_find(const struct capture_results *results)
{
    for (int i = 0; i < ENDINGS; i++)
        if (is_new(results, i))
            return results->paths[i];
    return NULL;
}

static bool report_export(const struct nsys_line *nsys, const struct capture_results *results,
                          const char *report, struct error *error)
{
    const char *const line[] = {"nsys",
                                "export",
                                "--type",
                                "sqlite",
                                "--force-overwrite",
                                "true",
                                "-o",
                                results->paths[SQLITE],
                                report,
                                NULL};
    struct nsys_exit_state end;
    if (!nsys_run(nsys->path, line, &end, error))
        return false;
    return is_new(results, SQLITE) ||
           error_set(error, ERROR_DATA, "nsys export ended with status %d and left no %s",
                     end.status, results->paths[SQLITE]);
}

// After --duration nsys ends the program with SIGTERM, which is success unless the signal came
// from outside.
static bool has_ended_well(const struct cli *cli, const struct nsys_exit_state *end)
{
    return end->status == 0 ||
           (cli->duration > 0 && end->status == 128 + SIGTERM && !end->is_signal_forwarded);
}

static void report_failure(const struct cli *cli, int status, const char *result,
                           struct arena *arena, void (*tell)(const char *line))
{
    const char *name = cli->application[0], *const opening[] = {"dlprof-tui", result, NULL};
    const char *result_note =
        result ? arena_format(arena, "what was captured until then: %s", line_text(opening, arena))
               : "nsys left no profile";
    const char *line =
        arena_format(arena, "%s ended with status %d; %s", name, status, result_note);
    tell(text_safe(arena, line, strlen(line), true));
}

bool cli_capture_run(const struct cli *cli, const struct nsys_line *nsys,
                     const struct console *console, void (*tell)(const char *line),
                     struct captured *captured, struct arena *arena, struct error *error)
{
    struct capture_results results;
    struct nsys_exit_state end;
    *captured = (struct captured){0};
    if (!*nsys->path)
        return error_set(error, ERROR_DATA, "%s", NSYS_IS_MISSING);
    if (!results_stat(&results, cli, nsys->base, arena, error) ||
        !export_folder_make(cli->output_path, arena, error))
        return false;
    const char *line = line_text(nsys->words, arena);
    line = arena_format(arena, "RUNNING: %s", text_safe(arena, line, strlen(line), true));
    console_stamp(console, VERBOSITY_NORMAL, line);
    fflush(stdout); // keep the order of output
    if (!nsys_run(nsys->path, nsys->words, &end, error))
        return false;
    const char *result = result_find(&results);
    if (!has_ended_well(cli, &end)) {
        captured->status = end.status;
        report_failure(cli, end.status, result, arena, tell);
        return true;
    }
    if (!result)
        return error_set(error, ERROR_DATA, "nsys left no profile: there is no new %s",
                         results.paths[SQLITE]);
    if (result != results.paths[SQLITE] && !report_export(nsys, &results, result, error))
        return false;
    captured->path = results.paths[SQLITE];
    return true;
}
