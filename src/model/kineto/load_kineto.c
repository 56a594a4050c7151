// SPDX-License-Identifier: Apache-2.0
// Loader of PyTorch Profiler (Kineto) traces: *.pt.trace.json, *.json, *.json.gz of torch 1.8 and
// later. The root is an object with `traceEvents`, or the bare list of events.
#include <string.h>

#include "base/parallel.h"
#include "base/text/format.h"
#include "base/text/text.h"
#include "model/derive/derive.h"
#include "model/kineto/load_kineto.h"

// ---- reading the file ---------------------------------------------------------------------------

static bool check_progress(const struct kineto *kineto, struct error *error)
{
    struct load_progress *progress = kineto->request->progress;
    if (!progress)
        return true;
    atomic_store(&progress->rows_done, json_scan_done(kineto->scan));
    return !atomic_load(&progress->cancel) || error_set(error, ERROR_CANCELLED, "cancelled");
}

static bool read_events(struct kineto *kineto, struct error *error)
{
    enum { EVENTS_PER_CHECK = 1024 };
    struct json_scan *scan = kineto->scan;
    struct kineto_event event = {0};
    unsigned outside = scan->depth - 1;
    for (size_t i = 0; scan->depth > outside; i++) {
        enum json_token token = json_scan_next(scan);
        if (token == JSON_END)
            return true;
        if (token != JSON_OBJECT) {
            json_scan_skip(scan, token);
            continue;
        }
        kineto_read_event(scan, kineto->index, &event);
        kineto_add_event(kineto, &event);
        json_scan_release(scan);
        if (i % EVENTS_PER_CHECK == 0 && !check_progress(kineto, error))
            return false;
    }
    return true;
}

static bool is_events_key(const struct json_scan *scan)
{
    static const char events[] = "traceEvents";
    return scan->length == sizeof events - 1 && memcmp(scan->text, events, scan->length) == 0;
}

static bool read_members(struct kineto *kineto, struct error *error)
{
    struct json_scan *scan = kineto->scan;
    unsigned outside = scan->depth - 1;
    while (scan->depth > outside) {
        enum json_token token = json_scan_next(scan);
        if (token == JSON_END)
            return true;
        if (token != JSON_KEY) {
            json_scan_skip(scan, token);
            continue;
        }
        if (!is_events_key(scan)) {
            kineto_read_member(kineto);
            continue;
        }
        token = json_scan_next(scan);
        if (token != JSON_ARRAY)
            json_scan_skip(scan, token);
        else if (!read_events(kineto, error))
            return false;
    }
    return true;
}

// Reads all values of the file. What is behind the last one that holds events is none of the trace.
static bool read_file(struct kineto *kineto, struct error *error)
{
    enum json_token token;
    bool has_stray = false;
    while ((token = json_scan_next(kineto->scan)) != JSON_END) {
        struct kineto_mark since;
        kineto_begin_value(kineto, &since);
        if (!(token == JSON_ARRAY    ? read_events(kineto, error)
              : token == JSON_OBJECT ? read_members(kineto, error)
                                     : true))
            return false;
        uint64_t before = kineto->values_end;
        kineto_end_value(kineto, &since);
        has_stray = before && kineto->values_end == before;
    }
    if (has_stray)
        kineto->stray_bytes = json_scan_bytes(kineto->scan) - kineto->values_end;
    return true;
}

// ---- notes --------------------------------------------------------------------------------------

static int64_t count_dropped(const struct kineto *kineto, int class)
{
    int64_t count = 0;
    for (int damage = 0; damage < DAMAGE_COUNT; damage++)
        count += kineto->damage[class][damage];
    return count;
}

static uint64_t count_events(const struct kineto *kineto)
{
    uint64_t count = 0;
    for (int class = 0; class < KINETO_CLASSES; class ++)
        count += (uint64_t)(kineto->seen[class] - count_dropped(kineto, class));
    return count;
}

// Returns the recorded options that slow the host down, like "record_shapes, with_stack", or NULL.
static const char *costs_text(const struct kineto *kineto)
{
    const struct profile *profile = kineto->profile;
    bool has_sizes = false;
    for (uint32_t l = 0; l < profile->ranges.label_count && !has_sizes; l++)
        has_sizes = profile->ranges.labels[l].sizes != STRING_NONE;
    const struct {
        bool is_recorded;
        const char *argument;
    } costs[] = {
        {has_sizes, "record_shapes"},
        {kineto->seen[KINETO_MEMORY] > 0, "profile_memory"},
        {kineto->seen[KINETO_FRAME] > 0, "with_stack"},
    };
    const char *text = NULL;
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++)
        if (costs[i].is_recorded)
            text = text ? arena_format(profile->arena, "%s, %s", text, costs[i].argument)
                        : costs[i].argument;
    return text;
}

static void note_file(struct kineto *kineto)
{
    const struct json_scan *scan = kineto->scan;
    struct profile *profile = kineto->profile;
    char events[FORMAT_SIZE], bytes[FORMAT_SIZE];
    if (scan->is_cut)
        profile_note(profile, NOTE_WARNING, "file_cut", 1, NULL,
                     "%s recovered: the file ends early, at byte %s%s",
                     format_counted(events, count_events(kineto), "event"),
                     format_count(bytes, (int64_t)json_scan_bytes(scan)),
                     scan->is_damaged     ? " of what can be unpacked"
                     : scan->is_too_large ? ", where one event has more bytes than are kept"
                                          : ", as where the job is killed while it writes");
    if (scan->repair_count)
        profile_note(profile, NOTE_INFO, "json_mended", (int64_t)scan->repair_count, NULL,
                     "%s where the file is no valid JSON, read as what it must mean; the first at "
                     "byte %s",
                     format_counted(events, scan->repair_count, "place"),
                     format_count(bytes, (int64_t)scan->first_repair_offset));
    if (kineto->unread)
        profile_note(profile, NOTE_WARNING, "events_unread", kineto->unread, NULL,
                     "%s of phase B or E, or of none, not read: the PyTorch Profiler writes whole "
                     "ones (X)",
                     format_counted(events, (uint64_t)kineto->unread, "event"));
    kineto_note_foreign(kineto, count_events(kineto));
    if (kineto->seen[KINETO_SHADOW])
        profile_note(profile, NOTE_INFO, "device_annotations", kineto->seen[KINETO_SHADOW], NULL,
                     "%s annotations on the GPU's tracks are left out: they repeat the host's, and "
                     "are no steps of their own",
                     format_count(events, kineto->seen[KINETO_SHADOW]));
    const char *costs = costs_text(kineto);
    if (costs)
        profile_note(profile, NOTE_INFO, "recording_costs", 0, NULL,
                     "recorded with %s: the host is slower than without, and gaps between kernels "
                     "are longer",
                     costs);
}

static void note_values(struct kineto *kineto)
{
    struct profile *profile = kineto->profile;
    char count[FORMAT_SIZE], size[FORMAT_SIZE];
    if (kineto->value_count > 1)
        profile_note(profile, NOTE_INFO, "values_several", (int64_t)kineto->value_count, NULL,
                     "the file holds %s one behind another: all are read as one",
                     format_counted(count, kineto->value_count, "trace"));
    if (kineto->repeated)
        profile_note(profile, NOTE_WARNING, "values_repeated", kineto->repeated, NULL,
                     "%s left out: the file holds a trace twice, one behind the other",
                     format_counted(count, (uint64_t)kineto->repeated, "event"));
    if (kineto->stray_bytes)
        profile_note(profile, NOTE_WARNING, "bytes_behind", (int64_t)kineto->stray_bytes, NULL,
                     "%s behind the end of the trace, at byte %s, not read: no events of a trace",
                     format_counted(count, kineto->stray_bytes, "byte"),
                     format_count(size, (int64_t)kineto->values_end));
}

static const char *const damage_texts[DAMAGE_COUNT] = {
    [DAMAGE_TIME] = "without a time that can be",
    [DAMAGE_FAR] = "that lie hours or more away from the rest of the trace",
    [DAMAGE_NO_LENGTH] = "without a length",
    [DAMAGE_NEGATIVE] = "that end before they begin",
    [DAMAGE_LONG] = "longer than can be",
    [DAMAGE_SIZE] = "of a size that cannot be",
    [DAMAGE_REPEATED] = "that repeat another row",
    [DAMAGE_TOO_MANY] = "above what can be kept",
};

// Notes the rows of a class that are left out, with the reasons; returns the reasons.
static const char *note_dropped(struct kineto *kineto, int class, int64_t dropped)
{
    struct bytes text = {.arena = kineto->scratch};
    char count[FORMAT_SIZE], all[FORMAT_SIZE];
    for (int damage = 0; damage < DAMAGE_COUNT; damage++)
        if (kineto->damage[class][damage])
            bytes_format(&text, "%s%s %s", text.count ? ", " : "",
                         format_count(count, kineto->damage[class][damage]), damage_texts[damage]);
    const char *why = arena_copy(kineto->profile->arena, text.items, text.count);
    profile_note(kineto->profile, NOTE_WARNING, "rows_skipped", dropped, NULL,
                 "%s of %s rows of %s are left out, and in no figure: %s",
                 format_count(count, dropped), format_count(all, kineto->seen[class]),
                 kineto_class_names[class], why);
    return why;
}

static void count_tables(struct kineto *kineto)
{
    struct profile *profile = kineto->profile;
    profile->tables = ARENA_ARRAY(profile->arena, struct table_count, KINETO_CLASSES);
    for (int class = 0; class < KINETO_CLASSES; class ++) {
        if (!kineto->seen[class])
            continue;
        bool is_left = class == KINETO_SHADOW || class == KINETO_OTHER;
        int64_t dropped = is_left ? kineto->seen[class] : count_dropped(kineto, class);
        const char *why = is_left   ? "of no use here"
                          : dropped ? note_dropped(kineto, class, dropped)
                                    : "";
        profile->tables[profile->table_count++] =
            (struct table_count){kineto_class_names[class], kineto->seen[class], dropped, why};
    }
}

// ---- loader -------------------------------------------------------------------------------------

static void open_tables(struct kineto *kineto)
{
    struct arena *scratch = kineto->scratch;
    tuples_open(&kineto->processes, scratch, 1);
    tuples_open(&kineto->threads, scratch, 2);
    tuples_open(&kineto->places, scratch, 4);
    tuples_open(&kineto->functions, scratch, 3);
    tuples_open(&kineto->shapes, scratch, SHAPE_WIDTH);
    tuples_open(&kineto->grids, scratch, 6);
    tuples_open(&kineto->copies, scratch, 4);
    tuples_open(&kineto->drafts, scratch, 4);
    tuples_open(&kineto->labels, scratch, 2);
    tuples_open(&kineto->homes, scratch, 2);
    tuples_open(&kineto->nodes, scratch, 2);
    tuples_open(&kineto->collectives, scratch, COLLECTIVE_PARTS);
    tuples_open(&kineto->named, scratch, 3);
    tuples_open(&kineto->long_ids, scratch, 1);
    tuples_open(&kineto->unknown, scratch, 1);
}

static bool kineto_body(void *context, struct error *error)
{
    struct kineto *kineto = context;
    struct profile *profile = kineto->profile;
    struct load_progress *progress = kineto->request->progress;
    profile->source_count = 1;
    profile->sources = ARENA_NEW(profile->arena, struct source);
    profile->sources[0] = source_new(arena_text(profile->arena, kineto->request->path), "kineto");
    profile->capture.framework = "PyTorch";
    open_tables(kineto);
    kineto->index = kineto_index_new(kineto->scratch);
    kineto->buffer.arena = kineto->scratch;
    kineto->scan = json_scan_open(kineto->request->path, kineto->scratch, error);
    if (!kineto->scan)
        return false;
    profile->sources[0].bytes = (int64_t)json_scan_size(kineto->scan);
    if (progress)
        atomic_store(&progress->rows_total, json_scan_size(kineto->scan));
    if (!read_file(kineto, error))
        return false;
    if (!count_events(kineto))
        return error_set(
            error, ERROR_DATA,
            "%s holds no event of a PyTorch Profiler trace that has a time.\nNeeded is "
            "what this or tensorboard_trace_handler() writes:\n  " HOW_TO_TRACE,
            text_display_path(kineto->request->path));
    if (count_events(kineto) == (uint64_t)kineto->seen[KINETO_OTHER])
        return kineto_fail_foreign(kineto, error);
    kineto_make_tables(kineto);
    bool is_merged = kineto->has_other_ranks || kineto->has_several_owners;
    profile->sources[0].rank = is_merged ? UNKNOWN : kineto->rank;
    count_tables(kineto);
    note_values(kineto);
    note_file(kineto);
    return true;
}

static bool kineto_guarded(void *context, struct error *error)
{
    struct kineto *kineto = context;
    return arena_run(kineto->scratch, kineto_body, kineto, error);
}

static bool load(const struct load_request *request, struct profile *profile, struct error *error)
{
    struct kineto *kineto = ARENA_NEW(profile->arena, struct kineto);
    struct arena *scratch = arena_temp(profile->arena);
    if (!scratch)
        return error_set(error, ERROR_MEMORY, "out of memory");
    kineto->request = request;
    kineto->profile = profile;
    kineto->scratch = scratch;
    kineto->rank = UNKNOWN;
    if (request->progress)
        atomic_store(&request->progress->doing, "reading the trace");
    profile->workers = request->threads ? request->threads : parallel_cores();
    bool done = arena_run(profile->arena, kineto_guarded, kineto, error);
    if (kineto->scan)
        done = json_scan_close(kineto->scan, done ? error : NULL) && done;
    arena_free(scratch);
    if (!done)
        return false;
    if (!request->part_of)
        return profile_derive(profile, request, error);
    profile_classify(profile);
    return true;
}

// ---- recognition --------------------------------------------------------------------------------

static bool contains(const unsigned char *head, size_t size, const char *text)
{
    return memmem(head, size, text, strlen(text)) != NULL;
}

// State of a search for `traceEvents` in the root object. Tools other than Kineto write it after
// other members.
struct trace_probe {
    const char *path;
    struct arena *arena;
    bool is_trace;
};

static bool probe_body(void *context, struct error *error)
{
    enum { MAX_PROBE_BYTES = 4 << 20 }; // unpacked
    struct trace_probe *probed = context;
    struct json_scan *scan = json_scan_open(probed->path, probed->arena, error);
    if (!scan)
        return false;
    enum json_token token = json_scan_next(scan);
    bool is_object = token == JSON_OBJECT;
    while (is_object && !probed->is_trace && token != JSON_END &&
           json_scan_bytes(scan) < MAX_PROBE_BYTES) {
        token = json_scan_next(scan);
        probed->is_trace = token == JSON_KEY && scan->depth == 1 && is_events_key(scan);
    }
    return json_scan_close(scan, error);
}

static bool holds_events(const char *path, struct error *error)
{
    struct trace_probe probed = {path, arena_new(0), false};
    if (!probed.arena)
        return error_set(error, ERROR_MEMORY, "out of memory");
    bool done = arena_run(probed.arena, probe_body, &probed, error);
    arena_free(probed.arena);
    return done && probed.is_trace;
}

// Scores an object or list that holds events as certain. Any other object gets a low score, since
// it may be a damaged trace.
static int probe(const char *path, const unsigned char *head, size_t head_size, struct error *error)
{
    enum { SCORE_EVENTS = 90, SCORE_OBJECT = 20 };
    unsigned char unpacked[1 << 14];
    head_size = json_scan_head(head, head_size, unpacked, sizeof unpacked);
    head = unpacked;
    size_t at = head_size >= 3 && memcmp(head, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    while (at < head_size && memchr(" \t\r\n", head[at], 4))
        at++;
    if (at < head_size && head[at] == '[')
        return contains(head, head_size, "\"ph\"") ? SCORE_EVENTS : 0;
    if (at == head_size || head[at] != '{' || !contains(head, head_size, "\""))
        return 0;
    return holds_events(path, error) ? SCORE_EVENTS : SCORE_OBJECT;
}

const struct loader kineto_loader = {
    .name = "kineto",
    .doc = "a trace of the PyTorch Profiler (export_chrome_trace), .json or .json.gz",
    .probe = probe,
    .load = load,
};
