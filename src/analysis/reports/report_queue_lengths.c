// SPDX-License-Identifier: Apache-2.0
// Lists the changes of the number of launches that wait on each stream.
#include "analysis/breakdown/launch_queue.h"
#include "analysis/report/report.h"
#include "analysis/sums/launch_texts.h"
#include "analysis/sums/work_text.h"
#include "base/text/format.h"

struct queue_row {
    const struct launch_texts *texts;
    struct queue_change change;
};

static const struct queue_row *row_of(const void *row)
{
    return row;
}

static const struct profile *profile_of(const void *row)
{
    return row_of(row)->texts->profile;
}

static uint32_t work_of(const void *row)
{
    return row_of(row)->change.work;
}

static struct value get_time(const void *row)
{
    return value_integer(row_of(row)->change.time);
}

static struct value get_length(const void *row)
{
    return value_integer(row_of(row)->change.length);
}

static struct value get_change(const void *row)
{
    return value_text(row_of(row)->change.begins ? "begins" : "launched");
}

static struct value get_stream(const void *row)
{
    return value_text(row_of(row)->texts->streams[AT(profile_of(row)->work.stream, work_of(row))]);
}

static struct value get_device(const void *row)
{
    return value_integer(
        device_number(profile_of(row), work_device(profile_of(row), work_of(row))));
}

static struct value get_name(const void *row)
{
    const struct profile *profile = profile_of(row);
    string_id name = selection_name(profile, row_of(row)->texts->selection,
                                    AT(profile->work.function, work_of(row)));
    return name == STRING_NONE ? value_none() : value_text(profile_text(profile, name));
}

static const struct column columns[] = {
    {"time", "Time (ns)", "time", UNIT_TIME, get_time,
     "When the call began, or the work on the GPU.", 0},
    {"length", "Queue Length", "waiting", UNIT_COUNT, get_length,
     "Launches of the stream that wait from then on: whose call has begun, and which have not. At "
     "1,024 "
     "the queue is full and the next call stands until one begins.",
     COLUMN_BAR},
    {"change", "Change", "change", UNIT_TEXT, get_change,
     "launched: one more waits; begins: one less.", 0},
    {"stream", "Stream", "stream", UNIT_TEXT, get_stream, "Number of the stream and its role.", 0},
    {"device", "GPU", "gpu", UNIT_ID, get_device, "Number of the GPU, as in the devices report.",
     0},
    {"kernel", "Kernel Name", "kernel", UNIT_TEXT, get_name, "What was launched, or begins.",
     COLUMN_NAME},
};

struct queue_lengths_builder {
    struct queue_row *rows;
    size_t count, capacity;
    struct launch_texts *texts;
    struct arena *arena;
};

static void row_add(void *context, const struct queue_change *change)
{
    struct queue_lengths_builder *builder = context;
    if (!change->is_selected)
        return;
    launch_texts_add(builder->texts, change->work, builder->arena);
    ARENA_PUSH(builder->arena, builder->rows, builder->count, builder->capacity) =
        (struct queue_row){builder->texts, *change};
}

static struct rows build(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    struct queue_lengths_builder builder = {.texts = launch_texts_new(profile, selection, arena),
                                            .arena = arena};
    char text[FORMAT_SIZE];
    launch_queue_walk(profile, selection, row_add, &builder, arena);
    return (struct rows){
        .items = builder.rows,
        .count = builder.count,
        .caption = arena_format(arena, "%s", format_counted(text, builder.count, "change")),
        .empty = profile->work.count ? "No call of the file launched any of what is selected."
                                     : work_empty_text(profile)};
}

static uint64_t row_id(const void *row)
{
    return (uint64_t)work_of(row) * 2 + row_of(row)->change.begins;
}

const struct report report_queue_lengths = {
    .name = "queue_lengths",
    .title = "Queue lengths of streams",
    .doc = "How many launches wait on a stream, from change to change; `streams` has the longest.",
    .row_size = sizeof(struct queue_row),
    .column_count = sizeof columns / sizeof *columns,
    .columns = columns,
    .build = build,
    .id = row_id,
    .work = work_of,
    .is_timed = true,
};
