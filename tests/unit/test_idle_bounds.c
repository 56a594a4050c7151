// SPDX-License-Identifier: Apache-2.0
// Bounds of findings about idle time, minus the part that their evidence calls no idle time, must
// not exceed the GPU's idle time: for every scenario of the generator, every planted problem and
// every profile of the corpus, for each GPU. A hand-made profile checks how much exposed
// communication a bound includes. Reports if there is no corpus.
//
// Nor may the bounds of all findings that blame the host exceed the time in which the GPU does not
// compute, plus the kernels that their evidence names: a host that is late costs no computing.
#define _XOPEN_SOURCE 700 // nftw()
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "property.h"

#include "analysis/breakdown/breakdown.h"
#include "analysis/idle/idle_sums.h"
#include "detection.h"
#include "model/open/open.h"
#include "paths.h"
#include "scenario.h"

enum { TESTED_GPUS = 4 }; // checked one by one
static const double omitted_part =
    2 * 1.0 / 50; // largest part of a bound that the evidence may omit, per kind (expert.c)
static const double rounding = 0.005; // of figures with three digits

// ---- evidence ----------------------------------------------------------------------------------

static double duration_ns(const char *text) // "12.3 ms ..."
{
    static const struct {
        const char *unit;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"min", 60e9}, {"hr", 3600e9}};
    char *unit;
    double figure = strtod(text, &unit);
    size_t length = strcspn(unit + 1, " ");
    for (size_t u = 0; u < sizeof units / sizeof *units; u++)
        if (strlen(units[u].unit) == length && strncmp(unit + 1, units[u].unit, length) == 0)
            return figure * units[u].ns;
    fail_msg("no duration: %s", text);
    return 0;
}

#define NO_IDLE_TIME " is no idle time"

// Sums up the parts "12.3 ms of it is no idle time" of the evidence.
static double stated_ns(const char *why, const char *text)
{
    double sum = 0;
    for (const char *at = why; at && (at = strstr(at, text)); at++) {
        const char *begin = at;
        while (begin > why && !(begin >= why + 2 && memcmp(begin - 2, ". ", 2) == 0))
            begin--;
        sum += duration_ns(begin);
    }
    return sum;
}

// Returns the part "It computes for 12.3 ms longer than they do" of the evidence.
static double longer_ns(const char *why)
{
    static const char computes[] = "It computes for ";
    const char *at = strstr(why, computes);
    return at ? duration_ns(at + strlen(computes)) : 0;
}

static bool is_about_idle(const struct finding *finding)
{
    return finding->gain_ns > 0 && finding->opens && strcmp(finding->opens, "idle") == 0;
}

// All findings of a detector state the same part.
static bool is_first_of_kind(const struct finding_list *list, size_t f)
{
    for (size_t i = 0; i < f; i++)
        if (is_about_idle(&list->items[i]) && list->items[i].detector == list->items[f].detector)
            return false;
    return true;
}

static bool is_straggler(const struct finding *finding)
{
    return finding->gain_ns > 0 && strcmp(finding->detector->id, "straggler") == 0;
}

// ---- checking the bound ------------------------------------------------------------------------

// Checks the findings that blame the host against the time in which the GPU does not compute.
static void check_host_bounds(const char *name, const struct finding_list *list,
                              const struct breakdown *gpu)
{
    double gain = 0, kernels = 0;
    for (size_t f = 0; f < list->count; f++) {
        const struct finding *finding = &list->items[f];
        if (!is_about_idle(finding) && !is_straggler(finding))
            continue;
        gain += (double)finding->gain_ns;
        kernels += is_straggler(finding) ? longer_ns(finding->why)
                                         : stated_ns(finding->why, NO_IDLE_TIME ": these kernels");
    }
    int64_t other_ns = gpu->ns[GPU_IDLE] + gpu->ns[GPU_COMMUNICATION] + gpu->ns[GPU_COPIES];
    double other = breakdown_share(gpu, other_ns) * (double)list->step_ns;
    double limit = other + kernels * (1 + rounding) + 1000;
    if (gain > limit)
        fail_msg("%s, GPU %u: bounds of the host's time are %.0f ns a step, %.0f of it said to be "
                 "kernels, and the GPU does not compute for %.0f",
                 name, list->device, gain, kernels, other);
}

static void check_bounds(const char *name, const struct profile *profile,
                         const struct selection *selection, struct arena *arena)
{
    struct finding_list list = expert_run(profile, selection, arena);
    double gain = 0, stated = 0;
    if (list.lacks_gpu_work || list.device == ROW_NONE || profile->lacks_times)
        return;
    for (size_t f = 0; f < list.count; f++) {
        if (!is_about_idle(&list.items[f]))
            continue;
        gain += (double)list.items[f].gain_ns;
        if (is_first_of_kind(&list, f))
            stated += stated_ns(list.items[f].why, NO_IDLE_TIME);
    }
    struct selection one = *selection;
    one.device = list.device;
    const struct breakdown *gpu =
        &breakdown_devices(profile, &one, &breakdown_gpu, arena)[list.device];
    int64_t idle_ns = idle_devices(profile, &one, arena)[list.device].idle_ns;
    double idle = breakdown_share(gpu, idle_ns) * (double)list.step_ns;
    double limit = idle + stated * (1 + rounding) + gain * omitted_part + 1000;
    if (gain > limit)
        fail_msg("%s, GPU %u: bounds of idle time are %.0f ns a step, %.0f of it said to be none, "
                 "and it is idle for %.0f",
                 name, list.device, gain, stated, idle);
    check_host_bounds(name, &list, gpu);
}

// Checks the judged steps of all GPUs together and of each.
static void check_profile(const char *name, struct profile *profile)
{
    struct arena *arena = arena_new(0);
    struct split *split = split_find(profile, arena);
    struct selection selection = selection_all(split);
    bool *members = ARENA_ARRAY(arena, bool, (size_t)split->count + 1);
    for (uint32_t i = 0; i < split->count; i++)
        members[i] = !split->is_cut || !split->is_cut[i];
    selection.iterations = split->method == SPLIT_NONE ? NULL : members;
    check_bounds(name, profile, &selection, arena);
    for (uint32_t d = 0; d < profile->device_count && d < TESTED_GPUS; d++) {
        selection.device = d;
        if (profile->device_count > 1 && profile->devices[d].has_work)
            check_bounds(name, profile, &selection, arena);
    }
    arena_free(arena);
    profile_free(profile);
}

// ---- generated profiles ------------------------------------------------------------------------

static bool is_no_profile(const char *scenario) // not an nsys export, or without rows
{
    static const char *const names[] = {"kineto", "log", "empty"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(scenario, names[i]) == 0)
            return true;
    return false;
}

// Checks each third entry; a long run checks all.
static void check_listed(const char *option, const char *format)
{
    char command[1024], line[1000], scenario[600];
    const char *generator = getenv("DLPROF_GEN");
    unsigned count = 0, every = run_is_long() ? 1 : 3;
    if (!generator)
        skip();
    snprintf(command, sizeof command, "'%s' %s", generator, option);
    FILE *list = popen(command, "r");
    assert_non_null(list);
    while (fgets(line, sizeof line, list)) {
        line[strcspn(line, "\t\n")] = '\0';
        if (is_no_profile(line) || count++ % every != 0)
            continue;
        snprintf(scenario, sizeof scenario, format, line);
        check_profile(scenario, scenario_open(scenario));
    }
    assert_int_equal(pclose(list), 0);
    assert_true(count > 10);
}

static void test_scenarios(void **state)
{
    (void)state;
    if (run_is_quick())
        skip();
    check_listed("--list", "%s");
}

// A GPU whose host is late, while all wait for their data loaders or their hosts.
static void test_late_hosts(void **state)
{
    static const char *const problems[] = {"latehost", "latehost --problem=loader",
                                           "latehost --problem=item",
                                           "latehost --problem=straggler --problem=loader"};
    char scenario[200];
    (void)state;
    for (size_t p = 0; p < sizeof problems / sizeof *problems; p++) {
        snprintf(scenario, sizeof scenario, "healthy --steps=6 --processes=4 --problem=%s",
                 problems[p]);
        check_profile(scenario, scenario_open(scenario));
    }
}

// Steps of 92 ms. The host of GPU 1 loads for 40 ms, then launches 30 ms of computation; the other
// GPU computes at once and waits for it in a collective. Small kernels follow, as fast as hosts can
// launch. All lateness is the loader's, and no idle time is left for another finding about it but
// that between the small kernels.
static void test_late_for_loader(void **state)
{
    struct profile_builder *builder = builder_new();
    (void)state;
    for (uint32_t gpu = 0; gpu < 2; gpu++)
        for (int i = 0; i < STEPS; i++) {
            int64_t at = 92LL * i * MS + MS, first = gpu ? at + 40 * MS : at + MS;
            uint32_t thread = builder_thread(builder, gpu + 1, gpu + 1);
            builder_step_on(builder, gpu, at, at + 92 * MS - 1, i);
            if (gpu)
                builder_range(builder, thread, at, first - MS, "DataLoader.__next__");
            builder_kernel_on(builder, gpu, COMPUTE, first, first + 30 * MS, "compute");
            builder_kernel_on(builder, gpu, COMM, first + 30 * MS, at + 72 * MS,
                              "ncclDevKernel_AllReduce");
            for (int64_t small = at + 72 * MS; small < at + 91 * MS; small += MS * 3 / 10) {
                uint32_t call =
                    builder_call(builder, thread, small - 6000, small - 1000, "cudaLaunchKernel");
                builder_kernel(builder, call, gpu, COMPUTE, small, small + 20000, "small");
            }
        }
    struct detection detection = detect_all(builder);
    assert_non_null(detection_find(&detection, "loader_wait", SEVERITY_WARNING));
    assert_non_null(detection_find(&detection, "launch_bound", SEVERITY_WARNING));
    struct selection selection =
        selection_all(split_find(detection.builder->profile, detection.arena));
    check_bounds("late for its loader", detection.builder->profile, &selection, detection.arena);
    detection_free(&detection);
}

static void test_planted(void **state)
{
    (void)state;
    if (run_is_quick())
        skip();
    check_listed("--problems", "healthy --steps=6 --gpus=1 --processes=2 --problem=%s");
}

// ---- the corpus --------------------------------------------------------------------------------

static unsigned opened;

static bool has_end(const char *name, const char *end)
{
    size_t length = strlen(name), wanted = strlen(end);
    return length >= wanted && strcmp(name + length - wanted, end) == 0;
}

static int check_file(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    static const char *const ends[] = {"/profile.sqlite", "/nsys_profile.sqlite", "/input.sqlite",
                                       ".json", ".json.gz"};
    enum { SMALL = 1 << 20 }; // larger ones only in long runs
    bool is_wanted = false;
    (void)walk;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        is_wanted |= has_end(path, ends[i]);
    if (type != FTW_F || !is_wanted || (status->st_size > SMALL && !run_is_long()))
        return 0;
    struct load_request request = {.path = path};
    struct error error = {0};
    struct profile *profile = profile_load(&request, &error);
    if (!profile) // some files are tables of other programs
        return 0;
    check_profile(path, profile);
    opened++;
    return 0;
}

static void test_corpus(void **state)
{
    enum { FILES_OPEN = 8 };
    (void)state;
    const char *corpus = getenv("DLPROF_CORPUS");
    corpus = corpus ? corpus : source_path("/../shared/corpus");
    if (run_is_quick())
        skip();
    opened = 0;
    if (nftw(corpus, check_file, FILES_OPEN, 0) != 0) {
        print_message("# skipped: no corpus of real profiles at %s\n", corpus);
        skip();
    }
    print_message("# %u profiles\n", opened);
    assert_true(opened > 0);
}

// One of two GPUs waits 1.4 of 2 s for its loader and comes late to all collectives.
static void test_folder_with_late_gpu(void **state)
{
    const char *path = source_path("/../shared/corpus/kineto/gt_resnet50_ddp");
    struct load_request request = {.path = path};
    struct error error = {0};
    (void)state;
    if (access(path, R_OK) != 0) {
        print_message("# skipped: no corpus of real profiles: %s\n", path);
        skip();
    }
    struct profile *profile = profile_load(&request, &error);
    assert_non_null(profile);
    assert_int_equal(profile->device_count, 2);
    check_profile(path, profile);
}

// ---- exposed communication ---------------------------------------------------------------------

// Steps of 60 ms and two computations: computation, 50 ms of a collective, 10 ms idle, computation
// again. The host allocates until the idle time is over, and so launches the second kernel late.
static struct detection detect_late_during_collective(int64_t compute)
{
    struct profile_builder *builder = builder_new();
    uint32_t thread = builder_thread(builder, 1, 1);
    int64_t length = 60 * MS + 2 * compute;
    for (int i = 0; i <= STEPS; i++) {
        int64_t at = i * length + MS, comm = at + compute, late = comm + 60 * MS;
        builder_step_on(builder, 0, at - MS / 10, at + length - MS / 10 - 1, i);
        uint32_t call = builder_call(builder, thread, at - 6000, at - 1000, "cudaLaunchKernel");
        builder_kernel(builder, call, 0, COMPUTE, at, comm, "compute");
        call = builder_call(builder, thread, at, at + 5000, "cudaLaunchKernel");
        builder_kernel(builder, call, 0, COMM, comm, comm + 50 * MS, "ncclDevKernel_AllReduce");
        builder_call(builder, thread, at + 6000, late - 10000, "cudaMalloc");
        call = builder_call(builder, thread, late - 6000, late - 1000, "cudaLaunchKernel");
        builder_kernel(builder, call, 0, COMPUTE, late, late + compute, "compute");
    }
    return detect_all(builder);
}

// If launched in time, the second kernel runs during the collective and hides as much of it as it
// is long; the next step moves up by the first kernel in the same way.
static void test_bound_of_hidden_communication(void **state)
{
    (void)state;
    for (int64_t compute = 2 * MS; compute <= 20 * MS; compute += 9 * MS) {
        struct detection detection = detect_late_during_collective(compute);
        const struct finding *finding = detection_find(&detection, "allocator", SEVERITY_WARNING);
        assert_non_null(finding);
        assert_in_range(finding->gain_ns, 10 * MS + 2 * compute - MS / 10, 10 * MS + 2 * compute);
        assert_in_range((int64_t)stated_ns(finding->why, NO_IDLE_TIME), 2 * compute - MS / 10,
                        2 * compute);
        detection_free(&detection);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bound_of_hidden_communication),
        cmocka_unit_test(test_late_for_loader),
        cmocka_unit_test(test_late_hosts),
        cmocka_unit_test(test_folder_with_late_gpu),
        cmocka_unit_test(test_scenarios),
        cmocka_unit_test(test_planted),
        cmocka_unit_test(test_corpus),
    };
    return cmocka_run_group_tests_name("bounds of idle time", tests, NULL, NULL);
}
