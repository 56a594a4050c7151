// SPDX-License-Identifier: Apache-2.0
// Lists single idle intervals with their cause, their evidence and the work that ends them.
#include "analysis/idle/idle_sums.h"
#include "analysis/idle/idle_text.h"
#include "analysis/place/row_place_find.h"
#include "analysis/report/report.h"
#include "analysis/sums/work_text.h"
#include "base/scratch.h"
#include "base/text/format.h"

struct gap_texts { // texts shared by the rows; NULL until a row needs one
    const struct profile *profile;
    const struct selection *selection; // a copy owned by the rows
    const char **places;               // path by node of the tree
    const char **calls;                // API name by string id
};

struct gap_row {
    const struct gap_texts *texts;
    struct idle_piece piece;
};

static const struct gap_row *row_of(const void *row)
{
    return row;
}

static const struct idle_part *part_of(const void *row)
{
    return &row_of(row)->piece.part;
}

static const struct profile *profile_of(const void *row)
{
    return row_of(row)->texts->profile;
}

static struct value name_value(const void *row, string_id name)
{
    return name == STRING_NONE ? value_none() : value_text(profile_text(profile_of(row), name));
}

static struct value get_start(const void *row)
{
    return value_integer(row_of(row)->piece.from);
}

static struct value get_time(const void *row)
{
    return value_integer(row_of(row)->piece.to - row_of(row)->piece.from);
}

static struct value get_cause(const void *row)
{
    return value_text(idle_causes[part_of(row)->cause].title);
}

static struct value get_evidence(const void *row)
{
    const struct gap_texts *texts = row_of(row)->texts;
    string_id name = idle_evidence_name(texts->profile, texts->selection, part_of(row));
    return part_of(row)->kind == EVIDENCE_API ? value_text(texts->calls[name])
                                              : name_value(row, name);
}

static struct value evidence_time(const void *row, bool is_start)
{
    const struct profile *profile = profile_of(row);
    const struct {
        struct column64 start, end;
    } tables[] = {
        [EVIDENCE_API] = {profile->api.start, profile->api.end},
        [EVIDENCE_RANGE] = {profile->ranges.start, profile->ranges.end},
        [EVIDENCE_OSRT] = {profile->osrt.start, profile->osrt.end},
        [EVIDENCE_OVERHEAD] = {profile->overheads.start, profile->overheads.end},
        [EVIDENCE_WORK] = {profile->work.start, profile->work.end},
    };
    uint32_t at = part_of(row)->row;
    struct column64 start = tables[part_of(row)->kind].start, end = tables[part_of(row)->kind].end;
    if (part_of(row)->kind == EVIDENCE_NONE || at == ROW_NONE || !HAS(start))
        return value_none();
    return value_integer(is_start ? AT(start, at) : AT(end, at) - AT(start, at));
}

static struct value get_evidence_start(const void *row)
{
    return evidence_time(row, true);
}

static struct value get_evidence_time(const void *row)
{
    return evidence_time(row, false);
}

static struct value get_next(const void *row)
{
    const struct gap_texts *texts = row_of(row)->texts;
    uint32_t next = part_of(row)->next_work;
    return next == ROW_NONE
               ? value_none()
               : name_value(row, selection_name(texts->profile, texts->selection,
                                                AT(texts->profile->work.function, next)));
}

static struct value get_place(const void *row)
{
    return value_text(row_of(row)->texts->places[row_of(row)->piece.node]);
}

static struct value get_line(const void *row)
{
    const struct profile *profile = profile_of(row);
    const struct idle_part *part = part_of(row);
    uint32_t call = part->kind == EVIDENCE_API    ? part->row
                    : part->next_work == ROW_NONE ? ROW_NONE
                                                  : AT(profile->work.launch, part->next_work);
    const char *line = call_place(profile, call);
    return line ? value_text(line) : value_none();
}

static struct value get_device(const void *row)
{
    return value_integer(device_number(profile_of(row), row_of(row)->piece.device));
}

static struct value get_iteration(const void *row)
{
    const struct split *split = row_of(row)->texts->selection->split;
    uint32_t iteration = row_of(row)->piece.iteration;
    return split->method != SPLIT_NONE && iteration < split->count
               ? value_integer(split->number[iteration])
               : value_none();
}

static struct value get_thread(const void *row)
{
    const struct profile *profile = profile_of(row);
    uint32_t next = part_of(row)->next_work;
    return call_thread(profile, next == ROW_NONE ? ROW_NONE : AT(profile->work.launch, next));
}

static struct value get_inferred(const void *row)
{
    return value_state(part_of(row)->is_inferred ? STATE_YES : STATE_NO);
}

static const struct column columns[] = {
    {"start", "Start (ns)", "start", UNIT_TIME, get_start, "When it begins, by the GPU's clock.",
     0},
    {"idle", "Idle Time (ns)", "idle", UNIT_NS, get_time,
     "How long it lasts; parts of one gap follow each other.", COLUMN_BAR},
    {"iteration", "Iteration", "iter", UNIT_ID, get_iteration,
     "Iteration in which it begins, by the GPU's clock.", 0},
    {"device", "GPU", "gpu", UNIT_ID, get_device, "Number of the GPU, as in the devices report.",
     0},
    {"cause", "Cause", "cause", UNIT_TEXT, get_cause, "Why nothing runs.", COLUMN_NAME},
    {"place", "Place", "where", UNIT_TEXT, get_place,
     "Place in the op tree: of the evidence, else of the next work.", 0},
    {"evidence", "Evidence", "evidence", UNIT_TEXT, get_evidence,
     "What shows it: the call, range, OS call or overhead in which the launching thread is, or "
     "the work that is waited for.",
     0},
    {"evidence_time", "Evidence Time (ns)", "lasts", UNIT_NS, get_evidence_time,
     "How long that takes in all.", COLUMN_WIDE},
    {"next", "Next Work", "next", UNIT_TEXT, get_next, "Kernel, copy or graph that ends the gap.",
     0},
    {"thread", "Thread", "tid", UNIT_ID, get_thread, "Thread that launches the next work.",
     COLUMN_WIDE},
    {"inferred", "Inferred", "inferred", UNIT_STATE, get_inferred,
     "Whether the cause follows from what usually is so, not from a row that says it.",
     COLUMN_WIDE},
    {"evidence_start", "Evidence Start (ns)", "since", UNIT_TIME, get_evidence_start,
     "When the evidence begins, by its own clock.", COLUMN_DETAIL},
    {"source_line", "Source Line", "line", UNIT_TEXT, get_line,
     "Line of the program that the evidence comes from where it is a call, else the launch of the "
     "next work: as in the launches report.",
     COLUMN_DETAIL},
};

// ---- building ----------------------------------------------------------------------------------

struct idle_gaps_builder {
    struct gap_texts *texts;
    struct arena *arena;
    struct gap_row *rows; // NULL during the counting pass
    size_t count;
};

static void count_piece(void *context, const struct idle_piece *piece)
{
    (void)piece;
    ((struct idle_gaps_builder *)context)->count++;
}

static void add_piece(void *context, const struct idle_piece *piece)
{
    struct idle_gaps_builder *builder = context;
    struct gap_texts *texts = builder->texts;
    const struct profile *profile = texts->profile;
    builder->rows[builder->count++] = (struct gap_row){texts, *piece};
    if (!texts->places[piece->node])
        texts->places[piece->node] = node_path_text(
            profile, selection_tree(profile, texts->selection), piece->node, builder->arena);
    string_id name = idle_evidence_name(profile, texts->selection, &piece->part);
    if (piece->part.kind == EVIDENCE_API && !texts->calls[name])
        texts->calls[name] = idle_evidence_text(profile, EVIDENCE_API, name, builder->arena);
}

static void build_body(void *context, struct arena *scratch)
{
    struct idle_gaps_builder *builder = context;
    const struct profile *profile = builder->texts->profile;
    const struct selection *selection = builder->texts->selection;
    const struct idle *idle = idle_of(profile, selection, scratch);
    idle_each(profile, selection, idle, count_piece, builder);
    builder->rows = ARENA_ARRAY(builder->arena, struct gap_row, builder->count + 1);
    builder->count = 0;
    idle_each(profile, selection, idle, add_piece, builder);
}

static struct rows build(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    if (profile->stage < STAGE_READY || profile->work.count == 0)
        return (struct rows){.empty = work_empty_text(profile)};
    const char *outside = idle_outside_text(profile, selection, arena);
    if (outside)
        return (struct rows){.empty = outside};
    struct gap_texts *texts = ARENA_NEW(arena, struct gap_texts);
    struct selection *copy = ARENA_NEW(arena, struct selection);
    *copy = *selection;
    *texts = (struct gap_texts){
        .profile = profile,
        .selection = copy,
        .places =
            ARENA_ARRAY(arena, const char *, (size_t)selection_tree(profile, selection)->count + 1),
        .calls = ARENA_ARRAY(arena, const char *, (size_t)strings_count(profile->strings) + 1),
    };
    struct idle_gaps_builder builder = {.texts = texts, .arena = arena};
    scratch_run(arena, build_body, &builder);
    if (builder.count == 0)
        return (struct rows){.empty = "No GPU is idle in what is selected."};
    char text[FORMAT_SIZE];
    return (struct rows){
        .items = builder.rows,
        .count = builder.count,
        .caption =
            arena_format(arena, "%s of idle time", format_counted(text, builder.count, "stretch")),
    };
}

static uint64_t row_id(const void *row)
{
    const struct idle_piece *piece = &row_of(row)->piece;
    return (uint64_t)piece->from * 64 + piece->device;
}

// Opens the rows of the evidence. If the evidence is the launch of the next work, opens the
// launches of its function.
static const char *row_narrow(const struct profile *profile, const void *row,
                              struct selection *selection)
{
    const struct idle_part *part = part_of(row);
    bool is_launch = part->kind == EVIDENCE_API && part->next_work != ROW_NONE &&
                     part->row == AT(profile->work.launch, part->next_work);
    selection->idle_cause = ROW_NONE;
    if (part->kind == EVIDENCE_API && !is_launch) {
        selection->api_name = AT(profile->api.name, part->row);
        return "api";
    }
    if (part->kind == EVIDENCE_RANGE) {
        selection->range_name = range_name(&profile->ranges, part->row);
        return "ranges";
    }
    uint32_t work = part->kind == EVIDENCE_WORK ? part->row : part->next_work;
    if (work == ROW_NONE)
        return NULL;
    selection->function = AT(profile->work.function, work);
    return "launches";
}

static bool row_place(const struct profile *profile, const struct selection *selection,
                      const void *row, struct row_place *place, struct arena *arena)
{
    (void)profile, (void)selection, (void)arena;
    const struct idle_piece *piece = &row_of(row)->piece;
    *place = (struct row_place){PLACE_GAP, piece->device, piece->from, piece->to, 1};
    return true;
}

const struct report report_idle_gaps = {
    .name = "idle_gaps",
    .title = "Idle time one by one",
    .doc = "Every stretch in which nothing runs on a GPU, in order of time on each GPU, with its "
           "cause and what shows it.",
    .row_size = sizeof(struct gap_row),
    .column_count = sizeof columns / sizeof *columns,
    .columns = columns,
    .is_timed = true,
    .build = build,
    .sort = "-idle",
    .id = row_id,
    .narrow = row_narrow,
    .place = row_place,
};
