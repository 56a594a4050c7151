// SPDX-License-Identifier: Apache-2.0
// Reads and writes small files, and splits CSV lines.
#include "file_text.h"

#include <stdio.h>
#include <string.h>

#include "property.h"

static FILE *open_file(const char *path, const char *how)
{
    FILE *file = fopen(path, how);
    if (!file)
        fail_msg("%s: cannot be opened", path);
    return file;
}

void file_write(const char *path, const char *text)
{
    FILE *file = open_file(path, "w");
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

char *file_read(const char *path)
{
    enum { MAX_BYTES = 1 << 22 };
    FILE *file = open_file(path, "r");
    char *text = calloc(1, MAX_BYTES);
    assert_non_null(text);
    size_t length = fread(text, 1, MAX_BYTES - 1, file);
    fclose(file);
    assert_in_range(length, 1, MAX_BYTES - 2);
    return text;
}

char *csv_line(char *at, const char **field, int count)
{
    if (!at || !*at)
        return NULL;
    for (int i = 0; i < count; i++) {
        bool is_quoted = *at == '"';
        field[i] = at += is_quoted;
        at = is_quoted ? strchr(at, '"') : at + strcspn(at, ",\n");
        assert_non_null(at);
        if (is_quoted)
            *at++ = '\0';
        assert_int_equal(*at, i + 1 < count ? ',' : '\n');
        *at++ = '\0';
    }
    return at;
}
