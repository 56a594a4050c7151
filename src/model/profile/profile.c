// SPDX-License-Identifier: Apache-2.0
// Creates, publishes and frees profiles, adds notes, and finds GPUs, processes and program lines.
#include "model/profile/profile.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text/text.h"
#include "model/profile/loader.h"
#include "model/profile/recorder.h"
#include "model/profile/roles.h"

const char *const stream_role_names[ROLE_COUNT] = {
    [ROLE_COMPUTE] = "compute", [ROLE_COMM] = "comm", [ROLE_H2D] = "H2D",
    [ROLE_D2H] = "D2H",         [ROLE_SIDE] = "side",
};

const char *const mode_names[MODE_COUNT] = {
    [MODE_AUTO] = "auto",
    [MODE_SIMPLE] = "simple",
    [MODE_PYTORCH] = "pytorch",
    [MODE_TENSORFLOW1] = "tensorflow1",
    [MODE_TENSORFLOW2] = "tensorflow2",
    [MODE_TENSORRT] = "tensorrt",
    [MODE_RANGES] = "ranges",
};

const struct device device_unknown = {
    .gpu_id = ROW_NONE,
    .sm_count = UNKNOWN,
    .memory_bytes = UNKNOWN,
    .memory_bandwidth = UNKNOWN,
    .clock_hz = UNKNOWN,
    .compute_major = -1,
    .compute_minor = -1,
};

struct source source_new(const char *path, const char *format)
{
    return (struct source){
        .path = text_display_path(path),
        .format = format,
        .version = "",
        .schema = "",
        .host_row = ROW_NONE,
        .rank = UNKNOWN,
        .world = UNKNOWN,
        .roles = roles_unknown(),
        .clock = {.is_aligned = true},
    };
}

// ---- notes -------------------------------------------------------------------------------------

void profile_note(struct profile *profile, enum note_level level, const char *key, int64_t count,
                  const char *flag, const char *format, ...)
{
    char text[1000];
    const char *option = recorder_option(profile, flag);
    va_list arguments;
    va_start(arguments, format); // NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): it is
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    struct note note = {
        .level = level,
        .key = key,
        .text = arena_text(profile->arena, text),
        .count = count,
        .flag = option ? option : "",
    };
    ARENA_PUSH(profile->arena, profile->notes, profile->note_count, profile->note_capacity) = note;
}

const struct note *profile_find_note(const struct profile *profile, const char *key)
{
    for (size_t i = 0; i < profile->note_count; i++)
        if (strcmp(profile->notes[i].key, key) == 0)
            return &profile->notes[i];
    return NULL;
}

// ---- texts -------------------------------------------------------------------------------------

const char *range_text(const struct profile *profile, uint32_t range, struct arena *arena)
{
    const struct ranges *ranges = &profile->ranges;
    const struct range_label *label = range_label(ranges, range);
    if (!label->name)
        return "";
    const char *domain = profile_text(profile, profile->domains[label->domain].name);
    const char *text = profile_text(profile, label->name);
    if (*domain)
        text = arena_format(arena, "%s:%s", domain, text);
    if (label->has_seq)
        text = arena_format(arena, "%s, seq = %llu", text,
                            (unsigned long long)range_seq(ranges, range));
    if (label->has_op_id)
        text = arena_format(arena, "%s, op_id = %llu", text,
                            (unsigned long long)range_op_id(ranges, range));
    if (label->sizes)
        text = arena_format(arena, "%s, sizes = %s", text, profile_text(profile, label->sizes));
    return text;
}

// ---- stages ------------------------------------------------------------------------------------

// The reader of a stage must not see the loader at work: it gets the current row counts and a
// snapshot of the string table. Columns and texts are only ever added to.
bool profile_publish(struct profile *profile, enum profile_stage stage,
                     struct load_progress *progress, struct error *error)
{
    profile->stage = stage;
    if (!progress)
        return true;
    if (atomic_load(&progress->cancel))
        return error_set(error, ERROR_CANCELLED, "cancelled");
    struct profile *shown = ARENA_NEW(profile->arena, struct profile);
    *shown = *profile;
    shown->strings = strings_share(profile->strings);
    atomic_store(&progress->stage, shown);
    if (progress->wake_fd >= 0) {
        ssize_t written = write(progress->wake_fd, "s", 1);
        (void)written; // a full pipe wakes the reader as well
    }
    return true;
}

void profile_free(const struct profile *profile)
{
    if (profile)
        arena_free(profile->arena);
}

int64_t device_number(const struct profile *profile, uint32_t device)
{
    const struct device *d = &profile->devices[device];
    // Several processes may each have an ordinal 0; the row is then unique.
    return d->gpu_id != ROW_NONE ? d->gpu_id : d->is_assumed ? device : d->ordinal;
}

void profile_number_devices(struct profile *profile)
{
    bool has_duplicate = false;
    for (uint32_t d = 0; d < profile->device_count; d++)
        has_duplicate |= profile_find_device(profile, device_number(profile, d)) != d;
    for (uint32_t d = 0; has_duplicate && d < profile->device_count; d++)
        profile->devices[d].gpu_id = d;
}

uint32_t profile_find_device(const struct profile *profile, int64_t number)
{
    uint32_t found = ROW_NONE;
    for (uint32_t d = profile->device_count; d-- > 0;)
        if (device_number(profile, d) == number &&
            (found == ROW_NONE || profile->devices[d].has_work))
            found = d;
    return found;
}

uint32_t profile_find_process(const struct profile *profile, int64_t pid)
{
    for (uint32_t p = 0; p < profile->process_count; p++)
        if (profile->processes[p].pid == pid)
            return p;
    return ROW_NONE;
}

bool profile_has_pause(const struct profile *profile, int64_t from, int64_t to)
{
    for (uint32_t i = 0; i < profile->pause_count; i++)
        if (profile->pauses[i].from >= from && profile->pauses[i].to <= to)
            return true;
    return false;
}

struct profile *profile_empty(const struct load_request *request, struct arena *arena)
{
    struct profile *profile = ARENA_NEW(arena, struct profile);
    profile->arena = arena;
    profile->strings = strings_new(arena);
    profile->mode = MODE_RANGES;
    profile->mode_reason = "";
    profile->capture = CAPTURE_UNKNOWN;
    profile->key_op = request->key_op ? arena_text(arena, request->key_op) : NULL;
    if (request->name)
        profile->capture.name = arena_text(arena, request->name);
    return profile;
}

const char *call_place(const struct profile *profile, uint32_t call)
{
    string_id place = api_route(&profile->api, call).place;
    return place != STRING_NONE ? profile_text(profile, place) : NULL;
}

const struct program_line *profile_line(const struct profile *profile, string_id text)
{
    uint32_t low = 0, high = profile->line_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (profile->lines[middle].text < text)
            low = middle + 1;
        else
            high = middle;
    }
    return low < profile->line_count && profile->lines[low].text == text ? &profile->lines[low]
                                                                         : NULL;
}
