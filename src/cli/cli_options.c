// SPDX-License-Identifier: Apache-2.0
// The table of options, with parsers and setters of their values.
#include "analysis/reports/report_list.h"
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli_words.h"

// ---- values ------------------------------------------------------------------------------------

static bool parse_bool(const char *value, bool *result, struct error *error)
{
    if (!value || strcmp(value, "true") == 0)
        *result = true;
    else if (strcmp(value, "false") == 0)
        *result = false;
    else
        return error_set(error, ERROR_USAGE, "neither true nor false: %s", value);
    return true;
}

static bool parse_number(const char *value, int64_t *result, struct error *error)
{
    char *end;
    long long number = strtoll(value, &end, 10);
    if (end == value || *end || number < 0)
        return error_set(error, ERROR_USAGE, "not a whole number: %s", value);
    *result = number;
    return true;
}

// Calls each(cli, word) for the words of "a,b,c"; an empty list is an error.
static bool each_word(struct cli *cli, const char *value, struct error *error,
                      bool (*each)(struct cli *cli, const char *word, struct error *error))
{
    value += strspn(value, ", ");
    if (!*value)
        return error_set(error, ERROR_USAGE, "the list is empty");
    while (*value) {
        char word[64];
        size_t length = strcspn(value, ", ");
        if (length >= sizeof word)
            return error_set(error, ERROR_USAGE, "too long: %s", value);
        memcpy(word, value, length);
        word[length] = 0;
        if (!each(cli, word, error))
            return false;
        value += length;
        value += strspn(value, ", ");
    }
    return true;
}

// Older guides of DLProf call op_type node_op.
const struct report *cli_find_report(const char *word)
{
    return report_find(strcmp(word, "node_op") == 0 ? "op_type" : word);
}

static bool add_report(struct cli *cli, const char *word, struct error *error)
{
    if (strcmp(word, "all") == 0) {
        cli->all_reports = true;
        for (size_t i = 0; i < report_count; i++)
            if (reports[i]->is_dlprof && !add_report(cli, reports[i]->name, error))
                return false;
        return true;
    }
    const struct report *report = cli_find_report(word);
    if (!report)
        return cli_unknown_word("no report is named ", "", word, cli_report_word, report_count,
                                error);
    if (!report->is_dlprof)
        return error_set(error, ERROR_USAGE,
                         "%s is not one of DLProf's reports; --print=%s writes it", word, word);
    for (size_t i = 0; i < cli->report_count; i++)
        if (cli->reports[i] == report)
            return true;
    ARENA_PUSH(cli->arena, cli->reports, cli->report_count, cli->report_capacity) = report;
    return true;
}

void cli_add_format(struct cli *cli, const struct export_format *format)
{
    for (size_t i = 0; i < cli->format_count; i++)
        if (cli->formats[i] == format)
            return;
    ARENA_PUSH(cli->arena, cli->formats, cli->format_count, cli->format_capacity) = format;
}

static bool add_format(struct cli *cli, const char *word, struct error *error)
{
    const struct export_format *format = export_format_find(word);
    if (!format)
        return cli_unknown_word("no format is named ", "", word, cli_format_word,
                                export_format_count, error);
    cli_add_format(cli, format);
    return true;
}

static bool find_word(const char *what, const char *typed, const char *(*word)(size_t i),
                      int *found, struct error *error)
{
    size_t count = 0;
    for (; word(count); count++)
        if (strcmp(word(count), typed) == 0) {
            *found = (int)count;
            return true;
        }
    return cli_unknown_word(what, "", typed, word, count, error);
}

// ---- one setter per option ---------------------------------------------------------------------

#define SETTER(name) static bool name(struct cli *cli, const char *value, struct error *error)
#define TEXT_SETTER(name, field) \
    SETTER(name)                 \
    {                            \
        (void)error;             \
        cli->field = value;      \
        return true;             \
    }
#define BOOL_SETTER(name, field)                      \
    SETTER(name)                                      \
    {                                                 \
        return parse_bool(value, &cli->field, error); \
    }

TEXT_SETTER(set_database, database)
TEXT_SETTER(set_nsys_base_name, nsys_base_name)
TEXT_SETTER(set_nsys_options, nsys_options)
TEXT_SETTER(set_columns, columns)
TEXT_SETTER(set_list, list)
TEXT_SETTER(set_man, man)
TEXT_SETTER(set_output_path, output_path)
TEXT_SETTER(set_digest, digest)
TEXT_SETTER(set_base_name, base_name)
TEXT_SETTER(set_key_op, key_op)
TEXT_SETTER(set_domain, domain)
TEXT_SETTER(set_dldb, dldb)
TEXT_SETTER(set_iters, steps.iters)
TEXT_SETTER(set_baseline, baseline)
TEXT_SETTER(set_baseline_iters, baseline_iters)
TEXT_SETTER(set_rules, rules)
TEXT_SETTER(set_theme, theme)
TEXT_SETTER(set_keys, keys)
TEXT_SETTER(set_config, config)
TEXT_SETTER(set_script, script)
TEXT_SETTER(set_session, session)
TEXT_SETTER(set_size, size)
TEXT_SETTER(set_view, view)
BOOL_SETTER(set_pyprof_csv, is_pyprof_csv)
BOOL_SETTER(set_help, help)
BOOL_SETTER(set_version, version)
BOOL_SETTER(set_force, force)
BOOL_SETTER(set_nsys_profile_range, nsys_profile_range)
BOOL_SETTER(set_dry_run, dry_run)
BOOL_SETTER(set_markers, markers)
BOOL_SETTER(set_dump_model_data, dump_model_data)
BOOL_SETTER(set_detailed_mode, detailed_mode)
BOOL_SETTER(set_no_adoption, no_adoption)

static bool set_flops_per_step(struct cli *cli, const char *value, struct error *error)
{
    return step_size_flops(&cli->step_size, value, error);
}

static bool set_items_per_step(struct cli *cli, const char *value, struct error *error)
{
    return step_size_items(&cli->step_size, value, error);
}

BOOL_SETTER(set_ignore_journal, ignore_journal)
BOOL_SETTER(set_ascii, ascii)
BOOL_SETTER(set_no_mouse, no_mouse)
BOOL_SETTER(set_dump, dump)
BOOL_SETTER(set_doctor, doctor)

SETTER(set_print)
{
    if (!report_find(value))
        return cli_unknown_word("no report is named ", "", value, cli_report_word, report_count,
                                error);
    cli->print = value;
    return true;
}

SETTER(set_reports)
{
    return each_word(cli, value, error, add_report);
}

SETTER(set_formats)
{
    return each_word(cli, value, error, add_format);
}

SETTER(set_width)
{
    enum { WIDTH_MAX = 10000 };
    int64_t width = 0;
    if (!parse_number(value, &width, error))
        return false;
    cli->width = (int)(width < WIDTH_MAX ? width : WIDTH_MAX);
    return width > 0 || error_set(error, ERROR_USAGE, "it must be more than 0");
}

SETTER(set_iter_start)
{
    return parse_number(value, &cli->steps.start, error);
}

SETTER(set_iter_stop)
{
    return parse_number(value, &cli->steps.stop, error);
}

SETTER(set_delay)
{
    return parse_number(value, &cli->delay, error);
}

SETTER(set_duration)
{
    return parse_number(value, &cli->duration, error) &&
           (cli->duration > 0 || error_set(error, ERROR_USAGE, "it must be more than 0 seconds"));
}

SETTER(set_baseline_gpu)
{
    return parse_number(value, &cli->baseline_gpu, error);
}

SETTER(set_baseline_process)
{
    return parse_number(value, &cli->baseline_process, error);
}

SETTER(set_fail_if)
{
    struct limit *limit =
        &ARENA_PUSH(cli->arena, cli->limits, cli->limit_count, cli->limit_capacity);
    return limit_parse(value, limit, error);
}

static bool refuse_both(struct error *error)
{
    return error_set(error, ERROR_USAGE, "--window and --steps exclude each other");
}

SETTER(set_window)
{
    if (cli->part)
        return refuse_both(error);
    cli->has_file_window = true;
    return file_window_parse_times(value, &cli->file_window, error);
}

SETTER(set_steps)
{
    if (cli->has_file_window && !cli->part)
        return refuse_both(error);
    cli->has_file_window = true;
    cli->part = value;
    return file_window_parse_steps(value, &cli->file_window, error);
}

SETTER(set_mode)
{
    int mode = 0;
    if (strcmp(value, "trtexec") == 0)
        value = "tensorrt";
    if (!find_word("no mode is named ", value, cli_mode_word, &mode, error))
        return false;
    cli->mode = (enum mode)mode;
    return true;
}

SETTER(set_cache)
{
    int use = 0;
    if (!find_word("no use of the cache is named ", value, cli_cache_word, &use, error))
        return false;
    cli->cache = (enum cache_use)use;
    return true;
}

SETTER(set_names)
{
    int form = 0;
    if (!find_word("no form of names is named ", value, cli_name_form_word, &form, error))
        return false;
    cli->names = (enum name_form)form;
    cli->names_given = true;
    return true;
}

SETTER(set_threads)
{
    int64_t threads = 0;
    if (!parse_number(value, &threads, error))
        return false;
    cli->threads = threads > 1024 ? 1024 : (unsigned)threads;
    return true;
}

SETTER(set_verbosity)
{
    int level = 0;
    if (!find_word("no level of verbosity is named ", value, cli_verbosity_word, &level, error))
        return false;
    cli->verbosity = (enum verbosity)level;
    return true;
}

SETTER(set_completion)
{
    int shell = 0;
    cli->completion = value;
    return find_word("no shell is named ", value, cli_shell_word, &shell, error);
}

SETTER(set_color)
{
    int when = 0;
    cli->color = value;
    return find_word("not auto, never or always: ", value, cli_color_word, &when, error);
}

// ---- the table ---------------------------------------------------------------------------------

const char *const cli_option_groups[OPTION_GROUP_COUNT] = {
    [GROUP_READ] = "What is read",        [GROUP_STEPS] = "Steps and figures",
    [GROUP_OUTPUT] = "Reports and files", [GROUP_COMPARE] = "Comparing",
    [GROUP_CAPTURE] = "Capturing",        [GROUP_SCREEN] = "Screen",
    [GROUP_GENERAL] = "General",
};

const struct cli_option cli_options[] = {
    {"help", 'h', NULL, NULL, NULL, "Print this help.", set_help, NULL, 0, GROUP_GENERAL},
    {"version", 'V', NULL, NULL, NULL, "Print the version.", set_version, NULL, 0, GROUP_GENERAL},
    {"print", 0, NULL, "REPORT", NULL,
     "Print one report as aligned text, or in the format of --formats. See --list=reports.",
     set_print, cli_report_word, 0, GROUP_OUTPUT},
    {"columns", 'c', NULL, "KEYS", "those of the format",
     "Columns of --print by their keys, in this order: idx,dir,kernel,sil. Without --print, of the "
     "report pyprof. See --list=columns.",
     set_columns, NULL, 0, GROUP_OUTPUT},
    {"csv", 0, NULL, NULL, "false",
     "Print the report pyprof, or that of --print, in the format pyprof-csv.", set_pyprof_csv, NULL,
     0, GROUP_OUTPUT},
    {"width", 'w', NULL, "N", NULL,
     "Print it in the format pyprof-columns, in lines of N columns. See dlprof-tui-reports(7).",
     set_width, NULL, 0, GROUP_OUTPUT},
    {"list", 0, NULL, "WHAT", NULL,
     "Print a list as TSV: reports, columns, views, actions, detectors, formats, options, modes, "
     "themes or formulas.",
     set_list, cli_list_word, 0, GROUP_GENERAL},
    {"reports", 0, "report", "LIST", NULL,
     "Write DLProf's reports to files: all, or some of summary, detail, iteration, kernel, tensor, "
     "op_type, group_node, expert_systems.",
     set_reports, cli_dlprof_word, 0, GROUP_OUTPUT},
    {"formats", 0, "file_formats", "LIST", "csv",
     "Formats of --reports (csv, json) and of --print (text, csv, tsv, json, markdown; as PyProf: "
     "pyprof-csv, pyprof-columns, pyprof-space).",
     set_formats, cli_format_word, 0, GROUP_OUTPUT},
    {"output_path", 0, NULL, "DIR", "./",
     "Folder for the files of --reports and of a capture. It is created if necessary.",
     set_output_path, NULL, 0, GROUP_OUTPUT},
    {"base_name", 0, "profile_name", "NAME", "dlprof",
     "First part of the names of these files, and Profile Name in the summary.", set_base_name,
     NULL, 0, GROUP_OUTPUT},
    {"dump_model_data", 0, NULL, NULL, "false",
     "Write ops, instances, calls, kernels and copies, and which belong together, to "
     "NAME_model_data.json. See dlprof-tui-files(7).",
     set_dump_model_data, NULL, 0, GROUP_OUTPUT},
    {"dldb", 0, NULL, "FILE", "capturing: NAME_dldb.sqlite",
     "Write a database as DLProf 1.8 does, for its viewer or for dlprof-tui. See "
     "dlprof-tui-files(7).",
     set_dldb, NULL, 0, GROUP_OUTPUT},
    {"digest", 0, NULL, "FILE", NULL,
     "Write a digest: a small file that opens quickly, alone or with those of other ranks. %q{VAR} "
     "in FILE, or in the name of the profile, is the value of an environment variable. See "
     "dlprof-tui-files(7).",
     set_digest, NULL, 0, GROUP_OUTPUT},
    {"force", 'f', NULL, NULL, "false", "Overwrite existing files, but never the profile.",
     set_force, NULL, 0, GROUP_OUTPUT},
    {"mode", 'm', NULL, "MODE", "auto",
     "Marker format that makes the ops: auto, pytorch, tensorflow1, tensorflow2, tensorrt (or "
     "trtexec), ranges, or simple (no ops).",
     set_mode, cli_mode_word, OPTION_IN_CONFIG, GROUP_STEPS},
    {"key_op", 0, "key_node", "NAME|ID", "steps found in the file",
     "Op whose ends split the run into steps, by DLProf's rule, or another key of "
     "--print=candidates.",
     set_key_op, NULL, 0, GROUP_STEPS},
    {"domain", 0, NULL, "NAME", "the first",
     "Domain to read from a DLProf database with several. --print=trust lists them.", set_domain,
     NULL, 0, GROUP_READ},
    {"window", 0, NULL, "FROM..TO", NULL,
     "Read only this time of the file, as on the timeline: 12s..14.5s, 800ms..1.2s. Either may be "
     "left out. See dlprof-tui-files(7).",
     set_window, NULL, 0, GROUP_READ},
    {"steps", 0, NULL, "N-M", NULL,
     "Read only these steps, by the numbers in the names of their ranges: 100-110. They are also "
     "the steps to aggregate, unless --iters is given.",
     set_steps, NULL, 0, GROUP_READ},
    {"iter_start", 0, NULL, "N", "the first",
     "First step to aggregate, by its number in the report iterations.", set_iter_start, NULL, 0,
     GROUP_STEPS},
    {"iter_stop", 0, NULL, "N", "the last",
     "Last step to aggregate, by its number in the report iterations.", set_iter_stop, NULL, 0,
     GROUP_STEPS},
    {"iters", 0, NULL, "SET", "complete steps; all for DLProf's reports",
     "Steps to aggregate: numbers and spans, 3-22,!7, or a name: all, steady, warm-up, outliers, "
     "cut, and for servers prefill, decode, mixed, idle. ! leaves out: !outliers.",
     set_iters, NULL, 0, GROUP_STEPS},
    {"baseline", 0, NULL, "FILE|FOLDER", NULL,
     "An older profile to compare with, or the folder of a run. --print then has A (the baseline), "
     "B, B - A and percent, per step and GPU; on the screen, B shows the same. See "
     "dlprof-tui-figures(7).",
     set_baseline, NULL, 0, GROUP_COMPARE},
    {"baseline-iters", 0, NULL, "SET", NULL,
     "Steps of the baseline; without --baseline, of the same file.", set_baseline_iters, NULL, 0,
     GROUP_COMPARE},
    {"baseline-gpu", 0, NULL, "N", NULL, "GPU that is the baseline.", set_baseline_gpu, NULL, 0,
     GROUP_COMPARE},
    {"baseline-process", 0, NULL, "PID", NULL, "Process that is the baseline.",
     set_baseline_process, NULL, 0, GROUP_COMPARE},
    {"fail-if", 0, NULL, "CONDITION", NULL,
     "Exit with status 3 if this holds: step>+5%, step>+2ms, step>420ms; also median, busy, idle, "
     "findings, kernel:FAMILY, layer:PATH. May be repeated. See dlprof-tui-figures(7).",
     set_fail_if, NULL, 0, GROUP_COMPARE},
    {"names", 0, NULL, "FORM", "family; full in tables that are written",
     "How kernels are grouped and named: family, short or full.", set_names, cli_name_form_word,
     OPTION_IN_CONFIG, GROUP_STEPS},
    {"no-adoption", 0, NULL, NULL, "false",
     "Leave work of threads without ranges outside of all ranges, instead of adding it to the "
     "range that waits for it.",
     set_no_adoption, NULL, OPTION_IN_CONFIG, GROUP_STEPS},
    {"flops-per-step", 0, NULL, "FLOPS", "from the shapes in the file",
     "FLOPs of the model per step on one GPU, for MFU if the file has no shapes: 6*1.3e9*12288. "
     "See dlprof-tui-formulas(7).",
     set_flops_per_step, NULL, OPTION_IN_CONFIG, GROUP_STEPS},
    {"items-per-step", 0, NULL, "UNIT:N", NULL,
     "Items per step on one GPU, for items per second: tokens:12288.", set_items_per_step, NULL,
     OPTION_IN_CONFIG, GROUP_STEPS},
    {"detailed_mode", 0, NULL, NULL, "true",
     "false leaves data types and input shapes out of the files of a TensorFlow profile.",
     set_detailed_mode, NULL, 0, GROUP_OUTPUT},
    {"database", 0, "nsys_database", "FILE", NULL,
     "The profile, in DLProf's spelling. A program beside it is not run.", set_database, NULL, 0,
     GROUP_READ},
    {"nsys_base_name", 0, "nsys_base_output_filename", "NAME", "nsys_profile",
     "Capturing: first part of the names of nsys's files, in the folder of --output_path.",
     set_nsys_base_name, NULL, OPTION_FOR_CAPTURE, GROUP_CAPTURE},
    {"nsys_options", 0, "nsys_opts", "OPTIONS", "-t cuda,nvtx -s none",
     "Capturing: options of nsys profile, in quotes.", set_nsys_options, NULL, OPTION_FOR_CAPTURE,
     GROUP_CAPTURE},
    {"nsys_profile_range", 0, NULL, NULL, "false",
     "Capturing: record only between profiler.start() and profiler.stop() of the program.",
     set_nsys_profile_range, NULL, OPTION_FOR_CAPTURE, GROUP_CAPTURE},
    {"markers", 0, NULL, NULL, "false",
     "Capturing: run a PyTorch script with markers that record the line, layer, shapes and data "
     "types of each op. See dlprof-tui-files(7).",
     set_markers, NULL, OPTION_FOR_CAPTURE, GROUP_CAPTURE},
    {"delay", 'y', NULL, "SECONDS", "0", "Capturing: start recording after this time.", set_delay,
     NULL, OPTION_FOR_CAPTURE, GROUP_CAPTURE},
    {"duration", 'd', NULL, "SECONDS", NULL,
     "Capturing: record for this time; nsys then ends the program.", set_duration, NULL,
     OPTION_FOR_CAPTURE, GROUP_CAPTURE},
    {"dry-run", 0, NULL, NULL, "false", "Capturing: print the nsys command, and run nothing.",
     set_dry_run, NULL, 0, GROUP_CAPTURE},
    {"ignore-journal", 0, NULL, NULL, "false",
     "Open a file that has a journal beside it; data in the journal is missing.",
     set_ignore_journal, NULL, 0, GROUP_READ},
    {"cache", 0, NULL, "on|off|fill", "on",
     "Keep digests of large files opened on the screen, and read these next time; fill: make the "
     "digests of the files named, and end. See dlprof-tui-files(7).",
     set_cache, cli_cache_word, OPTION_IN_CONFIG, GROUP_READ},
    {"threads", 0, NULL, "N", "all cores", "Threads that read the file.", set_threads, NULL,
     OPTION_IN_CONFIG, GROUP_READ},
    {"rules", 0, NULL, "DIR", "$XDG_CONFIG_HOME/dlprof-tui/rules",
     "Folder with kernels.yaml, ops.yaml, gpus.yaml, frames.yaml or expert.yaml, which replace the "
     "built-in rules, and formulas.yaml, whose rows come first.",
     set_rules, NULL, OPTION_IN_CONFIG, GROUP_READ},
    {"theme", 0, NULL, "NAME", "dark",
     "Colours: dark, light, high-contrast, cvd, 8-colour, mono, or a file of your own.", set_theme,
     cli_theme_word, OPTION_IN_CONFIG, GROUP_SCREEN},
    {"color", 0, NULL, "WHEN", "auto", "auto, never or always.", set_color, cli_color_word,
     OPTION_IN_CONFIG, GROUP_SCREEN},
    {"ascii", 0, NULL, NULL, "by locale", "Draw with ASCII characters only.", set_ascii, NULL,
     OPTION_IN_CONFIG, GROUP_SCREEN},
    {"no-mouse", 0, NULL, NULL, "false", "Leave the mouse to the terminal.", set_no_mouse, NULL,
     OPTION_IN_CONFIG, GROUP_SCREEN},
    {"keys", 0, NULL, "FILE", "$XDG_CONFIG_HOME/dlprof-tui/keys.yaml",
     "Your own keys, `action: keys`, over those of the program. See dlprof-tui-keys(7).", set_keys,
     NULL, OPTION_IN_CONFIG, GROUP_SCREEN},
    {"config", 0, NULL, "FILE", "$XDG_CONFIG_HOME/dlprof-tui/config.yaml",
     "Options that always hold, `option: value`. --print, --reports, --script and --dump read this "
     "file and that of --keys only if named here.",
     set_config, NULL, 0, GROUP_SCREEN},
    {"doctor", 0, NULL, NULL, "false",
     "Check terminal, locale, colours, clipboard, configuration, nsys and the profile, and print "
     "advice. Status 1 if something is wrong.",
     set_doctor, NULL, 0, GROUP_GENERAL},
    {"completion", 0, NULL, "SHELL", NULL, "Print the completion for bash, zsh or fish.",
     set_completion, cli_shell_word, 0, GROUP_GENERAL},
    {"view", 0, NULL, "NAME", "summary", "View to open first. See --list=views.", set_view,
     cli_view_word, OPTION_IN_CONFIG, GROUP_SCREEN},
    {"script", 0, NULL, "FILE|-", NULL,
     "Read keys, : commands, `text ...` and `dump`, one per line, from a file instead of the "
     "keyboard. See dlprof-tui-keys(7).",
     set_script, NULL, 0, GROUP_SCREEN},
    {"session", 0, NULL, "FILE", NULL,
     "Go to the place that :session FILE saved, in the profile named there or in the one given.",
     set_session, NULL, 0, GROUP_SCREEN},
    {"size", 0, NULL, "COLSxROWS", "80x24", "Size of the screen of --script and --dump.", set_size,
     NULL, 0, GROUP_SCREEN},
    {"dump", 0, NULL, NULL, "false", "Print the final screen as text; no terminal is needed.",
     set_dump, NULL, 0, GROUP_SCREEN},
    {"verbosity", 'v', NULL, "LEVEL", "normal",
     "Messages beside the report: quiet and minimal, only failures; normal, also what --reports "
     "found, DLProf's advice, and what was written; detailed, each file; diagnostic, also what was "
     "read and how reliable it is.",
     set_verbosity, cli_verbosity_word, 0, GROUP_GENERAL},
    {"man", 0, NULL, "TEMPLATE", NULL, "Write a man page from its template.", set_man, NULL,
     OPTION_HIDDEN, GROUP_GENERAL},
};
const size_t cli_option_count = sizeof cli_options / sizeof *cli_options;
