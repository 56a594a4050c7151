// SPDX-License-Identifier: Apache-2.0
// What DLProf prints while it makes its files: lines with the time, what it found, what it advises.
// --verbosity says how much of it.
#ifndef CLI_CONSOLE_H
#define CLI_CONSOLE_H

#include "cli/cli.h"

struct console {
    enum verbosity verbosity;
    // Is given one line or several, safe to print, no final newline; before them what marks them, or "".
    void (*say)(const char *stamp, const char *lines);
};

// "[DLProf-14:02:11] TEXT", if the verbosity is `least` at least; `text` is safe to print.
void console_stamp(const struct console *console, enum verbosity least, const char *text);
// What was read, table by table, and the doubts about it: for VERBOSITY_DIAGNOSTIC.
void console_tables(const struct console *console, const struct profile *profile,
                    struct arena *arena);
// The iterations that there are, and which of them the files are of.
void console_iterations(const struct console *console, const struct profile *profile,
                        const struct selection *selection, struct arena *arena);
// Instead of these, and of the expert systems, in simple mode: its figures. False: the report failed.
bool console_figures(const struct console *console, const struct profile *profile,
                     const struct selection *selection, struct arena *arena, struct error *error);
// That these files have been written: for VERBOSITY_DETAILED.
void console_files(const struct console *console, const struct export_dlprof_request *request,
                   struct arena *arena);
// DLProf's expert systems. False: the report failed.
bool console_expert(const struct console *console, const struct profile *profile,
                    const struct selection *selection, struct arena *arena, struct error *error);

#endif
