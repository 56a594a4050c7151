// SPDX-License-Identifier: Apache-2.0
// Compares modules in PyTorch Profiler traces with the figures of PyTorch's TensorBoard plugin.
// Skips with a message without the corpus.
#include "corpus_index.h"
#include "property.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analysis/plugin/module_sums.h"
#include "base/parse/json_scan.h"
#include "model/markers/markers.h"
#include "model/open/open.h"
#include "paths.h"
#include "plugin_view.h"

enum { PATH_SIZE = 3000, FIGURES = 6 };

// Figures of a module by name and number, summed over all its places as in the plugin.
static const char *const figure_names[FIGURES] = {"occurences",      "operators",
                                                  "host_duration",   "self_host_duration",
                                                  "device_duration", "self_device_duration"};

static unsigned traces, compared, corrected, differ;

struct trace {
    const char *name;
    const struct profile *profile;
    struct module_sums sums;
    const struct profile *view; // the trace as the plugin sees it, and its sums
    struct module_sums viewed;
    double outside_us;  // calls outside of all operators
    bool has_corrected; // a module that differs by `outside_us` was seen
};

// ---- expected figures of the plugin ------------------------------------------------------------

struct golden {
    char name[300];
    int64_t number;
    double figures[FIGURES];
};

static void report_figures(const struct profile *profile, const struct module_sums *sums,
                           const struct golden *golden, double figures[FIGURES])
{
    memset(figures, 0, FIGURES * sizeof *figures);
    for (size_t i = 0; i < sums->count; i++) {
        const struct module_sum *sum = &sums->items[i];
        const struct marker *marker = range_marker(profile, sum->range);
        if (strcmp(profile_text(profile, marker->title), golden->name) != 0 ||
            module_number(profile, sum->range) != golden->number)
            continue;
        const int64_t ours[FIGURES] = {sum->calls * 1000,    sum->operators * 1000,
                                       sum->host_total_ns,   sum->host_self_ns,
                                       sum->device_total_ns, sum->device_self_ns};
        for (int f = 0; f < FIGURES; f++)
            figures[f] += (double)ours[f] / 1000;
    }
}

static void compare(struct trace *trace, const struct golden *golden)
{
    double ours[FIGURES], viewed[FIGURES];
    report_figures(trace->profile, &trace->sums, golden, ours);
    report_figures(trace->view, &trace->viewed, golden, viewed);
    for (int f = 0; f < FIGURES; f++) {
        double tolerance = f < 2 ? 0 : 0.5 + ours[0] * 0.01; // tolerance for the plugin's doubles
        compared++;
        if (fabs(ours[f] - golden->figures[f]) <= tolerance)
            continue;
        // The plugin subtracts all calls without an External id from the first module.
        bool is_first = f == 3 && !trace->has_corrected && trace->outside_us > 0 &&
                        ours[f] > golden->figures[f] &&
                        ours[f] - golden->figures[f] <= trace->outside_us + 0.5;
        bool is_seen = fabs(viewed[f] - golden->figures[f]) <=
                       tolerance; // as the plugin sees it (plugin_view.h)
        trace->has_corrected |= is_first;
        corrected += is_first || is_seen;
        if (is_first || is_seen)
            continue;
        differ++;
        print_message("%s %s %s: %g in the plugin, here %g\n", trace->name, golden->name,
                      figure_names[f], golden->figures[f], ours[f]);
    }
}

// Reads the object of a module and the modules within it.
static void read_module(struct trace *trace, struct json_scan *scan)
{
    struct golden golden = {.number = UNKNOWN};
    unsigned outside = scan->depth - 1;
    bool is_compared = false;
    while (scan->depth > outside) {
        enum json_token token = json_scan_next(scan);
        if (token != JSON_KEY)
            break;
        char key[100];
        snprintf(key, sizeof key, "%.*s", (int)scan->length, scan->text);
        token = json_scan_next(scan);
        char text[300];
        snprintf(text, sizeof text, "%.*s", (int)scan->length, scan->text);
        if (strcmp(key, "name") == 0)
            memcpy(golden.name, text, sizeof golden.name);
        else if (strcmp(key, "id") == 0)
            golden.number = strtoll(text, NULL, 10);
        for (int f = 0; f < FIGURES; f++)
            if (strcmp(key, figure_names[f]) == 0)
                golden.figures[f] = strtod(text, NULL);
        if (strcmp(key, "children") != 0 || token != JSON_ARRAY)
            continue;
        compare(trace, &golden); // the last key
        is_compared = true;
        unsigned around = scan->depth - 1;
        while (scan->depth > around && json_scan_next(scan) == JSON_OBJECT)
            read_module(trace, scan);
    }
    assert_true(is_compared);
}

static void read_golden(struct trace *trace, const char *path)
{
    struct arena *arena = arena_new(0);
    struct error error = {0};
    struct json_scan *scan = json_scan_open(path, arena, &error);
    assert_non_null(scan);
    assert_int_equal(json_scan_next(scan), JSON_OBJECT);
    while (scan->depth > 0) {
        enum json_token token = json_scan_next(scan);
        if (token != JSON_KEY)
            break;
        bool is_data = scan->length == 4 && memcmp(scan->text, "data", 4) == 0;
        token = json_scan_next(scan);
        if (!is_data || token != JSON_ARRAY) {
            json_scan_skip(scan, token);
            continue;
        }
        unsigned around = scan->depth - 1;
        while (scan->depth > around && json_scan_next(scan) == JSON_OBJECT)
            read_module(trace, scan);
    }
    assert_true(json_scan_close(scan, &error));
    arena_free(arena);
}

// ---- traces ------------------------------------------------------------------------------------

static void look_at_calls(struct trace *trace)
{
    const struct profile *profile = trace->profile;
    for (uint32_t c = 0; c < profile->api.count; c++) {
        if (operator_of_call(profile, c) == ROW_NONE)
            trace->outside_us +=
                (double)(AT(profile->api.end, c) - AT(profile->api.start, c)) / 1000;
    }
}

static void compare_trace(const char *name, const char *path, const char *golden)
{
    struct error error = {0};
    struct load_request request = {.path = path};
    struct profile *profile = profile_load(&request, &error);
    if (!profile) {
        fail_msg("%s", error.message);
        return;
    }
    struct arena *arena = arena_new(0);
    struct selection selection = selection_all(split_find(profile, arena));
    struct profile view = plugin_view_of(profile, path);
    struct trace trace = {.name = name,
                          .profile = profile,
                          .sums = module_sums_of(profile, &selection, arena),
                          .view = &view,
                          .viewed = module_sums_of(&view, &selection, arena)};
    look_at_calls(&trace);
    read_golden(&trace, golden);
    traces++;
    arena_free(arena);
    profile_free(profile);
}

static void compare_folder(const char *folder, const char *golden, const char *name)
{
    DIR *stream = opendir(folder);
    for (struct dirent *entry; stream && (entry = readdir(stream));) {
        char path[PATH_SIZE];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (strstr(entry->d_name, ".trace.json") || strstr(entry->d_name, ".json.gz"))
            compare_trace(name, path, golden);
    }
    if (stream)
        closedir(stream);
}

static void same_as_the_plugin(void **state)
{
    (void)state;
    static const char *const parts[] = {"", "/unit"};
    char root[PATH_SIZE - 600], folder[PATH_SIZE - 300], golden[PATH_SIZE];
    const char *corpus = getenv("DLPROF_CORPUS");
    snprintf(root, sizeof root, "%s/kineto", corpus ? corpus : source_path("/../shared/corpus"));
    if (access(root, R_OK) != 0) {
        print_message("# skipped: no %s\n", root);
        skip();
    }
    for (size_t part = 0; part < sizeof parts / sizeof *parts; part++) {
        char place[PATH_SIZE - 580];
        snprintf(place, sizeof place, "%s%s", root, parts[part]);
        DIR *stream = opendir(place);
        for (struct dirent *entry; stream && (entry = readdir(stream));) {
            snprintf(folder, sizeof folder, "%s/%s", place, entry->d_name);
            snprintf(golden, sizeof golden, "%s%s/modules.json", folder, part ? "" : "/golden");
            if (entry->d_name[0] != '.' && access(golden, R_OK) == 0 &&
                (part || corpus_index_has(root, entry->d_name, GOLDEN_MODULES)))
                compare_folder(folder, golden, entry->d_name);
        }
        if (stream)
            closedir(stream);
    }
    print_message(
        "%u traces: %u values compared, %u differ, %u are corrections: kernels that calls "
        "of the driver launch, calls without an External id\n",
        traces, compared, differ, corrected);
    assert_true(traces > 0);
    assert_int_equal(differ, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_as_the_plugin)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
