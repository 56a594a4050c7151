// SPDX-License-Identifier: Apache-2.0
// Reads what the file says of the machine and the capture. The environment is stored in the same
// tables; of it only the rank and the role are read. The host name is kept only as a hash that
// distinguishes hosts.
#include <ctype.h>
#include <string.h>

#include "base/text/format.h"
#include "model/nsys/nsys_tables.h"
#include "model/profile/lost_work.h"
#include "model/profile/ranks.h"
#include "model/profile/roles.h"

enum { TEXT_LIMIT = 200 };

static const char *const name_value[] = {"name", "value", NULL};

static bool ends_with(const char *text, const char *tail)
{
    size_t length = strlen(text), tail_length = strlen(tail);
    return length >= tail_length && strcasecmp(text + length - tail_length, tail) == 0;
}

static const char *lower_copy(struct nsys *nsys, const char *text)
{
    char *copy = arena_text(nsys->arena, text);
    for (char *at = copy; *at; at++)
        *at = (char)tolower((unsigned char)*at);
    return copy;
}

// ---- the export --------------------------------------------------------------------------------

static void export_row(struct nsys *nsys, sqlite3_value **row, void *context)
{
    struct source *source = context;
    const char *name = cell_copy(row, 0, TEXT_LIMIT, nsys->scratch);
    if (strcmp(name, "EXPORT_PRODUCT_VERSION") == 0)
        source->version = cell_copy(row, 1, TEXT_LIMIT, nsys->arena);
    else if (strcmp(name, "EXPORT_SCHEMA_VERSION") == 0)
        source->schema = cell_copy(row, 1, TEXT_LIMIT, nsys->arena);
}

// ---- the capture's options ---------------------------------------------------------------------

static const char *trace_option(const char *event_type)
{
    static const char *const options[][2] = {
        {"Cuda", "cuda"},     {"NvtxEvents", "nvtx"}, {"OSRuntime", "osrt"},
        {"CuDNN", "cudnn"},   {"CuBLAS", "cublas"},   {"OpenACC", "openacc"},
        {"OpenMP", "openmp"}, {"MPI", "mpi"},         {"UCX", "ucx"},
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (strcasecmp(event_type, options[i][0]) == 0)
            return options[i][1];
    return NULL;
}

// Reads a variable of the environment such as "RANK=3".
static void environment_row(struct nsys *nsys, const char *text)
{
    struct source *source = &nsys->profile->sources[0];
    if (!roles_of_variable(text, &source->roles, nsys->profile->arena) &&
        !rank_of_variable(text, &nsys->rank_variable, &source->rank))
        world_of_variable(text, &nsys->world_variable, &source->world);
}

static void capture_row(struct nsys *nsys, sqlite3_value **row, void *context)
{
    struct capture *capture = context;
    const char *name = cell_copy(row, 0, TEXT_LIMIT, nsys->scratch);
    if (ends_with(name, "CUDA_GRAPH_TRACE_OPTIONS:MODE")) {
        capture->graph_mode = lower_copy(nsys, cell_copy(row, 1, TEXT_LIMIT, nsys->scratch));
    } else if (strstr(name, "CUDA_EVENT_TRACE") || ends_with(name, "COLLECT_CUDA_EVENTS")) {
        capture->event_trace = lower_copy(nsys, cell_copy(row, 1, TEXT_LIMIT, nsys->scratch));
    } else if (strcmp(name, "CAPTURE_EVENT_TYPE") == 0) {
        const char *option = trace_option(cell_copy(row, 1, TEXT_LIMIT, nsys->scratch));
        if (option && strlen(capture->trace_options) < TEXT_LIMIT)
            capture->trace_options =
                *capture->trace_options
                    ? arena_format(nsys->arena, "%s,%s", capture->trace_options, option)
                    : option;
    } else {
        environment_row(nsys, cell_copy(row, 1, TEXT_LIMIT, nsys->scratch));
    }
}

// Older files do not store the trace options; they are derived from the tables that exist.
static const char *options_by_tables(struct nsys *nsys)
{
    static const char *const tables[][2] = {
        {"CUPTI_ACTIVITY_KIND_RUNTIME", "cuda"},
        {"NVTX_EVENTS", "nvtx"},
        {"OSRT_API", "osrt"},
        {"CUDNN_EVENTS", "cudnn"},
        {"CUBLAS_EVENTS", "cublas"},
    };
    const char *options = "";
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (sqlite_table(nsys, tables[i][0]))
            options =
                arena_format(nsys->arena, "%s%s%s", options, *options ? "," : "", tables[i][1]);
    return options;
}

// ---- the machine -------------------------------------------------------------------------------

static bool whole_number(const char *text, int64_t *number)
{
    *number = 0;
    size_t digits = strspn(text, "0123456789");
    if (!digits || digits > 9 || text[digits])
        return false;
    for (; *text; text++)
        *number = *number * 10 + (*text - '0');
    return true;
}

// Returns "515.43.04" or "470.103.01", which some files store as 5154304 and 47010301: the first
// number has three digits. cuda_text() does the same for "11.7", stored as 11070.
static const char *driver_text(struct nsys *nsys, const char *value)
{
    int64_t number;
    if (!whole_number(value, &number))
        return arena_text(nsys->arena, value);
    if (number <= 0)
        return "";
    int64_t release = number / 100, minors = release < 100000 ? 100 : 1000;
    return arena_format(nsys->arena, "%lld.%02lld.%02lld", (long long)(release / minors),
                        (long long)(release % minors), (long long)(number % 100));
}

static const char *cuda_text(struct nsys *nsys, const char *value)
{
    int64_t number;
    if (!whole_number(value, &number))
        return arena_text(nsys->arena, value);
    if (number <= 0)
        return "";
    return arena_format(nsys->arena, "%lld.%lld", (long long)(number / 1000),
                        (long long)(number / 10 % 100));
}

static void machine_row(struct nsys *nsys, sqlite3_value **row, void *context)
{
    struct capture *capture = context;
    const char *name = cell_copy(row, 0, TEXT_LIMIT, nsys->scratch);
    const char *value = cell_copy(row, 1, TEXT_LIMIT, nsys->scratch);
    if (strcmp(name, "CpuDescription") == 0)
        capture->cpu = arena_text(nsys->arena, value);
    else if (strcmp(name, "NvDriverVersion") == 0)
        capture->driver = driver_text(nsys, value);
    else if (strcmp(name, "CudaDriverVersion") == 0)
        capture->cuda = cuda_text(nsys, value);
    else if (strcmp(name, "Hostname") == 0 && *value)
        nsys->profile->sources[0].host = host_of_name(value);
    else
        environment_row(nsys, *value ? arena_format(nsys->scratch, "%s=%s", name, value) : "");
}

// DLProf stores its own description of the machine in the file that it has read.
static const char *const dlprof_columns[] = {
    "cpuModel", "driverVersion", "cudaVersion", "cudnnVersion", "framework", "nsysVersion", NULL};

static void dlprof_row(struct nsys *nsys, sqlite3_value **row, void *context)
{
    struct capture *capture = context;
    const char **fields[] = {&capture->cpu,   &capture->driver,    &capture->cuda,
                             &capture->cudnn, &capture->framework, &capture->nsys};
    for (int i = 0; i < 6; i++) {
        const char *value = cell_copy(row, i, TEXT_LIMIT, nsys->arena);
        if (*value)
            *fields[i] = value;
    }
}

// ---- start time ---------------------------------------------------------------------------------

static const char *const start_columns[] = {"utcEpochNs", "localTime", NULL};

static void start_row(struct nsys *nsys, sqlite3_value **row, void *context)
{
    struct capture *capture = context;
    capture->utc_epoch_ns = cell_integer_or(row, 0, UNKNOWN);
    const char *time = cell_copy(row, 1, TEXT_LIMIT, nsys->scratch);
    if (strlen(time) >= 16 && time[10] == 'T') // like 2023-01-25T16:07:37
        capture->started = arena_format(nsys->arena, "%.10s %.5s", time, time + 11);
}

// ---- diagnostics of the capture -----------------------------------------------------------------

struct capture_diagnostics {
    int64_t warnings, errors;
    char first[300];
    char lost[300];     // first text that says that events are missing
    char lost_gpu[300]; // ... of the GPU
};

static const char *const trouble_columns[] = {"severity", "text", NULL};

static void trouble_row(struct nsys *nsys, sqlite3_value **row, void *context)
{
    struct capture_diagnostics *trouble = context;
    int64_t severity = cell_integer_or(row, 0, 0); // 1: information, 2: warning, 3: error
    if (severity < 2)
        return;
    trouble->warnings += severity == 2;
    trouble->errors += severity > 2;
    const char *text = cell_copy(row, 1, sizeof trouble->first - 1, nsys->scratch);
    static const char *const losses[] = {"drop", "lost", "been collected", "incomplete"};
    bool is_gpu = strstr(text, "CUDA") || strstr(text, "GPU") || strcasestr(text, "kernel");
    char *lost = is_gpu ? trouble->lost_gpu : trouble->lost;
    for (size_t i = 0; !*lost && i < sizeof losses / sizeof *losses; i++)
        if (strcasestr(text, losses[i]) && strncasecmp(text, "No ", 3) != 0)
            snprintf(lost, sizeof trouble->lost, "%s", text);
    if (!*trouble->first)
        snprintf(trouble->first, sizeof trouble->first, "%s", text);
}

// ---- page faults of unified memory --------------------------------------------------------------

struct page_faults {
    int64_t rows, faults;
};

static const char *const fault_columns[] = {"numberOfPageFaults", NULL};

static void fault_row(struct nsys *nsys, sqlite3_value **row, void *context)
{
    (void)nsys;
    struct page_faults *faults = context;
    int64_t count = cell_integer_or(row, 0, 1);
    faults->rows++;
    if (count < 0 || __builtin_add_overflow(faults->faults, count, &faults->faults))
        faults->faults = INT64_MAX;
}

static void note_page_faults(struct nsys *nsys)
{
    struct page_faults faults = {0};
    char count[FORMAT_SIZE];
    nsys_each_row(nsys, "CUDA_UM_GPU_PAGE_FAULT_EVENTS", fault_columns, fault_row, &faults);
    if (faults.rows)
        profile_note(nsys->profile, NOTE_WARNING, "page_faults", faults.faults, NULL,
                     "%s page faults of GPUs on unified memory (CUDA_UM_GPU_PAGE_FAULT_EVENTS): "
                     "the times of kernels include the wait for pages",
                     format_count(count, faults.faults));
}

// ---- GPU metrics -------------------------------------------------------------------------------

enum { ROWS_SEARCHED = 4096 };

static bool mentions_metrics(const char *text)
{
    static const char *const words[] = {"SMs Active", "SM Active", "Active SM", "GPU Metrics"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(text, words[i]))
            return true;
    return false;
}

static bool table_mentions_metrics(struct nsys *nsys, const char *base)
{
    static const char *const columns[] = {"rawData|data", NULL};
    const struct sqlite_table *table = sqlite_table(nsys, base);
    sqlite3_stmt *row = table ? nsys_select(nsys, table, columns) : NULL;
    bool is_found = false;
    for (int n = 0; n < ROWS_SEARCHED && !is_found && row && nsys_step(nsys, row) == SQLITE_ROW;
         n++) {
        const char *text = (const char *)sqlite3_column_text(row, 0);
        is_found = text && mentions_metrics(text);
    }
    sqlite3_finalize(row);
    return is_found;
}

// Since 2023 GPU metrics have a table of their own; before, they are JSON among the generic events
// of all sources. The small table of event types is searched first; of the events only the first
// rows.
static bool has_gpu_metrics(struct nsys *nsys)
{
    if (nsys_has_rows(nsys, sqlite_table(nsys, "GPU_METRICS"), ""))
        return true;
    return nsys_has_rows(nsys, sqlite_table(nsys, "GENERIC_EVENTS"), "") &&
           (table_mentions_metrics(nsys, "GENERIC_EVENT_TYPES") ||
            table_mentions_metrics(nsys, "GENERIC_EVENTS"));
}

void nsys_read_capture(struct nsys *nsys)
{
    struct profile *profile = nsys->profile;
    struct capture *capture = &profile->capture;
    struct source *source = &profile->sources[0];
    nsys->rank_variable = nsys->world_variable = RANK_VARIABLES;
    nsys_each_row(nsys, "EXPORT_META_DATA", name_value, export_row, source);
    nsys_each_row(nsys, "META_DATA_EXPORT", name_value, export_row, source);
    capture->nsys = source->version;
    nsys_each_row(nsys, "META_DATA_CAPTURE", name_value, capture_row, capture);
    if (!*capture->trace_options)
        capture->trace_options = options_by_tables(nsys);
    nsys_each_row(nsys, "TARGET_INFO_SYSTEM_ENV", name_value, machine_row, capture);
    nsys_each_row(nsys, "SystemInfo", dlprof_columns, dlprof_row, capture);
    nsys_each_row(nsys, "TARGET_INFO_SESSION_START_TIME", start_columns, start_row, capture);
    profile->has_gpu_metrics = has_gpu_metrics(nsys);
    profile->has_memory_events =
        nsys_has_rows(nsys, sqlite_table(nsys, "CUDA_GPU_MEMORY_USAGE_EVENTS"), "");
    if (capture->event_trace && strcmp(capture->event_trace, "true") == 0)
        profile_note(profile, NOTE_WARNING, "event_trace", 0, "--cuda-event-trace=false",
                     "CUDA events traced: may make streams wait for each other");
    struct capture_diagnostics trouble = {0};
    nsys_each_row(nsys, "DIAGNOSTIC_EVENT", trouble_columns, trouble_row, &trouble);
    char errors[FORMAT_SIZE], warnings[FORMAT_SIZE];
    if (trouble.warnings + trouble.errors)
        profile_note(profile, NOTE_WARNING, "diagnostics", trouble.warnings + trouble.errors, NULL,
                     "the capture reported %s and %s, first: %s",
                     format_counted(errors, (uint64_t)trouble.errors, "error"),
                     format_counted(warnings, (uint64_t)trouble.warnings, "warning"),
                     trouble.first);
    profile->has_diagnostics = sqlite_table(nsys, "DIAGNOSTIC_EVENT") != NULL;
    if (*trouble.lost)
        profile_note(profile, NOTE_INFO, "lost_events", 1, NULL, "%s", trouble.lost);
    if (*trouble.lost_gpu)
        profile_note(profile, NOTE_WARNING, NOTE_LOST_EVENTS, 1, NULL, "%s", trouble.lost_gpu);
    note_page_faults(nsys);
}
