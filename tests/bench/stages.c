// SPDX-License-Identifier: Apache-2.0
// Times of the stages of a load relative to the floor, and of each report. Has no bars; it shows
// where to look when one is missed.
#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/report/report.h"
#include "analysis/reports/report_list.h"
#include "bench.h"
#include "model/open/open.h"

static void line(const char *name, double seconds, double floor, double megabytes)
{
    printf("%-34s %10.2f ms %8.3f", name, seconds * 1e3, seconds / floor);
    if (megabytes > 0)
        printf(" %9.1f MB", megabytes);
    printf("\n");
    fflush(stdout);
}

static struct profile *load(const char *path, double floor)
{
    static const char *const names[] = {"  stage 1: GPU work", "  stage 2: calls",
                                        "  stage 3: ranges and tree", "  stage 4: ready"};
    int ends[2];
    struct error error = {0};
    if (pipe2(ends, O_NONBLOCK) != 0)
        die("no pipe");
    // The loader writes a byte at each stage; a child process notes the time, as it may use any
    // core.
    struct load_progress progress = {.wake_fd = ends[1]};
    struct load_request request = {.path = path, .progress = &progress};
    int times[2];
    if (pipe(times) != 0)
        die("no pipe");
    pid_t watcher = fork();
    if (watcher == 0) {
        char byte;
        close(ends[1]);
        fcntl(ends[0], F_SETFL, 0);
        while (read(ends[0], &byte, 1) == 1) {
            double at = now();
            if (write(times[1], &at, sizeof at) != sizeof at)
                break;
        }
        _exit(0);
    }
    close(times[1]);
    double start = now();
    struct profile *profile = profile_load(&request, &error);
    double took = now() - start;
    if (!profile)
        die(error.message);
    close(ends[1]);
    waitpid(watcher, NULL, 0);
    printf("%-34s %13s %8s %12s\n", "inside one process", "", "x floor", "");
    line("floor: one thread steps all rows", floor, floor, 0);
    double at;
    for (size_t i = 0; read(times[0], &at, sizeof at) == sizeof at; i++)
        if (i < sizeof names / sizeof *names)
            line(names[i], at - start, floor, 0);
    line("load", took, floor, (double)arena_bytes(profile->arena) / 1e6);
    close(times[0]);
    close(ends[0]);
    return profile;
}

static void build_reports(const struct profile *profile, const struct split *split)
{
    struct selection selection = selection_all(split);
    printf("\n%-20s %12s %13s\n", "report", "rows", "built in");
    for (size_t i = 0; i < report_count; i++) {
        struct arena *arena = arena_new(0);
        struct rows rows = {0};
        struct error error = {0};
        double start = now();
        if (!report_build(reports[i], profile, &selection, arena, &rows, &error))
            die(error.message);
        printf("%-20s %12zu %10.2f ms %9.1f MB\n", reports[i]->name, rows.count,
               (now() - start) * 1e3, (double)arena_bytes(arena) / 1e6);
        fflush(stdout);
        arena_free(arena);
    }
}

int main(int argc, char **argv)
{
    struct subject subject = subject_make(DLPROF_1, kernels_asked(argc, argv), false);
    int64_t rows;
    double floor = floor_seconds(subject.path, &rows);
    struct profile *profile = load(subject.path, floor);
    struct arena *arena = arena_new(0);
    double start = now();
    struct split *split = split_find(profile, arena);
    if (split->method == SPLIT_NONE)
        split = split_by_key(profile, NULL, arena);
    line("split into iterations", now() - start, floor, 0);
    build_reports(profile, split);
    arena_free(arena);
    profile_free(profile);
    return 0;
}
