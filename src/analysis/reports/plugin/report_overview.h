// SPDX-License-Identifier: Apache-2.0
// What a view asks of rows of the overview report.
#ifndef ANALYSIS_REPORTS_PLUGIN_REPORT_OVERVIEW_H
#define ANALYSIS_REPORTS_PLUGIN_REPORT_OVERVIEW_H

#include "analysis/breakdown/breakdown.h"

// Returns the parts of a row of the report `overview`.
const struct breakdown *overview_row_parts(const void *row);

#endif
