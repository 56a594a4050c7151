// SPDX-License-Identifier: Apache-2.0
// Small files that tests write and read.
#ifndef TESTS_FILE_TEXT_H
#define TESTS_FILE_TEXT_H

void file_write(const char *path, const char *text);
char *file_read(const char *path); // all of it, which is not nothing; the caller frees it
// Cuts a line in place into `count` fields, each in quotes or not. Returns what is behind it, NULL where
// there is no line.
char *csv_line(char *at, const char **field, int count);

#endif
