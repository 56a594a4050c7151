// SPDX-License-Identifier: Apache-2.0
// Checks what detectors collect per step: claims on instants, sums by id, and findings of two sets
// of steps, which add up to the findings of both sets together.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/detect/step.h"
#include "analysis/detectors/expert.h"
#include "detection.h"

DETECTOR_DECLARE(loader_wait);
DETECTOR_DECLARE(loader_worker);

// ---- claims -----------------------------------------------------------------------------------

enum { WINDOWS = 3 };
static const uint32_t all_windows[WINDOWS] = {0, 1, 2};

static void test_claims(void **state)
{
    (void)state;
    struct arena *arena = arena_new(0);
    struct interval_requests first = {0}, second = {0};
    requests_add(&first, arena, 10, 20, 0, 0);
    requests_add(&first, arena, 15, 30, 1, 0); // overlaps count once
    requests_add(&first, arena, 16, 18, 1, 0);
    requests_add(&first, arena, 40, 50, 0, 2);
    requests_add(&second, arena, 0, 35, 0, 0);
    requests_add(&second, arena, 36, 38, 0, 1);
    requests_end(&first, arena, arena, WINDOWS);
    requests_end(&second, arena, arena, WINDOWS);
    assert_int_equal(first.count, 3);
    struct interval_grants grants = grants_new(arena, 2, WINDOWS, all_windows, WINDOWS);
    grants_set_requests(&grants, &first);
    assert_int_equal(grants_measure(&grants), 30);
    assert_int_equal(grants_free_in_group(&grants, 0), 20);
    assert_int_equal(grants_free_in_group(&grants, 1), 10);
    assert_int_equal(grants_free_in_group(&grants, 2), 0);
    assert_int_equal(grants.free_ns[2], 10);
    grants_take(&grants, (bool[]){true, false});
    grants_set_requests(&grants, &second);
    assert_int_equal(grants_measure(&grants), 27);
    assert_int_equal(grants.free_ns[1], 2);
    grants_scale(&grants, (double[]){0.5});
    assert_int_equal(grants_measure(&grants), 11); // [0, 17) without [10, 20), and [36, 37)
    grants_take(&grants, NULL);
    grants_set_requests(&grants, &first);
    assert_int_equal(grants_measure(&grants), 10); // [20, 30)
    // An empty request gets no time and leaves all time free.
    struct interval_requests none = {0};
    requests_end(&none, arena, arena, WINDOWS);
    grants_set_requests(&grants, &none);
    assert_int_equal(grants_measure(&grants), 0);
    grants_take(&grants, NULL);
    grants_set_requests(&grants, &first);
    assert_int_equal(grants_measure(&grants), 10);
    // Instants of unselected windows do not count.
    grants = grants_new(arena, 2, WINDOWS, all_windows + 2, 1);
    grants_set_requests(&grants, &first);
    assert_int_equal(grants_measure(&grants), 10);
    arena_free(arena);
}

enum { KINDS = 3, KIND_LENGTH = 8 };
static int kind_at(int64_t t)
{
    return (int)(t / KIND_LENGTH % KINDS);
}

// Compares claims with an array of one flag per instant. Some requests want a single kind of time,
// some want all.
static void test_claims_any(void **state)
{
    enum { INSTANTS = 210, WINDOW = INSTANTS / WINDOWS };
    (void)state;
    uint32_t seed = 1;
    for (unsigned round = 0; round < 500; round++) {
        struct arena *arena = arena_new(0);
        uint32_t chosen[WINDOWS], count = 0;
        for (uint32_t w = 0; w < WINDOWS; w++)
            if (round % 8 & 1u << w)
                chosen[count++] = w;
        struct interval_grants grants = grants_new(arena, 2, WINDOWS, chosen, count);
        bool taken[INSTANTS] = {false};
        for (int asker = 0; asker < 5; asker++) {
            bool wanted[2][INSTANTS] = {{false}}, keep[2];
            int64_t at = 0, sums[2] = {0};
            struct interval_requests *requests = ARENA_NEW(arena, struct interval_requests);
            for (int n = 0; n < 14; n++) {
                seed = seed * 1664525 + 1013904223;
                int64_t from = at + seed % 16, to = from + (seed >> 8) % 20;
                int64_t window = from / WINDOW, end = (window + 1) * WINDOW;
                uint32_t group = seed >> 16 & 1;
                int kind = (asker + (int)round) % (KINDS + 1);
                if (from >= INSTANTS)
                    break;
                at = from;
                to = to < end ? to : end;
                if (kind < KINDS && kind_at(from) != kind)
                    continue;
                int64_t until = (from / KIND_LENGTH + 1) * KIND_LENGTH;
                to = kind < KINDS && to > until ? until : to;
                for (int64_t t = from; t < to; t++)
                    wanted[group][t] = wanted[group][t] || !wanted[!group][t];
                requests_add(requests, arena, from, to, group, (uint32_t)window);
            }
            requests_end(requests, arena, arena, WINDOWS);
            static const unsigned kinds[KINDS] = {1u << CLASS_COMPUTE, 1u << CLASS_COMM,
                                                  GRANTS_IDLE};
            requests->classes = 0;
            for (int t = 0; t < INSTANTS; t++)
                requests->classes |= wanted[0][t] || wanted[1][t] ? kinds[kind_at(t)] : 0;
            grants_set_requests(&grants, requests);
            if (round % 16 >= 8) { // the first half of each group's request
                static const double parts[2] = {0.5, 1};
                grants_scale(&grants, parts);
                for (size_t i = 0; i < requests->count; i++) {
                    const struct request_span *span = &requests->spans[i];
                    for (int64_t t = span->from + (span->to - span->from) / 2; t < span->to; t++)
                        wanted[0][t] = false;
                }
            }
            size_t takes = grants.take_count;
            grants_measure(&grants);
            for (int t = 0; t < INSTANTS; t++)
                if (!(round % 8 & 1u << t / WINDOW))
                    wanted[0][t] = wanted[1][t] = false; // in an unselected window
            for (int g = 0; g < 2; g++) {
                sums[g] = grants_free_in_group(&grants, (uint32_t)g);
                int64_t free_ns = 0;
                keep[g] = seed >> (20 + g) & 1;
                for (int t = 0; t < INSTANTS; t++)
                    free_ns += wanted[g][t] && !taken[t];
                assert_int_equal(sums[g], free_ns);
            }
            for (int t = 0; t < INSTANTS; t++)
                taken[t] = taken[t] || (wanted[0][t] && keep[0]) || (wanted[1][t] && keep[1]);
            grants_take(&grants, keep);
            if (grants.parts)
                continue;
            grants_set_requests(&grants, requests); // without its own claims, and with them
            assert_int_equal(grants_measure_before(&grants, takes), sums[0] + sums[1]);
            assert_int_equal(grants_measure(&grants),
                             (keep[0] ? 0 : sums[0]) + (keep[1] ? 0 : sums[1]));
            assert_int_equal(grants_measure(&grants),
                             (keep[0] ? 0 : sums[0]) + (keep[1] ? 0 : sums[1]));
        }
        arena_free(arena);
    }
}

// Enough intervals for the work to be shared by threads.
static void test_claims_many(void **state)
{
    enum { EACH = 20000, ALL = EACH * WINDOWS };
    (void)state;
    struct arena *arena = arena_new(0);
    struct interval_requests first = {0}, second = {0}, third = {0};
    for (uint32_t i = 0; i < ALL; i++) {
        requests_add(&first, arena, 10 * i, 10 * i + 6, i % 2, i / EACH);
        requests_add(&second, arena, 10 * i + 3, 10 * i + 8, 0, i / EACH);
        requests_add(&third, arena, 10 * i + 1, 10 * i + 10, 0, i / EACH);
    }
    requests_end(&first, arena, arena, WINDOWS);
    requests_end(&second, arena, arena, WINDOWS);
    requests_end(&third, arena, arena, WINDOWS);
    for (unsigned threads = 1; threads < 4; threads++) {
        struct interval_grants grants = grants_new(arena, threads, WINDOWS, all_windows, WINDOWS);
        grants_set_requests(&grants, &first);
        assert_int_equal(grants_measure(&grants), 6 * ALL);
        grants_take(&grants, (bool[]){false, true});
        grants_set_requests(&grants, &second);
        assert_int_equal(grants_measure(&grants), 5 * ALL - 3 * ALL / 2);
        assert_int_equal(grants.free_ns[1], 5 * EACH - 3 * EACH / 2);
        grants_take(&grants, NULL);
        grants_set_requests(&grants, &third);
        assert_int_equal(grants_measure_before(&grants, 1), 9 * ALL - 5 * ALL / 2);
        assert_int_equal(grants_measure(&grants), 4 * ALL - ALL);
        grants_scale(&grants, (double[]){0.5}); // [1, 5)
        assert_int_equal(grants_measure(&grants), 2 * ALL / 2);
    }
    arena_free(arena);
}

// A finding claims the requested time of all groups, whatever their number; a finding that is not
// reported leaves the time free.
static void test_claim_of_groups(void **state)
{
    enum { GROUPS = 40 };
    (void)state;
    struct arena *arena = arena_new(0);
    struct split split = {0};
    struct selection selection = selection_all(&split);
    struct finding_list findings = {.arena = arena};
    struct interval_requests requests = {0};
    for (uint32_t g = 0; g < GROUPS; g++)
        requests_add(&requests, arena, (int64_t)g * MS, (int64_t)(g + 1) * MS, g,
                     g * WINDOWS / GROUPS);
    requests_end(&requests, arena, arena, WINDOWS);
    struct step step = {.selection = &selection,
                        .scratch = arena,
                        .arena = arena,
                        .window_count = WINDOWS,
                        .windows = all_windows,
                        .window_ns = (int64_t)GROUPS * MS,
                        .grants = grants_new(arena, 2, WINDOWS, all_windows, WINDOWS)};
    for (int speaks = 0; speaks < 2; speaks++) {
        grants_set_requests(&step.grants, &requests);
        int64_t gain = grants_measure(&step.grants);
        assert_int_equal(gain, GROUPS * MS);
        struct finding *finding =
            step_take_finding(&step, &findings, detectors[0], speaks, gain, CERTAINTY_LIKELY);
        assert_int_equal(finding != NULL, speaks);
        grants_set_requests(&step.grants, &requests);
        assert_int_equal(grants_measure(&step.grants), speaks ? 0 : gain);
    }
    arena_free(arena);
}

// ---- sums by id -------------------------------------------------------------------------------

static void test_list(void **state)
{
    (void)state;
    struct arena *arena = arena_new(0);
    struct step_line line = {.window_count = WINDOWS, .scratch = arena};
    struct scan scan = {.line = &line, .arena = arena};
    // Windows in any order, repeated ids, and a large id.
    static const struct scan_entry added[] = {
        {2, 7, 1, 100}, {0, 7, 1, 1},     {0, 5000, 1, 2}, {2, 7, 1, 200},      {1, 3, 1, 10},
        {0, 7, 1, 4},   {1, 5000, 1, 20}, {2, 3, 1, 400},  {ROW_NONE, 3, 1, 9},
    };
    for (size_t i = 0; i < sizeof added / sizeof *added; i++)
        scan_list_add(&scan, &scan.places, added[i].window, added[i].id, added[i].ns);
    scan_end(&scan);
    for (uint32_t w = 0; w < WINDOWS; w++)
        for (size_t e = scan.places.first[w]; e < scan.places.first[w + 1]; e++)
            assert_int_equal(scan.places.items[e].window, w);
    // Each set of windows has the sums of the entries added to its windows.
    for (unsigned set = 0; set < 1 << WINDOWS; set++) {
        uint32_t chosen[WINDOWS], count = 0;
        int64_t wanted[5001] = {0};
        for (uint32_t w = 0; w < WINDOWS; w++)
            if (set & 1u << w)
                chosen[count++] = w;
        for (size_t i = 0; i < sizeof added / sizeof *added; i++)
            if (added[i].window != ROW_NONE && set & 1u << added[i].window)
                wanted[added[i].id] += added[i].ns;
        struct step step = {
            .line = &line, .scratch = arena, .windows = chosen, .window_count = count};
        assert_int_equal(scan.places.ids, 5001);
        assert_memory_equal(step_list(&step, &scan.places), wanted, sizeof wanted);
        assert_int_equal(step_list(&step, &scan.names)[0], 0); // no entry added
    }
    // The next scan of the line reuses the memory of the previous one and starts empty.
    struct scan next = {.line = &line, .arena = arena};
    scan_list_add(&next, &next.names, 1, 7, 5);
    scan_end(&next);
    assert_int_equal(next.names.count, 1);
    assert_int_equal(next.names.items[0].ns, 5);
    assert_int_equal(next.names.items[0].count, 1);
    arena_free(arena);
}

// ---- sets of steps ----------------------------------------------------------------------------

// Builds steps of 100 ms: step i has a conversion of 10 + i ms, and 10 + 2 i ms in which memory is
// allocated while the GPU is idle.
static struct profile_builder *uneven_steps(void)
{
    struct profile_builder *builder = builder_new();
    uint32_t thread = builder_thread(builder, 1, 1);
    for (int i = 0; i < STEPS; i++) {
        int64_t at = 100LL * i * MS, waits = (10 + 2 * i) * MS, turns = (10 + i) * MS;
        builder_step_on(builder, 0, at, at + 100 * MS - 1, i);
        builder_kernel_on(builder, 0, COMPUTE, at + MS, at + 30 * MS, "compute");
        builder_call(builder, thread, at + 29 * MS, at + 30 * MS + waits, "cudaMalloc");
        builder_kernel_on(builder, 0, COMPUTE, at + 30 * MS + waits + MS, at + 70 * MS, "compute");
        for (int k = 0; k < 4; k++)
            builder_kernel_on(builder, 0, COMPUTE, at + 70 * MS + k * turns / 4,
                              at + 70 * MS + (k + 1) * turns / 4, "nchwToNhwcKernel");
        builder_kernel_on(builder, 0, COMPUTE, at + 70 * MS + turns, at + 101 * MS, "compute");
    }
    return builder;
}

static int64_t gain_of(const struct finding_list *list, const char *id)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i].id, id) == 0)
            return list->items[i].gain_ns;
    return 0;
}

// The gain of a set of steps is the sum of the gains of its steps, whatever else is selected.
static void test_sets(void **state)
{
    (void)state;
    static const char *const ids[] = {"layout_conversion", "allocator"};
    struct profile_builder *builder = uneven_steps();
    struct profile *profile = builder_build(builder, MODE_AUTO);
    struct arena *arena = arena_new(0);
    struct selection selection = selection_all(split_find(profile, arena));
    assert_int_equal(selection.split->count, STEPS);
    for (size_t n = 0; n < sizeof ids / sizeof *ids; n++) {
        int64_t alone[STEPS];
        for (unsigned set = 1; set < 1 << STEPS; set++) {
            bool members[STEPS] = {false};
            int64_t sum = 0, count = 0;
            for (int i = 0; i < STEPS; i++)
                members[i] = set & 1u << i;
            selection.iterations = members;
            struct finding_list list = expert_run(profile, &selection, arena);
            int64_t gain = gain_of(&list, ids[n]);
            if ((set & (set - 1)) == 0)
                alone[__builtin_ctz(set)] = gain;
            for (int i = 0; i < STEPS; i++) {
                sum += members[i] ? alone[i] : 0;
                count += members[i];
            }
            assert_int_equal(gain, sum / count);
        }
        for (int i = 1; i < STEPS; i++)
            assert_true(alone[i] > alone[i - 1] && alone[0] > 8 * MS);
    }
    arena_free(arena);
    builder_free(builder);
}

// Two detectors that use the same scan share its result.
static void test_shared(void **state)
{
    (void)state;
    struct profile_builder *builder = builder_new();
    uint32_t thread = builder_thread(builder, 1, 1);
    for (int i = 0; i < STEPS; i++) {
        int64_t at = 100LL * i * MS;
        builder_step_on(builder, 0, at, at + 100 * MS - 1, i);
        builder_kernel_on(builder, 0, COMPUTE, at + MS, at + 30 * MS, "compute");
        builder_range(builder, thread, at + 20 * MS, at + 60 * MS, "DataLoader.__next__");
        builder_kernel_on(builder, 0, COMPUTE, at + 62 * MS, at + 99 * MS, "compute");
    }
    struct profile *profile = builder_build(builder, MODE_AUTO);
    struct arena *arena = arena_new(0);
    struct selection selection = selection_all(split_find(profile, arena));
    step_line_use(&detector_list);
    const struct step_line *line = step_line_of(profile, &selection, 0, arena);
    const struct request_span *found = NULL;
    int sharing = 0;
    for (size_t d = 0; d < detector_count; d++) {
        if (detectors[d] != &detect_loader_worker && detectors[d] != &detect_loader_wait)
            continue;
        assert_true(line->scans[d].requests.count >= STEPS);
        assert_non_null(line->scans[d].requests.spans);
        assert_true(!found || line->scans[d].requests.spans == found);
        found = line->scans[d].requests.spans;
        sharing++;
    }
    assert_int_equal(sharing, 2);
    arena_free(arena);
    builder_free(builder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_claims),      cmocka_unit_test(test_claims_any),
        cmocka_unit_test(test_claims_many), cmocka_unit_test(test_claim_of_groups),
        cmocka_unit_test(test_list),        cmocka_unit_test(test_sets),
        cmocka_unit_test(test_shared),
    };
    return cmocka_run_group_tests_name("scan", tests, NULL, NULL);
}
