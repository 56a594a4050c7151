// SPDX-License-Identifier: Apache-2.0
// Files that are written and copied, and the source files of the program that was profiled.
#ifndef UI_STATE_SAVING_H
#define UI_STATE_SAVING_H

#include "ui/state/prompt.h"

struct app;
struct export_format;

struct saving {
    struct { // the file written last, or tried, and the view that it was of
        char path[4096], of[64];
    } saved;
    char session_path[4096];                 // that places were kept in, or came from; "": none
    const struct export_format *copy_format; // of rows; NULL: Markdown
    const char *copy_to;                     // a file instead of the clipboard, NULL: none
    bool copies_over;                        // one that is there is replaced
};

struct source_place {
    const char *root; // below which files of the program are looked for; NULL: here
    unsigned serial;  // counts its changes, and files that may have changed
};

const char *app_file_stem(struct app *app);                // of the profile, for names of files
void app_copy_over(struct app *app, const char *argument); // `:copy`, into a file that there is
void app_write_view(struct app *app, const char *path, bool force);
// Whether a file may be written there. Where one is, somebody is asked first, and what `asked_by` does
// comes again with `force`; a script is refused. What is read is never replaced.
bool app_may_write(struct app *app, const char *path, bool force, enum prompt_kind asked_by);
void app_write_page(struct app *app, const char *path, bool force);

#endif
