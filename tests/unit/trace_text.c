// SPDX-License-Identifier: Apache-2.0
// Appends events to the text of a trace and loads it.
#include "trace_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "file_text.h"
#include "model/open/open.h"

enum { PROCESS = 7 };

void trace_event(struct trace_text *trace, const char *category, const char *name, int tid,
                 int start, int length, const char *arguments, ...)
{
    char args[400];
    va_list list;
    va_start(list, arguments);
    vsnprintf(args, sizeof args, arguments, list);
    va_end(list);
    size_t room = sizeof trace->text - trace->length;
    int written = snprintf(trace->text + trace->length, room,
                           "%s{\"ph\": \"X\", \"cat\": \"%s\", \"name\": \"%s\", \"pid\": %d, "
                           "\"tid\": %d, \"ts\": %d, \"dur\": %d, \"args\": {%s}}",
                           trace->length ? ",\n" : "[", category, name,
                           trace->process ? trace->process : PROCESS, tid, start, length, args);
    if (written < 0 || (size_t)written + 2 > room)
        abort();
    trace->length += (size_t)written;
}

void trace_write(const struct trace_text *trace, const char *path)
{
    struct trace_text whole = *trace;
    snprintf(whole.text + whole.length, sizeof whole.text - whole.length, "]");
    file_write(path, whole.text);
}

struct profile *trace_load(const struct trace_text *trace, unsigned threads)
{
    static int number;
    char path[200];
    struct error error = {0};
    snprintf(path, sizeof path, "/tmp/dlprof_trace_%d_%d.json", (int)getpid(), number++);
    trace_write(trace, path);
    struct load_request request = {.path = path, .threads = threads};
    struct profile *profile = profile_load(&request, &error);
    unlink(path);
    if (!profile) {
        fprintf(stderr, "%s\n", error.message);
        abort();
    }
    return profile;
}
