// SPDX-License-Identifier: Apache-2.0
// Writes a trace of the PyTorch Profiler as torch 2.6 does with with_stack, record_shapes and
// profile_memory: a transformer in training, with forward and backward on separate threads. Each
// op has its enclosing Python frames, its launch, its kernel, the flow arrow between them and its
// allocations.
#include "kineto.h"

#include "fail.h"
#include "rng.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { PID = 4217, MAIN = 4217, BACKWARD = 4301, LAYERS = 24 };

typedef struct {
    FILE *file;
    Rng rng;
    int64_t host_ns, gpu_ns, kernels, sequence, id, allocated;
    uint64_t correlation;
    bool has_events;
} Trace;

typedef struct {
    const char *op, *inner, *kernel;
    const char *dims, *types;
    int grid, registers, us;
} Work;

static const Work works[] = {
    {"aten::linear", "aten::addmm",
     "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_cublas",
     "[[8192, 2048], [2048, 2048], [2048]]",
     "[\"c10::BFloat16\", \"c10::BFloat16\", \"c10::BFloat16\"]", 1024, 168, 210},
    {"aten::add", NULL,
     "void at::native::vectorized_elementwise_kernel<4, "
     "at::native::CUDAFunctor_add<c10::BFloat16>, "
     "std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, "
     "3ul>)",
     "[[8, 1024, 2048], [8, 1024, 2048], []]", "[\"c10::BFloat16\", \"c10::BFloat16\", \"Scalar\"]",
     8192, 32, 19},
    {"aten::layer_norm", "aten::native_layer_norm",
     "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, "
     "float>(int, float, "
     "c10::BFloat16 const*, c10::BFloat16 const*, c10::BFloat16 const*, float*, float*, "
     "c10::BFloat16*)",
     "[[8, 1024, 2048], [], [2048], [2048], []]",
     "[\"c10::BFloat16\", \"ScalarList\", \"float\", \"float\", \"Scalar\"]", 8192, 40, 24},
    {"aten::scaled_dot_product_attention", "aten::_flash_attention_forward",
     "void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<128, 128, 64, 4, "
     "false, false, "
     "cutlass::bfloat16_t> >(pytorch_flash::Flash_fwd_params)",
     "[[8, 16, 1024, 128], [8, 16, 1024, 128], [8, 16, 1024, 128]]",
     "[\"c10::BFloat16\", \"c10::BFloat16\", \"c10::BFloat16\"]", 1024, 255, 310},
};
enum { WORKS = sizeof works / sizeof works[0] };

// ---- events ------------------------------------------------------------------------------------

static const char *separator(Trace *trace)
{
    const char *text = trace->has_events ? "," : "";
    trace->has_events = true;
    return text;
}

static void event_begin(Trace *trace, const char *category, const char *name, int pid, int tid,
                        int64_t start_ns, int64_t length_ns)
{
    fprintf(
        trace->file,
        "%s\n  {\n    \"ph\": \"X\", \"cat\": \"%s\", \"name\": \"%s\", \"pid\": %d, \"tid\": %d,\n"
        "    \"ts\": %" PRId64 ".%03d, \"dur\": %" PRId64 ".%03d",
        separator(trace), category, name, pid, tid, start_ns / 1000, (int)(start_ns % 1000),
        length_ns / 1000, (int)(length_ns % 1000));
}

static void event_frame(Trace *trace, const char *name, int64_t start_ns, int64_t length_ns,
                        int module)
{
    event_begin(trace, "python_function", name, PID, MAIN, start_ns, length_ns);
    fprintf(trace->file,
            ",\n    \"args\": {\n      \"Python parent id\": %" PRId64 ", \"Python id\": %" PRId64,
            trace->id, trace->id + 1);
    if (module >= 0)
        fprintf(trace->file, ", \"Python module id\": %d", module);
    trace->id++;
    fprintf(trace->file, ", \"Ev Idx\": %" PRId64 "\n    }\n  }", trace->id);
}

static void event_op(Trace *trace, const char *name, const Work *work, int tid, int64_t start_ns,
                     int64_t length_ns, bool is_backward)
{
    event_begin(trace, "cpu_op", name, PID, tid, start_ns, length_ns);
    fprintf(trace->file,
            ",\n    \"args\": {\n      \"External id\": %" PRId64 ",\"Record function id\": 0, "
            "\"Concrete Inputs\": [\"\", \"\", \"\"], \"Input type\": %s, \"Input Strides\": "
            "[[2048, 1], [1, 2048], "
            "[1]], \"Input Dims\": %s, \"Sequence number\": %" PRId64
            ", \"Fwd thread id\": %d, \"Ev Idx\": "
            "%" PRId64 "\n    }\n  }",
            trace->id + 1, work->types, work->dims, trace->sequence, is_backward, trace->id + 1);
    trace->id++;
}

static void event_memory(Trace *trace, int tid, int64_t at_ns, int64_t bytes)
{
    trace->allocated += bytes;
    fprintf(trace->file,
            "%s\n  {\n    \"ph\": \"i\", \"cat\": \"cpu_instant_event\", \"s\": \"t\", \"name\": "
            "\"[memory]\",\n"
            "    \"pid\": %d, \"tid\": %d,\n    \"ts\": %" PRId64 ".%03d,\n    \"args\": {\n"
            "      \"Total Reserved\": 34359738368, \"Total Allocated\": %" PRId64
            ", \"Bytes\": %" PRId64 ", \"Addr\": %" PRId64
            ", \"Device Id\": 0, \"Device Type\": 1, \"Ev Idx\": %" PRId64 "\n    }\n  }",
            separator(trace), PID, tid, at_ns / 1000, (int)(at_ns % 1000), trace->allocated, bytes,
            INT64_C(140000000000000) + (bytes < 0 ? -bytes : bytes) * 512, ++trace->id);
}

// Writes one end of the flow arrow from a launch to its kernel.
static void event_flow(Trace *trace, const char *phase, int pid, int tid, int64_t at_ns)
{
    fprintf(trace->file,
            ",\n  {\n    \"ph\": \"%s\", \"id\": %" PRIu64
            ", \"pid\": %d, \"tid\": %d, \"ts\": %" PRId64
            ".%03d,\n    \"cat\": \"ac2g\", \"name\": \"ac2g\"%s\n  }",
            phase, trace->correlation, pid, tid, at_ns / 1000, (int)(at_ns % 1000),
            *phase == 'f' ? ", \"bp\": \"e\"" : "");
}

static void event_kernel(Trace *trace, const Work *work, int tid)
{
    int64_t call_ns = trace->host_ns,
            length_ns = (int64_t)(work->us * 1000 * rng_jitter(&trace->rng, 0.05));
    trace->correlation++;
    event_begin(trace, "cuda_runtime", "cudaLaunchKernel", PID, tid, call_ns, 4200);
    fprintf(trace->file,
            ",\n    \"args\": {\n      \"External id\": %" PRId64
            ", \"cbid\": 211, \"correlation\": %" PRIu64 "\n    }\n  }",
            trace->id, trace->correlation);
    event_flow(trace, "s", PID, tid, call_ns);
    trace->host_ns += 5000;
    if (trace->gpu_ns < call_ns + 6000)
        trace->gpu_ns = call_ns + 6000;
    event_begin(trace, "kernel", work->kernel, 0, 7, trace->gpu_ns, length_ns);
    fprintf(trace->file,
            ",\n    \"args\": {\n      \"External id\": %" PRId64
            ", \"queued\": 0, \"device\": 0, \"context\": 1,\n"
            "      \"stream\": 7, \"correlation\": %" PRIu64
            ",\n      \"registers per thread\": %d,\n"
            "      \"shared memory\": 0,\n      \"blocks per SM\": %d.%06d,\n      \"warps per "
            "SM\": %d.5,\n"
            "      \"grid\": [%d, 1, 1],\n      \"block\": [128, 1, 1],\n"
            "      \"est. achieved occupancy %%\": %d\n    }\n  }",
            trace->id, trace->correlation, work->registers, work->grid / 132,
            work->grid % 132 * 7575, work->grid / 33, work->grid, 2048 / work->registers);
    event_flow(trace, "f", 0, 7, trace->gpu_ns);
    trace->gpu_ns += length_ns + 900;
    trace->kernels++;
}

// ---- a step ------------------------------------------------------------------------------------

static void op_run(Trace *trace, const Work *work, bool is_backward)
{
    int64_t start_ns = trace->host_ns;
    int tid = is_backward ? BACKWARD : MAIN;
    char name[120];
    trace->sequence += !is_backward;
    trace->host_ns += 3000;
    event_memory(trace, tid, trace->host_ns, is_backward ? -4194304 : 4194304);
    event_kernel(trace, work, tid);
    trace->host_ns += 2000;
    snprintf(name, sizeof name, "autograd::engine::evaluate_function: %sBackward0", work->op + 6);
    event_op(trace, is_backward ? name : work->op, work, tid, start_ns, trace->host_ns - start_ns,
             is_backward);
    if (work->inner && !is_backward)
        event_op(trace, work->inner, work, tid, start_ns + 900, trace->host_ns - start_ns - 1800,
                 false);
    if (!is_backward) {
        event_frame(trace, "<built-in method forward of Tensor object at 0x7f3a1c0b9e40>",
                    start_ns - 500, trace->host_ns - start_ns + 1000, -1);
        event_frame(trace, "torch/nn/modules/module.py(1751): _call_impl", start_ns - 900,
                    trace->host_ns - start_ns + 1800, -1);
    }
    trace->host_ns += 2500;
}

static void layer_run(Trace *trace, int layer)
{
    int64_t start_ns = trace->host_ns;
    char name[120];
    trace->host_ns += 3000;
    for (int i = 0; i < 12; i++)
        op_run(trace, &works[i % WORKS], false);
    snprintf(name, sizeof name, "nn.Module: Block_%d", layer);
    event_frame(trace, name, start_ns, trace->host_ns - start_ns, layer);
    event_frame(trace, "model.py(88): forward", start_ns + 500, trace->host_ns - start_ns - 1000,
                -1);
}

static void step_run(Trace *trace, int step)
{
    int64_t start_ns = trace->host_ns;
    char name[40];
    trace->host_ns += 20000;
    for (int layer = 0; layer < LAYERS; layer++)
        layer_run(trace, layer);
    for (int i = 0; i < LAYERS * 12; i++)
        op_run(trace, &works[(WORKS - 1) - i % WORKS], true);
    trace->host_ns += 20000;
    event_frame(trace, "train.py(42): train_step", start_ns + 1000,
                trace->host_ns - start_ns - 2000, -1);
    snprintf(name, sizeof name, "ProfilerStep#%d", step);
    event_begin(trace, "user_annotation", name, PID, MAIN, start_ns, trace->host_ns - start_ns);
    fputs("\n  }", trace->file);
    event_begin(trace, "gpu_user_annotation", name, 0, 7, start_ns + 9000,
                trace->host_ns - start_ns);
    fputs("\n  }", trace->file);
}

void kineto_write(const char *path, int steps, int64_t kernels, uint64_t seed, bool force)
{
    if (!force && access(path, F_OK) == 0)
        fail("%s is there already; --force overwrites it", path);
    Trace trace = {.file = fopen(path, "w"), .rng = rng_seeded(seed, 1, 0), .host_ns = 5000000123};
    if (!trace.file)
        fail("%s cannot be written", path);
    fputs("{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [\n    {\"id\": 0, \"name\": "
          "\"NVIDIA H100 80GB HBM3\", "
          "\"totalGlobalMem\": 85017493504, \"computeMajor\": 9, \"computeMinor\": 0, \"numSms\": "
          "132}\n  ],\n"
          "  \"cuda_runtime_version\": 12040, \"with_stack\": 1, \"record_shapes\": 1, "
          "\"profile_memory\": 1,\n"
          "  \"baseTimeNanoseconds\": 1712345678000000000,\n  \"traceEvents\": [",
          trace.file);
    for (int step = 0; kernels ? trace.kernels < kernels : step < steps; step++)
        step_run(&trace, step);
    fputs("\n  ],\n  \"traceName\": \"trace.json\"\n}\n", trace.file);
    if (ferror(trace.file) | fclose(trace.file))
        fail("%s cannot be written whole", path);
}
