// SPDX-License-Identifier: Apache-2.0
// Reads samples of GPU metrics. The few metrics that are used are found by name, since their ids
// differ from capture to capture.
#include <string.h>

#include "model/nsys/nsys_tables.h"

// The low byte of a metric's typeId is the number of its GPU (nsys decodes it the same way).
enum { MAX_METRIC_KINDS = 4096, NAME_LIMIT = 200, GPU_NUMBERS = 256 };

// Maps a pair (typeId, metricId) to its series.
struct metric_map {
    uint32_t device[GPU_NUMBERS]; // ROW_NONE: no GPU of the profile has the number
    struct tuples keys;
    uint32_t *series; // by index in `keys`: device * METRIC_COUNT + metric
};

static const struct {
    const char *begins, *lacks; // what the name begins with, and what it must not contain
    enum gpu_metric metric;
} names[] = {
    {"SMs Active", NULL, METRIC_SM_ACTIVE},          {"SM Active", NULL, METRIC_SM_ACTIVE},
    {"Tensor Active", "FP16", METRIC_TENSOR_ACTIVE}, // before Ampere one counter covers both
    {"DRAM Read", NULL, METRIC_DRAM_READ},           {"DRAM Write", NULL, METRIC_DRAM_WRITE},
    {"GPC Clock Frequency", NULL, METRIC_CLOCK},
};

static int metric_of(const char *name)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(name, names[i].begins, strlen(names[i].begins)) == 0 &&
            !(names[i].lacks && strstr(name, names[i].lacks)))
            return (int)names[i].metric;
    return -1;
}

static void number_devices(const struct profile *profile, struct metric_map *map)
{
    for (size_t i = 0; i < GPU_NUMBERS; i++)
        map->device[i] = ROW_NONE;
    for (uint32_t d = profile->device_count; d-- > 0;) // the first device of a number wins
        if (profile->devices[d].gpu_id < GPU_NUMBERS)
            map->device[profile->devices[d].gpu_id] = d;
}

static const char *const name_columns[] = {"typeId", "metricId", "metricName", NULL};

static void name_row(struct nsys *nsys, sqlite3_value **row, void *context)
{
    struct metric_map *map = context;
    int64_t key[2];
    if (!cell_integer(row, 0, &key[0]) || !cell_integer(row, 1, &key[1]) ||
        map->keys.count >= MAX_METRIC_KINDS)
        return;
    int metric = metric_of(cell_copy(row, 2, NAME_LIMIT, nsys->scratch));
    uint32_t device = map->device[key[0] & (GPU_NUMBERS - 1)];
    if (metric < 0 || device == ROW_NONE)
        return;
    map->series[tuples_put(&map->keys, key)] = device * METRIC_COUNT + (uint32_t)metric;
}

struct raw_samples {
    const struct metric_map *map;
    int64_t *time;
    float *value;
    uint32_t *series;
};

static const char *const sample_columns[] = {"timestamp", "typeId", "metricId", "value", NULL};

static void sample_row(struct table_slice *slice, sqlite3_value **row)
{
    struct raw_samples *raw = slice->target;
    int64_t time, key[2];
    uint32_t at;
    if (!cell_integer(row, 0, &time) || !nsys_is_plausible_time(slice->nsys, time) ||
        !cell_integer(row, 1, &key[0]) || !cell_integer(row, 2, &key[1]))
        return;
    uint32_t known = tuples_find(&raw->map->keys, key);
    int type = sqlite3_value_type(row[3]);
    if (known == UINT32_MAX || (type != SQLITE_INTEGER && type != SQLITE_FLOAT))
        return;
    // Every metric but the clock is a percentage.
    bool is_share = raw->map->series[known] % METRIC_COUNT != METRIC_CLOCK;
    double value = sqlite3_value_double(row[3]);
    if (!(value >= 0 && value <= (is_share ? 100 : 1e9)) || !slice_room(slice, &at))
        return;
    raw->time[at] = time;
    raw->value[at] = (float)value;
    raw->series[at] = raw->map->series[known];
}

static const struct table_reader sample_reader = {"GPU_METRICS", sample_columns, NULL, sample_row,
                                                  EXTENT_SAMPLES};

bool nsys_read_metrics(struct nsys *nsys, struct error *error)
{
    struct profile *profile = nsys->profile;
    const struct sqlite_table *table = sqlite_table(nsys, sample_reader.table);
    struct metric_map map = {.series = ARENA_ARRAY(nsys->scratch, uint32_t, MAX_METRIC_KINDS)};
    number_devices(profile, &map);
    tuples_open(&map.keys, nsys->scratch, 2);
    if (!table || !nsys_each_row(nsys, "TARGET_INFO_GPU_METRICS", name_columns, name_row, &map) ||
        map.keys.count == 0)
        return true;
    struct table_slices *slices = ARENA_NEW(nsys->scratch, struct table_slices);
    struct raw_samples raw = {.map = &map};
    nsys_slices_add(nsys, slices, &sample_reader, table, &raw);
    raw.time = nsys_raw_column(nsys, slices, sizeof *raw.time);
    raw.value = nsys_raw_column(nsys, slices, sizeof *raw.value);
    raw.series = nsys_raw_column(nsys, slices, sizeof *raw.series);
    if (!nsys_slices_read(nsys, slices, "reading GPU metrics", error))
        return false;
    nsys_slices_merge(nsys, slices);
    uint32_t count = nsys_slices_compact(nsys, slices);
    nsys_slices_close(nsys, slices);
    uint32_t groups = profile->device_count * METRIC_COUNT;
    struct gpu_metrics *metrics = &profile->metrics;
    metrics->first = ARENA_ARRAY(nsys->arena, uint32_t, (size_t)groups + 1);
    uint32_t *order =
        nsys_order(nsys, raw.series, NULL, groups, raw.time, NULL, count, metrics->first);
    metrics->count = count;
    metrics->time = nsys_gather(nsys, raw.time, order, count, sizeof *metrics->time);
    metrics->sum = ARENA_ARRAY(nsys->arena, double, count);
    for (uint32_t g = 0; g < groups; g++) {
        double sum = 0;
        for (uint32_t i = metrics->first[g]; i < metrics->first[g + 1]; i++)
            metrics->sum[i] = sum += (double)raw.value[order[i]];
    }
    nsys_raw_free(nsys, raw.value);
    nsys_raw_free(nsys, raw.series);
    return true;
}
