// SPDX-License-Identifier: Apache-2.0
// What Tab makes of what was begun: names of commands, and of what each of them takes.
//
// An action says in its row what its argument is one of (action.h: `complete`); the words of its
// `argument` that stand for themselves ("FILE|off": off) are candidates as they are. A prompt of an
// action completes as its command does.
#ifndef UI_COMPLETION_H
#define UI_COMPLETION_H

#include <stdbool.h>
#include <stddef.h>

struct app;

struct completion {
    const char *word; // as typed; candidates begin so
    size_t length;
    size_t count;      // candidates
    char shared[1000]; // what all of them begin with
    char list[300];    // for people, as many as there is room for
    bool goes_on;      // even the only candidate is no end: a folder
};

void completion_add(struct completion *completion, const char *name);

// A source of candidates.
struct completion_source {
    void (*add)(struct app *app, struct completion *completion);
    const char *breaks; // characters behind which a word begins, NULL: the argument is one word
    const char *before; // that may stand before a name: "-" of a sort
};
extern const struct completion_source complete_views, complete_themes, complete_columns,
    complete_sorts, complete_terms, complete_files, complete_sets, complete_names, complete_scopes,
    complete_splits, complete_findings, complete_bookmarks, complete_words;

// Completes the text of the prompt that is open.
void prompt_complete(struct app *app);

#endif
