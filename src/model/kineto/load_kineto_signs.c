// SPDX-License-Identifier: Apache-2.0
// Recognizes the traces of other tools, which have the same form but other events.
#include <string.h>

#include "base/text/format.h"
#include "base/text/text.h"
#include "model/kineto/load_kineto.h"

enum sign_place { IN_PID, IN_PROCESS_NAME, IN_CATEGORY, IN_TIME_UNIT };

// The first sign that a trace has decides. A text that ends in * is a prefix.
static const struct {
    enum sign_place place;
    const char *text, *tool;
    const char *advice; // what to do instead, or what its events are
} signs[] = {
    {IN_PID, "CUDA functions", "torch.autograd.profiler, PyTorch's old profiler",
     "A row on its track \"CUDA functions\" is the time between two events around an op, not a "
     "kernel"},
    {IN_PID, "CPU functions", "torch.autograd.profiler, PyTorch's old profiler",
     "It has ops without any GPU work"},
    {IN_PROCESS_NAME, "Ascend Hardware", "the profiler of Ascend NPUs (torch_npu, msprof)", NULL},
    {IN_PROCESS_NAME, "CANN", "the profiler of Ascend NPUs (torch_npu, msprof)", NULL},
    {IN_PROCESS_NAME, "/device:*", "JAX, TensorFlow or XLA", NULL},
    {IN_PROCESS_NAME, "/host:*", "JAX, TensorFlow or XLA", NULL},
    {IN_CATEGORY, "Session", "ONNX Runtime", "Its times of nodes are the host's, not the GPU's"},
    {IN_CATEGORY, "Node", "ONNX Runtime", "Its times of nodes are the host's, not the GPU's"},
    {IN_CATEGORY, "hpu_op", "the profiler of Gaudi (Habana)", NULL},
    {IN_TIME_UNIT, "us", "Triton's Proton",
     "It has kernels by stream, and no calls of the host: who launched what, and why the GPU was "
     "idle, is unknown"},
};
enum { SIGN_COUNT = sizeof signs / sizeof *signs };

static void find_sign(struct kineto *kineto, enum sign_place place, const char *text, size_t length)
{
    for (unsigned i = 0; i < SIGN_COUNT; i++) {
        size_t needs = strlen(signs[i].text);
        bool is_prefix = signs[i].text[needs - 1] == '*';
        needs -= is_prefix;
        if (signs[i].place == place && (is_prefix ? length >= needs : length == needs) &&
            memcmp(signs[i].text, text, needs) == 0)
            kineto->signs |= 1U << i;
    }
}

static uint32_t count_unknown(struct kineto *kineto, int64_t category)
{
    uint32_t row = tuples_put(&kineto->unknown, &category);
    if (row == kineto->unknown_counts_count)
        ARENA_PUSH(kineto->scratch, kineto->unknown_counts, kineto->unknown_counts_count,
                   kineto->unknown_counts_capacity) = 0;
    kineto->unknown_counts[row]++;
    return row;
}

void kineto_see_unknown(struct kineto *kineto, const struct kineto_event *event)
{
    size_t length;
    const char *text = kineto_text(event, KEY_CATEGORY, &length);
    find_sign(kineto, IN_CATEGORY, text, length);
    count_unknown(kineto, length ? strings_intern(kineto->profile->strings, text, length)
                                 : (int64_t)STRING_NONE);
    text = kineto_text(event, KEY_PID, &length);
    find_sign(kineto, IN_PID, text, length);
}

void kineto_see_process_name(struct kineto *kineto, const char *name, size_t length)
{
    find_sign(kineto, IN_PROCESS_NAME, name, length);
}

void kineto_see_time_unit(struct kineto *kineto, const char *unit, size_t length)
{
    find_sign(kineto, IN_TIME_UNIT, unit, length);
}

// ---- texts -------------------------------------------------------------------------------------

static unsigned first_sign(const struct kineto *kineto)
{
    unsigned sign = 0;
    while (sign < SIGN_COUNT && !(kineto->signs >> sign & 1))
        sign++;
    return sign;
}

static uint64_t unknown_count(const struct kineto *kineto)
{
    uint64_t count = 0;
    for (size_t i = 0; i < kineto->unknown_counts_count; i++)
        count += kineto->unknown_counts[i];
    return count;
}

// "25,814 of mtia_ccp_events, 12 without one": the categories with most events.
static const char *unknown_text(const struct kineto *kineto)
{
    enum { LISTED = 3 };
    struct bytes text = {.arena = kineto->scratch};
    char count[FORMAT_SIZE];
    bool *is_listed = ARENA_ARRAY(kineto->scratch, bool, kineto->unknown.count + 1);
    for (unsigned n = 0; n < LISTED && n < kineto->unknown.count; n++) {
        uint32_t most = UINT32_MAX;
        for (uint32_t i = 0; i < kineto->unknown.count; i++)
            if (!is_listed[i] &&
                (most == UINT32_MAX || kineto->unknown_counts[i] > kineto->unknown_counts[most]))
                most = i;
        is_listed[most] = true;
        string_id category = (string_id)*tuples_key(&kineto->unknown, most);
        bytes_format(&text, "%s%s ", n ? ", " : "",
                     format_count(count, (int64_t)kineto->unknown_counts[most]));
        if (category == STRING_NONE)
            bytes_text(&text, "without one");
        else
            bytes_format(&text, "of %.64s", strings_text(kineto->profile->strings, category));
    }
    if (kineto->unknown.count > LISTED)
        bytes_format(&text, ", %u more", kineto->unknown.count - LISTED);
    return arena_copy(kineto->scratch, text.items, text.count);
}

bool kineto_fail_foreign(const struct kineto *kineto, struct error *error)
{
    unsigned sign = first_sign(kineto);
    const char *path = text_display_path(kineto->request->path);
    char count[FORMAT_SIZE];
    if (sign < SIGN_COUNT)
        return error_set(error, ERROR_DATA,
                         "%s is a trace of %s, which is not read here.\n%s%s"
                         "For PyTorch, record with this:\n  " HOW_TO_TRACE,
                         path, signs[sign].tool, signs[sign].advice ? signs[sign].advice : "",
                         signs[sign].advice ? ".\n" : "");
    return error_set(error, ERROR_DATA,
                     "%s is no trace of the PyTorch Profiler: of its %s none has a category that "
                     "is read (%s).\nNeeded is what this or tensorboard_trace_handler() writes:\n "
                     " " HOW_TO_TRACE,
                     path, format_counted(count, unknown_count(kineto), "event"),
                     unknown_text(kineto));
}

void kineto_note_foreign(struct kineto *kineto, uint64_t events)
{
    enum { MIN_SHARE = 100 }; // a warning needs at least 1/100 of all events
    struct profile *profile = kineto->profile;
    uint64_t unknown = unknown_count(kineto);
    unsigned sign = first_sign(kineto);
    char count[FORMAT_SIZE];
    if (sign < SIGN_COUNT) {
        profile->capture.framework = signs[sign].tool;
        profile_note(profile, NOTE_WARNING, "other_tool", 1, NULL,
                     "the file is a trace of %s, not of the PyTorch Profiler%s%s", signs[sign].tool,
                     signs[sign].advice ? ". " : "", signs[sign].advice ? signs[sign].advice : "");
    }
    if (unknown)
        profile_note(profile, unknown >= events / MIN_SHARE ? NOTE_WARNING : NOTE_INFO,
                     "events_unknown", (int64_t)unknown, NULL,
                     "%s of a category that is not known here, not read (%s): what they tell is "
                     "missing",
                     format_counted(count, unknown, "event"), unknown_text(kineto));
}
