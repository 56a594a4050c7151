// SPDX-License-Identifier: Apache-2.0
// Finds GPU work whose end cannot be right: it lasts past later work of its own stream.
//
// The work of a stream runs in order. Work that began early by programmatic dependent launch
// reaches into the next row only, and branches of a graph overlap within one launch. So a row that
// contains several whole rows of other launches has a wrong end, as ROCm writes it for some rows.
// Migrations of unified memory, which no call launches, run within the kernel that needs them.
// Queues of other vendors may run out of order: nothing is said of these. Where it is frequent in a
// stream the rows are kept.
#include "model/derive/derive.h"
#include "model/profile/vendor.h"

enum {
    MIN_INSIDE = 4, // whole later rows in an overrun, of as many launches
    MAX_SHARE = 32, // one overrun in so many rows of a stream; one is always possible
};

struct launch_end {
    int64_t end; // the earliest of the launch
    uint32_t launch;
};

struct overrun_stream {
    // The launches of later rows that end first, by end; one more than an overrun needs, since one
    // may be its own.
    struct launch_end first[MIN_INSIDE + 1];
    uint32_t count, rows, overruns;
};

// Returns whether a row contains whole rows of enough other launches behind it.
static bool contains_later(const struct overrun_stream *stream, int64_t end, uint32_t launch)
{
    uint32_t inside = 0;
    for (uint32_t i = 0; i < stream->count && stream->first[i].end <= end; i++)
        inside += stream->first[i].launch != launch;
    return inside >= MIN_INSIDE;
}

static void add_later(struct overrun_stream *stream, int64_t end, uint32_t launch)
{
    uint32_t at = 0, known;
    while (at < stream->count && stream->first[at].end <= end && stream->first[at].launch != launch)
        at++;
    if (at > MIN_INSIDE || (at < stream->count && stream->first[at].end <= end))
        return; // later than all, or not the earliest of its launch
    for (known = at; known < stream->count && stream->first[known].launch != launch;)
        known++;
    if (known == stream->count && stream->count <= MIN_INSIDE)
        stream->count++;
    else if (known == stream->count)
        known--;
    for (; known > at; known--)
        stream->first[known] = stream->first[known - 1];
    stream->first[at] = (struct launch_end){end, launch};
}

static bool is_in_graph(const struct gpu_work *work, uint32_t row)
{
    return HAS(work->flags) && AT(work->flags, row) & WORK_IN_GRAPH;
}

bool profile_find_overruns(const struct profile *profile, uint8_t *is_overrun, int64_t *kept,
                           struct arena *scratch)
{
    const struct gpu_work *work = &profile->work;
    enum vendor vendor = profile_vendor(profile);
    struct overrun_stream *streams =
        ARENA_ARRAY(scratch, struct overrun_stream, (size_t)profile->stream_count + 1);
    uint32_t count = 0;
    *kept = 0;
    if (vendor == VENDOR_OTHER)
        return false;
    for (uint32_t row = work->count; row-- > 0;) { // what is later is known to be right or not
        struct overrun_stream *stream = &streams[AT(work->stream, row)];
        uint32_t launch = AT(work->correlation, row);
        int64_t start = AT(work->start, row), end = AT(work->end, row);
        if (is_overrun[row]) {
            is_overrun[row] = false;
            continue;
        }
        stream->rows++;
        if (!is_in_graph(work, row) && contains_later(stream, end, launch)) {
            is_overrun[row] = true;
            stream->overruns++;
            count++;
        } else if (launch && end > start) {
            add_later(stream, end, launch);
        }
    }
    for (uint32_t row = 0; count && row < work->count; row++) {
        const struct overrun_stream *stream = &streams[AT(work->stream, row)];
        if (!is_overrun[row] || stream->overruns <= 1 ||
            stream->overruns <= stream->rows / MAX_SHARE)
            continue;
        is_overrun[row] = false; // a queue that runs out of order
        *kept += vendor == VENDOR_NVIDIA;
    }
    return count > 0;
}
