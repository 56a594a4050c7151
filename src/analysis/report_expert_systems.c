// SPDX-License-Identifier: Apache-2.0
// DLProf's expert systems report: problem and recommendation, nothing else.
#include "analysis/expert.h"
#include "analysis/report_list.h"

static const struct finding *row_of(const void *row)
{
    return row;
}

static struct value get_problem(const void *row)
{
    return value_text(row_of(row)->problem);
}

static struct value get_recommendation(const void *row)
{
    return value_text(row_of(row)->recommendation);
}

static const struct column columns[] = {
    {.key = "problem",
     .title = "Problem",
     .head = "problem",
     .unit = UNIT_TEXT,
     .get = get_problem,
     .doc = "What DLProf would find.",
     .flags = COLUMN_QUOTED | COLUMN_NAME},
    {.key = "recommendation",
     .title = "Recommendation",
     .head = "recommendation",
     .unit = UNIT_TEXT,
     .get = get_recommendation,
     .doc = "What DLProf would advise.",
     .flags = COLUMN_QUOTED},
};

static struct rows expert_systems_build(const struct profile *profile,
                                        const struct selection *selection, struct arena *arena)
{
    struct finding_list findings = expert_run(profile, selection, arena);
    struct finding *rows = ARENA_ARRAY(arena, struct finding, findings.count + 1);
    size_t count = 0;
    // In the order of its detectors, warnings and notes mixed.
    for (size_t d = 0; d < detector_count; d++)
        for (size_t i = 0; i < findings.count && detectors[d]->is_dlprof; i++)
            if (findings.items[i].detector == detectors[d] &&
                findings.items[i].severity != SEVERITY_NOT_JUDGED)
                rows[count++] = findings.items[i];
    return (struct rows){
        .items = rows, .count = count, .empty = count ? NULL : "No recommendations detected."};
}

static const char *expert_systems_narrow(const struct profile *profile, const void *row,
                                         struct selection *selection)
{
    (void)profile;
    if (row_of(row)->opens)
        *selection = row_of(row)->evidence;
    return row_of(row)->opens;
}

const struct report report_expert_systems = {
    .name = "expert_systems",
    .title = "DLProf's expert systems",
    .doc = "DLProf's expert systems feedback: its detectors' problems and recommendations.",
    .row_size = sizeof(struct finding),
    .column_count = sizeof columns / sizeof *columns,
    .columns = columns,
    .build = expert_systems_build,
    .narrow = expert_systems_narrow,
    .is_dlprof = true,
    .file = "expert_systems",
    .file_title = "Expert Systems Feedback",
};
