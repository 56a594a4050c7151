// SPDX-License-Identifier: Apache-2.0
// Checks the loader of PyProf's parsed output: consecutive kernels, the texts of ranges that
// enclose their launches, and malformed lines.
#include "property.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/markers/markers.h"
#include "model/open/open.h"

static char path[] = "/tmp/test_load_dict_XXXXXX";

static struct profile *load_bytes(const char *text, size_t length, struct error *error)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
    const struct load_request request = {.path = path, .threads = 1};
    *error = (struct error){0};
    return profile_load(&request, error);
}

static struct profile *load(const char *text)
{
    struct error error;
    struct profile *profile = load_bytes(text, strlen(text), &error);
    if (!profile)
        fail_msg("%s", error.message);
    return profile;
}

#define MM              "\"{'mod': 'torch', 'op': 'mm', 'args': []}\""
#define LAYERS_AND_LINE "'layer': ['Net', 'Fc'], 'trace': ['train.py:7'], 'reprMarkers': [], "
// One op with two kernels; another op of the same layers; a backward on another thread.
static const char four[] =
    "{'kShortName': 'gemm', 'kDuration': 5000, " LAYERS_AND_LINE "'marker': [" MM
    "], 'seqMarker': ['mm, seq = 3'], 'subSeqId': 0, 'tid': 11, 'device': 1, 'stream': 7, "
    "'grid': (2, 3, 4), 'block': (64, 1, 1), 'kLongName': 'void gemm<float>(int)', 'op': ['mm']}\n"
    "{'kShortName': 'splitK', 'kDuration': 3, " LAYERS_AND_LINE "'marker': [" MM
    "], 'seqMarker': ['mm, seq = 3'], 'subSeqId': 1, 'tid': 11, 'device': 1, 'stream': 7}\n"
    "\n"
    "{'kShortName': 'relu', 'kDuration': 200, 'layer': ['Net'], 'seqMarker': ['relu, seq = 4'], "
    "'subSeqId': 0, 'tid': 11, 'device': 1, 'stream': 8, 'unknown': {'of': [1, (2,)]}}\r\n"
    "{'kShortName': 'gemm', 'kDuration': 40, 'seqMarker': ['mm, seq = 0', 'MmBackward, seq = 3'], "
    "'tid': 4294967295, 'device': 0, 'stream': 7, 'kLongName': 'void gemm<float>(int)'}\n";

// Returns the texts of the ranges that enclose the launch, innermost first: "mm < Net".
static const char *enclosing_ranges(const struct profile *profile, uint32_t work, char *text)
{
    uint32_t call = AT(profile->work.launch, work);
    assert_int_not_equal(call, ROW_NONE);
    assert_true(AT(profile->api.start, call) <= AT(profile->work.start, work));
    *text = 0;
    for (uint32_t range = AT(profile->api.range, call); range != ROW_NONE;
         range = AT(profile->ranges.parent, range)) {
        strcat(text, *text ? " < " : "");
        strcat(text, profile_text(profile, range_name(&profile->ranges, range)));
    }
    return text;
}

static void test_tables(void **state)
{
    (void)state;
    char text[1000];
    struct profile *profile = load(four);
    assert_int_equal(profile->work.count, 4);
    assert_int_equal(profile->thread_count, 2);
    assert_int_equal(profile->threads[1].tid, UINT32_MAX);
    assert_int_equal(profile->device_count, 2);
    assert_int_equal(profile->stream_count, 3);
    assert_int_equal(profile->function_count, 3);
    uint32_t first = profile->devices[1].first_work;
    assert_int_equal(profile->devices[1].end_work - first, 3);
    assert_int_equal(device_number(profile, 1), 1);
    assert_int_equal(work_duration(profile, first), 5000);
    assert_int_equal(AT(profile->work.start, first + 1), AT(profile->work.end, first));
    const struct launch_shape *shape = work_launch_shape(profile, first);
    assert_int_equal(shape->grid[2], 4);
    assert_int_equal(shape->block[0], 64);
    assert_int_equal(work_launch_shape(profile, first + 1)->grid[0], -1);
    assert_string_equal(enclosing_ranges(profile, first, text),
                        "mm < {'mod': 'torch', 'op': 'mm', 'args': []} < "
                        "{'traceMarker': ['train.py:7']} < layer:Fc < layer:Net");
    uint32_t call = AT(profile->work.launch, first), next = AT(profile->work.launch, first + 1);
    assert_int_equal(AT(profile->api.range, call), AT(profile->api.range, next));
    assert_int_equal(range_seq(&profile->ranges, AT(profile->api.range, call)), 3);
    assert_string_equal(enclosing_ranges(profile, first + 2, text), "relu < layer:Net");
    assert_string_equal(enclosing_ranges(profile, profile->devices[0].first_work, text),
                        "mm < MmBackward");
    assert_int_equal(profile->ranges.count, 5 + 1 + 2); // the layer is one range
    assert_non_null(profile_find_note(profile, "times_not_told"));
    profile_free(profile);
}

static void test_escapes(void **state)
{
    (void)state;
    char text[1000];
    struct profile *profile = load(
        "{'kShortName': 'k\\'1', 'kDuration': 1, 'layer': [\"it's\"], 'op': ['mine\\n', '']}\n");
    assert_string_equal(profile_text(profile, profile->functions[0].full), "k'1");
    assert_string_equal(enclosing_ranges(profile, 0, text), "mine\n < layer:it's");
    profile_free(profile);
}

static void test_cut(void **state)
{
    (void)state;
    struct error error;
    struct profile *profile = load_bytes(four, strlen(four) - 20, &error);
    assert_non_null(profile);
    assert_int_equal(profile->work.count, 3);
    assert_non_null(profile_find_note(profile, "line_cut"));
    profile_free(profile);
}

#define GOOD "{'kShortName': 'k', 'kDuration': 1}\n"
static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {GOOD "no such table: CUPTI_ACTIVITY_KIND_KERNEL\n", ":2:1: the line is no"},
        {GOOD "\n['kShortName']\n", ":3:2: the line is no dict"},
        {"{'kShortName': 'k'}\n", ":1:20: the line has no kDuration"},
        {"{'kShortName': 7, 'kDuration': 1}\n", "no text where a name"},
        {"{'kShortName': '', 'kDuration': 1}\n", "names no kernel"},
        {"{'kShortName': __import__('os').system('true'), 'kDuration': 1}\n", "no Python literal"},
        {"{'kShortName': 'k', 'kDuration': -1}\n", "no number that can be"},
        {"{'kShortName': 'k', 'kDuration': 1e9}\n", "no number that can be"},
        {"{'kShortName': 'k', 'kDuration': 99999999999999999999}\n", "no number that can be"},
        {"{'kShortName': 'k', 'kDuration': 1, 'device': 5000}\n", "no number that can be"},
        {"{'kShortName': 'k', 'kDuration': 1, 'tid': 4294967296}\n", "no number that can be"},
        {"{'kShortName': 'k', 'kDuration': 1, 'grid': (1, 2)}\n", "no number that can be"},
        {"{'kShortName': 'k', 'kDuration': 1, 'grid': (1, 2, 3, 4)}\n", "more than three"},
        {"{'kShortName': 'k', 'kDuration': 1, 'layer': 'A'}\n", "no list where texts are"},
        {"{'kShortName': 'k', 'kDuration': 1, 'layer': ['A', 1]}\n", "something else in a list"},
        {"{'kShortName': 'k', 'kDuration': 1, 'trace': ('a',)}\n", "no list of lines"},
        {"{'kShortName': 'k', 'kDuration': 1} + {}\n", "no Python literal"},
        {"{'kShortName': 'k', 'kDuration': 4503599627370496}\n" GOOD
         "{'kShortName': 'k', 'kDuration': 4503599627370496}\n"
         "{'kShortName': 'k', 'kDuration': 4503599627370496}\n",
         ":3: the kernels up to this line run for months"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error error;
        assert_null(load_bytes(cases[i].text, strlen(cases[i].text), &error));
        if (!strstr(error.message, cases[i].message) || !strstr(error.message, path))
            fail_msg("%s: %s", cases[i].message, error.message);
    }
}

// Deeper nesting and more ranges than any real profile.
static void test_bounds(void **state)
{
    (void)state;
    enum { SIZE = 100000 };
    char *text = malloc(SIZE);
    struct error error;
    assert_non_null(text);
    size_t length = (size_t)sprintf(text, "{'kShortName': 'k', 'kDuration': 1, 'x': ");
    memset(text + length, '[', 70);
    strcpy(text + length + 70, "}\n");
    assert_null(load_bytes(text, strlen(text), &error));
    assert_non_null(strstr(error.message, "no Python literal"));
    length = (size_t)sprintf(text, "{'kShortName': 'k', 'kDuration': 1, 'layer': [");
    for (int i = 0; i < 257; i++)
        length += (size_t)sprintf(text + length, "'%d',", i);
    sprintf(text + length, "]}\n");
    assert_null(load_bytes(text, strlen(text), &error));
    assert_non_null(strstr(error.message, "more than 256 ranges"));
    free(text);
}

// Each line is scanned once: otherwise these would take an hour.
static void test_blank_lines(void **state)
{
    (void)state;
    enum { SIZE = 8000000 };
    char *text = malloc(SIZE);
    struct error error;
    assert_non_null(text);
    memset(text, '\n', SIZE);
    memcpy(text, GOOD, sizeof GOOD - 1);
    memcpy(text + SIZE - sizeof GOOD, GOOD, sizeof GOOD - 1);
    struct profile *profile = load_bytes(text, SIZE, &error);
    assert_non_null(profile);
    assert_int_equal(profile->work.count, 2);
    profile_free(profile);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables), cmocka_unit_test(test_escapes),
        cmocka_unit_test(test_cut),    cmocka_unit_test(test_refused),
        cmocka_unit_test(test_bounds), cmocka_unit_test(test_blank_lines),
    };
    int file = mkstemp(path);
    if (file < 0)
        return 1;
    close(file);
    int status = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return status;
}
