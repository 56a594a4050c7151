// SPDX-License-Identifier: Apache-2.0
// The number of usable cores, from CPU affinity and the CPU quotas of cgroups (versions 1 and 2),
// and a pool without a queue: each thread takes the next job number from a shared counter.
#include "base/parallel.h"

#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static unsigned cores_by_affinity(void)
{
    // The set must be at least as large as the kernel's; its size can only be found by trying.
    for (size_t cpus = 1024; cpus <= 1 << 17; cpus *= 4) {
        cpu_set_t *set = CPU_ALLOC(cpus);
        if (!set)
            break;
        size_t size = CPU_ALLOC_SIZE(cpus);
        bool is_large_enough = sched_getaffinity(0, size, set) == 0;
        int count = is_large_enough ? CPU_COUNT_S(size, set) : 0;
        CPU_FREE(set);
        if (is_large_enough)
            return count > 0 ? (unsigned)count : 1;
    }
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 && online < INT_MAX ? (unsigned)online : 1;
}

static bool read_line(const char *path, char *line, int size)
{
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    bool read = fgets(line, size, file) != NULL;
    fclose(file);
    return read;
}

// Returns how many cores `quota` of every `period` amounts to, rounded up; `cores` if there is no
// quota.
static unsigned cores_of_quota(long long quota, long long period, unsigned cores)
{
    if (quota <= 0 || period <= 0)
        return cores;
    long long whole = quota / period + (quota % period != 0);
    return whole < cores ? (unsigned)whole : cores;
}

static unsigned cores_of_group(const char *root, const char *group, bool version_2, unsigned cores)
{
    char path[PATH_MAX + 64], line[64];
    long long quota = 0, period = 0;
    if (version_2) {
        snprintf(path, sizeof path, "%s%s/cpu.max", root, group);
        if (read_line(path, line, sizeof line) && sscanf(line, "%lld %lld", &quota, &period) == 2)
            return cores_of_quota(quota, period, cores);
        return cores; // "max 100000", or the root group, which has no such file
    }
    snprintf(path, sizeof path, "%s%s/cpu.cfs_quota_us", root, group);
    if (!read_line(path, line, sizeof line))
        return cores;
    quota = strtoll(line, NULL, 10);
    snprintf(path, sizeof path, "%s%s/cpu.cfs_period_us", root, group);
    if (!read_line(path, line, sizeof line))
        return cores;
    return cores_of_quota(quota, strtoll(line, NULL, 10), cores);
}

// Returns the smallest quota of a cgroup and its ancestors. In a container the path of the group
// may not be visible; the root then has the quota.
static unsigned cores_of_groups(const char *root, char *group, bool version_2, unsigned cores)
{
    for (;;) {
        cores = cores_of_group(root, group, version_2, cores);
        char *slash = strrchr(group, '/');
        if (!slash)
            return cores;
        *slash = '\0';
    }
}

static unsigned cores_by_quota(unsigned cores)
{
    FILE *file = fopen("/proc/self/cgroup", "re");
    if (!file)
        return cores;
    char line[PATH_MAX];
    while (fgets(line, sizeof line, file)) { // "4:cpu,cpuacct:/group" or "0::/group"
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':');
        char *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group)
            continue;
        *group++ = '\0';
        controllers++;
        if (!*controllers) {
            cores = cores_of_groups("/sys/fs/cgroup", group, true, cores);
            continue;
        }
        bool cpu = false;
        char *strtok_state = NULL;
        for (char *word = strtok_r(controllers, ",", &strtok_state); word;
             word = strtok_r(NULL, ",", &strtok_state))
            cpu = cpu || strcmp(word, "cpu") == 0;
        if (cpu)
            cores = cores_of_groups("/sys/fs/cgroup/cpu", group, false, cores);
    }
    fclose(file);
    return cores;
}

// Caches the result, because computing it opens about a dozen files, which takes longer than many
// jobs.
unsigned parallel_cores(void)
{
    static atomic_uint cached_cores;
    unsigned cores = atomic_load_explicit(&cached_cores, memory_order_relaxed);
    if (cores)
        return cores;
    cores = cores_by_quota(cores_by_affinity());
    cores = cores ? cores : 1;
    atomic_store_explicit(&cached_cores, cores, memory_order_relaxed);
    return cores;
}

// On Linux niceness is per thread and is inherited by the threads it starts. At NICER a thread
// still gets a third of the time that a competing program gets.
void parallel_lower_priority(void)
{
    enum { NICER = 5 };
    setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + NICER);
}

size_t parallel_parts(size_t rows)
{
    enum { PART_ROWS = 1 << 14, MAX_PARTS = 16 };
    size_t parts = rows / PART_ROWS + 1;
    return parts < MAX_PARTS ? parts : MAX_PARTS;
}

static void *run_jobs(void *argument)
{
    struct parallel *run = argument;
    for (;;) {
        size_t i = atomic_fetch_add(&run->next, 1);
        if (i >= run->count)
            return NULL;
        run->job(run->context, i);
    }
}

void parallel_begin(struct parallel *run, unsigned threads, size_t count,
                    void (*job)(void *context, size_t i), void *context)
{
    size_t thread_count = threads > 0 ? threads - 1 : 0;
    thread_count = thread_count < PARALLEL_THREADS ? thread_count : PARALLEL_THREADS;
    thread_count = thread_count < count ? thread_count : count;
    atomic_init(&run->next, 0);
    run->count = count;
    run->job = job;
    run->context = context;
    run->started = 0;
    // If a thread cannot be started, the started ones do its share.
    while (run->started < thread_count &&
           pthread_create(&run->others[run->started], NULL, run_jobs, run) == 0)
        run->started++;
}

void parallel_end(struct parallel *run)
{
    run_jobs(run);
    for (size_t i = 0; i < run->started; i++)
        pthread_join(run->others[i], NULL);
}

void parallel_run(unsigned threads, size_t count, void (*job)(void *context, size_t i),
                  void *context)
{
    struct parallel run;
    unsigned used_threads =
        threads < count ? threads : (unsigned)count; // the calling thread counts
    parallel_begin(&run, used_threads, count, job, context);
    parallel_end(&run);
}
