// SPDX-License-Identifier: Apache-2.0
// Small nsys exports built from SQL text at test time.
#ifndef TESTS_NSYS_FIXTURE_H
#define TESTS_NSYS_FIXTURE_H

#include "model/profile/loader.h"

// Empty tables as nsys creates them, with the columns that matter here.
extern const char nsys_tables[];

// Creates a new file in its own folder and runs `sql` on the empty database. The text may use
// pid(5) and tid(5, 6), see nsys_ids.h. Each call removes the file of the previous one.
const char *nsys_file(const char *sql);
const char *nsys_bytes(const void *bytes, size_t count); // a file with these bytes
int nsys_remove(void **state); // removes the file of the last call; a cmocka teardown

// Returns the profile of a database made of nsys_tables and `sql`; fails the test if it does not
// load.
struct profile *nsys_profile(const char *sql);
int64_t note_count(const struct profile *profile, const char *key); // 0 without such a note
// Returns the message with which a database (without nsys_tables) is refused; fails the test if it
// loads.
const char *nsys_refusal(const char *path, struct error *error);

#endif
