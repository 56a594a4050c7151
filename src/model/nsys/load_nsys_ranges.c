// SPDX-License-Identifier: Apache-2.0
// Reads NVTX ranges of an nsys export and arranges the ranges of all loaders that fill raw_ranges.
#include <string.h>

#include "base/search.h"
#include "model/markers/range_suffix.h"
#include "model/nsys/load_nsys_ranges.h"

enum {
    EVENT_PUSH_POP = 59,
    EVENT_START_END = 60,
    EVENT_PUSH_POP_TEXT = 70, // the same two, from NVTXT
    EVENT_START_END_TEXT = 71,
    EVENT_DOMAIN = 75,
};

// Packs a label into a key. Texts, domain and thread are either local to a slice or of the profile.
enum { LABEL_KEY = 3 };
static void label_key(const struct range_label *label, int64_t key[LABEL_KEY])
{
    key[0] = (int64_t)((uint64_t)label->name << 32 | label->sizes);
    key[1] = (int64_t)((uint64_t)label->domain << 32 | label->thread);
    key[2] = label->style << 4 | label->ending << 2 | label->has_seq << 1 | label->has_op_id;
}

static struct range_label label_of(const int64_t key[LABEL_KEY])
{
    uint64_t texts = (uint64_t)key[0], place = (uint64_t)key[1];
    return (struct range_label){.name = (string_id)(texts >> 32),
                                .sizes = (string_id)texts,
                                .domain = (uint32_t)(place >> 32),
                                .thread = (uint32_t)place,
                                .style = key[2] >> 4 & 1,
                                .ending = key[2] >> 2 & 3,
                                .has_seq = key[2] >> 1 & 1,
                                .has_op_id = key[2] & 1};
}

enum {
    RANGE_START,
    RANGE_END,
    RANGE_TYPE,
    RANGE_TEXT,
    RANGE_TEXT_ID,
    RANGE_THREAD,
    RANGE_END_THREAD,
    RANGE_DOMAIN
};
static const char *const range_columns[] = {
    "start", "end", "eventType", "text", "textId", "globalTid", "endGlobalTid", "domainId", NULL};

void ranges_begin(struct table_slice *slice)
{
    struct ranges_local *local = ARENA_NEW(slice->arena, struct ranges_local);
    tuples_open(&local->threads, slice->arena, 1);
    tuples_open(&local->domains, slice->arena, 2);
    tuples_open(&local->named, slice->arena, 2);
    tuples_open(&local->registered, slice->arena, 1);
    tuples_open(&local->labels, slice->arena, LABEL_KEY);
    local->latest = INT64_MIN;
    slice->local = local;
}

static struct range_text parse_text(struct table_slice *slice, const char *text, size_t length)
{
    length = strnlen(text, length);
    struct range_suffix suffix = range_suffix_cut(text, length);
    struct range_text parsed = {
        .name = strings_intern(slice->strings, text, suffix.length),
        .sizes = suffix.sizes ? strings_intern(slice->strings, suffix.sizes, suffix.sizes_length)
                              : STRING_NONE,
        .seq = suffix.seq,
        .op_id = suffix.op_id,
    };
    return parsed;
}

static const struct range_text no_text = {STRING_NONE, STRING_NONE, SEQ_NONE, SEQ_NONE};

struct range_text range_text_by_id(struct table_slice *slice, sqlite3_value **row, int column)
{
    struct ranges_local *local = slice->local;
    int64_t id;
    if (!cell_integer(row, column, &id))
        return no_text;
    uint32_t known = local->registered.count;
    uint32_t index = tuples_put(&local->registered, &id);
    if (index == known) {
        struct range_text parsed = no_text;
        string_id text = slice_text_by_id(slice, row, column);
        if (text)
            parsed = parse_text(slice, strings_text(slice->strings, text),
                                strings_length(slice->strings, text));
        size_t count = known;
        ARENA_PUSH(slice->arena, local->parsed, count, local->parsed_capacity) = parsed;
    }
    return local->parsed[index];
}

// Returns the text of textId, or else of the column `text`.
static struct range_text row_text(struct table_slice *slice, sqlite3_value **row)
{
    struct range_text registered = range_text_by_id(slice, row, RANGE_TEXT_ID);
    if (registered.name)
        return registered;
    size_t length;
    const char *text = slice_cell(slice, row, RANGE_TEXT, &length);
    return text ? parse_text(slice, text, length) : no_text;
}

void range_name_domain(struct table_slice *slice, int64_t thread, int64_t domain, string_id name)
{
    struct ranges_local *local = slice->local;
    const int64_t key[2] = {nsys_pid(slice->nsys, thread), domain};
    uint32_t known = local->named.count;
    if (!name || tuples_put(&local->named, key) != known)
        return;
    size_t count = known;
    ARENA_PUSH(slice->arena, local->titles, count, local->title_capacity) = name;
}

static void domain_row(struct table_slice *slice, sqlite3_value **row, int64_t thread,
                       int64_t domain)
{
    string_id name = slice_text_by_id(slice, row, RANGE_TEXT_ID);
    range_name_domain(slice, thread, domain, name ? name : slice_text(slice, row, RANGE_TEXT));
}

static bool range_times(struct table_slice *slice, sqlite3_value **row, int64_t *start,
                        int64_t *end, bool *is_open)
{
    *is_open = sqlite3_value_type(row[RANGE_END]) == SQLITE_NULL;
    if (!*is_open)
        return slice_times(slice, row, RANGE_START, start, end);
    if (!cell_integer(row, RANGE_START, start)) {
        slice->skipped[SKIP_TIME]++;
        return false;
    }
    if (!nsys_is_plausible_time(slice->nsys, *start)) {
        slice->skipped[SKIP_IMPLAUSIBLE]++;
        return false;
    }
    return true;
}

bool range_record(struct table_slice *slice, const struct parsed_range *seen, uint32_t *row)
{
    struct raw_ranges *raw = slice->target;
    struct ranges_local *local = slice->local;
    if (!slice_room(slice, row))
        return false;
    uint32_t at = *row;
    const int64_t domain[2] = {nsys_pid(slice->nsys, seen->thread), seen->domain};
    int64_t last = seen->end == INT64_MAX ? seen->start : seen->end;
    if (last > local->latest)
        local->latest = last;
    raw->start[at] = seen->start;
    raw->end[at] = seen->end;
    local->has_open |= seen->end == INT64_MAX;
    struct range_label label = {
        .name = seen->text.name,
        .sizes = seen->text.sizes,
        .domain = tuples_put(&local->domains, domain),
        .thread = tuples_put(&local->threads, &seen->thread),
        .style = (uint8_t)seen->style,
        .ending = (uint8_t)seen->ending,
        .has_seq = seen->text.seq != SEQ_NONE,
        .has_op_id = seen->text.op_id != SEQ_NONE,
    };
    int64_t key[LABEL_KEY];
    label_key(&label, key);
    raw->label[at] = tuples_put(&local->labels, key);
    // Not written if absent, because untouched pages take no memory.
    if (label.has_seq)
        raw->seq[at] = seen->text.seq;
    if (label.has_op_id)
        raw->op_id[at] = seen->text.op_id;
    return true;
}

int64_t range_tid(const struct table_slice *slice, uint32_t at)
{
    const struct raw_ranges *raw = slice->target;
    const struct ranges_local *local = slice->local;
    return *tuples_key(&local->threads,
                       label_of(tuples_key(&local->labels, raw->label[at])).thread);
}

struct range_ending_change {
    struct table_slice *slice;
    uint32_t at;
    enum range_end as;
};

static bool end_body(void *context, struct error *error)
{
    (void)error;
    const struct range_ending_change *ending = context;
    struct raw_ranges *raw = ending->slice->target;
    struct ranges_local *local = ending->slice->local;
    struct range_label label = label_of(tuples_key(&local->labels, raw->label[ending->at]));
    int64_t key[LABEL_KEY];
    label.ending = (uint8_t)ending->as;
    label_key(&label, key);
    raw->label[ending->at] = tuples_put(&local->labels, key);
    return true;
}

void range_set_ending(struct table_slice *slice, uint32_t at, enum range_end as)
{
    struct range_ending_change ending = {slice, at, as};
    // the slice's reader has left its own arena_run()
    if (!arena_run(slice->arena, end_body, &ending, NULL))
        arena_alloc(slice->nsys->arena, SIZE_MAX, 1); // out of memory: ends the load
}

static void range_row(struct table_slice *slice, sqlite3_value **row)
{
    struct parsed_range seen;
    uint32_t at;
    int64_t type = cell_integer_or(row, RANGE_TYPE, 0);
    bool is_push_pop = type == EVENT_PUSH_POP || type == EVENT_PUSH_POP_TEXT, is_open;
    seen.thread = cell_integer_or(row, RANGE_THREAD, 0);
    seen.domain = cell_integer_or(row, RANGE_DOMAIN, 0);
    if (type == EVENT_DOMAIN)
        domain_row(slice, row, seen.thread, seen.domain);
    if (!is_push_pop && type != EVENT_START_END && type != EVENT_START_END_TEXT)
        return; // marks, thread names and others
    if (!range_times(slice, row, &seen.start, &seen.end, &is_open))
        return;
    if (is_open)
        seen.end = INT64_MAX;
    if (!nsys_excerpt_has_range(slice->nsys, seen.start, seen.end, seen.thread))
        return;
    // Any value counts, even the range's own thread. nsys has the same rule, and the projection
    // must give the same figures as nsys.
    bool names_end_thread = sqlite3_value_type(row[RANGE_END_THREAD]) != SQLITE_NULL;
    seen.text = row_text(slice, row);
    seen.style = is_push_pop ? RANGE_PUSH_POP : RANGE_START_END;
    seen.ending = names_end_thread ? RANGE_CROSS_THREAD : is_open ? RANGE_OPEN : RANGE_CLOSED;
    range_record(slice, &seen, &at);
}

const struct table_reader nsys_range_reader = {"NVTX_EVENTS", range_columns, ranges_begin,
                                               range_row, EXTENT_RANGES};

// ---- merging -----------------------------------------------------------------------------------

struct domain_map {      // domains of the file -> rows of the profile's domains
    struct tuples named; // (global pid, domain id)
    size_t capacity;
    uint32_t *row;
    struct tuples titles; // text -> row - 1
};

static void name_domains(struct nsys *nsys, const struct table_slices *slices,
                         struct domain_map *domains)
{
    struct profile *profile = nsys->profile;
    tuples_open(&domains->named, nsys->scratch, 2);
    tuples_open(&domains->titles, nsys->scratch, 1);
    size_t count = 0;
    ARENA_PUSH(nsys->arena, profile->domains, count, nsys->domain_capacity) =
        (struct domain){STRING_NONE};
    for (size_t s = 0; s < slices->count; s++) {
        const struct table_slice *slice = &slices->items[s];
        const struct ranges_local *local = slice->local;
        for (uint32_t i = 0; i < local->named.count; i++) {
            uint32_t known = domains->named.count;
            if (tuples_put(&domains->named, tuples_key(&local->named, i)) != known)
                continue;
            int64_t title = slice->names[local->titles[i]];
            uint32_t row = tuples_put(&domains->titles, &title) + 1;
            if (row > UINT16_MAX)
                row = 0; // limit of distinct domains reached: counted as the default domain
            else if (row == count)
                ARENA_PUSH(nsys->arena, profile->domains, count, nsys->domain_capacity) =
                    (struct domain){(string_id)title};
            size_t named = known;
            ARENA_PUSH(nsys->scratch, domains->row, named, domains->capacity) = row;
        }
    }
    profile->domain_count = (uint32_t)count;
}

struct range_merge {
    struct nsys *nsys;
    const struct table_slices *slices;
    const struct domain_map *domains;
    struct tuples labels; // label_key() of the profile's labels
    uint32_t **label;     // per slice: local label -> label of the profile
    int64_t latest;
};

static void map_slice(struct range_merge *merge, size_t at)
{
    struct nsys *nsys = merge->nsys;
    const struct table_slice *slice = &merge->slices->items[at];
    const struct ranges_local *local = slice->local;
    const struct domain_map *domains = merge->domains;
    uint32_t *thread = ARENA_ARRAY(nsys->scratch, uint32_t, local->threads.count);
    uint32_t *domain = ARENA_ARRAY(nsys->scratch, uint32_t, local->domains.count);
    uint32_t *label = ARENA_ARRAY(nsys->scratch, uint32_t, local->labels.count);
    for (uint32_t i = 0; i < local->threads.count; i++)
        thread[i] = nsys_thread_row(nsys, *tuples_key(&local->threads, i));
    for (uint32_t i = 0; i < local->domains.count; i++) {
        uint32_t known = tuples_find(&domains->named, tuples_key(&local->domains, i));
        domain[i] = known == UINT32_MAX ? 0 : domains->row[known];
    }
    for (uint32_t i = 0; i < local->labels.count; i++) {
        struct range_label merged = label_of(tuples_key(&local->labels, i));
        int64_t key[LABEL_KEY];
        merged.name = slice->names[merged.name];
        merged.sizes = slice->names[merged.sizes];
        merged.domain = domain[merged.domain];
        merged.thread = thread[merged.thread];
        label_key(&merged, key);
        label[i] = tuples_put(&merge->labels, key);
    }
    merge->label[at] = label;
}

// Frees a column that no label uses. Its pages are untouched up to here and take no memory.
static void drop_unused(struct nsys *nsys, struct raw_ranges *raw)
{
    const struct ranges *ranges = &nsys->profile->ranges;
    bool has_seq = false, has_op_id = false;
    for (uint32_t i = 0; i < ranges->label_count; i++) {
        has_seq |= ranges->labels[i].has_seq;
        has_op_id |= ranges->labels[i].has_op_id;
    }
    if (!has_seq) {
        nsys_raw_free(nsys, raw->seq);
        raw->seq = NULL;
    }
    if (!has_op_id) {
        nsys_raw_free(nsys, raw->op_id);
        raw->op_id = NULL;
    }
}

static void merge_job(void *context, size_t at)
{
    const struct range_merge *merge = context;
    const struct table_slice *slice = &merge->slices->items[at];
    const struct ranges_local *local = slice->local;
    struct raw_ranges *raw = slice->target;
    const uint32_t *label = merge->label[at];
    const struct range_label *labels = merge->nsys->profile->ranges.labels;
    for (uint32_t i = slice->base; i < slice->base + slice->count; i++) {
        raw->label[i] = label[raw->label[i]];
        // COLUMN_NONE64 takes no room when the column is packed.
        if (raw->seq && !labels[raw->label[i]].has_seq)
            raw->seq[i] = COLUMN_NONE64;
        if (raw->op_id && !labels[raw->label[i]].has_op_id)
            raw->op_id[i] = COLUMN_NONE64;
    }
    for (uint32_t i = slice->base; local->has_open && i < slice->base + slice->count; i++)
        if (raw->end[i] == INT64_MAX)
            raw->end[i] = merge->latest;
}

static void merge_slices(struct nsys *nsys, const struct table_slices *slices,
                         const struct domain_map *domains, struct raw_ranges *raw)
{
    struct ranges *ranges = &nsys->profile->ranges;
    struct range_merge merge = {.nsys = nsys,
                                .slices = slices,
                                .domains = domains,
                                .label = ARENA_ARRAY(nsys->scratch, uint32_t *, slices->count),
                                .latest = INT64_MIN};
    tuples_open(&merge.labels, nsys->scratch, LABEL_KEY);
    for (size_t i = 0; i < slices->count; i++) {
        const struct ranges_local *local = slices->items[i].local;
        merge.latest = local->latest > merge.latest ? local->latest : merge.latest;
        map_slice(&merge, i);
    }
    ranges->label_count = merge.labels.count;
    ranges->labels = ARENA_ARRAY(nsys->arena, struct range_label, merge.labels.count);
    for (uint32_t i = 0; i < merge.labels.count; i++)
        ranges->labels[i] = label_of(tuples_key(&merge.labels, i));
    drop_unused(nsys, raw);
    parallel_run(nsys->threads, slices->count, merge_job, &merge);
}

uint32_t *ranges_arrange(struct nsys *nsys, struct raw_ranges *raw, uint32_t count)
{
    struct profile *profile = nsys->profile;
    struct ranges *ranges = &profile->ranges;
    nsys_name_threads(nsys);
    nsys_publish_threads(nsys);
    uint32_t threads = profile->thread_count;
    uint32_t *first = ARENA_ARRAY(nsys->scratch, uint32_t, (size_t)threads + 1);
    uint32_t *thread_of = ARENA_ARRAY(nsys->scratch, uint32_t, ranges->label_count);
    for (uint32_t i = 0; i < ranges->label_count; i++)
        thread_of[i] = ranges->labels[i].thread;
    uint32_t *order =
        nsys_order_outer(nsys, raw->label, thread_of, threads, raw->start, raw->end, count, first);
    for (uint32_t i = 0; i < threads; i++) {
        profile->threads[i].first_range = nsys->thread_items[i].first_range = first[i];
        profile->threads[i].end_range = nsys->thread_items[i].end_range = first[i + 1];
    }
    ranges->count = count;
    ranges->start = nsys_gather64(nsys, raw->start, order, count);
    ranges->end = nsys_gather64(nsys, raw->end, order, count);
    ranges->label = nsys_gather32(nsys, raw->label, order, count);
    if (raw->seq)
        ranges->seq = nsys_gather64(nsys, raw->seq, order, count);
    if (raw->op_id)
        ranges->op_id = nsys_gather64(nsys, raw->op_id, order, count);
    return order;
}

// Returns whether any label deserves a note. In most files none does, so that note_ranges() need
// not read all ranges.
static bool any_is_notable(const struct ranges *ranges)
{
    for (uint32_t i = 0; i < ranges->label_count; i++)
        if (!ranges->labels[i].name || ranges->labels[i].ending != RANGE_CLOSED)
            return true;
    return false;
}

static void note_ranges(struct nsys *nsys)
{
    struct profile *profile = nsys->profile;
    const struct ranges *ranges = &profile->ranges;
    int64_t nameless = 0, open = 0, cross_thread = 0, negative = 0;
    uint32_t count = any_is_notable(ranges) ? ranges->count : 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct range_label *label = range_label(ranges, i);
        nameless += !label->name;
        open += label->ending == RANGE_OPEN;
        cross_thread += label->ending == RANGE_CROSS_THREAD;
    }
    for (uint32_t i = 0; i < profile->thread_count; i++) {
        const struct thread *thread = &profile->threads[i];
        negative += column_from(ranges->start, thread->first_range, thread->end_range, 0) -
                    thread->first_range;
    }
    if (nameless)
        profile_note(profile, NOTE_WARNING, "ranges_without_text", nameless, NULL,
                     "%lld ranges have no text; the op tree keeps them, the ranges report does not",
                     (long long)nameless);
    if (open)
        profile_note(profile, NOTE_WARNING, "ranges_open", open, NULL,
                     "%lld ranges have no end; they last to the end of the latest range",
                     (long long)open);
    if (cross_thread)
        profile_note(
            profile, NOTE_INFO, "ranges_across_threads", cross_thread, NULL,
            "%lld ranges name the thread that ended them: they may cross threads, own no work "
            "and are not in the tree",
            (long long)cross_thread);
    if (negative)
        profile_note(profile, NOTE_INFO, "ranges_negative", negative, NULL,
                     "%lld ranges begin before the capture did", (long long)negative);
}

void nsys_begin_ranges(struct nsys *nsys)
{
    struct table_slices *slices = ARENA_NEW(nsys->arena, struct table_slices);
    struct raw_ranges *raw = ARENA_NEW(nsys->arena, struct raw_ranges);
    const struct table_reader *reader = nsys->dialect->ranges;
    nsys_slices_add(nsys, slices, reader, sqlite_table(nsys, reader->table), raw);
    raw->start = nsys_raw_column(nsys, slices, sizeof *raw->start);
    raw->end = nsys_raw_column(nsys, slices, sizeof *raw->end);
    raw->seq = nsys_raw_column(nsys, slices, sizeof *raw->seq);
    raw->op_id = nsys_raw_column(nsys, slices, sizeof *raw->op_id);
    raw->id = nsys_raw_column(nsys, slices, sizeof *raw->id);
    raw->label = nsys_raw_column(nsys, slices, sizeof *raw->label);
    slices->raw = raw;
    nsys->ranges = slices;
    nsys_slices_read_ahead(nsys, slices);
}

bool nsys_read_ranges(struct nsys *nsys, struct error *error)
{
    struct table_slices *slices = nsys->ranges;
    struct raw_ranges *raw = slices->raw;
    if (!nsys_slices_read(nsys, slices, "reading NVTX ranges", error))
        return false;
    if (nsys->dialect->end_ranges)
        nsys->dialect->end_ranges(nsys, slices);
    nsys_raw_free(nsys, raw->id);
    nsys_slices_merge(nsys, slices);
    struct domain_map domains = {0};
    name_domains(nsys, slices, &domains);
    merge_slices(nsys, slices, &domains, raw);
    uint32_t count = nsys_slices_compact(nsys, slices);
    times_limit_total(nsys->profile, nsys->request->part_of, raw->start, raw->end, count, "ranges");
    nsys_slices_close(nsys, slices);
    ranges_arrange(nsys, raw, count);
    nsys->profile->has_ranges = count > 0;
    note_ranges(nsys);
    return true;
}
