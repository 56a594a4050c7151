// SPDX-License-Identifier: Apache-2.0
// Sums by source line the GPU work launched from it, the host time of its calls, and the idle time
// that it causes. Work without a known line has a row of its own, so that the rows add up.
#include "analysis/idle/idle_sums.h"
#include "analysis/report/memo.h"
#include "analysis/report/report.h"
#include "analysis/report/stats.h"
#include "base/scratch.h"
#include "base/text/format.h"
#include "model/profile/recorder.h"

struct source_row {
    const struct profile *profile;
    string_id text; // STRING_NONE for calls without a known line
    const struct program_line *line;
    int64_t gpu_ns, exclusive_ns, host_ns, idle_ns, all_ns; // all_ns: GPU time of all rows
    uint32_t work, calls;
};

static const struct source_row *row_of(const void *row)
{
    return row;
}

static struct value get_line(const void *row)
{
    return value_text(row_of(row)->text == STRING_NONE
                          ? "(line not known)"
                          : profile_text(row_of(row)->profile, row_of(row)->text));
}

static struct value get_source_line(const void *row)
{
    return row_of(row)->text == STRING_NONE ? value_none() : get_line(row);
}

static struct value get_gpu(const void *row)
{
    return value_integer(row_of(row)->gpu_ns);
}

static struct value get_share(const void *row)
{
    return value_share(row_of(row)->gpu_ns, row_of(row)->all_ns);
}

static struct value get_exclusive(const void *row)
{
    return value_integer(row_of(row)->exclusive_ns);
}

static struct value get_idle(const void *row)
{
    return value_integer(row_of(row)->idle_ns);
}

static struct value get_host(const void *row)
{
    return value_integer(row_of(row)->host_ns);
}

static struct value get_work(const void *row)
{
    return value_integer(row_of(row)->work);
}

static struct value get_calls(const void *row)
{
    return value_integer(row_of(row)->calls);
}

static struct value get_file(const void *row)
{
    const struct program_line *line = row_of(row)->line;
    return line && line->file != STRING_NONE
               ? value_text(profile_text(row_of(row)->profile, line->file))
               : value_none();
}

static struct value get_number(const void *row)
{
    const struct program_line *line = row_of(row)->line;
    return line && line->line ? value_integer(line->line) : value_none();
}

static const struct column columns[] = {
    {"line", "Line", "line", UNIT_TEXT, get_line,
     "Line of the program that calls come from: the innermost frame that is of no library "
     "(frames.yaml) of the call chain, else of the call stack in the marker around the call or "
     "around its op (a backward has its forward's).",
     COLUMN_NAME},
    {"gpu_total", "Total GPU Time (ns)", "GPU", UNIT_NS, get_gpu,
     "Sum of the durations of what was launched from it.", COLUMN_BAR | COLUMN_SUM},
    {"work", "Share of GPU Work (%)", "%work", UNIT_PERCENT, get_share,
     "Total GPU time of the row over that of all rows.", COLUMN_SHARE},
    {"exclusive", "Exclusive GPU Time (ns)", "exclusive", UNIT_NS, get_exclusive,
     "Time in which this work alone keeps its GPU from being idle; rows add up to the busy time.",
     COLUMN_SUM | COLUMN_TIMED},
    {"idle", "Idle Caused (ns)", "idle", UNIT_NS, get_idle,
     "Idle time of the GPU whose evidence is a call from this line, else of which the launch of "
     "the next work comes from it; rows add up to the idle time. Unknown where what is looked at "
     "is narrowed to a kernel or an op.",
     COLUMN_SUM | COLUMN_TIMED},
    {"launches", "Launches", "launches", UNIT_COUNT, get_work,
     "Kernels, copies, memsets and graphs launched from it.", COLUMN_SUM},
    {"calls", "API Calls", "calls", UNIT_COUNT, get_calls, "CUDA API calls made from it.",
     COLUMN_SUM | COLUMN_HOST | COLUMN_WIDE | COLUMN_TIMED},
    {"api_time", "API Time (ns)", "API", UNIT_NS, get_host,
     "Time that these calls take on the host; a call inside another one counts in both.",
     COLUMN_SUM | COLUMN_HOST | COLUMN_WIDE | COLUMN_TIMED},
    {"file", "File", "file", UNIT_TEXT, get_file,
     "Path of the file as the capture wrote it; unknown where none is told, or where several "
     "files have lines that are written so.",
     COLUMN_DETAIL},
    {"number", "Line Number", "number", UNIT_ID, get_number, "Number of the line in that file.",
     COLUMN_DETAIL},
    {"source_line", "Source Line", "line", UNIT_TEXT, get_source_line,
     "The line again; unknown for what comes from none that is known.", COLUMN_DETAIL},
};

// ---- building -----------------------------------------------------------------------------------

struct source_builder {
    const struct profile *profile;
    const struct selection *selection;
    struct arena *arena;
    struct source_row **by_text; // by string id; [STRING_NONE] for calls without a known line
};

static struct source_row *row_find(struct source_builder *builder, uint32_t call)
{
    const struct api_calls *api = &builder->profile->api;
    string_id text = api_route(api, call).place;
    struct source_row **row = &builder->by_text[text];
    if (!*row) {
        *row = ARENA_NEW(builder->arena, struct source_row);
        **row = (struct source_row){.profile = builder->profile,
                                    .text = text,
                                    .line = profile_line(builder->profile, text)};
    }
    return *row;
}

static void add_piece(void *context, const struct idle_piece *piece)
{
    struct source_builder *builder = context;
    const struct idle_part *part = &piece->part;
    uint32_t call = part->kind == EVIDENCE_API ? part->row
                    : part->next_work == ROW_NONE
                        ? ROW_NONE
                        : AT(builder->profile->work.launch, part->next_work);
    sum_add(&row_find(builder, call)->idle_ns, piece->to - piece->from);
}

static void add_idle(void *context, struct arena *scratch)
{
    struct source_builder *builder = context;
    idle_each(builder->profile, builder->selection,
              idle_of(builder->profile, builder->selection, scratch), add_piece, builder);
}

// Returns true if the selection restricts only nodes, steps and GPUs. With other restrictions, idle
// time is unknown.
static bool has_idle_time(const struct selection *selection)
{
    struct selection wide = *selection;
    wide.node = ROW_NONE;
    return selection_is_unfiltered(&wide);
}

static void add_rows(struct source_builder *builder)
{
    const struct profile *profile = builder->profile;
    const struct gpu_work *work = &profile->work;
    for (uint32_t w = 0; w < work->count; w++) {
        if (!selection_has_work(profile, builder->selection, w))
            continue;
        struct source_row *row = row_find(builder, AT(work->launch, w));
        sum_add(&row->gpu_ns, work_duration(profile, w));
        row->exclusive_ns += AT(work->exclusive, w);
        row->work++;
    }
    for (uint32_t i = 0; i < profile->api.count; i++) {
        if (!selection_has_api(profile, builder->selection, i))
            continue;
        struct source_row *row = row_find(builder, i);
        sum_add(&row->host_ns, AT(profile->api.end, i) - AT(profile->api.start, i));
        row->calls++;
    }
}

static struct rows build(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    if (profile->stage < STAGE_READY)
        return (struct rows){.empty = "Lines are not known yet: the profile is being read."};
    if (profile->line_count == 0)
        return (struct rows){.empty = recorder_lack_text(profile, LACKS_LINES)};
    uint32_t texts = strings_count(profile->strings);
    struct source_builder builder = {
        .profile = profile,
        .selection = selection,
        .arena = arena,
        .by_text = ARENA_ARRAY(arena, struct source_row *, (size_t)texts + 1)};
    bool has_idle = has_idle_time(selection);
    add_rows(&builder);
    if (has_idle)
        scratch_run(arena, add_idle, &builder);
    size_t count = 0, capacity = 0;
    struct source_row *rows = NULL;
    int64_t all_ns = 0;
    for (uint32_t t = 0; t < texts; t++) {
        if (!builder.by_text[t])
            continue;
        sum_add(&all_ns, builder.by_text[t]->gpu_ns);
        ARENA_PUSH(arena, rows, count, capacity) = *builder.by_text[t];
    }
    if (count == 0)
        return (struct rows){.empty = "Nothing in what is selected comes from the program."};
    for (size_t i = 0; i < count; i++) {
        rows[i].all_ns = all_ns;
        rows[i].idle_ns = has_idle ? rows[i].idle_ns : UNKNOWN;
    }
    char text[FORMAT_SIZE];
    return (struct rows){
        .items = rows,
        .count = count,
        .caption =
            arena_format(arena, "%s of the program",
                         format_counted(text, count - (rows[0].text == STRING_NONE), "line")),
    };
}

static uint64_t row_id(const void *row)
{
    return row_of(row)->text;
}

static const char *row_narrow(const struct profile *profile, const void *row,
                              struct selection *selection)
{
    (void)profile;
    if (row_of(row)->text == STRING_NONE)
        return NULL;
    selection->line = row_of(row)->text;
    return row_of(row)->work ? "kernels" : "api";
}

const struct report report_source = {
    .name = "source",
    .title = "Lines of the program",
    .doc = "Lines of the program by the GPU time launched from them, with the host's time and the "
           "idle time that they cause.",
    .row_size = sizeof(struct source_row),
    .column_count = sizeof columns / sizeof *columns,
    .columns = columns,
    .is_aggregate = true,
    .build = build,
    .sort = "-gpu_total",
    .id = row_id,
    .narrow = row_narrow,
    .busy = "exclusive",
};
