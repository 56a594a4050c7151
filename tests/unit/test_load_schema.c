// SPDX-License-Identifier: Apache-2.0
// Hostile schema definitions in place of every table that is read: views, virtual tables, computed
// columns, defaults, indexes that call functions. None is executed: the file is refused, or the
// rest is read and the missing part reported.
#include "property.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#include "model/open/open.h"
#include "nsys_fixture.h"
#include "profile_rows.h"

enum { MAX_SQL = 32000, MAX_TABLES = 64, PATIENCE_S = 60 };

// Endless rows from a short query.
#define ENDLESS "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT n FROM c"

static struct profile *load(const char *path, struct error *error)
{
    struct load_request request = {.path = path, .threads = 2};
    *error = (struct error){0};
    alarm(PATIENCE_S);
    struct profile *profile = profile_load(&request, error);
    alarm(0);
    return profile;
}

// Returns a file with the profile of tests/unit/profile_rows.c after running `sql`.
static const char *file_with(const char *sql)
{
    char all[MAX_SQL];
    assert_in_range(snprintf(all, sizeof all, "%s%s", profile_rows_sql(), sql), 1, MAX_SQL - 1);
    return nsys_file(all);
}

static void refused(const char *sql, const char *why)
{
    struct error error;
    const char *path = file_with(sql);
    assert_null(load(path, &error));
    assert_int_equal(error.kind, ERROR_DATA);
    if (!strstr(error.message, path) || !strstr(error.message, why))
        fail_msg("not %s, after %s: %s", why, sql, error.message);
}

// Lists the tables that the loader reads, which are all tables of this profile.
static size_t table_names(char names[MAX_TABLES][64])
{
    sqlite3 *db = NULL;
    sqlite3_stmt *row = NULL;
    size_t count = 0;
    assert_int_equal(sqlite3_open(file_with(""), &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, "SELECT name FROM sqlite_master WHERE type = 'table'",
                                        -1, &row, NULL),
                     SQLITE_OK);
    while (sqlite3_step(row) == SQLITE_ROW) {
        assert_true(count < MAX_TABLES);
        snprintf(names[count++], 64, "%s", (const char *)sqlite3_column_text(row, 0));
    }
    sqlite3_finalize(row);
    sqlite3_close(db);
    assert_true(count > 20);
    return count;
}

// ---- views and virtual tables ------------------------------------------------------------------

// Each table is replaced by a view, virtual tables of the kinds that SQLite has, one written as
// SQLite never does, and definitions that contradict their entry in the schema table.
static void test_replaced_tables_are_refused(void **state)
{
    (void)state;
    static const char view[] = "%s is a view or a virtual table", damage[] = "schema (%s)";
    static const struct disguise {
        const char *sql, *why;
    } disguises[] = {
        {"ALTER TABLE %1$s RENAME TO was; CREATE VIEW %1$s AS " ENDLESS ";", view},
        {"DROP TABLE %1$s; CREATE VIRTUAL TABLE %1$s USING fts5(start, end, name, text);", view},
        {"DROP TABLE %1$s; CREATE VIRTUAL TABLE %1$s USING dbstat;", view},
        {"PRAGMA writable_schema = ON; UPDATE sqlite_master SET rootpage = 0,"
         " sql = 'create/**/virtual table %1$s USING dbstat' WHERE name = '%1$s';",
         view},
        {"PRAGMA writable_schema = ON; UPDATE sqlite_master SET rootpage = 0,"
         " sql = 'CREATE VIEW %1$s AS " ENDLESS "' WHERE name = '%1$s';",
         damage},
        {"PRAGMA writable_schema = ON; UPDATE sqlite_master SET"
         " sql = 'CREATE TABLE other (start, end)' WHERE name = '%1$s';",
         damage},
        {"PRAGMA writable_schema = ON; UPDATE sqlite_master SET rootpage = 0, type = 'index',"
         " sql = 'CREATE VIRTUAL TABLE %1$s USING dbstat' WHERE name = '%1$s';",
         damage},
    };
    char names[MAX_TABLES][64], sql[1000], why[100];
    size_t count = table_names(names);
    for (size_t i = 0; i < count; i++) {
        for (size_t how = 0; how < sizeof disguises / sizeof *disguises; how++) {
            if (run_is_quick() && (i + how) % 8)
                continue;
            snprintf(sql, sizeof sql, disguises[how].sql, names[i]);
            snprintf(why, sizeof why, disguises[how].why, names[i]);
            refused(sql, why);
        }
    }
}

// The user's own views next to nsys's tables are ignored.
static void test_other_views_do_no_harm(void **state)
{
    (void)state;
    struct error error;
    struct profile *profile =
        load(file_with("CREATE VIEW mine AS " ENDLESS ";"
                       "CREATE VIRTUAL TABLE search USING fts5(text);"
                       "CREATE TRIGGER t AFTER INSERT ON NVTX_EVENTS BEGIN SELECT 1; END;"),
             &error);
    assert_non_null(profile);
    assert_null(profile_find_note(profile, "file_damaged"));
    profile_free(profile);
}

// ---- columns and indexes -----------------------------------------------------------------------

// A text that needs a second to compute.
#define COSTLY "length(hex(hex(zeroblob(15000000))))"

static void test_computed_columns_are_not_computed(void **state)
{
    (void)state;
    struct error error;
    struct profile *profile = load(
        file_with("DROP TABLE OSRT_API;"
                  "CREATE TABLE OSRT_API (s, e, globalTid, nameId, start AS (s + " COSTLY "),"
                  " end AS (e + " COSTLY "));"
                  "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 9999)"
                  " INSERT INTO OSRT_API SELECT i, i + 1, tid(1, 1), 5 FROM n;"),
        &error);
    assert_non_null(profile);
    assert_int_equal(profile->osrt.count, 0);
    assert_int_equal(note_count(profile, "rows_skipped"), 10000); // without a start or an end
    profile_free(profile);
}

// A default text in every row must not be read once per row.
static void test_default_in_every_row(void **state)
{
    (void)state;
    static char sql[1200000];
    struct error error;
    snprintf(sql, sizeof sql,
             "%sDROP TABLE NVTX_EVENTS;"
             "CREATE TABLE NVTX_EVENTS (start, end, eventType, globalTid);"
             "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 199999)"
             " INSERT INTO NVTX_EVENTS SELECT i, i + 1, 59, 0x1000001000001 FROM n;"
             "ALTER TABLE NVTX_EVENTS ADD COLUMN text DEFAULT '",
             profile_rows_sql());
    size_t length = strlen(sql);
    memset(sql + length, 'x', 900000);
    strcpy(sql + length + 900000, "';");
    struct profile *profile = load(nsys_file(sql), &error);
    if (!profile)
        fail_msg("%s", error.message);
    assert_non_null(profile_find_note(profile, "table_damaged"));
    profile_free(profile);
    char *table = strstr(sql, "DROP TABLE NVTX_EVENTS;"),
         *text = strchr(strstr(table, "DEFAULT"), '\'');
    static char more[900100];
    snprintf(more, sizeof more, "%s", text);
    snprintf(table, sizeof sql - (size_t)(table - sql),
             "DROP TABLE StringIds; CREATE TABLE StringIds (id INT PRIMARY KEY);"
             "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99999)"
             " INSERT INTO StringIds SELECT i FROM n;"
             "ALTER TABLE StringIds ADD COLUMN value DEFAULT %s",
             more);
    profile = load(nsys_file(sql), &error); // 90 GB if all were kept
    if (!profile)
        fail_msg("%s", error.message);
    assert_non_null(profile_find_note(profile, "file_damaged"));
    profile_free(profile);
}

// Constraints concern only writers. Indexes that compute, or that cover only some rows, are not
// used.
static void test_indexes_and_constraints_are_not_used(void **state)
{
    (void)state;
    struct error error;
    struct profile *profile = load(
        file_with(
            "CREATE INDEX costly ON CUPTI_ACTIVITY_KIND_KERNEL (abs(start), end) WHERE end > 0;"
            "CREATE INDEX few ON NVTX_EVENTS (eventType) WHERE eventType = 75;"
            "PRAGMA writable_schema = ON; UPDATE sqlite_master SET"
            " sql = replace(sql, 'abs(start)', '" COSTLY "') WHERE name = 'costly';"
            "UPDATE sqlite_master SET sql = replace(sql, 'start INTEGER NOT NULL',"
            " 'start INTEGER CHECK (" COSTLY " > 0)') WHERE name LIKE '%KERNEL';"),
        &error);
    assert_non_null(profile);
    assert_int_equal(profile->work.count, 5);
    assert_null(profile_find_note(profile, "file_damaged"));
    profile_free(profile);
}

static void test_unknown_collation(void **state)
{
    (void)state;
    struct error error;
    struct profile *profile =
        load(file_with("PRAGMA writable_schema = ON; UPDATE sqlite_master SET"
                       " sql = replace(replace(replace(sql, ' INTEGER', ' INTEGER COLLATE nope'),"
                       " ' TEXT', ' TEXT COLLATE nope'), 'name,', 'name COLLATE nope,')"
                       " WHERE type = 'table';"),
             &error);
    assert_non_null(profile);
    assert_int_equal(strings_find(profile->strings, "void relu(int)") != STRING_NONE, true);
    assert_int_equal(profile->work.count, 5);
    assert_null(profile_find_note(profile, "file_damaged"));
    profile_free(profile);
}

static void test_bad_definitions(void **state)
{
    (void)state;
    refused("PRAGMA writable_schema = ON; UPDATE sqlite_master SET"
            " sql = 'CREATE TABLE OSRT_API (start, START, end)' WHERE name = 'OSRT_API';",
            "duplicate column name");
    refused("PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql ="
            " 'CREATE TABLE OSRT_API (start /*' || hex(zeroblob(600000)) || '*/)'"
            " WHERE name = 'OSRT_API';",
            "damaged"); // longer than any of nsys's
    refused("PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql ="
            " 'CREATE TABLE OSRT_API (start CHECK (' || replace(hex(zeroblob(500)), '0', '(')"
            " || '1' || replace(hex(zeroblob(500)), '0', ')') || '))' WHERE name = 'OSRT_API';",
            "damaged"); // nested too deep
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_replaced_tables_are_refused),
        cmocka_unit_test(test_other_views_do_no_harm),
        cmocka_unit_test(test_computed_columns_are_not_computed),
        cmocka_unit_test(test_default_in_every_row),
        cmocka_unit_test(test_indexes_and_constraints_are_not_used),
        cmocka_unit_test(test_unknown_collation),
        cmocka_unit_test(test_bad_definitions),
    };
    return cmocka_run_group_tests(tests, NULL, nsys_remove);
}
