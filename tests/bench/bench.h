// SPDX-License-Identifier: Apache-2.0
// What the benchmarks share. Each is a program of its own.
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#define FRAME_S 0.016 // what a key may cost, drawing included

// Seconds; DLPROF_BENCH_CPU=1 counts the time of this process alone, where others use the cores.
static inline double now(void)
{
    struct timespec time;
    const char *cpu = getenv("DLPROF_BENCH_CPU");
    clock_gettime(cpu && *cpu == '1' ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static inline void die(const char *why)
{
    fprintf(stderr, "bench: %s\n", why);
    exit(1);
}

// How many kernels a profile is to have: the first argument, else the environment's.
static inline long kernels_asked(int argc, char **argv)
{
    const char *wished = argc > 1 ? argv[1] : getenv("DLPROF_BENCH_KERNELS");
    long kernels = wished ? (long)strtod(wished, NULL) : 100000;
    if (kernels < 1000 || kernels > 20000000)
        die("KERNELS: 1e3 to 2e7");
    return kernels;
}

static inline int compare_times(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

// One of a scenario of the generator, kept until the generator is newer.
static inline const char *make_profile(const char *scenario, long kernels)
{
    static char path[4096];
    char command[8400], draft[4104];
    const char *generator = getenv("DLPROF_GEN"), *build = getenv("BUILD_DIR");
    struct stat made, maker;
    if (!generator || !build)
        die("DLPROF_GEN and BUILD_DIR say where things are; ./dev bench sets them");
    snprintf(path, sizeof path, "%s/bench-%s-%ld.sqlite", build, scenario, kernels);
    snprintf(draft, sizeof draft, "%s.tmp", path);
    if (stat(generator, &maker) != 0)
        die("no generator");
    if (stat(path, &made) == 0 && made.st_mtime >= maker.st_mtime)
        return path;
    printf("making %s\n", path);
    fflush(stdout);
    snprintf(command, sizeof command, "'%s' '%s' '%s' --kernels=%ld --force >/dev/null", generator,
             scenario, draft, kernels);
    if (system(command) != 0 || rename(draft, path) != 0)
        die("the generator failed");
    return path;
}

#endif
