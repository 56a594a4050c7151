// SPDX-License-Identifier: Apache-2.0
// What views ask of rows of the layers and MFU reports.
#ifndef ANALYSIS_REPORTS_ROW_FIGURES_H
#define ANALYSIS_REPORTS_ROW_FIGURES_H

#include "analysis/op_runs/mfu.h"
#include "analysis/report/report.h"

// For a row of the report `layers` that is not a node of the tree but exposed communication or
// copies: returns the filter that shows its launches. NULL for a node.
const char *exposed_row_filter(const void *row);

// The sum over all rows of report_mfu.
struct mfu mfu_of_rows(const struct rows *rows);

#endif
