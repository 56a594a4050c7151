// SPDX-License-Identifier: Apache-2.0
// A file system for SQLite that fails when it is told to: one that stands in front of the real one.
#ifndef TESTS_FAILING_DISK_H
#define TESTS_FAILING_DISK_H

#include <stdbool.h>

extern struct failing_disk {
    int reads, opens;               // so far
    int fail_read;                  // the read that fails, 0: none
    int fail_open;                  // the same of opening
    bool stays;                     // all that follow fail, too
    bool is_short;                  // nothing is read, as beyond the end of a file
    void (*instead)(void *context); // called at fail_read, which does not fail then
    void *context;
} disk;

bool failing_disk_install(void); // for all connections made from now on
void failing_disk_remove(void);

#endif
