// SPDX-License-Identifier: Apache-2.0
//
// dlprof-gen: makes profiles for tests, documentation and benchmarks. scenarios.c lists them.
#include "fail.h"
#include "kineto.h"
#include "meta.h"
#include "play.h"
#include "problems.h"
#include "ranks.h"
#include "truth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIST_MAX 16

typedef struct {
    const char *scenario, *path;
    const char *without[LIST_MAX], *problems[LIST_MAX];
    int without_count, problem_count;
    const char *seed, *kernels, *gpus, *processes, *steps, *markers, *graphs, *schema, *split, *log;
    bool list, list_problems, force, truth, help;
} Arguments;

static const char usage_text[] =
    "usage: dlprof-gen --list | --problems\n"
    "       dlprof-gen SCENARIO OUT.sqlite [--kernels=N] [--seed=N] [--gpus=N] [--processes=N]\n"
    "                  [--steps=N] [--markers=none|plain|layer|emit|dlprof]\n"
    "                  [--graphs=off|graph|node]\n"
    "                  [--schema=2020.3|2022.1|2023.4|2024.2|2025.1|2026.2]\n"
    "                  [--without=PROBLEM ...] [--problem=PROBLEM[:twin|:ideal] ...]\n"
    "                  [--truth] [--split=HOSTS] [--force]\n"
    "       dlprof-gen log OUT.sqlite --log=FILE [--schema=...] [--force]\n"
    "       dlprof-gen kineto OUT.json [--kernels=N] [--steps=N] [--seed=N] [--force]\n"
    "--gpus is per process. --truth prints what was planted and written, as tab-separated lines.\n"
    "--split writes a file for each rank as well, OUT.rank0.sqlite, as captured on so many "
    "machines.\n"
    "The same arguments give the same file.\n";

static const char *value_of(const char *argument, const char *name)
{
    size_t length = strlen(name);
    return strncmp(argument, name, length) == 0 && argument[length] == '=' ? argument + length + 1
                                                                           : NULL;
}

static void arguments_read(Arguments *arguments, int count, char **values)
{
    const struct {
        const char *name;
        const char **value;
    } options[] = {{"--seed", &arguments->seed},     {"--kernels", &arguments->kernels},
                   {"--gpus", &arguments->gpus},     {"--processes", &arguments->processes},
                   {"--steps", &arguments->steps},   {"--markers", &arguments->markers},
                   {"--graphs", &arguments->graphs}, {"--schema", &arguments->schema},
                   {"--split", &arguments->split},   {"--log", &arguments->log}};
    const struct {
        const char *name;
        bool *value;
    } flags[] = {{"--list", &arguments->list},
                 {"--problems", &arguments->list_problems},
                 {"--force", &arguments->force},
                 {"--truth", &arguments->truth},
                 {"--help", &arguments->help}};
    for (int i = 1; i < count; i++) {
        bool known = false;
        for (size_t k = 0; k < sizeof options / sizeof options[0]; k++) {
            const char *value = value_of(values[i], options[k].name);
            if (value) {
                *options[k].value = value;
                known = true;
            }
        }
        for (size_t k = 0; k < sizeof flags / sizeof flags[0]; k++)
            if (strcmp(values[i], flags[k].name) == 0)
                known = *flags[k].value = true;
        const char *without = value_of(values[i], "--without");
        const char *problem = value_of(values[i], "--problem");
        if (without && arguments->without_count < LIST_MAX) {
            arguments->without[arguments->without_count++] = without;
        } else if (problem && arguments->problem_count < LIST_MAX) {
            arguments->problems[arguments->problem_count++] = problem;
        } else if (!known && strncmp(values[i], "--", 2) == 0) {
            fail("unknown option %s; --help lists them", values[i]);
        } else if (!known && !arguments->scenario) {
            arguments->scenario = values[i];
        } else if (!known && !arguments->path) {
            arguments->path = values[i];
        } else if (!known) {
            fail("one argument too many: %s", values[i]);
        }
    }
}

static int64_t number_read(const char *name, const char *text, int64_t least, int64_t most)
{
    char *end;
    double value = strtod(text, &end); // accepts 1e6
    if (end == text || *end || value < (double)least || value > (double)most)
        fail("%s must be a number from %lld to %lld, not %s", name, (long long)least,
             (long long)most, text);
    return (int64_t)value;
}

static int word_read(const char *name, const char *text, const char *const *words, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(words[i], text) == 0)
            return i;
    fail("%s does not know %s; --help lists the words", name, text);
}

static void problems_read(const Arguments *arguments, const Scenario *scenario, Planted *planted)
{
    ProblemId id;
    Planted how;
    for (int i = 0; i < PROBLEM_COUNT; i++)
        planted[i] = scenario->plants >> i & 1 ? PLANTED : PLANTED_NOT;
    for (int i = 0; i < arguments->without_count; i++) {
        if (!problem_parse(arguments->without[i], &id, &how) || how != PLANTED || !planted[id])
            fail("%s has no plant %s", scenario->name, arguments->without[i]);
        planted[id] = PLANTED_NOT;
    }
    for (int i = 0; i < arguments->problem_count; i++) {
        if (scenario->program != PROGRAM_TRAINING)
            fail("problems are planted into training, which %s is not", scenario->name);
        if (!problem_parse(arguments->problems[i], &id, &how))
            fail("no problem %s; --problems lists them", arguments->problems[i]);
        planted[id] = how;
    }
}

static Options options_make(const Arguments *arguments, const Scenario *scenario)
{
    static const char *const markers[] = {"none", "plain", "layer", "emit", "dlprof"};
    static const char *const graphs[] = {"off", "graph", "node"};
    const char *schemas[SCHEMA_COUNT];
    for (int i = 0; i < SCHEMA_COUNT; i++)
        schemas[i] = schema_infos[i].key;
    Options options = {.seed = 1,
                       .steps = scenario->steps,
                       .processes = scenario->processes,
                       .gpus_per_process = scenario->gpus_per_process,
                       .markers = scenario->markers,
                       .graphs = scenario->graphs,
                       .schema = scenario->schema};
    if (arguments->seed)
        options.seed = (uint64_t)number_read("--seed", arguments->seed, 0, 1LL << 53);
    if (arguments->kernels)
        options.kernels = number_read("--kernels", arguments->kernels, 1, 1000000000);
    if (arguments->steps)
        options.steps = (int)number_read("--steps", arguments->steps, 0, 1000000);
    if (arguments->processes)
        options.processes = (int)number_read("--processes", arguments->processes, 1, TURNS_MAX);
    if (arguments->gpus)
        options.gpus_per_process = (int)number_read("--gpus", arguments->gpus, 1, 8);
    if (options.processes * options.gpus_per_process > TURNS_MAX)
        fail("more than %d GPUs", TURNS_MAX);
    if (arguments->markers)
        options.markers = (Markers)word_read("--markers", arguments->markers, markers, 5);
    if (arguments->graphs)
        options.graphs = (Graphs)word_read("--graphs", arguments->graphs, graphs, 3);
    if (arguments->schema)
        options.schema =
            (SchemaVersion)word_read("--schema", arguments->schema, schemas, SCHEMA_COUNT);
    if (options.graphs == GRAPHS_GRAPH && options.schema < schema_tables[TABLE_GRAPH_TRACE].from)
        fail("exports of %s cannot hold graphs traced as a whole",
             schema_infos[options.schema].key);
    problems_read(arguments, scenario, options.problems);
    return options;
}

static void tables_drop(Writer *writer, const Scenario *scenario)
{
    static const TableId gpu_side[] = {TABLE_KERNEL, TABLE_RUNTIME, TABLE_MEMCPY,
                                       TABLE_MEMSET, TABLE_SYNC,    TABLE_OVERHEAD};
    for (size_t i = 0; scenario->host_only && i < sizeof gpu_side / sizeof gpu_side[0]; i++)
        writer_drop_table(writer, gpu_side[i]);
    if (scenario->launches_missing)
        writer_cut_host_before(writer, INT64_MAX); // until the program sets the start of the window
}

// Prints the problems for tests: one line each, tab-separated.
static void problems_print(void)
{
    for (int i = 0; i < PROBLEM_COUNT; i++) {
        const Problem *problem = problems[i];
        printf("%s\t%s\t%s\t%s\t%s\t%s%s%s\t%s\n", problem->name,
               problem->detector ? problem->detector : "", problem->loose ? problem->loose : "",
               problem->twin ? problem->twin : "", problem->base ? problem->base : "",
               problem->has_ideal ? "i" : "", problem->against_twin ? "t" : "",
               problem->no_graph ? "g" : "", problem->description);
    }
}

static void profile_make(const Arguments *arguments, const Scenario *chosen)
{
    Scenario adjusted = *chosen;
    const Scenario *scenario = &adjusted;
    Options options = options_make(arguments, scenario);
    for (int i = 0; i < PROBLEM_COUNT; i++)
        if (options.problems[i] != PLANTED_NOT && problems[i]->configure)
            problems[i]->configure(&adjusted, &options, options.problems[i]);
    Writer *writer = writer_open(arguments->path, options.schema, arguments->force);
    tables_drop(writer, scenario);
    World *world = world_make(scenario, &options, writer);
    world->truth = truth_make(world);
    writer_watch(writer, truth_row, world->truth);
    if (scenario->program != PROGRAM_NOTHING)
        meta_ranges(world);
    if (arguments->log)
        play_run(world, arguments->log);
    else
        world_run(world);
    for (int id = 0; id < TABLE_COUNT; id++)
        writer_flush(writer, (TableId)id, INT64_MAX);
    int64_t last_ns = 300 * MS;
    for (int i = 0; i < world->rank_count; i++)
        if (world->ranks[i].main.now_ns > last_ns)
            last_ns = world->ranks[i].main.now_ns;
    int64_t stop_ns = writer_stop(writer);
    meta_write(world, stop_ns < last_ns ? stop_ns : last_ns + 5 * MS);
    if (scenario->hostile)
        hostile_write(world);
    if (arguments->truth)
        truth_print(world->truth, stdout);
    truth_free(world->truth);
    writer_close(writer);
    if (arguments->split && options.gpus_per_process > 1)
        fail("--split is for processes of one GPU each");
    if (arguments->split) {
        int pids[TURNS_MAX];
        for (int i = 0; i < world->rank_count; i++)
            pids[i] = world->ranks[i].process->pid;
        ranks_split(arguments->path, pids, world->rank_count,
                    (int)number_read("--split", arguments->split, 1, world->rank_count),
                    options.seed);
    }
    world_free(world);
}

static void trace_make(const Arguments *arguments)
{
    kineto_write(
        arguments->path,
        arguments->steps ? (int)number_read("--steps", arguments->steps, 1, 1000000) : 4,
        arguments->kernels ? number_read("--kernels", arguments->kernels, 1, 1000000000) : 0,
        arguments->seed ? (uint64_t)number_read("--seed", arguments->seed, 0, 1LL << 53) : 1,
        arguments->force);
}

int main(int count, char **values)
{
    Arguments arguments = {.scenario = NULL};
    arguments_read(&arguments, count, values);
    if (arguments.help) {
        fputs(usage_text, stdout);
        return 0;
    }
    if (arguments.list) {
        for (size_t i = 0; i < scenario_count; i++)
            printf("%s\t%s\n", scenarios[i].name, scenarios[i].description);
        printf("%s\t%s\n", KINETO_SCENARIO,
               "a trace of the PyTorch Profiler, JSON: training of a transformer");
        printf("%s\t%s\n", PLAY_SCENARIO,
               "what the markers for PyTorch logged (--log), with a kernel for each op");
        return 0;
    }
    if (arguments.list_problems) {
        problems_print();
        return 0;
    }
    if (!arguments.scenario || !arguments.path) {
        fputs(usage_text, stderr);
        return 2;
    }
    if (strcmp(arguments.scenario, KINETO_SCENARIO) == 0) {
        trace_make(&arguments);
        return 0;
    }
    bool is_log = strcmp(arguments.scenario, PLAY_SCENARIO) == 0;
    if (is_log != (arguments.log != NULL))
        fail("--log is the file that %s plays", PLAY_SCENARIO);
    const Scenario *scenario = scenario_find(is_log ? "empty" : arguments.scenario);
    if (!scenario) {
        fprintf(stderr, "dlprof-gen: no scenario %s; --list names them\n", arguments.scenario);
        return 1;
    }
    profile_make(&arguments, scenario);
    return 0;
}
