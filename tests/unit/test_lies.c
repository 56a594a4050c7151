// SPDX-License-Identifier: Apache-2.0
// Captures that lie: GPU work without a time, hours away or twice, launches whose work is missing,
// ids that come round. Each is told and the figures of the rest are right; the healthy twin has no
// note.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "analysis/breakdown/breakdown.h"
#include "analysis/detectors/expert.h"
#include "analysis/trust/trust.h"
#include "base/text/format.h"
#include "model/open/open.h"
#include "model/profile/lost_work.h"
#include "model/steps/split.h"
#include "nsys_fixture.h"
#include "paths.h"
#include "scenario.h"
#include "trace_text.h"

// 40 launches of process 5, 100 us apart, each with a kernel of 50 us; the same of process 8, on a
// GPU of its own; and another column of the table of calls.
#define TURNS(i) "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < " #i ") "
#define HEALTHY                                                                                    \
    "ALTER TABLE CUPTI_ACTIVITY_KIND_RUNTIME ADD COLUMN returnValue INTEGER;" TURNS(               \
        39) "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT 1000000 + i * 100000,"                 \
            " 1005000 + i * 100000, tid(5, 6), 100 + i, 1, 0 FROM n;" TURNS(                       \
                39) "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT 1010000 + i * 100000,"          \
                    " 1060000 + i * 100000, 0, 1, 7, 100 + i, pid(5), 2, 3, 32, 1, 1, 1, 32, 1, "  \
                    "1, 0, 0, 0 "                                                                  \
                    "FROM n;" TURNS(                                                               \
                        39) "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT 1000000 + i * 100000," \
                            " 1005000 + i * 100000, tid(8, 9), 100 + i, 1, 0 FROM n;" TURNS(       \
                                39) "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT 1010000 + i * " \
                                    "100000,"                                                      \
                                    " 1060000 + i * 100000, 1, 1, 7, 100 + i, pid(8), 2, 3, 32, "  \
                                    "1, 1, 1, 32, 1, 1, 0, 0, 0 "                                  \
                                    "FROM n;"
#define OF_FIVE  " WHERE globalPid = pid(5) AND correlationId "
#define BUSY_NS  (INT64_C(40) * 50000) // of each GPU
#define FIRST_NS 1000000
#define LAST_NS  4960000

static const char *const lie_notes[] = {
    "work_timeless",  "work_far",          "work_twice",
    NOTE_LOST_WORK,   "launches_at_end",   "rows_skipped",
    NOTE_LOST_EVENTS, "correlation_turns", "correlation_duplicates"};

// Checks that a profile has one of the notes with this count, and no other one but `also`.
static void check_notes(const struct profile *profile, const char *key, int64_t count,
                        const char *also)
{
    for (size_t i = 0; i < sizeof lie_notes / sizeof *lie_notes; i++) {
        const struct note *note = profile_find_note(profile, lie_notes[i]);
        if (key && strcmp(lie_notes[i], key) == 0) {
            if (!note)
                fail_msg("no note %s", key);
            assert_int_equal(note->count, count);
        } else if (note && (!also || strcmp(also, note->key) != 0)) {
            fail_msg("%s: %s", note->key, note->text);
        }
    }
}

static int64_t busy_of(const struct profile *profile, uint32_t device)
{
    int64_t busy = 0;
    const struct device *of = &profile->devices[device];
    for (uint32_t w = of->first_work; w < of->end_work; w++)
        busy += AT(profile->work.exclusive, w);
    return busy;
}

static enum trust_state state_of(const struct profile *profile, const char *name)
{
    struct arena *arena = arena_new(0);
    struct split *split = split_find(profile, arena);
    struct selection selection = selection_all(split);
    const struct trust_checks *checks = trust_checks_of(profile, &selection, arena);
    enum trust_state state = TRUST_STATES;
    for (size_t i = 0; i < checks->count; i++)
        if (strcmp(checks->items[i].name, name) == 0)
            state = checks->items[i].state;
    arena_free(arena);
    if (state == TRUST_STATES)
        fail_msg("no check %s", name);
    return state;
}

static void test_healthy(void **state)
{
    (void)state;
    struct profile *profile = nsys_profile(HEALTHY);
    check_notes(profile, NULL, 0, NULL);
    assert_int_equal(busy_of(profile, 0), BUSY_NS);
    assert_int_equal(profile->first_ns, FIRST_NS);
    assert_int_equal(profile->last_ns, LAST_NS);
    assert_int_equal(profile->processes[0].launches, 40);
    assert_int_equal(profile->processes[0].lost, 0);
    assert_int_equal(state_of(profile, "launches"), TRUST_OK);
    assert_int_equal(state_of(profile, "times"), TRUST_OK);
    assert_int_equal(state_of(profile, "rows twice"), TRUST_OK);
    assert_int_equal(state_of(profile, "lost records"), TRUST_UNKNOWN);
    profile_free(profile);
}

// ---- times and rows twice -----------------------------------------------------------------------

static void test_times(void **state)
{
    (void)state;
    static const struct {
        const char *sql, *key;
        int64_t first_ns; // of the profile
    } cases[] = {
        {"UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = 0, end = 0" OF_FIVE "BETWEEN 110 AND 114;",
         "work_timeless", FIRST_NS},
        // Two hours late, and two hours early.
        {"UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = start + 7200000000000,"
         " end = end + 7200000000000" OF_FIVE "BETWEEN 110 AND 114;",
         "work_far", FIRST_NS},
        {"UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = start - 7200000000000,"
         " end = end - 7200000000000" OF_FIVE "BETWEEN 110 AND 114;",
         "work_far", FIRST_NS},
        // The end before the start.
        {"UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = start - 10" OF_FIVE "BETWEEN 110 AND 114;",
         "rows_skipped", FIRST_NS},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char sql[8192];
        snprintf(sql, sizeof sql, "%s%s", HEALTHY, cases[i].sql);
        struct profile *profile = nsys_profile(sql);
        check_notes(profile, cases[i].key, 5, NOTE_LOST_WORK); // their launches have no work now
        assert_int_equal(profile_find_note(profile, NOTE_LOST_WORK)->count, 5);
        assert_int_equal(profile->work.count, 75);
        assert_int_equal(busy_of(profile, 0), BUSY_NS - 5 * 50000);
        assert_int_equal(busy_of(profile, 1), BUSY_NS);
        assert_int_equal(profile->first_ns, cases[i].first_ns);
        assert_int_equal(profile->last_ns, LAST_NS);
        assert_int_equal(state_of(profile, "times"), TRUST_WARNING);
        if (strncmp(cases[i].key, "work", 4) == 0)
            assert_non_null(strstr(profile_find_note(profile, cases[i].key)->text, "process 5: 5"));
        profile_free(profile);
    }
}

// Without a launch, only what is hours from all calls is set aside; and nothing where most rows are
// far, because then the clocks differ.
static void test_far_without_launch(void **state)
{
    (void)state;
    struct profile *profile =
        nsys_profile(HEALTHY "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = start + 7200000000000,"
                             " end = end + 7200000000000, correlationId = 7000" OF_FIVE "= 110;");
    assert_int_equal(note_count(profile, "work_far"), 1);
    assert_int_equal(profile->last_ns, LAST_NS);
    profile_free(profile);
    profile = nsys_profile(HEALTHY "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = start + "
                                   "7200000000000, end = end + 7200000000000;");
    assert_int_equal(note_count(profile, "work_far"), 0);
    assert_int_equal(profile->work.count, 80);
    profile_free(profile);
    // At the end of the file: the launches are not taken for the end of the capture.
    profile = nsys_profile(
        HEALTHY "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = 0, end = 0" OF_FIVE ">= 135;");
    check_notes(profile, "work_timeless", 5, NOTE_LOST_WORK);
    assert_int_equal(note_count(profile, NOTE_LOST_WORK), 5);
    profile_free(profile);
}

// A call whose own time is wrong does not take its kernel with it.
static void test_far_call(void **state)
{
    (void)state;
    struct profile *profile =
        nsys_profile(HEALTHY "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET start = start + 7200000000000,"
                             " end = end + 7200000000000 WHERE globalTid = tid(5, 6) AND "
                             "correlationId = 110;");
    assert_int_equal(note_count(profile, "work_far"), 0);
    assert_int_equal(profile->work.count, 80);
    profile_free(profile);
}

static void test_twice(void **state)
{
    (void)state;
    static const char again[] = "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT * FROM "
                                "CUPTI_ACTIVITY_KIND_KERNEL" OF_FIVE "BETWEEN 110 AND 116;";
    char sql[8192];
    snprintf(sql, sizeof sql, "%s%s", HEALTHY, again);
    struct profile *profile = nsys_profile(sql);
    check_notes(profile, "work_twice", 7, NULL);
    assert_int_equal(profile->work.count, 80);
    assert_int_equal(busy_of(profile, 0), BUSY_NS);
    assert_int_equal(state_of(profile, "rows twice"), TRUST_WARNING);
    profile_free(profile);
    // Another correlation id, stream or name makes it other work.
    snprintf(sql, sizeof sql, "%s%s%s", HEALTHY, again,
             "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET streamId = 9 WHERE rowid > 80;");
    profile = nsys_profile(sql);
    check_notes(profile, NULL, 0, NULL);
    assert_int_equal(profile->work.count, 87);
    profile_free(profile);
}

// ---- launches without work ----------------------------------------------------------------------

static void test_lost(void **state)
{
    (void)state;
    static const struct {
        const char *sql;
        int64_t lost;
        const char *text;
    } cases[] = {
        {"DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL" OF_FIVE "< 115;", 15,
         "15 of 40 kernel launches of process 5 have no GPU work in the file, between 0.001000 s "
         "and 0.002405 s"},
        {"DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL" OF_FIVE "BETWEEN 120 AND 129;", 10,
         "10 of 40 kernel launches of process 5 have"},
        {"DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE globalPid = pid(8);", 40,
         "40 of 40 kernel launches of process 8 have"},
        {"DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE correlationId BETWEEN 120 AND 129;", 20,
         "(and of 1 more process, 20 in all)"},
        // At the end, but the program waited for it.
        {"INSERT INTO StringIds VALUES (90, 'cudaDeviceSynchronize_v3020');"
         "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (6000000, 6100000, tid(5, 6), 900, 90, 0);"
         "DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL" OF_FIVE ">= 130;",
         10, "10 of 40"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char sql[8192];
        snprintf(sql, sizeof sql, "%s%s", HEALTHY, cases[i].sql);
        struct profile *profile = nsys_profile(sql);
        check_notes(profile, NOTE_LOST_WORK, cases[i].lost, NULL);
        const struct note *note = profile_find_note(profile, NOTE_LOST_WORK);
        if (!strstr(note->text, cases[i].text))
            fail_msg("%s", note->text);
        assert_int_equal(state_of(profile, "launches"), TRUST_WARNING);
        profile_free(profile);
    }
}

// Launches that rightly have no work.
static void test_not_lost(void **state)
{
    (void)state;
    static const struct {
        const char *sql;
        int64_t at_end;
    } cases[] = {
        {"DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL" OF_FIVE ">= 130;", 10},
        // Failed.
        {"DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL" OF_FIVE "= 120;"
         "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET returnValue = 2 WHERE correlationId = 120;",
         0},
        // Captured, of which a part on another thread.
        {"DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL" OF_FIVE "BETWEEN 120 AND 129;"
         "INSERT INTO StringIds VALUES (90, 'cudaStreamBeginCapture_v10000'),"
         " (91, 'cudaStreamEndCapture_v10000');"
         "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES"
         " (2990000, 2991000, tid(5, 6), 900, 90, 0), (3990000, 3991000, tid(5, 6), 901, 91, 0);"
         "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET globalTid = tid(5, 7) WHERE globalTid = tid(5, 6)"
         " AND correlationId BETWEEN 125 AND 129;",
         0},
        // A capture that began before the file.
        {"DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL" OF_FIVE "< 110;"
         "INSERT INTO StringIds VALUES (91, 'cudaStreamEndCapture_v10000');"
         "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES"
         " (1990000, 1991000, tid(5, 6), 901, 91, 0);",
         0},
        // Nodes of a graph, by the table of nodes.
        {"DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL" OF_FIVE "BETWEEN 120 AND 129;"
         "CREATE TABLE CUDA_GRAPH_NODE_EVENTS (start INTEGER, end INTEGER, globalTid INTEGER,"
         " graphNodeId INTEGER, originalGraphNodeId INTEGER);"
         "INSERT INTO CUDA_GRAPH_NODE_EVENTS SELECT start + 2, start + 3, globalTid, correlationId,"
         " 0 FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE globalTid = tid(5, 6) AND correlationId BETWEEN"
         " 120 AND 129;",
         0},
        // The driver's call inside the runtime's, either of which may have the work.
        {"INSERT INTO StringIds VALUES (90, 'cuLaunchKernel');"
         "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT start + 1, end - 1, globalTid, "
         "correlationId + 1000, 90, 0 FROM CUPTI_ACTIVITY_KIND_RUNTIME;"
         "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET correlationId = correlationId + 1000" OF_FIVE
         "> 120;",
         0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char sql[8192];
        snprintf(sql, sizeof sql, "%s%s", HEALTHY, cases[i].sql);
        struct profile *profile = nsys_profile(sql);
        check_notes(profile, cases[i].at_end ? "launches_at_end" : NULL, cases[i].at_end, NULL);
        assert_int_equal(state_of(profile, "launches"), TRUST_OK);
        profile_free(profile);
    }
}

// ---- ids that come round ------------------------------------------------------------------------

static void test_turns(void **state)
{
    (void)state;
    // The same ids again, two hours later.
    static const char again[] =
        "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT start + 7200000000000, end + 7200000000000,"
        " globalTid, correlationId, nameId, 0 FROM CUPTI_ACTIVITY_KIND_RUNTIME;"
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT start + 7200000000000, end + 7200000000000,"
        " deviceId, contextId, streamId, correlationId, globalPid, demangledName, shortName,"
        " registersPerThread, gridX, gridY, gridZ, blockX, blockY, blockZ, staticSharedMemory,"
        " dynamicSharedMemory, graphNodeId FROM CUPTI_ACTIVITY_KIND_KERNEL;";
    char sql[8192];
    snprintf(sql, sizeof sql, "%s%s", HEALTHY, again);
    struct profile *profile = nsys_profile(sql);
    check_notes(profile, "correlation_turns", 80, NULL);
    assert_int_equal(profile->work.count, 160);
    for (uint32_t w = 0; w < profile->work.count; w++)
        assert_int_equal(AT(profile->work.start, w) -
                             AT(profile->api.start, AT(profile->work.launch, w)),
                         10000);
    profile_free(profile);
}

// ---- what the capture says ----------------------------------------------------------------------

static void test_diagnostics(void **state)
{
    (void)state;
#define DIAGNOSTICS "CREATE TABLE DIAGNOSTIC_EVENT (severity INTEGER, text TEXT);"
    struct profile *profile = nsys_profile(HEALTHY DIAGNOSTICS);
    assert_int_equal(state_of(profile, "lost records"), TRUST_OK);
    profile_free(profile);
    profile = nsys_profile(HEALTHY DIAGNOSTICS "INSERT INTO DIAGNOSTIC_EVENT VALUES "
                                               "(2, 'Not all CUDA events might have been "
                                               "collected.');");
    assert_int_equal(note_count(profile, NOTE_LOST_EVENTS), 1);
    assert_int_equal(state_of(profile, "lost records"), TRUST_WARNING);
    profile_free(profile);
    // Says nothing about GPU work.
    profile = nsys_profile(HEALTHY DIAGNOSTICS
                           "INSERT INTO DIAGNOSTIC_EVENT VALUES (2, 'Not all NVTX events might "
                           "have been collected.'), (2, 'No CUDA events collected. Does the "
                           "process use CUDA?');");
    assert_int_equal(note_count(profile, NOTE_LOST_EVENTS), 0);
    assert_int_equal(note_count(profile, "lost_events"), 1);
    profile_free(profile);
}

static void test_page_faults(void **state)
{
    (void)state;
    struct profile *profile = nsys_profile(
        HEALTHY "CREATE TABLE CUDA_UM_GPU_PAGE_FAULT_EVENTS (start INTEGER, end INTEGER, globalPid "
                "INTEGER, deviceId INTEGER, address INTEGER, numberOfPageFaults INTEGER);"
                "INSERT INTO CUDA_UM_GPU_PAGE_FAULT_EVENTS VALUES (1, 2, pid(5), 0, 4096, 2), (3, "
                "4, pid(5), 0, 8192, 5);");
    assert_int_equal(note_count(profile, "page_faults"), 7);
    assert_int_equal(state_of(profile, "times"), TRUST_WARNING);
    profile_free(profile);
}

// A check is not ok where the table is missing that it would have looked at.
static void test_absent(void **state)
{
    (void)state;
    static const struct {
        const char *sql, *names[4];
    } cases[] = {
        {"DROP TABLE CUPTI_ACTIVITY_KIND_RUNTIME;", {"launches"}},
        {"DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL;", {"Tensor Cores", "rows twice", "times"}},
        {"DROP TABLE NVTX_EVENTS;", {"ranges", "steps", "ranks", "lost records"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char sql[8192];
        snprintf(sql, sizeof sql, "%s%s", HEALTHY, cases[i].sql);
        struct profile *profile = nsys_profile(sql);
        for (size_t k = 0; k < 4 && cases[i].names[k]; k++)
            if (state_of(profile, cases[i].names[k]) != TRUST_UNKNOWN)
                fail_msg("%s: %s is ok", cases[i].sql, cases[i].names[k]);
        profile_free(profile);
    }
}

// ---- healthy scenarios --------------------------------------------------------------------------

// All checks of a healthy profile are ok or cannot be known.
static void test_scenarios(void **state)
{
    (void)state;
    static const char *const names[] = {
        "tiny",     "healthy", "dlprof", "emit",        "plain", "chains",     "memory",
        "startend", "layer",   "ddp",    "graphs-node", "loop",  "loop-micro", "loop-phase"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        struct profile *profile = scenario_open(names[n]);
        struct arena *arena = arena_new(0);
        struct split *split = split_find(profile, arena);
        struct selection selection = selection_all(split);
        const struct trust_checks *checks = trust_checks_of(profile, &selection, arena);
        for (size_t i = 0; i < checks->count; i++) {
            const struct trust_check *check = &checks->items[i];
            if (check->state != TRUST_OK && check->state != TRUST_UNKNOWN)
                fail_msg("%s: %s: %s", names[n], check->name, check->text);
        }
        assert_int_equal(checks->doubts, 0);
        assert_true(checks->counts[TRUST_OK] >= 7);
        check_notes(profile, NULL, 0, NULL);
        arena_free(arena);
        profile_free(profile);
    }
}

// Work without a launch is in no range: half of it has none.
static void test_outside(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("unmatched");
    assert_int_equal(state_of(profile, "work"), TRUST_WARNING);
    assert_int_equal(state_of(profile, "ranges"), TRUST_INFO);
    profile_free(profile);
}

// ---- the machine --------------------------------------------------------------------------------

// A version of the driver as digits.
static void test_driver(void **state)
{
    (void)state;
    static const char *const versions[][2] = {
        {"5154304", "515.43.04"}, {"47010301", "470.103.01"}, {"570.86.15", "570.86.15"}};
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        char sql[256];
        snprintf(sql, sizeof sql,
                 "CREATE TABLE TARGET_INFO_SYSTEM_ENV (name TEXT, value TEXT);"
                 "INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES ('NvDriverVersion', '%s');"
                 "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1, 2, tid(5, 6), 1, 1);",
                 versions[i][0]);
        struct profile *profile = nsys_profile(sql);
        assert_string_equal(profile->capture.driver, versions[i][1]);
        profile_free(profile);
    }
}

// ---- traces of the PyTorch Profiler -------------------------------------------------------------

// Kernels twice, and a burst of launches without work in the middle.
static void test_trace(void **state)
{
    (void)state;
    for (int lies = 0; lies < 2; lies++) {
        static struct trace_text trace;
        trace = (struct trace_text){0};
        for (int i = 0; i < 30; i++) {
            bool is_lost = lies && i >= 10 && i < 16, is_twice = lies && i >= 20 && i < 23;
            trace_event(&trace, "cuda_runtime", "cudaLaunchKernel", 7, 1000 + i * 100, 5,
                        "\"correlation\": %d", 100 + i);
            for (int k = is_lost ? 2 : is_twice ? 0 : 1; k < 2; k++)
                trace_event(&trace, "kernel", "gemm", 7, 1010 + i * 100, 50,
                            "\"device\": 0, \"stream\": 7, \"correlation\": %d", 100 + i);
        }
        struct profile *profile = trace_load(&trace, 1);
        assert_int_equal(note_count(profile, "work_twice"), lies ? 3 : 0);
        assert_int_equal(note_count(profile, NOTE_LOST_WORK), lies ? 6 : 0);
        assert_int_equal(busy_of(profile, 0), (lies ? 24 : 30) * 50000);
        profile_free(profile);
    }
}

// ---- detectors ----------------------------------------------------------------------------------

// Checks that no finding judges what is not there, and that each says why.
static void check_silence(const struct profile *profile, uint32_t process, const char *reason)
{
    struct arena *arena = arena_new(0);
    struct split *split = split_find(profile, arena);
    struct selection selection = selection_all(split);
    selection.process = process;
    struct finding_list list = expert_run(profile, &selection, arena);
    size_t silent = 0;
    for (size_t i = 0; i < list.count; i++) {
        const struct finding *finding = &list.items[i];
        if (!finding->detector->needs_all_work)
            continue;
        bool is_silent =
            finding->severity == SEVERITY_NOT_JUDGED && reason && strstr(finding->problem, reason);
        silent += is_silent;
        if (reason && !is_silent)
            fail_msg("%s", finding->problem);
    }
    size_t needs = 0;
    for (size_t d = 0; d < detector_count; d++)
        needs += detectors[d]->needs_all_work;
    assert_int_equal(silent, reason ? needs : 0);
    arena_free(arena);
}

static void test_silence(void **state)
{
    (void)state;
    struct profile *profile = nsys_profile(HEALTHY);
    check_silence(profile, ROW_NONE, NULL);
    profile_free(profile);
    profile = nsys_profile(HEALTHY "DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL" OF_FIVE "< 115;");
    check_silence(profile, ROW_NONE, "15 of 80 launches have no GPU work in the file");
    uint32_t five = profile_find_process(profile, 5), eight = profile_find_process(profile, 8);
    check_silence(profile, five, "15 of 40 launches have no GPU work in the file");
    check_silence(profile, eight, NULL); // its own work is all there
    profile_free(profile);
}

// ---- field cases --------------------------------------------------------------------------------

static struct profile *open_field(const char *name)
{
    char path[1024];
    const char *corpus = getenv("DLPROF_CORPUS");
    snprintf(path, sizeof path, "%s/field/%s", corpus ? corpus : source_path("/../shared/corpus"),
             name);
    if (access(path, R_OK) != 0) {
        print_message("# skipped: no %s\n", path);
        skip();
    }
    struct load_request request = {.path = path};
    struct error error = {0};
    struct profile *profile = profile_load(&request, &error);
    if (!profile)
        fail_msg("%s", error.message);
    return profile;
}

static void test_field_zero(void **state)
{
    (void)state;
    struct profile *profile = open_field("n04a_zero_kernels.sqlite");
    check_notes(profile, "work_timeless", 5, NOTE_LOST_WORK);
    int64_t window = column64_max(&profile->work.end, profile->work.count) -
                     column64_min(&profile->work.start, profile->work.count);
    char percent[FORMAT_SIZE];
    assert_int_equal(window / 10000, 4770); // 47.70 ms
    assert_string_equal(format_percent(percent, (double)busy_of(profile, 0) / (double)window),
                        "47.2");
    profile_free(profile);
}

static void test_field_lost(void **state)
{
    (void)state;
    struct profile *profile = open_field("c05_lost_kernels.json");
    check_notes(profile, NOTE_LOST_WORK, 15, NULL);
    assert_non_null(strstr(profile_find_note(profile, NOTE_LOST_WORK)->text,
                           "15 of 40 kernel launches of process 1 have no GPU work"));
    check_silence(profile, ROW_NONE, "15 of 40 launches have no GPU work in the file");
    profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_healthy, nsys_remove),
        cmocka_unit_test_teardown(test_times, nsys_remove),
        cmocka_unit_test_teardown(test_far_without_launch, nsys_remove),
        cmocka_unit_test_teardown(test_far_call, nsys_remove),
        cmocka_unit_test_teardown(test_twice, nsys_remove),
        cmocka_unit_test_teardown(test_lost, nsys_remove),
        cmocka_unit_test_teardown(test_not_lost, nsys_remove),
        cmocka_unit_test_teardown(test_turns, nsys_remove),
        cmocka_unit_test_teardown(test_diagnostics, nsys_remove),
        cmocka_unit_test_teardown(test_page_faults, nsys_remove),
        cmocka_unit_test_teardown(test_absent, nsys_remove),
        cmocka_unit_test_teardown(test_silence, nsys_remove),
        cmocka_unit_test(test_scenarios),
        cmocka_unit_test(test_outside),
        cmocka_unit_test_teardown(test_driver, nsys_remove),
        cmocka_unit_test(test_trace),
        cmocka_unit_test(test_field_zero),
        cmocka_unit_test(test_field_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
