// SPDX-License-Identifier: Apache-2.0
// Shows, per step, the share of the GPUs' peak that the model needs (MFU) and how much of the work
// is covered.
#include "analysis/op_runs/mfu.h"
#include "analysis/place/row_place_find.h"
#include "analysis/report/report.h"
#include "analysis/reports/row_figures.h"

REPORT_DECLARE(mfu);

struct mfu_row {
    uint32_t iteration; // index in the split; ROW_NONE for the whole capture
    int64_t number;
    const struct step_size *size;
    const char *types; // "" if there are none
    struct mfu mfu;
};

static const struct mfu_row *row_of(const void *row)
{
    return row;
}

static const struct mfu *mfu_of(const void *row)
{
    return &row_of(row)->mfu;
}

static struct value get_number(const void *row)
{
    return value_integer(row_of(row)->number);
}

static struct value get_period(const void *row)
{
    const struct mfu *mfu = mfu_of(row);
    return mfu->gpu_ns > 0
               ? value_integer(value_whole(value_real((double)mfu->gpu_ns / mfu->gpu_steps)))
               : value_none();
}

static struct value get_mfu(const void *row)
{
    return mfu_percent(mfu_of(row));
}

static struct value get_hfu(const void *row)
{
    return mfu_hardware_percent(mfu_of(row));
}

static struct value get_least(const void *row)
{
    bool is_shown = mfu_percent(mfu_of(row)).kind != VALUE_NONE;
    return is_shown && mfu_is_lower_bound(mfu_of(row)) ? value_text("at least") : value_none();
}

static struct value get_coverage(const void *row)
{
    return mfu_coverage(mfu_of(row));
}

static struct value get_type(const void *row)
{
    return *row_of(row)->types ? value_text(row_of(row)->types) : value_none();
}

static struct value get_flops(const void *row)
{
    const struct mfu *mfu = mfu_of(row);
    return mfu->model_flops > 0 ? value_real(mfu->model_flops / mfu->gpu_steps / 1e12)
                                : value_none();
}

static struct value get_rate(const void *row) // in TFLOP/s: 1e12 per second is 1e3 per ns
{
    const struct mfu *mfu = mfu_of(row);
    return mfu->model_flops > 0 && mfu->gpu_ns > 0
               ? value_real(mfu->model_flops / (double)mfu->gpu_ns / 1e3)
               : value_none();
}

static struct value get_items(const void *row)
{
    const struct mfu *mfu = mfu_of(row);
    double items = row_of(row)->size->items;
    return items > 0 && mfu->gpu_ns > 0 ? value_real(mfu_items(mfu, items)) : value_none();
}

static struct value get_product_time(const void *row)
{
    return value_integer(mfu_of(row)->all_ns);
}

static struct value get_guess(const void *row)
{
    return mfu_of(row)->is_stated  ? value_text("stated")
           : mfu_of(row)->is_guess ? value_text("guess")
                                   : value_none();
}

// clang-format off
static const struct column columns[] = {
    {"step", "Step", "step", UNIT_ID, get_number, "Number of the step.", COLUMN_NAME},
    {"period", "GPU Period (ns)", "GPU", UNIT_NS, get_period,
     "The step's GPU period, with the wait before its first work, as in the report iterations: "
     "mean over the GPUs.", COLUMN_BAR},
    {"mfu", "MFU (% of the peak)", "MFU", UNIT_PERCENT, get_mfu,
     "Model FLOPs utilisation: the least time for the model's FLOPs over the GPU period. FLOPs "
     "are those of "
     "matrix products, convolutions and attention (half of it below a causal mask), without what "
     "is worked out "
     "anew; peaks are dense, of each kernel's data type. Unknown below 50% coverage.",
     0},
    {"hfu", "HFU (% of the peak)", "HFU", UNIT_PERCENT, get_hfu,
     "Hardware FLOPs utilisation: the same with what checkpoints and the backward of attention "
     "work out anew.",
     0},
    {"least", "At Least", "at least", UNIT_TEXT, get_least,
     "at least: the coverage is below 90%, and what is not known comes on top.", COLUMN_MARK},
    {"coverage", "Coverage (% of their kernel time)", "known", UNIT_PERCENT, get_coverage,
     "Share of the kernel time of matrix products, convolutions and attention whose FLOPs and "
     "peak are known.",
     0},
    {"type", "Data Type", "type", UNIT_TEXT, get_type,
     "The data types that the FLOPs are of, those first that need most time; each is held against "
     "its own peak.",
     COLUMN_IDENTIFIES},
    {"flops", "Model TFLOP (per step and GPU)", "TFLOP", UNIT_REAL, get_flops,
     "What the model needs for the step on one GPU, as far as it is known.", 0},
    {"flop_rate", "TFLOP/s (per GPU)", "TFLOP/s", UNIT_REAL, get_rate,
     "Model FLOPs over the GPU period.", 0},
    {"items", "Items per Second (per GPU)", "items/s", UNIT_REAL, get_items,
     "What goes through one GPU in a second: of --items-per-step, or {:items} on the screen.", 0},
    {"products", "Time of Products (ns)", "products", UNIT_NS, get_product_time,
     "Kernel time of matrix products, convolutions and attention, of all GPUs.", COLUMN_DETAIL},
    {"guess", "Guess", "guess", UNIT_TEXT, get_guess,
     "guess: rests on a data type that the file does not tell; stated: FLOPs are those of "
     "--flops-per-step.",
     COLUMN_MARK},
};
// clang-format on

static const char *why_none(const struct mfu *sum, const struct selection *selection,
                            struct arena *arena)
{
    if (sum->is_stated)
        return sum->model_ns > (double)sum->gpu_ns
                   ? "the stated FLOPs are more than these GPUs can do in that time"
                   : "no MFU: no kernel tells its data type, or the GPU's peak is unknown";
    if (selection->step_size.flops > 0)
        return "no MFU: nothing marks the steps that FLOPs were stated of";
    if (sum->all_ns == 0)
        return "no MFU: no matrix products, convolutions or attention";
    if (mfu_lacks_peak(sum))
        return "no MFU: the GPU's peak of their data type is unknown (gpus.yaml)";
    return arena_format(arena, "no MFU: FLOPs of %.0f%% of their time are known (--flops-per-step)",
                        100 * mfu_coverage(sum).real);
}

// Formats "MFU 29.1% (bf16), 97% of their time is known; 29,782 tokens/s per GPU".
static const char *caption_of(const struct mfu *sum, const struct selection *selection,
                              const struct step_size *size, struct arena *arena)
{
    const char *text = mfu_text(sum, true, arena);
    struct value coverage = mfu_coverage(sum);
    if (!*text)
        text = why_none(sum, selection, arena);
    else if (coverage.kind != VALUE_NONE)
        text = arena_format(arena, "%s, %.0f%% of their time is known", text, 100 * coverage.real);
    if (size->items > 0 && sum->gpu_ns > 0)
        text = arena_format(arena, "%s; %s", text, mfu_items_text(sum, size, arena));
    return text;
}

static struct rows build(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    const struct split *split = selection->split;
    bool has_steps = split->method != SPLIT_NONE;
    const struct mfu *items = mfu_iterations(profile, selection, arena);
    struct mfu_row *rows = ARENA_ARRAY(arena, struct mfu_row, (size_t)split->count + 1);
    struct step_size *size = ARENA_NEW(arena, struct step_size);
    struct mfu sum = {0};
    size_t count = 0;
    if (has_steps)
        *size = selection->step_size;
    for (uint32_t i = 0; i < (has_steps ? split->count : 1); i++) {
        if (has_steps && !selection_has_iteration(selection, i))
            continue;
        mfu_add(&sum, &items[i]);
        rows[count++] = (struct mfu_row){
            .iteration = has_steps ? i : ROW_NONE,
            .number = has_steps ? split->number[i] : UNKNOWN,
            .size = size,
            .types = mfu_types(&items[i], arena),
            .mfu = items[i],
        };
    }
    return (struct rows){
        .items = rows,
        .count = count,
        .caption = caption_of(&sum, selection, size, arena),
        .empty = count ? NULL : "No step is selected.",
    };
}

struct mfu mfu_of_rows(const struct rows *rows)
{
    struct mfu sum = {0};
    for (size_t i = 0; i < rows->count; i++)
        mfu_add(&sum, mfu_of(report_row(&report_mfu, rows, i)));
    return sum;
}

static uint64_t row_id(const void *row)
{
    return row_of(row)->iteration;
}

static bool row_place(const struct profile *profile, const struct selection *selection,
                      const void *row, struct row_place *place, struct arena *arena)
{
    (void)profile, (void)arena;
    return place_step(selection, row_of(row)->iteration, place);
}

const struct report report_mfu = {
    .name = "mfu",
    .title = "Model FLOPs utilisation",
    .doc = "Step by step what share of the GPUs' peak the model needs (MFU), what its kernels "
           "reach (HFU), "
           "and how much of that is known; with --flops-per-step and --items-per-step also where "
           "the file "
           "tells no shapes.",
    .row_size = sizeof(struct mfu_row),
    .column_count = sizeof columns / sizeof *columns,
    .columns = columns,
    .build = build,
    .id = row_id,
    .place = row_place,
    .is_steps = true,
    .match = row_match_any,
    .is_timed = true,
};
