// SPDX-License-Identifier: Apache-2.0
// Checks how the texts of ranges are classified and parsed, dialect by dialect, against tables of
// texts.
#include "property.h"

#include <string.h>

#include "model/markers/markers.h"
#include "profile_builder.h"

struct fixture {
    struct arena *arena;
    struct strings *strings;
    struct marker marker;
};

static struct fixture fixture;

static int set_up(void **state)
{
    (void)state;
    fixture.arena = arena_new(0);
    fixture.strings = strings_new(fixture.arena);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    arena_free(fixture.arena);
    return 0;
}

static const struct marker *parse_in(const char *domain, const char *text)
{
    marker_parse(fixture.strings, fixture.arena, domain, strings_intern_text(fixture.strings, text),
                 &fixture.marker);
    return &fixture.marker;
}

static const struct marker *parse(const char *text)
{
    return parse_in("", text);
}

static const char *string(string_id id)
{
    return strings_text(fixture.strings, id);
}

static const char *const dialect_names[DIALECT_COUNT] = {
    [DIALECT_PLAIN] = "plain",
    [DIALECT_DLPROF] = "dlprof",
    [DIALECT_EMIT_NVTX] = "emit_nvtx",
    [DIALECT_LAYER] = "layer",
    [DIALECT_MODULE_DICT] = "module_dict",
    [DIALECT_FSDP] = "fsdp",
    [DIALECT_COMPILE] = "compile",
    [DIALECT_MEGATRON] = "megatron",
    [DIALECT_LIGHTNING] = "lightning",
    [DIALECT_SERVING] = "serving",
    [DIALECT_TENSORFLOW] = "tensorflow",
    [DIALECT_XLA] = "xla",
    [DIALECT_TENSORRT] = "tensorrt",
};

static const char *const kind_names[MARKER_KIND_COUNT] = {
    [MARKER_PLAIN] = "plain",
    [MARKER_STEP] = "step",
    [MARKER_LAYER] = "layer",
    [MARKER_TRACE] = "trace",
    [MARKER_OP] = "op",
    [MARKER_REPR] = "repr",
    [MARKER_ENGINE] = "engine",
    [MARKER_BACKWARD] = "backward",
    [MARKER_OPTIMIZER] = "optimizer",
    [MARKER_DATALOADER] = "dataloader",
    [MARKER_CONFIG] = "config",
    [MARKER_COMPILED] = "compiled",
    [MARKER_LIBRARY] = "library",
};

static void every_dialect(void **state)
{
    (void)state;
    static const struct {
        const char *domain, *text, *kind, *dialect, *title;
    } cases[] = {
        {"", "forward", "plain", "plain", "forward"},
        {"", "Backward", "plain", "plain", "Backward"},
        {"", "", "plain", "plain", "(no text)"},
        // steps: only if the whole text matches
        {"", "step 12", "step", "plain", "step N"},
        {"", "Step 12", "step", "plain", "Step N"},
        {"", "iter_12", "step", "plain", "iter_N"},
        {"", "iteration 7", "step", "plain", "iteration N"},
        {"", "training_step_7", "step", "plain", "training_step_N"},
        {"", "Batch 4", "step", "plain", "Batch N"},
        {"", "ProfilerStep#3", "step", "emit_nvtx", "ProfilerStep#N"},
        {"", "ProfilerStep#3, op_id = 9", "step", "emit_nvtx", "ProfilerStep#N"},
        {"", "Warm-up Step 3", "plain", "plain", "Warm-up Step 3"},
        {"", "step 12 of 20", "plain", "plain", "step 12 of 20"},
        {"", "step", "plain", "plain", "step"},
        {"", "it2", "plain", "plain", "it2"},
        {"", "chunk7", "plain", "plain", "chunk7"},
        // PyTorch
        {"", "aten::mm", "op", "emit_nvtx", "aten::mm"},
        {"", "aten::mm, seq = 5, op_id = 12", "op", "emit_nvtx", "aten::mm"},
        {"", "aten::add, op_id = 12, sizes = [[8, 16], []]", "op", "emit_nvtx", "aten::add"},
        {"", "conv2d, seq = 12", "op", "emit_nvtx", "conv2d"},
        {"", "conv2d", "plain", "plain", "conv2d"},
        {"", "MmBackward, seq = 114", "backward", "emit_nvtx", "MmBackward"},
        {"", "AddmmBackward0", "backward", "emit_nvtx", "AddmmBackward0"},
        {"", "torch::autograd::CopyBackwards, seq = 92", "backward", "emit_nvtx", "CopyBackwards"},
        {"", "torch::autograd::AccumulateGrad", "backward", "emit_nvtx", "AccumulateGrad"},
        {"", "ModelBackward", "plain", "plain", "ModelBackward"},
        {"", "FlashAttnFunc, seq = 7, op_id = 3, sizes = [[2, 8]]", "op", "emit_nvtx",
         "FlashAttnFunc"},
        {"", "FlashAttnFunc, seq = 7", "plain", "plain", "FlashAttnFunc"},
        {"", "autograd::engine::evaluate_function: MmBackward0", "engine", "emit_nvtx",
         "evaluate_function: MmBackward0"},
        {"", "Optimizer.step#AdamW.step", "optimizer", "emit_nvtx", "Optimizer.step#AdamW.step"},
        {"", "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", "dataloader",
         "emit_nvtx", "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"},
        {"", "DistributedDataParallel.forward", "plain", "plain",
         "DistributedDataParallel.forward"},
        // layers
        {"", "layer:encoder.0", "layer", "layer", "encoder.0"},
        {"", "layer:B:C", "layer", "layer", "B"},
        {"", "model.layers.3.mlp", "layer", "layer", "model.layers.3.mlp"},
        {"", "F:layers.3.attn:Attention", "layer", "layer", "layers.3.attn"},
        {"", "Optimizer.step", "plain", "plain", "Optimizer.step"},
        {"", "torch.cuda.sync", "plain", "plain", "torch.cuda.sync"},
        {"", "3.5", "plain", "plain", "3.5"},
        {"",
         "{'Module': 'model.layers.3.mlp', 'TrainableParams': {'weight': [4, 4]}, 'Inputs': "
         "[[1, 4096]], 'StaticParams': {}}",
         "layer", "module_dict", "model.layers.3.mlp"},
        {"", "FSDP::pre_forward (encoder.block.14.layer.1)", "layer", "fsdp", "FSDP::pre_forward"},
        {"", "FSDP::all_gather", "plain", "fsdp", "FSDP::all_gather"},
        // torch.compile
        {"", "Torch-Compiled Region: 0/0", "compiled", "compile", "Torch-Compiled Region: 0/0"},
        {"", "## Call CompiledFxGraph f3a9c0ffee12 ##", "compiled", "compile",
         "## Call CompiledFxGraph ##"},
        {"", "CompiledFunctionBackward", "backward", "compile", "CompiledFunctionBackward"},
        // Megatron-Core, NeMo, Transformer Engine
        {"", "megatron.core.transformer.transformer_layer._forward_attention.self_attention",
         "plain", "megatron", "transformer_layer._forward_attention.self_attention"},
        {"", "megatron.core.pipeline_parallel.schedules.forward_step", "plain", "megatron",
         "pipeline_parallel.schedules.forward_step"},
        {"", "transformer_engine._Linear.backward.dgrad_gemm", "plain", "megatron",
         "_Linear.backward.dgrad_gemm"},
        {"", "nemo.collections.llm.gpt.forward", "plain", "megatron", "llm.gpt.forward"},
        {"", "megatron.", "plain", "plain", "megatron."},
        {"", "megatron.core..forward", "plain", "plain", "megatron.core..forward"},
        {"", "megatron.core.a b", "plain", "plain", "megatron.core.a b"},
        {"", "megatron is slow", "plain", "plain", "megatron is slow"},
        {"", "nvte_cublas_gemm", "library", "plain", "nvte_cublas_gemm"},
        {"mine", "nvte_cublas_gemm", "plain", "plain", "nvte_cublas_gemm"},
        {"", "training_step_12", "step", "plain", "training_step_N"},
        // PyTorch Lightning
        {"", "[pl][profile]run_training_batch", "plain", "lightning", "run_training_batch"},
        {"", "[pl][module]torch.nn.modules.linear.Linear: model.layers.3.mlp", "layer", "lightning",
         "model.layers.3.mlp"},
        {"", "[pl][profile]", "plain", "plain", "[pl][profile]"},
        {"", "[pl][module]Linear", "plain", "plain", "[pl][module]Linear"},
        {"", "[pl][module]: a", "plain", "plain", "[pl][module]: a"},
        {"", "[pl][module]a: ", "plain", "plain", "[pl][module]a: "},
        // servers
        {"", "execute_context_1(888_788544)_generation_0(0)", "step", "serving",
         "execute_context_N(N_N)_generation_0(0)"},
        {"",
         "execute_8192_context_9(sq8155sk8430sqsq7475785sqsk7671310)_generation_37"
         "(sq37sk34489sqsq37sqsk34489)",
         "step", "serving", "execute_N_context_N(sqNskNsqsqNsqskN)_generation_N(sqNskNsqsqNsqskN)"},
        {"", "execute_diffusion_1_0x0", "step", "serving", "execute_diffusion_N_0x0"},
        {"", "step[DECODE bs=32]", "step", "serving", "step[DECODE bs=N]"},
        {"", "step[EXTEND bs=1 toks=100 c_sqsq=4 c_sqsk=5]", "step", "serving",
         "step[EXTEND bs=N toks=N c_sqsq=N c_sqsk=N]"},
        {"", "step[3]", "plain", "plain", "step[3]"},
        {"", "prefill[bs=2 tok=100]", "step", "serving", "prefill[bs=N tok=N]"},
        {"", "decode[bs=2", "plain", "plain", "decode[bs=2"},
        {"", "[Executor] _forward_step 0", "step", "serving", "[Executor] _forward_step N"},
        {"", "[Executor] _forward_step 40: 1 ctx reqs, 900 ctx tokens, 0 gen reqs", "step",
         "serving", "[Executor] _forward_step N: N ctx reqs, N ctx tokens, 0 gen reqs"},
        {"", "[Executor] _forward_step: 1 ctx reqs, 8 gen reqs", "step", "serving",
         "[Executor] _forward_step: N ctx reqs, N gen reqs"},
        {"", "[Executor] _forward_step: 3 mm reqs", "step", "serving",
         "[Executor] _forward_step: N mm reqs"},
        {"", "[Executor] _forward_step -1", "plain", "plain", "[Executor] _forward_step -1"},
        {"", "execute_context_2(512)_generation_30(30)", "step", "serving",
         "execute_context_N(N)_generation_N(N)"},
        {"", "execute_context_0(0)_generation_30(30)", "step", "serving",
         "execute_context_0(0)_generation_N(N)"},
        {"", "execute_new_2_cached_0", "step", "serving", "execute_new_N_cached_0"},
        {"", "execute_new_2_cached_", "plain", "plain", "execute_new_2_cached_"},
        {"", "execute_new_2_cached_3 ", "plain", "plain", "execute_new_2_cached_3 "},
        {"", "execute_new", "plain", "plain", "execute_new"},
        // libraries are recognised by their domain
        {"cuBLAS", "cublasCreate_v2", "library", "plain", "cublasCreate_v2"},
        {"NCCL", "ncclAllReduce", "library", "plain", "ncclAllReduce"},
        {"NCCL", "step 3", "library", "plain", "step 3"},
        // XLA: only in its domain and only with its key
        {"TSL", "XlaModule:#hlo_module=jit_step,program_id=9#", "plain", "xla",
         "XlaModule jit_step"},
        {"TSL", "XlaModule:#prefix=jit(f)/jit(main),hlo_module=jit_f,program_id=9#", "plain", "xla",
         "XlaModule jit_f"},
        {"TSL", "XlaModule:#program_id=9#", "library", "plain", "XlaModule"},
        {"TSL", "XlaCompile:#module=jit_f,program_id=9#", "library", "plain", "XlaCompile"},
        {"TSL", "Thunk:#hlo_op=fusion.3,hlo_module=jit_f#", "op", "xla", "fusion.3"},
        {"TSL",
         "Thunk:#name=jit(f)/jit(main)/Net/dot_general[dims=((1,), (0,)) "
         "x=a/b],hlo_op=dot.4.remat#",
         "op", "xla", "Net/dot_general/dot.4.remat"},
        {"TSL", "Thunk:#name=jit(f),hlo_op=add#", "op", "xla", "add"},
        {"TSL", "Thunk:#name=a/while,hlo_op=while.12#", "plain", "xla", "a/while/while.12"},
        {"TSL", "Thunk:#name=a[(,hlo_op=dot.4#", "library", "plain", "Thunk"},
        {"TSL", "Thunk:#hlo_op=#", "library", "plain", "Thunk"},
        {"TSL", "Thunk:#", "library", "plain", "Thunk"},
        {"TSL", "Thunk:", "library", "plain", "Thunk:"},
        {"TSL", "#hlo_op=dot#", "library", "plain", "#hlo_op=dot#"},
        {"", "Thunk:#hlo_op=fusion.3#", "plain", "plain", "Thunk:#hlo_op=fusion.3#"},
        {"TSL", "PjRtStreamExecutorLoadedExecutable::Execute", "library", "plain",
         "PjRtStreamExecutorLoadedExecutable::Execute"},
        {"TSL", "dense/MatMul:MatMul#id=4#", "op", "tensorflow", "dense/MatMul"},
        {"TSL", "replica_1/dense/MatMul:MatMul", "op", "tensorflow", "replica_1/dense/MatMul"},
        {"TSL", "cluster_3_1/xla_run:_XlaRun#id=4#", "op", "tensorflow", "cluster_3_1/xla_run"},
        {"TSL", "dense/MatMul:matmul", "library", "plain", "dense/MatMul:matmul"},
        {"tensorflow-core", "MatMul: dense/MatMul", "op", "tensorflow", "dense/MatMul"},
        {"tensorflow-core", "_XlaRun: cluster_3_1/xla_run", "op", "tensorflow",
         "cluster_3_1/xla_run"},
        {"tensorflow-core", "{\"op\": \"MatMul\", \"name\": \"dense/MatMul\", \"n\": [1]}", "op",
         "tensorflow", "dense/MatMul"},
        {"tensorflow-core", "{\"op\": \"mat mul\", \"name\": \"a\"}", "plain", "plain",
         "{\"op\": \"mat mul\", \"name\": \"a\"}"},
        {"tensorflow-core", "{\"op\": \"MatMul\", \"name\": \"dense", "plain", "plain",
         "{\"op\": \"MatMul\", \"name\": \"dense"},
        {"tensorflow-core", "session.run", "plain", "plain", "session.run"},
        {"TensorRT", "ExecutionContext::execute", "plain", "tensorrt", "ExecutionContext::execute"},
        {"TensorRT", "/conv1/Conv + /relu/Relu", "op", "tensorrt", "/conv1/Conv + /relu/Relu"},
        {"TensorRT", "{\"Name\": \"conv1\", \"LayerType\": \"CaskConvolution\"}", "op", "tensorrt",
         "conv1"},
        {"TensorRT", "{\"LayerType\": \"CaskConvolution\"}", "op", "tensorrt",
         "{\"LayerType\": \"CaskConvolution\"}"},
        {"TensorRT", "{ForeignNode[/a/MatMul.../a/Add]}", "op", "tensorrt",
         "{ForeignNode[/a/MatMul.../a/Add]}"},
        // malformed dicts are user texts
        {"", "{'mod': 'torch', 'op': 'mm', 'args': [", "plain", "plain",
         "{'mod': 'torch', 'op': 'mm', 'args': ["},
        {"", "{'mod': 'torch', 'op': 'mm'}", "plain", "plain", "{'mod': 'torch', 'op': 'mm'}"},
        {"", "{}", "plain", "plain", "{}"},
        {"", "{'mod': __import__('os').system('x'), 'op': 'mm', 'args': []}", "plain", "plain",
         "{'mod': __import__('os').system('x'), 'op': 'mm', 'args': []}"},
        {"", "{\"model_config\": {\"emit_nvtx\": true}}", "config", "dlprof",
         "{\"model_config\": {\"emit_nvtx\": true}}"},
        {"", "{'model_config': {'emit_nvtx': true}}", "config", "dlprof", // in PyTorch traces
         "{'model_config': {'emit_nvtx': true}}"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct marker *marker = parse_in(cases[i].domain, cases[i].text);
        if (strcmp(kind_names[marker->kind], cases[i].kind) != 0 ||
            strcmp(dialect_names[marker->dialect], cases[i].dialect) != 0 ||
            strcmp(string(marker->title), cases[i].title) != 0)
            fail_msg("%s: %s, %s, \"%s\"", cases[i].text, kind_names[marker->kind],
                     dialect_names[marker->dialect], string(marker->title));
        assert_string_equal(string(marker->text), cases[i].text);
    }
}

static void dlprof_op(void **state)
{
    (void)state;
    const struct marker *marker =
        parse("{'mod': 'torch.nn.functional', 'op': 'conv2d', 'callid': 3, 'input_callids': [1], "
              "'args': [{'name': '', 'type': 'tensor', 'shape': (32, 3, 32, 32), 'dtype': "
              "'float32'}, {'name': 'stride', 'type': 'tuple', 'value': (2, 2)}, {'name': "
              "'bias', 'type': 'NoneType', 'value': None}, {'name': '', 'type': 'tensor', "
              "'shape': (6,), 'dtype': 'bfloat16'}]}");
    assert_int_equal(marker->kind, MARKER_OP);
    assert_string_equal(string(marker->module), "torch.nn.functional");
    assert_string_equal(string(marker->type), "conv2d");
    assert_int_equal(marker->argument_count, 4);
    assert_true(marker->arguments[0].is_tensor);
    assert_int_equal(marker->arguments[0].name, STRING_NONE);
    assert_string_equal(string(marker->arguments[0].dtype), "float32");
    assert_int_equal(marker->arguments[0].rank, 4);
    assert_int_equal(marker->arguments[0].dims[1], 3);
    assert_false(marker->arguments[1].is_tensor);
    assert_string_equal(string(marker->arguments[1].name), "stride");
    assert_string_equal(string(marker->arguments[1].value), "(2, 2)");
    assert_string_equal(string(marker->arguments[2].value), "None");
    assert_int_equal(marker->arguments[3].rank, 1);
    assert_int_equal(marker->arguments[3].dims[0], 6);
}

static void dlprof_trace(void **state)
{
    (void)state;
    const struct marker *marker =
        parse("{'traceMarker': ['a.py:1', \"it's.py:2\"], 'funcStack': '/<module>/f/mm(2)'}");
    assert_int_equal(marker->kind, MARKER_TRACE);
    assert_string_equal(string(marker->path), "/<module>/f/mm(2)");
    assert_string_equal(string(marker->stack), "a.py:1\nit's.py:2");
    marker = parse("{'traceMarker': ['a.py:1']}"); // PyProf before it had funcStack
    assert_int_equal(marker->kind, MARKER_TRACE);
    assert_int_equal(marker->path, STRING_NONE);
    marker = parse("{'mod': 'LSTMCell', 'strRepr': '512, 512'}");
    assert_int_equal(marker->kind, MARKER_REPR);
    assert_string_equal(string(marker->title), "512, 512");
}

static void sizes_are_shapes(void **state)
{
    (void)state;
    const struct marker *marker = parse("aten::addmm, seq = 1, op_id = 2, sizes = [[6], [32, 6], "
                                        "[], [6, 6]], input_op_ids = [(12,0)]");
    assert_string_equal(string(marker->type), "addmm");
    // The marker that follows the list belongs to PyTorch and not to the list; the shapes are still
    // read.
    assert_int_equal(marker->argument_count, 4);
    assert_int_equal(marker->arguments[1].dims[0], 32);
    assert_false(marker->arguments[2].is_tensor);
}

// vLLM's ranges may hold any value that Python prints.
static void module_dicts(void **state)
{
    (void)state;
    const struct marker *marker =
        parse("{'Module': 'Model.model.layers.0.self_attn.qkv_proj', 'TrainableParams': {'weight': "
              "[4608, 3584]}, 'Inputs': [[16, 3584], [], 'None', [[1], [2]]], 'StaticParams': "
              "{'in_features': 3584, 'bias': None}}");
    assert_int_equal(marker->kind, MARKER_LAYER);
    assert_string_equal(string(marker->path), "Model.model.layers.0.self_attn.qkv_proj");
    assert_int_equal(marker->argument_count, 4);
    assert_int_equal(marker->arguments[0].dims[1], 3584);
    for (int i = 1; i < 4; i++)
        assert_false(marker->arguments[i].is_tensor);
    assert_int_equal(parse("{'Module': 'lm_head', 'Inputs': [[16, 3584]")->kind, MARKER_PLAIN);
    assert_int_equal(parse("{'Module': '', 'Inputs': []}")->kind, MARKER_PLAIN);
    assert_int_equal(parse("{'Module': ['a']}")->kind, MARKER_PLAIN);
    assert_int_equal(parse("{'Modules': 'a'}")->kind, MARKER_PLAIN);
}

static void numbers_of_steps(void **state)
{
    (void)state;
    assert_int_equal(parse("step 12")->number, 12);
    assert_int_equal(parse("ProfilerStep#0")->number, 0);
    assert_true(parse("forward")->number == UNKNOWN);
    assert_int_equal(parse("step 99999999999999999999999")->kind, MARKER_PLAIN);
}

static void xla_instructions(void **state)
{
    (void)state;
    static const char *const types[][2] = {
        {"Thunk:#hlo_op=gemm_fusion_dot.5#", "gemm_fusion_dot"},
        {"Thunk:#hlo_op=cublas-gemm.2.0#", "cublas-gemm"},
        {"Thunk:#hlo_op=fusion.7.remat2.clone.1#", "fusion"},
        {"Thunk:#hlo_op=a.b#", "a.b"},
        {"Thunk:#hlo_op=.5#", ".5"},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        assert_string_equal(string(parse_in("TSL", types[i][0])->type), types[i][1]);
    const struct marker *marker =
        parse_in("TSL", "Thunk:#name=transpose(jvp(Net))/l_1/dot_general,hlo_op=dot.1#");
    assert_true(marker->is_backward);
    assert_string_equal(string(marker->path), "transpose(jvp(Net))/l_1/dot_general");
    marker = parse_in("TSL", "Thunk:#name=Net/transpose[permutation=(1, 0)],hlo_op=transpose.1#");
    assert_false(marker->is_backward);
    assert_string_equal(string(marker->path), "Net/transpose");
    assert_int_equal(parse_in("TSL", "Thunk:#hlo_op=dot.1#")->path, STRING_NONE);
}

static void tensorflow_shapes(void **state)
{
    (void)state;
    const struct marker *marker = parse_in(
        "TSL", "d/MatMul:MatMul#shape=(half[32,784];;resource;float[];int32[7,?];float[9])#");
    assert_string_equal(string(marker->path), "d");
    assert_int_equal(marker->argument_count, 6);
    assert_true(marker->arguments[0].is_tensor);
    assert_string_equal(string(marker->arguments[0].dtype), "float16");
    assert_int_equal(marker->arguments[0].dims[1], 784);
    for (int i = 1; i < 5; i++) // None, no tensor, a scalar, an unknown dimension
        assert_false(marker->arguments[i].is_tensor);
    assert_int_equal(marker->arguments[5].dims[0], 9);
    static const char *const broken[] = {"d:MatMul#shape=#",
                                         "d:MatMul#shape=(#",
                                         "d:MatMul#shape=(float[#",
                                         "d:MatMul#shape=(float[3#",
                                         "d:MatMul#shape=(float[99999999999999999999999])#",
                                         "d:MatMul#shape=float[3]#"};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        marker = parse_in("TSL", broken[i]);
        assert_int_equal(marker->kind, MARKER_OP);
        for (uint32_t a = 0; a < marker->argument_count; a++)
            assert_false(marker->arguments[a].is_tensor);
    }
}

static void tensorrt_json(void **state)
{
    (void)state;
    const struct marker *marker = parse_in(
        "TensorRT",
        "{\"Name\": \"/c/Conv + /c/Relu\", \"LayerType\": \"CaskConvolution\", \"Inputs\": "
        "[{\"Name\": "
        "\"x\", \"Location\": \"Device\", \"Dimensions\": [1,3,224,224], \"Format/Datatype\": "
        "\"Row "
        "major linear FP16 format\"}, {\"Name\": \"s\", \"Dimensions\": []}], \"Outputs\": [], "
        "\"Kernel\": [7,7]}");
    assert_string_equal(string(marker->title), "/c/Conv + /c/Relu");
    assert_string_equal(string(marker->type), "CaskConvolution");
    assert_string_equal(string(marker->path), "/c");
    assert_int_equal(marker->argument_count, 2);
    assert_string_equal(string(marker->arguments[0].dtype), "float16");
    assert_int_equal(marker->arguments[0].rank, 4);
    assert_int_equal(marker->arguments[0].dims[3], 224);
    assert_false(marker->arguments[1].is_tensor);
    // A range with broken JSON is taken as the name of a layer.
    marker = parse_in("TensorRT", "{\"Name\": \"c\", \"Inputs\": [{\"Dimensions\": [1,");
    assert_int_equal(marker->kind, MARKER_OP);
    assert_int_equal(marker->argument_count, 0);
}

static void types_of_tensorrt_layers(void **state)
{
    (void)state;
    assert_string_equal(string(parse_in("TensorRT", "{ForeignNode[/a/MatMul.../a/Add]}")->type),
                        "ForeignNode");
    assert_string_equal(string(parse_in("TensorRT", " + ")->type), "layer");
    assert_string_equal(string(parse_in("TensorRT", "/a/Conv + ")->type), "Conv");
    assert_string_equal(string(parse_in("TensorRT", "/a/Conv + /b")->type), "Conv+b");
    assert_string_equal(string(parse_in("TensorRT", "..")->type), "..");
    assert_string_equal(string(parse_in("TensorRT", "/l1/conv1/Conv + /l1/relu/Relu")->type),
                        "Conv+Relu");
    assert_string_equal(string(parse_in("TensorRT", "onnx::Conv_193_clone_1")->type), "Conv");
    assert_string_equal(string(parse_in("TensorRT", "Identity_3")->type), "Identity");
    assert_string_equal(
        string(parse_in("TensorRT", "Reformatting CopyNode for Input Tensor 0 to x")->type),
        "Reformat");
}

static void one_row_per_text(void **state)
{
    (void)state;
    struct profile_builder *builder = builder_new();
    uint32_t thread = builder_thread(builder, 1, 1);
    builder_range(builder, thread, 0, 5, "conv2d, seq = 1");
    builder_range(builder, thread, 10, 15, "conv2d, seq = 2");
    builder_range(builder, thread, 20, 25, "conv2d");
    builder_range_in(builder, "NCCL", thread, 30, 35, "conv2d");
    builder_range(builder, thread, 40, 45,
                  "{\"model_config\": {\"num_workers\": 4, "
                  "\"amp_enabled\": true, \"cudnn_benchmark_disabled\": "
                  "1}}");
    struct profile *profile = builder_build(builder, MODE_AUTO);
    assert_int_equal(profile->marker_count, 4);
    assert_int_equal(range_label(&profile->ranges, 0)->marker,
                     range_label(&profile->ranges, 1)->marker);
    assert_int_equal(range_marker(profile, 1)->kind, MARKER_OP);
    assert_int_equal(range_marker(profile, 2)->kind, MARKER_PLAIN);
    assert_int_equal(range_marker(profile, 3)->kind, MARKER_LIBRARY);
    assert_true(profile->config.is_told);
    assert_int_equal(profile->config.num_workers, 4);
    assert_int_equal(profile->config.pin_memory, 1);
    assert_int_equal(profile->config.amp_enabled, 1);
    assert_int_equal(profile->config.cudnn_benchmark_disabled, 1);
    assert_int_equal(profile->config.emit_nvtx, 0);
    builder_free(builder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_dialect, set_up, tear_down),
        cmocka_unit_test_setup_teardown(dlprof_op, set_up, tear_down),
        cmocka_unit_test_setup_teardown(dlprof_trace, set_up, tear_down),
        cmocka_unit_test_setup_teardown(sizes_are_shapes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(module_dicts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(numbers_of_steps, set_up, tear_down),
        cmocka_unit_test_setup_teardown(xla_instructions, set_up, tear_down),
        cmocka_unit_test_setup_teardown(tensorflow_shapes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(tensorrt_json, set_up, tear_down),
        cmocka_unit_test_setup_teardown(types_of_tensorrt_layers, set_up, tear_down),
        cmocka_unit_test(one_row_per_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
