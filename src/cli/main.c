// SPDX-License-Identifier: Apache-2.0
// The program dlprof-tui: runs what the command line asks for. Only this file prints to standard
// error and chooses the exit status: 0 success, 1 failure of data or file system, 2 wrong usage, 3
// a condition of --fail-if is true, 130 cancelled. If a captured program fails, its exit status is
// used.
#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text/text.h"
#include "base/xdg.h"
#include "cli/cli.h"
#include "cli/cli_batch.h"
#include "cli/cli_cache.h"
#include "cli/cli_capture.h"
#include "cli/cli_folder.h"
#include "cli/cli_input.h"
#include "model/rules/rules.h"
#include "ui/app/app.h"
#include "ui/app/lists.h"
#include "ui/session/session.h"

enum { EXIT_DONE = 0, EXIT_DATA = 1, EXIT_USAGE = 2, EXIT_CROSSED = 3, EXIT_CANCELLED = 130 };

static int exit_status(enum error_kind kind)
{
    switch (kind) {
    case ERROR_NONE:
        return EXIT_DONE;
    case ERROR_USAGE:
        return EXIT_USAGE;
    case ERROR_CANCELLED:
        return EXIT_CANCELLED;
    default:
        return EXIT_DATA;
    }
}

struct message_context {
    const char *message;
    struct arena *arena;
};

// Prints a message; it may quote names from files, so terminal control sequences are removed.
static bool message_body(void *context, struct error *error)
{
    const struct message_context *output = context;
    const char *message = output->message;
    (void)error;
    return fprintf(stderr, "dlprof-tui: %s\n",
                   text_safe(output->arena, message, strlen(message), false)) >= 0;
}

static int fail(const struct error *error)
{
    struct message_context output = {error->message, arena_new(0)};
    struct error none = {0};
    if (!output.arena || !arena_run(output.arena, message_body, &output, &none))
        fputs("dlprof-tui: out of memory\n", stderr);
    arena_free(output.arena);
    if (error->kind == ERROR_USAGE)
        fprintf(stderr, "Try dlprof-tui --help.\n");
    return exit_status(error->kind);
}

static void tell(const char *line)
{
    fprintf(stderr, "dlprof-tui: %s\n", line);
}

static void say(const char *stamp, const char *lines)
{
    printf("%s%s\n", stamp, lines);
}

static void say_to_stderr(const char *stamp, const char *lines)
{
    fprintf(stderr, "%s%s\n", stamp, lines);
}

// DLProf's messages are written to standard output, unless that is used for rows or a screen.
static struct console console_of(const struct cli *cli)
{
    bool has_output = cli_writes_files(cli) && !cli->print;
    return (struct console){cli->verbosity, has_output ? say : say_to_stderr};
}

static int run_batch(const struct cli *cli, struct load_request request)
{
    struct error error = {0};
    bool is_crossed = false;
    struct console console = console_of(cli);
    if (!cli_run_batch(cli, request, &console, tell, &is_crossed, &error))
        return fail(&error);
    return is_crossed ? EXIT_CROSSED : EXIT_DONE;
}

// Returns the file of key bindings, or NULL. A file given by --keys must exist.
static const char *keys_file(const struct cli *cli, struct arena *arena)
{
    const char *user_file =
        cli->keys || !cli_uses_screen(cli) ? NULL : xdg_path(arena, XDG_CONFIG, "keys.yaml");
    return cli->keys ? cli->keys : user_file && access(user_file, F_OK) == 0 ? user_file : NULL;
}

static int run_screen(const struct cli *cli, const struct load_request *request, const char *rules,
                      struct arena *arena)
{
    struct app_options options = {
        .path = cli->path,
        .runs = cli->runs,
        .run = SIZE_MAX,
        .request = request,
        .rules = rules,
        .theme = cli->theme,
        .color = cli->color,
        .ascii = cli->ascii,
        .no_mouse = cli->no_mouse,
        .force = cli->force,
        .keys = keys_file(cli, arena),
        .must_have_keys = cli->keys,
        .keeps_state = cli_uses_screen(cli),
        .when_loaded = cli_uses_screen(cli) ? cli_fill_cache_later : NULL,
        .view = cli->view,
        .script = cli->script,
        .session = cli->session,
        .size = cli->size,
        .dump = cli->dump,
        .no_adoption = cli->no_adoption,
        .step_size = cli->step_size,
        .names = cli->names_given ? cli->names : NAME_FAMILY,
        .key_op = cli->key_op,
        .steps = cli->steps,
        .baseline = cli->baseline,
        .baseline_iters = cli->baseline_iters,
        .baseline_gpu = cli->baseline_gpu,
        .baseline_process = cli->baseline_process,
    };
    struct error error = {0};
    int status = app_run(&options, &error);
    return error.kind == ERROR_NONE ? status : fail(&error);
}

static int open_profile(const struct cli *cli, bool is_of_session, const char *rules,
                        struct arena *arena)
{
    struct load_request request = {
        .path = cli->path,
        .paths = cli->paths,
        .path_count = cli->path_count,
        .name = cli->base_name,
        .mode = cli->mode,
        .key_op = cli->key_op,
        .domain = cli->domain,
        .file_window = cli_excerpt(cli),
        .no_subprocess = is_of_session,
        .ignore_journal = cli->ignore_journal,
        .uses_cache = cli->cache == CACHE_ON,
        .threads = cli->threads,
    };
    bool is_batch = cli_writes_files(cli) || cli->print || cli->limit_count ||
                    (!cli->script && !cli->dump && !isatty(STDOUT_FILENO));
    return is_batch ? run_batch(cli, request) : run_screen(cli, &request, rules, arena);
}

static bool session_profile(struct cli *cli, struct arena *arena, struct error *error)
{
    struct session session;
    if (!session_read(cli->session, &session, arena, error))
        return false;
    cli->paths = session.profiles;
    cli->path_count = session.profile_count;
    cli->path = session.profile_count ? session.profiles[0] : NULL;
    if (session.domain && !cli->domain)
        cli->domain = session.domain;
    if (session.has_file_window && !cli_excerpt(cli)) {
        cli->has_file_window = true;
        cli->file_window = session.file_window;
    }
    return cli->path ||
           error_set(error, ERROR_USAGE, "%s names no profile: give one", cli->session);
}

// Runs the program under nsys. Sets *path to the profile to open, or to NULL if there is none.
// Returns an exit status.
static int run_capture(const struct cli *cli, const char **path, struct arena *arena)
{
    struct error error = {0};
    struct nsys_line nsys;
    struct captured captured;
    struct console console = console_of(cli);
    *path = NULL;
    if (!cli_capture_plan(cli, &nsys, arena, &error))
        return fail(&error);
    if (cli->dry_run) {
        cli_capture_print(&nsys, stdout, arena);
        if (!*nsys.path)
            tell("nsys is not on the PATH: this is the line for any version of it");
        return EXIT_DONE;
    }
    if (!cli_check_files(cli, arena, &error) ||
        !cli_capture_run(cli, &nsys, &console, tell, &captured, arena, &error))
        return fail(&error);
    *path = captured.path;
    return captured.status;
}

// Writes the database of a capture, in addition to the requested output. Not needed if files are
// written, because these include it.
static int write_captured_dldb(struct cli *cli, const char *rules, struct arena *arena)
{
    struct cli dldb_only = *cli;
    dldb_only.dldb = cli->captured_dldb;
    dldb_only.print = dldb_only.digest = NULL;
    dldb_only.baseline = dldb_only.baseline_iters = NULL;
    dldb_only.baseline_gpu = dldb_only.baseline_process = UNKNOWN;
    dldb_only.limit_count = 0;
    dldb_only.verbosity = VERBOSITY_QUIET;
    cli->captured_dldb = NULL;
    int status = open_profile(&dldb_only, false, rules, arena);
    if (status == EXIT_DONE && cli->verbosity >= VERBOSITY_NORMAL)
        tell(cli_written_text(dldb_only.dldb, arena));
    return status;
}

// Opens the profile, after capturing it if a program is given.
static int open_named(struct cli *cli, bool is_captured, bool is_of_session, struct arena *arena)
{
    struct error error = {0};
    const char *folder = NULL;
    bool renames;
    int status = EXIT_DONE;
    if (!cli_find_rules(cli, arena, &folder, &error) || !rules_use(folder, &renames, &error)) {
        status = fail(&error);
    } else {
        if (is_captured)
            status = run_capture(cli, &cli->path, arena);
        if (cli->path && cli->captured_dldb && (!cli_writes_files(cli) || cli->digest))
            status = write_captured_dldb(cli, folder, arena);
        if (cli->path && status == EXIT_DONE)
            status = open_profile(cli, is_of_session, folder, arena);
    }
    rules_use_builtin();
    return status;
}

// Reports options that have no effect on an existing profile. They are accepted, as scripts for
// DLProf use them.
static void report_unused_options(const struct cli *cli, struct arena *arena)
{
    const char *options = "";
    for (size_t i = 0; i < cli->capturing_count; i++)
        options = arena_format(arena, "%s%s--%s", options, i ? ", " : "", cli->capturing[i]->name);
    const char *unused = *options ? arena_format(arena, "%s not used", options) : "";
    if (cli->application)
        tell(arena_format(arena, "--database names a profile: the program is not run%s%s",
                          *unused ? ", " : "", unused));
    else if (*unused)
        tell(arena_format(arena, "a profile is named: nothing is captured, %s", unused));
}

static int run(const struct cli *cli, struct arena *arena)
{
    struct error error = {0};
    if (cli->help) {
        cli_print_help(stdout);
        return EXIT_DONE;
    }
    if (cli->version) {
        printf("dlprof-tui %s\n", DLPROF_TUI_VERSION);
        return EXIT_DONE;
    }
    if (cli->list)
        return cli_print_list(cli->list, stdout, &error) ? EXIT_DONE : fail(&error);
    if (cli->doctor)
        return cli_run_doctor(cli, stdout, arena) ? EXIT_DONE : EXIT_DATA;
    if (cli->completion) {
        cli_print_completion(cli->completion, stdout);
        return EXIT_DONE;
    }
    if (cli->man)
        return cli_print_man(cli->man, stdout, &error) ? EXIT_DONE : fail(&error);
    struct cli named = *cli; // a copy that gets the profile of a captured program or a session
    bool is_captured = !cli->path && cli->application, is_of_session = false;
    if (!cli_read_stdin(&named, tell, arena, &error) || !cli_expand_folders(&named, arena, &error))
        return fail(&error);
    if (is_captured && !cli->dldb)
        named.captured_dldb = cli_captured_dldb(cli, arena);
    if (!named.path && cli->session && !is_captured) {
        is_of_session = true;
        if (!session_profile(&named, arena, &error))
            return fail(&error);
    }
    if (!named.path && !is_captured) {
        error_set(&error, ERROR_USAGE,
                  "no profile given: dlprof-tui nsys_profile.sqlite, or dlprof-tui -- python "
                  "train.py to make one");
        return fail(&error);
    }
    if (!is_captured && cli->verbosity >= VERBOSITY_NORMAL)
        report_unused_options(cli, arena);
    return open_named(&named, is_captured, is_of_session, arena);
}

// Flushes standard output: a full disk is a failure, a closed pipe is not.
static int close_output(int status)
{
    struct error error = {0};
    // An earlier write error was not reported; later writes may have succeeded.
    int reason = !ferror(stdout) ? 0 : errno ? errno : EIO;
    if (fclose(stdout) != 0 && !reason)
        reason = errno;
    if (!reason || reason == EPIPE || status != EXIT_DONE)
        return status;
    error_set(&error, ERROR_IO, "writing to standard output failed: %s", strerror(reason));
    return fail(&error);
}

struct start_context {
    int argc;
    char **argv;
    struct arena *arena; // owns what the command line and the configuration set
    int status;
};

static bool start_body(void *context, struct error *error)
{
    struct start_context *start = context;
    struct cli cli;
    if (!cli_parse(&cli, start->argc, start->argv, start->arena, error))
        return false;
    start->status = close_output(run(&cli, start->arena));
    return true;
}

int main(int argc, char **argv)
{
    setlocale(LC_CTYPE, ""); // LC_NUMERIC stays "C", so that numbers keep their decimal point
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); // ulimit -f: write() fails instead
    struct error error = {0};
    struct start_context start = {.argc = argc, .argv = argv, .arena = arena_new(0)};
    if (!start.arena)
        error_set(&error, ERROR_MEMORY, "out of memory");
    bool is_ready = start.arena && lists_use(&error);
    if (!is_ready || !arena_run(start.arena, start_body, &start, &error))
        start.status = fail(&error);
    arena_free(start.arena);
    return start.status;
}
