// SPDX-License-Identifier: Apache-2.0
// Builds ops and the op tree from loaded tables. The parts of the tree that only depend on ranges
// (adoption and the pairing of backward with forward ops) are computed on another thread while ops
// are built.
#include "base/parallel.h"
#include "model/derive/derive.h"
#include "model/markers/markers.h"
#include "model/ops/ops.h"
#include "model/ops/tree_build.h"

static bool report_progress(struct load_progress *progress, const char *doing, struct error *error)
{
    if (!progress)
        return true;
    atomic_store(&progress->doing, doing);
    return !atomic_load(&progress->cancel) || error_set(error, ERROR_CANCELLED, "cancelled");
}

struct profile_build_state {
    struct profile *profile;
    const struct load_request *request;
    struct profile before_ops; // snapshot taken before ops are built, for the other thread
    struct arena *arena;       // holds `ahead`
    struct tree_inputs ahead;
    struct error error; // of the other thread
    atomic_bool stop;   // set if the result is no longer needed
};

static bool ahead_body(void *context, struct error *error)
{
    (void)error;
    struct profile_build_state *state = context;
    state->ahead = tree_inputs_find(&state->before_ops, state->arena);
    return true;
}

static void ahead_job(void *context, size_t i)
{
    (void)i;
    struct profile_build_state *state = context;
    arena_run(state->arena, ahead_body, state, &state->error);
}

static bool ops_body(void *context, struct error *error)
{
    struct profile_build_state *state = context;
    if (!report_progress(state->request->progress, "building ops", error))
        return false;
    ops_build(state->profile, state->request->mode);
    return true;
}

static bool places_body(void *context, struct error *error)
{
    struct profile_build_state *state = context;
    profile_place_calls(state->profile);
    return report_progress(state->request->progress, "building the op tree", error);
}

static bool tree_body(void *context, struct error *error)
{
    struct profile_build_state *state = context;
    (void)error;
    op_tree_build_from(state->profile, &state->ahead);
    return true;
}

static bool build_all(struct profile_build_state *state, struct error *error)
{
    struct profile *profile = state->profile;
    state->before_ops = *profile;
    state->before_ops.strings = strings_share(profile->strings);
    state->arena = arena_temp(profile->arena);
    if (!state->arena)
        return error_set(error, ERROR_MEMORY, "out of memory");
    arena_set_stop_flag(state->arena, &state->stop);
    struct parallel ahead_run;
    // Until parallel_end() all memory must come from arenas guarded by an arena_run() below, which
    // may not unwind past it.
    parallel_begin(&ahead_run, profile->workers, 1, ahead_job, state);
    bool done = arena_run(profile->arena, ops_body, state, error) &&
                arena_run(profile->arena, places_body, state, error);
    if (!done)
        atomic_store(&state->stop, true);
    parallel_end(&ahead_run);
    if (done && state->error.kind != ERROR_NONE) {
        *error = state->error;
        done = false;
    }
    done = done && arena_run(profile->arena, tree_body, state, error);
    arena_free(state->arena);
    return done;
}

bool profile_build(struct profile *profile, const struct load_request *request, struct error *error)
{
    if (!report_progress(request->progress, "reading markers", error))
        return false;
    profile_count_lost_work(profile);
    markers_parse(profile);
    graph_origins_find(profile);
    struct profile_build_state state = {.profile = profile, .request = request};
    return (request->stops_after_ops ? ops_body(&state, error) : build_all(&state, error)) &&
           profile_publish(profile, STAGE_TREE, request->progress, error);
}

// Publishes no stage before STAGE_TREE: all tables exist at once, but unlinked.
bool profile_derive(struct profile *profile, const struct load_request *request,
                    struct error *error)
{
    profile->lacks_times = profile_find_note(profile, NOTE_NO_TIMES) != NULL;
    profile_classify(profile);
    profile_link_work(profile);
    profile_link_calls(profile);
    if (!report_progress(request->progress, "linking launches", error))
        return false;
    profile_link_ranges(profile);
    ops_link_recorded(profile);
    profile_pair_memory(profile);
    profile_link_allocations(profile);
    if (!profile_build(profile, request, error))
        return false;
    profile_note_chains(profile);
    return profile_publish(profile, STAGE_READY, request->progress, error);
}
