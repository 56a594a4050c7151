// SPDX-License-Identifier: Apache-2.0
// Loads PyTorch Profiler traces written here: the formats of each era of PyTorch, any order of
// keys, and malformed content.
#include "property.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text/bytes.h"
#include "file_text.h"
#include "load_failures.h"
#include "model/kineto/load_kineto.h"
#include "model/markers/markers.h"
#include "model/open/open.h"
#include "model/ops/reruns.h"
#include "model/profile/copy_kinds.h"

static char path[] = "/tmp/test_load_kineto_XXXXXX";

static struct profile *try_load(const char *text, struct error *error)
{
    file_write(path, text);
    const struct load_request request = {.path = path, .threads = 1};
    *error = (struct error){0};
    return profile_load(&request, error);
}

static struct profile *load(const char *text)
{
    struct error error;
    struct profile *profile = try_load(text, &error);
    if (!profile)
        fail_msg("%s", error.message);
    return profile;
}

static const char *name_of_work(const struct profile *profile, uint32_t work)
{
    return profile_text(profile, profile->functions[AT(profile->work.function, work)].full);
}

static const char *name_of_range(const struct profile *profile, uint32_t range)
{
    return profile_text(profile, range_name(&profile->ranges, range));
}

static uint32_t range_named(const struct profile *profile, const char *name)
{
    for (uint32_t range = 0; range < profile->ranges.count; range++)
        if (strcmp(name_of_range(profile, range), name) == 0)
            return range;
    fail_msg("no range %s", name);
    return ROW_NONE;
}

// Returns the innermost range that encloses the launch of the work, "" if there is none.
static const char *launched_in(const struct profile *profile, uint32_t work)
{
    uint32_t call = AT(profile->work.launch, work);
    if (call == ROW_NONE)
        return "(no call)";
    uint32_t range = AT(profile->api.range, call);
    return range == ROW_NONE ? "" : name_of_range(profile, range);
}

#define OP(name, at, length, args)                                                            \
    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"" name "\",\"pid\":10,\"tid\":11,\"ts\":" at \
    ",\"dur\":" length ",\"args\":{" args "}}"
#define CALL(category, name, at, correlation)                 \
    "{\"ph\":\"X\",\"cat\":\"" category "\",\"name\":\"" name \
    "\",\"pid\":10,\"tid\":11,\"ts\":" at                     \
    ",\"dur\":1,\"args\":{\"cbid\":211,\"correlation\":" correlation "}}"
#define KERNEL(name, at, length, args)                                                      \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"" name "\",\"pid\":0,\"tid\":7,\"ts\":" at \
    ",\"dur\":" length ",\"args\":{" args "}}"

// ---- eras of PyTorch ---------------------------------------------------------------------------

static void check_era(const char *text, int64_t epoch)
{
    struct profile *profile = load(text);
    assert_int_equal(profile->capture.utc_epoch_ns, epoch);
    assert_int_equal(profile->work.count, 1);
    assert_string_equal(name_of_work(profile, 0), "gemm");
    assert_int_equal(AT(profile->work.start, 0), 30000);
    assert_int_equal(AT(profile->work.end, 0), 35000);
    assert_string_equal(launched_in(profile, 0), "aten::mm");
    uint32_t op = range_named(profile, "aten::mm");
    assert_int_equal(range_label(&profile->ranges, op)->said, SAID_OP);
    assert_int_equal(AT(profile->ranges.end, op) - AT(profile->ranges.start, op), 20000);
    assert_string_equal(name_of_range(profile, AT(profile->ranges.parent, op)), "ProfilerStep#3");
    assert_string_equal(profile->sources[0].format, "kineto");
    profile_free(profile);
}

// Capitalized categories, Unix times in whole microseconds, ids as texts, and a bare list.
static void test_era_1_8(void **state)
{
    (void)state;
    check_era(
        "[{\"ph\":\"X\",\"cat\":\"Operator\",\"name\":\"ProfilerStep#3\",\"pid\":\"10\",\"tid\":"
        "\"11\","
        "\"ts\":1600000000000000,\"dur\":100,\"args\":{\"Device\":10,\"External id\":1}},\n"
        "{\"ph\":\"X\",\"cat\":\"Operator\",\"name\":\"aten::mm\",\"pid\":\"10\",\"tid\":\"11\","
        "\"ts\":1600000000000010,\"dur\":20,\"args\":{\"Input dims\":[[2,3],[3,4]]}},\n"
        "{\"ph\":\"X\",\"cat\":\"Runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":\"10\",\"tid\":"
        "\"11\","
        "\"ts\":1600000000000015,\"dur\":2,\"args\":{\"correlation\":5}},\n"
        "{\"ph\":\"X\",\"cat\":\"Kernel\",\"name\":\"gemm\",\"pid\":\"0\",\"tid\":\"stream 7\","
        "\"ts\":1600000000000030,\"dur\":5,\"args\":{\"device\":0,\"stream\":7,\"correlation\":5}}"
        "]",
        INT64_C(1600000000000000000));
}

// Nineteen digits, of which a double keeps sixteen.
static void test_era_2_3(void **state)
{
    (void)state;
    check_era("{\"schemaVersion\":1,\"traceEvents\":["
              "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#3\",\"pid\":10,"
              "\"tid\":11,\"ts\":1712345678901234.567,\"dur\":100.001},"
              "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":10,\"tid\":11,"
              "\"ts\":1712345678901244.567,\"dur\":20.000},"
              "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":10,"
              "\"tid\":11,\"ts\":1712345678901250,\"dur\":2,\"args\":{\"correlation\":5}},"
              "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm\",\"pid\":0,\"tid\":7,"
              "\"ts\":1712345678901264.567,\"dur\":5,\"args\":{\"correlation\":5}}]}",
              INT64_C(1712345678901234567));
}

// Times relative to a base time after the events, keys in another order, and a launch by the driver
// API.
static void test_era_2_6(void **state)
{
    (void)state;
    check_era(
        "{\"traceEvents\":[{\"args\":{\"correlation\":5,\"device\":0,\"stream\":7},\"dur\":5.000,"
        "\"ts\":30.500,\"tid\":7,\"pid\":0,\"name\":\"gemm\",\"cat\":\"kernel\",\"ph\":\"X\"},"
        "{\"dur\":2,\"ts\":12.000,\"args\":{\"correlation\":5,\"cbid\":307},\"tid\":11,"
        "\"name\":\"cuLaunchKernelEx\",\"pid\":10,\"cat\":\"cuda_driver\",\"ph\":\"X\"},"
        "{\"name\":\"ProfilerStep#3\",\"ph\":\"X\",\"cat\":\"user_annotation\",\"dur\":100,"
        "\"ts\":0.500,\"tid\":11,\"pid\":10},"
        "{\"ph\":\"X\",\"cat\":\"gpu_user_annotation\",\"name\":\"ProfilerStep#3\",\"pid\":0,"
        "\"tid\":7,\"ts\":29.000,\"dur\":8},"
        "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":10,\"tid\":11,"
        "\"ts\":10.500,\"dur\":20.000}],\"baseTimeNanoseconds\":1712345678000000000,"
        "\"traceName\":\"/tmp/t.json\",\"displayTimeUnit\":\"ms\"}",
        INT64_C(1712345678000000500));
}

// Launch calls of all vendors are recognized; device properties that only one vendor records do not
// matter.
static void test_makers(void **state)
{
    (void)state;
    static const struct {
        const char *category, *call, *device;
    } makers[] = {
        {"cuda_runtime", "cudaLaunchKernel", "\"name\":\"NVIDIA H100\",\"numSms\":132"},
        {"cuda_driver", "cuLaunchKernelEx", "\"name\":\"NVIDIA H100\",\"numSms\":132"},
        {"cuda_runtime", "hipLaunchKernel", "\"name\":\"AMD Instinct MI300X\",\"numSms\":304"},
        {"hip_runtime", "hipModuleLaunchKernel", "\"name\":\"\""},
        {"xpu_runtime", "urEnqueueKernelLaunch",
         "\"name\":\"Intel(R) Data Center GPU Max 1550\",\"maxComputeUnits\":512,"
         "\"driverVersion\":\"1.3.30872\",\"slmSize\":[131072]"},
        {"xpu_driver", "zeCommandListAppendLaunchKernel", "\"maxComputeUnits\":512"},
        {"mtia_runtime", "runJob", "\"name\":\"MTIA v2i\",\"peGrid\":{\"x\":8,\"y\":8}"},
        {"glow_runtime", "run", "\"x\":null"},
        {"privateuse1_runtime", "LaunchKernel", "\"name\":\"npu\""},
        {"privateuse1_driver", "Launch", "\"name\":\"npu\""},
    };
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++) {
        char text[2000];
        snprintf(text, sizeof text,
                 "{\"baseTimeNanoseconds\":1712345678000000000,"
                 "\"deviceProperties\":[{\"id\":0,%s}],\"traceEvents\":["
                 "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#3\",\"pid\":10,"
                 "\"tid\":11,\"ts\":0,\"dur\":100},"
                 "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":10,\"tid\":11,"
                 "\"ts\":10,\"dur\":20},"
                 "{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":10,\"tid\":11,"
                 "\"ts\":15,\"dur\":2,\"args\":{\"correlation\":5}},"
                 "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm\",\"pid\":0,\"tid\":7,"
                 "\"ts\":30,\"dur\":5,\"args\":{\"device\":0,\"stream\":7,\"correlation\":5}}]}",
                 makers[i].device, makers[i].category, makers[i].call);
        check_era(text, INT64_C(1712345678000000000));
    }
}

static void test_decimals(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int decimals;
        bool is_number;
        int64_t value;
    } cases[] = {
        {"0", 3, true, 0},
        {"12", 3, true, 12000},
        {"12.3", 3, true, 12300},
        {"12.3456", 3, true, 12345},
        {"-0.001", 3, true, -1},
        {"1712345678901234.567", 3, true, INT64_C(1712345678901234567)},
        {"9223372036854775.807", 3, true, INT64_MAX},
        {"-9223372036854775.808", 3, true, INT64_MIN},
        {"9223372036854775.808", 3, false, 0},
        {"9223372036854775808", 0, false, 0},
        {"17293822569102704640", 0, false, 0},
        {"1.6e15", 3, true, INT64_C(1600000000000000000)},
        {"1.001e0", 3, true, 1001},
        {"-2.5E-1", 3, true, -250},
        {"1.600000000000001234e15", 3, true,
         INT64_C(1600000000000001234)}, // a double cannot represent it
        {"1600000000000.001234E+3", 3, true, INT64_C(1600000000000001234)},
        {"0.00001234e5", 3, true, 1234},
        {"1234e-9", 3, true, 0},
        {"0e999999999999", 3, true, 0},
        {"1e-999999999999", 3, true, 0},
        {"1e999999999999", 3, false, 0},
        {"1e16", 3, false, 0},
        {"9.223372036854775807e15", 3, true, INT64_MAX},
        {"0.0000000000000000000001e25", 3, true, 1000000},
        {"1000000000000000000000000e-20", 3, true, 10000000},
        {"1e", 3, false, 0},
        {"1e+", 3, false, 0},
        {"1e5x", 3, false, 0},
        {"e5", 3, false, 0},
        {"1e300", 3, false, 0},
        {"1e", 3, false, 0},
        {"", 3, false, 0},
        {"-", 3, false, 0},
        {".", 3, false, 0},
        {".5", 3, true, 500},
        {"5.", 3, true, 5000},
        {"1.2.3", 3, false, 0},
        {"inf", 3, false, 0},
        {"0x10", 0, false, 0},
        {"stream 7", 0, false, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t value = -77;
        bool is_number =
            kineto_decimal(cases[i].text, strlen(cases[i].text), cases[i].decimals, &value);
        if (is_number != cases[i].is_number || (is_number && value != cases[i].value))
            fail_msg("%s is %lld", cases[i].text, (long long)value);
    }
}

// ---- launches ----------------------------------------------------------------------------------

// A kernel belongs to the op that encloses its call, whatever its `External id` is; without a call
// it belongs to none.
static void test_launches(void **state)
{
    (void)state;
    struct profile *profile = load(
        "{\"traceEvents\":[" OP("outer", "0", "100", "\"External id\":1") "," OP("inner", "10", "20", "\"External id\":2,\"Sequence number\":7") "," CALL(
            "cuda_runtime", "cudaLaunchKernel", "12",
            "1") "," CALL("cuda_driver", "cuLaunchKernel", "40",
                          "2") "," CALL("cuda_runtime", "hipExtModuleLaunchKernel", "60",
                                        "3") "," CALL("cuda_runtime", "cudaGraphLaunch", "150",
                                                      "4") "," KERNEL("a", "200", "1",
                                                                      "\"correlation\":1,"
                                                                      "\"External id\":1") "," KERNEL("b",
                                                                                                      "201",
                                                                                                      "1",
                                                                                                      "\"correlation\":2,\"External id\":2") "," KERNEL("c",
                                                                                                                                                        "202",
                                                                                                                                                        "1",
                                                                                                                                                        "\"correlation\":3") "," KERNEL("d",
                                                                                                                                                                                        "203", "1", "\"correlation\":4,\"graph id\":9,\"graph node id\":1") "," KERNEL("e", "204", "1", "\"correlation\":4,\"graph id\":9,\"graph node id\":2") "," KERNEL("f",
                                                                                                                                                                                                                                                                                                                                                           "205", "1", "\"correlation\":77") "," KERNEL("g",
                                                                                                                                                                                                                                                                                                                                                                                                        "206", "1", "\"correlation\":0") "," KERNEL("h",
                                                                                                                                                                                                                                                                                                                                                                                                                                                    "207", "1",
                                                                                                                                                                                                                                                                                                                                                                                                                                                    "") "]}");
    static const char *const expected[] = {"inner", "outer",     "outer",     "",
                                           "",      "(no call)", "(no call)", "(no call)"};
    assert_int_equal(profile->work.count, 8);
    for (uint32_t work = 0; work < 8; work++)
        assert_string_equal(launched_in(profile, work), expected[work]);
    assert_int_equal(AT(profile->work.flags, 3) & WORK_IN_GRAPH, WORK_IN_GRAPH);
    assert_int_equal(AT(profile->work.graph_node, 4), 2);
    assert_int_equal(range_seq(&profile->ranges, range_named(profile, "inner")), 7);
    assert_int_equal(range_seq(&profile->ranges, range_named(profile, "outer")), SEQ_NONE);
    profile_free(profile);
}

// Traces also number the engine's ranges, and record Python functions as ops.
static void test_reruns(void **state)
{
    (void)state;
#define SEQ(number) "\"Sequence number\":" number
#define ENGINE      "autograd::engine::evaluate_function: MaskBackward"
    static const char *const ops[] = {
        OP(ENGINE, "0", "90", SEQ("7")),         OP("MaskBackward", "1", "80", SEQ("7")),
        OP("aten::linear", "2", "10", SEQ("8")), OP("Mask", "20", "10", SEQ("9")),
        OP("aten::mul", "40", "10", ""),
    };
    static const uint8_t expected[] = {0, 0, 1, 1, 0}; // in order of their start
    char text[2000] = "{\"traceEvents\":[";
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? "," : "", ops[i]);
    strcat(text, "]}");
    struct profile *profile = load(text);
    assert_int_equal(profile->ranges.count, sizeof expected);
    const uint8_t *reruns = reruns_find(profile, profile->arena);
    assert_non_null(reruns);
    assert_memory_equal(reruns, expected, sizeof expected);
    profile_free(profile);
}

static void test_launch_shapes(void **state)
{
    (void)state;
    struct profile *profile = load("{\"traceEvents\":[" KERNEL(
        "a", "0", "1",
        "\"grid\":[80, "
        "2,1],\"block\":[256,1,1],\"registers "
        "per thread\":32,"
        "\"shared memory\":4096,\"blocks per "
        "SM\":1.481481,"
        "\"est. achieved occupancy "
        "%\":19,\"device\":2,\"context\":1,"
        "\"stream\":20") "," KERNEL("b", "1", "1",
                                    "\"grid\":[]"
                                    ",\"block\":"
                                    "\"x\","
                                    "\"blocks "
                                    "per "
                                    "SM\":inf,"
                                    "\"registers"
                                    " per "
                                    "thread\":-"
                                    "1,"
                                    "\"shared "
                                    "memory\":"
                                    "9999999999"
                                    "9,\"est. achieved "
                                    "occupancy "
                                    "%\":100.5") "," KERNEL("c", "2", "1",
                                                            "\"device\":\"2\"") "]}");
    // a and c are on GPU 2; b is on GPU 0 by its track.
    assert_int_equal(profile->device_count, 2);
    assert_int_equal(device_number(profile, 1), 2);
    uint32_t first = profile->devices[1].first_work;
    assert_int_equal(profile->devices[1].end_work - first, 2);
    const struct launch_shape *shape = work_launch_shape(profile, first);
    assert_non_null(shape);
    assert_int_equal(shape->grid[0], 80);
    assert_int_equal(shape->grid[2], 1);
    assert_int_equal(shape->block[0], 256);
    assert_int_equal(shape->registers, 32);
    assert_int_equal(shape->static_shared + shape->dynamic_shared, 4096);
    assert_int_equal(shape->micro_blocks_per_sm, 1481481);
    assert_int_equal(shape->micro_occupancy, 19000000);
    assert_int_equal(profile->streams[AT(profile->work.stream, first)].stream_id, 20);
    assert_null(work_launch_shape(profile, 0));
    profile_free(profile);
}

static void test_copies(void **state)
{
    (void)state;
#define COPY(category, name, at, args)                                                            \
    "{\"ph\":\"X\",\"cat\":\"" category "\",\"name\":\"" name "\",\"pid\":0,\"tid\":7,\"ts\":" at \
    ",\"dur\":1,\"args\":{\"device\":0,\"stream\":7," args "}}"
    struct profile *profile = load("[" COPY("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", "0", "\"bytes\":1000") "," COPY(
        "gpu_memcpy", "Memcpy DtoH (Device -> Pageable)", "1",
        "\"bytes\":5") "," COPY("gpu_memcpy", "Memcpy DtoD (Device -> Device)", "2",
                                "\"bytes\":-5") "," COPY("Memcpy", "CopyDeviceToHost", "3",
                                                         "\"kind\":\"x\"") "," COPY("gpu_memcpy",
                                                                                    "", "4",
                                                                                    "\"bytes\":"
                                                                                    "9e99") "," COPY("gpu_memset",
                                                                                                     "Memset (Device)",
                                                                                                     "5",
                                                                                                     "\"bytes\":64") "," COPY("Memset",
                                                                                                                              "Memset (",
                                                                                                                              "6",
                                                                                                                              "\"bytes\":7") "]");
    static const struct {
        const char *name;
        int64_t bytes;
        int kind;
    } expected[] = {{"[memcpy HtoD pinned]", 1000, COPY_HTOD},
                    {"[memcpy DtoH pageable]", 5, COPY_DTOH},
                    {"[memcpy DtoD]", UNKNOWN, COPY_DTOD},
                    {NULL, UNKNOWN, -1},
                    {NULL, UNKNOWN, -1},
                    {"[memset]", 64, -1},
                    {"[memset]", 7, -1}};
    for (uint32_t work = 0; work < 7; work++) {
        if (expected[work].name)
            assert_string_equal(name_of_work(profile, work), expected[work].name);
        assert_int_equal(AT(profile->work.bytes, work), expected[work].bytes);
        const struct copy *copy = work_copy(profile, work);
        assert_non_null(copy);
        if (copy)
            assert_int_equal(copy->copy_kind, expected[work].kind);
    }
    profile_free(profile);
}

// ---- ops, modules, lines -----------------------------------------------------------------------

static void test_arguments(void **state)
{
    (void)state;
    struct profile *profile = load("[" OP(
        "aten::add", "0", "5",
        "\"Input Dims\":[[8, 16], []],\"Input type\":[\"float\", \"Scalar\"],"
        "\"Concrete Inputs\":[\"\", \"2\"]") "," OP("aten::zero_", "6", "5",
                                                    "\"Input Dims\":[],\"Input "
                                                    "type\":[]") "," OP("aten::cat", "12", "5",
                                                                        "\"Input "
                                                                        "Dims\":[[[2, "
                                                                        "3], [4, 3]], "
                                                                        "[]]") "," OP("o"
                                                                                      "d"
                                                                                      "d",
                                                                                      "1"
                                                                                      "8",
                                                                                      "5",
                                                                                      "\"Input "
                                                                                      "Dims\":\"[["
                                                                                      "1]]\"") "]");
    const struct range_label *label =
        range_label(&profile->ranges, range_named(profile, "aten::add"));
    assert_string_equal(profile_text(profile, label->sizes),
                        "[[8, 16], []], types = [\"float\", \"Scalar\"], values = [\"\", \"2\"]");
    label = range_label(&profile->ranges, range_named(profile, "aten::zero_"));
    assert_int_equal(label->sizes, STRING_NONE);
    label = range_label(&profile->ranges, range_named(profile, "aten::cat"));
    assert_string_equal(profile_text(profile, label->sizes), "[[[2, 3], [4, 3]], []]");
    profile_free(profile);
}

#define FRAME(name, tid, at, length, args)                                                    \
    "{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"" name "\",\"pid\":10,\"tid\":" tid \
    ",\"ts\":" at ",\"dur\":" length ",\"args\":{\"Python id\":1,\"Python thread\":0" args "}}"

// Writes the frames of a call chain, innermost first.
static void chain_text(const struct profile *profile, uint32_t chain, char *text)
{
    *text = '\0';
    const struct frames *frames = &profile->frames;
    for (uint32_t row = 0; row < frames->count; row++)
        if (frames->chain[row] == chain) {
            strcat(text, *text ? " < " : "");
            strcat(text, profile_text(profile, frames->symbol[row]));
            if (frames->module[row] != STRING_NONE) {
                strcat(text, "@");
                strcat(text, profile_text(profile, frames->module[row]));
            }
        }
}

static void test_python(void **state)
{
    (void)state;
    struct profile *profile = load(
        "[" FRAME("/app/train.py(88): step", "11", "0", "100", "") "," FRAME("nn.Module: Linear_3", "11", "10", "50", ",\"Python module id\":3") "," FRAME(
            "torch/nn/functional.py(12): linear", "11", "20", "30",
            "") "," FRAME("<built-in method mm>", "11", "21", "25",
                          "") "," FRAME("elsewhere.py(1): f", "12", "0", "100",
                                        "") "," OP("aten::mm", "20.5", "27",
                                                   "") "," CALL("cuda_runtime", "cudaLaunchKernel",
                                                                "40",
                                                                "1") "," CALL("cuda_runtime",
                                                                              "cudaLaunchKernel",
                                                                              "70",
                                                                              "2") "," CALL("cuda_"
                                                                                            "runtim"
                                                                                            "e",
                                                                                            "cudaDe"
                                                                                            "viceSy"
                                                                                            "nchron"
                                                                                            "ize",
                                                                                            "120",
                                                                                            "3") "," KERNEL("a",
                                                                                                            "200",
                                                                                                            "1",
                                                                                                            "\"correlation\":1") "]");
    uint32_t module = range_named(profile, "nn.Module: Linear_3");
    assert_int_equal(range_label(&profile->ranges, module)->said, SAID_MODULE);
    assert_int_equal(AT(profile->ranges.parent, range_named(profile, "aten::mm")), module);
    char text[400];
    assert_true(HAS(profile->api.callchain));
    chain_text(profile, AT(profile->api.callchain, 0), text);
    assert_string_equal(text, "<built-in method mm> < linear@torch/nn/functional.py:12 < "
                              "step@/app/train.py:88");
    chain_text(profile, AT(profile->api.callchain, 1), text);
    assert_string_equal(text, "step@/app/train.py:88");
    assert_int_equal(AT(profile->api.callchain, 2), 0);
    chain_text(profile, range_label(&profile->ranges, range_named(profile, "aten::mm"))->chain,
               text);
    assert_string_equal(text, "linear@torch/nn/functional.py:12 < step@/app/train.py:88");
    assert_string_equal(call_place(profile, AT(profile->work.launch, 0)), "train.py:88 step");
    profile_free(profile);
}

static void test_call_stack_argument(void **state)
{
    (void)state;
    struct profile *profile = load("[" OP(
        "aten::mm", "0", "10",
        "\"Call stack\":\"net.py(5): forward;;train.py(9): "
        "<module>\"") "," OP("aten::add", "20", "10", "\"Call stack\":\"\"") "," OP("aten::"
                                                                                    "mul",
                                                                                    "40", "10",
                                                                                    "\"Call "
                                                                                    "stack\":"
                                                                                    "\";\"") "]");
    char text[400];
    chain_text(profile, range_label(&profile->ranges, range_named(profile, "aten::mm"))->chain,
               text);
    assert_string_equal(text, "forward@net.py:5 < <module>@train.py:9");
    assert_int_equal(range_label(&profile->ranges, range_named(profile, "aten::add"))->chain, 0);
    assert_int_equal(range_label(&profile->ranges, range_named(profile, "aten::mul"))->chain, 0);
    profile_free(profile);
}

// A recursive program with an op at every depth: the number of frames is limited, and so is the
// time.
static void test_recursion(void **state)
{
    (void)state;
    enum { DEPTH = 6000 };
    struct arena *arena = arena_new(0);
    struct bytes text = {.arena = arena};
    bytes_text(&text, "[");
    for (int i = 0; i < DEPTH; i++)
        bytes_format(
            &text,
            "%s" FRAME("r.py(%d): f", "11", "%d", "%d", "") ",\n" OP("op", "%d.5", "0.1", ""),
            i ? "," : "", i, i, 2 * (DEPTH - i), i);
    bytes_text(&text, "]");
    bytes_char(&text, '\0');
    struct profile *profile = load(text.items);
    assert_in_range(profile->frames.count, 1, DEPTH * 64);
    profile_free(profile);
    arena_free(arena);
}

// ---- other -------------------------------------------------------------------------------------

static void test_syncs_and_overhead(void **state)
{
    (void)state;
    struct profile *profile = load("{\"traceEvents\":[" CALL(
        "cuda_runtime", "cudaEventSynchronize", "5",
        "3") ","
             "{\"ph\":\"X\",\"cat\":\"cuda_sync\",\"name\":\"Stream Wait "
             "Event\",\"pid\":0,\"tid\":7,"
             "\"ts\":1,\"dur\":2,\"args\":{\"stream\":7,\"device\":0,\"correlation\":2}},"
             "{\"ph\":\"X\",\"cat\":\"cuda_sync\",\"name\":\"Event Sync\",\"pid\":0,\"tid\":-1,"
             "\"ts\":5,\"dur\":2,\"args\":{\"stream\":-1,\"device\":0,\"correlation\":3}},"
             "{\"ph\":\"X\",\"cat\":\"cuda_sync\",\"name\":\"Another\",\"pid\":0,\"tid\":0,"
             "\"ts\":9,\"dur\":2},"
             "{\"ph\":\"X\",\"cat\":\"overhead\",\"name\":\"Buffer Flush\",\"pid\":-1,\"tid\":0,"
             "\"ts\":2,\"dur\":3}]}");
    assert_int_equal(profile->syncs.count, 3);
    assert_int_equal(profile->syncs.type[0], 2);
    assert_int_not_equal(profile->syncs.stream[0], ROW_NONE);
    assert_int_equal(profile->syncs.type[1], 1);
    assert_int_equal(profile->syncs.stream[1], ROW_NONE);
    assert_int_equal(profile->syncs.api[1], 0);
    assert_int_equal(profile->syncs.type[2], 0);
    assert_int_equal(profile->overheads.count, 1);
    assert_string_equal(profile_text(profile, profile->overheads.name[0]), "Buffer Flush");
    assert_true(profile->has_syncs);
    assert_true(profile->has_overhead);
    profile_free(profile);
}

static const char *const facts =
    "\"schemaVersion\":1,\"deviceProperties\":[{\"id\":0,\"name\":\"H100\",\"numSms\":132,"
    "\"totalGlobalMem\":85017493504,\"computeMajor\":9,\"computeMinor\":0,\"other\":[1,{}]},7],"
    "\"distributedInfo\":{\"backend\":\"nccl\",\"rank\":3,\"world_size\":8,\"pg_config\":[{"
    "\"rank\":1}]},"
    "\"cuda_runtime_version\":12040,\"with_stack\":1,\"traceName\":{\"traceEvents\":[1]}";

static void test_facts(void **state)
{
    (void)state;
    struct arena *arena = arena_new(0);
    static const char events[] = "\"traceEvents\":[" KERNEL(
        "a", "1", "2",
        "\"device\":5") ",{\"ph\":\"M\","
                        "\"name\":\"process_name\",\"pid\":10,\"args\":{\"name\":\"python3\"}},{"
                        "\"ph\":\"M\",\"name\":"
                        "\"thread_name\",\"pid\":10,\"tid\":11,\"args\":{\"name\":\"main\"}}," OP(
                            "op", "0", "9", "") "]";
    for (int turn = 0; turn < 2; turn++) {
        struct profile *profile = load(turn ? arena_format(arena, "{%s,%s}", facts, events)
                                            : arena_format(arena, "{%s,%s}", events, facts));
        assert_int_equal(profile->work.count, 1);
        assert_int_equal(profile->sources[0].rank, 3);
        assert_string_equal(profile->sources[0].schema, "1");
        assert_string_equal(profile->capture.cuda, "12.4");
        assert_string_equal(profile->capture.framework, "PyTorch");
        // The only GPU listed in the file is the one that was used, whatever its number.
        assert_int_equal(profile->device_count, 1);
        assert_string_equal(profile_text(profile, profile->devices[0].name), "H100");
        assert_int_equal(profile->devices[0].sm_count, 132);
        assert_int_equal(profile->devices[0].compute_major, 9);
        assert_int_equal(device_number(profile, 0), 5);
        assert_string_equal(profile_text(profile, profile->processes[0].name), "python3");
        assert_string_equal(profile_text(profile, profile->threads[0].name), "main");
        profile_free(profile);
    }
    arena_free(arena);
}

// Values of a wrong type do not affect their neighbours.
static void test_odd_facts(void **state)
{
    (void)state;
    struct profile *profile = load("{\"schemaVersion\":[1,{\"traceEvents\":[" KERNEL(
        "x", "1", "1",
        "") "]}],"
            "\"deviceProperties\":{\"id\":1},\"distributedInfo\":[{\"rank\":5}],"
            "\"cuda_runtime_version\":\"new\",\"baseTimeNanoseconds\":-5,\"Framework\":7,"
            "\"traceEvents\":{\"not\":\"a list\"},\"traceEvents\":[1,\"two\",[3],null,{},"
            "{\"ph\":\"X\"},{\"args\":[1],\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"y\",\"ts\":1,"
            "\"dur\":1,\"pid\":{\"a\":1},\"tid\":[2]}]}");
    assert_int_equal(profile->work.count, 1);
    assert_string_equal(name_of_work(profile, 0), "y");
    assert_int_equal(profile->sources[0].rank, UNKNOWN);
    assert_string_equal(profile->capture.framework, "PyTorch");
    assert_string_equal(profile->capture.cuda, "");
    profile_free(profile);
}

static void test_bad_times(void **state)
{
    (void)state;
    struct profile *profile = load(
        "[" KERNEL("old", "5", "1", "") "," KERNEL("a", "1700000000000000", "2", "") "," KERNEL(
            "b", "1700000000000010", "2",
            "") "," KERNEL("c", "\"1700000000000020\"", "\"2\"",
                           "") "," KERNEL("back", "1700000000000030", "-2",
                                          "") "," KERNEL("none", "nan", "2",
                                                         "") "," KERNEL("long", "1700000000000040",
                                                                        "9000000000000000",
                                                                        "") "," KERNEL("far",
                                                                                       "99999999999"
                                                                                       "99999",
                                                                                       "1",
                                                                                       "") "]");
    assert_int_equal(profile->work.count, 3);
    assert_int_equal(AT(profile->work.start, 0), 0);
    assert_int_equal(AT(profile->work.end, 2), 22000);
    assert_int_equal(profile->table_count, 1);
    assert_string_equal(profile->tables[0].table, "kernel");
    assert_int_equal(profile->tables[0].rows, 8);
    assert_int_equal(profile->tables[0].skipped, 5);
    profile_free(profile);
}

static void test_odd_ids(void **state)
{
    (void)state;
    struct profile *profile = load(
        "[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"a\",\"pid\":9223372036854775808,\"tid\":"
        "\"x\","
        "\"ts\":1,\"dur\":1},{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"b\",\"pid\":\"Spans\","
        "\"tid\":-7,\"ts\":1,\"dur\":1},{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"c\",\"ts\":1,"
        "\"dur\":1}," CALL(
            "cuda_runtime", "cudaLaunchKernel", "3",
            "18446744073709551615") "," CALL("cuda_runtime", "cudaLaunchKernel", "5",
                                             "6") "," CALL("cuda_runtime", "cudaLaunchKernel", "7",
                                                           "6") "," KERNEL("k", "9", "1",
                                                                           "\"correlation\":6,"
                                                                           "\"stream\":"
                                                                           "9223372036854775807,"
                                                                           "\"device\":-1") "]");
    assert_int_equal(profile->process_count, 4);
    assert_string_equal(profile_text(profile, profile->processes[1].name), "Spans");
    assert_int_equal(profile->work.count, 1);
    assert_int_not_equal(AT(profile->work.launch, 0), ROW_NONE); // one of the two
    profile_free(profile);
}

// Overlapping ranges that do not nest, as those of asynchronous ops, are all kept.
static void test_straddling(void **state)
{
    (void)state;
    struct profile *profile = load("[" OP("a", "0", "10", "") "," OP("b", "5", "10", "") "," OP(
        "c", "5", "10", "") "," OP("d", "15", "0", "") "]");
    assert_int_equal(profile->ranges.count, 4);
    profile_free(profile);
}

static void test_only_annotations(void **state)
{
    (void)state;
    struct profile *profile = load("[{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"train\","
                                   "\"pid\":1,\"tid\":1,\"ts\":1,"
                                   "\"dur\":5}]");
    assert_int_equal(profile->ranges.count, 1);
    assert_int_equal(range_label(&profile->ranges, 0)->said, SAID_ANNOTATION);
    assert_int_equal(profile->work.count, 0);
    profile_free(profile);
}

// Unknown event categories of a device are reported as missing; the profiler's own span is not.
static void test_unknown_events(void **state)
{
    (void)state;
#define OTHER(category)                                                                   \
    "{\"ph\":\"X\",\"cat\":\"" category "\",\"name\":\"n\",\"pid\":1,\"tid\":1,\"ts\":1," \
    "\"dur\":1}"
    struct profile *profile = load("[" OP("a", "0", "10", "") "," OTHER("Trace") "]");
    assert_null(profile_find_note(profile, "events_unknown"));
    profile_free(profile);
    profile = load("[" OP("a", "0", "10", "") "," OTHER("own_events") "," OTHER("own_events") "]");
    const struct note *note = profile_find_note(profile, "events_unknown");
    assert_non_null(note);
    assert_int_equal(note->count, 2);
    assert_int_equal(note->level, NOTE_WARNING);
    assert_non_null(strstr(note->text, "2 events of a category that is not known here"));
    profile_free(profile);
}

// Options that slow down the host while recording give a note; recording only ops is the normal
// case.
static void test_recording_costs(void **state)
{
    (void)state;
    struct profile *profile = load("[" OP("a", "0", "10", "") "]");
    assert_null(profile_find_note(profile, "recording_costs"));
    profile_free(profile);
    profile = load("[" OP("a", "0", "10", "\"Input Dims\":[[2,3]]") "]");
    const struct note *note = profile_find_note(profile, "recording_costs");
    assert_non_null(note);
    if (note) {
        assert_int_equal(note->level, NOTE_INFO);
        assert_non_null(strstr(note->text, "recorded with record_shapes:"));
    }
    profile_free(profile);
}

// ---- truncated and invalid files ---------------------------------------------------------------

static void test_cut_file(void **state)
{
    (void)state;
    static const char text[] = "{\"traceEvents\":[" KERNEL("a", "1", "1", "") "," KERNEL(
        "b", "2", "1", "") ",{\"ph\":\"X\",\"cat\":"
                           "\"kernel\",\"name\":\"c\",\"ts\":3,\"dur\":4";
    struct profile *profile = load(text);
    assert_int_equal(profile->work.count, 2);
    char expected[200];
    snprintf(
        expected, sizeof expected,
        "2 events recovered: the file ends early, at byte %d, as where the job is killed while "
        "it writes",
        (int)sizeof text - 1);
    const struct note *note = profile_find_note(profile, "file_cut");
    assert_non_null(note);
    if (note)
        assert_string_equal(note->text, expected);
    profile_free(profile);
}

static void test_mended_file(void **state)
{
    (void)state;
    struct profile *profile = load("[" KERNEL("a", "1", "1", "\"x\":N/A,") ",]");
    const struct note *note = profile_find_note(profile, "json_mended");
    assert_non_null(note);
    if (note)
        assert_int_equal(note->count, 3);
    assert_null(profile_find_note(profile, "file_cut"));
    profile_free(profile);
}

static void refused(const char *text, const char *expected)
{
    struct error error;
    struct profile *profile = try_load(text, &error);
    assert_null(profile);
    assert_int_equal(error.kind, ERROR_DATA);
    if (!strstr(error.message, expected))
        fail_msg("%s: %s", text, error.message);
}

static void test_no_trace(void **state)
{
    (void)state;
    refused("{\"traceEvents\":[]}", "holds no event of a PyTorch Profiler trace");
    refused("[{\"ph\":\"M\",\"name\":\"process_name\"}]", "holds no event");
    refused("[{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"a\",\"ts\":\"x\",\"dur\":1}]",
            "holds no event");
    refused("{\"answer\":42}", "export_chrome_trace");
    refused("[1,2,3]", "no profile");
}

static void test_cancel(void **state)
{
    (void)state;
    file_write(path, "{\"traceEvents\":[" KERNEL("a", "1", "1", "") "]}");
    struct load_progress progress = {.wake_fd = -1, .cancel = true};
    struct load_request request = {.path = path, .threads = 1, .progress = &progress};
    struct error error = {0};
    assert_null(profile_load(&request, &error));
    assert_int_equal(error.kind, ERROR_CANCELLED);
}

static void test_allocations_fail(void **state)
{
    (void)state;
    struct arena *arena = arena_new(0);
    file_write(
        path,
        arena_format(
            arena,
            "{%s,\"traceEvents\":[" FRAME("t.py(1): f", "11", "0", "100", "") "," FRAME(
                "nn.Module: L", "11", "1", "90",
                ",\"Python module id\":1") "," OP("aten::mm", "10", "20",
                                                  "\"Input Dims\":[[1]],\"Sequence "
                                                  "number\":1") "," CALL("cuda_runtime",
                                                                         "cudaLaunchKernel", "12",
                                                                         "1") "," KERNEL("k", "40",
                                                                                         "5",
                                                                                         "\"c"
                                                                                         "orr"
                                                                                         "ela"
                                                                                         "tio"
                                                                                         "n\""
                                                                                         ":1,"
                                                                                         "\"g"
                                                                                         "rid"
                                                                                         "\":"
                                                                                         "[1,"
                                                                                         "1,"
                                                                                         "1]") ","
                                                                                               "{\""
                                                                                               "ph"
                                                                                               "\":"
                                                                                               "\"X"
                                                                                               "\","
                                                                                               "\"c"
                                                                                               "at"
                                                                                               "\":"
                                                                                               "\"g"
                                                                                               "pu_"
                                                                                               "mem"
                                                                                               "cpy"
                                                                                               "\","
                                                                                               "\"n"
                                                                                               "ame"
                                                                                               "\":"
                                                                                               "\"M"
                                                                                               "emc"
                                                                                               "py "
                                                                                               "Hto"
                                                                                               "D\""
                                                                                               ",\""
                                                                                               "ts"
                                                                                               "\":"
                                                                                               "50,"
                                                                                               "\"d"
                                                                                               "ur"
                                                                                               "\":"
                                                                                               "1},"
                                                                                               "{\""
                                                                                               "ph"
                                                                                               "\":"
                                                                                               "\"X"
                                                                                               "\","
                                                                                               "\"c"
                                                                                               "at"
                                                                                               "\":"
                                                                                               "\"c"
                                                                                               "uda"
                                                                                               "_sy"
                                                                                               "nc"
                                                                                               "\","
                                                                                               "\"n"
                                                                                               "ame"
                                                                                               "\":"
                                                                                               "\"S"
                                                                                               "tre"
                                                                                               "am "
                                                                                               "Syn"
                                                                                               "c\""
                                                                                               ","
                                                                                               "\"t"
                                                                                               "s\""
                                                                                               ":60"
                                                                                               ",\""
                                                                                               "dur"
                                                                                               "\":"
                                                                                               "1},"
                                                                                               "{\""
                                                                                               "ph"
                                                                                               "\":"
                                                                                               "\"X"
                                                                                               "\","
                                                                                               "\"c"
                                                                                               "at"
                                                                                               "\":"
                                                                                               "\"o"
                                                                                               "ver"
                                                                                               "hea"
                                                                                               "d\""
                                                                                               ",\""
                                                                                               "nam"
                                                                                               "e\""
                                                                                               ":\""
                                                                                               "o\""
                                                                                               ","
                                                                                               "\"t"
                                                                                               "s\""
                                                                                               ":70"
                                                                                               ",\""
                                                                                               "dur"
                                                                                               "\":"
                                                                                               "1}]"
                                                                                               "}",
            facts));
    arena_free(arena);
    const char *paths[] = {path};
    assert_true(load_failures(paths, 1, 1) > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_era_1_8),
        cmocka_unit_test(test_era_2_3),
        cmocka_unit_test(test_era_2_6),
        cmocka_unit_test(test_makers),
        cmocka_unit_test(test_decimals),
        cmocka_unit_test(test_launches),
        cmocka_unit_test(test_reruns),
        cmocka_unit_test(test_launch_shapes),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_python),
        cmocka_unit_test(test_call_stack_argument),
        cmocka_unit_test(test_recursion),
        cmocka_unit_test(test_syncs_and_overhead),
        cmocka_unit_test(test_facts),
        cmocka_unit_test(test_odd_facts),
        cmocka_unit_test(test_bad_times),
        cmocka_unit_test(test_odd_ids),
        cmocka_unit_test(test_straddling),
        cmocka_unit_test(test_only_annotations),
        cmocka_unit_test(test_recording_costs),
        cmocka_unit_test(test_unknown_events),
        cmocka_unit_test(test_cut_file),
        cmocka_unit_test(test_mended_file),
        cmocka_unit_test(test_no_trace),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_allocations_fail),
    };
    int file = mkstemp(path);
    if (file < 0)
        return 1;
    close(file);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
