// SPDX-License-Identifier: Apache-2.0
// Builds the ncu command for one launch. The launch is found by its ordinal among the launches of
// the same kernel name in its process, so every row of GPU work is visited once.
#include "analysis/reports/ncu_command.h"

#include <ctype.h>
#include <string.h>

#include "analysis/report/stats.h"
#include "base/text/format.h"
#include "base/text/text.h"

// Returns the function name that ncu's --kernel-name matches: without parameters and template
// arguments.
static const char *function_name(const struct profile *profile, uint32_t work, struct arena *arena)
{
    const struct function *function = &profile->functions[AT(profile->work.function, work)];
    const char *name =
        profile_text(profile, function->brief != STRING_NONE ? function->brief : function->full);
    size_t length = strcspn(name, "<(");
    return length > 0 ? arena_copy(arena, name, length) : name;
}

// Escapes `name` for a regular expression inside single quotes of a shell.
static const char *escaped(const char *name, struct arena *arena)
{
    size_t length = strlen(name);
    char *out = arena_alloc(arena, length * 4 + 1, 1), *at = out;
    for (size_t i = 0; i < length; i++) {
        if (name[i] == '\'')
            at = stpcpy(at, "'\\''");
        else if (strchr(".[]{}()*+?^$|\\", name[i]))
            *at++ = '\\', *at++ = name[i];
        else
            *at++ = name[i];
    }
    *at = 0;
    return out;
}

// Returns the start of the launching call on the host, or the start on the GPU if no call is
// recorded.
static int64_t launch_time(const struct profile *profile, uint32_t work)
{
    uint32_t call = HAS(profile->work.launch) ? AT(profile->work.launch, work) : ROW_NONE;
    return call != ROW_NONE ? AT(profile->api.start, call) : AT(profile->work.start, work);
}

static bool is_before(const struct profile *profile, uint32_t a, uint32_t b)
{
    int64_t x = launch_time(profile, a), y = launch_time(profile, b);
    if (x != y)
        return x < y;
    // equal launch times: both run in one replay of a graph
    int64_t p = AT(profile->work.start, a), q = AT(profile->work.start, b);
    return p != q ? p < q : a < b;
}

struct ncu_command ncu_command_of(const struct profile *profile, uint32_t work, struct arena *arena)
{
    const struct gpu_work *rows = &profile->work;
    const char *name = function_name(profile, work, arena);
    bool *is_named = ARENA_ARRAY(arena, bool, (size_t)profile->function_count + 1);
    for (uint32_t f = 0; f < profile->function_count; f++) {
        const struct function *function = &profile->functions[f];
        string_id own = function->brief != STRING_NONE ? function->brief : function->full;
        const char *text = profile_text(profile, own);
        is_named[f] = function->kind == WORK_KERNEL && strncmp(text, name, strlen(name)) == 0 &&
                      strchr("<(", text[strlen(name)]);
    }
    uint32_t skip = 0, all = 0, process = work_process(profile, work);
    for (uint32_t w = 0; w < rows->count; w++) {
        if (!is_named[AT(rows->function, w)] || work_process(profile, w) != process)
            continue;
        all++;
        skip += is_before(profile, w, work);
    }
    char at[FORMAT_SIZE], length[FORMAT_SIZE], ordinal[FORMAT_SIZE], total[FORMAT_SIZE];
    name = text_safe(arena, name, strlen(name), true);
    struct ncu_command line = {
        .command = arena_format(arena,
                                "ncu --target-processes all --kernel-name 'regex:^%s$' "
                                "--launch-skip %u --launch-count 1 PROGRAM",
                                escaped(name, arena), skip),
    };
    const char *many = profile->process_count > 1
                           ? "\nncu counts in each process: of several, one launch of each is "
                             "profiled."
                           : "";
    uint32_t pid = process < profile->process_count ? profile->processes[process].pid : 0;
    line.text = arena_format(
        arena,
        "Launch %s of %s of %s in process %u: at %s of this capture, %s on the GPU.\n"
        "Another run has to launch the same kernels before it; a capture that began late knows "
        "nothing of those before.%s",
        format_count(ordinal, (int64_t)skip + 1), format_count(total, all), name, pid,
        format_time(at, AT(rows->start, work)),
        format_duration(length, work_duration(profile, work), true), many);
    return line;
}

uint32_t ncu_median_launch(const struct profile *profile, const struct selection *selection,
                           struct arena *arena)
{
    const struct gpu_work *rows = &profile->work;
    int64_t *values = ARENA_ARRAY(arena, int64_t, (size_t)rows->count + 1);
    size_t count = 0;
    for (uint32_t w = 0; w < rows->count; w++)
        if (profile->functions[AT(rows->function, w)].kind == WORK_KERNEL &&
            selection_has_work(profile, selection, w))
            values[count++] = work_duration(profile, w);
    if (count == 0)
        return ROW_NONE;
    int64_t median = stats_kth_smallest(values, count, (count - 1) / 2);
    for (uint32_t w = 0; w < rows->count; w++)
        if (profile->functions[AT(rows->function, w)].kind == WORK_KERNEL &&
            work_duration(profile, w) == median && selection_has_work(profile, selection, w))
            return w;
    return ROW_NONE;
}
