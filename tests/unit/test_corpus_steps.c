// SPDX-License-Identifier: Apache-2.0
// Which split is chosen for each real profile of the corpus: a table, so that a change shows. Each
// row was checked against the texts in the file; a profile that is not listed has no steps. Skips
// with a message without the corpus.
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "property.h"

#include "model/open/open.h"
#include "model/steps/split.h"
#include "paths.h"

static const struct {
    const char *file;
    uint32_t count;
    const char *key;
} chosen[] = {
    {"field/c01_rocm_overrun.json.gz", 4, "ProfilerStep#N"},
    {"field/c05_lost_kernels.json", 4, "ProfilerStep#N"},
    {"field/c07_sglang_merged.trace.json", 4, "step[...]"},
    {"field/c12b_step_twice.json.gz", 12, "step N"},
    {"field/c13b_sglang_serving.json.gz", 12, "step[...]"},
    {"field/c32_sglang_folder/1759342936.5-TP-0.trace.json.gz", 4, "step[...]"},
    {"field/c32_sglang_folder/1759342936.5-TP-1.trace.json.gz", 4, "step[...]"},
    {"field/c32_sglang_folder/merged-1759342936.5.trace.json.gz", 4, "step[...]"},
    {"field/n04a_zero_kernels.sqlite", 5, "step N"},
    {"field/n13_idle_spins.sqlite", 8, "[Executor] _forward_step"},
    {"field/n14_trtllm_names.sqlite", 12, "[Executor] _forward_step"},
    {"kineto/b200_eager/eager_trace.json.gz", 1, "execute"},
    {"kineto/dlrm_8rank/worker0_step_12.1694128201545.pt.trace.json.gz", 1, "ProfilerStep#N"},
    {"kineto/dlrm_8rank/worker1_step_12.1694128201556.pt.trace.json.gz", 1, "ProfilerStep#N"},
    {"kineto/dlrm_8rank/worker2_step_12.1694128201554.pt.trace.json.gz", 1, "ProfilerStep#N"},
    {"kineto/dlrm_8rank/worker3_step_12.1694128201557.pt.trace.json.gz", 1, "ProfilerStep#N"},
    {"kineto/dlrm_8rank/worker4_step_12.1694128201547.pt.trace.json.gz", 1, "ProfilerStep#N"},
    {"kineto/dlrm_8rank/worker5_step_12.1694128201549.pt.trace.json.gz", 1, "ProfilerStep#N"},
    {"kineto/dlrm_8rank/worker6_step_12.1694128201553.pt.trace.json.gz", 1, "ProfilerStep#N"},
    {"kineto/dlrm_8rank/worker7_step_12.1694128201553.pt.trace.json.gz", 1, "ProfilerStep#N"},
    {"kineto/gt_autograd_nw0/worker0.pt.trace.json.gz", 6, "loop:Optimizer.step#SGD.step"},
    {"kineto/gt_bert_fp16_ddp/worker0_round1.pt.trace.json.gz", 2, "ProfilerStep#N"},
    {"kineto/gt_bert_fp16_ddp/worker1_round1.pt.trace.json.gz", 2, "ProfilerStep#N"},
    {"kineto/gt_bert_oldapi/worker0_round1.pt.trace.json.gz", 6, "loop:Optimizer.step#AdamW.step"},
    {"kineto/gt_resnet50_cpu/worker0_span1.pt.trace.json.gz", 8, "ProfilerStep#N"},
    {"kineto/gt_resnet50_ddp/worker0_span1.pt.trace.json.gz", 4, "ProfilerStep#N"},
    {"kineto/gt_resnet50_ddp/worker1_span1.pt.trace.json.gz", 4, "ProfilerStep#N"},
    {"kineto/h100_owlv2/google_owlv2-large-patch14-ensemble__1016001.json.gz", 1, "ProfilerStep#N"},
    {"kineto/hta_mtia_train/mtia_rank_0.json.gz", 1, "ProfilerStep#N"},
    {"kineto/hta_nccl_parser/nccl_data.json.gz", 3, "ProfilerStep#N"},
    {"kineto/hta_ns_resolution/rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz", 5, "ProfilerStep#N"},
    {"kineto/hta_triton/triton_example.json.gz", 1, "ProfilerStep#N"},
    {"kineto/mi300_resnet_ckpt/resnet_act_checkpoint.json.gz", 3, "ProfilerStep#N"},
    {"kineto/mi300_sd35/profile_trace_rank_0.json.gz", 1, "ProfilerStep#N"},
    {"kineto/param_resnet/resnet_kineto.json.gz", 30, "loop:Optimizer.step#SGD.step"},
    {"kineto/resnet50_nw0_a/worker0.1623143089861.pt.trace.json.gz", 6, "ProfilerStep#N"},
    {"kineto/resnet50_nw0_b/worker0.1623143566756.pt.trace.json.gz", 6, "ProfilerStep#N"},
    {"kineto/resnet50_nw4_a/worker0.1623212756351.pt.trace.json.gz", 6, "ProfilerStep#N"},
    {"kineto/unit/test_all_categories/input.pt.trace.json", 1, "ProfilerStep#N"},
    {"kineto/unit/test_gpu_utilization_kernel_out_of_step/input.pt.trace.json", 1,
     "ProfilerStep#N"},
    {"kineto/unit/test_last_steps_no_kernel/input.pt.trace.json", 3, "ProfilerStep#N"},
    {"kineto/unit/test_memory_view/input.pt.trace.json", 2, "ProfilerStep#N"},
    {"kineto/unit/test_multiple_profilersteps_no_overlap/input.pt.trace.json", 2, "ProfilerStep#N"},
    {"kineto/unit/test_multiple_profilersteps_with_overlap/input.pt.trace.json", 2,
     "ProfilerStep#N"},
    {"kineto/unit/test_pure_cpu/input.pt.trace.json", 2, "ProfilerStep#N"},
    {"kineto/unit/test_runtime_called_by_profilerstep/input.pt.trace.json", 1, "ProfilerStep#N"},
    {"nsys/transformer04_nvtxonly_2022.4.2/profile.sqlite", 11, "Forward *"},
    {"producers/sglang_decode__sglang_Qwen3-8B_decode.json.gz", 1, "execute"},
    {"producers/vllm_decode_full__graph_execution.json.gz", 1, "execute"},
    {"pyprof/gen_lenet_pt14_sgd/input.sqlite", 4, "/backward"},
    {"pyprof/gen_transformer_pt18_fp16_a100_fusedadam/input.sqlite", 3, "/backward"},
};
enum { CHOSEN_COUNT = sizeof chosen / sizeof *chosen };

static bool is_seen[CHOSEN_COUNT];
static uint32_t opened;

static bool has_ending(const char *name)
{
    static const char *const endings[] = {".sqlite", ".json", ".json.gz"};
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t size = strlen(endings[i]);
        if (length > size && strcmp(name + length - size, endings[i]) == 0)
            return true;
    }
    return false;
}

static void check_file(const char *path, const char *name)
{
    struct load_request request = {.path = path};
    struct error error = {0};
    struct profile *profile = profile_load(&request, &error);
    const char *key = "";
    uint32_t count = 1;
    for (size_t i = 0; i < CHOSEN_COUNT; i++)
        if (strcmp(chosen[i].file, name) == 0) {
            is_seen[i] = true;
            key = chosen[i].key;
            count = chosen[i].count;
        }
    if (!profile) { // no profile, or a broken one
        if (*key)
            fail_msg("%s: %s", name, error.message);
        return;
    }
    struct arena *arena = arena_new(0);
    struct split *split = split_find(profile, arena);
    if (strcmp(split->key, key) != 0 || split->count != count)
        fail_msg("%s: %s, not %u by %s", name, split->text, count, key);
    opened++;
    arena_free(arena);
    profile_free(profile);
}

static void check_folder(const char *corpus, const char *folder)
{
    char path[4000], name[2000];
    snprintf(path, sizeof path, "%s/%s", corpus, folder);
    DIR *entries = opendir(path);
    if (!entries)
        return;
    for (struct dirent *entry; (entry = readdir(entries));) {
        struct stat status;
        if (entry->d_name[0] == '.')
            continue;
        snprintf(name, sizeof name, "%s/%s", folder, entry->d_name);
        snprintf(path, sizeof path, "%s/%s", corpus, name);
        if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
            check_folder(corpus, name);
        else if (has_ending(name))
            check_file(path, name);
    }
    closedir(entries);
}

static void test_chosen(void **state)
{
    (void)state;
    static const char *const folders[] = {"dlprof", "field",     "kineto",
                                          "nsys",   "producers", "pyprof"};
    const char *corpus = getenv("DLPROF_CORPUS");
    corpus = corpus ? corpus : source_path("/../shared/corpus");
    struct stat status;
    if (stat(corpus, &status) != 0) {
        print_message("# skipped: no corpus of real profiles at %s\n", corpus);
        skip();
    }
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        check_folder(corpus, folders[i]);
    for (size_t i = 0; i < CHOSEN_COUNT; i++)
        if (!is_seen[i])
            fail_msg("%s is missing", chosen[i].file);
    print_message("# %u profiles, steps chosen as listed\n", opened);
}

// Work belongs to a step by its launch: in a decode step of vLLM, which replays a graph, the host's
// range ends before the first kernel begins.
static void test_work_by_launch(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        uint32_t kernels;
        enum step_kind kind;
        int64_t requests;
    } cases[] = {
        {"producers/vllm_decode_full__graph_execution.json.gz", 425, STEP_DECODE, 32},
        {"producers/sglang_decode__sglang_Qwen3-8B_decode.json.gz", 555, STEP_DECODE, 32},
    };
    const char *corpus = getenv("DLPROF_CORPUS");
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char path[4000];
        snprintf(path, sizeof path, "%s/%s", corpus ? corpus : source_path("/../shared/corpus"),
                 cases[c].file);
        struct stat status;
        if (stat(path, &status) != 0) {
            print_message("# skipped: no %s\n", path);
            skip();
        }
        struct load_request request = {.path = path};
        struct error error = {0};
        struct profile *profile = profile_load(&request, &error);
        assert_non_null(profile);
        struct split *split = split_find(profile, profile->arena);
        uint32_t kernels = 0;
        for (uint32_t w = 0; w < profile->work.count; w++)
            kernels += split->of_work[w] == 0 &&
                       profile->functions[AT(profile->work.function, w)].kind == WORK_KERNEL;
        assert_int_equal(split->count, 1);
        assert_int_equal(kernels, cases[c].kernels);
        assert_int_equal(split_kind(split, 0), cases[c].kind);
        assert_int_equal(split->content[0].figures[STEP_REQUESTS], cases[c].requests);
        profile_free(profile);
    }
}

// The numbers and the content of the steps in ../shared/corpus/field.
static void test_field(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        int64_t first, last; // numbers
        uint32_t prefill, decode, mixed;
        int64_t requests, prefill_tokens; // of the first step; -1: unknown
    } cases[] = {
        {"c12b_step_twice.json.gz", 0, 11, 0, 0, 0, -1, -1},
        {"c13b_sglang_serving.json.gz", 0, 11, 2, 10, 0, 1, -1},
        {"n13_idle_spins.sqlite", 20, 167, 0, 0, 0, -1, -1},
        {"n14_trtllm_names.sqlite", 40, 51, 0, 8, 4, 9, 900},
    };
    const char *corpus = getenv("DLPROF_CORPUS");
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char path[4000];
        snprintf(path, sizeof path, "%s/field/%s",
                 corpus ? corpus : source_path("/../shared/corpus"), cases[c].file);
        struct stat status;
        if (stat(path, &status) != 0) {
            print_message("# skipped: no %s\n", path);
            skip();
        }
        struct load_request request = {.path = path};
        struct error error = {0};
        struct profile *profile = profile_load(&request, &error);
        assert_non_null(profile);
        struct split *split = split_find(profile, profile->arena);
        uint32_t counts[STEP_KIND_COUNT];
        split_count_kinds(split, counts);
        assert_int_equal(split->number[0], cases[c].first);
        assert_int_equal(split->number[split->count - 1], cases[c].last);
        assert_int_equal(counts[STEP_PREFILL], cases[c].prefill);
        assert_int_equal(counts[STEP_DECODE], cases[c].decode);
        assert_int_equal(counts[STEP_MIXED], cases[c].mixed);
        const struct step_content *content = split->content ? split->content : &step_content_none;
        assert_int_equal(content->figures[STEP_REQUESTS],
                         cases[c].requests < 0 ? UNKNOWN : cases[c].requests);
        assert_int_equal(content->figures[STEP_PREFILL_TOKENS],
                         cases[c].prefill_tokens < 0 ? UNKNOWN : cases[c].prefill_tokens);
        profile_free(profile);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chosen),
        cmocka_unit_test(test_work_by_launch),
        cmocka_unit_test(test_field),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
