// SPDX-License-Identifier: Apache-2.0
// Creates the profile's streams from the places that work ran on, each with its physical GPU.
#include <stdlib.h>
#include <string.h>

#include "model/nsys/nsys_tables.h"

struct null_streams {
    struct tuples known; // (pid, context) -> index in `stream`
    size_t capacity;
    int64_t *stream;
};

static const char *const null_columns[] = {"processId", "contextId", "nullStreamId|streamId", NULL};

static void null_row(struct nsys *nsys, sqlite3_value **row, void *context)
{
    struct null_streams *nulls = context;
    int64_t key[2], stream;
    if (!cell_integer(row, 0, &key[0]) || !cell_integer(row, 1, &key[1]) ||
        !cell_integer(row, 2, &stream))
        return;
    uint32_t known = nulls->known.count;
    if (tuples_put(&nulls->known, key) != known)
        return;
    size_t count = known;
    ARENA_PUSH(nsys->scratch, nulls->stream, count, nulls->capacity) = stream;
}

static bool is_null_stream(const struct nsys *nsys, const struct null_streams *nulls,
                           const struct stream *stream)
{
    int64_t pid = nsys->profile->processes[stream->process].pid;
    uint32_t known = tuples_find(&nulls->known, (int64_t[2]){pid, stream->context});
    if (known == UINT32_MAX)
        return stream->stream_id == 7; // CUPTI's id of the default stream
    return nulls->stream[known] == stream->stream_id;
}

static int place_compare(const void *left, const void *right)
{
    const int64_t *a = left, *b = right; // pid, ordinal, context, stream, index in `places`
    for (int i = 0; i < 4; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

uint32_t *nsys_add_streams(struct nsys *nsys, const struct tuples *places)
{
    struct profile *profile = nsys->profile;
    size_t count = places->count;
    int64_t(*sorted)[5] = arena_alloc(nsys->scratch, count, sizeof *sorted);
    for (size_t i = 0; i < count; i++) {
        memcpy(sorted[i], tuples_key(places, (uint32_t)i), 4 * sizeof(int64_t));
        sorted[i][4] = (int64_t)i;
    }
    if (count)
        qsort(sorted, count, sizeof *sorted, place_compare);
    struct null_streams nulls = {0};
    tuples_open(&nulls.known, nsys->scratch, 2);
    nsys_each_row(nsys, "TARGET_INFO_CUDA_CONTEXT_INFO", null_columns, null_row, &nulls);
    nsys_each_row(nsys, "TARGET_INFO_CUDA_NULL_STREAM", null_columns, null_row, &nulls);

    struct nsys_gpu_pair *pairs = ARENA_ARRAY(nsys->scratch, struct nsys_gpu_pair, count);
    size_t pair_count = 0;
    uint32_t *row_of = ARENA_ARRAY(nsys->scratch, uint32_t, count);
    profile->streams = ARENA_ARRAY(nsys->arena, struct stream, count);
    profile->stream_count = (uint32_t)count;
    for (size_t i = 0; i < count; i++) {
        bool is_new = !i || sorted[i][0] != sorted[i - 1][0] || sorted[i][1] != sorted[i - 1][1];
        if (is_new)
            pairs[pair_count++] = (struct nsys_gpu_pair){
                .process = nsys_process_row(nsys, sorted[i][0]), .ordinal = sorted[i][1]};
        struct stream *stream = &profile->streams[i];
        stream->process = pairs[pair_count - 1].process;
        stream->device =
            (uint32_t)pair_count - 1; // index in `pairs` until nsys_resolve_devices() has run
        stream->context = (uint32_t)sorted[i][2];
        stream->stream_id = sorted[i][3];
        stream->is_null = is_null_stream(nsys, &nulls, stream);
        row_of[sorted[i][4]] = (uint32_t)i;
    }
    nsys_resolve_devices(nsys, pairs, pair_count);
    for (size_t i = 0; i < count; i++)
        profile->streams[i].device = pairs[profile->streams[i].device].device;
    return row_of;
}
