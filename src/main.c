// SPDX-License-Identifier: Apache-2.0
// dlprof-tui: decides what is to be done, does it, and is the only one who prints to standard
// error and chooses the exit status: 0 done, 1 the data or the file system failed, 2 wrong usage,
// 3 a condition of --fail-if holds, 130 cancelled.
#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/export.h"
#include "analysis/step_sets.h"
#include "base/format.h"
#include "base/text.h"
#include "base/xdg.h"
#include "cli.h"
#include "cli_compare.h"
#include "model/loader.h"
#include "model/rules.h"
#include "ui/app.h"
#include "ui/session.h"

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

struct telling {
    const char *message;
    struct arena *arena;
};

// Messages quote names from files: nothing in them may reach the terminal as a command.
static bool telling_body(void *context, struct error *error)
{
    const struct telling *telling = context;
    const char *message = telling->message;
    (void)error;
    return fprintf(stderr, "dlprof-tui: %s\n",
                   text_safe(telling->arena, message, strlen(message), false)) >= 0;
}

static int fail(const struct error *error)
{
    struct telling telling = {error->message, arena_new(0)};
    struct error none = {0};
    if (!telling.arena || !arena_run(telling.arena, telling_body, &telling, &none))
        fputs("dlprof-tui: out of memory\n", stderr);
    arena_free(telling.arena);
    if (error->kind == ERROR_USAGE)
        fprintf(stderr, "Try dlprof-tui --help.\n");
    return exit_status(error->kind);
}

// What the batch of reports looks at. DLProf's reports use DLProf's own split unless told
// otherwise; the others the steps that the file marks.
static bool batch_selection(const struct cli *cli, const struct profile *profile, bool is_dlprof,
                            enum name_form names, struct arena *arena, struct selection *selection,
                            struct error *error)
{
    const struct split *split;
    if (cli->key_op)
        split = split_by_name(profile, cli->key_op, arena);
    else
        split = is_dlprof && !cli->steps.iters ? split_by_key(profile, NULL, arena)
                                               : split_find(profile, arena);
    // DLProf's reports say so themselves, by its own rule.
    if (cli->key_op && !split->key_found && is_dlprof)
        split = split_by_key(profile, cli->key_op, arena);
    else if (cli->key_op && !split->key_found)
        return error_set(error, ERROR_USAGE,
                         "--key_op: no op and no range is named %s; see --print=candidates",
                         cli->key_op);
    *selection = selection_all(split);
    selection->adoption = !cli->no_adoption;
    selection->hides_details = !cli->detailed_mode;
    selection->names = cli->names_given ? cli->names : names;
    // DLProf's own reports are of everything.
    return (is_dlprof && !step_choice_is_given(&cli->steps)) ||
           step_choice_take(&cli->steps, profile, selection, arena, error);
}

struct batch {
    const struct cli *cli;
    const struct profile *profile, *baseline; // NULL: --baseline is not given
    struct arena *arena;
    bool is_crossed; // a condition of --fail-if
};

static bool batch_reports(const struct batch *batch, struct error *error)
{
    const struct cli *cli = batch->cli;
    struct selection selection;
    if (!batch_selection(cli, batch->profile, true, NAME_FULL, batch->arena, &selection, error))
        return false;
    const struct export_format *csv = export_format_find("csv");
    struct export_dlprof_request request = {
        .folder = cli->output_path,
        .base_name = cli->base_name ? cli->base_name : "dlprof",
        .reports = cli->reports,
        .report_count = cli->report_count,
        .formats = cli->format_count ? cli->formats : &csv,
        .format_count = cli->format_count ? cli->format_count : 1,
        .force = cli->force,
    };
    if (!export_dlprof_files(&request, batch->profile, &selection, batch->arena, error))
        return false;
    char count[FORMAT_SIZE];
    if (!cli->is_quiet)
        fprintf(stderr, "dlprof-tui: %s written to %s\n",
                format_counted(count, request.report_count * request.format_count, "file"),
                request.folder);
    return true;
}

static void tell(const char *line)
{
    fprintf(stderr, "dlprof-tui: %s\n", line);
}

// What stands over the rows for people: of which steps and GPUs they are, and what they say.
static const char *batch_caption(const struct batch *batch, const struct export_table *table)
{
    struct arena *arena = batch->arena;
    const struct profile *profile = batch->profile;
    const struct selection *selection = table->selection;
    const struct report *report = table->report;
    const char *file = text_file_name(batch->cli->path, NULL), *own = table->rows.caption;
    bool has_all = !selection->iterations && selection->split->count > 1;
    uint32_t gpus = profile->work.count ? selection_device_count(profile, selection) : 0;
    char count[FORMAT_SIZE];
    const char *text = arena_format(
        arena, "%s%s, %s%s, %s%s", report->is_aggregate || report->apart ? "totals of " : "",
        text_safe(arena, file, strlen(file), true), has_all ? "all " : "",
        selection_text(profile, selection, arena), gpus > 1 ? "all " : "",
        gpus ? format_counted(count, gpus, "GPU") : "no GPU");
    return own && !strstr(text, own) ? arena_format(arena, "%s\n%s", text, own) : text;
}

static bool batch_print(const struct batch *batch, const char *name, struct error *error)
{
    const struct cli *cli = batch->cli;
    const struct report *report = report_find(name);
    const struct export_format *format =
        cli->format_count ? cli->formats[0] : export_format_find("text");
    struct selection selection;
    struct export_table table = {
        .report = report, .profile = batch->profile, .selection = &selection};
    // Tables for programs hold whole names, a page for people short ones.
    // A comparison is nobody's but ours, of DLProf's tables too.
    bool is_compared = cli_compares(cli);
    if (!batch_selection(cli, batch->profile, report->is_dlprof && !is_compared,
                         report->is_document || is_compared ? NAME_FAMILY : NAME_FULL, batch->arena,
                         &selection, error) ||
        !cli_set_baseline(cli, batch->profile, batch->baseline, &selection, batch->arena, error))
        return false;
    if (is_compared &&
        !(table.report = cli_compare_report(report, &selection, batch->arena, error)))
        return false;
    if (!report_build(table.report, batch->profile, &selection, batch->arena, &table.rows, error))
        return false;
    table.rows.caption =
        is_compared ? cli_compare_caption(cli, report, batch->profile, &selection, batch->arena)
                    : batch_caption(batch, &table);
    table.order = report_order(table.report, &table.rows, batch->arena);
    table.count = table.rows.count;
    errno = 0;
    // A reader that has seen enough (head, less) is no failure.
    if ((!format->write(&table, stdout, batch->arena) || fflush(stdout) != 0) && errno != EPIPE)
        return error_set(error, ERROR_IO, "writing to standard output failed: %s", strerror(errno));
    return true;
}

static bool batch_limits(struct batch *batch, struct error *error)
{
    const struct cli *cli = batch->cli;
    struct selection selection;
    return batch_selection(cli, batch->profile, false, NAME_FAMILY, batch->arena, &selection,
                           error) &&
           cli_set_baseline(cli, batch->profile, batch->baseline, &selection, batch->arena,
                            error) &&
           cli_check_limits(cli, batch->profile, &selection, tell, &batch->is_crossed, batch->arena,
                            error);
}

static bool batch_body(void *context, struct error *error)
{
    struct batch *batch = context;
    const struct cli *cli = batch->cli;
    if (cli->report_count && !batch_reports(batch, error))
        return false;
    const char *print = cli->print;
    if (!print && !cli->report_count && !cli->limit_count)
        print = cli_compares(cli) ? "costs" : "summary";
    if (print && !batch_print(batch, print, error))
        return false;
    return !cli->limit_count || batch_limits(batch, error);
}

static struct load_progress progress = {.wake_fd = -1};

static void on_interrupt(int signal)
{
    (void)signal;
    atomic_store(&progress.cancel, true);
}

static int run_batch(const struct cli *cli, struct load_request request)
{
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND}, before;
    sigaction(SIGINT, &action, &before);
    request.progress = &progress;
    struct error error = {0};
    struct profile *profile = profile_load(&request, &error);
    const struct profile *baseline = NULL;
    if (profile && !cli_load_baseline(cli, &request, &baseline, &error)) {
        profile_free(profile);
        profile = NULL;
    }
    // From here on it may end at any moment, or at once where a pager's pipe is full; but not
    // between the files of --reports.
    if (!cli->report_count)
        sigaction(SIGINT, &before, NULL);
    if (profile && atomic_load(&progress.cancel)) {
        profile_free(profile);
        profile_free(baseline);
        profile = NULL;
        error_set(&error, ERROR_CANCELLED, "cancelled");
    }
    if (!profile)
        return fail(&error);
    struct arena *arena = arena_new(0);
    struct batch batch = {cli, profile, baseline, arena, false};
    bool done = arena ? arena_run(arena, batch_body, &batch, &error)
                      : error_set(&error, ERROR_MEMORY, "out of memory");
    arena_free(arena);
    profile_free(profile);
    profile_free(baseline);
    return !done ? fail(&error) : batch.is_crossed ? EXIT_CROSSED : EXIT_DONE;
}

// The file of keys, NULL: none. One that was named must be there.
static const char *keys_file(const struct cli *cli, struct arena *arena)
{
    const char *own =
        cli->keys || !cli_is_screen(cli) ? NULL : xdg_path(arena, XDG_CONFIG, "keys.yaml");
    return cli->keys ? cli->keys : own && access(own, F_OK) == 0 ? own : NULL;
}

static int run_screen(const struct cli *cli, const struct load_request *request, const char *rules,
                      struct arena *arena)
{
    struct app_options options = {
        .path = cli->path,
        .request = request,
        .rules = rules,
        .theme = cli->theme,
        .color = cli->color,
        .ascii = cli->ascii,
        .no_mouse = cli->no_mouse,
        .keys = keys_file(cli, arena),
        .must_have_keys = cli->keys,
        .keeps_state = cli_is_screen(cli),
        .view = cli->view,
        .script = cli->script,
        .session = cli->session,
        .size = cli->size,
        .dump = cli->dump,
        .no_adoption = cli->no_adoption,
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
        .name = cli->base_name,
        .mode = cli->mode,
        .runs_nothing = is_of_session,
        .ignore_journal = cli->ignore_journal,
        .threads = cli->threads,
    };
    bool is_batch = cli->report_count || cli->print || cli->limit_count ||
                    (!cli->script && !cli->dump && !isatty(STDOUT_FILENO));
    return is_batch ? run_batch(cli, request) : run_screen(cli, &request, rules, arena);
}

static bool session_profile(const struct cli *cli, struct arena *arena, const char **path,
                            struct error *error)
{
    struct session session;
    if (!session_read(cli->session, &session, arena, error))
        return false;
    *path = session.profile;
    return *path || error_set(error, ERROR_USAGE, "%s names no profile: give one", cli->session);
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
    struct cli named = *cli; // with the profile that a session names
    if (!cli->path && cli->session && !session_profile(cli, arena, &named.path, &error))
        return fail(&error);
    bool is_of_session = !cli->path;
    cli = &named;
    if (!cli->path) {
        error_set(&error, ERROR_USAGE, "no profile given: dlprof-tui nsys_profile.sqlite");
        return fail(&error);
    }
    const char *folder = NULL;
    bool renames;
    int status;
    if (cli_find_rules(cli, arena, &folder, &error) && rules_use(folder, &renames, &error))
        status = open_profile(cli, is_of_session, folder, arena);
    else
        status = fail(&error);
    rules_use_builtin();
    return status;
}

// What is still in the buffer goes out: a full disk is a failure, a reader that has left is none.
static int close_output(int status)
{
    struct error error = {0};
    errno = 0;
    if (fclose(stdout) == 0 || errno == EPIPE || status != EXIT_DONE)
        return status;
    error_set(&error, ERROR_IO, "writing to standard output failed: %s", strerror(errno));
    return fail(&error);
}

struct start {
    int argc;
    char **argv;
    struct arena *arena; // of what the command line and the configuration say
    int status;
};

static bool start_body(void *context, struct error *error)
{
    struct start *start = context;
    struct cli cli;
    if (!cli_parse(&cli, start->argc, start->argv, start->arena, error))
        return false;
    start->status = close_output(run(&cli, start->arena));
    return true;
}

int main(int argc, char **argv)
{
    setlocale(LC_CTYPE, ""); // and no more: numbers keep their decimal point
    signal(SIGPIPE, SIG_IGN);
    struct error error = {0};
    struct start start = {.argc = argc, .argv = argv, .arena = arena_new(0)};
    if (!start.arena)
        error_set(&error, ERROR_MEMORY, "out of memory");
    if (!start.arena || !arena_run(start.arena, start_body, &start, &error))
        start.status = fail(&error);
    arena_free(start.arena);
    return start.status;
}
