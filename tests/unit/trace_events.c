// SPDX-License-Identifier: Apache-2.0
// Walks over the events of a trace with the JSON scanner.
#include "trace_events.h"

#include <stdlib.h>
#include <string.h>

#include "base/parse/json_scan.h"

struct walk {
    struct json_scan *scan;
    struct arena *arena;
    void (*each)(void *context, const struct kineto_event *event);
    void *context;
};

static void read_events(const struct walk *walk)
{
    struct json_scan *scan = walk->scan;
    const struct kineto_index *index = kineto_index_new(walk->arena);
    struct kineto_event event = {0};
    unsigned outside = scan->depth - 1;
    while (scan->depth > outside) {
        enum json_token token = json_scan_next(scan);
        if (token == JSON_END)
            return;
        if (token != JSON_OBJECT) {
            json_scan_skip(scan, token);
            continue;
        }
        kineto_read_event(scan, index, &event);
        walk->each(walk->context, &event);
        json_scan_release(scan);
    }
}

static bool is_word(const struct json_scan *scan, const char *word)
{
    return scan->length == strlen(word) && memcmp(scan->text, word, scan->length) == 0;
}

int64_t trace_events_walk(const char *path,
                          void (*each)(void *context, const struct kineto_event *event),
                          void *context)
{
    struct error error = {0};
    struct walk walk = {.arena = arena_new(0), .each = each, .context = context};
    struct json_scan *scan = walk.scan = json_scan_open(path, walk.arena, &error);
    int64_t base_time = 0;
    if (!scan)
        abort(); // the file was loaded before
    enum json_token token = json_scan_next(scan);
    if (token == JSON_ARRAY)
        read_events(&walk);
    while (token == JSON_OBJECT && scan->depth > 0) {
        enum json_token key = json_scan_next(scan);
        if (key != JSON_KEY)
            break;
        bool is_events = is_word(scan, "traceEvents");
        if (!is_events && !is_word(scan, "baseTimeNanoseconds")) {
            json_scan_skip(scan, key);
            continue;
        }
        key = json_scan_next(scan);
        if (!is_events)
            kineto_decimal(scan->text, scan->length, 0, &base_time);
        else if (key == JSON_ARRAY)
            read_events(&walk);
    }
    json_scan_close(scan, NULL);
    arena_free(walk.arena);
    return base_time;
}

// Above 2^53 ns the integer quotient and the remainder are converted separately, as ns itself is no
// exact double. A long double would be simpler, but valgrind computes it as a double.
double us_of_ns(int64_t ns)
{
    const int64_t whole = INT64_C(1) << 53;
    return ns < whole ? (double)ns / 1000 : (double)(ns / 1000) + (double)(ns % 1000) / 1000;
}
