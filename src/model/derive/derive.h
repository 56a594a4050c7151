// SPDX-License-Identifier: Apache-2.0
// What follows from the tables that a loader has filled. Every loader calls these, in this order.
#ifndef MODEL_DERIVE_DERIVE_H
#define MODEL_DERIVE_DERIVE_H

#include "model/profile/loader.h"

// Functions by the rules, stream roles; then exclusive times. Then STAGE_WORK can be handed over.
void profile_classify(struct profile *profile);
void profile_link_work(struct profile *profile); // work.exclusive
// memory.ends, memory.ended and the bytes of frees; sizes that cannot be are not believed. Notes on
// what does not fit together.
void profile_pair_memory(struct profile *profile);
// The range around each allocation of the framework, and what takes it back; after the links of ranges.
void profile_link_allocations(struct profile *profile);
// The same rows judged by the rules in use now, after rules_use(). It lives in `arena`, shares with
// `profile` what rules have no say in, and adds texts to its strings, in profile->arena: both are to
// be guarded by arena_run(), and nobody else may be reading meanwhile.
struct profile *profile_reclassify(const struct profile *profile, struct arena *arena);
// work.launch by (process, correlation) where it is not there yet, api.first_work/work_rows, api.kind.
// Then STAGE_CALLS.
void profile_link_calls(struct profile *profile);
// Range parents, api.range.
void profile_link_ranges(struct profile *profile);
// api.route by the rules, of a profile with call chains or with call stacks in its
// markers; profile_build() does it once ops are there, where the tree is made.
void profile_place_calls(struct profile *profile);
// A note where no call has a chain, once it is known what markers tell instead.
void profile_note_chains(struct profile *profile);
// Markers, ops, places of calls and tree of a profile that is linked, as far as the request asks for
// them; hands over STAGE_TREE.
bool profile_build(struct profile *profile, const struct load_request *request,
                   struct error *error);
// All of the above, of tables that came whole (parts, digests), and STAGE_READY.
bool profile_derive(struct profile *profile, const struct load_request *request,
                    struct error *error);
// The API call of each (process, correlation) pair, ROW_NONE where there is none or the
// correlation is 0. Where a pair stands twice the earlier call has it.
void profile_join(const struct profile *profile, const uint32_t *process,
                  const uint32_t *correlation, uint32_t count, uint32_t *api);

#endif
