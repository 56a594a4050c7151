// SPDX-License-Identifier: Apache-2.0
// The profiles of the benchmarks: generation, reuse, and eviction from the page cache.
#include "bench.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

bool counts_cpu(void)
{
    const char *cpu = getenv("DLPROF_BENCH_CPU");
    return cpu && *cpu == '1';
}

double now(void)
{
    struct timespec time;
    clock_gettime(counts_cpu() ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

_Noreturn void die(const char *why)
{
    fprintf(stderr, "bench: %s\n", why);
    exit(1);
}

long kernels_asked(int argc, char **argv)
{
    const char *argument = argc > 1 ? argv[1] : getenv("DLPROF_BENCH_KERNELS");
    long kernels = argument ? (long)strtod(argument, NULL) : 1000000;
    if (kernels < 1000 || kernels > 20000000)
        die("KERNELS: 1e3 to 2e7");
    return kernels;
}

bool is_quick(long kernels)
{
    return kernels < 100000;
}

static int compare_times(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

double times_quantile(double *times, size_t count, double share)
{
    if (count == 0)
        die("nothing was measured");
    qsort(times, count, sizeof *times, compare_times);
    return times[(size_t)((double)(count - 1) * share)];
}

static const struct {
    const char *name, *scenario;
    int processes;
} kinds[SUBJECT_KINDS] = {
    [DLPROF_1] = {"dlprof 1p", "scale", 1},
    [DLPROF_4] = {"dlprof 4p", "scale", 4},
    [EMIT_1] = {"emit 1p", "steps", 1},
    [EMIT_4] = {"emit 4p", "steps", 4},
    [SERVING] = {"serving", "serving-steps", 1}, // 1e6 kernels are 23,810 steps
    [ITERATIONS] = {"no bwd 1p", "iterations", 1},
    [EVALUATION] = {"eval 1p", "evaluation", 1},
    [RANKS_64] = {"64 ranks", "healthy", 64}, // made by digests.c
    [TRACE] = {"torch", "kineto", 1},
};

const char *kind_name(enum kind kind)
{
    return kinds[kind].name;
}

const char *count_text(long count)
{
    static char texts[4][24];
    static size_t used;
    char *text = texts[used++ % 4];
    int zeros = 0;
    for (; count > 0 && count % 10 == 0; count /= 10)
        zeros++;
    snprintf(text, sizeof *texts, zeros ? "%lde%d" : "%ld", count, zeros);
    return text;
}

static void profile_make(const char *path, enum kind kind, long kernels)
{
    char command[8600], draft[4104];
    const char *generator = getenv("DLPROF_GEN");
    struct stat profile_status, generator_status;
    if (!generator || stat(generator, &generator_status) != 0)
        die("DLPROF_GEN does not say where the generator is");
    if (stat(path, &profile_status) == 0 && profile_status.st_mtime >= generator_status.st_mtime)
        return;
    snprintf(draft, sizeof draft, "%s.tmp", path);
    printf("making %s\n", path);
    fflush(stdout);
    snprintf(command, sizeof command,
             "'%s' %s '%s' --kernels=%ld --processes=%d --force >/dev/null", generator,
             kinds[kind].scenario, draft, kernels, kinds[kind].processes);
    if (system(command) != 0 || rename(draft, path) != 0)
        die("the generator failed");
}

struct subject subject_make(enum kind kind, long kernels, bool is_large)
{
    const char *folder = getenv("DLPROF_BENCH_FOLDER");
    struct subject subject = {kind, is_large, is_large ? 5 * kernels : kernels, NULL, 0};
    struct stat status;
    char *path = malloc(4096); // lives as long as the program
    if (!folder || !*folder)
        folder = getenv("BUILD_DIR");
    if (!path || !folder)
        die("BUILD_DIR says where profiles are kept; ./dev bench sets it");
    snprintf(path, 4096, "%s/bench-%s-%dp-%s.%s", folder, kinds[kind].scenario,
             kinds[kind].processes, count_text(subject.kernels), kind == TRACE ? "json" : "sqlite");
    profile_make(path, kind, subject.kernels);
    if (stat(path, &status) != 0)
        die("no profile");
    subject.path = path;
    subject.bytes = (double)status.st_size;
    return subject;
}

double subject_forget(const struct subject *subject)
{
    size_t size = (size_t)subject->bytes, page = (size_t)sysconf(_SC_PAGESIZE), pages_in_memory = 0;
    size_t pages = (size + page - 1) / page;
    int file = open(subject->path, O_RDONLY | O_CLOEXEC);
    unsigned char *states = malloc(pages);
    if (file < 0 || !states || fsync(file) != 0) // dirty pages cannot be evicted
        die("the profile cannot be read");
    posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    void *map = mmap(NULL, size, PROT_READ, MAP_SHARED, file, 0);
    if (map == MAP_FAILED || mincore(map, size, states) != 0)
        die("the profile cannot be mapped");
    for (size_t i = 0; i < pages; i++)
        pages_in_memory += states[i] & 1;
    munmap(map, size);
    free(states);
    close(file);
    return (double)pages_in_memory / (double)pages;
}
