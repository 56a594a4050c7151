// SPDX-License-Identifier: Apache-2.0
// Every report, in the order of --list=reports. The list itself is in report_list.c.
#ifndef ANALYSIS_REPORTS_REPORT_LIST_H
#define ANALYSIS_REPORTS_REPORT_LIST_H

#include "analysis/report/report.h"

extern const struct report *const reports[];
extern const size_t report_count;
const struct report *report_find(const char *name); // NULL: none

#endif
