// SPDX-License-Identifier: Apache-2.0
// Compares overview and GPU summary of PyTorch Profiler traces with the figures of PyTorch's
// TensorBoard plugin: step windows, each role of each step, utilisation, SM efficiency, occupancy,
// Tensor Cores and recommendations. Each difference must be one of the corrections below, which the
// manual lists. Skips with a message without the corpus.
#include "analysis/reports/report_list.h"
#include "property.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "analysis/breakdown/occupancy.h"
#include "analysis/detectors/expert.h"
#include "analysis/plugin/plugin_roles.h"
#include "analysis/report/report.h"
#include "base/parse/json_scan.h"
#include "base/text/bytes.h"
#include "file_text.h"
#include "model/open/open.h"
#include "model/profile/vendor.h"
#include "paths.h"
#include "plugin_view.h"

enum { PATH_SIZE = 3000 };

static const char *corpus_folder(void)
{
    static char path[PATH_SIZE];
    const char *corpus = getenv("DLPROF_CORPUS");
    snprintf(path, sizeof path, "%s/kineto", corpus ? corpus : source_path("/../shared/corpus"));
    return access(path, R_OK) == 0 ? path : NULL;
}

// ---- expected figures of the plugin ------------------------------------------------------------

struct golden { // leaves of overview.json by path, such as "gpu/0/utilization"
    struct arena *arena;
    const char **paths, **values;
    size_t count, path_capacity, value_capacity;
};

static void golden_read_value(struct golden *golden, struct json_scan *scan, enum json_token token,
                              const char *path)
{
    size_t item = 0, paths = golden->count;
    if (token != JSON_OBJECT && token != JSON_ARRAY) {
        ARENA_PUSH(golden->arena, golden->paths, golden->count, golden->path_capacity) = path;
        ARENA_PUSH(golden->arena, golden->values, paths, golden->value_capacity) =
            arena_copy(golden->arena, scan->text, scan->length);
        return;
    }
    unsigned outside = scan->depth - 1;
    while (scan->depth > outside) {
        enum json_token next = json_scan_next(scan);
        if (next == JSON_END || next == JSON_CLOSE)
            return;
        const char *below;
        if (next == JSON_KEY) {
            below = arena_format(golden->arena, "%s%s%.*s", path, *path ? "/" : "",
                                 (int)scan->length, scan->text);
            next = json_scan_next(scan);
        } else {
            below = arena_format(golden->arena, "%s/%zu", path, item++);
        }
        golden_read_value(golden, scan, next, below);
    }
}

static struct golden golden_read(const char *path, struct arena *arena)
{
    struct golden golden = {.arena = arena};
    struct error error = {0};
    struct json_scan *scan = json_scan_open(path, arena, &error);
    assert_non_null(scan);
    golden_read_value(&golden, scan, json_scan_next(scan), "");
    assert_true(json_scan_close(scan, &error));
    return golden;
}

static const char *golden_text(const struct golden *golden, const char *path) // NULL if missing
{
    for (size_t i = 0; i < golden->count; i++)
        if (strcmp(golden->paths[i], path) == 0)
            return strcmp(golden->values[i], "null") == 0 ? NULL : golden->values[i];
    return NULL;
}

static double golden_number(const struct golden *golden, const char *path) // NAN if missing
{
    const char *text = golden_text(golden, path);
    return text ? strtod(text, NULL) : (double)NAN;
}

static bool golden_advises(const struct golden *golden, const char *words)
{
    for (size_t i = 0; i < golden->count; i++)
        if (strncmp(golden->paths[i], "recommendations/", strlen("recommendations/")) == 0 &&
            strstr(golden->values[i], words))
            return true;
    return false;
}

// ---- traces ------------------------------------------------------------------------------------

enum { MAX_REASONS = 16 };
struct tally {
    unsigned compared, differ, corrected, cases;
    const char *reasons[MAX_REASONS]; // reasons of corrections; of_reason counts the values
    unsigned of_reason[MAX_REASONS];
};

struct trace {
    const char *name;
    const char *trusted; // column of INDEX.tsv; "yes" for unit cases
    struct arena *arena;
    struct profile *profile, view; // original, and as the plugin sees it
    struct selection selection;
    struct golden golden;
    struct tally *tally;
    // Properties of the trace that explain differences.
    bool has_unknown_collectives, has_driver_calls, has_shadows, has_no_op, has_fractions;
};

static bool is_of_driver(const struct profile *profile, uint32_t call)
{
    const char *name = profile_text(profile, AT(profile->api.name, call));
    return strncmp(name, "cu", 2) == 0 && strncmp(name, "cuda", 4) != 0;
}

static void trace_look(struct trace *trace)
{
    const struct profile *profile = trace->profile;
    const uint8_t *roles = range_roles(profile, trace->arena);
    trace->has_no_op = true;
    for (uint32_t l = 0; l < profile->ranges.label_count; l++) {
        const struct range_label *label = &profile->ranges.labels[l];
        trace->has_unknown_collectives |=
            roles[l] == RANGE_IS_COMMUNICATION &&
            !plugin_knows_collective(profile_text(profile, label->name));
        trace->has_no_op &= label->said != SAID_OP;
    }
    for (uint32_t f = 0; f < profile->function_count; f++)
        trace->has_unknown_collectives |=
            profile->functions[f].kind == WORK_KERNEL && profile->functions[f].class == CLASS_COMM;
    for (uint32_t c = 0; c < profile->api.count; c++) {
        trace->has_driver_calls |= is_of_driver(profile, c);
        trace->has_fractions |= AT(profile->api.start, c) % 1000 != 0;
    }
    trace->has_shadows = profile_find_note(profile, "device_annotations") != NULL;
}

// The plugin's view: NCCL kernels are ordinary kernels, ops of collectives that it does not know
// are ordinary ops, and driver calls are missing.
static struct profile view_of(struct profile *profile, struct arena *arena)
{
    struct profile view = *profile;
    uint32_t *no_range = ARENA_ARRAY(arena, uint32_t, (size_t)profile->api.count + 1);
    int64_t *end = ARENA_ARRAY(arena, int64_t, (size_t)profile->api.count + 1);
    view.functions = ARENA_ARRAY(arena, struct function, (size_t)profile->function_count + 1);
    view.ranges.labels =
        ARENA_ARRAY(arena, struct range_label, (size_t)profile->ranges.label_count + 1);
    const uint8_t *roles = range_roles(profile, arena);
    for (uint32_t f = 0; f < profile->function_count; f++) {
        view.functions[f] = profile->functions[f];
        if (view.functions[f].class == CLASS_COMM)
            view.functions[f].class = CLASS_COMPUTE;
    }
    for (uint32_t l = 0; l < profile->ranges.label_count; l++) {
        struct range_label *label = &view.ranges.labels[l];
        *label = profile->ranges.labels[l];
        if (roles[l] == RANGE_IS_COMMUNICATION &&
            !plugin_knows_collective(profile_text(profile, label->name)))
            label->name = strings_intern_text(profile->strings, "an op");
    }
    for (uint32_t c = 0; c < profile->api.count; c++) {
        no_range[c] = ROW_NONE;
        end[c] = AT(profile->api.end, c);
        if (is_of_driver(profile, c))
            end[c] = AT(profile->api.start, c);
    }
    if (HAS(view.api.range))
        view.api.range = profile_pack32(profile, no_range, profile->api.count);
    view.api.end = profile_pack64(profile, end, profile->api.count);
    return view;
}

static void compare(struct trace *trace, const char *what, double ours, double theirs,
                    double tolerance, const char *correction)
{
    trace->tally->compared++;
    bool is_same = isnan(theirs) ? isnan(ours) : fabs(ours - theirs) <= tolerance;
    if (is_same)
        return;
    trace->tally->differ++;
    if (!correction) {
        print_message("# %s: %s is %.3f, the plugin has %.3f\n", trace->name, what, ours, theirs);
        return;
    }
    struct tally *tally = trace->tally;
    size_t reason = 0;
    while (tally->reasons[reason] && strcmp(tally->reasons[reason], correction) != 0)
        reason++;
    assert_true(reason < MAX_REASONS);
    tally->reasons[reason] = correction;
    tally->of_reason[reason]++;
    tally->corrected++;
}

// ---- steps -------------------------------------------------------------------------------------

enum { ROLES = 8, FIELDS = ROLES + 2 };
static const char *const role_keys[] = {"kernel",        "memcpy",  "memset",
                                        "communication", "runtime", "dataloader",
                                        "cpu_exec",      "other",   "total"};
enum { KERNEL, MEMCPY, MEMSET, COMMUNICATION, RUNTIME, LOADER, CPU, OTHER, TOTAL };

static const char no_op[] = "a trace without an op: the plugin has no window for it";
static const char collectives[] =
    "the plugin takes collectives for other kernels, and knows ten of their ops";

static double tolerance_us(const struct trace *trace, double theirs);

// Returns the reason why a role may differ; NULL if it must not. `viewed` is our figure of the
// plugin's view.
static const char *step_correction(const struct trace *trace, int role, const double *theirs,
                                   double viewed)
{
    bool is_seen = fabs(viewed - theirs[role]) <= tolerance_us(trace, theirs[role]);
    double sum = 0;
    for (int r = 0; r < ROLES; r++)
        sum += theirs[r];
    if (trace->has_no_op)
        return no_op;
    if (sum > theirs[TOTAL] * 1.0001 + 1 && (role == CPU || role == OTHER || role == LOADER))
        return "once nothing of the step is left the plugin begins with all of it again";
    if (trace->has_unknown_collectives && is_seen)
        return collectives;
    if (trace->has_driver_calls && is_seen)
        return "calls of the driver are calls, too";
    if (trace->has_shadows && (role == CPU || role == OTHER))
        return "annotations on the GPU's tracks are nothing that the host does";
    return NULL;
}

static double cell(const struct report *report, const void *row, const char *key)
{
    struct value value = report_column(report, key)->get(row);
    return value.kind == VALUE_INTEGER ? (double)value.integer
           : value.kind == VALUE_REAL  ? value.real
                                       : (double)NAN;
}

// Unix times in double microseconds are exact to a quarter of a microsecond: over hundreds of
// intervals this adds up to some microseconds.
static double tolerance_us(const struct trace *trace, double theirs)
{
    return trace->has_fractions ? 8 + theirs * 1e-4 : 0.0015;
}

static void compare_step(struct trace *trace, const void *row, const void *viewed, const char *step,
                         const double *theirs)
{
    const struct report *report = report_find("overview");
    for (int r = 0; r <= TOTAL; r++) {
        const char *what = arena_format(trace->arena, "%s of step %s", role_keys[r], step);
        compare(trace, what, cell(report, row, role_keys[r]) / 1000, theirs[r],
                tolerance_us(trace, theirs[r]),
                step_correction(trace, r, theirs, cell(report, viewed, role_keys[r]) / 1000));
    }
}

static void compare_steps(struct trace *trace, const char *csv)
{
    const struct report *report = report_find("overview");
    struct rows rows = report_rows(report, trace->profile, &trace->selection, trace->arena);
    struct rows viewed = report_rows(report, &trace->view, &trace->selection, trace->arena);
    char *text = file_read(csv), *at = text + strcspn(text, "\n") + 1;
    const char *field[FIELDS] = {NULL};
    size_t row = 1; // after the mean
    for (; (at = csv_line(at, field, FIELDS)) != NULL; row++) {
        double theirs[ROLES + 1];
        for (int r = 0; r <= TOTAL; r++)
            theirs[r] = strtod(field[r + 1], NULL);
        if (rows.count == 0 && trace->has_no_op) // only memory records: no time of any kind
            break;
        if (row >= rows.count) {
            fail_msg("%s: no step %s", trace->name, field[0]);
            return;
        }
        const void *ours = report_row(report, &rows, row);
        assert_string_equal(report_column(report, "step")->get(ours).text, field[0]);
        compare_step(trace, ours, report_row(report, &viewed, row), field[0], theirs);
    }
    free(text);
    if (rows.count == 0)
        return;
    assert_int_equal(row, rows.count);
    assert_int_equal(viewed.count, rows.count);
    double theirs[ROLES + 1];
    for (int r = 0; r <= TOTAL; r++)
        theirs[r] = golden_number(&trace->golden, arena_format(trace->arena, "avg_costs/%d", r));
    compare_step(trace, report_row(report, &rows, 0), report_row(report, &viewed, 0), "average",
                 theirs);
}

// ---- GPUs --------------------------------------------------------------------------------------

static bool plugin_takes_for_tensor_core(const char *name)
{
    static const char *const words[] = {"h884",
                                        "s884",
                                        "h1688",
                                        "s1688",
                                        "hmma",
                                        "i8816",
                                        "16816",
                                        "dgrad_1x1_stride_2x2",
                                        "first_layer_wgrad_kernel",
                                        "conv1x1",
                                        "conv2d_c1_k1",
                                        "direct_group",
                                        "xmma_implicit_gemm",
                                        "xmma_sparse_conv",
                                        "xmma_warp_specialized_implicit_gemm",
                                        "xmma_gemm",
                                        "xmma_sparse_gemm",
                                        "c1688"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(name, words[i]))
            return true;
    return false;
}

// Returns the plugin's share by its list of words. Clears `*agrees` if some kernel is classified
// differently here.
static double plugin_tensor_share(const struct profile *profile, bool *agrees)
{
    int64_t used = 0, all = 0;
    *agrees = true;
    for (uint32_t w = 0; w < profile->work.count; w++) {
        const struct function *function = &profile->functions[AT(profile->work.function, w)];
        if (function->kind != WORK_KERNEL)
            continue;
        bool is_used = plugin_takes_for_tensor_core(profile_text(profile, function->full));
        *agrees &= function->tensor_core == (is_used ? STATE_YES : STATE_NO);
        all += work_duration(profile, w);
        used += is_used ? work_duration(profile, w) : 0;
    }
    return all ? (double)used / (double)all : 0;
}

static void compare_gpus(struct trace *trace)
{
    const struct report *report = report_find("gpu_summary");
    struct arena *arena = trace->arena;
    struct rows rows = report_rows(report, trace->profile, &trace->selection, arena);
    bool agrees;
    double tensor = plugin_tensor_share(trace->profile, &agrees);
    for (size_t i = 0; i < rows.count; i++) {
        const void *row = report_row(report, &rows, i);
        int device = (int)cell(report, row, "device");
        const struct {
            const char *key, *theirs;
            double scale, tolerance;
        } figures[] = {{"utilization", "utilization", 1, 2e-5},
                       {"sm_efficiency", "sm_efficiency", 1, 2e-5},
                       {"occupancy_told", "occupancy", 100, 1e-3},
                       {"occupancy", "occupancy", 100, 1e-3}};
        for (size_t f = 0; f < sizeof figures / sizeof *figures; f++) {
            double theirs = golden_number(
                &trace->golden, arena_format(arena, "gpu/%d/%s", device, figures[f].theirs));
            bool is_computed = strcmp(figures[f].key, "occupancy_told") != 0 &&
                               report_column(report, "computed")->get(row).kind == VALUE_TEXT;
            compare(trace, arena_format(arena, "%s of GPU %d", figures[f].key, device),
                    cell(report, row, figures[f].key) * figures[f].scale, theirs,
                    figures[f].tolerance * (trace->has_fractions ? 10 : 1),
                    is_computed ? "worked out where it is not told" : NULL);
        }
        compare(trace, "Tensor Core time by the plugin's words", tensor,
                golden_number(&trace->golden, "tc_used_ratio"), 1e-5, NULL);
        compare(trace, "Tensor Core time", cell(report, row, "tensor_cores"),
                golden_number(&trace->golden, "tc_used_ratio"), 1e-5,
                agrees ? NULL : "names that the plugin's words do not know");
    }
}

// ---- recommendations ---------------------------------------------------------------------------

static bool advises(const struct finding_list *findings, const char *id)
{
    for (size_t i = 0; i < findings->count; i++)
        if (strcmp(findings->items[i].detector->id, id) == 0 &&
            findings->items[i].severity == SEVERITY_NOTE)
            return true;
    return false;
}

static void compare_advice(struct trace *trace)
{
    struct finding_list findings = expert_run(trace->profile, &trace->selection, trace->arena);
    static const struct {
        const char *id, *words;
        bool is_of_collectives;
    } pieces[] = {
        {"plugin_loader", "high time cost on input data loading", false},
        {"plugin_data_parallel", "DataParallel", false},
        {"plugin_nccl", "Nccl backend", true},
        {"plugin_communication", "high time cost on communication", true},
        {"plugin_utilization", "low utilization", false},
    };
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
        compare(trace, pieces[i].id, advises(&findings, pieces[i].id),
                golden_advises(&trace->golden, pieces[i].words), 0,
                trace->has_no_op                                                ? no_op
                : trace->has_unknown_collectives && pieces[i].is_of_collectives ? collectives
                                                                                : NULL);
    // Eligible ops are those known today, and kernels belong to the op in which they are launched.
    // The plugin's list ends with PyTorch 1.9, and External ids often name no op.
    if (golden_advises(&trace->golden, "launched by Tensor Cores eligible"))
        compare(trace, "plugin_tensor_cores", advises(&findings, "plugin_tensor_cores"), 1, 0,
                device_vendor(trace->profile, &trace->profile->devices[0]) == VENDOR_NVIDIA
                    ? NULL
                    : "cards of AMD have other matrix cores");
}

// ---- all traces --------------------------------------------------------------------------------

static bool check_trace(const char *path, const char *golden, const char *name, const char *trusted,
                        struct tally *tally)
{
    char csv[PATH_SIZE], json[PATH_SIZE];
    snprintf(csv, sizeof csv, "%.2900s/overview_steps.csv", golden);
    snprintf(json, sizeof json, "%.2900s/overview.json", golden);
    if (strcmp(trusted, "no") == 0 || access(csv, R_OK) != 0)
        return false;
    struct load_request request = {.path = path};
    struct error error = {0};
    struct profile *profile = profile_load(&request, &error);
    if (!profile) // some cases have only memory records
        return false;
    struct trace trace = {.name = name,
                          .trusted = trusted,
                          .arena = arena_new(0),
                          .profile = profile,
                          .tally = tally};
    trace.selection = selection_all(split_find(profile, trace.arena));
    trace.golden = golden_read(json, trace.arena);
    trace_look(&trace);
    trace.view = view_of(profile, trace.arena);
    tally->cases++;
    compare_steps(&trace, csv);
    compare_gpus(&trace);
    compare_advice(&trace);
    arena_free(trace.arena);
    profile_free(profile);
    return true;
}

// Returns the cell of column trust_overview of a case in INDEX.tsv.
static const char *trusted_of(const char *index, const char *name, char out[100])
{
    const char *at = index;
    size_t length = strlen(name);
    while (at && (strncmp(at, name, length) != 0 || at[length] != '\t'))
        at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL;
    for (int tab = 0; at && tab < 4; tab++)
        at = strchr(at, '\t') ? strchr(at, '\t') + 1 : NULL;
    snprintf(out, 100, "%.*s", at ? (int)strcspn(at, "\t\n") : 2, at ? at : "no");
    return out;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

// Checks the traces of a folder; the expected figures are next to each trace or in a folder named
// after it.
static void check_folder(const char *folder, const char *golden, const char *name,
                         const char *trusted, struct tally *tally)
{
    DIR *stream = opendir(folder);
    for (struct dirent *entry; stream && (entry = readdir(stream));) {
        char path[PATH_SIZE], golden_folder[PATH_SIZE], label[PATH_SIZE];
        if (!ends_with(entry->d_name, ".json.gz") && !ends_with(entry->d_name, ".pt.trace.json"))
            continue;
        snprintf(path, sizeof path, "%.2500s/%.400s", folder, entry->d_name);
        snprintf(golden_folder, sizeof golden_folder, "%.2500s/%.*s", golden,
                 (int)strcspn(entry->d_name, "."), entry->d_name);
        snprintf(label, sizeof label, "%.2500s/%.*s", name, (int)strcspn(entry->d_name, "."),
                 entry->d_name);
        check_trace(path, access(golden_folder, R_OK) == 0 ? golden_folder : golden, label, trusted,
                    tally);
    }
    if (stream)
        closedir(stream);
}

static void test_corpus(void **state)
{
    (void)state;
    const char *root = corpus_folder();
    if (!root) {
        print_message("# skipped: no traces beside the project\n");
        skip();
        return;
    }
    char path[PATH_SIZE], golden[PATH_SIZE], trusted[100];
    struct tally tally = {0};
    snprintf(path, sizeof path, "%.2000s/INDEX.tsv", root);
    char *index = file_read(path);
    static const char *const parts[] = {"", "unit/"};
    for (size_t part = 0; part < 2; part++) {
        snprintf(path, sizeof path, "%.2000s/%s", root, parts[part]);
        DIR *stream = opendir(path);
        assert_non_null(stream);
        for (struct dirent *entry; stream && (entry = readdir(stream));) {
            if (entry->d_name[0] == '.')
                continue;
            snprintf(path, sizeof path, "%.2000s/%s%.300s", root, parts[part], entry->d_name);
            snprintf(golden, sizeof golden, "%.2500s%s", path, part == 0 ? "/golden" : "");
            check_folder(path, golden, entry->d_name,
                         part == 0 ? trusted_of(index, entry->d_name, trusted) : "yes", &tally);
        }
        if (stream)
            closedir(stream);
    }
    free(index);
    print_message("# %u traces: %u values compared, %u differ, %u of them by a correction\n",
                  tally.cases, tally.compared, tally.differ, tally.corrected);
    for (size_t i = 0; i < MAX_REASONS && tally.reasons[i]; i++)
        print_message("#   %3u: %s\n", tally.of_reason[i], tally.reasons[i]);
    assert_true(tally.cases > 30 && tally.compared > 800);
    assert_int_equal(tally.differ, tally.corrected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_corpus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
