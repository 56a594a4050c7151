// SPDX-License-Identifier: Apache-2.0
// The classes of views by name: those of the list, and a plain one for each report without its own.
#ifndef UI_STATE_VIEW_CLASSES_H
#define UI_STATE_VIEW_CLASSES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct app;
struct report;
struct view_class;

// The list, in the order of Tab; none before view_classes_use().
extern const struct view_class *const *views;
extern size_t view_count;
extern const struct view_class *view_plain; // what a report without a class of its own gets

// Hands in the list (ui/app/view_list.c) and the reports; both stay. Called again with the same ones it
// does nothing. False: memory ended, and views of reports without a class are not found.
bool view_classes_use(const struct view_class *const *list, size_t count,
                      const struct view_class *plain, const struct report *const *of_reports,
                      size_t report_count, struct error *error);

// The class of a view or report by name, its beginning, or a digit; NULL: none.
const struct view_class *view_class_find(const char *name);
// The one that a digit, Tab and the tab stand for.
const struct view_class *view_class_face(const struct app *app, const struct view_class *class);
// Names of views first, then those of reports, for lists and completion.
size_t view_name_count(void);
const char *view_name(size_t i);

#endif
