// SPDX-License-Identifier: Apache-2.0
// Runs the generator with planted problems and compares their simulated cost with the findings.
#include "plants.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/detectors/expert.h"
#include "model/open/open.h"

const char *const plant_conditions[PLANT_CONDITIONS] = {
    [PLANT_AS_IS] = "",
    [PLANT_NO_RANGES] = "--markers=none",
    [PLANT_GRAPHS] = "--graphs=node",
    [PLANT_RANKS] = "--processes=4",
};

const char *const plant_verdicts[] = {
    [PLANT_FOUND] = "found",  [PLANT_NOT_JUDGED] = "not judged", [PLANT_HARMLESS] = "costs nothing",
    [PLANT_IMPOSSIBLE] = "-", [PLANT_WRONG] = "WRONG",
};

// Each mixture combines problems of different mechanisms: of the host, of kernels, of the time
// between kernels, of other GPUs.
const char *const plant_mixtures[] = {
    "item fp32head allreduce", "warmup fp32head item",      "loader fp32head layout",
    "upload item fp32head",    "allocator fp32head layout", "layersync fp32head tinygrid",
};
const size_t plant_mixture_count = sizeof plant_mixtures / sizeof *plant_mixtures;

const char *const plant_healthy[] = {
    "healthy",
    "healthy --markers=none",
    "healthy --markers=emit",
    "healthy --markers=plain",
    "healthy --processes=4",
    "healthy --graphs=node",
    "healthy --graphs=graph",
    "healthy --markers=dlprof",
    "healthy --schema=2023.4 --steps=20",
};
const size_t plant_healthy_count = sizeof plant_healthy / sizeof *plant_healthy;

__attribute__((format(printf, 3, 4))) static bool message_set(char *message, size_t size,
                                                              const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, size, format, arguments);
    va_end(arguments);
    return false;
}

static void fail_with(const char *what, const char *about)
{
    fprintf(stderr, "plants: %s: %s\n", what, about);
    abort();
}

// ---- one run of the generator ------------------------------------------------------------------

enum { RANKS = 64 };

struct run {
    struct arena *arena;
    struct profile *profile;
    struct selection selection;
    struct finding_list list;
    double step_ns[RANKS]; // mean step by GPU; each rank has one GPU
    double late_ns[RANKS]; // mean over the second half of the steps
    int steps;
};

enum { STEPS = 1000 };

// A step is measured from the first work of the first step to the last work of the last one.
static void read_truth(struct run *run, FILE *truth)
{
    static double ends[RANKS][STEPS];
    double first[RANKS] = {0}, last[RANKS] = {0};
    int steps[RANKS] = {0};
    for (char line[4096]; fgets(line, sizeof line, truth);) {
        int rank, step;
        double from, to;
        if (sscanf(line, "step rank %d %d %*f %*f %lf %lf", &rank, &step, &from, &to) != 4 ||
            rank < 0 || rank >= RANKS || to <= 0)
            continue;
        if (steps[rank] == STEPS)
            fail_with("too many steps", line);
        if (steps[rank] == 0)
            first[rank] = from;
        last[rank] = to > last[rank] ? to : last[rank];
        ends[rank][steps[rank]++] = last[rank];
        run->steps = steps[rank] > run->steps ? steps[rank] : run->steps;
    }
    for (int rank = 0; rank < RANKS; rank++) {
        int half = steps[rank] / 2;
        run->step_ns[rank] = steps[rank] ? (last[rank] - first[rank]) / steps[rank] : 0;
        run->late_ns[rank] =
            half ? (last[rank] - ends[rank][steps[rank] - half - 1]) / half : run->step_ns[rank];
    }
}

// Runs the generator and reads the simulator's figures. With `is_judged` also loads the profile and
// runs the detectors.
static struct run run_open(const char *arguments, unsigned seed, bool is_judged)
{
    char path[] = "/tmp/dlprof-plant-XXXXXX", command[PLANT_ARGUMENTS + 200];
    int name = (int)strcspn(arguments, " "), descriptor = mkstemp(path);
    if (descriptor < 0)
        fail_with("no temporary file", path);
    close(descriptor);
    snprintf(command, sizeof command, "'%s' %.*s '%s' --force --truth --seed=%u%s",
             getenv("DLPROF_GEN"), name, arguments, path, seed, arguments + name);
    FILE *truth = popen(command, "r"); // NOLINT(cert-env33-c): the test's own generator
    if (!truth)
        fail_with("cannot run", command);
    struct run run = {.steps = 0};
    read_truth(&run, truth);
    if (pclose(truth) != 0)
        fail_with("failed", command);
    if (is_judged) {
        struct load_request request = {.path = path};
        struct error error = {0};
        run.arena = arena_new(0);
        run.profile = profile_load(&request, &error);
        if (!run.profile)
            fail_with(command, error.message);
        run.selection = selection_all(split_find(run.profile, run.arena));
        run.list = expert_run(run.profile, &run.selection, run.arena);
    }
    unlink(path);
    // Folded findings follow other tools' rules and have no bound; findings about the capture
    // itself are not part of the judgement.
    size_t count = 0;
    for (size_t i = 0; i < run.list.count; i++)
        if (!finding_is_folded(&run.list.items[i]) && !run.list.items[i].detector->is_about_capture)
            run.list.items[count++] = run.list.items[i];
    run.list.count = count;
    return run;
}

static void run_close(struct run *run)
{
    if (run->arena)
        arena_free(run->arena);
    profile_free(run->profile);
}

static double run_step(const char *arguments, unsigned seed, uint32_t rank)
{
    return run_open(arguments, seed, false).step_ns[rank];
}

// Returns the rank of the GPU that the findings are about: their bounds do not apply to other GPUs.
static uint32_t run_rank(const struct run *run)
{
    return run->list.device < RANKS && run->step_ns[run->list.device] > 0 ? run->list.device : 0;
}

static const struct finding *find_finding(const struct run *run, const char *detector,
                                          enum severity severity)
{
    for (size_t i = 0; i < run->list.count; i++)
        if (run->list.items[i].severity == severity &&
            strcmp(run->list.items[i].detector->id, detector) == 0)
            return &run->list.items[i];
    return NULL;
}

// Joins the warnings (severity above a note) into one text.
static const char *warnings(const struct run *run, char *text, size_t size)
{
    size_t used = 0;
    *text = '\0';
    for (size_t i = 0; i < run->list.count && used < size; i++)
        if (run->list.items[i].severity == SEVERITY_WARNING)
            used += (size_t)snprintf(text + used, size - used, "%s%s (%s)", used ? "; " : "",
                                     run->list.items[i].detector->id, run->list.items[i].problem);
    return *text ? text : "nothing";
}

// ---- the table of problems ---------------------------------------------------------------------

static void take_field(char **line, char *field, size_t size)
{
    size_t length = strcspn(*line, "\t\n");
    snprintf(field, size, "%.*s", (int)length, *line);
    *line += length + ((*line)[length] != '\0');
}

size_t plants_list(struct plant *plants)
{
    const char *generator = getenv("DLPROF_GEN");
    char command[600];
    size_t count = 0;
    if (!generator)
        return 0;
    snprintf(command, sizeof command, "'%s' --problems", generator);
    FILE *list = popen(command, "r"); // NOLINT(cert-env33-c)
    if (!list)
        fail_with("cannot run", command);
    for (char line[1000]; count < PLANTS_MAX && fgets(line, sizeof line, list);) {
        struct plant *plant = &plants[count];
        char *at = line, flags[8];
        take_field(&at, plant->name, sizeof plant->name);
        take_field(&at, plant->detector, sizeof plant->detector);
        take_field(&at, plant->loose, sizeof plant->loose);
        take_field(&at, plant->twin, sizeof plant->twin);
        take_field(&at, plant->base, sizeof plant->base);
        take_field(&at, flags, sizeof flags);
        take_field(&at, plant->description, sizeof plant->description);
        plant->has_ideal = strchr(flags, 'i');
        plant->against_twin = strchr(flags, 't');
        plant->no_graph = strchr(flags, 'g');
        count += *plant->detector != '\0';
    }
    pclose(list);
    return count;
}

// Writes "healthy BASE CONDITION --problem=NAME[:how]"; without `how`, the same without the
// problem.
static void arguments_of(char *text, const struct plant *plant, enum plant_condition condition,
                         const char *how)
{
    // The last of repeated options wins. A problem keeps its own number of processes, and the
    // condition without markers removes the problem's markers.
    const char *condition_options = plant_conditions[condition], *base_options = plant->base;
    bool is_base_last = condition == PLANT_RANKS;
    snprintf(text, PLANT_ARGUMENTS, "healthy %s %s%s%s%s",
             is_base_last ? condition_options : base_options,
             is_base_last ? base_options : condition_options, how ? " --problem=" : "",
             how ? plant->name : "", how ? how : "");
}

// ---- judging -----------------------------------------------------------------------------------

// Allowed shortfall of a bound as a fraction of the step, limited to 5 % of the cost. Queues change
// by more than the planted cost, and the other kernels vary by 0.02 % of a step (standard deviation
// over seeds). With several ranks only waiting that one rank alone causes is counted.
static const double allowed_shortfall[PLANT_CONDITIONS] = {0.001, 0.001, 0.001, 0.002};

static bool is_bound_right(const struct plant *plant, enum plant_condition condition, unsigned seed,
                           const struct plant_result *result, char *message, size_t size)
{
    double ideal = result->cost_ms * 1.5, slack = 0.005 * result->step_ms;
    if (plant->has_ideal) {
        char arguments[PLANT_ARGUMENTS];
        arguments_of(arguments, plant, condition, ":ideal");
        ideal = result->step_ms - run_step(arguments, seed, result->rank) / 1e6;
    }
    double shortfall = fmin(allowed_shortfall[condition] * result->step_ms, 0.05 * result->cost_ms);
    if (result->bound_ms < result->cost_ms - shortfall)
        return message_set(message, size, "bound %.2f ms below the cost of %.2f ms",
                           result->bound_ms, result->cost_ms);
    if (result->bound_ms > ideal + slack)
        return message_set(message, size,
                           "bound %.2f ms above what can be gained, %.2f + %.2f ms (costs %.2f)",
                           result->bound_ms, ideal, slack, result->cost_ms);
    return true;
}

static enum plant_verdict verdict_of(const struct plant *plant, enum plant_condition condition,
                                     unsigned seed, const struct run *run,
                                     struct plant_result *result)
{
    const struct finding *found = find_finding(run, plant->detector, SEVERITY_WARNING);
    if (!found && *plant->loose && run->selection.split->method == SPLIT_NONE)
        found = find_finding(run, plant->loose, SEVERITY_WARNING);
    const struct finding *first = run->list.count ? &run->list.items[0] : NULL;
    char text[500];
    if (first && first->severity != SEVERITY_WARNING)
        first = NULL;
    // If no steps are found, the bound is of the whole capture.
    int steps_in_bound = run->selection.split->method == SPLIT_NONE ? run->steps : 1;
    result->bound_ms = found ? (double)found->gain_ns / 1e6 / steps_in_bound : 0;
    // Requires twice the least cost of a finding, because near that limit both answers are right.
    // The cost must also show in the second half of the steps: chance may have put all of it at the
    // start, where no finding is due.
    bool is_worth = result->cost_ms >= 1 && result->cost_ms >= 0.02 * result->step_ms &&
                    result->late_ms >= 0.01 * result->step_ms;
    if (first && first != found) {
        message_set(result->wrong, sizeof result->wrong, "%s is said",
                    warnings(run, text, sizeof text));
        return PLANT_WRONG;
    }
    if (!found && find_finding(run, plant->detector, SEVERITY_NOT_JUDGED))
        return PLANT_NOT_JUDGED;
    if (!found && !is_worth)
        return PLANT_HARMLESS;
    if (!found) {
        message_set(result->wrong, sizeof result->wrong, "not found, it costs %.2f ms of %.2f",
                    result->cost_ms, result->step_ms);
        return PLANT_WRONG;
    }
    return is_bound_right(plant, condition, seed, result, result->wrong, sizeof result->wrong)
               ? PLANT_FOUND
               : PLANT_WRONG;
}

struct plant_result plant_judge(const struct plant *plant, enum plant_condition condition,
                                unsigned seed)
{
    struct plant_result result = {.verdict = PLANT_IMPOSSIBLE};
    char arguments[PLANT_ARGUMENTS];
    if (condition == PLANT_GRAPHS && plant->no_graph)
        return result;
    arguments_of(arguments, plant, condition, plant->against_twin ? ":twin" : NULL);
    arguments_of(arguments, plant, condition, "");
    struct run run = run_open(arguments, seed, true);
    result.rank = run_rank(&run);
    result.step_ms = run.step_ns[result.rank] / 1e6;
    arguments_of(arguments, plant, condition, plant->against_twin ? ":twin" : NULL);
    struct run without = run_open(arguments, seed, false);
    result.cost_ms = result.step_ms - without.step_ns[result.rank] / 1e6;
    result.late_ms = (run.late_ns[result.rank] - without.late_ns[result.rank]) / 1e6;
    result.verdict = verdict_of(plant, condition, seed, &run, &result);
    run_close(&run);
    return result;
}

static bool is_silent(const char *arguments, unsigned seed, char *message, size_t size)
{
    struct run run = run_open(arguments, seed, true);
    bool has_warning = run.list.count && run.list.items[0].severity == SEVERITY_WARNING;
    if (has_warning)
        warnings(&run, message, size);
    run_close(&run);
    return !has_warning;
}

bool plant_is_silent(const char *arguments, char *message, size_t size)
{
    return is_silent(arguments, 1, message, size);
}

bool plant_twin_is_silent(const struct plant *plant, unsigned seed, char *message, size_t size)
{
    char arguments[PLANT_ARGUMENTS];
    arguments_of(arguments, plant, PLANT_AS_IS, ":twin");
    return is_silent(arguments, seed, message, size);
}

// ---- mixtures of problems ----------------------------------------------------------------------

enum { MIXED = 3 };

// Writes the generator's options for all problems except `left_out`.
static void arguments_mixed(char *text, const struct plant *const *mixed, int left_out)
{
    snprintf(text, PLANT_ARGUMENTS, "healthy");
    for (int i = 0; i < MIXED; i++) {
        size_t used = strlen(text);
        snprintf(text + used, PLANT_ARGUMENTS - used, " %s%s%s", mixed[i]->base,
                 i == left_out ? "" : " --problem=", i == left_out ? "" : mixed[i]->name);
    }
}

bool plant_mixture(const struct plant *plants, size_t count, const char *names, unsigned seed,
                   char *message, size_t size)
{
    const struct plant *mixed[MIXED] = {NULL};
    char arguments[PLANT_ARGUMENTS], text[600];
    double costs[MIXED], cost = 1e30;
    const char *at = names;
    for (int i = 0; i < MIXED; i++) {
        size_t length = strcspn(at, " ");
        for (size_t k = 0; k < count; k++)
            if (strlen(plants[k].name) == length && memcmp(plants[k].name, at, length) == 0)
                mixed[i] = &plants[k];
        at += length + (at[length] == ' ');
        if (!mixed[i])
            return message_set(message, size, "no such problem among %s", names);
    }
    arguments_mixed(arguments, mixed, -1);
    struct run run = run_open(arguments, seed, true);
    for (int i = 0; i < MIXED; i++) {
        arguments_mixed(arguments, mixed, i);
        costs[i] = run.step_ns[run_rank(&run)] - run_step(arguments, seed, run_rank(&run));
    }
    bool is_right = true;
    for (size_t position = 0; position < MIXED && is_right; position++) {
        int costliest = 0;
        for (int i = 1; i < MIXED; i++)
            costliest = costs[i] > costs[costliest] ? i : costliest;
        is_right = run.list.count > position &&
                   run.list.items[position].severity == SEVERITY_WARNING &&
                   strcmp(run.list.items[position].detector->id, mixed[costliest]->detector) == 0;
        if (!is_right)
            message_set(message, size, "%s costs %.2f ms and is not number %zu, of %s",
                        mixed[costliest]->name, costs[costliest] / 1e6, position + 1,
                        warnings(&run, text, sizeof text));
        cost = costs[costliest];
        costs[costliest] = -cost;
    }
    run_close(&run);
    return is_right;
}
