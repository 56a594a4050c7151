// SPDX-License-Identifier: Apache-2.0
// The command line: one table of options that drives parsing, --help, --list=options, the man
// page and shell completions.
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <stdio.h>

#include "analysis/compare/limit.h"
#include "analysis/export/export.h"
#include "analysis/reports/report_list.h"
#include "analysis/steps/step_sets.h"
#include "base/arena.h"
#include "base/error.h"
#include "model/profile/profile.h"

enum verbosity { // each level includes those before it
    VERBOSITY_QUIET,
    VERBOSITY_MINIMAL,
    VERBOSITY_NORMAL,
    VERBOSITY_DETAILED,
    VERBOSITY_DIAGNOSTIC,
};

struct run_list;

enum cache_use {
    CACHE_ON,
    CACHE_OFF,
    CACHE_FILL, // make digests and do nothing else
};

struct cli {
    struct arena *arena; // owns the lists below
    const char *path;    // the profile, or its first file
    const char **paths;
    size_t path_count;           // 0: named by --database, a session or a captured program
    const struct run_list *runs; // runs in the folder `path`, one is chosen on the screen; or NULL
    const char *database;        // the profile, by --database; excludes `path`
    char *const *application;    // program to capture with its arguments; NULL: none
    int application_count;
    const char *print;   // --print
    const char *columns; // columns of --print by key: "idx,dir"; NULL: default
    bool is_pyprof_csv;
    int width;        // columns per line of text, 0: not given
    const char *list; // --list
    const char *man;  // --man: template to fill in
    bool help, version;
    // DLProf's reports.
    const struct report **reports;
    size_t report_count, report_capacity;
    bool all_reports; // --reports=all
    const struct export_format **formats;
    size_t format_count, format_capacity;
    const char *output_path, *base_name;
    bool force;
    bool dump_model_data;      // alone or together with reports
    const char *dldb;          // DLProf database to write; NULL: none
    const char *captured_dldb; // DLProf database that a capture writes, as DLProf did; or NULL
    const char *digest;        // digest to write; NULL: none
    // Capturing with nsys.
    const char *nsys_base_name, *nsys_options; // NULL: the options of DLProf
    bool nsys_profile_range, dry_run;
    bool markers;                        // run the script with python/dlprof_tui_markers.py
    int64_t delay, duration;             // seconds; 0: not given
    const struct cli_option **capturing; // options with OPTION_FOR_CAPTURE that were given
    size_t capturing_count, capturing_capacity;
    // Selection.
    enum mode mode;
    const char *key_op;
    struct step_choice steps;
    enum name_form names;
    bool names_given, no_adoption;
    struct step_size step_size; // size of a step as given by the user
    bool detailed_mode;         // DLProf's; false omits columns for TensorFlow
    // Baseline and limits.
    const char *baseline, *baseline_iters;
    int64_t baseline_gpu, baseline_process; // UNKNOWN: not given
    struct limit *limits;                   // --fail-if
    size_t limit_count, limit_capacity;
    // Loading.
    bool ignore_journal;
    enum cache_use cache;
    const char *domain; // NULL: the first
    bool has_file_window;
    struct file_window file_window; // the part of the file to read
    const char *part;               // --steps as given, NULL: not given
    unsigned threads;
    const char *rules;
    // Screen.
    const char *theme, *color, *script, *session, *size, *view;
    const char *keys, *config; // file names, NULL: not given
    bool ascii, no_mouse, dump;
    bool doctor;
    const char *completion; // name of the shell
    enum verbosity verbosity;
};

enum option_group { // in the order of the manual
    GROUP_READ,
    GROUP_STEPS,
    GROUP_OUTPUT,
    GROUP_COMPARE,
    GROUP_CAPTURE,
    GROUP_SCREEN,
    GROUP_GENERAL,
    OPTION_GROUP_COUNT
};
extern const char *const cli_option_groups[OPTION_GROUP_COUNT]; // titles

struct cli_option {
    const char *name;     // without dashes
    char letter;          // short form, or 0
    const char *other;    // other spelling, or NULL
    const char *value;    // name of the value in documents, NULL: a switch (=true|false accepted)
    const char *fallback; // default value in documents, or NULL
    const char *doc;
    bool (*set)(struct cli *cli, const char *value, struct error *error);
    const char *(*word)(size_t i); // i-th possible value, NULL after the last; or NULL
    unsigned flags;                // enum option_flag
    enum option_group group;
};
enum option_flag {
    OPTION_HIDDEN = 1,      // omitted in all documents
    OPTION_IN_CONFIG = 2,   // may be set in config.yaml
    OPTION_FOR_CAPTURE = 4, // concerns the program to capture; has no effect on an existing profile
};
extern const struct cli_option cli_options[];
extern const size_t cli_option_count;

// Fills `cli` from the arguments, which override config.yaml where that is read. Values live in
// `arena`. Returns false on ERROR_USAGE or if the file cannot be read.
bool cli_parse(struct cli *cli, int count, char **arguments, struct arena *arena,
               struct error *error);
void cli_add_format(struct cli *cli, const struct export_format *format);  // ignores duplicates
const struct cli_option *cli_find_option(const char *name, size_t length); // or NULL
// True if files are to be written, DLProf's or a digest.
bool cli_writes_files(const struct cli *cli);
// True if the result is shown on a terminal, where the user's configuration applies.
bool cli_uses_screen(const struct cli *cli);

// Sets options from a file of `option: value`. Errors read "file:line:column: why".
bool cli_read_config(struct cli *cli, const char *path, struct arena *arena, struct error *error);
// Finds the folder of the user's rules; *folder is NULL if there is none. Returns false if the
// folder of --rules does not exist.
bool cli_find_rules(const struct cli *cli, struct arena *arena, const char **folder,
                    struct error *error);

// Prints the completion for a shell: bash, zsh or fish.
void cli_print_completion(const char *shell, FILE *file);
const char *cli_list_word(size_t i); // i-th value of --list

// Checks what the program needs, and the profile if one is given. Writes one line per check, with
// advice, to `file`. Returns false if a check failed.
bool cli_run_doctor(const struct cli *cli, FILE *file, struct arena *arena);

void cli_print_help(FILE *file);
// Prints --list=`what` as TSV. Returns false with ERROR_USAGE for an unknown list.
bool cli_print_list(const char *what, FILE *file, struct error *error);
// Prints a man page: its template with the @LISTS@ filled in from the tables.
bool cli_print_man(const char *path, FILE *file, struct error *error);

// Returns the part of the profile to read; NULL: all of it.
const struct file_window *cli_excerpt(const struct cli *cli);

// True if the profile is to be compared with another file or with a part of itself.
bool cli_compares(const struct cli *cli);

// Finds a report by name, including names of older DLProf guides; NULL: none.
const struct report *cli_find_report(const char *word);

// Sets an error such as "no option --verison; did you mean --version?": the unknown word and the
// most similar of `count` known words, if any is similar. `dashes` precede both.
bool cli_unknown_word(const char *what, const char *dashes, const char *typed,
                      const char *(*word)(size_t i), size_t count, struct error *error);

#endif
