// SPDX-License-Identifier: Apache-2.0
// From what a loader has read to ops and the op tree. What the tree needs of ranges alone, who adopts
// whom and which backward is whose, is found on another thread while ops are made.
#include "base/parallel.h"
#include "model/derive/derive.h"
#include "model/markers/markers.h"
#include "model/ops/ops.h"
#include "model/ops/tree_build.h"

static bool go_on(struct load_progress *progress, const char *doing, struct error *error)
{
    if (!progress)
        return true;
    atomic_store(&progress->doing, doing);
    return !atomic_load(&progress->cancel) || error_set(error, ERROR_CANCELLED, "cancelled");
}

struct building {
    struct profile *profile;
    const struct load_request *request;
    struct profile seen; // the profile as it is when ops are begun
    struct arena *arena; // of what is found ahead
    struct tree_ahead ahead;
    struct error error; // of that
    atomic_bool stop;   // nobody waits for it any more
};

static bool ahead_body(void *context, struct error *error)
{
    (void)error;
    struct building *building = context;
    building->ahead = tree_look_ahead(&building->seen, building->arena);
    return true;
}

static void ahead_job(void *context, size_t i)
{
    (void)i;
    struct building *building = context;
    arena_run(building->arena, ahead_body, building, &building->error);
}

static bool ops_body(void *context, struct error *error)
{
    struct building *building = context;
    if (!go_on(building->request->progress, "building ops", error))
        return false;
    ops_build(building->profile, building->request->mode);
    return true;
}

static bool places_body(void *context, struct error *error)
{
    struct building *building = context;
    profile_place_calls(building->profile);
    return go_on(building->request->progress, "building the op tree", error);
}

static bool tree_body(void *context, struct error *error)
{
    struct building *building = context;
    (void)error;
    op_tree_build_with(building->profile, &building->ahead);
    return true;
}

static bool build_all(struct building *building, struct error *error)
{
    struct profile *profile = building->profile;
    building->seen = *profile;
    building->seen.strings = strings_share(profile->strings);
    building->arena = arena_brief(profile->arena);
    if (!building->arena)
        return error_set(error, ERROR_MEMORY, "out of memory");
    arena_stop_by(building->arena, &building->stop);
    struct parallel beside;
    // Until its end memory is taken from arenas that are guarded here, or within.
    parallel_begin(&beside, profile->workers, 1, ahead_job, building);
    bool done = arena_run(profile->arena, ops_body, building, error) &&
                arena_run(profile->arena, places_body, building, error);
    if (!done)
        atomic_store(&building->stop, true);
    parallel_end(&beside);
    if (done && building->error.kind != ERROR_NONE) {
        *error = building->error;
        done = false;
    }
    done = done && arena_run(profile->arena, tree_body, building, error);
    arena_free(building->arena);
    return done;
}

bool profile_build(struct profile *profile, const struct load_request *request, struct error *error)
{
    if (!go_on(request->progress, "reading markers", error))
        return false;
    markers_parse(profile);
    graph_origins_find(profile);
    struct building building = {.profile = profile, .request = request};
    return (request->ends_with_ops ? ops_body(&building, error) : build_all(&building, error)) &&
           profile_publish(profile, STAGE_TREE, request->progress, error);
}

// No stage is shown before that of the tree: all tables are there at once, and unlinked.
bool profile_derive(struct profile *profile, const struct load_request *request,
                    struct error *error)
{
    profile->lacks_times = profile_find_note(profile, NOTE_NO_TIMES) != NULL;
    profile_classify(profile);
    profile_link_work(profile);
    profile_link_calls(profile);
    if (!go_on(request->progress, "linking launches", error))
        return false;
    profile_link_ranges(profile);
    ops_link_told(profile);
    profile_pair_memory(profile);
    profile_link_allocations(profile);
    if (!profile_build(profile, request, error))
        return false;
    profile_note_chains(profile);
    return profile_publish(profile, STAGE_READY, request->progress, error);
}
