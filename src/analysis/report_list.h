// SPDX-License-Identifier: Apache-2.0
// Every report is one file, report_x.c; report.c lists them in order.
#ifndef ANALYSIS_REPORT_LIST_H
#define ANALYSIS_REPORT_LIST_H

#include "analysis/report.h"

extern const struct report report_api;
extern const struct report report_breakdown;
extern const struct report report_detail;
extern const struct report report_devices;
extern const struct report report_expert;
extern const struct report report_expert_systems;
extern const struct report report_group_node;
extern const struct report report_iteration;
extern const struct report report_iterations;
extern const struct report report_kernel;
extern const struct report report_kernel_ops;
extern const struct report report_kernels;
extern const struct report report_launches;
extern const struct report report_layers;
extern const struct report report_memory;
extern const struct report report_op_type;
extern const struct report report_ops;
extern const struct report report_page;
extern const struct report report_ranges;
extern const struct report report_streams;
extern const struct report report_summary;
extern const struct report report_tensor;
extern const struct report report_trust;

#endif
