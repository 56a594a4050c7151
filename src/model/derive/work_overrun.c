// SPDX-License-Identifier: Apache-2.0
// Finds GPU work whose end cannot be right: it lasts past later work of its own stream.
//
// The work of a stream runs in order. Work that began early by programmatic dependent launch
// reaches into the next row only, and branches of a graph overlap within one launch. So a row that
// contains several whole rows of other launches has a wrong end, as ROCm writes it for some rows.
// Migrations of unified memory, which no call launches, run within the kernel that needs them.
// Queues of other vendors may run out of order, and so may a stream where this is frequent: nothing
// is said of these.
#include "model/derive/derive.h"
#include "model/profile/vendor.h"

enum {
    MIN_INSIDE = 4, // whole later rows in an overrun
    MAX_SHARE = 32, // one overrun in so many rows of a stream; one is always possible
    MAX_PASSES = 8, // overruns within overruns
};

struct overrun_stream {
    uint32_t row; // the one that lasts longest so far; ROW_NONE: none
    uint32_t inside, launch;
    int64_t end;
    uint32_t rows, overruns;
};

struct overrun_search {
    const struct profile *profile;
    struct overrun_stream *streams;
    uint8_t *is_overrun;
    bool is_any;
};

static void close_row(struct overrun_search *search, struct overrun_stream *stream)
{
    if (stream->row != ROW_NONE && stream->inside >= MIN_INSIDE) {
        search->is_overrun[stream->row] = true;
        search->is_any = true;
        stream->overruns++;
    }
    stream->row = ROW_NONE;
}

static bool is_in_graph(const struct gpu_work *work, uint32_t row)
{
    return HAS(work->flags) && AT(work->flags, row) & WORK_IN_GRAPH;
}

static void add_row(struct overrun_search *search, uint32_t row)
{
    const struct gpu_work *work = &search->profile->work;
    struct overrun_stream *stream = &search->streams[AT(work->stream, row)];
    int64_t start = AT(work->start, row), end = AT(work->end, row);
    bool is_after = stream->row == ROW_NONE || start >= stream->end;
    if (!is_after && end <= stream->end) {
        uint32_t launch = AT(work->correlation, row);
        stream->inside += end > start && launch && launch != stream->launch;
        return;
    }
    close_row(search, stream);
    if (is_in_graph(work, row))
        return;
    stream->row = row;
    stream->inside = 0;
    stream->end = end;
    stream->launch = AT(work->correlation, row);
}

static void search_once(struct overrun_search *search)
{
    const struct profile *profile = search->profile;
    search->is_any = false;
    for (uint32_t s = 0; s < profile->stream_count; s++)
        search->streams[s].row = ROW_NONE;
    for (uint32_t row = 0; row < profile->work.count; row++)
        if (!search->is_overrun[row])
            add_row(search, row);
    for (uint32_t s = 0; s < profile->stream_count; s++)
        close_row(search, &search->streams[s]);
}

uint32_t profile_find_overruns(const struct profile *profile, uint8_t *is_overrun,
                               struct arena *scratch)
{
    const struct gpu_work *work = &profile->work;
    struct overrun_search search = {
        .profile = profile,
        .streams = ARENA_ARRAY(scratch, struct overrun_stream, (size_t)profile->stream_count + 1),
        .is_overrun = is_overrun};
    uint32_t count = 0;
    if (profile_vendor(profile) == VENDOR_OTHER)
        return 0;
    search_once(&search);
    if (!search.is_any)
        return 0;
    for (int pass = 1; pass < MAX_PASSES && search.is_any; pass++)
        search_once(&search);
    for (uint32_t row = 0; row < work->count; row++)
        search.streams[AT(work->stream, row)].rows++;
    for (uint32_t row = 0; row < work->count; row++) {
        const struct overrun_stream *stream = &search.streams[AT(work->stream, row)];
        if (stream->overruns > 1 && stream->overruns > stream->rows / MAX_SHARE)
            is_overrun[row] = false; // a queue that runs out of order
        count += is_overrun[row];
    }
    return count;
}
