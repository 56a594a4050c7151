// SPDX-License-Identifier: Apache-2.0
// Splits file names of tensorboard_trace_handler() into worker and time, and compares workers.
#include "model/profile/span_name.h"

#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"

bool span_name_parse(const char *path, struct span_name *name)
{
    static const char *const endings[] = {".pt.trace.json", ".pt.trace.json.gz"};
    const char *file = text_file_name(path, NULL);
    size_t length = strlen(file), rest = 0;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t ending = strlen(endings[i]);
        if (length > ending && strcmp(file + length - ending, endings[i]) == 0)
            rest = length - ending;
    }
    size_t at = rest;
    while (at > 0 && file[at - 1] >= '0' && file[at - 1] <= '9')
        at--;
    bool has_stamp = at < rest && at > 1 && file[at - 1] == '.';
    *name = (struct span_name){
        .worker = file,
        .length = has_stamp ? at - 1 : rest,
        .stamp = has_stamp ? file + at : "",
        .digits = has_stamp ? rest - at : 0,
    };
    return rest > 0;
}

bool span_name_is_same_worker(const struct span_name *a, const struct span_name *b)
{
    return a->length == b->length && memcmp(a->worker, b->worker, a->length) == 0;
}

bool span_name_is_continued(const char *path, const char *other)
{
    struct span_name a, b;
    if (!span_name_parse(path, &a) || !span_name_parse(other, &b) ||
        !span_name_is_same_worker(&a, &b))
        return false;
    path = text_display_path(path);
    other = text_display_path(other);
    size_t folder = (size_t)(a.worker - path);
    return folder == (size_t)(b.worker - other) && memcmp(path, other, folder) == 0;
}

static int compare_workers(const void *left, const void *right)
{
    const struct span_name *a = left, *b = right;
    int order = memcmp(a->worker, b->worker, a->length < b->length ? a->length : b->length);
    return order ? order : (a->length > b->length) - (a->length < b->length);
}

size_t span_name_workers(const char *const *paths, size_t count, struct arena *scratch)
{
    struct span_name *names = ARENA_ARRAY(scratch, struct span_name, count + 1);
    size_t spans = 0, workers = 0;
    for (size_t i = 0; i < count; i++)
        if (span_name_parse(paths[i], &names[spans]))
            spans++;
    if (spans)
        qsort(names, spans, sizeof *names, compare_workers);
    for (size_t i = 0; i < spans; i++)
        workers += i == 0 || !span_name_is_same_worker(&names[i], &names[i - 1]);
    return workers + count - spans;
}
