// SPDX-License-Identifier: Apache-2.0
// Load time relative to the floor (bench.h). Figures that are compared are measured in turn, and
// each is the best of several rounds, so that their ratio is the same on any machine.
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/parallel.h"
#include "bench.h"

extern char **environ;

enum { ROUNDS = 7 };

// ---- a run of a program -------------------------------------------------------------------------

struct run {
    double seconds, megabytes;
    // As counted by its read calls, and as the kernel read them from the disk.
    double bytes_read, bytes_from_disk;
};

// Reads the counters of a process that has ended but was not waited for.
static void byte_counts_read(pid_t process, struct run *run)
{
    char path[64], line[128];
    snprintf(path, sizeof path, "/proc/%d/io", (int)process);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file)) {
        if (strncmp(line, "rchar: ", 7) == 0)
            run->bytes_read = strtod(line + 7, NULL);
        if (strncmp(line, "read_bytes: ", 12) == 0)
            run->bytes_from_disk = strtod(line + 12, NULL);
    }
    if (file)
        fclose(file);
}

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static cpu_set_t first_core(const cpu_set_t *all)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    for (size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
        if (CPU_ISSET(i, all))
            CPU_SET(i, &one);
    return one;
}

// Runs a program. This process must stay small, because the peak of a child includes the size of
// its parent at fork. Returns false if the program is missing.
static bool run_program(const char *const arguments[], bool one_core, struct run *run)
{
    cpu_set_t all, one;
    posix_spawn_file_actions_t files;
    pid_t child;
    int status;
    siginfo_t exit_info;
    struct rusage usage;
    sched_getaffinity(0, sizeof all, &all);
    one = first_core(&all);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
    if (one_core)
        sched_setaffinity(0, sizeof one, &one); // inherited by the child
    double start = now();
    int failed =
        posix_spawnp(&child, arguments[0], &files, NULL, (char *const *)arguments, environ);
    posix_spawn_file_actions_destroy(&files);
    if (failed == ENOENT)
        return false;
    if (failed || waitid(P_PID, (id_t)child, &exit_info, WEXITED | WNOWAIT) != 0)
        die("a program does not start");
    run->seconds = now() - start;
    byte_counts_read(child, run);
    if (wait4(child, &status, 0, &usage) != child || status != 0)
        die("a program failed");
    if (counts_cpu())
        run->seconds = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
    run->megabytes = (double)usage.ru_maxrss * 1024 / 1e6;
    sched_setaffinity(0, sizeof all, &all);
    return true;
}

static const char *program(void)
{
    const char *tui = getenv("DLPROF_TUI");
    if (!tui || access(tui, X_OK) != 0)
        die("DLPROF_TUI does not say where the program is");
    return tui;
}

static struct run run_summary(const struct subject *subject, bool one_core)
{
    struct run run = {0};
    run_program((const char *const[]){program(), "--print=summary", subject->path, NULL}, one_core,
                &run);
    return run;
}

// Opens five steps from about the middle. Returns false if steps have no numbers.
static bool run_five_steps(const struct subject *subject, struct run *run)
{
    enum { KERNELS = 1400 }; // twice as many as in one step of a process
    char option[64];
    if (subject->kind != EMIT_1 && subject->kind != EMIT_4)
        return false;
    long first = subject->kernels / KERNELS / (subject->kind == EMIT_4 ? 4 : 1);
    snprintf(option, sizeof option, "--steps=%ld-%ld", first, first + 4);
    return run_program(
        (const char *const[]){program(), "--print=summary", option, subject->path, NULL}, false,
        run);
}

// ---- opening ------------------------------------------------------------------------------------

struct opening {
    double floor, one_core, part; // in seconds
    int64_t rows;
    struct run run; // its byte counts are from the last round
};

static struct opening opening_measure(const struct subject *subject)
{
    struct opening best = {0};
    for (int i = 0; i < ROUNDS; i++) {
        best.floor = least(best.floor, floor_seconds(subject->path, &best.rows));
        struct run run = run_summary(subject, false);
        run.seconds = least(best.run.seconds, run.seconds);
        if (run.megabytes < best.run.megabytes)
            run.megabytes = best.run.megabytes;
        best.run = run;
        struct run part = {0};
        if (run_five_steps(subject, &part))
            best.part = least(best.part, part.seconds);
        if (!subject->is_large)
            best.one_core = least(best.one_core, run_summary(subject, true).seconds);
    }
    return best;
}

static struct opening opening_rows(const struct subject *subject)
{
    struct opening opening = opening_measure(subject);
    const struct run *run = &opening.run;
    char note[64];
    snprintf(note, sizeof note, "floor %.0f ms", opening.floor * 1e3);
    bar_row(BAR_SUMMARY, subject, run->seconds / opening.floor, run->seconds, note);
    bar_row(BAR_PEAK, subject, run->megabytes, 0, NULL);
    if (!subject->is_large)
        bar_row(BAR_ONE_CORE, subject, opening.one_core / opening.floor, opening.one_core, NULL);
    if (opening.part > 0)
        bar_row(BAR_PART, subject, opening.part / run->seconds, opening.part, NULL);
    bar_row(BAR_PAGES, subject, run->bytes_read / subject->bytes, 0, NULL);
    return opening;
}

static void growth_rows(const struct subject *large, const struct opening *from,
                        const struct opening *to)
{
    double events = (double)to->rows / (double)from->rows;
    bar_row(BAR_GROWTH_TIME, large, to->run.seconds / from->run.seconds / events, 0, NULL);
    bar_row(BAR_GROWTH_MEMORY, large, to->run.megabytes / from->run.megabytes / events, 0, NULL);
}

// ---- other ways to use the program --------------------------------------------------------------

// Returns seconds; 0: there is no file system in memory.
static double export_once(const struct subject *subject)
{
    char folder[] = "/dev/shm/dlprof-bench-XXXXXX", output[64], command[128];
    struct run run = {0};
    if (!mkdtemp(folder))
        return 0;
    snprintf(output, sizeof output, "--output_path=%s", folder);
    run_program((const char *const[]){program(), "--reports=all", "--formats=csv", output,
                                      subject->path, NULL},
                false, &run);
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    if (system(command) != 0)
        die("cannot clean up");
    return run.seconds;
}

static void export_row(const struct subject *subject)
{
    double best = 0, floor = 0;
    int64_t rows;
    for (int i = 0; i < ROUNDS; i++) {
        floor = least(floor, floor_seconds(subject->path, &rows));
        best = least(best, export_once(subject));
    }
    if (best > 0)
        bar_row(BAR_EXPORTS, subject, best / floor, best, NULL);
    else
        bar_none(BAR_EXPORTS, subject, "no /dev/shm");
}

// Time from the start to the last line, scaled to KERNELS kernels, for which PyProf needs 100 s.
static void pyprof_row(const struct subject *subject)
{
    enum { KERNELS = 160000 };
    double best = 0;
    for (int i = 0; i < ROUNDS; i++) {
        struct run run = {0};
        run_program((const char *const[]){program(), "--print=pyprof", "--formats=csv",
                                          subject->path, NULL},
                    false, &run);
        best = least(best, run.seconds);
    }
    bar_row(BAR_PYPROF, subject, best * 1e3 * KERNELS / (double)subject->kernels, best, NULL);
}

static void cold_rows(const struct subject *subject)
{
    int64_t rows;
    char note[64] = "";
    double share_in_memory = subject_forget(subject);
    if (share_in_memory > 0.01)
        snprintf(note, sizeof note, "%.0f %% of the file stayed in memory", share_in_memory * 100);
    double floor = floor_seconds(subject->path, &rows);
    subject_forget(subject);
    struct run run = run_summary(subject, false);
    bar_row(BAR_COLD_FLOOR, subject, 1, floor, note);
    bar_row(BAR_COLD, subject, run.seconds / floor, run.seconds, NULL);
    bar_row(BAR_PAGES_COLD, subject, run.bytes_from_disk / subject->bytes, 0, NULL);
}

static void shell_row(enum bar_id id, const struct subject *subject, double floor,
                      const char *query)
{
    struct run run = {0};
    if (run_program((const char *const[]){"sqlite3", "-readonly", subject->path, query, NULL},
                    false, &run))
        bar_row(id, subject, run.seconds / floor, run.seconds, NULL);
    else
        bar_none(id, subject, "no sqlite3 here");
}

static void shell_rows(const struct subject *subject, double floor)
{
    shell_row(BAR_SHELL_SUMS, subject, floor,
              "SELECT value, count(*), sum(end - start) FROM CUPTI_ACTIVITY_KIND_KERNEL"
              " JOIN StringIds ON id = shortName GROUP BY shortName ORDER BY 3 DESC");
    shell_row(BAR_SHELL_JOIN, subject, floor,
              "SELECT count(*), sum(k.start - r.start) FROM CUPTI_ACTIVITY_KIND_KERNEL k"
              " JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON r.correlationId = k.correlationId"
              " AND r.globalTid / 0x1000000 = k.globalPid / 0x1000000");
}

// ---- traces of PyTorch --------------------------------------------------------------------------

// Prints the layers, which need the whole model.
static struct run run_layers(const char *path, bool one_core)
{
    struct run best = {0};
    for (int i = 0; i < ROUNDS; i++) {
        struct run run = {0};
        run_program((const char *const[]){program(), "--print=layers", path, NULL}, one_core, &run);
        run.seconds = least(best.seconds, run.seconds);
        run.megabytes = least(best.megabytes, run.megabytes);
        best = run;
    }
    return best;
}

// 1e6 kernels of a profile make a trace of one GB.
static void trace_rows(long kernels)
{
    const struct subject subject = subject_make(TRACE, kernels / 40 * 17, false);
    struct run run = run_layers(subject.path, false), one_core = run_layers(subject.path, true);
    bar_row(BAR_TRACE, &subject, run.seconds * 1e12 / subject.bytes, run.seconds, NULL);
    bar_row(BAR_TRACE_PEAK, &subject, run.megabytes * 1e6 / subject.bytes, 0, NULL);
    bar_row(BAR_TRACE_CORE, &subject, one_core.seconds * 1e12 / subject.bytes, one_core.seconds,
            NULL);
}

// gzip stores the unpacked size at the end.
static double unpacked_bytes(const char *path)
{
    unsigned char size[4] = {0};
    FILE *file = fopen(path, "re");
    if (!file || fseek(file, -(long)sizeof size, SEEK_END) != 0 ||
        fread(size, 1, sizeof size, file) != sizeof size)
        die("the packed trace cannot be read");
    fclose(file);
    return (double)((uint32_t)size[3] << 24 | (uint32_t)size[2] << 16 | (uint32_t)size[1] << 8 |
                    size[0]);
}

// A real trace of 148 MB, if the corpus is next to the project.
static void packed_rows(void)
{
    const char *corpus = getenv("DLPROF_CORPUS"), *source = getenv("SOURCE_DIR");
    char path[4096];
    struct subject subject = {.kind = TRACE, .path = path};
    snprintf(path, sizeof path, "%s%s/kineto/gt_resnet50_cpu/worker0_span1.pt.trace.json.gz",
             corpus   ? corpus
             : source ? source
                      : "",
             corpus ? "" : "/../shared/corpus");
    if (access(path, R_OK) != 0) {
        bar_none(BAR_PACKED, &subject, "no corpus here");
        return;
    }
    subject.bytes = unpacked_bytes(path);
    struct run one_core = run_layers(path, true);
    bar_row(BAR_PACKED, &subject, one_core.seconds * 1e12 / subject.bytes, one_core.seconds, NULL);
    bar_row(BAR_PACKED_PEAK, &subject, one_core.megabytes * 1e6 / subject.bytes, 0, NULL);
}

int main(int argc, char **argv)
{
    long kernels = kernels_asked(argc, argv);
    printf("%u cores, best of %d%s\n\n", parallel_cores(), ROUNDS,
           counts_cpu() ? ", CPU time of all cores together" : "");
    bars_begin();
    for (enum kind kind = 0; kind < RANKS_64; kind++) {
        bool is_extreme = kind == DLPROF_1 || kind == EMIT_4; // the smallest and the largest kind
        if (is_quick(kernels) && !is_extreme && kind != ITERATIONS)
            continue;
        struct subject usual = subject_make(kind, kernels, false);
        struct opening opening = opening_rows(&usual);
        if (kind == DLPROF_1) {
            export_row(&usual);
            cold_rows(&usual);
            shell_rows(&usual, opening.floor);
        }
        if (is_extreme)
            pyprof_row(&usual);
        if (is_extreme) {
            struct subject large = subject_make(kind, kernels, true);
            struct opening large_opening = opening_rows(&large);
            growth_rows(&large, &opening, &large_opening);
        }
    }
    trace_rows(kernels);
    packed_rows();
    return 0;
}
