// SPDX-License-Identifier: Apache-2.0
// Runs that lie in a folder: which one is opened is chosen on the screen, before anything is read of them,
// and again by `:run` while one looks at one of them.
#ifndef UI_APP_RUNS_H
#define UI_APP_RUNS_H

#include "base/error.h"
#include "model/open/run_folder.h"
#include "ui/table/table.h"
#include "ui/term/canvas.h"

enum { RUN_FILTER_SIZE = 200 };
enum run_answer { RUN_ASKS, RUN_CHOSEN, RUN_LEFT };

// The list on the screen.
struct run_picker {
    const struct run_list *runs;
    struct table table;
    struct area list; // where the rows were drawn last
    bool is_typing;   // keys are of the filter
    char filter[RUN_FILTER_SIZE];
    size_t filter_length, filter_at;                    // bytes
    char problem[sizeof(((struct error *)0)->message)]; // "": none
    size_t chosen;
};

// With the cursor on run `now` (SIZE_MAX: on the first). The table goes with run_picker_close().
bool run_picker_open(struct run_picker *picker, const struct run_list *runs, size_t now,
                     struct error *error);
void run_picker_close(struct run_picker *picker);
// A key; what the mouse does has a place.
enum run_answer run_picker_key(struct run_picker *picker, uint32_t key, int x, int y);
void run_picker_draw(struct run_picker *picker, struct canvas *canvas);

// The run of that name, of its beginning where no other one begins so; SIZE_MAX: none.
size_t run_find(const struct run_list *runs, const char *name);

#endif
