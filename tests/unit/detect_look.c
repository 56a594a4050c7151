// SPDX-License-Identifier: Apache-2.0
// Runs all detectors on a hand-made profile and checks what holds for any list of findings.
#include "detect_look.h"
#include "analysis/reports/report_list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct look look_from(struct profile_builder *builder, uint32_t first)
{
    struct look look = {builder, arena_new(0), {0}};
    struct profile *profile = builder_build(builder, MODE_AUTO);
    struct selection selection = selection_all(split_find(profile, look.arena));
    bool *members = ARENA_ARRAY(look.arena, bool, (size_t)selection.split->count + 1);
    for (uint32_t i = first; i < selection.split->count; i++)
        members[i] = true;
    selection.iterations = first ? members : NULL;
    look.list = expert_run(profile, &selection, look.arena);
    double share = 0;
    for (size_t i = 0; i < look.list.count; i++) {
        const struct finding *finding = &look.list.items[i];
        share += finding->gain_ns == UNKNOWN ? 0 : finding->share;
        if (finding->gain_ns == UNKNOWN)
            continue;
        // The rows that a finding refers to must exist.
        assert_true(look_evidence(&look, finding).count > 0);
    }
    assert_true(share <= 1.000001);
    return look;
}

struct look look_at(struct profile_builder *builder)
{
    return look_from(builder, 0);
}

void look_end(struct look *look)
{
    arena_free(look->arena);
    builder_free(look->builder);
}

const struct finding *look_find(const struct look *look, const char *id, enum severity severity)
{
    for (size_t i = 0; i < look->list.count; i++)
        if (look->list.items[i].severity == severity &&
            strcmp(look->list.items[i].detector->id, id) == 0)
            return &look->list.items[i];
    return NULL;
}

void look_kernel(struct profile_builder *builder, uint32_t gpu, uint32_t stream, int64_t from,
                 int64_t to, const char *name)
{
    uint32_t thread = builder_thread(builder, gpu + 1, gpu + 1);
    int64_t launched = from - MS / 2;
    uint32_t call = builder_call(builder, thread, launched, launched + 100, "cudaLaunchKernel");
    builder_kernel(builder, call, gpu, stream, from, to, name);
}

void look_step(struct profile_builder *builder, uint32_t gpu, int64_t from, int64_t to, int number)
{
    char text[20];
    snprintf(text, sizeof text, "step %d", number);
    builder_range(builder, builder_thread(builder, gpu + 1, gpu + 1), from, to, text);
}

struct rows look_evidence(const struct look *look, const struct finding *finding)
{
    return report_find(finding->opens)
        ->build(look->builder->profile, &finding->evidence, look->arena);
}

struct value look_value(const struct finding *finding, const struct rows *rows, size_t row,
                        const char *key)
{
    const struct report *report = report_find(finding->opens);
    for (size_t c = 0; c < report->column_count; c++)
        if (strcmp(report->columns[c].key, key) == 0)
            return report->columns[c].get(report_row(report, rows, row));
    fail_msg("%s has no column %s", report->name, key);
    return value_none();
}
