// SPDX-License-Identifier: Apache-2.0
// Rows of the processes and threads that have activity, and their names.
#include <string.h>

#include "model/nsys/nsys_tables.h"

// ---- rows by id --------------------------------------------------------------------------------

uint32_t nsys_process_row(struct nsys *nsys, int64_t global_id)
{
    struct profile *profile = nsys->profile;
    int64_t key = nsys_pid(nsys, global_id);
    int bits = nsys->dialect->tid_bits;
    uint32_t row = tuples_put(&nsys->processes, &key);
    if (row < profile->process_count)
        return row;
    size_t count = profile->process_count;
    ARENA_PUSH(nsys->arena, profile->processes, count, nsys->process_capacity) = (struct process){
        .global_pid = key,
        .pid = (uint32_t)((uint64_t)key >> bits & ((UINT64_C(1) << bits) - 1)),
    };
    profile->process_count = (uint32_t)count;
    return row;
}

uint32_t nsys_thread_row(struct nsys *nsys, int64_t global_tid)
{
    uint32_t known = nsys->threads_seen.count;
    uint32_t row = tuples_put(&nsys->threads_seen, &global_tid);
    if (row < known)
        return row;
    size_t count = known;
    struct thread thread = {
        .global_tid = global_tid,
        .tid = (uint32_t)(global_tid ^ nsys_pid(nsys, global_tid)),
        .process = nsys_process_row(nsys, global_tid),
    };
    ARENA_PUSH(nsys->arena, nsys->thread_items, count, nsys->thread_capacity) = thread;
    return row;
}

void nsys_publish_threads(struct nsys *nsys)
{
    uint32_t count = nsys->threads_seen.count;
    struct thread *threads = ARENA_ARRAY(nsys->arena, struct thread, count);
    if (count)
        memcpy(threads, nsys->thread_items, count * sizeof *threads);
    nsys->profile->threads = threads;
    nsys->profile->thread_count = count;
}

// ---- names -------------------------------------------------------------------------------------

bool nsys_text(struct nsys *nsys, int64_t id, const char **text)
{
    *text = NULL;
    if (!nsys->strings)
        return false;
    if (!nsys->strings->key) {
        uint32_t index = tuples_find(&nsys->loaded_ids, &id);
        *text = index == UINT32_MAX ? NULL : nsys->loaded_texts[index];
        return *text && **text;
    }
    char *sql = sqlite3_mprintf("SELECT \"%w\" FROM \"%w\" WHERE \"%w\" = %lld", nsys->text_column,
                                nsys->strings->name, nsys->strings->key, (long long)id);
    sqlite3_stmt *row = nsys_prepare(nsys, nsys->db, sql);
    sqlite3_free(sql); // freed first: below, memory that runs out may end this call by longjmp()
    if (row && nsys_step(nsys, row) == SQLITE_ROW) {
        sqlite3_value *cell = sqlite3_column_value(row, 0);
        *text = cell_copy(&cell, 0, 1000, nsys->scratch);
    }
    sqlite3_finalize(row);
    return *text && **text;
}

static const char *const process_columns[] = {"globalPid", "name", NULL};
static const char *const thread_columns[] = {"globalTid", "nameId", NULL};

static void process_row(struct nsys *nsys, sqlite3_value **row, void *context)
{
    (void)context;
    int64_t key;
    if (!cell_integer(row, 0, &key))
        return;
    uint32_t process = tuples_find(&nsys->processes, &key);
    const char *name = cell_copy(row, 1, 200, nsys->scratch);
    if (process != UINT32_MAX && *name && !nsys->profile->processes[process].name)
        nsys->profile->processes[process].name = strings_intern_text(nsys->profile->strings, name);
}

static void thread_row(struct nsys *nsys, sqlite3_value **row, void *context)
{
    (void)context;
    int64_t key, id;
    const char *text;
    if (!cell_integer(row, 0, &key) || !cell_integer(row, 1, &id))
        return;
    uint32_t thread = tuples_find(&nsys->threads_seen, &key);
    if (thread != UINT32_MAX && !nsys->thread_items[thread].name && nsys_text(nsys, id, &text))
        nsys->thread_items[thread].name = strings_intern_text(nsys->profile->strings, text);
}

void nsys_read_names(struct nsys *nsys)
{
    nsys_each_row(nsys, "PROCESSES", process_columns, process_row, NULL);
    nsys_each_row(nsys, "ThreadNames", thread_columns, thread_row, NULL);
}

void nsys_name_threads(struct nsys *nsys)
{
    // Processes of a published stage are immutable, so the names are set in a copy.
    struct profile *profile = nsys->profile;
    struct process *processes = ARENA_ARRAY(nsys->arena, struct process, profile->process_count);
    if (profile->process_count)
        memcpy(processes, profile->processes, profile->process_count * sizeof *processes);
    profile->processes = processes;
    nsys->process_capacity = profile->process_count;
    nsys->dialect->read_names(nsys);
}
