// SPDX-License-Identifier: Apache-2.0
#include "scenario.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "model/loader.h"

// Each line of the truth is given to read(), which may be NULL.
static struct profile *open_with(const char *scenario, void (*read)(char *line, void *context),
                                 void *context)
{
    const char *generator = getenv("DLPROF_GEN");
    if (!generator)
        skip();
    char path[] = "/tmp/dlprof-scenario-XXXXXX", command[1024], line[4096];
    int name = (int)strcspn(scenario, " ");
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    snprintf(command, sizeof command, "'%s' %.*s '%s' --force --truth %s", generator, name,
             scenario, path, scenario + name);
    FILE *truth = popen(command, "r");
    assert_non_null(truth);
    while (fgets(line, sizeof line, truth))
        if (read)
            read(line, context);
    assert_int_equal(pclose(truth), 0);
    struct load_request request = {.path = path};
    struct error error = {0};
    struct profile *profile = profile_load(&request, &error);
    unlink(path);
    if (!profile)
        fail_msg("%s: %s", scenario, error.message);
    return profile;
}

struct profile *scenario_open(const char *scenario)
{
    return open_with(scenario, NULL, NULL);
}

struct reading {
    struct scenario_step *steps;
    size_t most, count;
};

static void read_step(char *line, void *context)
{
    struct reading *reading = context;
    struct scenario_step step;
    long long n[5];
    if (sscanf(line, "step\trank\t%d\t%d\t%lld\t%lld\t%lld\t%lld\t%lld", &step.rank, &step.step,
               &n[0], &n[1], &n[2], &n[3], &n[4]) != 7)
        return;
    step.start = n[0];
    step.end = n[1];
    step.first = n[2];
    step.last = n[3];
    step.kernels = n[4];
    assert_true(reading->count < reading->most);
    reading->steps[reading->count++] = step;
}

static int compare_steps(const void *a, const void *b)
{
    const struct scenario_step *x = a, *y = b;
    return x->rank != y->rank ? x->rank - y->rank : x->step - y->step;
}

struct profile *scenario_open_steps(const char *scenario, struct scenario_step *steps, size_t most,
                                    size_t *count)
{
    struct reading reading = {steps, most, 0};
    struct profile *profile = open_with(scenario, read_step, &reading);
    qsort(steps, reading.count, sizeof *steps, compare_steps);
    *count = reading.count;
    return profile;
}
