// SPDX-License-Identifier: Apache-2.0
// Checks conformance with PyProf on nvprof databases: for each kernel in GPU order PyProf's row has
// the same name, thread, time, GPU, stream and launch shape, and each kernel that PyProf calls
// backward is backward here. (More are backward here, as PyProf relies on the name of one marker.)
// The test is skipped with a message if the corpus is missing.
#include "property.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "file_text.h"
#include "model/open/open.h"
#include "model/ops/ops.h"
#include "paths.h"

enum { FIELDS = 20 };
enum {
    IDX,
    THREAD = 3,
    DIRECTION = 6,
    OP = 9,
    KERNEL = 10,
    TIME = 12,
    DEVICE = 14,
    STREAM,
    GRID,
    BLOCK
};

// Writes "at::native::fill<float>(T1 *)" as PyProf shortens it: without "void", a few namespaces,
// arguments and parameters.
static void pyprof_name(const char *full, char *out)
{
    static const char *const dropped[] = {
        "<unnamed>::", "(anonymous namespace)::", "void ", "at::", "cuda::", "native::"};
    while (*full) {
        size_t skipped = 0;
        for (size_t i = 0; i < sizeof dropped / sizeof *dropped && !skipped; i++)
            if (strncmp(full, dropped[i], strlen(dropped[i])) == 0)
                skipped = strlen(dropped[i]);
        if (!skipped && (*full == '<' || *full == '('))
            break;
        if (!skipped)
            *out++ = *full++;
        full += skipped;
    }
    *out = '\0';
}

static void same_shape(const int32_t *shape, const char *expected)
{
    char text[100];
    snprintf(text, sizeof text, "%d,%d,%d", shape[0], shape[1], shape[2]);
    assert_string_equal(text, expected);
}

static void same_kernel(const struct profile *profile, uint32_t work, const char *field[FIELDS])
{
    char name[4000], number[40];
    const struct function *function = &profile->functions[AT(profile->work.function, work)];
    pyprof_name(profile_text(profile, function->full), name);
    assert_string_equal(name, field[KERNEL]);
    snprintf(number, sizeof number, "%lld", (long long)work_duration(profile, work));
    assert_string_equal(number, field[TIME]);
    uint32_t launch = AT(profile->work.launch, work);
    assert_int_not_equal(launch, ROW_NONE);
    snprintf(number, sizeof number, "%u", profile->threads[AT(profile->api.thread, launch)].tid);
    assert_string_equal(number, field[THREAD]);
    snprintf(number, sizeof number, "%u", profile->devices[work_device(profile, work)].ordinal);
    assert_string_equal(number, field[DEVICE]);
    snprintf(number, sizeof number, "%lld",
             (long long)profile->streams[AT(profile->work.stream, work)].stream_id);
    assert_string_equal(number, field[STREAM]);
    const struct launch_shape *shape = work_launch_shape(profile, work);
    assert_non_null(shape);
    if (shape) {
        same_shape(shape->grid, field[GRID]);
        same_shape(shape->block, field[BLOCK]);
    }
}

// Returns true if both say backward. Fails if only PyProf does.
static bool same_direction(const struct profile *profile, uint32_t work, const char *field[FIELDS])
{
    uint32_t instance = AT(profile->work.instance, work);
    const struct op *op = &profile->ops->items[AT(profile->ops->op, instance)];
    bool is_backward = strcmp(field[DIRECTION], "bprop") == 0;
    if (is_backward && op->direction != DIRECTION_BPROP)
        fail_msg("kernel %s is not backward", field[IDX]);
    return is_backward;
}

static void check(const char *name, const char *input, const char *expected, unsigned kernels,
                  unsigned backward)
{
    const char *corpus = getenv("DLPROF_CORPUS");
    char path[3000];
    const char *root = corpus ? corpus : source_path("/../shared/corpus");
    snprintf(path, sizeof path, "%s/pyprof/%s/%s", root, name, input);
    if (access(path, R_OK) != 0) {
        print_message("# skipped: no %s\n", path);
        skip();
    }
    struct load_request request = {.path = path};
    struct error error = {0};
    struct profile *profile = profile_load(&request, &error);
    if (!profile) {
        fail_msg("%s", error.message);
        return;
    }
    snprintf(path, sizeof path, "%s/pyprof/%s/%s", root, name, expected);
    char *text = file_read(path), *at = text + strcspn(text, "\n") + 1;
    const char *field[FIELDS] = {NULL};
    unsigned seen = 0, seen_backward = 0;
    for (uint32_t work = 0; work < profile->work.count; work++) {
        if (profile->functions[AT(profile->work.function, work)].kind != WORK_KERNEL)
            continue;
        at = csv_line(at, field, FIELDS);
        if (!at) {
            fail_msg("more kernels than PyProf has");
            return;
        }
        same_kernel(profile, work, field);
        seen_backward += same_direction(profile, work, field);
        seen++;
    }
    assert_int_equal(*at, '\0');
    assert_int_equal(seen, kernels);
    assert_int_equal(seen_backward, backward);
    assert_string_equal(profile->sources[0].format, "nvprof");
    print_message("# %s: %u kernels as PyProf has them\n", name, seen);
    free(text);
    profile_free(profile);
}

static void test_language_model(void **state)
{
    (void)state;
    check("lm_nvprof_17ed9e2", "input.sql", "expected.tolerant.all.csv", 160, 42);
}

static void test_lenet(void **state)
{
    (void)state;
    check("gen_lenet_nvprof_schema", "input.sqlite", "expected.all.csv", 91, 18);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_language_model),
        cmocka_unit_test(test_lenet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
