// SPDX-License-Identifier: Apache-2.0
// Loader of the output of PyProf's parser (python -m pyprof.parse net.sql > net.dict): a line per
// kernel with its duration, the texts of the ranges around its launch, and its thread, but no
// times.
//
// Times are invented: kernels run one after another in the order of the lines, each launched before
// it begins. Ranges are nested as in programs, from the outside: layers, lines of the program,
// arguments, numbered ranges. The texts of a line are its open ranges. A range stays open while
// consecutive lines name it, if it is a layer, a Python call of several ops, or belongs to one op
// with several kernels.
#include <string.h>

#include "base/parallel.h"
#include "base/sort.h"
#include "base/text/text.h"
#include "base/text/text_file.h"
#include "base/tuples.h"
#include "model/derive/derive.h"
#include "model/dict/load_dict.h"
#include "model/profile/records.h"
#include "model/profile/time_limits.h"

#define BLANKS " \t\r\n"

// LEAD_NS is the time from the start of a line's ranges to its kernel. Each range begins one ns
// after and ends one ns before the enclosing range. The launch is inside all of them, and the
// kernel begins after it.
enum { LEAD_NS = 4 * MAX_DICT_TEXTS, MARGIN_NS = 4 };
_Static_assert(LEAD_NS > 2 * MAX_DICT_TEXTS + MARGIN_NS, "launches end before their work begins");

struct dict_work {
    int64_t start, end;
    uint32_t function, stream, shape;
};

struct dict_call {
    int64_t start, end;
    uint32_t thread;
};

struct dict_range {
    int64_t start, end, seq, op_id;
    uint32_t label;
};

struct dict {
    const struct load_request *request;
    struct profile *profile;
    struct arena *scratch; // freed when the load ends
    struct bytes buffer;
    struct dict_line lines[2]; // the line being read and the line before it
    size_t line_count;
    bool is_cut; // the last line is incomplete
    // keys of the profile's tables, by row
    struct tuples threads;   // tid
    struct tuples devices;   // device number
    struct tuples streams;   // (row of devices, stream number)
    struct tuples functions; // (full, brief)
    struct tuples shapes;    // grid and block
    struct tuples labels;    // (name, sizes, thread, has_seq, has_op_id)
    size_t work_count, work_capacity, call_count, call_capacity, range_count, range_capacity;
    struct dict_work *work;
    struct dict_call *calls;
    struct dict_range *ranges;
    uint32_t open[MAX_DICT_TEXTS]; // rows of the ranges around the previous line
    int64_t now;                   // host time, ns
};

// ---- reading lines ------------------------------------------------------------------------------

static uint32_t label_of(struct dict *dict, const struct dict_text *text, uint32_t thread)
{
    return tuples_put(&dict->labels, (int64_t[5]){text->name, text->sizes, thread,
                                                  text->seq != SEQ_NONE, text->op_id != SEQ_NONE});
}

static bool is_same_text(const struct dict_text *a, const struct dict_text *b)
{
    return a->name == b->name && a->sizes == b->sizes && a->seq == b->seq && a->op_id == b->op_id;
}

// Returns how many of the previous line's ranges, from the outside, stay open for this line.
static uint32_t count_shared(const struct dict *dict, const struct dict_line *line,
                             const struct dict_line *last)
{
    uint32_t shared = 0;
    if (!dict->work_count || line->tid != last->tid)
        return 0;
    while (shared < line->count && shared < last->count &&
           is_same_text(&line->texts[shared], &last->texts[shared]))
        shared++;
    bool is_one_op = shared == line->count && shared == last->count && line->sub == last->sub + 1;
    // another op within the same Python call
    bool is_one_call = shared > 0 && shared < line->count && shared < last->count &&
                       line->texts[shared - 1].kind == DICT_ARGUMENTS &&
                       line->texts[shared].kind == DICT_ARGUMENTS &&
                       last->texts[shared].kind == DICT_ARGUMENTS;
    uint32_t layers = line->layers < last->layers ? line->layers : last->layers;
    return is_one_op || is_one_call || shared < layers ? shared : layers;
}

static void put_ranges(struct dict *dict, const struct dict_line *line, uint32_t thread,
                       int64_t length)
{
    for (uint32_t i = count_shared(dict, line, &dict->lines[dict->line_count % 2]); i < line->count;
         i++) {
        const struct dict_text *text = &line->texts[i];
        dict->open[i] = (uint32_t)dict->range_count;
        ARENA_PUSH(dict->scratch, dict->ranges, dict->range_count, dict->range_capacity) =
            (struct dict_range){.start = dict->now + i,
                                .seq = text->seq,
                                .op_id = text->op_id,
                                .label = label_of(dict, text, thread)};
    }
    for (uint32_t i = 0; i < line->count; i++)
        dict->ranges[dict->open[i]].end = dict->now + length - i;
}

static uint32_t stream_of(struct dict *dict, const struct dict_line *line)
{
    uint32_t device = tuples_put(&dict->devices, &line->device);
    return tuples_put(&dict->streams, (int64_t[2]){device, line->stream});
}

static uint32_t shape_of(struct dict *dict, const struct dict_line *line)
{
    int64_t key[6];
    for (int i = 0; i < 6; i++)
        key[i] = line->shape[i];
    return tuples_put(&dict->shapes, key);
}

static void put_line(struct dict *dict, const struct dict_line *line)
{
    uint32_t thread = tuples_put(&dict->threads, &line->tid);
    int64_t min_length = 2 * (int64_t)line->count + MARGIN_NS, start = dict->now + LEAD_NS;
    int64_t length = line->duration_ns > min_length ? line->duration_ns : min_length;
    put_ranges(dict, line, thread, length);
    ARENA_PUSH(dict->scratch, dict->calls, dict->call_count, dict->call_capacity) =
        (struct dict_call){dict->now + line->count, dict->now + line->count + 1, thread};
    ARENA_PUSH(dict->scratch, dict->work, dict->work_count, dict->work_capacity) =
        (struct dict_work){start, start + line->duration_ns,
                           tuples_put(&dict->functions, (int64_t[2]){line->full, line->brief}),
                           stream_of(dict, line), shape_of(dict, line)};
    dict->now += length;
}

static bool check_progress(const struct dict *dict, size_t line, struct error *error)
{
    struct load_progress *progress = dict->request->progress;
    if (!progress || line % 1024)
        return true;
    atomic_store(&progress->rows_done, line);
    return !atomic_load(&progress->cancel) || error_set(error, ERROR_CANCELLED, "cancelled");
}

static bool is_blank(const char *text, size_t length)
{
    size_t at = 0;
    while (at < length && memchr(BLANKS, text[at], sizeof BLANKS - 1))
        at++;
    return at == length;
}

static bool read_line(struct dict *dict, const struct text_file *file, size_t i,
                      struct error *error)
{
    const char *why, *path = text_display_path(dict->request->path);
    size_t length, at;
    const char *text = text_file_line(file, i, &length);
    struct dict_line *line = &dict->lines[(dict->line_count + 1) % 2];
    if (is_blank(text, length))
        return true;
    if (!dict_read_line(text, length, dict->profile->strings, &dict->buffer, line, &why, &at)) {
        // An incomplete last line is accepted: PyProf may have been stopped while it wrote.
        dict->is_cut = i > 0 && i + 1 == file->count && file->bytes[file->length - 1] != '\n';
        return dict->is_cut ||
               error_set(error, ERROR_DATA,
                         "%s:%zu:%zu: the line %s.\nNeeded is what PyProf's parser prints, and "
                         "nothing beside it: python -m pyprof.parse net.sql > net.dict",
                         path, i + 1, at, why);
    }
    put_line(dict, line);
    dict->line_count++;
    return dict->now < SPAN_LIMIT / 2 ||
           error_set(error, ERROR_DATA, "%s:%zu: the kernels up to this line run for months", path,
                     i + 1);
}

static bool read_lines(struct dict *dict, struct error *error)
{
    struct text_file file;
    const struct load_request *request = dict->request;
    if (!text_file_read_lines(request->path, UINT32_MAX, dict->scratch, &file, error))
        return false;
    dict->profile->sources[0].bytes = (int64_t)file.length;
    if (request->progress)
        atomic_store(&request->progress->rows_total, file.count);
    for (size_t i = 0; i < file.count; i++)
        if (!check_progress(dict, i, error) || !read_line(dict, &file, i, error))
            return false;
    return dict->work_count ||
           error_set(error, ERROR_DATA, "%s names no kernel", text_display_path(request->path));
}

// ---- tables ------------------------------------------------------------------------------------

// Makes the devices in order of their numbers, and the streams in order of the lines.
static void make_devices(struct dict *dict)
{
    struct profile *profile = dict->profile;
    uint32_t count = dict->devices.count;
    const uint32_t *order = sort_by_time(dict->scratch, dict->devices.keys, NULL, count);
    uint32_t *row_of = ARENA_ARRAY(dict->scratch, uint32_t, (size_t)count + 1);
    profile->device_count = count;
    profile->devices = ARENA_ARRAY(profile->arena, struct device, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++) {
        struct device *device = &profile->devices[i];
        row_of[order[i]] = i;
        *device = device_unknown;
        device->gpu_id = device->ordinal = (uint32_t)*tuples_key(&dict->devices, order[i]);
        device->has_work = device->has_kernels = true;
    }
    profile->stream_count = dict->streams.count;
    profile->streams = ARENA_ARRAY(profile->arena, struct stream, (size_t)dict->streams.count + 1);
    for (uint32_t i = 0; i < dict->streams.count; i++) {
        const int64_t *key = tuples_key(&dict->streams, i);
        profile->streams[i] = (struct stream){.device = row_of[key[0]], .stream_id = key[1]};
    }
}

static void make_functions(struct dict *dict)
{
    struct profile *profile = dict->profile;
    profile->function_count = dict->functions.count;
    profile->functions =
        ARENA_ARRAY(profile->arena, struct function, (size_t)dict->functions.count + 1);
    for (uint32_t i = 0; i < dict->functions.count; i++) {
        const int64_t *key = tuples_key(&dict->functions, i);
        profile->functions[i] = (struct function){
            .kind = WORK_KERNEL, .full = (string_id)key[0], .brief = (string_id)key[1]};
    }
    profile->shape_count = dict->shapes.count;
    profile->shapes =
        ARENA_ARRAY(profile->arena, struct launch_shape, (size_t)dict->shapes.count + 1);
    for (uint32_t i = 0; i < dict->shapes.count; i++) {
        const int64_t *key = tuples_key(&dict->shapes, i);
        struct launch_shape *shape = &profile->shapes[i];
        *shape = (struct launch_shape){.registers = -1,
                                       .static_shared = -1,
                                       .dynamic_shared = -1,
                                       .micro_blocks_per_sm = -1,
                                       .micro_occupancy = -1};
        for (int axis = 0; axis < 3; axis++) {
            shape->grid[axis] = (int32_t)key[axis];
            shape->block[axis] = (int32_t)key[axis + 3];
        }
    }
}

static uint32_t *correlations(struct dict *dict, uint32_t count)
{
    uint32_t *numbers = ARENA_ARRAY(dict->scratch, uint32_t, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++)
        numbers[i] = i + 1; // number shared by a kernel and its launch
    return numbers;
}

static void make_work(struct dict *dict)
{
    struct profile *profile = dict->profile;
    struct gpu_work *work = &profile->work;
    uint32_t count = (uint32_t)dict->work_count;
    uint32_t *device = ARENA_ARRAY(dict->scratch, uint32_t, (size_t)count + 1);
    uint32_t *first = ARENA_ARRAY(dict->scratch, uint32_t, (size_t)profile->device_count + 1);
    for (uint32_t i = 0; i < count; i++)
        device[i] = profile->streams[dict->work[i].stream].device;
    struct records rows = {
        profile,    dict->scratch,
        dict->work, sizeof *dict->work,
        count,      records_group(dict->scratch, device, count, profile->device_count, first)};
    struct arena *arena = profile->arena;
    unsigned workers = profile->workers;
    work->count = count;
    work->start = RECORDS64(&rows, struct dict_work, start);
    work->end = RECORDS64(&rows, struct dict_work, end);
    work->function = RECORDS32(&rows, struct dict_work, function);
    work->stream = RECORDS32(&rows, struct dict_work, stream);
    work->shape = RECORDS32(&rows, struct dict_work, shape);
    work->correlation = column32_pack(arena, workers, correlations(dict, count), rows.order, count);
    uint32_t *flags = ARENA_ARRAY(dict->scratch, uint32_t, (size_t)count + 1);
    memset(flags, 0, ((size_t)count + 1) * sizeof *flags);
    work->flags = column32_pack(arena, workers, flags, NULL, count);
    for (uint32_t d = 0; d < profile->device_count; d++) {
        profile->devices[d].first_work = first[d];
        profile->devices[d].end_work = first[d + 1];
    }
}

static void make_threads(struct dict *dict)
{
    struct profile *profile = dict->profile;
    profile->process_count = 1;
    profile->processes = ARENA_NEW(profile->arena, struct process);
    *profile->processes = (struct process){.pid = 0};
    profile->thread_count = dict->threads.count;
    profile->threads = ARENA_ARRAY(profile->arena, struct thread, (size_t)dict->threads.count + 1);
    for (uint32_t i = 0; i < dict->threads.count; i++) {
        int64_t tid = *tuples_key(&dict->threads, i);
        profile->threads[i] = (struct thread){.global_tid = tid, .tid = (uint32_t)tid};
    }
}

static void make_calls(struct dict *dict)
{
    struct profile *profile = dict->profile;
    struct api_calls *api = &profile->api;
    struct arena *arena = profile->arena;
    unsigned workers = profile->workers;
    uint32_t count = (uint32_t)dict->call_count;
    uint32_t *first = ARENA_ARRAY(dict->scratch, uint32_t, (size_t)profile->thread_count + 1);
    uint32_t *thread = ARENA_ARRAY(dict->scratch, uint32_t, (size_t)count + 1);
    uint32_t *name = ARENA_ARRAY(dict->scratch, uint32_t, (size_t)count + 1);
    string_id launch = strings_intern_text(profile->strings, LAUNCH_NAME);
    for (uint32_t i = 0; i < count; i++) {
        thread[i] = dict->calls[i].thread;
        name[i] = launch;
    }
    struct records rows = {
        profile,     dict->scratch,
        dict->calls, sizeof *dict->calls,
        count,       records_group(dict->scratch, thread, count, profile->thread_count, first)};
    for (uint32_t t = 0; t < profile->thread_count; t++) {
        profile->threads[t].first_api = first[t];
        profile->threads[t].end_api = first[t + 1];
    }
    api->count = count;
    api->start = RECORDS64(&rows, struct dict_call, start);
    api->end = RECORDS64(&rows, struct dict_call, end);
    api->name = column32_pack(arena, workers, name, NULL, count);
    api->thread = RECORDS32(&rows, struct dict_call, thread);
    api->correlation = column32_pack(arena, workers, correlations(dict, count), rows.order, count);
}

static void make_labels(struct dict *dict)
{
    struct profile *profile = dict->profile;
    struct ranges *ranges = &profile->ranges;
    profile->domain_count = 1;
    profile->domains = ARENA_NEW(profile->arena, struct domain);
    profile->domains[0].name = STRING_NONE;
    ranges->label_count = dict->labels.count;
    ranges->labels =
        ARENA_ARRAY(profile->arena, struct range_label, (size_t)dict->labels.count + 1);
    for (uint32_t i = 0; i < dict->labels.count; i++) {
        const int64_t *key = tuples_key(&dict->labels, i);
        ranges->labels[i] = (struct range_label){.name = (string_id)key[0],
                                                 .sizes = (string_id)key[1],
                                                 .marker = ROW_NONE,
                                                 .thread = (uint32_t)key[2],
                                                 .style = RANGE_PUSH_POP,
                                                 .ending = RANGE_CLOSED,
                                                 .has_seq = key[3],
                                                 .has_op_id = key[4]};
    }
}

static void make_ranges(struct dict *dict)
{
    struct profile *profile = dict->profile;
    struct ranges *ranges = &profile->ranges;
    uint32_t count = (uint32_t)dict->range_count;
    uint32_t *thread = ARENA_ARRAY(dict->scratch, uint32_t, (size_t)count + 1);
    uint32_t *first = ARENA_ARRAY(dict->scratch, uint32_t, (size_t)profile->thread_count + 1);
    for (uint32_t i = 0; i < count; i++)
        thread[i] = ranges->labels[dict->ranges[i].label].thread;
    struct records rows = {
        profile,      dict->scratch,
        dict->ranges, sizeof *dict->ranges,
        count,        records_group(dict->scratch, thread, count, profile->thread_count, first)};
    for (uint32_t t = 0; t < profile->thread_count; t++) {
        profile->threads[t].first_range = first[t];
        profile->threads[t].end_range = first[t + 1];
    }
    ranges->count = count;
    ranges->start = RECORDS64(&rows, struct dict_range, start);
    ranges->end = RECORDS64(&rows, struct dict_range, end);
    ranges->label = RECORDS32(&rows, struct dict_range, label);
    ranges->seq = RECORDS64(&rows, struct dict_range, seq);
    ranges->op_id = RECORDS64(&rows, struct dict_range, op_id);
}

static void note_missing_times(struct dict *dict)
{
    profile_note(
        dict->profile, NOTE_WARNING, NOTE_NO_TIMES, (int64_t)dict->work_count, NULL,
        "PyProf's parser keeps how long kernels ran and not when: they stand one behind "
        "another, so that idle time, overlaps, the host's time and steps are not known; GPU "
        "time is the sum of durations");
    if (dict->is_cut)
        profile_note(dict->profile, NOTE_WARNING, "line_cut", 1, NULL,
                     "the last line is only a part of one and is left out");
}

// ---- loader -------------------------------------------------------------------------------------

static bool dict_body(void *context, struct error *error)
{
    struct dict *dict = context;
    struct profile *profile = dict->profile;
    profile->source_count = 1;
    profile->sources = ARENA_NEW(profile->arena, struct source);
    profile->sources[0] = source_new(arena_text(profile->arena, dict->request->path), "pyprof");
    dict->buffer.arena = dict->scratch;
    tuples_open(&dict->threads, dict->scratch, 1);
    tuples_open(&dict->devices, dict->scratch, 1);
    tuples_open(&dict->streams, dict->scratch, 2);
    tuples_open(&dict->functions, dict->scratch, 2);
    tuples_open(&dict->shapes, dict->scratch, 6);
    tuples_open(&dict->labels, dict->scratch, 5);
    if (!read_lines(dict, error))
        return false;
    make_devices(dict);
    make_functions(dict);
    make_work(dict);
    make_threads(dict);
    make_calls(dict);
    make_labels(dict);
    make_ranges(dict);
    profile->has_kernels = profile->has_api = true;
    profile->has_ranges = dict->range_count > 0;
    profile->last_ns = dict->now + LEAD_NS;
    profile->tables = ARENA_NEW(profile->arena, struct table_count);
    *profile->tables = (struct table_count){"lines", (int64_t)dict->line_count, dict->is_cut,
                                            dict->is_cut ? "a part of a line" : ""};
    profile->table_count = 1;
    note_missing_times(dict);
    return true;
}

static bool dict_guarded(void *context, struct error *error)
{
    struct dict *dict = context;
    return arena_run(dict->scratch, dict_body, dict, error);
}

static bool load(const struct load_request *request, struct profile *profile, struct error *error)
{
    struct arena *scratch = arena_temp(profile->arena);
    if (!scratch)
        return error_set(error, ERROR_MEMORY, "out of memory");
    struct dict *dict = ARENA_NEW(profile->arena, struct dict);
    dict->request = request;
    dict->profile = profile;
    dict->scratch = scratch;
    if (request->progress)
        atomic_store(&request->progress->doing, "reading PyProf's lines");
    profile->workers = request->threads ? request->threads : parallel_cores();
    bool done = arena_run(profile->arena, dict_guarded, dict, error);
    arena_free(scratch);
    if (!done)
        return false;
    if (!request->part_of)
        return profile_derive(profile, request, error);
    profile_classify(profile);
    return true;
}

// The first key is the name of the kernel in all versions of PyProf.
static int probe(const char *path, const unsigned char *head, size_t head_size, struct error *error)
{
    static const char key[] = "'kShortName'";
    (void)path;
    (void)error;
    size_t at = 0;
    while (at < head_size && memchr(BLANKS, head[at], sizeof BLANKS - 1))
        at++;
    return at < head_size && head[at] == '{' && memmem(head, head_size, key, sizeof key - 1) ? 80
                                                                                             : 0;
}

const struct loader dict_loader = {
    .name = "pyprof",
    .doc = "what PyProf's parser prints (python -m pyprof.parse), a dict a line",
    .probe = probe,
    .load = load,
};
