// SPDX-License-Identifier: Apache-2.0
// Reads the times of events, and drops events with implausible times, such as 0 or the time of a
// clock that was not set yet.
//
// Most events agree on the time of the trace. Where they spread over more than GAP_NS, they are
// counted per hour; hours that follow each other without such a gap are a cluster. The cluster with
// most of the host's rows is the trace. Another one is damage if it holds hardly any rows, if it
// holds GPU work only (the host launched it in the trace, hours away), or if all its times are 0.
#include <string.h>

#include "base/sort.h"
#include "model/kineto/load_kineto.h"
#include "model/profile/time_limits.h"

enum {
    TIME_DECIMALS = 3, // the unit is microseconds
    FEW_ROWS = 64,     // a cluster with fewer than 1/FEW_ROWS of the trace's rows is damage
    GAP_HOURS = 4,
};
#define HOUR_NS (INT64_C(3600) * 1000000000)
#define GAP_NS  (GAP_HOURS * HOUR_NS)

static bool is_time(int64_t time)
{
    return time != UNKNOWN && time >= -TIME_LIMIT && time <= TIME_LIMIT;
}

bool kineto_time_of(struct kineto *kineto, const struct kineto_event *event,
                    enum kineto_class class, int64_t *time)
{
    *time = kineto_scaled(event, KEY_TIME, TIME_DECIMALS, UNKNOWN);
    return is_time(*time) || kineto_drop(kineto, class, DAMAGE_TIME);
}

bool kineto_times_of(struct kineto *kineto, const struct kineto_event *event,
                     enum kineto_class class, int64_t *start, int64_t *end)
{
    int64_t length = kineto_scaled(event, KEY_DURATION, TIME_DECIMALS, UNKNOWN);
    unsigned parts = kineto->request->part_of;
    if (!kineto_time_of(kineto, event, class, start))
        return false;
    if (length == UNKNOWN)
        return kineto_drop(kineto, class, DAMAGE_NO_LENGTH);
    if (length < 0)
        return kineto_drop(kineto, class, DAMAGE_NEGATIVE);
    if (length > DURATION_LIMIT ||
        kineto->total[class] > TOTAL_LIMIT / (parts ? parts : 1) - length)
        return kineto_drop(kineto, class, DAMAGE_LONG);
    kineto->total[class] += length;
    *end = *start + length;
    return true;
}

// ---- clusters -----------------------------------------------------------------------------------

struct kineto_hour {
    uint32_t host, work, zero; // rows; `zero`: of these, at time 0
    bool is_dropped;
};

struct hour_cluster {
    uint32_t first, end; // in the order of hours
    uint64_t host, work, zero;
};

struct hour_search {
    struct kineto *kineto;
    struct tuples hours; // hour -> index in `counts`
    KINETO_LIST(struct kineto_hour, counts);
    const uint32_t *order; // of hours, by time
};

static void count_hours(struct hour_search *search, const struct kineto_list lists[KINETO_LISTS])
{
    for (int l = 0; l < KINETO_LISTS; l++)
        for (size_t i = 0; i < *lists[l].count; i++) {
            int64_t time = *kineto_row(&lists[l], i), hour = (time + TIME_LIMIT) / HOUR_NS;
            uint32_t at = tuples_put(&search->hours, &hour);
            if (at == search->counts_count)
                ARENA_PUSH(search->kineto->scratch, search->counts, search->counts_count,
                           search->counts_capacity) = (struct kineto_hour){0};
            search->counts[at].work += lists[l].is_work;
            search->counts[at].host += !lists[l].is_work;
            search->counts[at].zero += time == 0;
        }
}

static int64_t hour_of(const struct hour_search *search, uint32_t place)
{
    return *tuples_key(&search->hours, search->order[place]);
}

// Returns the cluster that begins at a place in the order of hours.
static struct hour_cluster read_cluster(const struct hour_search *search, uint32_t first)
{
    struct hour_cluster cluster = {.first = first, .end = first};
    do {
        const struct kineto_hour *hour = &search->counts[search->order[cluster.end++]];
        cluster.host += hour->host;
        cluster.work += hour->work;
        cluster.zero += hour->zero;
    } while (cluster.end < search->hours.count &&
             hour_of(search, cluster.end) - hour_of(search, cluster.end - 1) <= GAP_HOURS);
    return cluster;
}

static bool is_damage(const struct hour_search *search, const struct hour_cluster *cluster,
                      const struct hour_cluster *trace)
{
    uint64_t rows = cluster->host + cluster->work, trace_rows = trace->host + trace->work;
    int64_t after = hour_of(search, cluster->first) - hour_of(search, trace->end - 1);
    int64_t before = hour_of(search, trace->first) - hour_of(search, cluster->end - 1);
    return rows * FEW_ROWS < trace_rows || cluster->zero == rows ||
           (!cluster->host && trace->host && trace->work) ||
           (after > before ? after : before) > SPAN_LIMIT / 2 / HOUR_NS;
}

// Marks the hours of clusters that are damage. Returns false if there is none.
static bool find_damage(struct hour_search *search)
{
    struct hour_cluster trace = {0}, cluster;
    bool is_any = false;
    for (uint32_t at = 0; at < search->hours.count; at = cluster.end) {
        cluster = read_cluster(search, at);
        bool is_more =
            cluster.host != trace.host ? cluster.host > trace.host : cluster.work > trace.work;
        trace = at == 0 || is_more ? cluster : trace;
    }
    for (uint32_t at = 0; at < search->hours.count; at = cluster.end) {
        cluster = read_cluster(search, at);
        if (at == trace.first || !is_damage(search, &cluster, &trace))
            continue;
        for (uint32_t place = cluster.first; place < cluster.end; place++)
            search->counts[search->order[place]].is_dropped = true;
        is_any = true;
    }
    return is_any;
}

static void drop_rows(const struct hour_search *search, const struct kineto_list *list)
{
    size_t kept = 0;
    for (size_t i = 0; i < *list->count; i++) {
        int64_t *times = kineto_row(list, i), hour = (*times + TIME_LIMIT) / HOUR_NS;
        if (search->counts[tuples_find(&search->hours, &hour)].is_dropped)
            kineto_drop(search->kineto, list->class_of(search->kineto, times), DAMAGE_FAR);
        else
            memmove(kineto_row(list, kept++), times, list->row_size);
    }
    *list->count = kept;
}

static void drop_far_rows(struct kineto *kineto, const struct kineto_list lists[KINETO_LISTS])
{
    struct hour_search search = {.kineto = kineto};
    tuples_open(&search.hours, kineto->scratch, 1);
    count_hours(&search, lists);
    uint32_t count = search.hours.count;
    int64_t *hours = ARENA_ARRAY(kineto->scratch, int64_t, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++)
        hours[i] = *tuples_key(&search.hours, i);
    search.order = sort_by_time(kineto->scratch, hours, NULL, count);
    if (find_damage(&search))
        for (int l = 0; l < KINETO_LISTS; l++)
            drop_rows(&search, &lists[l]);
}

// ---- the clock ----------------------------------------------------------------------------------

// Sets the first and last start of all rows. Returns false if there are no rows.
static bool find_span(const struct kineto_list lists[KINETO_LISTS], int64_t *first, int64_t *last)
{
    *first = INT64_MAX;
    *last = INT64_MIN;
    for (int l = 0; l < KINETO_LISTS; l++)
        for (size_t i = 0; i < *lists[l].count; i++) {
            int64_t time = *kineto_row(&lists[l], i);
            *first = time < *first ? time : *first;
            *last = time > *last ? time : *last;
        }
    return *first <= *last;
}

void kineto_set_clock(struct kineto *kineto)
{
    struct kineto_list lists[KINETO_LISTS];
    int64_t first, last, epoch;
    kineto_lists(kineto, lists);
    if (!find_span(lists, &first, &last))
        return;
    if (last - first > GAP_NS) {
        drop_far_rows(kineto, lists);
        find_span(lists, &first, &last);
    }
    for (int l = 0; l < KINETO_LISTS; l++)
        for (size_t i = 0; i < *lists[l].count; i++)
            for (size_t t = 0; t < lists[l].times; t++)
                kineto_row(&lists[l], i)[t] -= first;
    if (!__builtin_add_overflow(kineto->base_time, first, &epoch) && epoch > 0)
        kineto->profile->capture.utc_epoch_ns = epoch;
}
