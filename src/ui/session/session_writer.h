// SPDX-License-Identifier: Apache-2.0
// A session while it is being written: line by line, the commands that lead to where one is.
// session_write.c writes all of it, session_view.c what belongs to one view.
#ifndef UI_SESSION_SESSION_WRITER_H
#define UI_SESSION_SESSION_WRITER_H

#include "analysis/report/selection.h"
#include "base/bytes.h"
#include "ui/session/session.h"

struct view;

struct session_writer {
    struct app *app;
    struct bytes text; // so far, with a NUL behind it once there is any
    size_t lines;
    bool is_cut;          // there was more than a session may have
    int depth;            // places that were reached from the one before
    enum name_form names; // of new views, as far as the lines so far say; NAME_FORM_COUNT: nothing
    bool is_folded;       // numbered siblings in new views, likewise
    bool has_per;         // the line about sums per step is written
    bool is_bookmark;     // what is arranged for all places alike is left out
    struct arena *arena;
};

// A line as it is, indented by the writer's depth.
void session_add(struct session_writer *writer, const char *text);
// A command: the format without its ":".
#define session_line(writer, ...) \
    session_add(writer, arena_format((writer)->arena, ":" __VA_ARGS__))

// A line of a script can hold it.
bool session_fits(const char *text);

// What turns a view that has just been opened, from `before` or at the bottom (NULL), into this one.
// `is_way`: the next place was reached from its row.
void session_view(struct session_writer *writer, struct view *view, const struct view *before,
                  bool is_way);

// What leads to the place on top from wherever one is, with the way there from its first view on.
const char *session_place(struct app *app, struct arena *arena, bool *is_cut);
// The bookmarks (bookmarks.c).
void bookmarks_write(struct session_writer *writer);

#endif
