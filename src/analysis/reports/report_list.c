// SPDX-License-Identifier: Apache-2.0
#include "analysis/reports/report_list.h"

#include <string.h>

#define REPORT_ENTRY(name) &report_##name,
const struct report *const reports[] = {REPORT_LIST(REPORT_ENTRY)};
const size_t report_count = sizeof reports / sizeof *reports;

const struct report *report_find(const char *name)
{
    for (size_t i = 0; i < report_count; i++)
        if (strcmp(reports[i]->name, name) == 0)
            return reports[i];
    return NULL;
}
