// SPDX-License-Identifier: Apache-2.0
#include "cli/cli_compare.h"

#include <string.h>

#include "analysis/reports/report_list.h"
#include "base/text/text.h"
#include "model/open/open.h"

struct profile *cli_load(const struct load_request *request, struct error *error)
{
    atomic_store(&request->progress->stage, NULL); // reset after a previous load
    struct profile *profile = profile_load(request, error);
    if (!profile)
        profile_free(atomic_load(&request->progress->stage));
    return profile;
}

bool cli_load_baseline(const struct cli *cli, const struct load_request *request,
                       const struct profile **loaded, struct error *error)
{
    *loaded = NULL;
    if (!cli->baseline)
        return true;
    struct load_request older = load_request_of(request, cli->baseline);
    struct error inner = {0};
    *loaded = cli_load(&older, &inner);
    return *loaded || error_set(error, inner.kind, "--baseline: %s", inner.message);
}

bool cli_set_baseline(const struct cli *cli, const struct profile *profile,
                      const struct profile *loaded, struct selection *selection,
                      struct arena *arena, struct error *error)
{
    if (!cli_compares(cli))
        return true;
    if (!step_choice_is_given(&cli->steps))
        selection->iterations = default_baseline_steps(profile, selection, arena);
    const struct baseline_request request = {
        .profile = loaded ? loaded : profile,
        .path = loaded ? cli->baseline : NULL,
        .beside = cli->path,
        .key = cli->key_op,
        .iters = cli->baseline_iters,
        .gpu = cli->baseline_gpu,
        .process = cli->baseline_process,
    };
    struct baseline *baseline = ARENA_NEW(arena, struct baseline);
    selection->baseline = baseline;
    return baseline_init(baseline, &request, selection, arena, error);
}

const struct report *cli_compare_report(const struct report *report,
                                        const struct selection *selection, struct arena *arena,
                                        struct error *error)
{
    const char *unit = compare_unit(selection->baseline->selection.split, selection->split);
    const struct report *compared = compare_report(report, unit, arena);
    if (compared)
        return compared;
    const char *names = "";
    for (size_t i = 0; i < report_count; i++)
        if (report_is_comparable(reports[i]))
            names = arena_format(arena, "%s%s%s", names, *names ? ", " : "", reports[i]->name);
    error_set(error, ERROR_USAGE,
              "--baseline: %s cannot be compared; these can: %s (costs: the step by what it costs)",
              report->name, names);
    return NULL;
}

const char *cli_compare_caption(const struct cli *cli, const struct report *report,
                                const struct profile *profile, const struct selection *selection,
                                struct arena *arena)
{
    struct compared compared;
    compare_init(&compared, profile, selection, arena);
    const char *name = selection->baseline->name;
    const char *text = arena_format(
        arena, "A: %s, %s\n%s", name,
        compare_sides_text(&compared,
                           cli->baseline ? text_file_name(cli->path, cli->baseline) : name, arena),
        compare_text(&compared, true, arena));
    const char *unit = compare_unit(selection->baseline->selection.split, selection->split), *note;
    text = arena_format(arena, "%s, shown %s", text, compare_parts_text(report, unit, arena));
    for (size_t i = 0; (note = compare_note_text(&compared, i, arena)); i++)
        text = arena_format(arena, "%s\nnote: %s", text, note);
    report = compare_base(report);
    if (report->apart)
        text = arena_format(arena, "%s\nnote: rows %s: neither they nor their differences add up",
                            text, report->apart);
    return text;
}

bool cli_check_limits(const struct cli *cli, const struct profile *profile,
                      const struct selection *selection, void (*tell)(const char *line),
                      bool *crossed, struct arena *arena, struct error *error)
{
    *crossed = false;
    for (size_t i = 0; i < cli->limit_count; i++) {
        bool is_crossed = false;
        const char *line = "";
        if (!limit_check(&cli->limits[i], profile, selection, &is_crossed, &line, arena, error))
            return false;
        if (is_crossed || cli->verbosity >= VERBOSITY_NORMAL)
            tell(text_safe(arena, line, strlen(line), true));
        *crossed |= is_crossed;
    }
    return true;
}
