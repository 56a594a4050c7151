// SPDX-License-Identifier: Apache-2.0
// What Tab makes of what was begun: names of commands, and of what each of them takes.
//
// An action says in its row what its argument is one of (action.h: `complete`); the words of its
// `argument` that stand for themselves ("FILE|off": off) are candidates as they are. A prompt of an
// action completes as its command does.
#ifndef UI_APP_COMPLETION_H
#define UI_APP_COMPLETION_H

struct app;

// Sources of candidates.
extern const struct completion_source complete_views, complete_themes, complete_columns,
    complete_sorts, complete_terms, complete_files, complete_sets, complete_names, complete_scopes,
    complete_runs, complete_splits, complete_findings, complete_bookmarks;

// Completes the text of the prompt that is open.
void prompt_complete(struct app *app);

#endif
