// SPDX-License-Identifier: Apache-2.0
// Checks the source lines found for API calls, from call chains, from markers and by
// rules/frames.yaml.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "analysis/detectors/expert.h"
#include "analysis/report/report.h"
#include "columns.h"
#include "model/derive/derive.h"
#include "model/rules/rules.h"
#include "nsys_fixture.h"
#include "profile_builder.h"

#define SITE "/opt/conda/lib/python3.11/site-packages/"

// One call per chain. Chain 99 has no rows, and the last call has no chain.
static const char calls[] =
    "ALTER TABLE CUPTI_ACTIVITY_KIND_RUNTIME ADD COLUMN callchainId INTEGER;"
    "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES"
    " (10,20,tid(1, 1),1,1,1), (30,40,tid(1, 1),2,1,2), (50,60,tid(1, 1),3,1,3),"
    " (70,80,tid(1, 1),4,1,4), (90,95,tid(1, 1),5,1,5), (100,110,tid(1, 1),6,1,99),"
    " (120,130,tid(1, 1),7,1,NULL), (140,150,tid(1, 1),8,1,6);"
    "CREATE TABLE CUDA_CALLCHAINS (id, symbol, module, stackDepth);"
    "INSERT INTO StringIds VALUES (20, '[Unknown]'), (21, 'train_step'), (22, 'main'),"
    " (23, 'at::native::copy_(at::Tensor&)'), (24, 'forward'), (25, 'srv::run(int)'),"
    " (26, 'step (/app/train.py:7)'), (27, 'evil' || char(27) || '[31m'), (28, '0x7f001234'),"
    " (40, '/usr/lib/x86_64-linux-gnu/libcuda.so.570'), (41, '" SITE "torch/lib/libtorch.so'),"
    " (42, '" SITE "torch/nn/modules/module.py:1740'), (43, '/app/train.py:88'),"
    " (44, '/app/train.py:9'), (45, '<frozen runpy>:88'), (46, '/opt/app/server'),"
    " (47, '/usr/bin/python3.11');"
    // Python, not sorted by depth
    "INSERT INTO CUDA_CALLCHAINS VALUES (1,22,44,4), (1,21,43,3), (1,24,42,2), (1,23,41,1),"
    " (1,20,40,0), (1,22,45,5);"
    "INSERT INTO CUDA_CALLCHAINS VALUES (2,20,40,0), (2,25,46,1);" // native
    "INSERT INTO CUDA_CALLCHAINS VALUES (3,26,47,0), (3,22,47,1);" // the line is in the symbol
    "INSERT INTO CUDA_CALLCHAINS VALUES (4,23,41,0), (4,20,20,1), (4,777,778,2);" // only libraries
    "INSERT INTO CUDA_CALLCHAINS VALUES (5,27,43,0);"
    "INSERT INTO CUDA_CALLCHAINS VALUES (6,28,46,0);"
    // an endless recursion
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<20000)"
    " INSERT INTO CUDA_CALLCHAINS SELECT 2, 21, 43, i+1 FROM n;";

static void assert_place(const struct profile *profile, uint32_t call, const char *place)
{
    if (!place)
        assert_null(call_place(profile, call));
    else
        assert_string_equal(call_place(profile, call), place);
}

static void test_places(void **state)
{
    (void)state;
    struct profile *profile = nsys_profile(calls);
    assert_place(profile, 0, "train.py:88 train_step");
    assert_string_equal(profile_text(profile, api_route(&profile->api, 0).callers),
                        "train.py:9 main");
    assert_place(profile, 1, "srv::run (server)");
    size_t length = strings_length(profile->strings, api_route(&profile->api, 1).callers);
    assert_in_range(length, strlen("train.py:88 train_step"), 1000);
    assert_place(profile, 2, "step (train.py:7)");
    assert_place(profile, 3, NULL);
    assert_place(profile, 4, "train.py:88 evil^[[31m");
    assert_place(profile, 5, NULL);
    assert_place(profile, 6, NULL);
    assert_place(profile, 7, "server");
    assert_place(profile, ROW_NONE, NULL);
    profile_free(profile);
}

// Added to the calls above: two calls of an autograd thread, one in the backward of the op and one
// outside.
static const char stacks[] =
    "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (200,210,tid(1, 2),11,1,NULL),"
    " (300,310,tid(1, 2),12,1,NULL);"
    "INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid) VALUES"
    " (5, 135, 59, '{''traceMarker'': [''/app/main.py:3'', ''/app/net.py:12'', ''" SITE
    "torch/nn/modules/linear.py:96''], ''funcStack'': ''/<module>/Net::forward/linear''}',"
    " tid(1, 1)),"
    " (6, 134, 59, '{''mod'': ''torch'', ''op'': ''linear'', ''args'': [{''name'': '''',"
    " ''type'': ''tensor'', ''shape'': (32, 8), ''dtype'': ''float32''}]}', tid(1, 1)),"
    " (7, 133, 59, 'aten::linear, seq = 7', tid(1, 1)),"
    " (190, 220, 59, 'AddmmBackward0, seq = 7', tid(1, 2));";

// A call without a usable chain has the line of the marker that encloses it; a backward has the
// line of its forward.
static void test_markers(void **state)
{
    (void)state;
    char sql[sizeof calls + sizeof stacks];
    snprintf(sql, sizeof sql, "%s%s", calls, stacks);
    struct profile *profile = nsys_profile(sql);
    assert_int_equal(profile->mode, MODE_PYTORCH);
    assert_place(profile, 0, "train.py:88 train_step");
    assert_place(profile, 3, "net.py:12"); // its chain has only libraries
    assert_place(profile, 6, "net.py:12");
    assert_string_equal(profile_text(profile, api_route(&profile->api, 6).callers), "main.py:3");
    assert_place(profile, 7, "server"); // outside the marker
    assert_place(profile, 8, "net.py:12");
    assert_place(profile, 9, NULL);
    assert_null(profile_find_note(profile, "no_callchains"));
    profile_free(profile);
}

// The same without any chain; the notes about it must be true.
static void test_markers_alone(void **state)
{
    (void)state;
    char sql[sizeof calls + sizeof stacks + 64];
    snprintf(sql, sizeof sql, "%s%sDROP TABLE CUDA_CALLCHAINS;", calls, stacks);
    struct profile *profile = nsys_profile(sql);
    assert_place(profile, 0, "net.py:12");
    assert_place(profile, 7, NULL);
    assert_place(profile, 8, "net.py:12");
    const struct note *note = profile_find_note(profile, "no_callchains");
    assert_non_null(note);
    assert_non_null(strstr(note->text, "those in markers"));
    profile_free(profile);
}

struct judging {
    const struct profile *profile;
    struct arena *arena;
    struct profile *reclassified;
};

static bool reclassify(void *context, struct error *error)
{
    struct judging *judging = context;
    (void)error;
    judging->reclassified = profile_reclassify(judging->profile, judging->arena);
    return true;
}

static bool reclassify_guarded(void *context, struct error *error)
{
    struct judging *judging = context;
    return arena_run(judging->profile->arena, reclassify, judging, error);
}

// Rules of a user who excludes a library of his own apply without reloading the profile.
static void test_own_rules(void **state)
{
    (void)state;
    char folder[] = "/tmp/dlprof-rules-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/frames.yaml", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("frames:\n  - {module: 'train\\.py:88', is: library}\n"
          "  - {symbol: '^main$', is: program}\n  - {match: '.', is: library}\n",
          file);
    assert_int_equal(fclose(file), 0);
    struct profile *profile = nsys_profile(calls);
    bool renames = false;
    struct error error;
    assert_true(rules_use(folder, &renames, &error));
    assert_true(renames);
    struct judging judging = {profile, arena_new(0), NULL};
    assert_true(arena_run(judging.arena, reclassify_guarded, &judging, &error));
    assert_place(judging.reclassified, 0, "train.py:9 main");
    assert_place(judging.reclassified, 1, NULL);
    assert_place(profile, 0, "train.py:88 train_step"); // the original profile is unchanged
    arena_free(judging.arena);
    profile_free(profile);
    rules_use_builtin();
    unlink(path);
    rmdir(folder);
}

// Two lines of one place that drain the queue give two findings that name them; without call chains
// they give one.
static struct finding_list find_drains(struct profile_builder *builder, struct arena *arena,
                                       bool has_lines)
{
    enum { MS = 1000000, STEPS = 8, STEP = 40 };
    static const char *const lines[] = {"train.py:1 a", "train.py:2 b"};
    uint32_t thread = builder_thread(builder, 1, 1), waits[STEPS][2];
    for (int64_t step = 0; step < STEPS; step++) {
        int64_t at = step * STEP * MS;
        char text[20];
        snprintf(text, sizeof text, "step %d", (int)step);
        builder_range(builder, thread, at, at + STEP * MS - 1, text);
        for (int64_t i = 0; i < 2; i++, at += STEP / 2 * MS) {
            uint32_t call = builder_call(builder, thread, at + 20, at + 1020, "cudaLaunchKernel");
            builder_kernel(builder, call, 0, 7, at + 1020, at + 10 * MS, "compute");
            waits[step][i] =
                builder_call(builder, thread, at + 2000, at + 10 * MS, "cudaStreamSynchronize");
        }
    }
    struct profile *profile = builder_build(builder, MODE_AUTO);
    if (has_lines)
        profile->api.route = column32_loose(arena, profile->api.count);
    profile->api.routes = ARENA_ARRAY(arena, struct call_route, 3);
    for (int i = 0; i < 2; i++)
        profile->api.routes[1 + i].place = strings_intern_text(profile->strings, lines[i]);
    for (uint32_t step = 0; has_lines && step < STEPS; step++)
        for (uint32_t i = 0; i < 2; i++)
            SET(profile->api.route, builder->call_row[waits[step][i]], 1 + i);
    struct selection all = selection_all(split_find(profile, arena));
    return expert_run(profile, &all, arena);
}

static void test_drains_by_line(void **state)
{
    (void)state;
    for (int has_lines = 0; has_lines < 2; has_lines++) {
        struct profile_builder *builder = builder_new();
        struct arena *arena = arena_new(0);
        struct finding_list list = find_drains(builder, arena, has_lines);
        const struct finding *found[2] = {NULL, NULL};
        size_t count = 0;
        for (size_t i = 0; i < list.count; i++)
            if (strcmp(list.items[i].detector->id, "sync_drain") == 0)
                found[count++ & 1] = &list.items[i];
        assert_int_equal(count, has_lines ? 2 : 1);
        assert_int_equal(found[0]->source != NULL, has_lines);
        if (has_lines) {
            assert_string_equal(found[0]->place, found[1]->place);
            assert_string_not_equal(found[0]->source, found[1]->source);
            assert_non_null(strstr(found[0]->id, found[0]->source));
            assert_non_null(strstr(expert_place_text(found[1], arena), found[1]->source));
            assert_null(strchr(found[0]->id, '#'));
            assert_non_null(strstr(expert_paragraph(&list, found[0], builder->profile, arena),
                                   found[0]->source));
        }
        arena_free(arena);
        builder_free(builder);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),         cmocka_unit_test(test_markers),
        cmocka_unit_test(test_markers_alone),  cmocka_unit_test(test_own_rules),
        cmocka_unit_test(test_drains_by_line),
    };
    return cmocka_run_group_tests(tests, NULL, nsys_remove);
}
