// SPDX-License-Identifier: Apache-2.0
// Capturing: builds the command line of `nsys profile` for the installed version of nsys, runs it,
// and finds the files it writes.
#ifndef CLI_CLI_CAPTURE_H
#define CLI_CLI_CAPTURE_H

#include "cli/cli_console.h"
#include "model/nsys/nsys_program.h"

struct nsys_line {
    char path[NSYS_PATH_BYTES]; // path of nsys; "": not on the PATH
    const char **words;         // "nsys", "profile", ...; NULL-terminated
    const char *base;           // path of the results without suffix: base.sqlite, base.nsys-rep
};

struct captured {
    const char *path; // profile to open; NULL: none
    int status; // exit status of the program, or of nsys if that failed, as a shell reports it
};

// Builds the command line for cli->application. Returns false with ERROR_USAGE if it cannot be
// run.
bool cli_capture_plan(const struct cli *cli, struct nsys_line *nsys, struct arena *arena,
                      struct error *error);

// Prints the command line quoted for a shell.
void cli_capture_print(const struct nsys_line *nsys, FILE *file, struct arena *arena);

// Runs nsys, after checking that it is installed and that it would overwrite no file. If the
// program fails, its profile is not opened; `tell` gets the name. Returns false if nsys could not
// be run, or if it succeeded without writing a profile.
bool cli_capture_run(const struct cli *cli, const struct nsys_line *nsys,
                     const struct console *console, void (*tell)(const char *line),
                     struct captured *captured, struct arena *arena, struct error *error);

#endif
