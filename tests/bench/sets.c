// SPDX-License-Identifier: Apache-2.0
// The cost of a change of the set of iterations: everything that depends on the set, over random
// sets, compared with reading all rows again (without the memo).
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

enum { SETS = 200, SETS_ROWS = 3 };

struct look {
    const struct profile *profile;
    struct selection selection;
    struct arena *arena; // freed after each set
};

// ---- what follows a set ------------------------------------------------------------------------

static void build(struct look *look, const char *name)
{
    struct rows rows;
    struct error error = {0};
    if (!report_build(report_find(name), look->profile, &look->selection, look->arena, &rows,
                      &error))
        die(error.message);
}

static void kernels(struct look *look)
{
    build(look, "kernels");
}

static void shapes(struct look *look)
{
    build(look, "shapes");
}

static void layers(struct look *look)
{
    build(look, "layers");
}

static void ops(struct look *look)
{
    build(look, "ops");
}

static void iterations(struct look *look)
{
    build(look, "iterations");
}

static void summary(struct look *look)
{
    build(look, "summary");
}

static void idle_causes_of(struct look *look)
{
    build(look, "idle");
}

static void devices(struct look *look)
{
    build(look, "devices");
}

static void costs(struct look *look)
{
    build(look, "costs");
}

static void flat_ops(struct look *look)
{
    build(look, "detail");
}

static bool bars_body(void *context, struct error *error)
{
    struct look *look = context;
    (void)error;
    breakdown_total(look->profile, &look->selection, &breakdown_gpu, look->arena);
    breakdown_total(look->profile, &look->selection, &breakdown_dlprof, look->arena);
    breakdown_devices(look->profile, &look->selection, &breakdown_gpu, look->arena);
    return true;
}

static void bars(struct look *look)
{
    struct error error = {0};
    if (!arena_run(look->arena, bars_body, look, &error))
        die(error.message);
}

// The first screen without its findings.
static void first_screen(struct look *look)
{
    bars(look);
    layers(look);
    kernels(look);
}

static bool findings_body(void *context, struct error *error)
{
    struct look *look = context;
    (void)error;
    expert_run(look->profile, &look->selection, look->arena);
    return true;
}

static void findings(struct look *look)
{
    struct error error = {0};
    if (!arena_run(look->arena, findings_body, look, &error))
        die(error.message);
}

static const struct follower {
    const char *name;
    void (*run)(struct look *look);
} followers[] = {
    {"bars and devices", bars},        {"kernels", kernels},       {"layers", layers},
    {"first screen", first_screen},    {"op tree", ops},           {"iterations", iterations},
    {"idle by cause", idle_causes_of}, {"GPUs", devices},          {"costs", costs},
    {"DLProf's summary", summary},     {"DLProf's ops", flat_ops}, {"findings", findings},
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

static struct times measure(const struct follower *follower, struct look *look, bool *members,
                            size_t sets)
{
    double times[SETS];
    unsigned seed = 1;
    for (size_t i = 0; i < sets; i++) {
        make_set(members, look->selection.split->count, &seed);
        look->selection.iterations = members;
        double start = now();
        follower->run(look);
        times[i] = now() - start;
        arena_reset(look->arena);
    }
    return (struct times){times_quantile(times, sets, 0.5), times_quantile(times, sets, 0.99)};
}

// Returns seconds, p99.
static double follower_line(const struct follower *follower, struct look *look, bool *members)
{
    struct memo *memo = memo_new(look->profile, look->selection.split);
    if (!memo)
        die("out of memory");
    look->selection.memo = NULL;
    struct times rows = measure(follower, look, members, SETS_ROWS);
    look->selection.memo = memo;
    double start = now();
    measure(follower, look, members, 1);
    memo_set_async(memo); // as on the screen: values for other sets are made in advance
    measure(follower, look, members, 1);
    while (memo_run_queue(memo))
        usleep(1000);
    double made = now() - start;
    struct times times = measure(follower, look, members, SETS);
    printf("%-18s %9.2f ms %9.2f ms %12.2f ms %8.3f %9.0f ms %8.1f MB\n", follower->name,
           times.p50 * 1e3, times.p99 * 1e3, rows.p50 * 1e3, times.p50 / rows.p50, made * 1e3,
           (double)memo_bytes(memo) / 1e6);
    fflush(stdout);
    memo_free(memo);
    return times.p99;
}

// ---- findings, one by one ----------------------------------------------------------------------

enum { DETECTORS_MAX = 128, DETECTOR_SETS = 15 };

struct detecting {
    struct look *look;
    double took[DETECTORS_MAX + 1]; // the last one: cutting the step
};

static bool detecting_body(void *context, struct error *error)
{
    struct detecting *detecting = context;
    struct look *look = detecting->look;
    struct finding_list findings = {.arena = look->arena};
    struct step *step = ARENA_NEW(look->arena, struct step);
    (void)error;
    double start = now();
    step_make(step, look->profile, &look->selection, look->arena, look->arena);
    detecting->took[DETECTORS_MAX] = now() - start;
    for (size_t d = 0; d < detector_count && d < DETECTORS_MAX; d++) {
        start = now();
        if (detectors[d]->detect)
            detectors[d]->detect(look->profile, &look->selection, &findings);
        else if (step->device != ROW_NONE) {
            grants_set_requests(&step->grants, &step->line->scans[d].requests);
            detectors[d]->judge(step, &step->line->scans[d], &findings);
        }
        detecting->took[d] = now() - start;
    }
    return true;
}

static void detector_lines(struct look *look, bool *members)
{
    enum { WORTH_US = 500 }; // minimum for a line of output
    static double times[DETECTORS_MAX + 1][DETECTOR_SETS];
    struct detecting detecting = {.look = look};
    struct error error = {0};
    unsigned seed = 1;
    look->selection.memo = memo_new(look->profile, look->selection.split);
    look->selection.iterations = members;
    for (int i = -1; i < DETECTOR_SETS; i++) { // the first round fills the caches
        make_set(members, look->selection.split->count, &seed);
        if (!arena_run(look->arena, detecting_body, &detecting, &error))
            die(error.message);
        for (size_t d = 0; i >= 0 && d <= DETECTORS_MAX; d++)
            times[d][i] = detecting.took[d];
        arena_reset(look->arena);
    }
    printf("\n%-34s %12s\n", "findings: what takes longest", "p50");
    for (size_t d = 0; d <= DETECTORS_MAX; d++) {
        double middle = times_quantile(times[d], DETECTOR_SETS, 0.5);
        if (middle * 1e6 > WORTH_US)
            printf("%-34s %9.2f ms\n", d < detector_count ? detectors[d]->id : "(cutting the step)",
                   middle * 1e3);
    }
    memo_free(look->selection.memo);
    look->selection.memo = NULL;
}

static void subject_measure(const struct subject *subject)
{
    struct error error = {0};
    struct profile *profile = profile_load(&(struct load_request){.path = subject->path}, &error);
    struct arena *arena = arena_new(0);
    struct look look = {.profile = profile, .arena = arena_new(0)};
    const struct follower *slowest = followers;
    double worst = 0;
    if (!profile || !arena || !look.arena)
        die(error.message);
    const struct split *split = split_find(profile, arena);
    if (split->method == SPLIT_NONE)
        split = split_by_key(profile, NULL, arena);
    bool *members = ARENA_ARRAY(arena, bool, (size_t)split->count + 1);
    look.selection = selection_all(split);
    printf("\n%u pieces of GPU work, %u iterations, %d random sets of them, %u cores;"
           " the profile takes %.1f MB\n\n",
           profile->work.count, split->count, SETS, parallel_cores(),
           (double)arena_bytes(profile->arena) / 1e6);
    printf("%-18s %12s %12s %15s %8s %12s %11s\n", "after a change of", "p50", "p99", "all rows",
           "p50 of", "first time", "kept");
    printf("%-18s %12s %12s %15s %8s\n", "the set", "", "", "again, p50", "that");
    for (size_t i = 0; i < sizeof followers / sizeof *followers; i++) {
        double p99 = follower_line(&followers[i], &look, members);
        slowest = p99 > worst ? &followers[i] : slowest;
        worst = p99 > worst ? p99 : worst;
    }
    detector_lines(&look, members);
    printf("\n");
    bars_begin();
    bar_row(BAR_SETS, subject, worst * 1e3, 0, slowest->name);
    arena_free(look.arena);
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
