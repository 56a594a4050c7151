// SPDX-License-Identifier: Apache-2.0
// Metrics of ops as DLProf counts them, shared by its reports.
//
// Per op run: CPU = its range on the host, GPU = union of its kernels, copies and memsets, overhead
// = CPU minus the time inside its API calls, idle = gaps between its GPU work. The figures of an op
// accumulate over its runs; Avg and Min include runs without any cost.
//
// An op run belongs to the iteration in which it starts, with all of its work; a kernel belongs to
// the iteration in which it was launched.
#ifndef ANALYSIS_SUMS_OP_METRICS_H
#define ANALYSIS_SUMS_OP_METRICS_H

#include "analysis/report/report.h"
#include "model/ops/ops.h"

enum op_time {
    TIME_CPU,
    TIME_GPU,
    TIME_OVERHEAD,
    TIME_IDLE,
    TIME_API, // inside its API calls: in DLProf's databases but not in its reports
    TIME_KINDS
};

struct time_metric { // ns; all 0 while empty
    int64_t total, min, max;
};

// First member of every row that shows the sixteen columns of OP_TIME_COLUMNS.
struct op_times {
    int64_t count; // divisor of averages
    struct time_metric metric[TIME_KINDS];
};

void metric_add(struct time_metric *metric, int64_t count_before, int64_t value);
// Adds a metric that was accumulated separately.
void metric_merge(struct time_metric *metric, int64_t count_before, const struct time_metric *more,
                  int64_t count);
void op_times_add(struct op_times *times, const int64_t values[TIME_KINDS]);
double metric_average(const struct time_metric *metric, int64_t count); // 0 if count is 0

// ---- op runs and work that a report covers ------------------------------------------------------

struct op_scope {
    const struct profile *profile;
    const struct selection *selection;
    struct selection inner; // the selection without iterations, for the work of a selected op run
    const bool *in_node; // [ops->count]: the op has a node in the selected subtree; NULL: all ops
    bool takes_all_work; // only the iterations limit the work
};

struct op_scope op_scope_open(const struct profile *profile, const struct selection *selection,
                              struct arena *arena);
bool op_scope_has_instance(const struct op_scope *scope, uint32_t instance);
bool op_scope_has_work(const struct op_scope *scope, uint32_t work);

// ---- metrics per op -----------------------------------------------------------------------------

struct op_metrics {
    struct op_times times;
    uint32_t op;
    int64_t calls;      // number of selected op runs
    int64_t kernel_ns;  // sum of kernel durations
    int64_t tc_ns;      // of these, kernels that use Tensor Cores
    int64_t overlap_ns; // sum of the durations of all GPU work minus its union
    bool uses_tc;
};

struct op_metrics_list {
    struct op_metrics *items; // ops with a selected op run, in the order of profile->ops
    uint32_t count;
    uint32_t *row_of_op; // [ops->count]: index in items, or ROW_NONE
};

struct op_metrics_list op_metrics_build(const struct profile *profile,
                                        const struct selection *selection, struct arena *arena);

// Returns the metrics of a single op run.
struct op_metrics op_instance_measure(const struct op_scope *scope, uint32_t instance);

// Returns one entry per op (calls 0: not selected), from partial sums in the memo (op_sums.c).
// NULL: the selection has no memo, or more than iterations, process and GPU narrow it.
const struct op_metrics *op_metrics_from_memo(const struct profile *profile,
                                              const struct selection *selection,
                                              struct arena *arena);

// ---- helpers of several reports -----------------------------------------------------------------

// Part of DLProf's sums that an op counts in.
enum tc_part { TC_PART_USING, TC_PART_ELIGIBLE, TC_PART_OTHER, TC_PARTS };
enum tc_part op_tc_part(const struct profile *profile, const struct op_metrics *metrics);

// Returns the length of the launching call in ns. A call that launched several pieces of work is
// charged to the first one.
int64_t work_api_ns(const struct profile *profile, uint32_t work);

// Returns the sum of the lengths of the selected iterations; without a set, the length of
// everything.
int64_t selection_wall_ns(const struct profile *profile, const struct selection *selection);

// Sort ops by (name, id) and by id, in byte order.
uint32_t *ops_by_name(const struct profile *profile, struct arena *arena);
void op_metrics_sort_by_id(const struct profile *profile, struct op_metrics_list *list,
                           struct arena *arena);

// ---- the sixteen time columns -------------------------------------------------------------------

#define OP_TIME_GETTERS(kind)                         \
    struct value get_##kind##_total(const void *row); \
    struct value get_##kind##_avg(const void *row);   \
    struct value get_##kind##_min(const void *row);   \
    struct value get_##kind##_max(const void *row);
OP_TIME_GETTERS(cpu)
OP_TIME_GETTERS(gpu)
OP_TIME_GETTERS(overhead)
OP_TIME_GETTERS(idle)

// clang-format off
#define OP_TIME_FOUR(kind, text, head_text, basis, flag, meaning)                                 \
    {.key = #kind "_total", .title = "Total " text " (ns)", .head = head_text, .unit = UNIT_NS,   \
     .get = get_##kind##_total, .doc = meaning "; accumulated over all calls.",                   \
     .flags = COLUMN_NOT_ADDITIVE | flag | basis}, \
    {.key = #kind "_avg", .title = "Avg. " text " (ns)", .head = head_text " avg",                \
     .unit = UNIT_NS, .get = get_##kind##_avg, .doc = meaning "; mean over the calls.",           \
     .flags = COLUMN_WIDE | basis},                                                               \
    {.key = #kind "_min", .title = "Min " text " (ns)", .head = head_text " min",                 \
     .unit = UNIT_NS, .get = get_##kind##_min, .doc = meaning "; the least of the calls.",        \
     .flags = COLUMN_DETAIL | basis},                                                             \
    {.key = #kind "_max", .title = "Max " text " (ns)", .head = head_text " max",                 \
     .unit = UNIT_NS, .get = get_##kind##_max, .doc = meaning "; the most of the calls.",         \
     .flags = COLUMN_DETAIL | basis}

#define OP_TIME_COLUMNS                                                                           \
    OP_TIME_FOUR(cpu, "CPU Time", "CPU", COLUMN_TIMED, COLUMN_HOST,                               \
                 "Length of the op's range on the host"),                                         \
    OP_TIME_FOUR(gpu, "GPU Time", "GPU", 0, COLUMN_BAR | COLUMN_ALL_GPUS, \
                 "Union of the op's kernels, copies and memsets"),                                \
    OP_TIME_FOUR(overhead, "CPU Overhead", "overhead", COLUMN_TIMED, COLUMN_WIDE | COLUMN_HOST,   \
                 "CPU time less the time inside the op's CUDA API calls"),                        \
    OP_TIME_FOUR(idle, "GPU Idle", "idle", COLUMN_TIMED, COLUMN_WIDE | COLUMN_ALL_GPUS, \
                 "Gaps between the first and the last GPU work of the op")
// clang-format on

#endif
