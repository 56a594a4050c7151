// SPDX-License-Identifier: Apache-2.0
// Draws two lines of text above the chart of the steps: the typical length, and notes.
#include "ui/views/steps_notes.h"

#include <inttypes.h>

#include "analysis/steps/step_sets.h"
#include "analysis/steps/step_slowest.h"
#include "base/text/format.h"
#include "ui/host.h"
#include "ui/state/scope.h"
#include "ui/state/steps.h"
#include "ui/term/action.h"
#include "ui/term/canvas.h"
#include "ui/term/style.h"
#include "ui/views/steps_chart.h"

void steps_typical_draw(struct app *app, struct canvas *canvas, struct area line)
{
    const struct steps *steps = app_steps(app);
    struct step_statistics usual = app_step_statistics(app);
    char median[FORMAT_SIZE];
    format_duration(median, usual.median_ns, canvas->ascii);
    const char *text = median; // a single step has no spread
    if (usual.count > 1)
        text = arena_format(
            canvas->frame, "%s (%s)",
            step_statistics_text(&usual, host_scope(app)->split, canvas->ascii, canvas->frame),
            host_step_name(app, usual.worst, canvas->frame));
    char chosen[FORMAT_SIZE], all[FORMAT_SIZE];
    format_count(all, steps->count);
    const char *of =
        usual.count == steps->count
            ? arena_format(canvas->frame, "all %s", all)
            : arena_format(canvas->frame, "%s of %s", format_count(chosen, usual.count), all);
    if (host_scope(app)->split->method == SPLIT_NONE)
        of = action_text("{key}: what could cut the run into steps", canvas->frame);
    else if (canvas_width(text) + canvas_width(of) + 15 <= line.width)
        of = arena_format(canvas->frame, "%s in the set", of);
    canvas_format(canvas, 1, line.y, line.width - 2, STYLE_STRONG, "%s   %s", text, of);
}

// Returns the median of the host's periods of the chosen steps.
static int64_t host_median(struct app *app)
{
    const struct steps *steps = app_steps(app);
    return step_statistics_of(steps->host_ns, host_scope(app)->iterations, steps->count,
                              host_canvas(app)->frame)
        .median_ns;
}

// Returns "slowest: rank 2, +1.16 ms (11 of 12)": the GPU that works longest in the step under the
// cursor, or in another chosen step if no GPU stands out there, by how much, and in how many steps.
// NULL: no GPU stands out in any step.
static const char *slowest_text(struct app *app, struct arena *arena)
{
    const struct steps *steps = app_steps(app);
    const struct steps_slowest *slowest = app_steps_slowest(app);
    uint32_t at = host_step(app), times = 0, count = 0;
    char time[FORMAT_SIZE];
    if (!slowest || steps->count < 2 || at >= steps->count)
        return NULL;
    const struct step_slowest *here = &slowest->steps[at];
    // No GPU stands out here: use another step.
    for (uint32_t i = 0; i < steps->count && !here->is_odd; i++)
        if (slowest->steps[i].is_odd && host_step_is_selected(app, i))
            here = &slowest->steps[i];
    if (!here->is_odd)
        return NULL;
    for (uint32_t i = 0; i < steps->count; i++) {
        if (!host_step_is_selected(app, i))
            continue;
        count++;
        times += slowest->steps[i].is_odd && slowest->steps[i].device == here->device;
    }
    uint32_t step = (uint32_t)(here - slowest->steps);
    return arena_format(
        arena, "slowest%s%s: %s %" PRId64 ", +%s (%u of %u)", step == at ? "" : " in ",
        step == at ? "" : host_step_name(app, step, arena), slowest->by_rank ? "rank" : "GPU",
        here->number, format_duration(time, here->above_ns, host_canvas(app)->ascii), times, count);
}

// Returns "p prefill 4: 12.1 ms  d decode 8: 1.3 ms": the sign of each kind in the chart, its
// number of chosen steps and their median length; NULL: the steps have no kinds.
static const char *kinds_text(struct app *app, struct arena *arena)
{
    const struct split *split = host_scope(app)->split;
    const struct steps *steps = app_steps(app);
    uint32_t counts[STEP_KIND_COUNT];
    const char *text = "";
    bool *members = ARENA_ARRAY(arena, bool, (size_t)split->count + 1);
    if (!split_count_kinds(split, counts))
        return NULL;
    for (enum step_kind kind = STEP_PREFILL; kind < STEP_KIND_COUNT; kind++) {
        char time[FORMAT_SIZE];
        const char *name = step_kind_names[kind];
        for (uint32_t i = 0; i < split->count; i++)
            members[i] = split_kind(split, i) == kind && host_step_is_selected(app, i);
        struct step_statistics usual =
            step_statistics_of(steps->duration_ns, members, steps->count, arena);
        if (usual.count)
            text = arena_format(arena, "%s%s%c %s %u: %s", text, *text ? "  " : "", name[0], name,
                                usual.count,
                                format_duration(time, usual.median_ns, host_canvas(app)->ascii));
    }
    return text;
}

void steps_notes_draw(struct app *app, struct canvas *canvas, struct area line,
                      const struct steps_chart *chart, uint32_t gpus_not_shown)
{
    struct arena *arena = canvas->frame;
    const struct steps *steps = app_steps(app);
    const char *notes[7], *text = "";
    char time[FORMAT_SIZE], all[FORMAT_SIZE];
    size_t count = 0;
    const char *kinds = kinds_text(app, arena);
    if (kinds)
        notes[count++] = kinds;
    const char *late = slowest_text(app, arena);
    if (late)
        notes[count++] = late;
    if (chart->bucket > 1)
        notes[count++] =
            arena_format(arena, "a bar is the median of %u, a line the longest", chart->bucket);
    if (chart->count < steps->count)
        notes[count++] =
            arena_format(arena, "%s-%s of %s shown", host_step_name(app, chart->first, arena),
                         host_step_name(app, chart->first + chart->count - 1, arena) + 1,
                         format_count(all, steps->count));
    if (host_is_comparing(app) && steps->count > 1)
        notes[count++] = action_text("{flip}: step by step beside A", arena);
    if (gpus_not_shown > 0)
        notes[count++] = arena_format(arena, "%u more GPUs: %s one of them", gpus_not_shown,
                                      action_text("{previous-gpu} {next-gpu}", arena));
    struct step_statistics usual = app_step_statistics(app);
    int64_t host = host_median(app);
    bool has_marks = steps_chart_marks_host(app, chart);
    if (usual.count > 1 && host > 0 && step_host_differs(usual.median_ns, host))
        notes[count++] = arena_format(
            arena, "host median %s: %s%s", format_duration(time, host, canvas->ascii),
            host < usual.median_ns ? "runs ahead" : "begins them apart", has_marks ? " (h)" : "");
    else if (has_marks)
        notes[count++] = "h: the host's period";
    for (size_t i = 0; i < count; i++) {
        const char *longer = arena_format(arena, "%s%s%s", text, *text ? "   " : "", notes[i]);
        text = canvas_width(longer) <= line.width - 2 ? longer : text;
    }
    int room = line.width - 2 - canvas_width(text);
    for (enum omitted_steps_form form = 0; form < OMITTED_STEPS_FORMS; form++) {
        const char *omitted = app_out_text(app, form, arena);
        if (!omitted || canvas_width(omitted) + 8 > room)
            continue;
        text = arena_format(arena, "out: %s%s%s", omitted, *text ? "   " : "", text);
        break;
    }
    canvas_text_in(canvas, 1, line.y, line.width - 2, STYLE_DIM, text);
}
