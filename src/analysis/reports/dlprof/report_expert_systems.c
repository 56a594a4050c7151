// SPDX-License-Identifier: Apache-2.0
// DLProf's expert systems report: problem and recommendation only.
#include "analysis/detectors/expert.h"
#include "analysis/report/report.h"

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
    struct finding_list findings = expert_dlprof(profile, selection, arena);
    size_t count = 0;
    for (size_t i = 0; i < findings.count; i++)
        if (findings.items[i].severity != SEVERITY_NOT_JUDGED)
            findings.items[count++] = findings.items[i];
    return (struct rows){.items = findings.items,
                         .count = count,
                         .empty = count ? NULL : "No recommendations detected."};
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
    .needs_ops = true,
    .file = "expert_systems",
    .file_title = "Expert Systems Feedback",
};
