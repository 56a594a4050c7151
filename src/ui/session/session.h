// SPDX-License-Identifier: Apache-2.0
// Where one is, as a file that leads there again: a script of commands that only look (REACH_SCREEN),
// so that a file from anywhere can be opened. Profiles that it names are opened only where no other
// program has to be run for them.
//
// The first line names format and version, those that follow the files of the profile, and the part or
// the domain of them that was read. What belongs to a place that
// was reached from another one is indented by two more; so a place that another profile has not
// takes with it what was reached from there, and nothing is opened that is not meant. A line of
// bookmark a begins with "'a ": it is kept, and followed when one jumps there (bookmarks.h).
#ifndef UI_SESSION_SESSION_H
#define UI_SESSION_SESSION_H

#include "model/profile/file_window.h"

struct app;

#define SESSION_FIRST_LINE "# dlprof-tui session " // and its version
#define SESSION_PROFILE    "# profile "
#define SESSION_DOMAIN     "# domain "                     // of a DLProf database
#define SESSION_WINDOW     "# window "                     // what --window takes
#define SESSION_STEPS      "# steps "                      // what --steps takes
enum { SESSION_MAX = 1 << 20, SESSION_LINES_MAX = 20000 }; // bytes and lines of all of it

struct session {
    char *text;            // all of it
    const char **profiles; // files of the profile that it names
    size_t profile_count;  // 0: it names none
    const char *domain;    // of a DLProf database; NULL: its first
    bool has_excerpt;      // of them only this is to be read
    struct file_window file_window;
};

// False: no such file, or no session of this version.
bool session_read(const char *path, struct session *session, struct arena *arena,
                  struct error *error);
// What became of the commands of a text.
struct session_way {
    size_t count, missing; // lines, and those that do not apply here
    bool is_short;         // a place that others were reached from is not here
    const char *said;      // of what does not apply, two lines each
    const char *first;     // the first of them in one, "": all apply
};
// Follows the commands of a text; nothing of that is for undo. False: memory ended.
bool session_follow(struct app *app, const char *text, struct arena *arena,
                    struct session_way *way);
// Goes where it leads. What does not apply here is left out, and shown in a box.
void session_run(struct app *app, const struct session *session);

#endif
