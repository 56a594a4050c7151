// SPDX-License-Identifier: Apache-2.0
// Small nsys exports made at test time from SQL text.
#ifndef TESTS_NSYS_FIXTURE_H
#define TESTS_NSYS_FIXTURE_H

#include "model/loader.h"

// Tables as nsys makes them, with as many columns as matter here, all empty.
extern const char nsys_tables[];

// Ids as nsys packs them.
#define GLOBAL_PID(pid)      ((INT64_C(1) << 48) + ((int64_t)(pid) << 24))
#define GLOBAL_TID(pid, tid) (GLOBAL_PID(pid) + (tid))
// The same inside SQL.
#define PID(pid)      "(281474976710656+" #pid "*16777216)"
#define TID(pid, tid) "(281474976710656+" #pid "*16777216+" #tid ")"

// A fresh file in a folder of its own; `sql` is run on an empty database. Each call removes what
// the one before made.
const char *nsys_file(const char *sql);
const char *nsys_bytes(const void *bytes, size_t count); // a file with these bytes
int nsys_remove(void **state); // what the last call made; a teardown of cmocka

// The profile of a database made of nsys_tables and `sql`; fails the test when it does not load.
struct profile *nsys_profile(const char *sql);
int64_t note_count(const struct profile *profile, const char *key); // 0: there is no such note
// The message of a database (without nsys_tables) that must be refused.
const char *nsys_refusal(const char *path, struct error *error);

#endif
