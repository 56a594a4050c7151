// SPDX-License-Identifier: Apache-2.0
// Writes a DLProf 1.8 database from any profile: measurements, and one aggregation.
#include "analysis/export/export_dldb.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analysis/export/export_shared.h"
#include "analysis/reports/dlprof/dlprof_rows.h"
#include "base/text/atomic_file.h"
#include "model/dldb/dldb_names.h"

// ---- rows ---------------------------------------------------------------------------------------

int64_t dldb_put(struct dldb_out *out, enum dldb_table_id table, const struct value *values,
                 size_t count)
{
    dldb_file_row(out->file, table, ++out->rows[table], values, count);
    return out->rows[table];
}

struct value dldb_text(struct dldb_out *out, const char *text)
{
    return DLDB_INT(strings_intern_text(out->texts, text));
}

struct value dldb_name(struct dldb_out *out, string_id text)
{
    if (!out->text_of[text])
        out->text_of[text] = strings_intern_text(out->texts, profile_text(out->profile, text));
    return DLDB_INT(out->text_of[text]);
}

struct value dldb_metric(struct dldb_out *out, const struct time_metric *metric, int64_t count)
{
    const int64_t key[] = {count, metric->max, metric->min, metric->total};
    return DLDB_INT((int64_t)tuples_put(&out->metrics, key) + 1);
}

struct value dldb_real(double value)
{
    return value_real(round(value * 1e6) / 1e6);
}

static void put_metrics(struct dldb_out *out)
{
    for (uint32_t i = 0; i < out->metrics.count; i++) {
        const int64_t *key = tuples_key(&out->metrics, i);
        const struct time_metric metric = {.total = key[3]};
        DLDB_PUT(out, TABLE_METRIC, DLDB_INT(key[0]), DLDB_INT(key[1]), DLDB_INT(key[2]),
                 DLDB_INT(key[3]), dldb_real(metric_average(&metric, key[0])));
    }
}

static void put_dictionary(struct dldb_out *out)
{
    for (string_id text = 1; text < strings_count(out->texts); text++)
        DLDB_PUT(out, TABLE_DICTIONARY, dldb_plain(strings_text(out->texts, text)));
}

// ---- machine and model --------------------------------------------------------------------------

static bool is_taken(const struct dldb_out *out, uint32_t device, int64_t id)
{
    for (uint32_t d = 0; d < device; d++)
        if (out->device_of[d] == id)
            return true;
    return false;
}

// device_id must be unique in the database, but GPUs of several hosts may have the same number; a
// taken number is increased.
static void put_devices(struct dldb_out *out)
{
    const struct profile *profile = out->profile;
    out->device_of = ARENA_ARRAY(out->arena, int64_t, (size_t)profile->device_count + 1);
    for (uint32_t d = 0; d < profile->device_count; d++) {
        const struct device *device = &profile->devices[d];
        int64_t id = device_number(profile, d);
        while (is_taken(out, d, id))
            id++;
        out->device_of[d] = id;
        DLDB_PUT(out, TABLE_GPU_INFOS, DLDB_INT(id),
                 dldb_plain(profile_text(profile, device->name)),
                 DLDB_INT(device->compute_major > 0 ? device->compute_major : 0),
                 DLDB_INT(device->compute_minor > 0 ? device->compute_minor : 0),
                 DLDB_INT(device->sm_count == UNKNOWN ? 0 : device->sm_count));
    }
    DLDB_PUT(out, TABLE_GPU_MEMORIES, DLDB_INT(profile->capture.gpu_memory_total),
             DLDB_INT(profile->capture.gpu_memory_used));
}

// DLProf has no mode for ranges; its simple mode is the nearest.
static void put_system(struct dldb_out *out)
{
    static const int numbers[MODE_COUNT] = {
        [MODE_SIMPLE] = DLDB_MODE_SIMPLE,           [MODE_PYTORCH] = DLDB_MODE_PYTORCH,
        [MODE_TENSORFLOW1] = DLDB_MODE_TENSORFLOW1, [MODE_TENSORFLOW2] = DLDB_MODE_TENSORFLOW2,
        [MODE_TENSORRT] = DLDB_MODE_TENSORRT,       [MODE_RANGES] = DLDB_MODE_SIMPLE,
    };
    const struct profile *profile = out->profile;
    const struct capture *capture = &profile->capture;
    DLDB_PUT(out, TABLE_SYSTEM_CONFIG, DLDB_INT(1),
             dldb_plain(arena_format(out->arena, "%u", profile->device_count)),
             dldb_plain(capture->cpu), dldb_plain(capture->driver), dldb_plain(capture->framework),
             dldb_plain(capture->cuda), dldb_plain(capture->cudnn), dldb_plain(capture->nsys),
             dldb_plain(figures_version(capture)), dldb_plain(figures_build(capture)),
             dldb_plain(capture->name), DLDB_INT(numbers[profile->mode]),
             dldb_plain(mode_names[profile->mode]), dldb_plain(""));
}

#define FIELD(field) DLDB_INT(config->field),

static void put_small_tables(struct dldb_out *out)
{
    const struct profile *profile = out->profile;
    const struct model_config *config = &profile->config;
    DLDB_PUT(out, TABLE_DOMAINS, dldb_text(out, DLDB_DEFAULT_DOMAIN));
    DLDB_PUT(out, TABLE_MODEL_INFO, DLDB_INT(DLDB_DOMAIN), dldb_plain(DLDB_DEFAULT_DOMAIN),
             dldb_plain(profile->capture.name));
    put_devices(out);
    put_system(out);
    DLDB_PUT(out, TABLE_VERSION, dldb_plain(DLDB_WRITTEN_VERSION),
             dldb_plain(DLDB_WRITTEN_VERSION));
    const struct value values[] = {DLDB_CONFIG_FIRST(FIELD) DLDB_INT(0), DLDB_CONFIG_LAST(FIELD)};
    dldb_put(out, TABLE_MODEL_CONFIG, values, sizeof values / sizeof *values);
}

// ---- file ---------------------------------------------------------------------------------------

static bool out_body(void *context, struct error *error)
{
    struct dldb_out *out = context;
    (void)error;
    if (!dldb_file_begin(out->file, out->arena))
        return false;
    out->texts = strings_new(out->arena);
    out->text_of = ARENA_ARRAY(out->arena, string_id, (size_t)strings_count(out->profile->strings));
    tuples_open(&out->metrics, out->arena, 4);
    put_small_tables(out);
    dldb_put_ops(out);
    dldb_put_events(out);
    dldb_put_sums(out);
    put_metrics(out);
    put_dictionary(out);
    return dldb_file_finish(out->file, out->arena);
}

struct dldb_write {
    const char *path;
    const struct profile *profile;
    const struct selection *selection;
    const struct arena *arena;
};

static bool dldb_fill(void *context, const char *temp_path, int descriptor, struct error *error)
{
    const struct dldb_write *write = context;
    struct dldb_out out = {.profile = write->profile,
                           .selection = write->selection,
                           .arena = arena_temp(write->arena)};
    char why[400] = "out of memory";
    (void)descriptor;
    if (out.arena)
        out.file = dldb_file_open(temp_path, out.arena, why, sizeof why);
    bool done = out.file && arena_run(out.arena, out_body, &out, error);
    if (out.file)
        dldb_file_close(out.file, why, sizeof why);
    arena_free(out.arena);
    if (!done && *why)
        error_set(error, ERROR_IO, "%s: writing failed: %s", write->path, why);
    else if (!done && error->kind == ERROR_NONE)
        error_set(error, ERROR_CANCELLED, "cancelled");
    return done;
}

bool export_dldb(const char *path, bool force, const struct profile *profile,
                 const struct selection *selection, struct arena *arena, struct error *error)
{
    if (strncmp(path, "file:", 5) == 0) // SQLite takes such a path for a URI
        path = arena_format(arena, "./%s", path);
    struct dldb_write write = {path, profile, selection, arena};
    return atomic_file_fill(path, force ? ATOMIC_FILE_REPLACE : ATOMIC_FILE_NEW, dldb_fill, &write,
                            arena, error);
}
