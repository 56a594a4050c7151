// SPDX-License-Identifier: Apache-2.0
// Runs all detectors on a hand-made profile and checks the invariants of any list of findings.
#include "detection.h"
#include "analysis/reports/report_list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct detection detect_from(struct profile_builder *builder, uint32_t first)
{
    struct detection detection = {builder, arena_new(0), {0}};
    struct profile *profile = builder_build(builder, MODE_AUTO);
    struct selection selection = selection_all(split_find(profile, detection.arena));
    bool *members = ARENA_ARRAY(detection.arena, bool, (size_t)selection.split->count + 1);
    for (uint32_t i = first; i < selection.split->count; i++)
        members[i] = true;
    selection.iterations = first ? members : NULL;
    detection.list = expert_run(profile, &selection, detection.arena);
    double share = 0;
    for (size_t i = 0; i < detection.list.count; i++) {
        const struct finding *finding = &detection.list.items[i];
        share += finding->gain_ns == UNKNOWN ? 0 : finding->share;
        if (finding->gain_ns == UNKNOWN)
            continue;
        // The rows that a finding refers to must exist.
        assert_true(detection_evidence(&detection, finding).count > 0);
    }
    assert_true(share <= 1.000001);
    return detection;
}

struct detection detect_all(struct profile_builder *builder)
{
    return detect_from(builder, 0);
}

void detection_free(struct detection *detection)
{
    arena_free(detection->arena);
    builder_free(detection->builder);
}

const struct finding *detection_find(const struct detection *detection, const char *id,
                                     enum severity severity)
{
    for (size_t i = 0; i < detection->list.count; i++)
        if (detection->list.items[i].severity == severity &&
            strcmp(detection->list.items[i].detector->id, id) == 0)
            return &detection->list.items[i];
    return NULL;
}

void builder_kernel_on(struct profile_builder *builder, uint32_t gpu, uint32_t stream, int64_t from,
                       int64_t to, const char *name)
{
    uint32_t thread = builder_thread(builder, gpu + 1, gpu + 1);
    int64_t launched = from - MS / 2;
    uint32_t call = builder_call(builder, thread, launched, launched + 100, "cudaLaunchKernel");
    builder_kernel(builder, call, gpu, stream, from, to, name);
}

void builder_step_on(struct profile_builder *builder, uint32_t gpu, int64_t from, int64_t to,
                     int number)
{
    char text[20];
    snprintf(text, sizeof text, "step %d", number);
    builder_range(builder, builder_thread(builder, gpu + 1, gpu + 1), from, to, text);
}

struct rows detection_evidence(const struct detection *detection, const struct finding *finding)
{
    return report_find(finding->opens)
        ->build(detection->builder->profile, &finding->evidence, detection->arena);
}

struct value evidence_value(const struct finding *finding, const struct rows *rows, size_t row,
                            const char *key)
{
    const struct report *report = report_find(finding->opens);
    for (size_t c = 0; c < report->column_count; c++)
        if (strcmp(report->columns[c].key, key) == 0)
            return report->columns[c].get(report_row(report, rows, row));
    fail_msg("%s has no column %s", report->name, key);
    return value_none();
}
