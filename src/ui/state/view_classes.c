// SPDX-License-Identifier: Apache-2.0
#include "ui/state/view_classes.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "ui/state/app_state.h"
#include "ui/state/view.h"

const struct view_class *const *views = NULL;
size_t view_count = 0;
const struct view_class *view_plain = NULL;

// All reports, and classes for reports that have none in `views`, filled in when requested.
static const struct report *const *all_reports = NULL;
static size_t all_count = 0;
static struct view_class *plain_classes = NULL; // [all_count]; lives as long as the program

bool view_classes_use(const struct view_class *const *list, size_t count,
                      const struct view_class *plain, const struct report *const *of_reports,
                      size_t of_report_count, struct error *error)
{
    views = list;
    view_count = count;
    view_plain = plain;
    if (plain_classes && all_reports == of_reports && all_count == of_report_count)
        return true;
    free(plain_classes);
    all_reports = of_reports;
    all_count = of_report_count;
    plain_classes = calloc(all_count + 1, sizeof *plain_classes);
    return plain_classes || error_set(error, ERROR_MEMORY, "out of memory");
}

static const struct view_class *class_of_report(size_t r)
{
    for (size_t i = 0; i < view_count; i++)
        if (views[i]->report && strcmp(views[i]->report, all_reports[r]->name) == 0)
            return views[i];
    if (!plain_classes)
        return NULL;
    struct view_class *class = &plain_classes[r];
    *class = *view_plain;
    class->name = class->report = all_reports[r]->name;
    class->title = all_reports[r]->title;
    class->doc = all_reports[r]->doc;
    return class;
}

size_t view_name_count(void)
{
    return view_count + all_count;
}

const char *view_name(size_t i)
{
    return i < view_count ? views[i]->name : all_reports[i - view_count]->name;
}

const struct view_class *view_class_find(const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; length == 1 && i < view_count; i++)
        if (views[i]->digit == name[0])
            return views[i];
    for (int pass = 0; pass < 2 && length > 0; pass++) {
        for (size_t i = 0; i < view_count; i++)
            if (pass ? strncasecmp(views[i]->name, name, length) == 0
                     : strcasecmp(views[i]->name, name) == 0)
                return views[i];
        for (size_t r = 0; r < all_count; r++)
            if (pass ? strncasecmp(all_reports[r]->name, name, length) == 0
                     : strcasecmp(all_reports[r]->name, name) == 0)
                return class_of_report(r);
    }
    return NULL;
}

const struct view_class *view_class_face(const struct app *app, const struct view_class *class)
{
    const char *face = class->face && app->profile ? class->face(app->profile) : NULL;
    return face ? view_class_find(face) : class;
}
