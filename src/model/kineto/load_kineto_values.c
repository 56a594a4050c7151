// SPDX-License-Identifier: Apache-2.0
// Reads on after the first value of a file. Traces are joined by writing one behind another, and
// Triton's Proton writes one per stream, each on a line of its own (JSON Lines).
//
// All values of a file are one trace: they share processes and one clock. A value that repeats an
// earlier one is dropped, since its rows would count twice. The launch ids of a value are moved
// apart where calls of an earlier one have them too, because each recording counts from a low
// number.
#include "base/hash.h"
#include "model/kineto/load_kineto.h"
#include "model/profile/time_limits.h"

static size_t count_rows(struct kineto *kineto, const struct kineto_mark *since)
{
    struct kineto_list lists[KINETO_LISTS];
    size_t count = 0;
    kineto_lists(kineto, lists);
    for (int l = 0; l < KINETO_LISTS; l++)
        count += *lists[l].count - since->rows[l];
    return count;
}

// Returns a hash of all times of the value's rows. Two recordings never agree in all of them.
static int64_t hash_times(struct kineto *kineto, const struct kineto_mark *since)
{
    struct kineto_list lists[KINETO_LISTS];
    uint64_t hash = HASH_SEED;
    kineto_lists(kineto, lists);
    for (int l = 0; l < KINETO_LISTS; l++) {
        hash = hash_number(hash, *lists[l].count - since->rows[l]);
        for (size_t i = since->rows[l]; i < *lists[l].count; i++)
            for (size_t t = 0; t < lists[l].times; t++)
                hash = hash_number(hash, (uint64_t)kineto_row(&lists[l], i)[t]);
    }
    return (int64_t)hash;
}

static void drop_rows(struct kineto *kineto, const struct kineto_mark *since)
{
    struct kineto_list lists[KINETO_LISTS];
    kineto_lists(kineto, lists);
    for (int l = 0; l < KINETO_LISTS; l++)
        *lists[l].count = since->rows[l];
    for (int class = 0; class < KINETO_CLASSES; class ++) {
        kineto->repeated += kineto->seen[class] - since->seen[class];
        kineto->seen[class] = since->seen[class];
        kineto->total[class] = since->total[class];
    }
}

// Puts the value on the clock of the first one, if both tell what their times are relative to.
static void move_to_first_clock(struct kineto *kineto, const struct kineto_mark *since)
{
    struct kineto_list lists[KINETO_LISTS];
    int64_t by = kineto->base_time - since->base_time;
    if (!kineto->base_time || !since->base_time || by < -SPAN_LIMIT || by > SPAN_LIMIT || by == 0)
        return;
    kineto_lists(kineto, lists);
    for (int l = 0; l < KINETO_LISTS; l++)
        for (size_t i = since->rows[l]; i < *lists[l].count; i++)
            for (size_t t = 0; t < lists[l].times; t++)
                kineto_row(&lists[l], i)[t] += by;
}

// ---- launch ids ---------------------------------------------------------------------------------

// Adds the ids of calls from a row on to `call_ids`. Returns whether one was there before.
static bool add_ids(struct kineto *kineto, size_t first)
{
    bool is_shared = false;
    uint32_t known = kineto->call_ids.count;
    for (size_t i = first; i < kineto->calls_count; i++) {
        const struct kineto_call *call = &kineto->calls[i];
        int64_t key[2] = {tuples_key(&kineto->threads, call->thread)[0], call->correlation};
        if (call->correlation)
            is_shared |= tuples_put(&kineto->call_ids, key) < known;
    }
    return is_shared;
}

// Makes an id distinct from equal ids of other values.
static void move_id(struct kineto *kineto, uint32_t *id)
{
    int64_t key = (int64_t)(kineto->value_count << 33 | *id);
    if (*id)
        *id = UINT32_MAX - tuples_put(&kineto->long_ids, &key);
}

static void move_ids(struct kineto *kineto, const struct kineto_mark *since)
{
    for (size_t i = since->rows[KINETO_WORK_LIST]; i < kineto->work_count; i++) {
        move_id(kineto, &kineto->work[i].correlation);
        move_id(kineto, &kineto->work[i].external);
    }
    for (size_t i = since->rows[KINETO_CALL_LIST]; i < kineto->calls_count; i++)
        move_id(kineto, &kineto->calls[i].correlation);
    for (size_t i = since->rows[KINETO_RANGE_LIST]; i < kineto->ranges_count; i++)
        move_id(kineto, &kineto->ranges[i].external);
    for (size_t i = since->rows[KINETO_SYNC_LIST]; i < kineto->syncs_count; i++)
        move_id(kineto, &kineto->syncs[i].correlation);
}

// ---- values -------------------------------------------------------------------------------------

static void remember_first(struct kineto *kineto)
{
    const struct kineto_mark beginning = {0};
    int64_t hash = hash_times(kineto, &beginning);
    tuples_open(&kineto->value_hashes, kineto->scratch, 1);
    tuples_open(&kineto->call_ids, kineto->scratch, 2);
    tuples_put(&kineto->value_hashes, &hash);
    add_ids(kineto, 0);
}

void kineto_begin_value(struct kineto *kineto, struct kineto_mark *since)
{
    struct kineto_list lists[KINETO_LISTS];
    kineto_lists(kineto, lists);
    for (int l = 0; l < KINETO_LISTS; l++)
        since->rows[l] = *lists[l].count;
    for (int class = 0; class < KINETO_CLASSES; class ++) {
        since->seen[class] = kineto->seen[class];
        since->total[class] = kineto->total[class];
    }
    since->base_time = kineto->base_time;
    if (!kineto->value_count)
        return;
    kineto->base_time = 0;
    if (!kineto->value_hashes.arena)
        remember_first(kineto);
}

void kineto_end_value(struct kineto *kineto, const struct kineto_mark *since)
{
    uint64_t before = kineto->value_count;
    if (count_rows(kineto, since) > 0) {
        kineto->value_count++;
        kineto->values_end = json_scan_bytes(kineto->scan);
    }
    if (!before)
        return;
    move_to_first_clock(kineto, since);
    uint32_t known = kineto->value_hashes.count;
    int64_t hash = hash_times(kineto, since);
    if (kineto->value_count > before && tuples_put(&kineto->value_hashes, &hash) < known) {
        kineto->value_count--;
        drop_rows(kineto, since);
    } else if (add_ids(kineto, since->rows[KINETO_CALL_LIST])) {
        move_ids(kineto, since);
    }
    kineto->base_time = since->base_time;
}
