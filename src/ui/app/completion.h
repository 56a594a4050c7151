// SPDX-License-Identifier: Apache-2.0
// Tab completion of commands and of their arguments.
//
// The row of an action names the source of its argument's candidates (action.h: `complete`).
// Literal words of `argument` ("FILE|off": off) are candidates as well. The prompt of an action
// completes as its command does.
#ifndef UI_APP_COMPLETION_H
#define UI_APP_COMPLETION_H

struct app;

// The sources of candidates.
extern const struct completion_source complete_views, complete_themes, complete_columns,
    complete_sorts, complete_terms, complete_files, complete_sets, complete_kinds, complete_names,
    complete_scopes, complete_runs, complete_splits, complete_findings, complete_bookmarks;

// Completes the text of the open prompt.
void prompt_complete(struct app *app);

#endif
