// SPDX-License-Identifier: Apache-2.0
// How fast a profile opens, beside the floor: one thread that only steps through the rows of the
// three large tables. All in one run on one file, so that the ratios hold on any machine.
//
//     load [KERNELS]     1e5 unless said here or in DLPROF_BENCH_KERNELS
#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/report.h"
#include "base/parallel.h"
#include "bench.h"
#include "model/loader.h"

extern char **environ;

enum { ROUNDS = 3 };

static void line(const char *name, double seconds, double floor, double megabytes)
{
    printf("%-34s %10.2f ms", name, seconds * 1e3);
    if (floor > 0)
        printf(" %8.3f", seconds / floor);
    else
        printf(" %8s", "");
    if (megabytes > 0)
        printf(" %9.1f MB", megabytes);
    printf("\n");
    fflush(stdout);
}

// ---- the floor ----------------------------------------------------------------------------------

static const char *const floor_queries[] = {
    "SELECT start, end, deviceId, contextId, streamId, correlationId, globalPid, shortName,"
    " demangledName, gridX, gridY, gridZ, blockX, blockY, blockZ FROM CUPTI_ACTIVITY_KIND_KERNEL",
    "SELECT start, end, globalTid, correlationId, nameId FROM CUPTI_ACTIVITY_KIND_RUNTIME",
    "SELECT start, end, eventType, globalTid, domainId, text, textId FROM NVTX_EVENTS",
};

static int64_t floor_run(const char *path)
{
    sqlite3 *db = NULL;
    int64_t sum = 0;
    char uri[4200];
    snprintf(uri, sizeof uri, "file:%s?immutable=1", path);
    if (sqlite3_open_v2(uri, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL) != SQLITE_OK)
        die("the floor cannot open it");
    for (size_t i = 0; i < sizeof floor_queries / sizeof *floor_queries; i++) {
        sqlite3_stmt *row = NULL;
        if (sqlite3_prepare_v2(db, floor_queries[i], -1, &row, NULL) != SQLITE_OK)
            die(sqlite3_errmsg(db));
        int columns = sqlite3_column_count(row);
        while (sqlite3_step(row) == SQLITE_ROW)
            for (int c = 0; c < columns; c++) {
                const unsigned char *text;
                if (sqlite3_column_type(row, c) != SQLITE_TEXT)
                    sum ^= sqlite3_column_int64(row, c);
                else if ((text = sqlite3_column_text(row, c)))
                    sum ^= text[0] + sqlite3_column_bytes(row, c);
            }
        sqlite3_finalize(row);
    }
    sqlite3_close(db);
    return sum;
}

static double floor_seconds(const char *path)
{
    static volatile int64_t sink; // what is read is used
    double best = 1e9;
    for (int i = 0; i < ROUNDS; i++) {
        double start = now();
        sink = floor_run(path);
        double took = now() - start;
        best = took < best ? took : best;
    }
    (void)sink;
    return best;
}

// ---- whole runs of the program ------------------------------------------------------------------

struct run {
    double seconds, megabytes;
};

static struct run program_once(const char *const arguments[], bool one_core)
{
    cpu_set_t all, one;
    posix_spawn_file_actions_t files;
    pid_t child;
    int status;
    struct rusage usage;
    sched_getaffinity(0, sizeof all, &all);
    CPU_ZERO(&one);
    for (size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
        if (CPU_ISSET(i, &all))
            CPU_SET(i, &one);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
    if (one_core)
        sched_setaffinity(0, sizeof one, &one); // the child inherits it
    double start = now();
    if (posix_spawn(&child, arguments[0], &files, NULL, (char *const *)arguments, environ) != 0)
        die("the program does not start");
    if (wait4(child, &status, 0, &usage) != child || status != 0)
        die("the program failed");
    double took = now() - start;
    sched_setaffinity(0, sizeof all, &all);
    posix_spawn_file_actions_destroy(&files);
    return (struct run){took, (double)usage.ru_maxrss / 1e3};
}

static struct run program(const char *const arguments[], bool one_core)
{
    struct run best = program_once(arguments, one_core);
    for (int i = 1; i < ROUNDS; i++) {
        struct run next = program_once(arguments, one_core);
        best.seconds = next.seconds < best.seconds ? next.seconds : best.seconds;
        best.megabytes = next.megabytes > best.megabytes ? next.megabytes : best.megabytes;
    }
    return best;
}

static void whole_runs(const char *path, double floor)
{
    const char *tui = getenv("DLPROF_TUI");
    char folder[] = "/dev/shm/dlprof-bench-XXXXXX", output[64], command[128];
    struct run took;
    if (!tui)
        die("DLPROF_TUI is not set");
    took = program((const char *const[]){tui, "--print=summary", path, NULL}, false);
    line("start to complete summary", took.seconds, floor, took.megabytes);
    took = program((const char *const[]){tui, "--print=summary", path, NULL}, true);
    line("  on one core", took.seconds, floor, took.megabytes);
    took = program_once((const char *const[]){tui, "--print=ranges", "--formats=csv", path, NULL},
                        false);
    line("ranges as CSV", took.seconds, floor, took.megabytes);
    took = program_once((const char *const[]){tui, "--print=launches", "--formats=csv", path, NULL},
                        false);
    line("launches as CSV", took.seconds, floor, took.megabytes);
    if (!mkdtemp(folder))
        return;
    snprintf(output, sizeof output, "--output_path=%s", folder);
    took = program_once(
        (const char *const[]){tui, "--reports=all", "--formats=csv", output, path, NULL}, false);
    line("DLProf's reports as CSV", took.seconds, floor, took.megabytes);
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    if (system(command) != 0)
        die("cannot clean up");
}

// ---- inside -------------------------------------------------------------------------------------

static struct profile *load(const char *path, double floor)
{
    static const char *const names[] = {"  stage 1: GPU work", "  stage 2: calls",
                                        "  stage 3: ranges and tree", "  stage 4: ready"};
    int ends[2];
    struct error error = {0};
    if (pipe2(ends, O_NONBLOCK) != 0)
        die("no pipe");
    // The loader writes a byte at each stage; a child notes when, as it may use any core.
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
    printf("\n%-34s %13s %8s %12s\n", "inside one process", "", "x floor", "");
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
    long kernels = kernels_asked(argc, argv);
    const char *path = make_profile("scale", kernels);
    struct stat status;
    if (stat(path, &status) != 0)
        die("no profile");
    printf("%ld kernels, %.1f MB, %u cores\n\n", kernels, (double)status.st_size / 1e6,
           parallel_cores());
    double floor = floor_seconds(path);
    printf("%-34s %13s %8s %12s\n", "", "best of 3", "x floor", "peak");
    line("floor: one thread steps all rows", floor, floor, 0);
    whole_runs(path, floor);
    struct profile *profile = load(path, floor);
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
