// SPDX-License-Identifier: Apache-2.0
// Computes what follows from the tables that a loader has filled. Every loader calls these
// functions in this order.
#ifndef MODEL_DERIVE_DERIVE_H
#define MODEL_DERIVE_DERIVE_H

#include "model/profile/loader.h"

// Classifies functions by the rules, streams and processes; STAGE_WORK can be published after the
// exclusive times.
void profile_classify(struct profile *profile);
void profile_link_work(struct profile *profile); // sets work.exclusive
// Removes rows of GPU work that have no time, a time hours from their launch, or are in the file
// twice, with notes. Returns whether it removed any; links and exclusive times are then to be made
// again. Loaders call it when work and calls are read, before anything refers to rows of work.
bool profile_set_aside(struct profile *profile);
// Counts the kernel launches of each process and those whose work is not in the file, with notes.
// Called by profile_build(), when all tables are there.
void profile_count_lost_work(struct profile *profile);
// Marks GPU work that lasts past later work of its own stream, and returns whether there is any.
// Rows that `is_overrun` marks before are passed over, and unmarked. *kept is the number of rows
// that do so on streams where too many do to be damage; they are not marked. Rows are in order of
// (device, start).
bool profile_find_overruns(const struct profile *profile, uint8_t *is_overrun, int64_t *kept,
                           struct arena *scratch);
// Marks GPU work that begins out of the order in which its thread launched it into its stream, if
// that is rare. `launch` has the row of api for each row of work. Returns whether there is any.
bool profile_find_disorder(const struct profile *profile, const uint32_t *launch,
                           const uint8_t *is_passed_over, uint8_t *is_marked,
                           struct arena *scratch);
// Sets memory.ends, memory.ended and the bytes of frees, discards impossible sizes, and adds notes
// about inconsistencies.
void profile_pair_memory(struct profile *profile);
// Sets the range around each allocation of the framework and the row that frees it. Requires
// profile_link_ranges().
void profile_link_allocations(struct profile *profile);
// Returns a copy of the profile that is classified by the rules now in use, after rules_use(). The
// copy lives in `arena` and shares everything with `profile` that does not depend on rules. It adds
// texts to the profile's strings, in profile->arena: both arenas must be guarded by arena_run(),
// and no other thread may read the profile meanwhile.
struct profile *profile_reclassify(const struct profile *profile, struct arena *arena);
// Sets work.launch by (process, correlation) unless it exists, api.first_work, api.work_rows and
// api.kind. STAGE_CALLS can be published then.
void profile_link_calls(struct profile *profile);
// Sets the parents of ranges and api.range.
void profile_link_ranges(struct profile *profile);
// Sets api.route by the rules, for a profile with call chains or with call stacks in its markers.
// profile_build() calls it once ops exist, unless the request ends with ops.
void profile_place_calls(struct profile *profile);
// Adds a note if no call has a call chain. Called when it is known whether markers have call
// stacks.
void profile_note_chains(struct profile *profile);
// Builds markers, ops, places of calls and the tree of a linked profile, as far as requested;
// publishes STAGE_TREE.
bool profile_build(struct profile *profile, const struct load_request *request,
                   struct error *error);
// Runs all of the above on complete tables (parts, digests) and publishes STAGE_READY.
bool profile_derive(struct profile *profile, const struct load_request *request,
                    struct error *error);
// Sets api[i] to the API call of each (process, correlation) pair; ROW_NONE if there is none or the
// correlation is 0. If several calls have the same pair, the earliest one is used; returns the
// number of the others.
int64_t profile_join(const struct profile *profile, const uint32_t *process,
                     const uint32_t *correlation, uint32_t count, uint32_t *api);

#endif
