// SPDX-License-Identifier: Apache-2.0
// Traces of the PyTorch Profiler: bytes choose events, their members and odd values, or are the
// text itself. Refused with a message, or loaded as a profile that passes through reports like
// any other.
//
// Aims at: model/*/load_kineto* model/*/records*
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/bytes.h"
#include "profile_seed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct choices {
    const uint8_t *next, *end;
};

static unsigned choose(struct choices *choices, unsigned count)
{
    return choices->next < choices->end ? *choices->next++ % count : 0;
}

#define CHOOSE(choices, table) table[choose(choices, sizeof table / sizeof *table)]

static const char *const categories[] = {"cpu_op",
                                         "cuda_runtime",
                                         "kernel",
                                         "python_function",
                                         "user_annotation",
                                         "gpu_memcpy",
                                         "Operator",
                                         "cuda_driver",
                                         "gpu_memset",
                                         "gpu_user_annotation",
                                         "cuda_sync",
                                         "overhead",
                                         "other",
                                         "Kernel",
                                         "Trace",
                                         "mtia_runtime",
                                         "hip_runtime",
                                         "xpu_driver",
                                         "privateuse1_runtime",
                                         "cpu_instant_event"};
static const char *const names[] = {"aten::mm",
                                    "ProfilerStep#1",
                                    "ProfilerStep#2",
                                    "void gemm<float, (int)3>(float const*)",
                                    "cudaLaunchKernel",
                                    "cudaDeviceSynchronize",
                                    "nn.Module: Linear_0",
                                    "train.py(12): step",
                                    "Memcpy HtoD (Pinned -> Device)",
                                    "Memset (Device)",
                                    "ncclDevKernel_AllReduce",
                                    "Stream Sync",
                                    "autograd::engine::evaluate_function: MmBackward0",
                                    "enumerate(DataLoader)#_x.__next__",
                                    "[memory]",
                                    "record_param_comms",
                                    "Stream Wait Event",
                                    "Memcpy PtoP (Device -> Device)",
                                    "cudaGraphLaunch",
                                    "<built-in method mm>",
                                    "(): ",
                                    ""};
static const char *const odd_numbers[] = {
    "0",    "-1",        "9223372036854775807", "18446744073709551615",
    "1e15", "\"7\"",     "\"Spans\"",           "null",
    "nan",  "[1, 2, 3]", "{\"a\": 1}",          "1712345678901234.567",
    "1.5",  "-0.001",    "\"stream 7\"",        "1712345678901234567"};
static const char *const odd_texts[] = {
    "\"[1, 2]\"", "[[8, 16], []]", "[\"float\", \"\"]", "[]",   "\"a.py(1): f;b.py(2): g\"",
    "null",       "\"\\\"",        "\"\"x\"",           "true", "[[[1, 2], [3]], []]",
    "\"[0, 1]\"", "\"allreduce\"", "\"c10::BFloat16\"", "7"};

// Writes a small number from the next byte, or an odd one.
static void put_number(struct bytes *text, struct choices *choices, int64_t base)
{
    unsigned value = choose(choices, 256);
    if (value >= 0xF0)
        bytes_text(text, odd_numbers[value % 16 % (sizeof odd_numbers / sizeof *odd_numbers)]);
    else
        bytes_integer(text, base + value);
}

enum kind { NUMBER, TEXT, TRIPLE };
static const struct {
    const char *key;
    enum kind kind;
} arguments[] = {{"correlation", NUMBER},
                 {"External id", NUMBER},
                 {"device", NUMBER},
                 {"stream", NUMBER},
                 {"grid", TRIPLE},
                 {"block", TRIPLE},
                 {"bytes", NUMBER},
                 {"Input Dims", TEXT},
                 {"Input type", TEXT},
                 {"Concrete Inputs", TEXT},
                 {"Call stack", TEXT},
                 {"Sequence number", NUMBER},
                 {"Python module id", NUMBER},
                 {"graph id", NUMBER},
                 {"graph node id", NUMBER},
                 {"blocks per SM", NUMBER},
                 {"est. achieved occupancy %", NUMBER},
                 {"name", TEXT},
                 {"context", NUMBER},
                 {"registers per thread", NUMBER},
                 {"shared memory", NUMBER},
                 {"memory bandwidth (GB/s)", NUMBER},
                 {"Collective name", TEXT},
                 {"dtype", TEXT},
                 {"In msg nelems", NUMBER},
                 {"Out msg nelems", NUMBER},
                 {"Group size", NUMBER},
                 {"Process Group Name", TEXT},
                 {"Process Group Description", TEXT},
                 {"Process Group Ranks", TEXT},
                 {"Rank", NUMBER},
                 {"Seq", NUMBER},
                 {"Comms Id", TEXT},
                 {"Device Type", NUMBER},
                 {"Device Id", NUMBER},
                 {"Bytes", NUMBER},
                 {"Addr", NUMBER},
                 {"Total Allocated", NUMBER},
                 {"Total Reserved", NUMBER}};

static void put_argument(struct bytes *text, struct choices *choices)
{
    unsigned which = choose(choices, sizeof arguments / sizeof *arguments);
    bytes_char(text, '"');
    bytes_text(text, arguments[which].key);
    bytes_text(text, "\":");
    if (arguments[which].kind == TEXT) {
        bytes_text(text, CHOOSE(choices, odd_texts));
    } else if (arguments[which].kind == NUMBER) {
        put_number(text, choices, 0);
    } else {
        bytes_char(text, '[');
        put_number(text, choices, 1);
        bytes_text(text, ",1,1]");
    }
}

static void put_event(struct bytes *text, struct choices *choices)
{
    unsigned form = choose(choices, 32);
    bytes_text(text, form == 31   ? "{\"ph\":\"M\",\"name\":\"thread_name\""
                     : form == 30 ? "{\"ph\":\"M\",\"name\":\"process_name\""
                     : form == 29 ? "{\"ph\":\"i\""
                     : form == 27 ? "{\"ph\":\"B\""
                     : form == 26 ? "{\"ph\":\"i\",\"name\":\"[memory]\""
                                  : "{\"ph\":\"X\"");
    bytes_text(text, ",\"cat\":\"");
    bytes_text(text, CHOOSE(choices, categories));
    if (form < 30 && form != 26) {
        bytes_text(text, "\",\"name\":\"");
        bytes_text(text, CHOOSE(choices, names));
    }
    bytes_text(text, "\",\"pid\":");
    put_number(text, choices, 0);
    bytes_text(text, ",\"tid\":");
    put_number(text, choices, 0);
    bytes_text(text, ",\"ts\":");
    put_number(text, choices, 1000);
    bytes_text(text, ",\"dur\":");
    put_number(text, choices, 0);
    bytes_text(text, ",\"args\":{");
    for (unsigned i = 0, count = choose(choices, 8); i < count; i++) {
        if (i)
            bytes_char(text, ',');
        put_argument(text, choices);
    }
    bytes_text(text, form == 28 ? "}" : "}}"); // the bracket may be missing
}

static const char *const members[] = {
    "\"schemaVersion\":1",
    "\"deviceProperties\":[{\"id\":0,\"name\":\"H100\",\"numSms\":132},{\"id\":7}]",
    "\"distributedInfo\":{\"rank\":3,\"world_size\":8}",
    "\"baseTimeNanoseconds\":1712345678000000000",
    "\"cuda_runtime_version\":12040",
    "\"schemaVersion\":[{\"traceEvents\":[]}]",
    "\"distributedInfo\":{\"rank\":N/A}",
    "\"Framework\":\"pytorch-lightning\"",
    ("\"deviceProperties\":[{\"id\":1,\"name\":\"B200\",\"totalGlobalMem\":-1,\"computeMajor\":10,"
     "\"computeMinor\":0},7,{\"id\":1e9},{\"numSms\":[]}]"),
    "\"distributedInfo\":{\"backend\":\"nccl\",\"rank\":\"1\",\"pg_config\":[{\"ranks\":[0,1]}]}",
    "\"baseTimeNanoseconds\":\"x\"",
    "\"cuda_runtime_version\":-1",
    "\"deviceProperties\":{\"id\":0}",
    "\"distributedInfo\":[3]",
    "\"Framework\":7"};

static void put_trace(struct bytes *text, struct choices *choices)
{
    bool is_list = choose(choices, 2);
    bytes_text(text, is_list ? "[" : "{");
    for (unsigned i = 0, count = is_list ? 0 : choose(choices, 4); i < count; i++) {
        bytes_text(text, CHOOSE(choices, members));
        bytes_char(text, ',');
    }
    bytes_text(text, is_list ? "" : "\"traceEvents\":[");
    for (bool is_first = true; choices->next < choices->end; is_first = false) {
        bytes_text(text, is_first ? "" : ",\n");
        put_event(text, choices);
    }
    bytes_text(text, is_list ? "]" : "]}");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 3 || size > 1 << 14)
        return 0;
    struct arena *arena = arena_new(0);
    if (!arena)
        abort();
    struct bytes text = {.arena = arena};
    struct choices choices = {data + 1, data + size};
    if (data[0] & 1)
        bytes_add(&text, (const char *)data + 1, size - 1);
    else
        put_trace(&text, &choices);
    seed_write(text.items, text.count);
    arena_free(arena);
    struct profile *profile = seed_load((enum mode)(data[0] / 2 % MODE_COUNT));
    if (profile)
        profile_exercise(profile, data[0]);
    profile_free(profile);
    return 0;
}
