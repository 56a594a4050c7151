// SPDX-License-Identifier: Apache-2.0
// Builds side A of a comparison from options: its steps, GPU and process.
#include "analysis/compare/baseline.h"

#include <inttypes.h>
#include <string.h>

#include "analysis/steps/step_sets.h"
#include "base/text/text.h"

const bool *default_baseline_steps(const struct profile *profile, const struct selection *selection,
                                   struct arena *arena)
{
    const struct split *split = selection->split;
    if (split->method == SPLIT_NONE)
        return NULL;
    bool *members = ARENA_ARRAY(arena, bool, split->count);
    struct step_sets sets = step_sets_of(split, step_lengths(profile, selection, arena), arena);
    bool has_member = false;
    for (uint32_t i = 0; i < split->count; i++)
        has_member |= members[i] = !sets.cut[i] && !sets.warm_up[i];
    return has_member ? members : NULL;
}

// Sets the steps of side A; `like` is the selection of side B.
static bool choose_steps(struct selection *selection, const struct baseline_request *request,
                         const struct selection *like, struct arena *arena, struct error *error)
{
    struct error inner = {0};
    if (request->iters) {
        if (!step_set_choose(selection->split, step_lengths(request->profile, selection, arena),
                             request->iters, &selection->iterations, arena, &inner))
            return error_set(error, ERROR_USAGE, "--baseline-iters: %s", inner.message);
    } else if (request->path) {
        selection->iterations = default_baseline_steps(request->profile, selection, arena);
    } else {
        selection->iterations = like->iterations;
    }
    return true;
}

// Sets the GPU and the process of side A.
static bool choose_scope(struct selection *selection, const struct baseline_request *request,
                         struct error *error)
{
    if (request->gpu != UNKNOWN) {
        selection->device = profile_find_device(request->profile, request->gpu);
        if (selection->device == ROW_NONE)
            return error_set(error, ERROR_USAGE, "--baseline-gpu: no GPU %" PRId64, request->gpu);
    }
    if (request->process != UNKNOWN) {
        selection->process = profile_find_process(request->profile, request->process);
        if (selection->process == ROW_NONE)
            return error_set(error, ERROR_USAGE, "--baseline-process: no process %" PRId64,
                             request->process);
    }
    return true;
}

bool baseline_init(struct baseline *baseline, const struct baseline_request *request,
                   const struct selection *like, struct arena *arena, struct error *error)
{
    const struct split *split = request->path ? request->split : like->split;
    if (!split)
        split = request->key ? split_by_name(request->profile, request->key, arena)
                             : split_find(request->profile, arena);
    if (request->path && !request->split && request->key && !split->key_found)
        return error_set(error, ERROR_USAGE, "--key_op: %s has no op and no range named %s",
                         text_file_name(request->path, NULL), request->key);
    *baseline = (struct baseline){
        .profile = request->profile,
        .selection = selection_all(split),
        .follows_scope = request->gpu == UNKNOWN && request->process == UNKNOWN,
        .name = request->path
                    ? arena_format(arena, "%s", text_file_name(request->path, request->beside))
                    : "this profile",
    };
    return choose_steps(&baseline->selection, request, like, arena, error) &&
           choose_scope(&baseline->selection, request, error);
}
