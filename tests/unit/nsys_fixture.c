// SPDX-License-Identifier: Apache-2.0
// Creates nsys exports in temporary folders and loads them.
#include "nsys_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>
#include <cmocka.h>

#include "model/open/open.h"
#include "nsys_ids.h"

const char nsys_tables[] =
    "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);"
    "INSERT INTO StringIds VALUES (0, '[Unknown]'), (1, 'cudaLaunchKernel_v7000'),"
    " (2, 'void gemm<float>(int)'), (3, 'gemm'), (4, 'cudaMemcpyAsync_v3020'),"
    " (5, 'registered'), (6, 'cudaStreamSynchronize_v3020'), (7, 'void relu(int)'), (8, 'relu');"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER,"
    " deviceId INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER,"
    " globalPid INTEGER, demangledName INTEGER, shortName INTEGER, registersPerThread INTEGER,"
    " gridX INTEGER, gridY INTEGER, gridZ INTEGER, blockX INTEGER, blockY INTEGER,"
    " blockZ INTEGER, staticSharedMemory INTEGER, dynamicSharedMemory INTEGER,"
    " graphNodeId INTEGER);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER,"
    " contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER,"
    " bytes INTEGER, copyKind INTEGER, srcKind INTEGER, dstKind INTEGER);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER,"
    " correlationId INTEGER, nameId INTEGER);"
    "CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT,"
    " globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER, domainId INTEGER);";

static char folder[64];
static char path[128];

int nsys_remove(void **state)
{
    (void)state;
    static const char *const tails[] = {"", "-wal", "-journal", "-shm"};
    char name[160];
    if (!*folder)
        return 0;
    for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
        snprintf(name, sizeof name, "%s%s", path, tails[i]);
        unlink(name);
    }
    rmdir(folder);
    *folder = '\0';
    return 0;
}

static const char *fresh_path(void)
{
    nsys_remove(NULL);
    snprintf(folder, sizeof folder, "/tmp/nsys-fixture-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/profile # 100%%?.sqlite",
             folder); // the URI that SQLite gets must escape these
    return path;
}

const char *nsys_file(const char *sql)
{
    sqlite3 *db = NULL;
    char *message = NULL;
    assert_int_equal(sqlite3_open(fresh_path(), &db), SQLITE_OK);
    nsys_ids(db);
    // The file need not survive a power failure.
    sqlite3_exec(db, "PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY;", NULL, NULL, NULL);
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s", message);
    sqlite3_close(db);
    return path;
}

const char *nsys_bytes(const void *bytes, size_t count)
{
    FILE *file = fopen(fresh_path(), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    fclose(file);
    return path;
}

struct profile *nsys_profile(const char *sql)
{
    struct error error = {0};
    char *all = malloc(strlen(nsys_tables) + strlen(sql) + 1);
    assert_non_null(all);
    strcpy(all, nsys_tables);
    strcat(all, sql);
    struct load_request request = {.path = nsys_file(all)};
    free(all);
    struct profile *profile = profile_load(&request, &error);
    if (!profile)
        fail_msg("%s", error.message);
    return profile;
}

const char *nsys_refusal(const char *file, struct error *error)
{
    struct load_request request = {.path = file};
    *error = (struct error){0};
    assert_null(profile_load(&request, error));
    assert_int_not_equal(error->kind, ERROR_NONE);
    return error->message;
}

int64_t note_count(const struct profile *profile, const char *key)
{
    const struct note *note = profile_find_note(profile, key);
    return note ? note->count : 0;
}
