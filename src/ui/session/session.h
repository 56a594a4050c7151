// SPDX-License-Identifier: Apache-2.0
// Sessions: files that restore the places and scope of the screen. A session is a script of
// commands that change the screen only (REACH_SCREEN), so that files from any source are safe to
// open. Profiles that it names are opened only if no other program has to be run for them.
//
// The first line gives format and version; the next lines give the files of the profile, their
// domain, and the part that was read. Commands of a place that was reached from another one are
// indented by two more spaces. If a profile lacks a place, the places reached from it are skipped
// as well, so that no unintended view opens. Lines of bookmark a begin with "'a "; they are kept
// and followed when the user jumps there (bookmarks.h).
#ifndef UI_SESSION_SESSION_H
#define UI_SESSION_SESSION_H

#include "model/profile/file_window.h"

struct app;

#define SESSION_FIRST_LINE "# dlprof-tui session " // followed by the version
#define SESSION_PROFILE    "# profile "
#define SESSION_DOMAIN     "# domain " // domain of a DLProf database
#define SESSION_WINDOW     "# window " // argument of --window
#define SESSION_STEPS      "# steps "  // argument of --steps
enum {
    MAX_SESSION_BYTES = 1 << 20,
    MAX_SESSION_LINES = 20000
}; // limits of a file in bytes and lines

struct session {
    char *text;            // the whole file
    const char **profiles; // paths of the profile's files
    size_t profile_count;  // 0: it names no profile
    const char *domain;    // domain of a DLProf database; NULL: its first
    bool has_file_window;  // read only `file_window` of the files
    struct file_window file_window;
};

// Returns false if the file cannot be read or is not a session of this version.
bool session_read(const char *path, struct session *session, struct arena *arena,
                  struct error *error);
// Outcome of following a text of commands.
struct session_outcome {
    size_t count, missing; // commands, and those that do not apply here
    bool is_short;         // a place could not be reached, so all after it were skipped
    const char *said;      // the commands that do not apply, two lines each
    const char *first;     // the first of them on one line; "": all apply
};
// Follows the commands of a text without recording undo. Returns false if out of memory.
bool session_follow(struct app *app, const char *text, struct arena *arena,
                    struct session_outcome *outcome);
// Follows a whole session and reads its bookmarks. Commands that do not apply are skipped and
// listed in a box.
void session_run(struct app *app, const struct session *session);

#endif
