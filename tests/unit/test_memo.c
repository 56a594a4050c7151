// SPDX-License-Identifier: Apache-2.0
// Checks that the memo changes only how long a report takes: every report writes the same bytes
// with and without a memo, for many profiles and step sets. Also checks eviction, deferred mode and
// concurrent requests.
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "analysis/detectors/expert.h"
#include "analysis/export/export.h"
#include "analysis/report/memo.h"
#include "analysis/reports/report_list.h"
#include "model/profile/loader.h"
#include "profile_builder.h"
#include "property.h"
#include "scenario.h"

enum { SETS = 6 };

static const char *const scenario_names[] = {
    "tiny",

    "dlprof",
    "emit",
    "ddp --steps=3",
    "oneproc4gpu",
    "graphs-node",
    "graphs-2proc",
    "graphs-outside",
    "serving-node",
    "layer",
    "startend",
    "unmatched",
    "skew",
    "cpuonly",
    "hostile",
    "deep",
    "none",
    "scale --kernels=4e3",
};
enum { SCENARIOS = sizeof scenario_names / sizeof *scenario_names };

struct text {
    char *bytes;
    size_t size;
};

static struct text report_text(const struct report *report, const struct profile *profile,
                               const struct selection *selection)
{
    struct text text = {0};
    struct arena *arena = arena_new(0);
    struct rows rows;
    struct error error = {0};
    if (!report_build(report, profile, selection, arena, &rows, &error))
        fail_msg("%s: %s", report->name, error.message);
    FILE *file = open_memstream(&text.bytes, &text.size);
    struct export_table table = {
        .report = report, .rows = rows, .profile = profile, .selection = selection};
    assert_true(export_format_find("csv")->write(&table, file, arena));
    fprintf(file, "%s\n%s\n", rows.caption ? rows.caption : "", rows.empty ? rows.empty : "");
    fclose(file);
    arena_free(arena);
    return text;
}

static void check_reports(const char *scenario, const struct profile *profile,
                          struct selection selection, struct memo *memo)
{
    for (size_t i = 0; i < report_count; i++) {
        selection.memo = NULL;
        struct text plain = report_text(reports[i], profile, &selection);
        selection.memo = memo;
        struct text expected = report_text(reports[i], profile, &selection);
        if (plain.size != expected.size || memcmp(plain.bytes, expected.bytes, plain.size) != 0) {
            size_t at = 0;
            while (at < plain.size && at < expected.size && plain.bytes[at] == expected.bytes[at])
                at++;
            at = at > 300 ? at - 300 : 0;
            fail_msg("%s: %s differs with a memo:\n%.900s\n---\n%.900s", scenario, reports[i]->name,
                     plain.bytes + at, expected.bytes + at);
        }
        free(plain.bytes);
        free(expected.bytes);
    }
}

static void check_split(const char *scenario, const struct profile *profile,
                        const struct split *split, struct arena *arena)
{
    struct memo *memo = memo_new(profile, split);
    bool *members = ARENA_ARRAY(arena, bool, (size_t)split->count + 1);
    unsigned seed = 7;
    struct selection selection = selection_all(split);
    check_reports(scenario, profile, selection, memo);
    for (int set = 0; set < SETS; set++) {
        int share = set == 0 ? 0 : set == 1 ? 100 : rand_r(&seed) % 100;
        for (uint32_t i = 0; i < split->count; i++)
            members[i] = rand_r(&seed) % 100 < share;
        selection = selection_all(split);
        selection.iterations = members;
        selection.is_folded = set % 3 != 2;
        selection.adoption = set % 4 != 3;
        selection.names = (enum name_form)(set % NAME_FORM_COUNT);
        if (set == 3 && profile->device_count > 0)
            selection.device = profile->device_count - 1;
        if (set == 4 && profile->process_count > 0)
            selection.process = profile->process_count - 1;
        if (set == 5 && profile->tree && profile->tree->count > 1)
            selection.node = 1;
        check_reports(scenario, profile, selection, memo);
    }
    memo_free(memo);
}

static void test_scenario(void **state)
{
    const char *scenario = *state;
    struct profile *profile = scenario_open(scenario);
    struct arena *arena = arena_new(0);
    check_split(scenario, profile, split_find(profile, arena), arena);
    check_split(scenario, profile, split_by_key(profile, NULL, arena), arena);
    arena_free(arena);
    profile_free(profile);
}

// Builds ranges that enclose several steps, nested calls that reach from one step into the next,
// and late overlapping work on two GPUs. The figures of such ranges depend on the step set.
static void build_epochs(struct profile_builder *builder, struct random *random)
{
    enum { STEPS = 6, LENGTH = 1000, LAUNCHES = 12 };
    uint32_t thread = builder_thread(builder, 1, 101);
    builder_range(builder, thread, 0, STEPS * LENGTH, "epoch");
    builder_range(builder, thread, 5, 3 * LENGTH - 5, "first half");
    for (int step = 0; step < STEPS; step++) {
        int64_t begin = step * LENGTH + 10;
        char name[20];
        snprintf(name, sizeof name, "step %d", step);
        builder_range(builder, thread, begin, begin + LENGTH - 20, name);
        builder_range(builder, thread, begin + 200, begin + 700, "layer");
        for (int i = 0; i < LAUNCHES; i++) {
            int64_t at = begin + 20 + 75 * i, late = (int64_t)random_below(random, 1500);
            uint32_t call = builder_call(builder, thread, at, at + 30, "cudaLaunchKernel_v7000");
            builder_call(builder, thread, at + 5, at + 20, "cuLaunchKernel");
            builder_kernel(builder, call, (uint32_t)random_below(random, 2),
                           (uint32_t)random_below(random, 2), at + late,
                           at + late + 1 + (int64_t)random_below(random, 300),
                           random_below(random, 2) ? "gemm" : "relu");
        }
        // waits past the end of the step; the wait encloses the calls of the next one
        if (random_below(random, 2))
            builder_call(builder, thread, begin + LENGTH - 40, begin + LENGTH + 60,
                         "cudaDeviceSynchronize_v3020");
    }
}

static void test_ranges_around_steps(void **state)
{
    (void)state;
    struct random random = {2027};
    for (int round = 0; round < random_rounds(15); round++) {
        struct profile_builder *builder = builder_new();
        struct arena *arena = arena_new(0);
        build_epochs(builder, &random);
        struct profile *profile = builder_build(builder, MODE_AUTO);
        struct split *split = split_find(profile, arena);
        assert_int_equal(split->count, 6);
        check_split("epochs", profile, split, arena);
        arena_free(arena);
        builder_free(builder);
    }
}

// ---- what is kept and when --------------------------------------------------------------------

static atomic_uint computed_count;

static void *compute_counted(const struct profile *profile, const struct selection *selection,
                             struct arena *arena)
{
    (void)profile, (void)selection;
    atomic_fetch_add(&computed_count, 1);
    return arena_alloc(arena, 1, 1);
}

struct tiny {
    struct profile *profile;
    struct arena *arena;
    struct selection selection; // selects everything, with a memo
};

static struct tiny tiny_open(void)
{
    struct tiny tiny = {.profile = scenario_open("tiny"), .arena = arena_new(0)};
    tiny.selection = selection_all(split_find(tiny.profile, tiny.arena));
    tiny.selection.memo = memo_new(tiny.profile, tiny.selection.split);
    atomic_store(&computed_count, 0);
    return tiny;
}

static void tiny_close(struct tiny *tiny)
{
    memo_free(tiny->selection.memo); // also while a job is running
    arena_free(tiny->arena);
    profile_free(tiny->profile);
}

static void pause_briefly(void)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    nanosleep(&moment, NULL);
}

// In deferred mode a report does not block on missing values and uses them once they are there.
static void test_deferred(void **state)
{
    (void)state;
    struct tiny tiny = tiny_open();
    struct memo *memo = tiny.selection.memo;
    memo_set_async(memo);
    struct text text = report_text(report_find("kernels"), tiny.profile, &tiny.selection);
    free(text.bytes);
    assert_int_equal(memo_bytes(memo), 0);
    check_reports("tiny", tiny.profile, tiny.selection, memo);
    size_t waited_for = memo_bytes(memo); // memo of idle time, the only value that must block
    memo_run_queue(memo);
    memo_run_queue(memo);
    check_reports("tiny", tiny.profile, tiny.selection,
                  memo); // while the values are being computed
    for (int i = 0; i < 10000 && memo_bytes(memo) == waited_for; i++)
        pause_briefly();
    assert_true(memo_bytes(memo) > waited_for);
    memo_run_queue(memo);
    tiny_close(&tiny);
}

// memo_require() computes a value once, also in deferred mode.
static void test_computed_once(void **state)
{
    (void)state;
    static const struct memo_kind kind = {.make = compute_counted};
    struct tiny tiny = tiny_open();
    memo_set_async(tiny.selection.memo);
    assert_null(memo_get(&kind, tiny.profile, &tiny.selection, tiny.arena));
    const void *value = memo_require(&kind, tiny.profile, &tiny.selection, tiny.arena);
    assert_ptr_equal(memo_require(&kind, tiny.profile, &tiny.selection, tiny.arena), value);
    assert_ptr_equal(memo_get(&kind, tiny.profile, &tiny.selection, tiny.arena), value);
    assert_int_equal(atomic_load(&computed_count), 1);
    tiny_close(&tiny);
}

// Wished values are computed in the background before anybody requests them.
static void test_wishes(void **state)
{
    (void)state;
    static const struct memo_kind kind = {.make = compute_counted};
    struct tiny tiny = tiny_open();
    struct memo *memo = tiny.selection.memo;
    memo_prefetch(&kind, tiny.profile,
                  &tiny.selection); // not deferred: the next request computes it
    assert_false(memo_run_queue(memo));
    memo_set_async(memo);
    memo_prefetch(&kind, tiny.profile, &tiny.selection);
    while (memo_run_queue(memo))
        pause_briefly();
    assert_int_equal(atomic_load(&computed_count), 1);
    memo_prefetch(&kind, tiny.profile, &tiny.selection); // already there
    assert_false(memo_run_queue(memo));
    tiny_close(&tiny);
}

// Repeated requests during background work compute only what was requested.
static void test_background_work(void **state)
{
    (void)state;
    struct tiny tiny = tiny_open();
    for (int round = 0; round < 200; round++) {
        static const struct memo_kind kinds[8] = {
            {0, compute_counted}, {0, compute_counted}, {0, compute_counted}, {0, compute_counted},
            {0, compute_counted}, {0, compute_counted}, {0, compute_counted}, {0, compute_counted}};
        struct selection selection = tiny.selection;
        selection.memo = memo_new(tiny.profile, selection.split);
        memo_set_async(selection.memo);
        atomic_store(&computed_count, 0);
        for (int i = 0; i < 8; i++) {
            memo_get(&kinds[i], tiny.profile, &selection, tiny.arena);
            memo_run_queue(selection.memo);
        }
        memo_free(selection.memo);
        assert_true(atomic_load(&computed_count) <= 8);
    }
    tiny_close(&tiny);
}

// ---- eviction ---------------------------------------------------------------------------------

// ROOM and LARGE in bytes; LONG: number of frames after which much is forgotten
enum { ROOM = 1 << 20, LARGE = ROOM / 4, LONG = 100 };

static void *compute_large(const struct profile *profile, const struct selection *selection,
                           struct arena *arena)
{
    unsigned char *value = arena_alloc(arena, LARGE, 1);
    (void)profile;
    atomic_fetch_add(&computed_count, 1);
    memset(value, (int)(selection->device % 100), LARGE);
    return value;
}

static void *compute_other(const struct profile *profile, const struct selection *selection,
                           struct arena *arena)
{
    return compute_large(profile, selection, arena);
}

// Values of this kind differ by GPU number, so that a test can request as many as it needs.
static const struct memo_kind large = {.fields = MEMO_DEVICE, .make = compute_large};
static const struct memo_kind other = {.fields = MEMO_DEVICE, .make = compute_other};

static const unsigned char *get_value(const struct tiny *tiny, const struct memo_kind *kind,
                                      uint32_t device, struct arena *arena)
{
    struct selection selection = tiny->selection;
    selection.device = device;
    const unsigned char *value = memo_require(kind, tiny->profile, &selection, arena);
    assert_int_equal(value[LARGE - 1], device % 100);
    return value;
}

static void pass_frames(const struct tiny *tiny, int frames)
{
    for (int i = 0; i < frames; i++)
        memo_run_queue(tiny->selection.memo);
}

// Values that every frame requests are computed once, even if other values fill the memo and
// together they exceed its limit.
static void test_frames_keep_their_values(void **state)
{
    (void)state;
    enum { NEEDED = 6, FRAMES = 200 };
    struct tiny tiny = tiny_open();
    struct arena *frame = arena_new(0), *background = arena_new(0);
    memo_set_limit(tiny.selection.memo, ROOM);
    memo_set_async(tiny.selection.memo);
    for (uint32_t i = 0; i < FRAMES; i++) {
        for (uint32_t d = 0; d < NEEDED; d++)
            get_value(&tiny, &large, d, frame);
        get_value(&tiny, &other, i, background); // requested only once
        memo_run_queue(tiny.selection.memo);
        arena_reset(frame);
        arena_reset(background);
    }
    assert_int_equal(atomic_load(&computed_count), NEEDED + FRAMES);
    assert_true(memo_bytes(tiny.selection.memo) < (NEEDED + LONG) * (size_t)LARGE);
    arena_free(frame);
    arena_free(background);
    tiny_close(&tiny);
}

// Eviction removes the value with the oldest request first, and no more values than necessary.
static void test_oldest_is_evicted(void **state)
{
    (void)state;
    struct tiny tiny = tiny_open();
    struct memo *memo = tiny.selection.memo;
    struct arena *frame = arena_new(0);
    memo_set_limit(memo, ROOM);
    for (uint32_t d = 0; d < 3; d++) {
        get_value(&tiny, &large, d, frame);
        pass_frames(&tiny, 1);
    }
    get_value(&tiny, &large, 0, frame); // value 1 is now the oldest
    arena_reset(frame);
    pass_frames(&tiny, LONG);
    assert_int_equal(memo_bytes(memo), 3 * (size_t)LARGE); // there is room
    get_value(&tiny, &large, 3, frame);
    get_value(&tiny, &large, 4, frame);
    assert_int_equal(atomic_load(&computed_count), 5);
    get_value(&tiny, &large, 0, frame);
    get_value(&tiny, &large, 2, frame);
    assert_int_equal(atomic_load(&computed_count), 5);
    get_value(&tiny, &large, 1, frame);
    assert_int_equal(atomic_load(&computed_count), 6);
    arena_free(frame);
    tiny_close(&tiny);
}

// A held value is freed with its last holder, not on eviction and not with the memo.
static void test_held_value_survives_eviction(void **state)
{
    (void)state;
    struct tiny tiny = tiny_open();
    struct arena *view = arena_new(0), *frame = arena_new(0), *late = arena_new(0);
    memo_set_limit(tiny.selection.memo, ROOM);
    const unsigned char *held = get_value(&tiny, &large, 7, view);
    assert_ptr_equal(get_value(&tiny, &large, 7, view), held);
    for (uint32_t d = 10; d < 20; d++) {
        get_value(&tiny, &large, d, frame);
        arena_reset(frame);
        pass_frames(&tiny, LONG);
    }
    assert_int_equal(held[0], 7);
    assert_ptr_equal(get_value(&tiny, &large, 7, frame), held); // it was not recomputed
    const unsigned char *last = get_value(&tiny, &large, 8, late);
    arena_free(view);
    arena_free(frame);
    tiny_close(&tiny);
    assert_int_equal(last[LARGE - 1], 8);
    arena_free(late);
}

// Values that are optional or only wished for are not computed while the memo is full. They are
// computed once there is room.
static void test_no_room(void **state)
{
    (void)state;
    struct tiny tiny = tiny_open();
    struct memo *memo = tiny.selection.memo;
    struct arena *view = arena_new(0);
    memo_set_limit(memo, ROOM);
    for (uint32_t d = 0; d < 5; d++)
        get_value(&tiny, &large, d, view);
    assert_null(memo_get(&other, tiny.profile, &tiny.selection, tiny.arena));
    memo_set_async(memo);
    memo_prefetch(&other, tiny.profile, &tiny.selection);
    assert_false(memo_run_queue(memo));
    assert_int_equal(atomic_load(&computed_count), 5);
    arena_free(view);
    pass_frames(&tiny, LONG);
    while (memo_run_queue(memo))
        pause_briefly();
    assert_non_null(memo_get(&other, tiny.profile, &tiny.selection, tiny.arena));
    assert_int_equal(atomic_load(&computed_count), 6);
    tiny_close(&tiny);
}

static atomic_bool may_end, has_begun;

static void *make_slowly(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    atomic_store(&has_begun, true);
    while (!atomic_load(&may_end)) {
        arena_alloc(arena, 1, 1); // stops the job here if it has no waiter left
        pause_briefly();
    }
    return compute_large(profile, selection, arena);
}

static const struct memo_kind slow = {.make = make_slowly};

struct requester {
    const struct tiny *tiny;
    struct arena *arena;
    atomic_bool stop;
    const void *value;
    pthread_t thread;
};

static bool requester_body(void *context, struct error *error)
{
    struct requester *requester = context;
    (void)error;
    requester->value = memo_require(&slow, requester->tiny->profile, &requester->tiny->selection,
                                    requester->arena);
    return true;
}

static void *requester_run(void *context)
{
    struct requester *requester = context;
    arena_run(requester->arena, requester_body, requester, NULL);
    return NULL;
}

static void requester_begin(struct requester *requester, const struct tiny *tiny)
{
    *requester = (struct requester){.tiny = tiny, .arena = arena_new(0)};
    arena_set_stop_flag(requester->arena, &requester->stop);
    assert_int_equal(pthread_create(&requester->thread, NULL, requester_run, requester), 0);
}

static void requester_end(struct requester *requester)
{
    pthread_join(requester->thread, NULL);
    arena_free(requester->arena);
}

// If several threads request the same value, one computes it and the others wait. If the first
// gives up, a waiter computes it.
static void test_concurrent_requests(void **state)
{
    (void)state;
    struct tiny tiny = tiny_open();
    struct requester first, second, third;
    atomic_store(&may_end, false);
    atomic_store(&has_begun, false);
    requester_begin(&first, &tiny);
    while (!atomic_load(&has_begun))
        pause_briefly();
    requester_begin(&second, &tiny);
    requester_begin(&third, &tiny);
    atomic_store(&third.stop, true); // while it waits
    pthread_join(third.thread, NULL);
    assert_null(third.value);
    arena_free(third.arena);
    atomic_store(&has_begun, false);
    atomic_store(&first.stop, true);
    while (!atomic_load(&has_begun)) // now computed by the second thread
        pause_briefly();
    atomic_store(&may_end, true);
    requester_end(&first);
    requester_end(&second);
    assert_null(first.value);
    assert_non_null(second.value);
    assert_int_equal(atomic_load(&computed_count), 1);
    tiny_close(&tiny);
}

static bool expert_body(void *context, struct error *error)
{
    struct tiny *tiny = context;
    (void)error;
    struct finding_list findings = expert_run(tiny->profile, &tiny->selection, tiny->arena);
    size_t value = memo_bytes(tiny->selection.memo);
    memo_set_limit(tiny->selection.memo, 1);
    pass_frames(tiny, LONG);
    assert_true(memo_bytes(tiny->selection.memo) < value / 2);
    for (size_t i = 0; i < findings.count; i++) {
        const struct finding *finding = &findings.items[i];
        const char *texts[] = {finding->key,    finding->id,      finding->place,
                               finding->source, finding->problem, finding->recommendation,
                               finding->why,    finding->flag,    finding->opens,
                               finding->filter, finding->sort};
        for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
            assert_true(!texts[t] || strlen(texts[t]) < 10000);
    }
    return findings.count > 0;
}

// Findings stay valid after every value that they were computed from is freed.
static void test_findings_outlive(void **state)
{
    (void)state;
    static const char *const names[] = {"demo --steps=6", "oneproc4gpu"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct tiny tiny = {.profile = scenario_open(names[i]), .arena = arena_new(0)};
        struct arena *of_split = arena_new(0);
        tiny.selection = selection_all(split_find(tiny.profile, of_split));
        tiny.selection.memo = memo_new(tiny.profile, tiny.selection.split);
        assert_true(arena_run(tiny.arena, expert_body, &tiny, NULL));
        arena_free(of_split);
        tiny_close(&tiny);
    }
}

int main(void)
{
    static const struct CMUnitTest always[] = {cmocka_unit_test(test_deferred),
                                               cmocka_unit_test(test_computed_once),
                                               cmocka_unit_test(test_wishes),
                                               cmocka_unit_test(test_background_work),
                                               cmocka_unit_test(test_frames_keep_their_values),
                                               cmocka_unit_test(test_oldest_is_evicted),
                                               cmocka_unit_test(test_held_value_survives_eviction),
                                               cmocka_unit_test(test_no_room),
                                               cmocka_unit_test(test_concurrent_requests),
                                               cmocka_unit_test(test_findings_outlive),
                                               cmocka_unit_test(test_ranges_around_steps)};
    enum { ALWAYS = sizeof always / sizeof *always };
    struct CMUnitTest tests[ALWAYS + SCENARIOS];
    memcpy(tests, always, sizeof always);
    size_t count = ALWAYS;
    // A long run takes every scenario.
    size_t step = run_is_long() ? 1 : run_is_quick() ? SCENARIOS : 6;
    for (size_t i = 0; i < SCENARIOS; i += step)
        tests[count++] = (struct CMUnitTest){scenario_names[i], test_scenario, NULL, NULL,
                                             (void *)(uintptr_t)scenario_names[i]};
    return _cmocka_run_group_tests("memo", tests, count, NULL, NULL);
}
