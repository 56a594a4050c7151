// SPDX-License-Identifier: Apache-2.0
//
// Sums up the rows as they are written, and prints the sums as tab-separated lines. A step has two
// times: on the host as its program reports it, and on a GPU from its first work to its last.
#include "truth.h"

#include "fail.h"
#include "problems.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    int64_t kernels, kernel_ns;
    int64_t first_ns, last_ns;
    bool is_main; // first_ns is from the compute stream; copies on other streams run ahead
} StepOnGpu;

typedef struct {
    int rank, step;
    int64_t start_ns, end_ns;
} HostStep;

typedef struct {
    int64_t kernels, ns;
} Sum;

struct Truth {
    World *world;
    Sum *names; // by the StringIds id of the full name
    size_t name_count;
    Sum *layers;
    size_t layer_count;
    Sum classes[3];
    StepOnGpu *steps; // [gpu * step_capacity + step]
    int step_capacity;
    HostStep *host_steps;
    size_t host_count, host_capacity;
};

Truth *truth_make(World *world)
{
    Truth *truth = memory_grow(NULL, sizeof *truth);
    memset(truth, 0, sizeof *truth);
    truth->world = world;
    return truth;
}

static Sum *sum_at(Sum **sums, size_t *count, size_t index)
{
    if (index >= *count) {
        size_t wanted = index * 2 + 16;
        *sums = memory_grow(*sums, wanted * sizeof **sums);
        memset(*sums + *count, 0, (wanted - *count) * sizeof **sums);
        *count = wanted;
    }
    return &(*sums)[index];
}

static void sum_add(Sum *sum, int64_t ns)
{
    sum->kernels++;
    sum->ns += ns;
}

static StepOnGpu *step_at(Truth *truth, int64_t gpu, int64_t step)
{
    int gpus = truth->world->rank_count;
    if (step >= truth->step_capacity) {
        int capacity = (int)step * 2 + 32;
        StepOnGpu *steps = memory_grow(NULL, (size_t)(gpus * capacity) * sizeof *steps);
        memset(steps, 0, (size_t)(gpus * capacity) * sizeof *steps);
        for (int i = 0; i < gpus && truth->step_capacity; i++)
            memcpy(steps + (size_t)i * (size_t)capacity,
                   truth->steps + (size_t)i * (size_t)truth->step_capacity,
                   (size_t)truth->step_capacity * sizeof *steps);
        free(truth->steps);
        truth->steps = steps;
        truth->step_capacity = capacity;
    }
    return &truth->steps[gpu * truth->step_capacity + step];
}

void truth_row(void *context, TableId table, const int64_t *row)
{
    Truth *truth = context;
    if (table != TABLE_KERNEL && table != TABLE_MEMCPY && table != TABLE_MEMSET &&
        table != TABLE_GRAPH_TRACE)
        return;
    if (row[ROW_STEP] >= 0) {
        StepOnGpu *step = step_at(truth, row[ROW_GPU], row[ROW_STEP]);
        const Rank *rank = &truth->world->ranks[row[ROW_GPU]];
        bool is_main = row[ROW_STREAM] == rank->device.compute.id;
        if (step->first_ns == 0 || is_main > step->is_main ||
            (is_main == step->is_main && row[ROW_START] < step->first_ns))
            step->first_ns = row[ROW_START];
        step->is_main |= is_main;
        if (row[ROW_END] > step->last_ns)
            step->last_ns = row[ROW_END];
        if (table == TABLE_KERNEL) {
            step->kernels++;
            step->kernel_ns += row[ROW_END] - row[ROW_START];
        }
    }
    if (table != TABLE_KERNEL)
        return;
    int64_t ns = row[ROW_END] - row[ROW_START];
    sum_add(sum_at(&truth->names, &truth->name_count, (size_t)row[ROW_NAME]), ns);
    sum_add(&truth->classes[row[ROW_CLASS]], ns);
    if (row[ROW_LAYER] >= 0)
        sum_add(sum_at(&truth->layers, &truth->layer_count, (size_t)row[ROW_LAYER]), ns);
}

void truth_step(Truth *truth, const Rank *rank, int64_t start_ns, int64_t end_ns)
{
    if (truth->host_count == truth->host_capacity) {
        truth->host_capacity = truth->host_capacity ? truth->host_capacity * 2 : 64;
        truth->host_steps =
            memory_grow(truth->host_steps, truth->host_capacity * sizeof *truth->host_steps);
    }
    truth->host_steps[truth->host_count++] = (HostStep){rank->index, rank->step, start_ns, end_ns};
}

static void print_kernels(const Truth *truth, FILE *out)
{
    const World *world = truth->world;
    for (int id = 0; id < K_COUNT; id++) {
        int64_t name = world->kernel_names[id][0];
        if (name < 0 || (size_t)name >= truth->name_count || !truth->names[name].kernels)
            continue;
        const KernelSpec *spec = kernel_spec((KernelId)id);
        fprintf(out, "kernel\t%lld\t%lld\t%s\t%s\n", (long long)truth->names[name].kernels,
                (long long)truth->names[name].ns,
                spec->kind == CLASS_TENSOR ? "tensor"
                : spec->kind == CLASS_COMM ? "comm"
                                           : "other",
                spec->full_name ? spec->full_name : spec->short_name);
    }
}

void truth_print(const Truth *truth, FILE *out)
{
    static const char *const classes[] = {"other", "tensor", "comm"};
    const World *world = truth->world;
    fprintf(out, "scenario\t%s\tseed\t%llu\tschema\t%s\n", world->scenario->name,
            (unsigned long long)world->options.seed, schema_infos[world->options.schema].key);
    fprintf(out, "processes\t%d\ngpus\t%d\n", world->process_count, world->rank_count);
    for (int i = 0; i < PROBLEM_COUNT; i++)
        if (world->options.problems[i] != PLANTED_NOT)
            fprintf(out, "plant\t%s%s\n", problems[i]->name,
                    planted_names[world->options.problems[i]]);
    for (int id = 0; id < TABLE_COUNT; id++)
        fprintf(out, "rows\t%s\t%llu\n", schema_tables[id].name,
                (unsigned long long)writer_rows(world->writer, (TableId)id));
    fprintf(out, "rows\tCUDA_CALLCHAINS\t%d\n", world->chain_rows);
    for (int i = 0; i < 3; i++)
        fprintf(out, "class\t%s\t%lld\t%lld\n", classes[i], (long long)truth->classes[i].kernels,
                (long long)truth->classes[i].ns);
    print_kernels(truth, out);
    for (size_t i = 0; i < truth->layer_count; i++)
        if (truth->layers[i].kernels)
            fprintf(out, "layer\t%s\t%lld\t%lld\n", world->layers[i],
                    (long long)truth->layers[i].kernels, (long long)truth->layers[i].ns);
    for (size_t i = 0; i < truth->host_count; i++) {
        const HostStep *host = &truth->host_steps[i];
        fprintf(out, "step\trank\t%d\t%d\t%lld\t%lld", host->rank, host->step,
                (long long)host->start_ns, (long long)host->end_ns);
        const StepOnGpu none = {0};
        const StepOnGpu *gpu = host->step < truth->step_capacity
                                   ? &truth->steps[host->rank * truth->step_capacity + host->step]
                                   : &none;
        fprintf(out, "\t%lld\t%lld\t%lld\t%lld\n", (long long)gpu->first_ns,
                (long long)gpu->last_ns, (long long)gpu->kernels, (long long)gpu->kernel_ns);
    }
}

void truth_free(Truth *truth)
{
    free(truth->names);
    free(truth->layers);
    free(truth->steps);
    free(truth->host_steps);
    free(truth);
}
