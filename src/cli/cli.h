// SPDX-License-Identifier: Apache-2.0
// The command line: one table of options, from which parsing, --help, --list=options, the man page
// and the completions follow.
#ifndef CLI_H
#define CLI_H

#include <stdio.h>

#include "analysis/compare/limit.h"
#include "analysis/export/export.h"
#include "analysis/reports/report_list.h"
#include "analysis/sums/step_sets.h"
#include "base/arena.h"
#include "base/error.h"
#include "model/profile/profile.h"

enum verbosity { // each says what those before it do, and more
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
    CACHE_FILL, // and nothing else
};

struct cli {
    struct arena *arena; // of the lists below
    const char *path;    // the profile, or the first file of it
    const char **paths;
    size_t path_count; // 0: --database, a session or a captured program names it
    const struct run_list
        *runs;                // of the folder `path`, one of which is chosen on the screen; or NULL
    const char *database;     // the same, by --database; both is too much
    char *const *application; // the program to be captured and its words; NULL: none
    int application_count;
    const char *print;   // --print
    const char *columns; // of it, by key: "idx,dir"; NULL: its own
    bool is_pyprof_csv;
    int width;        // of a line, 0: not given
    const char *list; // --list
    const char *man;  // --man: template to be filled in
    bool help, version;
    // DLProf's reports
    const struct report **reports;
    size_t report_count, report_capacity;
    bool all_reports; // that there are, whichever they are
    const struct export_format **formats;
    size_t format_count, format_capacity;
    const char *output_path, *base_name;
    bool force;
    bool dump_model_data;      // beside the reports or alone
    const char *dldb;          // the same of a DLProf database; NULL: none is asked for ...
    const char *captured_dldb; // ... but is left by a capture, as DLProf did
    const char *digest;        // the file to be written, NULL: none
    // how nsys captures
    const char *nsys_base_name, *nsys_options; // NULL: DLProf's own
    bool nsys_profile_range, dry_run;
    bool markers;                        // its script is run with python/dlprof_tui_markers.py
    int64_t delay, duration;             // seconds; 0: not given
    const struct cli_option **capturing; // of these the ones that were given
    size_t capturing_count, capturing_capacity;
    // what is looked at
    enum mode mode;
    const char *key_op;
    struct step_choice steps;
    enum name_form names;
    bool names_given, no_adoption;
    struct step_size step_size; // what a step is said to be
    bool detailed_mode;         // DLProf's: false leaves columns out for TensorFlow
    // what it is compared with, and what must not be crossed
    const char *baseline, *baseline_iters;
    int64_t baseline_gpu, baseline_process; // UNKNOWN: not given
    struct limit *limits;                   // --fail-if
    size_t limit_count, limit_capacity;
    // how it is read
    bool ignore_journal;
    enum cache_use cache;
    const char *domain; // NULL: the first
    bool has_excerpt;
    struct excerpt excerpt; // the part that is read
    const char *part;       // --steps as given, NULL: it is not
    unsigned threads;
    const char *rules;
    // the screen
    const char *theme, *color, *script, *session, *size, *view;
    const char *keys, *config; // files, NULL: not named
    bool ascii, no_mouse, dump;
    bool doctor;
    const char *completion; // the shell
    enum verbosity verbosity;
};

struct cli_option {
    const char *name;     // without the dashes
    char letter;          // short form or 0
    const char *other;    // other spelling or NULL
    const char *value;    // what stands after =, NULL: a switch (=true|false accepted)
    const char *fallback; // what holds when it is not given, for the documents; or NULL
    const char *doc;
    bool (*set)(struct cli *cli, const char *value, struct error *error);
    const char *(*word)(size_t i); // what the value may be, NULL behind the last; or NULL
    unsigned flags;                // enum option_flag
};
enum option_flag {
    OPTION_HIDDEN = 1, // from all documents
    OPTION_KEPT = 2,   // may stand in config.yaml
    OPTION_CAPTURING =
        4, // is of a program that is run, and says nothing of a profile that is there
};
extern const struct cli_option cli_options[];
extern const size_t cli_option_count;

// Fills `cli` from the arguments, over what config.yaml says where that is read. What is kept of it
// lives in `arena`. False: ERROR_USAGE, or the file cannot be read.
bool cli_parse(struct cli *cli, int count, char **arguments, struct arena *arena,
               struct error *error);
void cli_add_format(struct cli *cli, const struct export_format *format);  // once
const struct cli_option *cli_find_option(const char *name, size_t length); // or NULL
// Whether files are to be written, DLProf's or a digest.
bool cli_writes_files(const struct cli *cli);
// Whether what follows is seen on a screen, where what a person has configured holds.
bool cli_is_screen(const struct cli *cli);

// Sets what the file says: `option: value`. False: "file:line:column: why".
bool cli_read_config(struct cli *cli, const char *path, struct arena *arena, struct error *error);
// Where the rules of one's own lie, file by file, NULL: nowhere; false: not where --rules says.
bool cli_find_rules(const struct cli *cli, struct arena *arena, const char **folder,
                    struct error *error);

// The completion for a shell: bash, zsh or fish.
void cli_print_completion(const char *shell, FILE *file);
const char *cli_list_word(size_t i); // of --list

// Checks what the program needs, and the profile if one is named: a line each on `file`, with what to
// do. False: something is wrong.
bool cli_run_doctor(const struct cli *cli, FILE *file, struct arena *arena);

void cli_print_help(FILE *file);
// --list=WHAT as TSV; `what` one of cli_lists. False: ERROR_USAGE.
bool cli_print_list(const char *what, FILE *file, struct error *error);
// Writes the man page: the template with its @LISTS@ filled in from the tables.
bool cli_print_man(const char *path, FILE *file, struct error *error);

// The part of the profile that is to be read; NULL: all of it.
const struct excerpt *cli_excerpt(const struct cli *cli);

// Whether something is to be compared: with another file, or with a part of the same.
bool cli_compares(const struct cli *cli);

// A report by its name, also by the one of older guides of DLProf; NULL: there is none.
const struct report *cli_find_report(const char *word);

// Fails with "no option --verison; did you mean --version?": what is unknown, and of the words that
// exist the one nearest to what was typed, if any is near. `dashes` stand before both.
bool cli_unknown(const char *what, const char *dashes, const char *typed,
                 const char *(*word)(size_t i), size_t count, struct error *error);

#endif
