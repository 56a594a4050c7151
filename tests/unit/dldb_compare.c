// SPDX-License-Identifier: Apache-2.0
// Compares two DLProf databases: builds one query per table that joins the tables its ids refer to,
// and compares the sorted rows.
#include "dldb_compare.h"

#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SQL_BYTES = 40000 };

static sqlite3 *database_open(const char *path)
{
    sqlite3 *database;
    if (sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
        fail_msg("%s: %s", path, sqlite3_errmsg(database));
    return database;
}

static sqlite3_stmt *prepare(sqlite3 *database, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL) != SQLITE_OK)
        fail_msg("%s\n%s", sql, sqlite3_errmsg(database));
    return statement;
}

static const char *text(sqlite3_stmt *statement, int column)
{
    return (const char *)sqlite3_column_text(statement, column);
}

// ---- queries that resolve ids ------------------------------------------------------------------

struct query {
    sqlite3 *model; // database whose foreign keys are followed
    char columns[SQL_BYTES], from[SQL_BYTES];
    int tables;
};

static void append(char *sql, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void append(char *sql, const char *format, ...)
{
    size_t used = strlen(sql);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sql + used, SQL_BYTES - used, format, arguments);
    va_end(arguments);
}

// Finds the table and column that a column refers to. An aggregation is identified by its number, a
// GPU by its numbers as well.
static bool find_reference(sqlite3 *model, const char *table, const char *column, char *to)
{
    char sql[300];
    snprintf(sql, sizeof sql,
             "SELECT \"table\", \"from\", \"to\" FROM pragma_foreign_key_list('%s')", table);
    sqlite3_stmt *keys = prepare(model, sql);
    bool is_found = false;
    while (!is_found && sqlite3_step(keys) == SQLITE_ROW) {
        is_found = strcmp(text(keys, 1), column) == 0 && strcmp(text(keys, 2), "id") == 0 &&
                   strcmp(text(keys, 0), "aggregations") != 0;
        if (is_found)
            snprintf(to, 100, "%s", text(keys, 0));
    }
    sqlite3_finalize(keys);
    return is_found;
}

// Appends the columns of a table, whose names begin with `path`, and joins the tables it refers to.
static void add_table(struct query *query, const char *table, const char *path)
{
    char sql[300], to[100], below[600];
    int number = query->tables++;
    snprintf(sql, sizeof sql, "SELECT name FROM pragma_table_info('%s') WHERE name <> 'id'", table);
    sqlite3_stmt *columns = prepare(query->model, sql);
    while (sqlite3_step(columns) == SQLITE_ROW) {
        const char *name = text(columns, 0);
        snprintf(below, sizeof below, "%s%s%s", path, *path ? "." : "", name);
        if (find_reference(query->model, table, name, to)) {
            append(query->from, " LEFT JOIN %s t%d ON t%d.id = t%d.%s", to, query->tables,
                   query->tables, number, name);
            add_table(query, to, below);
        } else {
            append(query->columns, "%st%d.%s AS \"%s\"", *query->columns ? ", " : "", number, name,
                   below);
        }
    }
    sqlite3_finalize(columns);
}

// Returns true for tables that others refer to: their rows are compared where they are referenced,
// as their order has no meaning.
static bool is_referenced(const char *table)
{
    static const char *const names[] = {"dictionary",        "metric",
                                        "node_time_metrics", "kernel_time_metrics",
                                        "category_summary",  "read_only_grid_block"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], table) == 0)
            return true;
    return false;
}

static void make_query(struct query *query, sqlite3 *model, const char *table)
{
    memset(query, 0, sizeof *query);
    query->model = model;
    append(query->from, " FROM %s t0", table);
    add_table(query, table, "");
}

// ---- comparing ---------------------------------------------------------------------------------

// Returns true if the column name ends with one of the given texts.
static bool is_left_out(const char *column, const char *const *left_out)
{
    for (; *left_out; left_out++) {
        size_t length = strlen(column), tail = strlen(*left_out);
        if (length >= tail && strcmp(column + length - tail, *left_out) == 0)
            return true;
    }
    return false;
}

static size_t compare_rows(sqlite3 *expected, sqlite3 *found, const char *what, const char *sql,
                           const char *const *left_out)
{
    sqlite3_stmt *a = prepare(expected, sql), *b = prepare(found, sql);
    size_t equal = 0;
    for (size_t row = 0;; row++) {
        int more = sqlite3_step(a), other = sqlite3_step(b);
        if (more != other)
            fail_msg("%s: %s rows than %zu", what, more == SQLITE_ROW ? "not more" : "more", row);
        if (more != SQLITE_ROW)
            break;
        for (int i = 0; i < sqlite3_column_count(a); i++) {
            const char *x = text(a, i), *y = text(b, i), *name = sqlite3_column_name(a, i);
            if (strcmp(name, sqlite3_column_name(b, i)) != 0)
                fail_msg("%s: %s is called %s", what, name, sqlite3_column_name(b, i));
            if (is_left_out(name, left_out))
                continue;
            if (strcmp(x ? x : "NULL", y ? y : "NULL") != 0)
                fail_msg("%s, row %zu, %s: %s, not %s", what, row, name, y ? y : "NULL",
                         x ? x : "NULL");
            equal++;
        }
    }
    sqlite3_finalize(a);
    sqlite3_finalize(b);
    return equal;
}

static bool is_measured(const char *table)
{
    return strncmp(table, "read_only_", 10) == 0 || strcmp(table, "db_version") == 0 ||
           strcmp(table, "gpu_memories") == 0;
}

static size_t compare_tables(sqlite3 *a, sqlite3 *b, unsigned parts, const char *const *left_out)
{
    size_t equal = 0;
    static struct query query;
    static char sql[2 * SQL_BYTES + 100];
    sqlite3_stmt *tables = prepare(a, "SELECT name FROM sqlite_master WHERE type = 'table' AND "
                                      "name NOT LIKE 'sqlite_%'");
    while (sqlite3_step(tables) == SQLITE_ROW) {
        const char *table = text(tables, 0);
        if (is_referenced(table) ||
            !(parts & (is_measured(table) ? DLDB_MEASURED : DLDB_AGGREGATED)))
            continue;
        make_query(&query, a, table);
        snprintf(sql, sizeof sql, "SELECT %s%s ORDER BY t0.id", query.columns, query.from);
        equal += compare_rows(a, b, table, sql, left_out);
    }
    sqlite3_finalize(tables);
    return equal;
}

static size_t compare_views(sqlite3 *a, sqlite3 *b, const char *const *left_out)
{
    size_t equal = 0;
    sqlite3_stmt *views = prepare(a, "SELECT name FROM sqlite_master WHERE type = 'view'");
    while (sqlite3_step(views) == SQLITE_ROW) {
        char sql[800];
        snprintf(sql, sizeof sql, "SELECT * FROM %s ORDER BY 1", text(views, 0));
        sqlite3_stmt *columns = prepare(a, sql);
        for (int i = 1; i < sqlite3_column_count(columns); i++)
            snprintf(sql + strlen(sql), sizeof sql - strlen(sql), ", %d", i + 1);
        sqlite3_finalize(columns);
        equal += compare_rows(a, b, text(views, 0), sql, left_out);
    }
    sqlite3_finalize(views);
    return equal;
}

size_t dldb_compare(const char *expected, const char *found, unsigned parts,
                    const char *const *left_out)
{
    sqlite3 *a = database_open(expected), *b = database_open(found);
    size_t equal = compare_tables(a, b, parts, left_out);
    if (parts & DLDB_VIEWS)
        equal += compare_views(a, b, left_out);
    sqlite3_close(a);
    sqlite3_close(b);
    return equal;
}

char *dldb_ask(const char *path, const char *sql)
{
    sqlite3 *database = database_open(path);
    sqlite3_stmt *statement = prepare(database, sql);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    char *found = strdup(text(statement, 0) ? text(statement, 0) : "NULL");
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return found;
}

void dldb_check(const char *path)
{
    char *integrity = dldb_ask(path, "PRAGMA integrity_check");
    char *dangling = dldb_ask(path, "SELECT count(*) FROM pragma_foreign_key_check");
    assert_string_equal(integrity, "ok");
    assert_string_equal(dangling, "0");
    free(integrity);
    free(dangling);
}
