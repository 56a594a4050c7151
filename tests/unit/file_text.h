// SPDX-License-Identifier: Apache-2.0
// Helpers for small files that tests write and read.
#ifndef TESTS_FILE_TEXT_H
#define TESTS_FILE_TEXT_H

void file_write(const char *path, const char *text);
char *file_read(
    const char *path); // reads the whole file, which must not be empty; the caller frees it
// Cuts a line in place into `count` fields, quoted or not. Returns the start of the next line, or
// NULL if there was no line.
char *csv_line(char *at, const char **field, int count);

#endif
