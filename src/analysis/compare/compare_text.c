// SPDX-License-Identifier: Apache-2.0
// Describes a comparison in words: the change of the step, both sides, and what makes them hard to
// compare.
#include <stdlib.h>
#include <string.h>

#include "analysis/compare/compare.h"
#include "analysis/place/selection_text.h"
#include "base/text/format.h"
#include "model/profile/recorder.h"

// If only one side has steps, returns what the time of this side is of: "capture" or "20
// iterations". Else returns "".
static const char *own_unit(const struct compared *compared, int side, struct arena *arena)
{
    const struct selection *selection = &compared->side[side].selection;
    const struct selection *other = &compared->side[SIDES - 1 - side].selection;
    char count[FORMAT_SIZE];
    if (selection->split->method != SPLIT_NONE && other->split->method != SPLIT_NONE)
        return "";
    if (selection->split->method == SPLIT_NONE)
        return other->split->method == SPLIT_NONE ? "" : "capture";
    return arena_format(arena, "%s",
                        format_counted(count, selection_iteration_count(selection),
                                       split_words_of(selection->split)->one));
}

const char *compare_text(const struct compared *compared, bool ascii, struct arena *arena)
{
    int64_t a = side_step_ns(&compared->side[SIDE_A]);
    int64_t b = side_step_ns(&compared->side[SIDE_B]);
    const char *unit = compared->unit ? compared->unit : "capture";
    const char *unit_b = own_unit(compared, SIDE_B, arena);
    if (!compared->side[SIDE_B].is_whole || a == UNKNOWN || b == UNKNOWN)
        return compared->unit ? arena_format(arena, "of one %s and GPU", unit)
                              : "of the captures, of one GPU";
    char from[FORMAT_SIZE], to[FORMAT_SIZE], by[FORMAT_SIZE], percent[FORMAT_SIZE];
    if (*unit_b)
        unit = own_unit(compared, SIDE_A, arena);
    const char *text =
        arena_format(arena, "%s %s -> %s%s%s, %s%s (%s)", unit, format_duration(from, a, ascii),
                     unit_b, *unit_b ? " " : "", format_duration(to, b, ascii), b > a ? "+" : "",
                     format_duration(by, b - a, ascii),
                     format_change(percent, (double)(b - a) / (double)a, "%"));
    int64_t noise = compare_noise_ns(compared);
    if (a != b && noise > 0 && llabs(b - a) <= noise)
        text = arena_format(arena, "%s: noise, they vary by %s", text,
                            format_duration(by, noise, ascii));
    return text;
}

const char *compare_sides_text(const struct compared *compared, const char *name_b,
                               struct arena *arena)
{
    const struct side *a = &compared->side[SIDE_A], *b = &compared->side[SIDE_B];
    return arena_format(arena, "%s; B: %s, %s", selection_text(a->profile, &a->selection, arena),
                        name_b, selection_text(b->profile, &b->selection, arena));
}

// ---- notes --------------------------------------------------------------------------------------

// Returns the names of the GPUs with work, each once.
static const char *gpu_names(const struct profile *profile, struct arena *arena)
{
    const char *names = "";
    for (uint32_t d = 0; d < profile->device_count; d++) {
        const char *name = profile_text(profile, profile->devices[d].name);
        if (profile->devices[d].has_work && *name && !strstr(names, name) && strlen(names) < 200)
            names = arena_format(arena, "%s%s%s", names, *names ? ", " : "", name);
    }
    return names;
}

static const char *gpus_note(const struct compared *compared, struct arena *arena)
{
    const char *a = gpu_names(compared->side[SIDE_A].profile, arena);
    const char *b = gpu_names(compared->side[SIDE_B].profile, arena);
    return *a && *b && strcmp(a, b) != 0 ? arena_format(arena, "A ran on %s, B on %s", a, b) : NULL;
}

static const char *work_note(const struct compared *compared, struct arena *arena)
{
    bool has_a = compared->side[SIDE_A].profile->work.count > 0;
    bool has_b = compared->side[SIDE_B].profile->work.count > 0;
    return has_a == has_b ? NULL
                          : arena_format(arena, "%s has no GPU work: its times are unknown, not 0",
                                         has_a ? "B" : "A");
}

static const char *count_note(const struct compared *compared, struct arena *arena)
{
    uint32_t count[SIDES];
    if (work_note(compared, arena))
        return NULL;
    for (int s = 0; s < SIDES; s++)
        count[s] = selection_device_count(compared->side[s].profile, &compared->side[s].selection);
    return count[SIDE_A] != count[SIDE_B]
               ? arena_format(arena, "A is the mean of %u GPU%s, B of %u", count[SIDE_A],
                              count[SIDE_A] == 1 ? "" : "s", count[SIDE_B])
               : NULL;
}

static const char *split_note(const struct compared *compared, struct arena *arena)
{
    const struct split *a = compared->side[SIDE_A].selection.split;
    const struct split *b = compared->side[SIDE_B].selection.split;
    bool has_a = a->method != SPLIT_NONE, has_b = b->method != SPLIT_NONE;
    if (has_a != has_b)
        return arena_format(arena, "%s has no %s: totals of the captures are compared",
                            has_a ? "B" : "A", split_words_of(has_a ? a : b)->several);
    return has_a && (a->method != b->method || strcmp(a->key, b->key) != 0)
               ? arena_format(arena, "A is cut into %s by %s, B into %s by %s",
                              split_words_of(a)->several, *a->key ? a->key : "DLProf's default",
                              split_words_of(b)->several, *b->key ? b->key : "DLProf's default")
               : NULL;
}

static const char *mode_note(const struct compared *compared, struct arena *arena)
{
    const struct profile *a = compared->side[SIDE_A].profile;
    const struct profile *b = compared->side[SIDE_B].profile;
    return a->mode != b->mode ? arena_format(arena, "ops are by %s markers in A, by %s in B",
                                             mode_names[a->mode], mode_names[b->mode])
                              : NULL;
}

static const char *graph_note(const struct compared *compared, struct arena *arena)
{
    const char *a = compared->side[SIDE_A].profile->capture.graph_mode;
    const char *b = compared->side[SIDE_B].profile->capture.graph_mode;
    return *a && *b && strcmp(a, b) != 0
               ? arena_format(arena, "CUDA graphs are traced by %s in A, by %s in B", a, b)
               : NULL;
}

static const char *tool_note(const struct compared *compared, struct arena *arena)
{
    bool has_a = profile_is_trace(compared->side[SIDE_A].profile);
    bool has_b = profile_is_trace(compared->side[SIDE_B].profile);
    return has_a == has_b ? NULL
                          : arena_format(arena,
                                         "%s is a trace of the PyTorch Profiler and %s is none: "
                                         "recorders add unlike times on the host",
                                         has_a ? "A" : "B", has_a ? "B" : "A");
}

const char *compare_note_text(const struct compared *compared, size_t i, struct arena *arena)
{
    static const char *(*const notes[])(const struct compared *compared, struct arena *arena) = {
        gpus_note, work_note, count_note, split_note, mode_note, graph_note, tool_note,
    };
    for (size_t n = 0; n < sizeof notes / sizeof *notes; n++) {
        const char *text = notes[n](compared, arena);
        if (text && i-- == 0)
            return text;
    }
    return NULL;
}
