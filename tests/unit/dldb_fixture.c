// SPDX-License-Identifier: Apache-2.0
// Builds a DLProf database from the SQL of tests/golden/dldb.
#include "dldb_fixture.h"

#include <stdlib.h>
#include <string.h>

#include "file_text.h"
#include "nsys_fixture.h"
#include "paths.h"

const char *dldb_file(const char *sql)
{
    char *tables = file_read(source_path("/tests/golden/dldb/tables.sql")),
         *rows = file_read(source_path("/tests/golden/dldb/profile.sql"));
    char *all = malloc(strlen(tables) + strlen(rows) + strlen(sql) + 1);
    if (!all)
        abort();
    strcpy(all, tables);
    strcat(all, rows);
    strcat(all, sql);
    const char *path = nsys_file(all);
    free(all);
    free(tables);
    free(rows);
    return path;
}
