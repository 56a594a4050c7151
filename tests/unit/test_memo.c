// SPDX-License-Identifier: Apache-2.0
// What is kept per split changes how long a report takes, never what it says: every report, on
// profiles of every kind and sets of every kind, writes the same bytes with a memo and without.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "analysis/export.h"
#include "analysis/memo.h"
#include "model/loader.h"
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

static void check(const char *scenario, const struct profile *profile, struct selection selection,
                  struct memo *memo)
{
    for (size_t i = 0; i < report_count; i++) {
        selection.memo = NULL;
        struct text plain = report_text(reports[i], profile, &selection);
        selection.memo = memo;
        struct text kept = report_text(reports[i], profile, &selection);
        if (plain.size != kept.size || memcmp(plain.bytes, kept.bytes, plain.size) != 0) {
            size_t at = 0;
            while (at < plain.size && at < kept.size && plain.bytes[at] == kept.bytes[at])
                at++;
            at = at > 300 ? at - 300 : 0;
            fail_msg("%s: %s differs with a memo:\n%.900s\n---\n%.900s", scenario, reports[i]->name,
                     plain.bytes + at, kept.bytes + at);
        }
        free(plain.bytes);
        free(kept.bytes);
    }
}

static void check_split(const char *scenario, const struct profile *profile,
                        const struct split *split, struct arena *arena)
{
    struct memo *memo = memo_new(profile, split);
    bool *members = ARENA_ARRAY(arena, bool, (size_t)split->count + 1);
    unsigned seed = 7;
    struct selection selection = selection_all(split);
    check(scenario, profile, selection, memo);
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
        check(scenario, profile, selection, memo);
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

// Ranges around several steps, calls within calls from one step into the next, work on two GPUs that
// overlaps and comes late: what such a range has depends on the set.
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
        if (random_below(random, 2)) // waits beyond the step's end, around the calls of the next
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

// ---- what is kept, and when --------------------------------------------------------------------

static unsigned made_count;

static void *make_counted(const struct profile *profile, const struct selection *selection,
                          struct arena *arena)
{
    (void)profile, (void)selection;
    made_count++;
    return arena_alloc(arena, 1, 1);
}

struct tiny {
    struct profile *profile;
    struct arena *arena;
    struct selection selection; // of everything, with a memo
};

static struct tiny tiny_open(void)
{
    struct tiny tiny = {.profile = scenario_open("tiny"), .arena = arena_new(0)};
    tiny.selection = selection_all(split_find(tiny.profile, tiny.arena));
    tiny.selection.memo = memo_new(tiny.profile, tiny.selection.split);
    made_count = 0;
    return tiny;
}

static void tiny_close(struct tiny *tiny)
{
    memo_free(tiny->selection.memo); // whatever it is doing
    arena_free(tiny->arena);
    profile_free(tiny->profile);
}

static void pause_briefly(void)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    nanosleep(&moment, NULL);
}

// Deferred: nobody waits for what is kept, and once it is there it is used.
static void test_deferred(void **state)
{
    (void)state;
    struct tiny tiny = tiny_open();
    struct memo *memo = tiny.selection.memo;
    memo_defer(memo);
    struct text text = report_text(report_find("kernels"), tiny.profile, &tiny.selection);
    free(text.bytes);
    assert_int_equal(memo_bytes(memo), 0);
    check("tiny", tiny.profile, tiny.selection, memo);
    size_t waited_for = memo_bytes(memo); // idle time has no other way
    memo_work(memo);
    memo_work(memo);
    check("tiny", tiny.profile, tiny.selection, memo); // while it is being made
    for (int i = 0; i < 10000 && memo_bytes(memo) == waited_for; i++)
        pause_briefly();
    assert_true(memo_bytes(memo) > waited_for);
    memo_work(memo);
    tiny_close(&tiny);
}

// What has no other way is made once, also while other things are deferred.
static void test_made_once(void **state)
{
    (void)state;
    static const struct memo_kind kind = {.make = make_counted};
    struct tiny tiny = tiny_open();
    memo_defer(tiny.selection.memo);
    assert_null(memo_get(&kind, tiny.profile, &tiny.selection, tiny.arena));
    const void *made = memo_make(&kind, tiny.profile, &tiny.selection, tiny.arena);
    assert_ptr_equal(memo_make(&kind, tiny.profile, &tiny.selection, tiny.arena), made);
    assert_ptr_equal(memo_get(&kind, tiny.profile, &tiny.selection, tiny.arena), made);
    assert_int_equal(made_count, 1);
    tiny_close(&tiny);
}

// What is likely to be asked for is made in the background: nobody has to ask first.
static void test_wished_for(void **state)
{
    (void)state;
    static const struct memo_kind kind = {.make = make_counted};
    struct tiny tiny = tiny_open();
    struct memo *memo = tiny.selection.memo;
    memo_wish(&kind, tiny.profile, &tiny.selection); // nothing is deferred: whoever asks makes it
    assert_false(memo_work(memo));
    memo_defer(memo);
    memo_wish(&kind, tiny.profile, &tiny.selection);
    while (memo_work(memo))
        pause_briefly();
    assert_int_equal(made_count, 1);
    memo_wish(&kind, tiny.profile, &tiny.selection); // it is there
    assert_false(memo_work(memo));
    tiny_close(&tiny);
}

// Asked for again and again while a thread works: nothing is made that was not asked for.
static void test_working(void **state)
{
    (void)state;
    struct tiny tiny = tiny_open();
    for (int round = 0; round < 200; round++) {
        static const struct memo_kind kinds[8] = {
            {0, make_counted}, {0, make_counted}, {0, make_counted}, {0, make_counted},
            {0, make_counted}, {0, make_counted}, {0, make_counted}, {0, make_counted}};
        struct selection selection = tiny.selection;
        selection.memo = memo_new(tiny.profile, selection.split);
        memo_defer(selection.memo);
        made_count = 0;
        for (int i = 0; i < 8; i++) {
            memo_get(&kinds[i], tiny.profile, &selection, tiny.arena);
            memo_work(selection.memo);
        }
        memo_free(selection.memo);
        assert_true(made_count <= 8);
    }
    tiny_close(&tiny);
}

int main(void)
{
    static const struct CMUnitTest always[] = {
        cmocka_unit_test(test_deferred), cmocka_unit_test(test_made_once),
        cmocka_unit_test(test_wished_for), cmocka_unit_test(test_working),
        cmocka_unit_test(test_ranges_around_steps)};
    enum { ALWAYS = sizeof always / sizeof *always };
    struct CMUnitTest tests[ALWAYS + SCENARIOS];
    memcpy(tests, always, sizeof always);
    size_t count = ALWAYS;
    // At length all of them.
    size_t step = getenv("DLPROF_SOAK") ? 1 : getenv("DLPROF_QUICK") ? SCENARIOS : 3;
    for (size_t i = 0; i < SCENARIOS; i += step)
        tests[count++] = (struct CMUnitTest){scenario_names[i], test_scenario, NULL, NULL,
                                             (void *)(uintptr_t)scenario_names[i]};
    return _cmocka_run_group_tests("memo", tests, count, NULL, NULL);
}
