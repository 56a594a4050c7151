// SPDX-License-Identifier: Apache-2.0
// Small nsys exports made at test time from SQL text.
#ifndef TESTS_NSYS_FIXTURE_H
#define TESTS_NSYS_FIXTURE_H

#include "model/profile/loader.h"

// Tables as nsys makes them, with as many columns as matter here, all empty.
extern const char nsys_tables[];

// A fresh file in a folder of its own; `sql` is run on an empty database and may say pid(5) and
// tid(5, 6), see nsys_ids.h. Each call removes what the one before made.
const char *nsys_file(const char *sql);
const char *nsys_bytes(const void *bytes, size_t count); // a file with these bytes
int nsys_remove(void **state); // what the last call made; a teardown of cmocka

// The profile of a database made of nsys_tables and `sql`; fails the test when it does not load.
struct profile *nsys_profile(const char *sql);
int64_t note_count(const struct profile *profile, const char *key); // 0: there is no such note
// The message of a database (without nsys_tables) that must be refused.
const char *nsys_refusal(const char *path, struct error *error);

#endif
