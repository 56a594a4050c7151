// SPDX-License-Identifier: Apache-2.0
// The list of runs in a folder. The user chooses one before any file is read, and can choose
// another one later with `:run`.
#ifndef UI_APP_RUNS_H
#define UI_APP_RUNS_H

#include "base/error.h"
#include "model/open/run_folder.h"
#include "ui/table/table.h"
#include "ui/term/canvas.h"

enum { RUN_FILTER_SIZE = 200 };
enum run_answer { RUN_PENDING, RUN_CHOSEN, RUN_CANCELLED };

// The list on the screen.
struct run_picker {
    const struct run_list *runs;
    struct table table;
    struct area list; // where the rows were drawn last
    bool is_typing;   // keys edit the filter
    char filter[RUN_FILTER_SIZE];
    size_t filter_length, filter_at;                    // bytes
    char problem[sizeof(((struct error *)0)->message)]; // "" for none
    size_t chosen;
};

// Opens the list with the cursor on run `current` (SIZE_MAX: the first). run_picker_close() frees
// the table.
bool run_picker_open(struct run_picker *picker, const struct run_list *runs, size_t current,
                     struct error *error);
void run_picker_close(struct run_picker *picker);
// Handles a key; x and y are the position of a mouse key.
enum run_answer run_picker_key(struct run_picker *picker, uint32_t key, int x, int y);
void run_picker_draw(struct run_picker *picker, struct canvas *canvas);

// Returns the run with that name, or the only run whose name begins with it; SIZE_MAX if none.
size_t run_find(const struct run_list *runs, const char *name);

#endif
