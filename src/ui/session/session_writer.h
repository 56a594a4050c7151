// SPDX-License-Identifier: Apache-2.0
// Writes a session line by line as commands that lead to the current places. session_write.c writes
// the whole session, session_view.c the part of one view.
#ifndef UI_SESSION_SESSION_WRITER_H
#define UI_SESSION_SESSION_WRITER_H

#include "analysis/report/selection.h"
#include "base/text/bytes.h"
#include "ui/session/session.h"

struct view;

struct session_writer {
    struct app *app;
    struct bytes text; // the text so far, NUL-terminated if not empty
    size_t lines;
    bool is_cut;          // the limits of a session were exceeded
    int depth;            // number of places that led to the current one; sets the indent
    enum name_form names; // name form of new views after the lines so far; NAME_FORM_COUNT: unset
    bool is_folded;       // folding of siblings in new views after the lines so far
    bool has_per;         // the per-step line has been written
    bool is_bookmark;     // omits settings that all places share
    struct arena *arena;
};

// Adds a line, indented by the writer's depth.
void session_add(struct session_writer *writer, const char *text);
// Adds a command from a format without the ":".
#define session_line(writer, ...) \
    session_add(writer, arena_format((writer)->arena, ":" __VA_ARGS__))

// Returns true if the text can be written in a line of a session.
bool session_can_write(const char *text);

// Writes the commands that give a newly opened view the state of `view`, which was opened from
// `before` (NULL: it is the first of its trail). `leads_on`: the next place was opened from the row
// under its cursor, so the cursor must be written.
void session_view(struct session_writer *writer, struct view *view, const struct view *before,
                  bool leads_on);

// Returns the commands that lead from anywhere to the top view, starting with the first view on the
// way to it.
const char *session_place(struct app *app, struct arena *arena, bool *is_cut);
// Writes the bookmarks (bookmarks.c).
void bookmarks_write(struct session_writer *writer);

#endif
