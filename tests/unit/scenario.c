// SPDX-License-Identifier: Apache-2.0
// Generates profiles of scenarios into the build folder and opens them. Many tests use the same
// ones, so the files are kept until the generator changes.
#include "scenario.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "model/open/open.h"
#include "paths.h"

// The generated files of a scenario: a profile, and the facts that the generator knows about it
// ("truth").
struct generated {
    char profile[1024], truth[1024];
};

// Returns true if `path` is older than `than`, or if one of them does not exist.
static bool is_older(const char *path, const char *than)
{
    struct stat a, b;
    if (stat(path, &a) != 0 || stat(than, &b) != 0)
        return true;
    return a.st_mtim.tv_sec < b.st_mtim.tv_sec ||
           (a.st_mtim.tv_sec == b.st_mtim.tv_sec && a.st_mtim.tv_nsec < b.st_mtim.tv_nsec);
}

static void generate(const char *generator, const char *scenario, const struct generated *generated)
{
    char command[4096], draft[1040];
    int name = (int)strcspn(scenario, " ");
    snprintf(draft, sizeof draft, "%s.draft", generated->profile);
    assert_true((size_t)snprintf(command, sizeof command, "'%s' %.*s '%s' --force --truth %s >'%s'",
                                 generator, name, scenario, draft, scenario + name,
                                 generated->truth) < sizeof command);
    assert_int_equal(system(command), 0);
    assert_int_equal(rename(draft, generated->profile), 0);
}

// Generates the files if needed and sets their paths. Other test processes wait meanwhile, since
// the loader refuses a file that is replaced while it reads.
static void generate_if_older(const char *scenario, struct generated *generated)
{
    const char *folder = build_path("/scenarios");
    const char *generator = getenv("DLPROF_GEN");
    if (!generator)
        skip();
    char name[200];
    assert_true((size_t)snprintf(name, sizeof name, "%s", scenario) < sizeof name);
    for (char *at = name; (at = strpbrk(at, " /"));)
        *at = '_';
    mkdir(folder, 0777);
    snprintf(generated->truth, sizeof generated->truth, "%s/%s.tsv", folder, name);
    assert_true((size_t)snprintf(generated->profile, sizeof generated->profile, "%s/%s.sqlite",
                                 folder, name) < sizeof generated->profile);
    int lock = open(generated->truth, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    assert_true(lock >= 0);
    assert_int_equal(flock(lock, LOCK_EX), 0);
    if (is_older(generated->profile, generator))
        generate(generator, scenario, generated);
    close(lock);
}

// Opens the profile of a scenario; calls read() for each line of the truth, unless it is NULL.
static struct profile *open_with(const char *scenario, void (*read)(char *line, void *context),
                                 void *context)
{
    struct generated generated;
    char line[4096];
    generate_if_older(scenario, &generated);
    FILE *truth = fopen(generated.truth, "r");
    assert_non_null(truth);
    while (fgets(line, sizeof line, truth))
        if (read)
            read(line, context);
    assert_int_equal(fclose(truth), 0);
    struct load_request request = {.path = generated.profile};
    struct error error = {0};
    struct profile *profile = profile_load(&request, &error);
    if (!profile)
        fail_msg("%s: %s", scenario, error.message);
    return profile;
}

struct profile *scenario_open(const char *scenario)
{
    return open_with(scenario, NULL, NULL);
}

struct step_rows {
    struct scenario_step *steps;
    size_t capacity, count;
};

static void read_step(char *line, void *context)
{
    struct step_rows *step_rows = context;
    struct scenario_step step;
    long long values[5];
    if (sscanf(line, "step\trank\t%d\t%d\t%lld\t%lld\t%lld\t%lld\t%lld", &step.rank, &step.step,
               &values[0], &values[1], &values[2], &values[3], &values[4]) != 7)
        return;
    step.start = values[0];
    step.end = values[1];
    step.first = values[2];
    step.last = values[3];
    step.kernels = values[4];
    assert_true(step_rows->count < step_rows->capacity);
    step_rows->steps[step_rows->count++] = step;
}

static int compare_steps(const void *a, const void *b)
{
    const struct scenario_step *x = a, *y = b;
    return x->rank != y->rank ? x->rank - y->rank : x->step - y->step;
}

struct profile *scenario_open_steps(const char *scenario, struct scenario_step *steps,
                                    size_t max_steps, size_t *count)
{
    struct step_rows step_rows = {steps, max_steps, 0};
    struct profile *profile = open_with(scenario, read_step, &step_rows);
    qsort(steps, step_rows.count, sizeof *steps, compare_steps);
    *count = step_rows.count;
    return profile;
}
