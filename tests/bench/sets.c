// SPDX-License-Identifier: Apache-2.0
// The cost of a change of the set of iterations: measures each figure that depends on the set (a
// "dependent" below) for random sets, and compares it with the time to read all rows again, without
// the memo.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "analysis/breakdown/breakdown.h"
#include "analysis/detect/step.h"
#include "analysis/detectors/expert.h"
#include "analysis/report/memo.h"
#include "analysis/report/report.h"
#include "analysis/reports/report_list.h"
#include "base/parallel.h"
#include "bench.h"
#include "model/open/open.h"

enum { SETS = 200, SETS_WITHOUT_MEMO = 3 }; // sets measured

struct request {
    const struct profile *profile;
    struct selection selection;
    struct arena *arena; // freed after each set
};

// ---- figures that depend on the set ------------------------------------------------------------

static void build(struct request *request, const char *name)
{
    struct rows rows;
    struct error error = {0};
    if (!report_build(report_find(name), request->profile, &request->selection, request->arena,
                      &rows, &error))
        die(error.message);
}

static void kernels(struct request *request)
{
    build(request, "kernels");
}

static void shapes(struct request *request)
{
    build(request, "shapes");
}

static void layers(struct request *request)
{
    build(request, "layers");
}

static void ops(struct request *request)
{
    build(request, "ops");
}

static void iterations(struct request *request)
{
    build(request, "iterations");
}

static void summary(struct request *request)
{
    build(request, "summary");
}

static void idle_by_cause(struct request *request)
{
    build(request, "idle");
}

static void devices(struct request *request)
{
    build(request, "devices");
}

static void costs(struct request *request)
{
    build(request, "costs");
}

static void flat_ops(struct request *request)
{
    build(request, "detail");
}

static bool breakdown_bars_body(void *context, struct error *error)
{
    struct request *request = context;
    (void)error;
    breakdown_total(request->profile, &request->selection, &breakdown_gpu, request->arena);
    breakdown_total(request->profile, &request->selection, &breakdown_dlprof, request->arena);
    breakdown_devices(request->profile, &request->selection, &breakdown_gpu, request->arena);
    return true;
}

static void breakdown_bars(struct request *request)
{
    struct error error = {0};
    if (!arena_run(request->arena, breakdown_bars_body, request, &error))
        die(error.message);
}

// The first screen without its findings.
static void first_screen(struct request *request)
{
    breakdown_bars(request);
    layers(request);
    kernels(request);
}

static bool findings_body(void *context, struct error *error)
{
    struct request *request = context;
    (void)error;
    expert_run(request->profile, &request->selection, request->arena);
    return true;
}

static void findings(struct request *request)
{
    struct error error = {0};
    if (!arena_run(request->arena, findings_body, request, &error))
        die(error.message);
}

static const struct dependent {
    const char *name;
    void (*run)(struct request *request);
} dependents[] = {
    {"bars and devices", breakdown_bars},
    {"kernels", kernels},
    {"layers", layers},
    {"first screen", first_screen},
    {"op tree", ops},
    {"iterations", iterations},
    {"idle by cause", idle_by_cause},
    {"GPUs", devices},
    {"costs", costs},
    {"DLProf's summary", summary},
    {"DLProf's ops", flat_ops},
    {"findings", findings},
    {"launch shapes", shapes},
};

// ---- sets --------------------------------------------------------------------------------------

static void make_set(bool *members, uint32_t count, unsigned *seed)
{
    int share = rand_r(seed) % 100 + 1;
    for (uint32_t n = 0; n < count; n++)
        members[n] = rand_r(seed) % 100 < share;
}

struct times {
    double p50, p99;
};

static struct times measure(const struct dependent *dependent, struct request *request,
                            bool *members, size_t sets)
{
    double times[SETS];
    unsigned seed = 1;
    for (size_t i = 0; i < sets; i++) {
        make_set(members, request->selection.split->count, &seed);
        request->selection.iterations = members;
        double start = now();
        dependent->run(request);
        times[i] = now() - start;
        arena_reset(request->arena);
    }
    return (struct times){times_quantile(times, sets, 0.5), times_quantile(times, sets, 0.99)};
}

// Prints the line of a dependent. Returns the 99th percentile in seconds.
static double dependent_line(const struct dependent *dependent, struct request *request,
                             bool *members)
{
    struct memo *memo = memo_new(request->profile, request->selection.split);
    if (!memo)
        die("out of memory");
    request->selection.memo = NULL;
    struct times without_memo = measure(dependent, request, members, SETS_WITHOUT_MEMO);
    request->selection.memo = memo;
    double start = now();
    measure(dependent, request, members, 1);
    memo_set_async(memo); // as on the screen: values for other sets are computed in advance
    measure(dependent, request, members, 1);
    while (memo_run_queue(memo))
        usleep(1000);
    double first_seconds = now() - start;
    struct times times = measure(dependent, request, members, SETS);
    printf("%-18s %9.2f ms %9.2f ms %12.2f ms %8.3f %9.0f ms %8.1f MB\n", dependent->name,
           times.p50 * 1e3, times.p99 * 1e3, without_memo.p50 * 1e3, times.p50 / without_memo.p50,
           first_seconds * 1e3, (double)memo_bytes(memo) / 1e6);
    fflush(stdout);
    memo_free(memo);
    return times.p99;
}

// ---- findings, one by one ----------------------------------------------------------------------

enum { DETECTORS_MAX = 128, DETECTOR_SETS = 15 };

struct detector_timing {
    struct request *request;
    double seconds[DETECTORS_MAX + 1]; // the last one: cutting the step
};

static bool detectors_measure(void *context, struct error *error)
{
    struct detector_timing *detector_timing = context;
    struct request *request = detector_timing->request;
    struct finding_list findings = {.arena = request->arena};
    struct step *step = ARENA_NEW(request->arena, struct step);
    (void)error;
    double start = now();
    step_make(step, request->profile, &request->selection, request->arena, request->arena);
    detector_timing->seconds[DETECTORS_MAX] = now() - start;
    for (size_t d = 0; d < detector_count && d < DETECTORS_MAX; d++) {
        start = now();
        if (detectors[d]->detect)
            detectors[d]->detect(request->profile, &request->selection, &findings);
        else if (step->device != ROW_NONE) {
            grants_set_requests(&step->grants, &step->line->scans[d].requests);
            detectors[d]->judge(step, &step->line->scans[d], &findings);
        }
        detector_timing->seconds[d] = now() - start;
    }
    return true;
}

static void detector_lines(struct request *request, bool *members)
{
    enum { WORTH_US = 500 }; // minimum for a line of output
    static double times[DETECTORS_MAX + 1][DETECTOR_SETS];
    struct detector_timing detector_timing = {.request = request};
    struct error error = {0};
    unsigned seed = 1;
    request->selection.memo = memo_new(request->profile, request->selection.split);
    request->selection.iterations = members;
    for (int i = -1; i < DETECTOR_SETS; i++) { // the first round fills the caches
        make_set(members, request->selection.split->count, &seed);
        if (!arena_run(request->arena, detectors_measure, &detector_timing, &error))
            die(error.message);
        for (size_t d = 0; i >= 0 && d <= DETECTORS_MAX; d++)
            times[d][i] = detector_timing.seconds[d];
        arena_reset(request->arena);
    }
    printf("\n%-34s %12s\n", "findings: what takes longest", "p50");
    for (size_t d = 0; d <= DETECTORS_MAX; d++) {
        double median = times_quantile(times[d], DETECTOR_SETS, 0.5);
        if (median * 1e6 > WORTH_US)
            printf("%-34s %9.2f ms\n", d < detector_count ? detectors[d]->id : "(cutting the step)",
                   median * 1e3);
    }
    memo_free(request->selection.memo);
    request->selection.memo = NULL;
}

static void subject_measure(const struct subject *subject)
{
    struct error error = {0};
    struct profile *profile = profile_load(&(struct load_request){.path = subject->path}, &error);
    struct arena *arena = arena_new(0);
    struct request request = {.profile = profile, .arena = arena_new(0)};
    const struct dependent *slowest = dependents;
    double worst = 0;
    if (!profile || !arena || !request.arena)
        die(error.message);
    const struct split *split = split_find(profile, arena);
    if (split->method == SPLIT_NONE)
        split = split_by_key(profile, NULL, arena);
    bool *members = ARENA_ARRAY(arena, bool, (size_t)split->count + 1);
    request.selection = selection_all(split);
    printf("\n%u pieces of GPU work, %u iterations, %d random sets of them, %u cores;"
           " the profile takes %.1f MB\n\n",
           profile->work.count, split->count, SETS, parallel_cores(),
           (double)arena_bytes(profile->arena) / 1e6);
    printf("%-18s %12s %12s %15s %8s %12s %11s\n", "after a change of", "p50", "p99", "all rows",
           "p50 of", "first time", "kept");
    printf("%-18s %12s %12s %15s %8s\n", "the set", "", "", "again, p50", "that");
    for (size_t i = 0; i < sizeof dependents / sizeof *dependents; i++) {
        double p99 = dependent_line(&dependents[i], &request, members);
        slowest = p99 > worst ? &dependents[i] : slowest;
        worst = p99 > worst ? p99 : worst;
    }
    detector_lines(&request, members);
    printf("\n");
    bars_begin();
    bar_row(BAR_SETS, subject, worst * 1e3, 0, slowest->name);
    arena_free(request.arena);
    arena_free(arena);
    profile_free(profile);
}

int main(int argc, char **argv)
{
    long kernels = kernels_asked(argc, argv);
    static const enum kind measured[] = {DLPROF_1, EMIT_4};
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++)
        for (int is_large = 0; is_large < 2; is_large++) {
            struct subject subject = subject_make(measured[i], kernels, is_large);
            subject_measure(&subject);
        }
    return 0;
}
