// SPDX-License-Identifier: Apache-2.0
// State of saving and copying, and the folder of the profiled program's source files.
#ifndef UI_STATE_SAVING_H
#define UI_STATE_SAVING_H

#include <stdbool.h>

struct export_format;

struct saving {
    struct { // the file last written or attempted, and the name of its view
        char path[4096], of[64];
    } saved;
    char session_path[4096];                 // session last written or read; "": none
    const struct export_format *copy_format; // format for rows; NULL: Markdown
    const char *copy_to;                     // file to write instead of the clipboard; NULL: none
    bool copies_over;                        // replace an existing file
};

struct source_place {
    const char *root; // folder to search; NULL: the working folder
    unsigned serial;  // counts changes of `root` and possible changes of files
};

#endif
