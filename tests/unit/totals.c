// SPDX-License-Identifier: Apache-2.0
// Compares totals of reports, breakdowns, idle time and the trust report with plain sums.
#include "totals.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/idle/exposed.h"
#include "analysis/idle/idle_sums.h"
#include "analysis/reports/report_list.h"

int64_t totals_column(const char *name, const char *key, const struct profile *profile,
                      const struct selection *selection, bool only_roots, struct arena *arena)
{
    const struct report *report = report_find(name);
    const struct column *column = report_column(report, key);
    assert_non_null(column);
    struct rows rows = report->build(profile, selection, arena);
    int64_t sum = 0;
    for (size_t i = 0; i < rows.count; i++) {
        const void *row = report_row(report, &rows, i);
        struct value value = column->get(row);
        if (value.kind == VALUE_INTEGER && !(only_roots && report->depth(row) > 0))
            sum += value.integer;
    }
    return sum;
}

// Sums over the selected work.
struct sums {
    int64_t all, exclusive, memory, outside, count, compute,
        tensor; // compute and tensor are exclusive times
};

static struct sums sums_of(const struct profile *profile, const struct selection *selection)
{
    const struct gpu_work *work = &profile->work;
    uint32_t outside = profile->tree->outside;
    struct sums sums = {0};
    if (selection->is_folded)
        outside = profile->tree->folded[outside];
    for (uint32_t w = 0; w < work->count; w++) {
        if (!selection_has_work(profile, selection, w))
            continue;
        enum work_kind kind = profile->functions[AT(work->function, w)].kind;
        int64_t ns = AT(work->end, w) - AT(work->start, w);
        sums.count++;
        sums.all += ns;
        sums.memory += kind == WORK_MEMCPY || kind == WORK_MEMSET ? ns : 0;
        sums.exclusive += AT(work->exclusive, w);
        const struct function *function = &profile->functions[AT(work->function, w)];
        bool is_compute = function->class == CLASS_COMPUTE;
        sums.compute += is_compute ? AT(work->exclusive, w) : 0;
        sums.tensor +=
            is_compute && function->tensor_core == STATE_YES ? AT(work->exclusive, w) : 0;
        if (selection_work_node(profile, selection, w) == outside)
            sums.outside += AT(work->exclusive, w);
    }
    return sums;
}

// Sums the rows "outside ranges": work that no launch or range assigns to a place.
static int64_t outside_total(const struct profile *profile, const struct selection *selection,
                             struct arena *arena)
{
    const struct report *report = report_find("ops");
    const struct column *kind = report_column(report, "kind"), *gpu = report_column(report, "gpu");
    struct rows rows = report->build(profile, selection, arena);
    int64_t sum = 0;
    for (size_t i = 0; i < rows.count; i++) {
        const void *row = report_row(report, &rows, i);
        if (report->depth(row) == 0 && strcmp(kind->get(row).text, "outside ranges") == 0)
            sum += gpu->get(row).integer;
    }
    return sum;
}

// Checks the causes of idle time: the parts of each GPU are in order, do not overlap, lie in its
// gaps, and add up to the idle time of the breakdowns.
static void check_idle(const char *name, const struct profile *profile,
                       const struct selection *selection, struct arena *arena)
{
    const struct breakdown *devices = breakdown_devices(profile, selection, &breakdown_gpu, arena);
    const struct breakdown *per_iteration =
        breakdown_iterations(profile, selection, &breakdown_gpu, arena);
    struct breakdown total = breakdown_total(profile, selection, &breakdown_gpu, arena);
    const struct idle_sum *sums = idle_devices(profile, selection, arena);
    const struct idle_sum *iterations = idle_iterations(profile, selection, per_iteration, arena);
    const struct idle *idle = idle_find(profile, ROW_NONE, selection->process, arena);
    struct idle_sum mean = idle_total(profile, selection, &total, arena);
    int64_t left = mean.idle_ns;
    const struct exposed *exposed = exposed_devices(profile, selection, arena);
    for (uint32_t d = 0; d < profile->device_count; d++) {
        assert_int_equal(exposed[d].ns, devices[d].ns[GPU_COMMUNICATION]);
        assert_true(exposed[d].is_separable || exposed[d].wait_ns + exposed[d].transfer_ns == 0);
    }
    for (uint32_t d = 0; d < profile->device_count; d++) {
        if (sums[d].idle_ns != devices[d].ns[GPU_IDLE])
            fail_msg("%s: GPU %u is idle for %" PRId64 " ns, its causes add up to %" PRId64, name,
                     d, devices[d].ns[GPU_IDLE], sums[d].idle_ns);
        uint32_t w = profile->devices[d].first_work;
        for (size_t p = 0; p < idle[d].count; p++) {
            struct idle_part part = idle_part_at(&idle[d], p);
            assert_true(part.from < part.to && part.cause < IDLE_CAUSES);
            assert_true(p == 0 || idle_part_to(&idle[d], p - 1) <= part.from);
            for (; w < profile->devices[d].end_work && AT(profile->work.end, w) <= part.from; w++)
                continue;
            bool is_inside = w < profile->devices[d].end_work &&
                             AT(profile->work.start, w) < part.to &&
                             AT(profile->work.end, w) > part.from;
            assert_true(!is_inside || selection->process != ROW_NONE);
        }
    }
    int64_t all = 0;
    for (uint32_t d = 0; d < profile->device_count; d++)
        all += sums[d].idle_ns;
    assert_int_equal(totals_column("idle", "idle", profile, selection, false, arena), all);
    if (!selection->iterations) // with only some iterations, work launched in others has no row
        assert_int_equal(totals_column("ops", "idle", profile, selection, true, arena), all);
    assert_int_equal(totals_column("idle_gaps", "idle", profile, selection, false, arena), all);
    if (profile->line_count)
        assert_int_equal(totals_column("source", "idle", profile, selection, false, arena), all);
    for (int c = 0; c < IDLE_CAUSES; c++) {
        assert_true(mean.ns[c] >= 0);
        left -= mean.ns[c];
    }
    assert_int_equal(left, 0);
    assert_int_equal(mean.idle_ns, total.ns[GPU_IDLE]);
    for (uint32_t i = 0; i < selection->split->count; i++) {
        left = per_iteration[i].ns[GPU_IDLE];
        for (int c = 0; c < IDLE_CAUSES; c++)
            left -= iterations[i].ns[c];
        assert_int_equal(left, 0);
    }
}

void totals_check(const char *name, const struct profile *profile,
                  const struct selection *selection)
{
    struct arena *arena = arena_new(0);
    struct sums sums = sums_of(profile, selection);
    const struct {
        const char *report, *column;
        bool only_roots;
        int64_t expected;
    } totals[] = {
        {"kernels", "gpu_total", false, sums.all},
        {"kernels", "calls", false, sums.count},
        {"kernels", "exclusive", false, sums.exclusive},
        {"kernel_ops", "gpu_total", false, sums.all},
        {"kernel_ops", "calls", false, sums.count},
        {"kernel_ops", "exclusive", false, sums.exclusive},
        {"shapes", "gpu_total", false, sums.all},
        {"shapes", "calls", false, sums.count},
        {"shapes", "exclusive", false, sums.exclusive},
        {"launches", "gpu", false, sums.all},
        {"launches", "exclusive", false, sums.exclusive},
        {"ops", "gpu", true, sums.exclusive},
        {"ops", "gpu_sum", true, sums.all},
        {"ops", "work", true, sums.count},
        {"layers", "gpu", false, sums.exclusive},
        {"streams", "sum", false, sums.all},
        {"streams", "exclusive", false, sums.exclusive},
        {"memory", "gpu_total", true, sums.memory},
        {"source", "gpu_total", false, profile->line_count ? sums.all : 0},
        {"source", "exclusive", false, profile->line_count ? sums.exclusive : 0},
        {"source", "launches", false, profile->line_count ? sums.count : 0},
        {"tensor_cores", "exclusive", false, sums.compute},
        {"tensor_cores", "with", false, sums.tensor},
        {"api_threads", "total", false,
         totals_column("api", "total", profile, selection, false, arena)},
        {"api_threads", "self", false,
         totals_column("calls", "self", profile, selection, false, arena)},
        {"calls", "time", false, totals_column("api", "total", profile, selection, false, arena)},
        {"api", "self", false, totals_column("calls", "self", profile, selection, false, arena)},
    };
    for (size_t i = 0; i < sizeof totals / sizeof *totals; i++) {
        int64_t found = totals_column(totals[i].report, totals[i].column, profile, selection,
                                      totals[i].only_roots, arena);
        if (found != totals[i].expected)
            fail_msg("%s: %s.%s adds up to %" PRId64 ", not to %" PRId64, name, totals[i].report,
                     totals[i].column, found, totals[i].expected);
    }
    assert_int_equal(outside_total(profile, selection, arena), sums.outside);
    check_idle(name, profile, selection, arena);
    arena_free(arena);
}

// ---- trust report ------------------------------------------------------------------------------

static int64_t devices_busy(const struct profile *profile)
{
    const struct gpu_work *work = &profile->work;
    int64_t busy = 0;
    for (uint32_t d = 0; d < profile->device_count; d++) {
        int64_t covered = INT64_MIN;
        for (uint32_t w = profile->devices[d].first_work; w < profile->devices[d].end_work; w++) {
            int64_t from = AT(work->start, w) > covered ? AT(work->start, w) : covered;
            if (AT(work->end, w) > from)
                busy += AT(work->end, w) - from;
            covered = AT(work->end, w) > covered ? AT(work->end, w) : covered;
        }
    }
    return busy;
}

// Returns the value of the single row whose fact starts with `begins`; its state must be `state`.
static int64_t fact(const char *name, const struct rows *rows, const char *begins,
                    const char *state)
{
    const struct report *trust = report_find("trust");
    for (size_t i = 0; i < rows->count; i++) {
        const void *row = report_row(trust, rows, i);
        const char *text = report_column(trust, "fact")->get(row).text;
        const char *is = report_column(trust, "state")->get(row).text;
        if (strncmp(text, begins, strlen(begins)) != 0)
            continue;
        if (strcmp(is, state) != 0)
            fail_msg("%s: trust is %s, not %s: %s", name, is, state, text);
        return report_column(trust, "value")->get(row).integer;
    }
    fail_msg("%s: trust does not say \"%s\"", name, begins);
    return 0;
}

void totals_check_trust(const char *name, const struct profile *profile,
                        const struct selection *all)
{
    struct arena *arena = arena_new(0);
    struct sums sums = sums_of(profile, all);
    int64_t busy = devices_busy(profile);
    int64_t ops = totals_column("detail", "gpu_total", profile, all, false, arena);
    struct rows rows = report_find("trust")->build(profile, all, arena);
    size_t warnings = 0, notes = 0;
    bool is_past = false; // warnings come first
    for (size_t i = 0; i < rows.count; i++) {
        const struct report *trust = report_find("trust");
        const void *row = report_row(trust, &rows, i);
        bool warns = strcmp(report_column(trust, "state")->get(row).text, "warning") == 0;
        // Facts must fit into 80 columns, except warnings, which Enter shows in full.
        const char *subject = report_column(trust, "subject")->get(row).text;
        const char *text = report_column(trust, "fact")->get(row).text;
        bool is_fixed = strcmp(subject, "totals") == 0 || strcmp(subject, "owners") == 0;
        if (is_fixed && !warns && strlen(text) > 45)
            fail_msg("%s: too long for 80 columns: %s", name, text);
        assert_false(warns && is_past);
        is_past |= !warns;
        warnings += warns;
    }
    // The title of the screen counts these warnings; each must appear exactly once.
    for (size_t i = 0; i < profile->note_count; i++)
        notes += profile->notes[i].level == NOTE_WARNING;
    assert_int_equal(warnings, notes);
    assert_int_equal(sums.exclusive, busy);
    assert_int_equal(fact(name, &rows, "kernel table, exclusive time (ns): agrees", "ok"), busy);
    assert_int_equal(fact(name, &rows, "op tree, exclusive time (ns): agrees", "ok"), busy);
    assert_int_equal(fact(name, &rows, "all kernels: sum of durations (ns)", "info"), sums.all);
    assert_int_equal(fact(name, &rows, "all ops: unions per call", "info"), ops);
    assert_int_equal(fact(name, &rows, "overlap within calls (ns)", "ok"), sums.all - ops);
    assert_int_equal(fact(name, &rows, "overlap on the GPUs (ns)", "info"), sums.all - busy);
    arena_free(arena);
}
