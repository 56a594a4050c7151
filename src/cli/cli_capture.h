// SPDX-License-Identifier: Apache-2.0
// Capturing: the line of `nsys profile` that runs somebody's program, for the nsys at hand, and what it
// leaves.
#ifndef CLI_CAPTURE_H
#define CLI_CAPTURE_H

#include "cli/cli_console.h"
#include "model/nsys/nsys_program.h"

struct nsys_line {
    char path[NSYS_PATH_BYTES]; // "": not on the PATH
    const char **words;         // "nsys", "profile", ...; NULL behind the last
    const char *base;           // of what is left: base.sqlite, base.nsys-rep
};

struct captured {
    const char *path; // of the profile that is to be opened; NULL: none is
    int status;       // of the program, or of nsys where that failed, as a shell tells it
};

// Makes the line for cli->application. False: ERROR_USAGE, as it cannot be run so.
bool cli_capture_plan(const struct cli *cli, struct nsys_line *nsys, struct arena *arena,
                      struct error *error);

// Writes the line as a shell would read it.
void cli_capture_print(const struct nsys_line *nsys, FILE *file, struct arena *arena);

// Runs it, after what can be told before: that nsys is there, and that no file is in the way. Only the
// profile of a program that ended well is opened; of another `tell` is given the name. False: it was not
// run, or left nothing although all went well.
bool cli_capture_run(const struct cli *cli, const struct nsys_line *nsys,
                     const struct console *console, void (*tell)(const char *line),
                     struct captured *captured, struct arena *arena, struct error *error);

#endif
