// SPDX-License-Identifier: Apache-2.0
// DLProf's output while it writes files: lines with the time, iterations found, advice.
// --verbosity limits it.
#ifndef CLI_CLI_CONSOLE_H
#define CLI_CLI_CONSOLE_H

#include "cli/cli.h"

struct console {
    enum verbosity verbosity;
    // Gets one or more printable lines without a final newline; `stamp` precedes them, or is "".
    void (*say)(const char *stamp, const char *lines);
};

// Prints "[DLProf-14:02:11] TEXT" if the verbosity is at least `minimum`; `text` must be printable.
void console_stamp(const struct console *console, enum verbosity minimum, const char *text);
// Prints the tables read and notes on them, at VERBOSITY_DIAGNOSTIC.
void console_tables(const struct console *console, const struct profile *profile,
                    struct arena *arena);
// Prints the iterations found, and those that the files aggregate.
void console_iterations(const struct console *console, const struct profile *profile,
                        const struct selection *selection, struct arena *arena);
// Prints the figures of simple mode, which replace iterations and expert systems. Returns false
// if the report failed.
bool console_figures(const struct console *console, const struct profile *profile,
                     const struct selection *selection, struct arena *arena, struct error *error);
// Prints the files written, at VERBOSITY_DETAILED.
void console_files(const struct console *console, const struct export_dlprof_request *request,
                   struct arena *arena);
// Prints the findings of DLProf's expert systems. Returns false if the report failed.
bool console_expert(const struct console *console, const struct profile *profile,
                    const struct selection *selection, struct arena *arena, struct error *error);

#endif
