// SPDX-License-Identifier: Apache-2.0
// Output without a screen: loads the profile, writes DLProf's files, prints a report, checks
// --fail-if, and removes unfinished files when a signal ends the program.
#include "cli/cli_batch.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "analysis/export/export.h"
#include "analysis/place/selection_text.h"
#include "analysis/reports/report_list.h"
#include "analysis/steps/step_sets.h"
#include "base/text/format.h"
#include "base/text/text.h"
#include "cli/cli_cache.h"
#include "cli/cli_columns.h"
#include "cli/cli_compare.h"
#include "cli/cli_digest.h"
#include "model/profile/ranks.h"

// Makes the selection. DLProf's reports use DLProf's split by key node unless options say
// otherwise; other reports use the steps that the file marks.
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
    // DLProf's reports apply DLProf's rule to an unknown key.
    if (cli->key_op && !split->key_found && is_dlprof)
        split = split_by_key(profile, cli->key_op, arena);
    else if (cli->key_op && !split->key_found)
        return error_set(error, ERROR_USAGE,
                         "--key_op: no op and no range is named %s; see --print=candidates",
                         cli->key_op);
    *selection = selection_all(split);
    selection->adoption = !cli->no_adoption;
    selection->step_size = cli->step_size;
    selection->hides_details = !cli->detailed_mode;
    selection->names = cli->names_given ? cli->names : names;
    // DLProf's reports aggregate all iterations, or those that its database recorded.
    return (is_dlprof && !split->is_told && !step_choice_is_given(&cli->steps)) ||
           step_choice_apply(&cli->steps, profile, selection, arena, error);
}

struct cli_batch {
    const struct cli *cli;
    const struct profile *profile, *baseline; // NULL without --baseline
    struct arena *arena;
    const struct console *console;
    void (*tell)(const char *line);
    bool is_crossed; // a condition of --fail-if is true
};

static const char *base_name(const struct cli *cli)
{
    return cli->base_name ? cli->base_name : "dlprof";
}

const char *cli_captured_dldb(const struct cli *cli, struct arena *arena)
{
    return export_dlprof_name(cli->output_path,
                              arena_format(arena, "%s_dldb.sqlite", base_name(cli)), arena);
}

static struct export_dlprof_request batch_files(const struct cli *cli, struct arena *arena)
{
    const struct export_format **csv = ARENA_NEW(arena, const struct export_format *);
    *csv = export_format_find("csv");
    return (struct export_dlprof_request){
        .folder = cli->output_path,
        .base_name = base_name(cli),
        .reports = cli->reports,
        .report_count = cli->report_count,
        .formats = cli->format_count ? cli->formats : csv,
        .format_count = cli->format_count ? cli->format_count : 1,
        .has_model = cli->dump_model_data,
        .dldb = cli->dldb ? cli->dldb : cli->captured_dldb,
        .force = cli->force,
        .threads = cli->threads,
    };
}

static bool check_is_other(const struct cli *cli, const char *written, struct error *error)
{
    for (size_t i = 0; i < cli->path_count; i++)
        if (!export_check_not_input(written, cli->paths[i], "profile", error))
            return false;
    return export_check_not_input(written, cli->path, "profile", error) &&
           export_check_not_input(written, cli->baseline, "baseline", error);
}

struct file_check_context {
    const struct cli *cli;
    struct arena *arena;
};

static bool check_written(void *context, struct error *error)
{
    const struct file_check_context *checking = context;
    const struct cli *cli = checking->cli;
    struct export_dlprof_request request = batch_files(cli, checking->arena);
    bool has_files = cli_writes_files(cli) && !cli->digest;
    if (cli->digest && (!check_is_other(cli, cli->digest, error) || !cli_check_digest(cli, error)))
        return false;
    for (size_t i = 0; has_files && i < export_dlprof_count(&request); i++)
        if (!check_is_other(cli, export_dlprof_path(&request, i, checking->arena), error))
            return false;
    return (!has_files && !request.dldb) || export_dlprof_check(&request, checking->arena, error);
}

static bool check_body(void *context, struct error *error)
{
    const struct file_check_context *checking = context;
    const struct cli *cli = checking->cli;
    const char *const read[] = {cli->baseline, cli->session, cli->script, cli->keys};
    for (size_t i = 0; i < sizeof read / sizeof *read; i++)
        if (read[i] && strcmp(read[i], "-") != 0 && access(read[i], R_OK) != 0)
            return error_set(error, ERROR_IO, "%s: %s", read[i], strerror(errno));
    return check_written(context, error);
}

bool cli_check_files(const struct cli *cli, struct arena *arena, struct error *error)
{
    struct file_check_context checking = {cli, arena};
    return arena_run(arena, check_body, &checking, error);
}

const char *cli_written_text(const char *path, struct arena *arena)
{
    return arena_format(arena, "%s written", text_safe(arena, path, strlen(path), true));
}

static bool write_files(const struct cli_batch *batch, struct error *error)
{
    const struct cli *cli = batch->cli;
    struct arena *arena = batch->arena;
    struct export_dlprof_request request = batch_files(cli, arena);
    struct selection selection;
    if (request.dldb && batch->profile->lacks_times)
        return error_set(error, ERROR_USAGE,
                         "--dldb: a database of DLProf is made of times, and %s tells none: "
                         "PyProf's parser keeps how long kernels ran and not when",
                         batch->profile->sources[0].path);
    if (!batch_selection(cli, batch->profile, true, NAME_FULL, arena, &selection, error))
        return false;
    console_tables(batch->console, batch->profile, arena);
    console_stamp(batch->console, VERBOSITY_NORMAL, "Aggregating profile data");
    bool is_simple = batch->profile->mode == MODE_SIMPLE;
    if (!is_simple)
        console_iterations(batch->console, batch->profile, &selection, arena);
    else if (!console_figures(batch->console, batch->profile, &selection, arena, error))
        return false;
    if (!export_dlprof_files(&request, batch->profile, &selection, arena, error))
        return false;
    console_files(batch->console, &request, arena);
    if (!is_simple && !console_expert(batch->console, batch->profile, &selection, arena, error))
        return false;
    char count[FORMAT_SIZE];
    size_t in_folder = export_dlprof_count(&request) - (request.dldb != NULL);
    if (cli->verbosity >= VERBOSITY_NORMAL && in_folder)
        batch->tell(arena_format(arena, "%s written to %s",
                                 format_counted(count, in_folder, "file"),
                                 text_safe(arena, request.folder, strlen(request.folder), true)));
    if (cli->verbosity >= VERBOSITY_NORMAL && request.dldb)
        batch->tell(cli_written_text(request.dldb, arena));
    return true;
}

// Returns the caption above the rows in text for readers: steps and GPUs covered, and the
// report's own caption.
static const char *batch_caption(const struct cli_batch *batch, const struct export_table *table)
{
    struct arena *arena = batch->arena;
    const struct profile *profile = batch->profile;
    const struct selection *selection = table->selection;
    const struct report *report = table->report;
    const char *report_caption = table->rows.caption;
    bool has_all = !selection->iterations && selection->split->count > 1;
    uint32_t gpus = profile->work.count ? selection_device_count(profile, selection) : 0;
    char count[FORMAT_SIZE];
    const char *text = arena_format(
        arena, "%s%s, %s%s, %s%s", report->is_aggregate || report->apart ? "totals of " : "",
        profile_files_text(profile, batch->cli->path, arena), has_all ? "all " : "",
        selection_text(profile, selection, arena), gpus > 1 ? "all " : "",
        gpus ? format_counted(count, gpus, "GPU") : "no GPU");
    return report_caption && !strstr(text, report_caption)
               ? arena_format(arena, "%s\n%s", text, report_caption)
               : text;
}

// True if the report covers all steps unless the user chooses some.
static bool covers_all_steps(const struct cli *cli, const struct report *report)
{
    return !step_choice_is_given(&cli->steps) &&
           (report->has_own_steps || (report->covers_all_steps && !cli->key_op));
}

static bool batch_print(const struct cli_batch *batch, const char *name, struct error *error)
{
    const struct cli *cli = batch->cli;
    const struct report *report = report_find(name);
    const struct export_format *format =
        cli->format_count ? cli->formats[0] : export_format_find("text");
    struct selection selection;
    struct export_table table = {
        .report = report,
        .profile = batch->profile,
        .selection = &selection,
        .threads = cli->threads,
    };
    // Tables for programs have full names, documents for readers short ones. Comparisons are
    // reports of this program, even comparisons of DLProf's tables.
    bool is_compared = cli_compares(cli);
    if (!batch_selection(cli, batch->profile, report->is_dlprof && !is_compared,
                         report->is_document || is_compared ? NAME_FAMILY : NAME_FULL, batch->arena,
                         &selection, error) ||
        !cli_set_baseline(cli, batch->profile, batch->baseline, &selection, batch->arena, error))
        return false;
    if (covers_all_steps(cli, report) && !is_compared)
        selection.iterations = NULL;
    if (is_compared &&
        !(table.report = cli_compare_report(report, &selection, batch->arena, error)))
        return false;
    if (!report_build(table.report, batch->profile, &selection, batch->arena, &table.rows, error))
        return false;
    table.report = report_named(table.report, &table.rows);
    if (!cli_set_columns(cli, &table, batch->arena, error))
        return false;
    table.rows.caption =
        is_compared ? cli_compare_caption(cli, report, batch->profile, &selection, batch->arena)
                    : batch_caption(batch, &table);
    table.order = report_order(table.report, &table.rows, batch->arena);
    table.count = table.rows.count;
    errno = 0;
    // A reader that closes the pipe early (head, less) is no failure.
    if ((!format->write(&table, stdout, batch->arena) || fflush(stdout) != 0) && errno != EPIPE)
        return error_set(error, ERROR_IO, "writing to standard output failed: %s", strerror(errno));
    return true;
}

static bool batch_limits(struct cli_batch *batch, struct error *error)
{
    const struct cli *cli = batch->cli;
    struct selection selection;
    return batch_selection(cli, batch->profile, false, NAME_FAMILY, batch->arena, &selection,
                           error) &&
           cli_set_baseline(cli, batch->profile, batch->baseline, &selection, batch->arena,
                            error) &&
           cli_check_limits(cli, batch->profile, &selection, batch->tell, &batch->is_crossed,
                            batch->arena, error);
}

// Returns the report to print, with a default if no other output is asked for; NULL: none.
static const char *batch_printed(const struct cli *cli)
{
    if (cli->print || cli_writes_files(cli) || cli->limit_count)
        return cli->print;
    return cli_compares(cli) ? "costs" : "summary";
}

static bool batch_body(void *context, struct error *error)
{
    struct cli_batch *batch = context;
    const struct cli *cli = batch->cli;
    if (cli->digest)
        return cli_write_digest(cli, batch->profile, batch->tell, batch->arena, error);
    if (batch->profile->mode_is_missing && cli->verbosity >= VERBOSITY_NORMAL)
        batch->tell(batch->profile->mode_reason);
    if (cli_writes_files(cli) && !write_files(batch, error))
        return false;
    const char *print = batch_printed(cli);
    if (print && !batch_print(batch, print, error))
        return false;
    return !cli->limit_count || batch_limits(batch, error);
}

// ---- signals -----------------------------------------------------------------------------------

// Signals that end a program by default. After the first one the file being written is removed; a
// second one ends the program at once.
static const int ending_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
enum { ENDING = sizeof ending_signals / sizeof *ending_signals };
static struct sigaction former_actions[ENDING];
static volatile sig_atomic_t ended_by;
static struct load_progress progress = {.wake_fd = -1};

static void on_ending(int number)
{
    ended_by = number;
    atomic_store(&progress.cancel, true);
}

static void signals_install(void)
{
    struct sigaction action = {.sa_handler = on_ending, .sa_flags = (int)SA_RESETHAND};
    for (int i = 0; i < ENDING; i++) {
        sigaction(ending_signals[i], NULL, &former_actions[i]);
        if (ending_signals[i] != SIGHUP || former_actions[i].sa_handler != SIG_IGN) // nohup
            sigaction(ending_signals[i], &action, NULL);
    }
}

static void signals_uninstall(void)
{
    for (int i = 0; i < ENDING; i++)
        sigaction(ending_signals[i], &former_actions[i], NULL);
}

// Ends the process by the signal received. SIGINT is excluded, as it has an exit status of its
// own.
static void end_by_signal(void)
{
    if (ended_by && ended_by != SIGINT)
        raise(ended_by);
}

// ---- running -----------------------------------------------------------------------------------

// True if the output consists of DLProf's reports only, which do not use the op tree, and the run
// is split as DLProf does.
static bool needs_ops_only(const struct cli *cli)
{
    const char *print = batch_printed(cli);
    return !cli->limit_count && !cli_compares(cli) && !cli->key_op && !cli->steps.iters &&
           (!print || report_find(print)->is_dlprof);
}

struct fill_context {
    const struct cli *cli;
    const struct load_request *request;
    void (*tell)(const char *line);
    struct arena *arena;
};

static bool fill_body(void *context, struct error *error)
{
    const struct fill_context *filling = context;
    return cli_fill_cache(filling->cli, filling->request, filling->tell, filling->arena, error);
}

static bool fill_cache(const struct cli *cli, struct load_request request,
                       void (*tell)(const char *line), struct error *error)
{
    struct arena *arena = arena_new(0);
    if (!arena)
        return error_set(error, ERROR_MEMORY, "out of memory");
    signals_install();
    request.progress = &progress;
    bool done =
        arena_run(arena, fill_body, &(struct fill_context){cli, &request, tell, arena}, error);
    arena_free(arena);
    signals_uninstall();
    end_by_signal();
    return done;
}

bool cli_run_batch(const struct cli *cli, struct load_request request,
                   const struct console *console, void (*tell)(const char *line), bool *is_crossed,
                   struct error *error)
{
    if (cli->cache == CACHE_FILL)
        return fill_cache(cli, request, tell, error);
    struct arena *arena = arena_new(0);
    if (!arena)
        return error_set(error, ERROR_MEMORY, "out of memory");
    // Check before a load that may take minutes.
    if (!arena_run(arena, check_written, &(struct file_check_context){cli, arena}, error)) {
        arena_free(arena);
        return false;
    }
    signals_install();
    if (cli_writes_files(cli) && !cli->digest)
        console_stamp(console, VERBOSITY_NORMAL, "Reading the profile");
    request.stops_after_ops = needs_ops_only(cli);
    request.part_of = cli->digest ? 1 : 0; // a digest holds the tables only
    request.progress = &progress;
    struct profile *profile = cli_load(&request, error);
    const struct profile *baseline = NULL;
    if (profile && !cli_load_baseline(cli, &request, &baseline, error)) {
        profile_free(profile);
        profile = NULL;
    }
    // From here the program may end at any moment, even while blocked on the pipe of a pager,
    // unless that could leave a partial file of --reports.
    if (!cli_writes_files(cli))
        signals_uninstall();
    if (profile && atomic_load(&progress.cancel)) {
        profile_free(profile);
        profile_free(baseline);
        profile = NULL;
        error_set(error, ERROR_CANCELLED, "cancelled");
    }
    if (!profile) {
        arena_free(arena);
        signals_uninstall();
        end_by_signal();
        return false;
    }
    struct cli_batch batch = {cli, profile, baseline, arena, console, tell, false};
    arena_set_stop_flag(arena, &progress.cancel);
    bool done = arena_run(arena, batch_body, &batch, error);
    if (!done && atomic_load(&progress.cancel))
        error_set(error, ERROR_CANCELLED, "cancelled");
    arena_free(arena);
    profile_free(profile);
    profile_free(baseline);
    signals_uninstall();
    end_by_signal();
    *is_crossed = batch.is_crossed;
    return done;
}
