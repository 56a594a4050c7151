// SPDX-License-Identifier: Apache-2.0
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

// Made once and kept beside what was built, as many tests look at the same: new where there is none
// or the generator is newer.
struct made {
    char profile[1024], truth[1024];
};

static bool is_older(const char *path, const char *than)
{
    struct stat a, b;
    if (stat(path, &a) != 0 || stat(than, &b) != 0)
        return true;
    return a.st_mtim.tv_sec < b.st_mtim.tv_sec ||
           (a.st_mtim.tv_sec == b.st_mtim.tv_sec && a.st_mtim.tv_nsec < b.st_mtim.tv_nsec);
}

static void make(const char *generator, const char *scenario, const struct made *made)
{
    char command[4096], draft[1040];
    int name = (int)strcspn(scenario, " ");
    snprintf(draft, sizeof draft, "%s.draft", made->profile);
    assert_true((size_t)snprintf(command, sizeof command, "'%s' %.*s '%s' --force --truth %s >'%s'",
                                 generator, name, scenario, draft, scenario + name,
                                 made->truth) < sizeof command);
    assert_int_equal(system(command), 0);
    assert_int_equal(rename(draft, made->profile), 0);
}

// Other processes wait meanwhile: a file that is replaced while one loads it is refused.
static void made_find(const char *scenario, struct made *made)
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
    snprintf(made->truth, sizeof made->truth, "%s/%s.tsv", folder, name);
    assert_true((size_t)snprintf(made->profile, sizeof made->profile, "%s/%s.sqlite", folder,
                                 name) < sizeof made->profile);
    int lock = open(made->truth, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    assert_true(lock >= 0);
    assert_int_equal(flock(lock, LOCK_EX), 0);
    if (is_older(made->profile, generator))
        make(generator, scenario, made);
    close(lock);
}

// Each line of the truth is given to read(), which may be NULL.
static struct profile *open_with(const char *scenario, void (*read)(char *line, void *context),
                                 void *context)
{
    struct made made;
    char line[4096];
    made_find(scenario, &made);
    FILE *truth = fopen(made.truth, "r");
    assert_non_null(truth);
    while (fgets(line, sizeof line, truth))
        if (read)
            read(line, context);
    assert_int_equal(fclose(truth), 0);
    struct load_request request = {.path = made.profile};
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
