// SPDX-License-Identifier: Apache-2.0
// PyProf's table: one row per kernel with the op that launched it. Columns and words are PyProf's;
// the values follow the markers and do not repeat PyProf's heuristics.
#include <string.h>

#include "analysis/op_runs/op_figures.h"
#include "analysis/op_runs/pyprof_words.h"
#include "analysis/report/report.h"
#include "analysis/sums/launch_texts.h"
#include "analysis/sums/selected_work.h"
#include "analysis/sums/work_text.h"
#include "base/scratch.h"
#include "base/sort.h"
#include "base/text/format.h"
#include "model/markers/markers.h"

struct pyprof_texts { // shared by all rows
    const struct profile *profile;
    const struct op_calls *calls;
    const struct op_figures *figures;
    const char **kernels;         // by function
    const char **tensor_cores;    // by function
    const char **grids, **blocks; // by launch shape
    const char **traces;          // by marker
    struct demangler *demangler;
    struct formula_evaluator *desk;
};

struct pyprof_row {
    const struct pyprof_texts *texts;
    uint32_t work;
    uint32_t index;         // position by start, from 1
    uint32_t sub;           // index within its op run, see number_kernels()
    const char *other_seqs; // or NULL
};

static const struct pyprof_row *row_of(const void *row)
{
    return row;
}

static const struct profile *profile_of(const void *row)
{
    return row_of(row)->texts->profile;
}

static uint32_t work_of(const void *row)
{
    return row_of(row)->work;
}

static struct op_launch launch_of(const void *row)
{
    return op_launch_at(row_of(row)->texts->calls, row_of(row)->work);
}

static bool call_of(const void *row, struct op_call *call) // returns false if no op is known
{
    const struct op_calls *calls = row_of(row)->texts->calls;
    uint32_t at = AT(calls->launches[LAUNCH_CALL], row_of(row)->work);
    if (at != ROW_NONE)
        *call = op_call_at(calls, at);
    return at != ROW_NONE;
}

static uint32_t function_of(const void *row)
{
    return AT(profile_of(row)->work.function, row_of(row)->work);
}

static uint32_t api_of(const void *row)
{
    const struct gpu_work *work = &profile_of(row)->work;
    return HAS(work->launch) ? AT(work->launch, row_of(row)->work) : ROW_NONE;
}

static struct value get_index(const void *row)
{
    return value_integer(row_of(row)->index);
}

static struct value get_seq(const void *row)
{
    int64_t seq = op_launch_seq(profile_of(row), row_of(row)->texts->calls, row_of(row)->work);
    return seq == SEQ_NONE ? value_none() : value_integer(seq);
}

static struct value get_other_seqs(const void *row)
{
    return value_text(row_of(row)->other_seqs);
}

static struct value get_thread(const void *row)
{
    return call_thread(profile_of(row), api_of(row));
}

static struct value get_layer(const void *row)
{
    struct op_call call;
    return call_of(row, &call) ? value_text(row_of(row)->texts->calls->layers[call.layer])
                               : value_none();
}

static struct value get_trace(const void *row)
{
    struct op_call call;
    if (!call_of(row, &call) || call.trace == ROW_NONE)
        return value_none();
    const struct profile *profile = profile_of(row);
    const char *trace =
        row_of(row)->texts->traces[range_label(&profile->ranges, call.trace)->marker];
    return trace && *trace ? value_text(trace) : value_none();
}

static struct value get_phase(const void *row)
{
    enum phase phase = launch_of(row).phase;
    return phase == PHASE_UNKNOWN ? value_none() : value_text(phase_names[phase]);
}

static struct value get_pyprof_direction(const void *row)
{
    return value_text(phase_names[launch_of(row).pyprof_bprop ? PHASE_BPROP : PHASE_FPROP]);
}

static struct value get_sub(const void *row)
{
    return value_integer(row_of(row)->sub);
}

static const struct marker *op_of(const void *row) // NULL if no op is known
{
    struct op_call call;
    return call_of(row, &call) ? range_marker(profile_of(row), call.op) : NULL;
}

// Returns the innermost range that contains the launch, or ROW_NONE.
static uint32_t range_of(const void *row)
{
    const struct api_calls *api = &profile_of(row)->api;
    return api_of(row) == ROW_NONE || !HAS(api->range) ? ROW_NONE : AT(api->range, api_of(row));
}

static struct value get_module(const void *row)
{
    const struct marker *op = op_of(row);
    bool has_module = op && op->dialect == DIALECT_DLPROF && op->module != STRING_NONE;
    return value_text(has_module ? profile_text(profile_of(row), op->module) : "na");
}

static const char *kernel_of(const void *row)
{
    return row_of(row)->texts->kernels[function_of(row)];
}

// Returns the kernel's share of the FLOPs and bytes of its op run, or NULL if no op is known.
static const struct formula_share *share_of(const void *row)
{
    const struct op_figure *figure = op_figure_of(row_of(row)->texts->figures, row_of(row)->work);
    return figure ? figure->share : NULL;
}

static struct value get_op(const void *row)
{
    const struct marker *op = op_of(row);
    const struct profile *profile = profile_of(row);
    if (!op)
        return range_of(row) == ROW_NONE
                   ? value_none()
                   : value_text(profile_text(profile, range_name(&profile->ranges, range_of(row))));
    if (share_of(row)->op)
        return value_text(share_of(row)->op);
    const char *name = profile_text(profile, op->dialect == DIALECT_DLPROF ? op->type : op->text);
    const char *node = op->kind == MARKER_ENGINE ? strstr(name, ": ") : NULL;
    return value_text(node ? node + 2 : name);
}

static struct value get_params(const void *row)
{
    return value_text(share_of(row) ? share_of(row)->params : "na=na,");
}

static struct value get_flops(const void *row)
{
    return share_of(row) ? op_figure_value(share_of(row)->flops) : value_none();
}

static struct value get_bytes(const void *row)
{
    return share_of(row) ? op_figure_value(share_of(row)->bytes) : value_none();
}

static const struct formula_result *answer_of(const void *row) // NULL if no op is known
{
    const struct op_figure *figure = op_figure_of(row_of(row)->texts->figures, row_of(row)->work);
    return figure ? figure->answer : NULL;
}

static struct value get_run_flops(const void *row)
{
    const struct op_figure *figure = op_figure_of(row_of(row)->texts->figures, work_of(row));
    return figure ? op_figure_value(op_figure_executed_flops(figure)) : value_none();
}

static struct value get_rule(const void *row)
{
    return answer_of(row) ? value_text(answer_of(row)->rule) : value_none();
}

static struct value get_note(const void *row)
{
    const struct formula_result *answer = answer_of(row);
    if (!answer || !answer->rule)
        return value_none();
    return value_text(op_figure_note(answer->is_autotuned, answer->is_guess, false));
}

static struct value get_kernel(const void *row)
{
    return value_text(kernel_of(row));
}

static struct value get_duration(const void *row)
{
    return value_integer(work_duration(profile_of(row), row_of(row)->work));
}

static struct value get_tensor_core(const void *row)
{
    return value_text(row_of(row)->texts->tensor_cores[function_of(row)]);
}

static struct value get_pyprof_tensor_core(const void *row)
{
    const struct profile *profile = profile_of(row);
    uint32_t marker = launch_of(row).argument;
    return value_text(pyprof_tensor_core(
        profile, marker == ROW_NONE ? NULL : &profile->markers[marker], kernel_of(row)));
}

static struct value get_device(const void *row)
{
    return value_integer(
        device_number(profile_of(row), work_device(profile_of(row), row_of(row)->work)));
}

static struct value get_stream(const void *row)
{
    const struct profile *profile = profile_of(row);
    return value_integer(profile->streams[AT(profile->work.stream, row_of(row)->work)].stream_id);
}

static struct value shape_text(const void *row, const char *const *texts)
{
    const struct profile *profile = profile_of(row);
    return work_launch_shape(profile, row_of(row)->work)
               ? value_text(texts[AT(profile->work.shape, row_of(row)->work)])
               : value_none();
}

static struct value get_grid(const void *row)
{
    return shape_text(row, row_of(row)->texts->grids);
}

static struct value get_block(const void *row)
{
    return shape_text(row, row_of(row)->texts->blocks);
}

static struct value get_why_not(const void *row)
{
    return value_text(
        op_launch_unknown_reason(profile_of(row), row_of(row)->texts->calls, row_of(row)->work));
}

static struct value get_forward(const void *row)
{
    struct op_call call;
    if (!call_of(row, &call) || call.forward == ROW_NONE)
        return value_none();
    const struct op_calls *calls = row_of(row)->texts->calls;
    uint32_t range = AT(calls->calls[CALL_RANGE], call.forward);
    return value_integer(AT(profile_of(row)->ranges.start, range));
}

// clang-format off
static const struct column columns[] = {
    {.key = "idx", .title = "Idx", .head = "idx", .unit = UNIT_ID, .get = get_index,
     .doc = "Number of the kernel, in order of the start on the GPU, among those selected."},
    {.key = "seq", .title = "SeqId", .head = "seq", .unit = UNIT_ID, .get = get_seq,
     .doc = "Number by which autograd ties forward and backward: of a backward that of its node; "
      "else that "
            "which some backward has, or that of the innermost range. PyProf's depends on the "
            "kernels before."},
    {.key = "altseq", .title = "AltSeqId", .head = "alt", .unit = UNIT_TEXT, .get = get_other_seqs,
     .doc = "Other numbers of the ranges around the launch.", .flags = COLUMN_WIDE},
    {.key = "tid", .title = "TId", .head = "tid", .unit = UNIT_ID, .get = get_thread,
     .doc = "Thread that launched it.", .flags = COLUMN_DETAIL},
    {.key = "layer", .title = "Layer", .head = "layer", .unit = UNIT_TEXT, .get = get_layer,
     .doc = "Layers around the launch, outermost first; of a backward those of its forward.",
     .flags = COLUMN_WIDE | COLUMN_IDENTIFIES},
    {.key = "trace", .title = "Trace", .head = "trace", .unit = UNIT_TEXT, .get = get_trace,
     .doc = "The program's lines that led there, outermost first; of a backward those of its "
      "forward.",
     .flags = COLUMN_WIDE},
    {.key = "dir", .title = "Direction", .head = "dir", .unit = UNIT_TEXT, .get = get_phase,
     .doc = "fprop; bprop: below a node of the backward graph or its engine, on a thread where "
      "only these "
            "run, or where the file says so (a database of DLProf, JAX); optim: below an "
            "optimizer; recompute: "
            "a forward within the backward of a checkpoint or, of one that is not reentrant, run "
            "again in the node "
            "that needs it. Unknown where no range says.",
     .flags = COLUMN_IDENTIFIES},
    {.key = "sub", .title = "Sub", .head = "sub", .unit = UNIT_ID, .get = get_sub,
     .doc = "The how-manieth kernel of its run of the op with that number, from 0; of RNN cells "
      "of the run. 0 where nothing is numbered.",
     .flags = COLUMN_WIDE},
    {.key = "mod", .title = "Module", .head = "module", .unit = UNIT_TEXT, .get = get_module,
     .doc = "Module of the op, na: its range tells none.", .flags = COLUMN_WIDE},
    {.key = "op", .title = "Op", .head = "op", .unit = UNIT_TEXT, .get = get_op,
     .doc = "The op that launched it, of a backward that of its forward: PyProf's marker, the "
      "outermost that "
            "is more than a shell around ops; else PyTorch's own range. What adds the bias of a "
            "linear "
            "layer is called bias. Where none is known it is the range around the launch, and "
            "column why says so.",
     .flags = COLUMN_IDENTIFIES},
    {.key = "kernel", .title = "Kernel", .head = "kernel", .unit = UNIT_TEXT, .get = get_kernel,
     .doc = "Name of the kernel as PyProf shortens it.", .flags = COLUMN_NAME},
    {.key = "params", .title = "Params", .head = "params", .unit = UNIT_TEXT, .get = get_params,
     .doc = "Shapes and type of the op, as PyProf writes them.", .flags = COLUMN_WIDE},
    {.key = "sil", .title = "Sil(ns)", .head = "sil", .unit = UNIT_NS, .get = get_duration,
     .doc = "Silicon time: how long it ran on the GPU.", .flags = COLUMN_BAR},
    {.key = "tc", .title = "TC", .head = "TC", .unit = UNIT_TEXT, .get = get_tensor_core,
     .doc = "Tensor Cores: 1 used, 0 a matrix product or convolution that does not use them, - "
      "another "
            "kernel, ? unknown; by the full name, kernels.yaml and formulas.yaml."},
    {.key = "device", .title = "Device", .head = "gpu", .unit = UNIT_ID, .get = get_device,
     .doc = "Number of the GPU, as in the devices report.", .flags = COLUMN_WIDE},
    {.key = "stream", .title = "Stream", .head = "stream", .unit = UNIT_ID, .get = get_stream,
     .doc = "CUDA stream.", .flags = COLUMN_WIDE},
    {.key = "grid", .title = "Grid", .head = "grid", .unit = UNIT_TEXT, .get = get_grid,
     .doc = "Blocks in x, y and z.", .flags = COLUMN_WIDE},
    {.key = "block", .title = "Block", .head = "block", .unit = UNIT_TEXT, .get = get_block,
     .doc = "Threads of a block in x, y and z.", .flags = COLUMN_WIDE},
    {.key = "flops", .title = "FLOPs", .head = "FLOPs", .unit = UNIT_COUNT, .get = get_flops,
     .doc = "Operations of the run of the op, which its main kernel has: those that only help "
      "have 0, and "
            "of algorithms that were tried the last has them. By the formula that column formula "
            "names.",
     .flags = COLUMN_WIDE},
    {.key = "bytes", .title = "Bytes", .head = "bytes", .unit = UNIT_BYTES, .get = get_bytes,
     .doc = "Bytes that the run of the op reads and writes at least, by the same formula.",
     .flags = COLUMN_WIDE},
    {.key = "run_flops", .title = "FLOPs Run", .head = "run", .unit = UNIT_COUNT,
     .get = get_run_flops,
     .doc = "Of the FLOPs those that are run: half of them in an attention below a causal mask, "
      "or below one "
            "that may be causal. By these roofline and mfu go.", .flags = COLUMN_DETAIL},
    {.key = "formula", .title = "Formula", .head = "formula", .unit = UNIT_TEXT, .get = get_rule,
     .doc = "Row of formulas.yaml by which FLOPs and bytes are found; {:explain} on them shows it, "
            "--list=formulas all.",
     .flags = COLUMN_DETAIL},
    {.key = "note", .title = "Note", .head = "note", .unit = UNIT_TEXT, .get = get_note,
     .doc = "Of FLOPs and bytes: guess, where the file does not tell all that they rest on "
      "(mostly the "
            "data type); tried, where several algorithms ran and only the last counts.",
     .flags = COLUMN_DETAIL | COLUMN_MARK},
    {.key = "pyprof_tc", .title = "PyProf TC", .head = "PyProf TC", .unit = UNIT_TEXT,
     .get = get_pyprof_tensor_core,
     .doc = "TC as PyProf has it: by a list of short names that ends with Turing, na without its "
      "marker.",
     .flags = COLUMN_DETAIL},
    {.key = "pyprof_dir", .title = "PyProf Direction", .head = "PyProf dir", .unit = UNIT_TEXT,
     .get = get_pyprof_direction,
     .doc = "Direction as PyProf has it: bprop below a numbered range whose name ends in Backward "
      "or "
            "Backward0, else fprop.",
     .flags = COLUMN_DETAIL},
    {.key = "forward", .title = "Forward Start (ns)", .head = "forward", .unit = UNIT_TIME,
     .get = get_forward, .doc = "When the run of the op began whose backward this is.",
     .flags = COLUMN_DETAIL},
    {.key = "why", .title = "Why No Op", .head = "why no op", .unit = UNIT_TEXT, .get = get_why_not,
     .doc = "Why no op is known.", .flags = COLUMN_DETAIL | COLUMN_SENTENCE},
};
// clang-format on

static const char *triple_text(const int32_t dims[3], struct arena *arena) // NULL if unknown
{
    return dims[0] < 0 ? NULL : arena_format(arena, "%d,%d,%d", dims[0], dims[1], dims[2]);
}

// Formats the texts of a kernel, unless an earlier row has done so.
static void add_texts(struct pyprof_texts *texts, uint32_t work, struct arena *arena)
{
    const struct profile *profile = texts->profile;
    uint32_t function = AT(profile->work.function, work);
    if (!texts->kernels[function]) {
        const struct function *row = &profile->functions[function];
        texts->kernels[function] =
            pyprof_kernel_name(profile_text(profile, row->full), texts->demangler, arena);
        texts->tensor_cores[function] =
            tensor_core_word(row, formula_is_product(texts->desk, function));
    }
    const struct launch_shape *shape = work_launch_shape(profile, work);
    if (shape && !texts->grids[AT(profile->work.shape, work)]) {
        texts->grids[AT(profile->work.shape, work)] = triple_text(shape->grid, arena);
        texts->blocks[AT(profile->work.shape, work)] = triple_text(shape->block, arena);
    }
    uint32_t call = AT(texts->calls->launches[LAUNCH_CALL], work);
    uint32_t trace = call == ROW_NONE ? ROW_NONE : AT(texts->calls->calls[CALL_TRACE], call);
    uint32_t marker = trace == ROW_NONE ? ROW_NONE : range_label(&profile->ranges, trace)->marker;
    if (marker != ROW_NONE && !texts->traces[marker])
        texts->traces[marker] =
            pyprof_trace(profile_text(profile, profile->markers[marker].stack), arena);
}

static bool is_rnn_cell(const struct profile *profile, const struct op_call *call)
{
    const struct marker *op = range_marker(profile, call->op);
    const char *module = profile_text(profile, op->module);
    size_t length = strlen(module);
    return op->dialect == DIALECT_DLPROF && length > 4 && strcmp(module + length - 4, "Cell") == 0;
}

// Returns, by work row, the 0-based index of the kernel within its op run: among consecutive
// kernels with the same sequence number and, in a backward, the same node; for an RNN cell among
// all kernels of the run. Kernels without a number have index 0.
static uint32_t *number_kernels(const struct pyprof_texts *texts, struct arena *arena)
{
    const struct op_calls *calls = texts->calls;
    uint32_t *subs = ARENA_ARRAY(arena, uint32_t, texts->profile->work.count + 1);
    for (uint32_t i = 0; i < calls->count; i++) {
        struct op_call call = op_call_at(calls, i);
        bool is_cell = is_rnn_cell(texts->profile, &call), is_backward = call.phase == PHASE_BPROP;
        int64_t last_seq = SEQ_NONE;
        string_id last_name = STRING_NONE;
        uint32_t sub = 0;
        for (uint32_t n = 0; n < call.work_count; n++) {
            uint32_t work = AT(calls->work, call.first_work + n);
            int64_t seq = op_launch_seq(texts->profile, calls, work);
            string_id name =
                AT(calls->numbers[NUMBER_NAME], AT(calls->launches[LAUNCH_NUMBER], work));
            bool is_next = seq == last_seq && (!is_backward || name == last_name);
            sub = n && seq != SEQ_NONE && (is_cell || is_next) ? sub + 1 : 0;
            last_seq = seq;
            last_name = name;
            subs[work] = sub;
        }
    }
    return subs;
}

static struct pyprof_texts *texts_new(const struct profile *profile,
                                      const struct selection *selection, struct arena *arena)
{
    struct pyprof_texts *texts = ARENA_NEW(arena, struct pyprof_texts);
    *texts = (struct pyprof_texts){
        .profile = profile,
        .calls = op_calls_find(profile, selection, arena),
        .figures = op_figures_find(profile, selection, arena),
        .kernels = ARENA_ARRAY(arena, const char *, profile->function_count + 1),
        .grids = ARENA_ARRAY(arena, const char *, profile->shape_count + 1),
        .blocks = ARENA_ARRAY(arena, const char *, profile->shape_count + 1),
        .traces = ARENA_ARRAY(arena, const char *, profile->marker_count + 1),
        .tensor_cores = ARENA_ARRAY(arena, const char *, profile->function_count + 1),
        .demangler = ARENA_NEW(arena, struct demangler),
        .desk = formula_evaluator_new(profile, arena),
    };
    return texts;
}

// Returns the selected kernels, by start.
static struct work_list selected_kernels(const struct profile *profile,
                                         const struct selection *selection, struct arena *arena)
{
    struct work_list list = selected_work(profile, selection, arena);
    uint32_t count = 0;
    int64_t *starts = ARENA_ARRAY(arena, int64_t, list.count + 1);
    for (uint32_t i = 0; i < list.count; i++) {
        uint32_t work = list.rows[i];
        if (profile->functions[AT(profile->work.function, work)].kind != WORK_KERNEL)
            continue;
        starts[count] = AT(profile->work.start, work);
        list.rows[count++] = work;
    }
    uint32_t *order = sort_by_time(arena, starts, NULL, count);
    for (uint32_t i = 0; i < count; i++)
        order[i] = list.rows[order[i]];
    return (struct work_list){order, count};
}

static const char *caption_of(uint32_t count, uint32_t known, uint32_t tried, struct arena *arena)
{
    char all[FORMAT_SIZE], left[FORMAT_SIZE];
    format_counted(all, count, "kernel");
    format_count(left, known);
    const char *of = known == count ? "each" : known == 0 ? "none" : left;
    const char *text = arena_format(arena, "%s, of %s the op is known", all, of);
    format_count(left, tried);
    return tried ? arena_format(arena, "%s; %s in runs that tried algorithms", text, left) : text;
}

struct pyprof_builder {
    const struct profile *profile;
    const struct selection *selection;
    struct arena *arena; // holds the rows
    struct pyprof_row *rows;
    uint32_t count, known, tried;
};

static void build_body(void *context, struct arena *scratch)
{
    struct pyprof_builder *builder = context;
    const struct profile *profile = builder->profile;
    struct work_list list = selected_kernels(profile, builder->selection, scratch);
    builder->count = list.count;
    if (list.count == 0)
        return;
    struct pyprof_texts *texts = texts_new(profile, builder->selection, builder->arena);
    const uint32_t *subs = number_kernels(texts, scratch);
    builder->rows = ARENA_ARRAY(builder->arena, struct pyprof_row, list.count);
    for (uint32_t i = 0; i < list.count; i++) {
        uint32_t work = list.rows[i];
        char others[OP_NUMBERS_SIZE];
        op_launch_other_seqs(profile, texts->calls, work, others);
        add_texts(texts, work, builder->arena);
        builder->rows[i] = (struct pyprof_row){texts, work, i + 1, subs[work],
                                               *others ? arena_text(builder->arena, others) : NULL};
        const struct op_figure *figure = op_figure_of(texts->figures, work);
        builder->known += figure != NULL;
        builder->tried += figure && figure->answer->is_autotuned;
    }
}

static struct rows build(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    struct pyprof_builder builder = {.profile = profile, .selection = selection, .arena = arena};
    scratch_run(arena, build_body, &builder);
    if (builder.count == 0)
        return (struct rows){.empty = kernels_empty_text(profile)};
    return (struct rows){.items = builder.rows,
                         .count = builder.count,
                         .caption = caption_of(builder.count, builder.known, builder.tried, arena)};
}

// Explains the columns that depend on formulas.
static const char *explain(const void *row, const struct column *column, struct arena *arena)
{
    static const char *const keys[] = {"params", "flops", "run_flops", "bytes", "formula", "note"};
    const struct op_figure *figure = op_figure_of(row_of(row)->texts->figures, work_of(row));
    for (size_t i = 0; figure && i < sizeof keys / sizeof *keys; i++)
        if (strcmp(column->key, keys[i]) == 0)
            return op_figure_text(figure, arena);
    return "";
}

static uint64_t row_id(const void *row)
{
    return row_of(row)->work;
}

const struct report report_pyprof = {
    .name = "pyprof",
    .title = "Kernels with their ops",
    .doc = "PyProf's table: each kernel with the op that launched it, its direction, layer and "
           "numbers. "
           "Columns are PyProf's; where PyProf was wrong they are right.",
    .row_size = sizeof(struct pyprof_row),
    .column_count = sizeof columns / sizeof *columns,
    .columns = columns,
    .is_work = true,
    .covers_all_steps = true,
    .build = build,
    .id = row_id,
    .work = work_of,
    .explain = explain,
};
