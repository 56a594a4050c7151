// SPDX-License-Identifier: Apache-2.0
// Checks GPU utilisation and SM efficiency on the timeline, against a scan of every nanosecond and,
// over steps, against the GPU summary. Says so if the corpus is missing.
#include "property.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/breakdown/blocks.h"
#include "analysis/plugin/gpu_summary.h"
#include "analysis/plugin/plugin_steps.h"
#include "analysis/timeline/timeline.h"
#include "model/open/open.h"
#include "paths.h"
#include "profile_builder.h"
#include "scenario.h"

// ---- by the nanosecond ------------------------------------------------------------------------

enum { TIME = 400, KERNELS = 60, SHAPES = 5 };

static const struct lane *lane_of(const struct timeline *timeline, enum lane_kind kind,
                                  uint32_t device)
{
    for (size_t i = 0; i < timeline->count; i++)
        if (timeline->lanes[i].kind == kind && timeline->lanes[i].device == device)
            return &timeline->lanes[i];
    return NULL;
}

// Blocks per multiprocessor as recorded; unknown for the first shape.
static const int64_t recorded_blocks[SHAPES] = {-1, 0, 250000, 600000, 3000000};

static void give_shapes(struct profile *profile, struct random *random, bool are_known)
{
    uint32_t shapes[KERNELS];
    profile->shape_count = SHAPES;
    profile->shapes = ARENA_ARRAY(profile->arena, struct launch_shape, SHAPES);
    for (int i = 0; i < SHAPES; i++)
        profile->shapes[i] =
            (struct launch_shape){.micro_blocks_per_sm = recorded_blocks[i], .micro_occupancy = -1};
    for (uint32_t w = 0; w < profile->work.count; w++)
        shapes[w] = are_known ? (uint32_t)random_below(random, SHAPES) : w % 2;
    profile->work.shape = column32_pack(profile->arena, 1, shapes, NULL, profile->work.count);
}

static void slow_shares(const struct profile *profile, double *used, double *full)
{
    for (int t = 0; t < TIME; t++) {
        int64_t level = 0;
        used[t] = 0;
        for (uint32_t w = 0; w < profile->work.count; w++) {
            if (AT(profile->work.start, w) > t || AT(profile->work.end, w) <= t)
                continue;
            int64_t blocks = work_launch_shape(profile, w)->micro_blocks_per_sm;
            used[t] = 1;
            level += blocks > 0 ? blocks : 0;
        }
        full[t] = level < MICRO ? (double)level / MICRO : 1;
    }
}

static void check_mean(const struct timeline *timeline, const struct lane *lane,
                       const double *expected, int64_t from, int64_t to)
{
    struct lane_cell cells[7];
    double sum = 0;
    for (int64_t t = from; t < to; t++)
        sum += expected[t];
    assert_true(fabs(lane_share(timeline, lane, from, to) - sum / (double)(to - from)) < 1e-12);
    lane_cells(timeline, lane, from, to, 7, cells);
    for (uint32_t c = 0; c < 7; c++) {
        int64_t begin = timeline_cell_from(from, to, 7, c),
                end = timeline_cell_from(from, to, 7, c + 1);
        sum = 0;
        for (int64_t t = begin; t < end; t++)
            sum += expected[t];
        double mean = end > begin ? sum / (double)(end - begin) : 0;
        assert_true(fabs(cells[c].share - mean) < 1e-12);
    }
}

// Kernels on one stream follow each other; those on several overlap.
static struct profile *random_profile(struct profile_builder *builder, struct random *random,
                                      bool overlaps)
{
    uint32_t thread = builder_thread(builder, 1, 1);
    size_t count = 1 + random_below(random, KERNELS - 1);
    int64_t at = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t start = overlaps ? (int64_t)random_below(random, TIME - 70)
                                 : at + (int64_t)random_below(random, 3);
        int64_t end = start + (int64_t)random_below(random, overlaps ? 60 : 4);
        uint32_t call = builder_call(builder, thread, (int64_t)i, (int64_t)i, "cudaLaunchKernel");
        builder_kernel(builder, call, 0, overlaps ? 7 + (uint32_t)i % 3 : 7, start, end, "gemm");
        at = end;
    }
    return builder_build(builder, MODE_AUTO);
}

static void test_means(void **state)
{
    (void)state;
    struct random random = {8};
    for (int round = 0; round < 60; round++) {
        struct profile_builder *builder = builder_new();
        bool overlaps = round % 2, are_known = round % 10 != 9;
        struct profile *profile = random_profile(builder, &random, overlaps);
        double used[TIME], full[TIME], all = 0;
        give_shapes(profile, &random, are_known);
        slow_shares(profile, used, full);
        struct selection selection = selection_all(split_find(profile, profile->arena));
        const struct timeline *timeline = timeline_of(profile, &selection, profile->arena);
        const struct lane *use = lane_of(timeline, LANE_UTILIZATION, 0);
        const struct lane *efficiency = lane_of(timeline, LANE_EFFICIENCY, 0);
        for (int t = 0; t < TIME; t++)
            all += full[t];
        assert_non_null(use);
        if (all > 0)
            assert_non_null(efficiency);
        if (!are_known)
            assert_null(efficiency);
        for (int i = 0; i < 20; i++) {
            int64_t from = (int64_t)random_below(&random, TIME - 1);
            int64_t to = from + 1 + (int64_t)random_below(&random, (size_t)(TIME - from));
            check_mean(timeline, use, used, from, to);
            if (efficiency)
                check_mean(timeline, efficiency, full, from, to);
        }
        builder_free(builder);
    }
}

// ---- by the step ------------------------------------------------------------------------------

enum { MAX_STEPS = 12 }; // per worker

// Returns true if all work of the GPU belongs to the worker.
static bool is_alone(const struct profile *profile, const struct plugin_steps *steps,
                     const struct plugin_worker *worker, uint32_t device)
{
    bool is_used = false;
    for (uint32_t s = 0; s < profile->stream_count; s++) {
        if (profile->streams[s].device != device)
            continue;
        if (steps->worker_of[profile->streams[s].process] != steps->worker_of[worker->process])
            return false;
        is_used = true;
    }
    return is_used;
}

static void check_share(const struct timeline *timeline, enum lane_kind kind, uint32_t device,
                        const struct plugin_step *step, double expected)
{
    const struct lane *lane = lane_of(timeline, kind, device);
    double share = lane ? lane_share(timeline, lane, step->start, step->stop) : 0;
    if (fabs(share - expected) > 1e-9)
        fail_msg("kind %d of GPU %u in step %lld: %.12f, %.12f in the summary", (int)kind, device,
                 (long long)step->number, share, expected);
}

static unsigned check_step(const struct profile *profile, const struct timeline *timeline,
                           const struct plugin_steps *steps, const struct plugin_worker *worker,
                           const struct plugin_step *step, const struct selection *selection)
{
    const struct gpu_summary *summaries = gpu_summaries(profile, selection, profile->arena);
    unsigned compared = 0;
    for (uint32_t d = 0; d < profile->device_count; d++) {
        const struct gpu_summary *summary = &summaries[d];
        if (!is_alone(profile, steps, worker, d) || summary->window_ns <= 0)
            continue;
        assert_int_equal(summary->window_ns, step->stop - step->start);
        check_share(timeline, LANE_UTILIZATION, d, step,
                    (double)summary->kernel_ns / (double)summary->window_ns);
        // If the efficiency is unknown in this step, it may be known in others; without a lane it
        // is unknown in all steps.
        double efficiency = summary->sm_efficiency;
        if (!lane_of(timeline, LANE_EFFICIENCY, d))
            assert_true(efficiency < 0);
        check_share(timeline, LANE_EFFICIENCY, d, step, efficiency < 0 ? 0 : efficiency);
        compared += efficiency < 0 ? 1 : 2;
    }
    return compared;
}

// Checks consecutive steps and one after a gap: time between steps counts only among consecutive
// steps.
static unsigned check_run(const struct profile *profile, const struct timeline *timeline,
                          const struct plugin_steps *steps, const struct plugin_worker *worker,
                          struct selection *selection, bool *set)
{
    enum { RUN = 3, BEHIND = 5 };
    uint32_t count = worker->count > BEHIND ? BEHIND + 1 : RUN, compared = 0;
    for (uint32_t i = 0; i < worker->count; i++)
        if (worker->count < RUN || worker->steps[i].iteration >= selection->split->count)
            return 0;
    for (uint32_t i = 0; i < count; i++)
        set[worker->steps[i].iteration] = i < RUN || i == BEHIND;
    const struct gpu_share *shares = gpu_shares(profile, selection, profile->arena);
    for (uint32_t d = 0; d < profile->device_count; d++) {
        const struct lane *lane = lane_of(timeline, LANE_UTILIZATION, d);
        if (!is_alone(profile, steps, worker, d) || !lane)
            continue;
        int64_t window_ns = 0;
        double kernel_ns = 0;
        for (uint32_t first = 0, last = RUN - 1; last < count; first = last += RUN) {
            int64_t from = worker->steps[first].start, to = worker->steps[last].stop;
            window_ns += to - from;
            kernel_ns += to > from ? lane_share(timeline, lane, from, to) * (double)(to - from) : 0;
        }
        assert_int_equal(shares[d].window_ns, window_ns);
        assert_true(fabs((double)shares[d].kernel_ns - kernel_ns) < 1);
        compared++;
    }
    for (uint32_t i = 0; i < count; i++)
        set[worker->steps[i].iteration] = false;
    return compared;
}

static unsigned check_steps(const struct profile *profile)
{
    const struct split *split = split_find(profile, profile->arena);
    struct selection selection = selection_all(split);
    const struct timeline *timeline = timeline_of(profile, &selection, profile->arena);
    const struct plugin_steps *steps = plugin_steps_of(profile, &selection, profile->arena);
    bool *set = ARENA_ARRAY(profile->arena, bool, (size_t)split->count + 1);
    unsigned compared = 0;
    selection.iterations = set;
    for (uint32_t p = 0; p < steps->count; p++)
        compared += check_run(profile, timeline, steps, &steps->workers[p], &selection, set);
    for (uint32_t p = 0; p < steps->count; p++)
        for (uint32_t i = 0; i < steps->workers[p].count && i < MAX_STEPS; i++) {
            const struct plugin_step *step = &steps->workers[p].steps[i];
            bool is_whole = step->iteration == ROW_NONE && steps->workers[p].count == 1;
            if (step->iteration >= split->count && !is_whole) // selected together with others
                continue;
            set[is_whole ? split->count : step->iteration] = true;
            compared += check_step(profile, timeline, steps, &steps->workers[p], step, &selection);
            set[is_whole ? split->count : step->iteration] = false;
        }
    return compared;
}

static void test_steps(void **state)
{
    struct profile *profile = scenario_open(*state);
    unsigned compared = check_steps(profile);
    print_message("# %s: %u values compared\n", (const char *)*state, compared);
    assert_true(compared > 3);
    profile_free(profile);
}

// ---- real profiles ----------------------------------------------------------------------------

static bool ends_in(const char *text, const char *end)
{
    size_t length = strlen(text), size = strlen(end);
    return length >= size && strcmp(text + length - size, end) == 0;
}

// Checks the profiles in a folder and below it, except large ones, which need long and show no
// more.
static void check_folder(const char *folder, unsigned *profiles, unsigned *compared)
{
    enum { MAX_FILE_BYTES = 12 << 20, PATH_SIZE = 3000 };
    DIR *stream = opendir(folder);
    for (struct dirent *entry; stream && (entry = readdir(stream));) {
        char path[PATH_SIZE];
        struct stat file;
        int length = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] == '.' || length >= PATH_SIZE || stat(path, &file) != 0 ||
            strcmp(entry->d_name, "golden") == 0 || strcmp(entry->d_name, "bad_json") == 0)
            continue;
        if (S_ISDIR(file.st_mode))
            check_folder(path, profiles, compared);
        bool is_profile = ends_in(path, ".sqlite") || ends_in(path, ".json.gz") ||
                          (ends_in(path, ".json") && strstr(path, "/unit/"));
        if (!is_profile || !S_ISREG(file.st_mode) || file.st_size > MAX_FILE_BYTES)
            continue;
        struct error error = {0};
        struct load_request request = {.path = path};
        struct profile *profile = profile_load(&request, &error);
        if (!profile)
            continue;
        (*profiles)++;
        *compared += check_steps(profile);
        profile_free(profile);
    }
    if (stream)
        closedir(stream);
}

static void test_corpus(void **state)
{
    (void)state;
    const char *given_folder = getenv("DLPROF_CORPUS");
    const char *corpus = given_folder ? given_folder : source_path("/../shared/corpus");
    if (access(corpus, R_OK) != 0) {
        print_message("# skipped: no profiles beside the project\n");
        skip();
        return;
    }
    static const char *const parts[] = {"nsys", "kineto"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char folder[2000];
        unsigned profiles = 0, compared = 0;
        snprintf(folder, sizeof folder, "%s/%s", corpus, parts[i]);
        check_folder(folder, &profiles, &compared);
        print_message("# %s: %u profiles, %u values compared\n", parts[i], profiles, compared);
        if (profiles > 0)
            assert_true(compared > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_means),
        cmocka_unit_test_prestate(test_steps, "plain"),
        cmocka_unit_test_prestate(test_steps, "ddp"),
        cmocka_unit_test_prestate(test_steps, "tiny"),
        cmocka_unit_test(test_corpus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
