// SPDX-License-Identifier: Apache-2.0
// Checks that advice about a PyTorch Profiler trace names no option of nsys, in the sources of all
// detectors and in the findings of real traces.
#include "property.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "analysis/detectors/expert.h"
#include "file_text.h"
#include "model/open/open.h"
#include "model/profile/recorder.h"
#include "model/profile/vendor.h"
#include "paths.h"

enum { PATH_SIZE = 3000 };

static bool names_nsys(const char *text)
{
    static const char *const words[] = {"nsys",       "nvtx",       "osrt",          "-t cuda",
                                        "--cuda",     "--capture-", "--gpu-metrics", "--python-",
                                        "--pytorch=", "--sample"};
    for (size_t i = 0; text && i < sizeof words / sizeof *words; i++)
        for (const char *at = text; *at; at++)
            if (strncasecmp(at, words[i], strlen(words[i])) == 0)
                return true;
    return false;
}

// ---- the table --------------------------------------------------------------------------------

static struct profile trace_of(struct source *source)
{
    *source = (struct source){.format = "kineto"};
    return (struct profile){.source_count = 1, .sources = source};
}

static void test_texts(void **state)
{
    (void)state;
    struct source source;
    struct profile trace = trace_of(&source), none = {0};
    assert_string_equal(recorder_ranges(&none), "NVTX");
    assert_string_equal(recorder_ranges(&trace), "ops");
    for (enum recorder_lack i = 0; i < LACK_COUNT; i++) {
        assert_non_null(recorder_lack_text(&none, i));
        assert_false(names_nsys(recorder_lack_text(&trace, i)));
    }
    for (enum recorder_advice i = 0; i < ADVICE_COUNT; i++) {
        assert_non_null(recorder_advice_text(&none, i));
        assert_false(names_nsys(recorder_advice_text(&trace, i))); // NULL: a note says it
    }
}

// Loads a trace with one call of this name and no GPU.
static struct profile *trace_with_call(const char *name)
{
    char text[400];
    snprintf(text, sizeof text,
             "{\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"privateuse1_runtime\",\"name\":\"%s\","
             "\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":5}]}",
             name);
    char path[] = "/tmp/test_recorder_XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    file_write(path, text);
    struct error error;
    struct profile *profile =
        profile_load(&(struct load_request){.path = path, .threads = 1}, &error);
    unlink(path);
    assert_non_null(profile);
    return profile;
}

// Options follow the vendor of the device: advice for CUDA is not given for another device.
static void test_makers(void **state)
{
    (void)state;
    static const struct {
        const char *call;
        enum vendor vendor;
        const char *option;
    } cases[] = {
        {"cudaLaunchKernel", VENDOR_NVIDIA, "activities=[CPU, CUDA]"},
        {"hipModuleLaunchKernel", VENDOR_AMD, "activities=[CPU, CUDA]"}, // PyTorch's name for it
        {"runFunction - job", VENDOR_OTHER, "activities=supported_activities()"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct profile *profile = trace_with_call(cases[i].call);
        assert_int_equal(profile_vendor(profile), cases[i].vendor);
        assert_string_equal(recorder_option(profile, "-t cuda"), cases[i].option);
        for (enum recorder_lack l = 0; cases[i].vendor == VENDOR_OTHER && l < LACK_COUNT; l++)
            assert_null(strstr(recorder_lack_text(profile, l), "[CPU, CUDA]"));
        profile_free(profile);
    }
}

// ---- the sources of detectors -----------------------------------------------------------------

// Checks each text of a source line as it appears for a trace: options are translated, other texts
// stay.
static void check_line(const struct profile *trace, const char *path, const char *line)
{
    bool is_flag = strstr(line, "flag = ") != NULL;
    for (const char *from = strchr(line, '"'), *to; from; from = strchr(to + 1, '"')) {
        to = strchr(from + 1, '"');
        if (!to)
            return;
        char text[1000];
        snprintf(text, sizeof text, "%.*s", (int)(to - from - 1), from + 1);
        const char *advice = is_flag ? recorder_option(trace, text) : text;
        if (names_nsys(advice))
            fail_msg("%s says to everybody: %s", path, line);
    }
}

// Checks all lines except includes, ids and docs, which apply to both recorders.
static void check_source(const struct profile *trace, const char *path)
{
    char *text = file_read(path);
    bool is_in_doc = false;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        is_in_doc |= strstr(line, ".doc =") != NULL;
        bool is_ours = !is_in_doc && line[0] != '#' && !strstr(line, "//") &&
                       !strstr(line, ".id =") && !strstr(line, ".title =");
        if (is_ours)
            check_line(trace, path, line);
        size_t length = strlen(line);
        is_in_doc &= length && line[length - 1] != ',';
    }
    free(text);
}

static void test_sources(void **state)
{
    (void)state;
    static const char *const said_of_one[] = {
        "detect_emit_nvtx.c",     // about a script whose marker says that it was not used
        "detect_plugin_memory.c", // has a sentence for each recorder
    };
    struct source source;
    struct profile trace = trace_of(&source);
    glob_t found;
    assert_int_equal(glob(source_path("/src/analysis/detectors/detect_*.c"), 0, NULL, &found), 0);
    assert_int_equal(
        glob(source_path("/src/analysis/detectors/dlprof/detect_*.c"), GLOB_APPEND, NULL, &found),
        0);
    assert_int_equal(
        glob(source_path("/src/analysis/detect/cause_time.c"), GLOB_APPEND, NULL, &found), 0);
    for (size_t f = 0; f < found.gl_pathc; f++) {
        bool is_of_one = false;
        for (size_t i = 0; i < sizeof said_of_one / sizeof *said_of_one; i++)
            is_of_one |= strstr(found.gl_pathv[f], said_of_one[i]) != NULL;
        if (!is_of_one)
            check_source(&trace, found.gl_pathv[f]);
    }
    assert_true(found.gl_pathc > 40);
    globfree(&found);
}

// ---- traces -----------------------------------------------------------------------------------

static void check_advice(const char *path, const char *advice)
{
    if (names_nsys(advice))
        fail_msg("%s: %s", path, advice);
}

static void check_trace(const char *path)
{
    struct load_request request = {.path = path};
    struct error error = {0};
    struct profile *profile = profile_load(&request, &error);
    if (!profile) // some cases hold only memory records
        return;
    struct arena *arena = arena_new(0);
    struct selection selection = selection_all(split_find(profile, arena));
    struct finding_list findings = expert_run(profile, &selection, arena);
    for (size_t i = 0; i < findings.count; i++) {
        const struct finding *finding = &findings.items[i];
        check_advice(path, finding->problem);
        check_advice(path, finding->recommendation);
        check_advice(path, finding->why);
        check_advice(path, finding->flag);
    }
    for (size_t i = 0; i < profile->note_count; i++)
        check_advice(path, profile->notes[i].flag);
    check_advice(path, expert_capture_line(profile, arena));
    arena_free(arena);
    profile_free(profile);
}

static void check_pattern(const char *folder, const char *pattern, unsigned *count)
{
    char path[PATH_SIZE];
    glob_t found;
    snprintf(path, sizeof path, "%s/%s", folder, pattern);
    if (glob(path, 0, NULL, &found) != 0)
        return;
    for (size_t f = 0; f < found.gl_pathc; f++)
        check_trace(found.gl_pathv[f]);
    *count += (unsigned)found.gl_pathc;
    globfree(&found);
}

// A trace with ops that has one kernel, one without an op, and one without a kernel.
static void test_traces(void **state)
{
    (void)state;
    static const char op[] =
        "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::mm\", \"pid\": 1, "
        "\"tid\": 1, \"ts\": 1, \"dur\": 90}";
    static const char kernel[] =
        "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k\", \"pid\": 0, "
        "\"tid\": 7, \"ts\": 5, \"dur\": 50, \"args\": {\"device\": 0, "
        "\"stream\": 7}}";
    for (int parts = 1; parts <= 3; parts++) {
        char path[200], text[1000];
        snprintf(path, sizeof path, "%s/recorder_%d.json", build_path(""), (int)getpid());
        snprintf(text, sizeof text, "[%s%s%s]", parts & 1 ? op : "", parts == 3 ? "," : "",
                 parts & 2 ? kernel : "");
        file_write(path, text);
        check_trace(path);
        unlink(path);
    }
}

static void test_corpus(void **state)
{
    (void)state;
    char root[PATH_SIZE - 100];
    unsigned count = 0;
    const char *corpus = getenv("DLPROF_CORPUS");
    snprintf(root, sizeof root, "%s/kineto", corpus ? corpus : source_path("/../shared/corpus"));
    check_pattern(root, "unit/*/*.trace.json", &count);
    if (!run_is_quick())
        check_pattern(root, "*/*.json.gz", &count);
    if (!count) {
        print_message("# skipped: no traces in %s\n", root);
        skip();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),   cmocka_unit_test(test_makers),
        cmocka_unit_test(test_sources), cmocka_unit_test(test_traces),
        cmocka_unit_test(test_corpus),
    };
    return cmocka_run_group_tests_name("recorder", tests, NULL, NULL);
}
