// SPDX-License-Identifier: Apache-2.0
// Allocations of the framework's allocator in PyTorch Profiler traces: compares the Memory view
// with PyTorch's TensorBoard plugin, cell by cell (reports if the corpus is missing), and checks
// the rules with small traces. Each difference must be one of the corrections below, which the
// manual lists.
#include "property.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analysis/memory/memory_peaks.h"
#include "analysis/reports/report_list.h"
#include "base/parse/json_scan.h"
#include "file_text.h"
#include "model/digest/digest.h"
#include "model/open/open.h"
#include "paths.h"

REPORT_DECLARE(memory_curve);
REPORT_DECLARE(memory_events);
REPORT_DECLARE(memory_peaks);
REPORT_DECLARE(op_memory);

enum { PATH_SIZE = 3000 };

static struct value cell(const struct report *report, const struct rows *rows, size_t i,
                         const char *key)
{
    return report_column(report, key)->get(report_row(report, rows, i));
}

static const char *text_of(const struct report *report, const struct rows *rows, size_t i,
                           const char *key)
{
    struct value value = cell(report, rows, i, key);
    return value.kind == VALUE_TEXT ? value.text : "";
}

static int64_t integer_of(const struct report *report, const struct rows *rows, size_t i,
                          const char *key)
{
    struct value value = cell(report, rows, i, key);
    return value.kind == VALUE_INTEGER ? value.integer : UNKNOWN;
}

// ---- traces ------------------------------------------------------------------------------------

struct tally {
    unsigned compared, differ, corrected, cases;
};

struct trace {
    const char *name, *golden; // golden: its folder
    struct arena *arena;
    struct profile *profile;
    struct selection selection;
    struct tally *tally;
};

static bool trace_open(struct trace *trace, const char *path)
{
    struct load_request request = {.path = path};
    struct error error = {0};
    trace->profile = profile_load(&request, &error);
    if (!trace->profile)
        return false;
    trace->arena = arena_new(0);
    trace->selection = selection_all(split_find(trace->profile, trace->arena));
    return true;
}

static void trace_close(struct trace *trace)
{
    arena_free(trace->arena);
    profile_free(trace->profile);
}

static void report_cell(struct trace *trace, bool is_equal, const char *correction,
                        const char *what, double ours, double golden)
{
    trace->tally->compared++;
    if (is_equal)
        return;
    trace->tally->differ++;
    trace->tally->corrected += correction != NULL;
    if (!correction)
        print_message("# %s: %s is %.10g, the plugin has %.10g\n", trace->name, what, ours, golden);
}

// The plugin writes "GPU 0" as "GPU0".
static bool is_home(const char *ours, const char *golden)
{
    char text[40];
    snprintf(text, sizeof text, "%.3s%s", ours, strlen(ours) > 4 ? ours + 4 : "");
    return strcmp(text, golden) == 0;
}

// ---- by operator -------------------------------------------------------------------------------

// The plugin does not count calls inside an op, module or place of the tree during which no memory
// is allocated or freed: 3,042 calls, compared with 3,062 in its own table of operators.
static int64_t plugin_calls(const struct profile *profile, const char *name, struct arena *arena)
{
    const struct ranges *ranges = &profile->ranges;
    const struct allocations *allocations = &profile->allocations;
    struct op_places places = op_places_build(profile, arena);
    bool *has_event = ARENA_ARRAY(arena, bool, (size_t)ranges->count + 1);
    int64_t calls = 0;
    for (uint32_t i = 0; i < allocations->count; i++)
        for (uint32_t r = AT(allocations->range, i); r != ROW_NONE && !has_event[r];
             r = AT(ranges->parent, r))
            has_event[r] = true;
    for (uint32_t r = 0; r < ranges->count; r++) {
        if (places.owners[r] != r || !op_places_has_op(profile, &places, r) ||
            strcmp(profile_text(profile, range_name(ranges, r)), name) != 0)
            continue;
        uint32_t around = operator_outer(profile, places.owners, r);
        while (around != ROW_NONE && has_event[around])
            around = operator_outer(profile, places.owners, around);
        calls += around == ROW_NONE;
    }
    return calls;
}

static size_t find_op(const struct rows *rows, const char *home, const char *op)
{
    const struct report *report = &report_op_memory;
    for (size_t i = 0; i < rows->count; i++)
        if (strcmp(text_of(report, rows, i, "op"), op) == 0 &&
            is_home(text_of(report, rows, i, "memory"), home))
            return i;
    return SIZE_MAX;
}

static void compare_op(struct trace *trace, const struct rows *rows, const char *home,
                       const char *op, const double *golden)
{
    static const char *const keys[] = {"calls",       "increase",         "self_increase",
                                       "allocations", "self_allocations", "size",
                                       "self_size"};
    size_t row = find_op(rows, home, op);
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        char what[200];
        int64_t ours =
            row == SIZE_MAX ? UNKNOWN : integer_of(&report_op_memory, rows, row, keys[k]);
        bool is_equal = row != SIZE_MAX && fabs((double)ours - golden[k]) < 0.5;
        bool is_call =
            !is_equal && k == 0 && row != SIZE_MAX &&
            fabs((double)plugin_calls(trace->profile, op, trace->arena) - golden[k]) < 0.5;
        snprintf(what, sizeof what, "%s of %.100s, %s", keys[k], op, home);
        report_cell(trace, is_equal, is_call ? "calls in ops that allocate nothing" : NULL, what,
                    (double)ours, golden[k]);
    }
}

// {"rows": {"GPU0": [["aten::mm", 3, ...], ...]}}
static void compare_ops(struct trace *trace)
{
    char path[PATH_SIZE], home[40] = "", op[1000] = "", key[100] = "";
    struct error error = {0};
    struct rows rows =
        report_rows(&report_op_memory, trace->profile, &trace->selection, trace->arena);
    snprintf(path, sizeof path, "%s/memory_stats.json", trace->golden);
    struct json_scan *scan = json_scan_open(path, trace->arena, &error);
    assert_non_null(scan);
    double golden[7];
    size_t figures = 0, count = 0;
    for (enum json_token token; (token = json_scan_next(scan)) != JSON_END;) {
        if (token == JSON_KEY && scan->depth == 1)
            snprintf(key, sizeof key, "%.*s", (int)scan->length, scan->text);
        if (strcmp(key, "rows") != 0)
            continue;
        if (token == JSON_KEY && scan->depth == 2)
            snprintf(home, sizeof home, "%.*s", (int)scan->length, scan->text);
        else if (token == JSON_STRING)
            snprintf(op, sizeof op, "%.*s", (int)scan->length, scan->text);
        else if (token == JSON_ARRAY)
            figures = 0;
        else if (token == JSON_NUMBER && figures < 7)
            golden[figures++] = strtod(scan->text, NULL);
        if (token == JSON_NUMBER && figures == 7) {
            compare_op(trace, &rows, home, op, golden);
            figures++;
            count++;
        }
    }
    assert_true(json_scan_close(scan, &error));
    report_cell(trace, count == rows.count, NULL, "number of operators", (double)rows.count,
                (double)count);
}

// ---- the curve ---------------------------------------------------------------------------------

// {"peak": {"1:0": 8000}, "curve_points": {"GPU0": 10}}
static void compare_curve(struct trace *trace)
{
    enum { MAX_POINTS = 10240 }; // larger curves are thinned out
    char path[PATH_SIZE], key[100] = "", home[40] = "";
    struct error error = {0};
    struct rows rows =
        report_rows(&report_memory_peaks, trace->profile, &trace->selection, trace->arena);
    snprintf(path, sizeof path, "%s/memory_summary.json", trace->golden);
    struct json_scan *scan = json_scan_open(path, trace->arena, &error);
    assert_non_null(scan);
    for (enum json_token token; (token = json_scan_next(scan)) != JSON_END;) {
        if (token == JSON_KEY)
            snprintf(scan->depth == 1 ? key : home, 40, "%.*s", (int)scan->length, scan->text);
        bool is_peak = strcmp(key, "peak") == 0, is_points = strcmp(key, "curve_points") == 0;
        if (token != JSON_NUMBER || scan->depth != 2 || (!is_peak && !is_points))
            continue;
        double golden = strtod(scan->text, NULL), ours = -1;
        char wanted[40];
        snprintf(wanted, sizeof wanted, "%s", home);
        if (is_peak && strncmp(home, "0:", 2) == 0)
            snprintf(wanted, sizeof wanted, "CPU");
        else if (is_peak)
            snprintf(wanted, sizeof wanted, "GPU%.30s", home + 2);
        for (size_t i = 0; i < rows.count; i++) {
            const struct memory_peaks_row *row = report_row(&report_memory_peaks, &rows, i);
            uint32_t points = row->series.count < MAX_POINTS ? row->series.count : MAX_POINTS;
            if (is_home(row->home, wanted))
                ours = is_peak ? (double)row->peak.allocated : (double)points;
        }
        report_cell(trace, fabs(ours - golden) < 0.5, NULL, is_peak ? "peak" : "points", ours,
                    golden);
    }
    assert_true(json_scan_close(scan, &error));
}

// ---- events ------------------------------------------------------------------------------------

static char *read_packed(const char *path)
{
    char command[PATH_SIZE + 20];
    size_t count = 0, room = 1 << 20;
    char *text = malloc(room);
    snprintf(command, sizeof command, "gzip -dc '%s'", path);
    FILE *file = popen(command, "r");
    assert_non_null(file);
    assert_non_null(text);
    for (size_t got; (got = fread(text + count, 1, room - count - 1, file)) > 0;) {
        count += got;
        if (room - count < 2)
            assert_non_null(text = realloc(text, room *= 2));
    }
    text[count] = '\0';
    assert_int_equal(pclose(file), 0);
    return text;
}

// Converts the plugin's microseconds with two decimals; UNKNOWN for an empty field or the end of a
// line.
static int64_t ns_of(const char *text)
{
    return strcspn(text, "\r") ? (int64_t)llround(strtod(text, NULL) * 1000) : UNKNOWN;
}

static bool is_near(int64_t a, int64_t b)
{
    enum { ROUNDING_NS = 12 };
    return (a == UNKNOWN) == (b == UNKNOWN) &&
           (a == UNKNOWN || (a - b <= ROUNDING_NS && b - a <= ROUNDING_NS));
}

// The plugin's times start at its first event, ours at the first event that is kept.
static int64_t find_offset(const char *csv, const struct rows *rows)
{
    char *copy = strdup(csv), *at = copy;
    const char *field[6];
    int64_t golden = INT64_MAX, ours = INT64_MAX;
    at = csv_line(at, field, 6);
    while ((at = csv_line(at, field, 6)))
        if (*field[3] && ns_of(field[3]) < golden)
            golden = ns_of(field[3]);
    for (size_t i = 0; i < rows->count; i++) {
        int64_t start = integer_of(&report_memory_events, rows, i, "start");
        ours = start != UNKNOWN && start < ours ? start : ours;
    }
    free(copy);
    return golden - ours;
}

static void compare_events(struct trace *trace)
{
    char path[PATH_SIZE];
    const struct report *report = &report_memory_events;
    struct rows rows = report_rows(report, trace->profile, &trace->selection, trace->arena);
    bool *is_seen = ARENA_ARRAY(trace->arena, bool, rows.count + 1);
    snprintf(path, sizeof path, "%s/memory_events.csv.gz", trace->golden);
    char *csv = read_packed(path);
    int64_t offset = find_offset(csv, &rows);
    const char *field[6]; // device, operator, size, alloc_us, free_us, duration_us
    size_t count = 0, from = 0;
    char *at = csv_line(csv, field, 6);
    while ((at = csv_line(at, field, 6))) {
        int64_t start = ns_of(field[3]), stop = ns_of(field[4]);
        bool is_known = strcmp(field[1], "<unknown>") != 0, is_found = false;
        for (size_t i = 0; i < rows.count && !is_found; i++) {
            size_t row = (from + i) % rows.count; // both are sorted by time, with ties in any order
            const char *op = text_of(report, &rows, row, "op");
            int64_t own_start = integer_of(report, &rows, row, "start");
            int64_t own_stop = integer_of(report, &rows, row, "stop");
            is_found = !is_seen[row] &&
                       is_near(own_start == UNKNOWN ? UNKNOWN : own_start + offset, start) &&
                       is_near(own_stop == UNKNOWN ? UNKNOWN : own_stop + offset, stop) &&
                       is_home(text_of(report, &rows, row, "memory"), field[0]) &&
                       strcmp(op, is_known ? field[1] : "") == 0 &&
                       fabs((double)integer_of(report, &rows, row, "bytes") -
                            strtod(field[2], NULL)) < 0.5 &&
                       is_near(integer_of(report, &rows, row, "held"), ns_of(field[5]));
            if (is_found) {
                is_seen[row] = true;
                from = row + 1;
            }
        }
        count++;
        report_cell(trace, is_found, NULL, "an event of the plugin, found", is_found, 1);
    }
    report_cell(trace, count == rows.count, NULL, "number of events", (double)rows.count,
                (double)count);
    free(csv);
}

// ---- all traces --------------------------------------------------------------------------------

static void check_case(const char *folder, const char *golden, const char *name,
                       struct tally *tally)
{
    DIR *stream = opendir(folder);
    char path[PATH_SIZE] = "";
    snprintf(path, sizeof path, "%.2900s/memory_stats.json", golden);
    bool is_there = access(path, R_OK) == 0;
    for (struct dirent *entry; is_there && stream && (entry = readdir(stream));) {
        size_t length = strlen(entry->d_name);
        bool is_trace = (length > 8 && strcmp(entry->d_name + length - 8, ".json.gz") == 0) ||
                        strstr(entry->d_name, ".pt.trace.json");
        if (!is_trace)
            continue;
        struct trace trace = {.name = name, .golden = golden, .tally = tally};
        snprintf(path, sizeof path, "%.2500s/%.400s", folder, entry->d_name);
        assert_true(trace_open(&trace, path));
        tally->cases++;
        compare_ops(&trace);
        compare_curve(&trace);
        compare_events(&trace);
        trace_close(&trace);
    }
    if (stream)
        closedir(stream);
}

static void test_corpus(void **state)
{
    (void)state;
    const char *corpus = getenv("DLPROF_CORPUS");
    char root[PATH_SIZE], path[PATH_SIZE], golden[PATH_SIZE];
    struct tally tally = {0};
    snprintf(root, sizeof root, "%.2900s/kineto",
             corpus ? corpus : source_path("/../shared/corpus"));
    if (access(root, R_OK) != 0) {
        print_message("# skipped: no traces beside the project\n");
        skip();
        return;
    }
    for (int is_unit = 0; is_unit < 2; is_unit++) {
        snprintf(path, sizeof path, "%.2900s%s", root, is_unit ? "/unit" : "");
        DIR *stream = opendir(path);
        assert_non_null(stream);
        for (struct dirent *entry; (entry = readdir(stream));) {
            if (entry->d_name[0] == '.')
                continue;
            snprintf(path, sizeof path, "%.2000s%s/%.200s", root, is_unit ? "/unit" : "",
                     entry->d_name);
            snprintf(golden, sizeof golden, "%.2900s%s", path, is_unit ? "" : "/golden");
            check_case(path, golden, entry->d_name, &tally);
        }
        closedir(stream);
    }
    print_message("# %u traces: %u values compared, %u differ, %u of them by a correction\n",
                  tally.cases, tally.compared, tally.differ, tally.corrected);
    assert_true(tally.cases >= 6 && tally.compared > 8000);
    assert_int_equal(tally.differ, tally.corrected);
}

// ---- rules, checked with small traces ----------------------------------------------------------

#define OP(name, start, length)                                                                 \
    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"" name "\",\"pid\":7,\"tid\":7,\"ts\":" #start \
    ",\"dur\":" #length "},"
#define NOTE(name, start, length)                                \
    "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"" name \
    "\",\"pid\":7,\"tid\":7,\"ts\":" #start ",\"dur\":" #length "},"
#define MEMORY(time, kind, device, more)                                                \
    "{\"ph\":\"i\",\"s\":\"t\",\"name\":\"[memory]\",\"pid\":7,\"tid\":7,\"ts\":" #time \
    ",\"args\":{\"Device Type\":" #kind ",\"Device Id\":" #device "," more "}},"
#define GPU(time, more) MEMORY(time, 1, 0, more)

static void open_text(struct trace *trace, const char *events, char path[PATH_SIZE])
{
    *trace = (struct trace){0};
    snprintf(path, PATH_SIZE, "%s/kineto_memory_%d.json", build_path(""), (int)getpid());
    char *text = malloc(strlen(events) + 100);
    assert_non_null(text);
    sprintf(text, "{\"traceEvents\":[%s{\"ph\":\"M\"}]}", events);
    file_write(path, text);
    free(text);
    assert_true(trace_open(trace, path));
}

static void close_text(struct trace *trace, const char *path)
{
    trace_close(trace);
    unlink(path);
}

// An allocation at the start of an operator belongs to it, one at its end does not. An operator
// whose only child has the same name is one call with it. Allocations in an annotation belong to
// the enclosing operator.
static void test_operators(void **state)
{
    (void)state;
    struct trace trace;
    char path[PATH_SIZE];
    open_text(&trace,
              OP("a", 100, 100) OP("b", 110, 50) OP("b", 120, 20) NOTE("mine", 170, 20)
                  GPU(100, "\"Bytes\":1") GPU(125, "\"Bytes\":10") GPU(140, "\"Bytes\":-4")
                      GPU(160, "\"Bytes\":100") GPU(175, "\"Bytes\":1000") GPU(200, "\"Bytes\":5"),
              path);
    const struct report *report = &report_op_memory;
    struct rows rows = report_rows(report, trace.profile, &trace.selection, trace.arena);
    assert_int_equal(rows.count, 2);
    size_t a = find_op(&rows, "GPU0", "a"), b = find_op(&rows, "GPU0", "b");
    assert_int_equal(integer_of(report, &rows, a, "self_increase"), 1101);
    assert_int_equal(integer_of(report, &rows, a, "increase"), 1107);
    assert_int_equal(integer_of(report, &rows, b, "calls"), 1);
    assert_int_equal(integer_of(report, &rows, b, "self_increase"), 6);
    assert_int_equal(integer_of(report, &rows, b, "increase"), 6);
    assert_int_equal(integer_of(report, &rows, b, "self_size"), 10);
    assert_int_equal(integer_of(report, &rows, b, "self_allocations"), 1);
    assert_non_null(strstr(rows.caption, "1 outside"));
    close_text(&trace, path);
}

// Only CPU, MKLDNN and IDEEP memory is host memory; all other kinds of devices are GPUs.
static void test_devices(void **state)
{
    (void)state;
    static const struct {
        const char *text, *home;
    } kinds[] = {
        {OP("a", 1, 9) MEMORY(2, 0, -1, "\"Bytes\":8"), "CPU"},
        {OP("a", 1, 9) MEMORY(2, 2, 0, "\"Bytes\":8"), "CPU"},
        {OP("a", 1, 9) MEMORY(2, 5, -1, "\"Bytes\":8"), "CPU"},
        {OP("a", 1, 9) MEMORY(2, 1, 3, "\"Bytes\":8"), "GPU 3"},
        {OP("a", 1, 9) MEMORY(2, 6, 1, "\"Bytes\":8"), "GPU 1"},
        {OP("a", 1, 9) MEMORY(2, 12, 0, "\"Bytes\":8"), "GPU 0"},
        {OP("a", 1, 9) MEMORY(2, 20, 2, "\"Bytes\":8"), "GPU 2"},
        {OP("a", 1, 9) MEMORY(2, 20, -1, "\"Bytes\":8"), "GPU 0"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct trace trace;
        char path[PATH_SIZE];
        open_text(&trace, kinds[i].text, path);
        struct rows rows =
            report_rows(&report_op_memory, trace.profile, &trace.selection, trace.arena);
        assert_int_equal(rows.count, 1);
        assert_string_equal(text_of(&report_op_memory, &rows, 0, "memory"), kinds[i].home);
        close_text(&trace, path);
    }
}

// An allocation ends with the next free of its address, on any thread. An allocation at an address
// in use keeps its row, and so does a free without an allocation.
static void test_events(void **state)
{
    (void)state;
    struct trace trace;
    char path[PATH_SIZE];
    open_text(&trace,
              OP("x", 1, 100) OP("aten::zeros", 10, 10) OP("aten::empty", 11, 5)
                  GPU(12, "\"Bytes\":8,\"Addr\":1") GPU(30, "\"Bytes\":8,\"Addr\":2")
                      GPU(31, "\"Bytes\":16,\"Addr\":2") GPU(40, "\"Bytes\":-8,\"Addr\":1")
                          GPU(41, "\"Bytes\":-8,\"Addr\":1") GPU(50, "\"Bytes\":-16,\"Addr\":2")
                              GPU(51, "\"Bytes\":-4,\"Addr\":9"),
              path);
    static const struct {
        const char *op;
        int64_t bytes, start, stop, held;
    } wanted[] = {
        {"aten::zeros (aten::empty)", 8, 11000, 39000, 28000},
        {"x", 8, 29000, UNKNOWN, UNKNOWN},
        {"x", 16, 30000, 49000, 19000},
        {"", 8, UNKNOWN, 40000, UNKNOWN},
        {"", 4, UNKNOWN, 50000, UNKNOWN},
    };
    const struct report *report = &report_memory_events;
    struct rows rows = report_rows(report, trace.profile, &trace.selection, trace.arena);
    assert_int_equal(rows.count, sizeof wanted / sizeof *wanted);
    for (size_t i = 0; i < rows.count; i++) {
        assert_string_equal(text_of(report, &rows, i, "op"), wanted[i].op);
        assert_int_equal(integer_of(report, &rows, i, "bytes"), wanted[i].bytes);
        assert_int_equal(integer_of(report, &rows, i, "start"), wanted[i].start);
        assert_int_equal(integer_of(report, &rows, i, "stop"), wanted[i].stop);
        assert_int_equal(integer_of(report, &rows, i, "held"), wanted[i].held);
    }
    close_text(&trace, path);
}

// A selected step includes memory that was allocated before it and stays; ops count in the step
// where they begin.
static void test_steps(void **state)
{
    (void)state;
    struct trace trace;
    char path[PATH_SIZE];
    open_text(&trace,
              NOTE("ProfilerStep#3", 0, 100) NOTE("ProfilerStep#4", 100, 100)
                  NOTE("ProfilerStep#5", 200, 100) OP("a", 10, 10) OP("b", 50, 20) OP("a", 210, 10)
                      GPU(15, "\"Bytes\":70,\"Total Allocated\":170,\"Total Reserved\":500") GPU(
                          55, "\"Bytes\":-20,\"Total Allocated\":150,\"Total Reserved\":500")
                          GPU(215, "\"Bytes\":10,\"Total Allocated\":160,\"Total Reserved\":600"),
              path);
    bool members[3] = {false, true, false};
    assert_int_equal(trace.selection.split->count, 3);
    trace.selection.iterations = members;
    const struct report *report = &report_memory_peaks;
    struct rows rows = report_rows(report, trace.profile, &trace.selection, trace.arena);
    assert_int_equal(rows.count, 1);
    assert_int_equal(integer_of(report, &rows, 0, "peak"), 150);
    assert_int_equal(integer_of(report, &rows, 0, "peak_at"), 100000);
    assert_int_equal(integer_of(report, &rows, 0, "reserved"), 500);
    assert_int_equal(
        report_rows(&report_op_memory, trace.profile, &trace.selection, trace.arena).count, 0);
    members[1] = false;
    members[2] = true;
    rows = report_rows(report, trace.profile, &trace.selection, trace.arena);
    assert_int_equal(integer_of(report, &rows, 0, "peak"), 160);
    assert_int_equal(integer_of(report, &rows, 0, "before"), 150);
    rows = report_rows(&report_op_memory, trace.profile, &trace.selection, trace.arena);
    assert_int_equal(rows.count, 1);
    assert_int_equal(integer_of(&report_op_memory, &rows, 0, "calls"), 1);
    assert_int_equal(integer_of(&report_op_memory, &rows, 0, "self_size"), 10);
    close_text(&trace, path);
}

// Enter on an operator opens its own allocations in the memory of the row.
static void test_narrow(void **state)
{
    (void)state;
    struct trace trace;
    char path[PATH_SIZE];
    open_text(&trace,
              OP("a", 10, 100) OP("b", 20, 10) GPU(15, "\"Bytes\":70,\"Addr\":5")
                  GPU(25, "\"Bytes\":80,\"Addr\":6") MEMORY(26, 0, -1, "\"Bytes\":90,\"Addr\":7")
                      MEMORY(40, 0, -1, "\"Bytes\":91,\"Addr\":8"),
              path);
    const struct report *report = &report_op_memory;
    struct rows rows = report_rows(report, trace.profile, &trace.selection, trace.arena);
    assert_int_equal(rows.count, 4);
    for (size_t i = 0; i < rows.count; i++) {
        struct selection narrow = trace.selection;
        const char *opens = report->narrow(trace.profile, report_row(report, &rows, i), &narrow);
        assert_string_equal(opens, "memory_events");
        struct rows events =
            report_rows(&report_memory_events, trace.profile, &narrow, trace.arena);
        assert_int_equal(events.count, 1);
        assert_int_equal(integer_of(&report_memory_events, &events, 0, "bytes"),
                         integer_of(report, &rows, i, "self_size"));
    }
    close_text(&trace, path);
}

static void test_unknown(void **state)
{
    (void)state;
    struct trace trace;
    char path[PATH_SIZE];
    // Without addresses and totals, as PyTorch 1.8 and 1.9 write; and with impossible sizes and
    // times.
    open_text(&trace,
              OP("a", 10, 100) GPU(15, "\"Bytes\":70") GPU(16, "\"Bytes\":-30")
                  GPU(17, "\"Bytes\":9999999999999999999") GPU(18, "\"Addr\":3")
                      GPU(99999999999999999999, "\"Bytes\":1"),
              path);
    assert_int_equal(trace.profile->allocations.count, 2);
    struct rows rows =
        report_rows(&report_memory_peaks, trace.profile, &trace.selection, trace.arena);
    assert_int_equal(integer_of(&report_memory_peaks, &rows, 0, "peak"), 70);
    assert_int_equal(integer_of(&report_memory_peaks, &rows, 0, "after"), 40);
    assert_int_equal(cell(&report_memory_peaks, &rows, 0, "used").kind, VALUE_NONE);
    rows = report_rows(&report_memory_events, trace.profile, &trace.selection, trace.arena);
    assert_int_equal(rows.count, 0);
    assert_non_null(strstr(rows.empty, "addresses"));
    close_text(&trace, path);
    open_text(&trace, OP("a", 10, 100), path);
    static const struct report *const all[] = {&report_op_memory, &report_memory_peaks,
                                               &report_memory_curve, &report_memory_events};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        rows = report_rows(all[i], trace.profile, &trace.selection, trace.arena);
        assert_int_equal(rows.count, 0);
        assert_non_null(strstr(rows.empty, "profile_memory=True"));
    }
    close_text(&trace, path);
}

// ---- several processes and digests -------------------------------------------------------------

// Addresses and totals are per process.
static void test_processes(void **state)
{
    (void)state;
    struct trace trace;
    char path[PATH_SIZE];
    open_text(
        &trace,
        OP("a", 10, 100) GPU(
            15, "\"Bytes\":70,\"Addr\":5,\"Total Allocated\":70") "{\"ph\":\"i\",\"name\":\"["
                                                                  "memory]\",\"pid\":8,\"tid\":1,"
                                                                  "\"ts\":20,\"args\":{\"Device "
                                                                  "Type\":1,\"Device "
                                                                  "Id\":0,\"Bytes\":-30,\"Addr\":5,"
                                                                  "\"Total Allocated\":100}},",
        path);
    struct rows rows =
        report_rows(&report_memory_peaks, trace.profile, &trace.selection, trace.arena);
    assert_int_equal(rows.count, 1);
    assert_int_equal(integer_of(&report_memory_peaks, &rows, 0, "peak"), 170);
    rows = report_rows(&report_memory_events, trace.profile, &trace.selection, trace.arena);
    assert_int_equal(rows.count, 2);
    assert_int_equal(integer_of(&report_memory_events, &rows, 0, "stop"), UNKNOWN);
    close_text(&trace, path);
}

static void assert_same(const struct trace *a, const struct trace *b)
{
    static const struct report *const all[] = {&report_op_memory, &report_memory_peaks,
                                               &report_memory_curve, &report_memory_events};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct rows ours = report_rows(all[i], a->profile, &a->selection, a->arena);
        struct rows other = report_rows(all[i], b->profile, &b->selection, b->arena);
        assert_int_equal(ours.count, other.count);
        assert_true(ours.count > 0);
        for (size_t row = 0; row < ours.count; row++)
            for (size_t c = 0; c < all[i]->column_count; c++)
                assert_int_equal(
                    value_compare(all[i]->columns[c].get(report_row(all[i], &ours, row)),
                                  all[i]->columns[c].get(report_row(all[i], &other, row))),
                    0);
    }
}

#define WHOLE                                                                       \
    OP("a", 10, 100)                                                                \
    OP("b", 20, 10)                                                                 \
    GPU(15, "\"Bytes\":70,\"Addr\":5,\"Total Allocated\":70,\"Total Reserved\":99") \
    GPU(25, "\"Bytes\":-70,\"Addr\":5,\"Total Allocated\":0,\"Total Reserved\":99") \
    MEMORY(26, 0, -1, "\"Bytes\":90,\"Addr\":7,\"Total Allocated\":90,\"Total Reserved\":0")

static void test_digest(void **state)
{
    (void)state;
    struct trace trace, reloaded = {0};
    char path[PATH_SIZE], other[PATH_SIZE + 10];
    struct error error = {0};
    struct bytes digest = {0};
    open_text(&trace, WHOLE, path);
    struct load_request request = {.path = path, .part_of = 1};
    struct profile *part = profile_load(&request, &error);
    assert_non_null(part);
    digest_encode(part, 1, &digest, trace.arena);
    profile_free(part);
    snprintf(other, sizeof other, "%s.dlp", path);
    FILE *file = fopen(other, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(digest.items, 1, digest.count, file), digest.count);
    fclose(file);
    assert_true(trace_open(&reloaded, other));
    assert_same(&trace, &reloaded);
    trace_close(&reloaded);
    unlink(other);
    close_text(&trace, path);
}

// Two files: memory belongs to the process of its file; on a shared GPU the allocations of both are
// added up.
static void test_files(void **state)
{
    (void)state;
    struct trace a, b;
    char first[PATH_SIZE], second[PATH_SIZE + 10];
    struct error error = {0};
    open_text(&a, WHOLE, first);
    snprintf(second, sizeof second, "%s.2.json", first);
    char *text = file_read(first), *pid = text;
    for (; (pid = strstr(pid, "\"pid\":7")); pid++)
        pid[6] = '8';
    file_write(second, text);
    free(text);
    const char *const paths[] = {first, second};
    struct load_request request = {.path = first, .paths = paths, .path_count = 2};
    b = (struct trace){.profile = profile_load(&request, &error), .arena = arena_new(0)};
    assert_non_null(b.profile);
    b.selection = selection_all(split_find(b.profile, b.arena));
    struct rows rows = report_rows(&report_memory_events, b.profile, &b.selection, b.arena);
    assert_int_equal(rows.count, 4);
    rows = report_rows(&report_op_memory, b.profile, &b.selection, b.arena);
    for (size_t i = 0; i < rows.count; i++)
        assert_int_equal(integer_of(&report_op_memory, &rows, i, "calls"), 2);
    b.selection.process = 0;
    assert_same(&a, &b);
    trace_close(&b);
    unlink(second);
    close_text(&a, first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_corpus),  cmocka_unit_test(test_operators),
        cmocka_unit_test(test_devices), cmocka_unit_test(test_events),
        cmocka_unit_test(test_steps),   cmocka_unit_test(test_narrow),
        cmocka_unit_test(test_unknown), cmocka_unit_test(test_processes),
        cmocka_unit_test(test_digest),  cmocka_unit_test(test_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
