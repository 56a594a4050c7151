// SPDX-License-Identifier: Apache-2.0
// Finds view classes by name: the classes of the list, and a plain class for each report that is
// not in it.
#ifndef UI_STATE_VIEW_CLASSES_H
#define UI_STATE_VIEW_CLASSES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct app;
struct report;
struct view_class;

// The list, in the order of Tab; empty before view_classes_use().
extern const struct view_class *const *views;
extern size_t view_count;
extern const struct view_class *view_plain; // the class for reports without one of their own

// Sets the list (ui/app/view_list.c) and the reports; both must outlive the program's views. A
// second call with the same ones has no effect. Returns false if out of memory; then reports
// without a class of their own are not found.
bool view_classes_use(const struct view_class *const *list, size_t count,
                      const struct view_class *plain, const struct report *const *of_reports,
                      size_t report_count, struct error *error);

// Returns the class of a view or report by name, by the beginning of a name, or by digit; or NULL.
const struct view_class *view_class_find(const char *name);
// Returns the class that the digit and the tab of `class` open for the app's profile.
const struct view_class *view_class_face(const struct app *app, const struct view_class *class);
// The names of views, then of reports, for lists and completion.
size_t view_name_count(void);
const char *view_name(size_t i);

#endif
