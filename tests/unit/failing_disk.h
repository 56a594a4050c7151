// SPDX-License-Identifier: Apache-2.0
// An SQLite VFS that wraps the default one and fails on request.
#ifndef TESTS_FAILING_DISK_H
#define TESTS_FAILING_DISK_H

#include <stdbool.h>

extern struct failing_disk {
    int reads, opens; // calls so far
    int fail_read;    // number of the read that fails; 0: none
    int fail_open;    // number of the open that fails; 0: none
    bool stays;       // all later calls fail as well
    bool is_short; // the read returns no bytes, as beyond the end of the file, instead of an error
    void (*instead)(void *context); // called at `fail_read`, which then does not fail
    void *context;
} disk;

bool failing_disk_install(void); // for all connections opened from now on
void failing_disk_remove(void);

#endif
