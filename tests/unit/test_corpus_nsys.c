// SPDX-License-Identifier: Apache-2.0
// Conformance with nsys: compares the reports of each real profile of the corpus with the CSV of
// `nsys stats` stored with it, row by row and digit by digit. Skips with a message without the
// corpus.
#include "property.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analysis/breakdown/projection.h"
#include "analysis/reports/report_list.h"
#include "analysis/sums/work_text.h"
#include "model/open/open.h"
#include "paths.h"

REPORT_DECLARE(api);
REPORT_DECLARE(kernels);
REPORT_DECLARE(memory);
REPORT_DECLARE(ranges);

static const char *corpus(void)
{
    const char *folder = getenv("DLPROF_CORPUS");
    return folder ? folder : source_path("/../shared/corpus");
}

// ---- CSV ---------------------------------------------------------------------------------------

enum { FIELDS = 20 };

struct csv {
    size_t count, capacity;
    struct line {
        const char *field[FIELDS];
        size_t fields;
        bool is_seen;
    } * lines; // lines[0]: titles
};

static char *read_all(struct arena *arena, FILE *file)
{
    size_t count = 0, capacity = 0;
    char *text = NULL;
    for (int c; (c = fgetc(file)) != EOF;)
        ARENA_PUSH(arena, text, count, capacity) = (char)c;
    ARENA_PUSH(arena, text, count, capacity) = '\0';
    return text;
}

// Splits the text in place. Returns false if there is no such file.
static bool csv_read(struct arena *arena, const char *path, struct csv *csv)
{
    size_t length = strlen(path);
    bool is_packed = length > 3 && strcmp(path + length - 3, ".gz") == 0;
    *csv = (struct csv){0};
    if (access(path, R_OK) != 0)
        return false;
    FILE *file =
        is_packed ? popen(arena_format(arena, "gzip -dc '%s'", path), "r") : fopen(path, "r");
    assert_non_null(file);
    char *at = read_all(arena, file);
    if (is_packed)
        assert_int_equal(pclose(file), 0);
    else
        fclose(file);
    while (*at) {
        struct line line = {0};
        for (bool more = true; more && line.fields < FIELDS;) {
            char *out = at;
            line.field[line.fields++] = out;
            bool quoted = *at == '"';
            at += quoted;
            while (*at && (quoted || (*at != ',' && *at != '\n'))) {
                if (quoted && at[0] == '"' && at[1] != '"') {
                    quoted = false;
                    at++;
                    continue;
                }
                at += quoted && *at == '"';
                *out++ = *at++;
            }
            more = *at == ',';
            bool is_end = *at == '\0';
            at += !is_end;
            *out = '\0';
        }
        if (line.fields > 1)
            ARENA_PUSH(arena, csv->lines, csv->count, csv->capacity) = line;
    }
    return csv->count > 0;
}

static const char *csv_get(const struct csv *csv, const struct line *line, const char *title)
{
    for (size_t i = 0; i < csv->lines[0].fields; i++)
        if (strcmp(csv->lines[0].field[i], title) == 0)
            return i < line->fields ? line->field[i] : "";
    fail_msg("no column %s", title);
    return "";
}

// ---- one CSV against one report ----------------------------------------------------------------

struct pair {
    const char *title, *key; // title in the CSV, key in the report
    double scale;            // divisor of the figure
    int digits;
};

struct check {
    const char *csv;
    const struct report *report;
    const char *name_title, *name_key;
    enum name_form names;
    const char *only_key, *only_text; // only rows whose column has this text
    bool only_roots;
    const char *only_known;                // only rows in which this column is known
    const char *second_title, *second_key; // second part of the row's name
    struct pair pairs[14];
};

#define KERNEL_PAIRS                                                          \
    {                                                                         \
        {"Total Time (ns)", "gpu_total", 1, 0}, {"Instances", "calls", 1, 0}, \
            {"Avg (ns)", "gpu_avg", 1, 1}, {"Med (ns)", "gpu_med", 1, 1},     \
            {"Min (ns)", "gpu_min", 1, 0}, {"Max (ns)", "gpu_max", 1, 0},     \
            {"StdDev (ns)", "gpu_std", 1, 1},                                 \
    }

static const struct check checks[] = {
    {.csv = "cuda_gpu_kern_sum.csv",
     .report = &report_kernels,
     .names = NAME_FULL,
     .name_title = "Name",
     .name_key = "kernel",
     .only_key = "kind",
     .only_text = "kernel",
     .pairs = KERNEL_PAIRS},
    {.csv = "cuda_gpu_kern_sum-base.csv",
     .report = &report_kernels,
     .names = NAME_SHORT,
     .name_title = "Name",
     .name_key = "kernel",
     .only_key = "kind",
     .only_text = "kernel",
     .pairs = KERNEL_PAIRS},
    {.csv = "cuda_api_sum.csv",
     .report = &report_api,
     .name_title = "Name",
     .name_key = "api",
     .pairs = {{"Total Time (ns)", "total", 1, 0},
               {"Num Calls", "calls", 1, 0},
               {"Avg (ns)", "avg", 1, 1},
               {"Med (ns)", "med", 1, 1},
               {"Min (ns)", "min", 1, 0},
               {"Max (ns)", "max", 1, 0},
               {"StdDev (ns)", "std", 1, 1}}},
    {.csv = "cuda_gpu_mem_time_sum.csv",
     .report = &report_memory,
     .name_title = "Operation",
     .name_key = "operation",
     .only_roots = true,
     .pairs = {{"Total Time (ns)", "gpu_total", 1, 0},
               {"Count", "calls", 1, 0},
               {"Avg (ns)", "gpu_avg", 1, 1},
               {"Med (ns)", "gpu_med", 1, 1},
               {"Min (ns)", "gpu_min", 1, 0},
               {"Max (ns)", "gpu_max", 1, 0},
               {"StdDev (ns)", "gpu_std", 1, 1}}},
    {.csv = "cuda_gpu_mem_size_sum.csv",
     .report = &report_memory,
     .name_title = "Operation",
     .name_key = "operation",
     .only_roots = true,
     .pairs = {{"Total (MB)", "bytes", 1e6, 3},
               {"Count", "calls", 1, 0},
               {"Avg (MB)", "bytes_avg", 1e6, 3},
               {"Med (MB)", "bytes_med", 1e6, 3},
               {"Min (MB)", "bytes_min", 1e6, 3},
               {"Max (MB)", "bytes_max", 1e6, 3},
               {"StdDev (MB)", "bytes_std", 1e6, 3}}},
    {.csv = "nvtx_gpu_proj_sum.csv",
     .report = &report_ranges,
     .name_title = "Range",
     .name_key = "range",
     .only_known = "gpu_total",
     .second_title = "Style",
     .second_key = "style",
     .pairs = {{"Total Proj Time (ns)", "gpu_total", 1, 0},
               {"Total Range Time (ns)", "range_total", 1, 0},
               {"Range Instances", "calls", 1, 0},
               {"Proj Avg (ns)", "gpu_avg", 1, 1},
               {"Proj Med (ns)", "gpu_med", 1, 1},
               {"Proj Min (ns)", "gpu_min", 1, 0},
               {"Proj Max (ns)", "gpu_max", 1, 0},
               {"Proj StdDev (ns)", "gpu_std", 1, 1},
               {"Total GPU Ops", "ops", 1, 0},
               {"Avg GPU Ops", "ops_avg", 1, 1},
               {"Avg Range Lvl", "level", 1, 1},
               {"Avg Num Child", "children", 1, 1}}},
    {.csv = "nvtx_sum.csv",
     .report = &report_ranges,
     .name_title = "Range",
     .name_key = "range",
     .second_title = "Style",
     .second_key = "style",
     .pairs = {{"Total Time (ns)", "all_range_total", 1, 0}, {"Instances", "all_calls", 1, 0}}},
};
enum { CHECKS = sizeof checks / sizeof *checks };

static struct value cell(const struct report *report, const void *row, const char *key)
{
    const struct column *column = report_column(report, key);
    if (!column)
        fail_msg("%s has no column %s", report->name, key);
    return column->get(row);
}

static bool is_text(struct value value, const char *text)
{
    return value.kind == VALUE_TEXT && strcmp(value.text, text) == 0;
}

static double number(struct value value)
{
    return value.kind == VALUE_REAL ? value.real : (double)value.integer;
}

static bool row_counts(const struct check *check, const void *row)
{
    if (check->only_key && !is_text(cell(check->report, row, check->only_key), check->only_text))
        return false;
    if (check->only_roots && check->report->depth(row) > 0)
        return false;
    return !check->only_known || cell(check->report, row, check->only_known).kind != VALUE_NONE;
}

static struct line *find_line(const struct check *check, struct csv *csv, const void *row)
{
    struct value name = cell(check->report, row, check->name_key);
    for (size_t i = 1; i < csv->count; i++) {
        struct line *line = &csv->lines[i];
        if (!line->is_seen && is_text(name, csv_get(csv, line, check->name_title)) &&
            (!check->second_key || is_text(cell(check->report, row, check->second_key),
                                           csv_get(csv, line, check->second_title))))
            return line;
    }
    return NULL;
}

static void check_row(const char *folder, const struct check *check, const struct csv *csv,
                      const struct line *line, const void *row)
{
    for (const struct pair *pair = check->pairs; pair->title; pair++) {
        struct value value = cell(check->report, row, pair->key);
        char text[64] = "";
        if (pair->scale == 1 && value.kind == VALUE_INTEGER)
            snprintf(text, sizeof text, "%lld", (long long)value.integer);
        else if (value.kind != VALUE_NONE)
            // SQLite rounds halves up, C rounds them to even.
            snprintf(text, sizeof text, "%.*f", pair->digits,
                     number(value) / pair->scale * (1 + 1e-15));
        const char *expected = csv_get(csv, line, pair->title);
        if (strcmp(text, expected) != 0)
            fail_msg("%s, %s: %s of \"%s\" is %s, nsys says %s", folder, check->csv, pair->title,
                     csv_get(csv, line, check->name_title), text, expected);
    }
}

static size_t check_csv(const char *folder, const struct check *check, struct csv *csv,
                        const struct profile *profile, struct arena *arena)
{
    struct split split = {.count = 1, .text = "", .key = ""};
    struct selection selection = selection_all(&split);
    selection.names = check->names;
    struct rows rows = check->report->build(profile, &selection, arena);
    size_t counted = 0;
    for (size_t i = 0; i < rows.count; i++) {
        const void *row = report_row(check->report, &rows, i);
        if (!row_counts(check, row))
            continue;
        struct line *line = find_line(check, csv, row);
        if (!line)
            fail_msg("%s, %s: nsys has no row \"%s\"", folder, check->csv,
                     cell(check->report, row, check->name_key).text);
        line->is_seen = true;
        check_row(folder, check, csv, line, row);
        counted++;
    }
    for (size_t i = 1; i < csv->count; i++)
        if (!csv->lines[i].is_seen)
            fail_msg("%s, %s: no row \"%s\"", folder, check->csv,
                     csv_get(csv, &csv->lines[i], check->name_title));
    return counted;
}

// ---- individual ranges -------------------------------------------------------------------------

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static const char **csv_instances(const struct csv *csv, struct arena *arena)
{
    const char **texts = ARENA_ARRAY(arena, const char *, csv->count);
    for (size_t i = 1; i < csv->count; i++) {
        const struct line *line = &csv->lines[i];
        texts[i - 1] = arena_format(
            arena, "%s|%s|%s|%s|%s|%s", csv_get(csv, line, "Name"),
            csv_get(csv, line, "Projected Start (ns)"),
            csv_get(csv, line, "Projected Duration (ns)"), csv_get(csv, line, "Orig Start (ns)"),
            csv_get(csv, line, "Orig Duration (ns)"), csv_get(csv, line, "NumGPUOps"));
    }
    qsort(texts, csv->count - 1, sizeof *texts, compare_texts);
    return texts;
}

static size_t check_instances(const char *folder, const struct csv *csv,
                              const struct profile *profile, struct arena *arena)
{
    struct split split = {.count = 1, .text = "", .key = ""};
    struct selection selection = selection_all(&split);
    const struct ranges *ranges = &profile->ranges;
    const struct projector *projectors = projectors_new(profile, &selection, arena);
    const char **texts = ARENA_ARRAY(arena, const char *, ranges->count + 1);
    size_t count = 0;
    for (uint32_t r = 0; r < ranges->count; r++) {
        struct projection found = projector_find(&projectors[range_thread(ranges, r)],
                                                 AT(ranges->start, r), AT(ranges->end, r));
        if (found.ops == 0 || range_name(ranges, r) == STRING_NONE ||
            range_label(ranges, r)->ending == 2)
            continue;
        texts[count++] =
            arena_format(arena, "%s|%lld|%lld|%lld|%lld|%u", range_text(profile, r, arena),
                         (long long)found.start, (long long)(found.end - found.start),
                         (long long)AT(ranges->start, r),
                         (long long)(AT(ranges->end, r) - AT(ranges->start, r)), found.ops);
    }
    qsort(texts, count, sizeof *texts, compare_texts);
    const char **expected = csv_instances(csv, arena);
    for (size_t i = 0; i < count && i + 1 < csv->count; i++)
        if (strcmp(texts[i], expected[i]) != 0)
            fail_msg("%s: range %s, nsys says %s", folder, texts[i], expected[i]);
    assert_int_equal(count, csv->count - 1);
    return count;
}

// ---- the corpus --------------------------------------------------------------------------------

static void check_profile(const char *folder)
{
    struct arena *arena = arena_new(0);
    const char *base = arena_format(arena, "%s/nsys/%s", corpus(), folder);
    struct load_request request = {.path = arena_format(arena, "%s/profile.sqlite", base)};
    struct error error = {0};
    struct profile *profile = profile_load(&request, &error);
    if (!profile)
        fail_msg("%s: %s", folder, error.message);
    for (size_t i = 0; i < CHECKS; i++) {
        struct csv csv;
        if (!csv_read(arena, arena_format(arena, "%s/%s", base, checks[i].csv), &csv))
            continue;
        size_t rows = check_csv(folder, &checks[i], &csv, profile, arena);
        print_message("# %s: %s, %zu rows equal\n", folder, checks[i].csv, rows);
    }
    struct csv csv;
    if (csv_read(arena, arena_format(arena, "%s/nvtx_gpu_proj_trace.csv.gz", base), &csv))
        print_message("# %s: nvtx_gpu_proj_trace, %zu ranges equal\n", folder,
                      check_instances(folder, &csv, profile, arena));
    profile_free(profile);
    arena_free(arena);
}

static void test_corpus(void **state)
{
    (void)state;
    char path[4096];
    snprintf(path, sizeof path, "%s/nsys", corpus());
    DIR *folder = opendir(path);
    if (!folder) {
        print_message("# skipped: no corpus of real profiles at %s\n", path);
        skip();
    }
    size_t profiles = 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (entry->d_name[0] == '.')
            continue;
        check_profile(entry->d_name);
        profiles++;
    }
    closedir(folder);
    assert_true(profiles > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_corpus)};
    if (run_is_quick()) // under valgrind: the same numbers, after minutes
        return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
