// SPDX-License-Identifier: Apache-2.0
// All findings with what proves them, and the checks that lacked data.
#include "analysis/expert.h"
#include "analysis/report_list.h"
#include "base/format.h"

static const char *const severity_names[] = {
    [SEVERITY_NOTE] = "note",
    [SEVERITY_WARNING] = "warning",
    [SEVERITY_NOT_JUDGED] = "not judged",
};

struct expert_row {
    int64_t number; // of warnings and notes; UNKNOWN: not judged, or folded
    struct finding finding;
    const char *scope; // of the proof; NULL: it has none
};

static const struct finding *finding_of(const void *row)
{
    return &((const struct expert_row *)row)->finding;
}

static struct value get_number(const void *row)
{
    return value_integer(((const struct expert_row *)row)->number);
}

static struct value get_severity(const void *row)
{
    return value_text(severity_names[finding_of(row)->severity]);
}

static struct value get_gain(const void *row)
{
    return value_integer(finding_of(row)->gain_ns);
}

static struct value get_share(const void *row)
{
    const struct finding *finding = finding_of(row);
    return finding->gain_ns == UNKNOWN ? value_none() : value_real(finding->share);
}

static struct value get_certainty(const void *row)
{
    enum certainty certainty = finding_of(row)->certainty;
    return certainty == CERTAINTY_NONE ? value_none() : value_text(certainty_names[certainty]);
}

static struct value get_place(const void *row)
{
    return value_text(finding_of(row)->place);
}

static struct value get_line(const void *row)
{
    return value_text(finding_of(row)->source);
}

static struct value get_problem(const void *row)
{
    return value_text(finding_of(row)->problem);
}

static struct value get_recommendation(const void *row)
{
    return value_text(finding_of(row)->recommendation);
}

static struct value get_why(const void *row)
{
    return value_text(finding_of(row)->why);
}

static struct value get_flag(const void *row)
{
    return value_text(finding_of(row)->flag);
}

static struct value get_opens(const void *row)
{
    return value_text(finding_of(row)->opens);
}

static struct value get_id(const void *row)
{
    return value_text(finding_of(row)->detector->id);
}

static struct value get_finding(const void *row)
{
    return value_text(finding_of(row)->id);
}

static struct value get_source(const void *row)
{
    return value_text(detector_source(finding_of(row)->detector));
}

static struct value get_filter(const void *row)
{
    return value_text(finding_of(row)->filter);
}

static struct value get_scope(const void *row)
{
    return value_text(((const struct expert_row *)row)->scope);
}

static struct value get_rule(const void *row)
{
    return value_text(finding_of(row)->detector->doc);
}

static const struct column columns[] = {
    {.key = "number",
     .title = "Number",
     .head = "#",
     .unit = UNIT_ID,
     .get = get_number,
     .doc = "Place among the findings."},
    {.key = "severity",
     .title = "Severity",
     .head = "kind",
     .unit = UNIT_TEXT,
     .get = get_severity,
     .doc = "warning; note: worth knowing, or said only because DLProf says it; not judged: the "
            "capture lacks what it takes."},
    {.key = "gain",
     .title = "Gain at Most (ns)",
     .head = "at most",
     .unit = UNIT_NS,
     .get = get_gain,
     .doc = "What a step can gain at most, on the GPU that the others wait for (no steps found: of "
            "the capture). Bounds do not overlap, so they add up."},
    {.key = "share",
     .title = "Share of Step (%)",
     .head = "%step",
     .unit = UNIT_PERCENT,
     .get = get_share,
     .doc = "The same as a share of the step."},
    {.key = "certainty",
     .title = "Certainty",
     .head = "sure",
     .unit = UNIT_TEXT,
     .get = get_certainty,
     .doc = "certain: the file shows it; likely: something that the file does not tell may be the "
            "reason."},
    {.key = "problem",
     .title = "Problem",
     .head = "what",
     .unit = UNIT_TEXT,
     .get = get_problem,
     .doc = "What is wrong, with the figures.",
     .flags = COLUMN_NAME | COLUMN_QUOTED},
    {.key = "place",
     .title = "Place",
     .head = "where",
     .unit = UNIT_TEXT,
     .get = get_place,
     .doc = "Where in the op tree it is, or which GPU.",
     .flags = COLUMN_QUOTED | COLUMN_WIDE},
    {.key = "source_line",
     .title = "Source Line",
     .head = "line",
     .unit = UNIT_TEXT,
     .get = get_line,
     .doc =
         "Line of the program that most of it comes from, by call chains, else by the call stacks "
         "in markers; unknown where neither was captured.",
     .flags = COLUMN_QUOTED | COLUMN_WIDE},
    {.key = "recommendation",
     .title = "Recommendation",
     .head = "do",
     .unit = UNIT_TEXT,
     .get = get_recommendation,
     .doc = "What to do about it.",
     .flags = COLUMN_QUOTED | COLUMN_WIDE},
    {.key = "why",
     .title = "Evidence",
     .head = "why",
     .unit = UNIT_TEXT,
     .get = get_why,
     .doc = "What the finding rests on.",
     .flags = COLUMN_QUOTED | COLUMN_DETAIL},
    {.key = "flag",
     .title = "nsys Option",
     .head = "needs",
     .unit = UNIT_TEXT,
     .get = get_flag,
     .doc = "Not judged: the option of nsys that would tell more; unknown where none does.",
     .flags = COLUMN_WIDE},
    {.key = "opens",
     .title = "Opens",
     .head = "opens",
     .unit = UNIT_TEXT,
     .get = get_opens,
     .doc = "The report with the rows that prove it.",
     .flags = COLUMN_DETAIL},
    {.key = "filter",
     .title = "Filter",
     .head = "filter",
     .unit = UNIT_TEXT,
     .get = get_filter,
     .doc = "The filter that leaves these rows in that report; none: all of them.",
     .flags = COLUMN_QUOTED | COLUMN_DETAIL},
    {.key = "scope",
     .title = "Scope",
     .head = "scope",
     .unit = UNIT_TEXT,
     .get = get_scope,
     .doc = "What that report is to look at: steps, GPU, place.",
     .flags = COLUMN_QUOTED | COLUMN_DETAIL},
    {.key = "finding",
     .title = "Finding",
     .head = "finding",
     .unit = UNIT_TEXT,
     .get = get_finding,
     .doc = "Name of the finding, the same whatever steps are selected.",
     .flags = COLUMN_QUOTED | COLUMN_DETAIL},
    {.key = "source",
     .title = "Source",
     .head = "source",
     .unit = UNIT_TEXT,
     .get = get_source,
     .doc = "Whose rule it is: dlprof-tui, dlprof, or plugin (PyTorch's TensorBoard plugin).",
     .flags = COLUMN_DETAIL},
    {.key = "id",
     .title = "Detector",
     .head = "detector",
     .unit = UNIT_TEXT,
     .get = get_id,
     .doc = "Stable name of the detector.",
     .flags = COLUMN_DETAIL},
    {.key = "rule",
     .title = "Rule",
     .head = "rule",
     .unit = UNIT_TEXT,
     .get = get_rule,
     .doc = "When the detector speaks; thresholds are in rules/expert.yaml.",
     .flags = COLUMN_QUOTED | COLUMN_DETAIL},
};

static size_t count_clean(const struct finding_list *findings)
{
    size_t clean = 0;
    for (size_t d = 0; d < detector_count; d++) {
        bool spoke = false;
        for (size_t i = 0; i < findings->count; i++)
            spoke = spoke || findings->items[i].detector == detectors[d];
        clean += !spoke;
    }
    return clean;
}

static const char *judged_caption(const struct profile *profile, const struct selection *selection,
                                  const struct finding_list *findings, struct arena *arena)
{
    const char *bounds = "", *left_out = expert_left_out(findings, arena);
    const char *others = expert_others(findings, arena);
    char found[FORMAT_SIZE], noted[FORMAT_SIZE], checks[FORMAT_SIZE], text[FORMAT_SIZE];
    if (findings->gain_ns > 0)
        bounds =
            arena_format(arena, ", gaining at most %s %s (%.1f %% of %s) together",
                         format_duration(text, findings->gain_ns, true), expert_unit(selection),
                         100 * findings->share, expert_whole(findings, profile, true, arena));
    return arena_format(arena, "%s%s, %s, %s clean, %zu not judged%s%s%s%s",
                        format_counted(found, expert_count(findings, SEVERITY_WARNING), "finding"),
                        bounds,
                        format_counted(noted, expert_count(findings, SEVERITY_NOTE), "note"),
                        format_counted(checks, count_clean(findings), "check"),
                        expert_count(findings, SEVERITY_NOT_JUDGED), others ? ", " : "",
                        others ? others : "", left_out ? "; steps " : "", left_out ? left_out : "");
}

static const char *unjudged_caption(const struct finding_list *findings, const char *none,
                                    struct arena *arena)
{
    char checks[FORMAT_SIZE];
    const char *others = expert_others(findings, arena);
    return arena_format(
        arena, "%s; %s not judged%s%s", none,
        format_counted(checks, expert_count(findings, SEVERITY_NOT_JUDGED), "check"),
        others ? ", " : "", others ? others : "");
}

static struct rows expert_build(const struct profile *profile, const struct selection *selection,
                                struct arena *arena)
{
    struct finding_list findings = expert_run(profile, selection, arena);
    struct expert_row *rows = ARENA_ARRAY(arena, struct expert_row, findings.count + 1);
    size_t count = findings.count;
    for (size_t i = 0; i < count; i++) {
        const struct finding *finding = &findings.items[i];
        size_t number = expert_number(&findings, finding);
        rows[i] = (struct expert_row){
            .number = number ? (int64_t)number : UNKNOWN,
            .finding = *finding,
            .scope = finding->opens ? selection_text(profile, &finding->evidence, arena) : NULL,
        };
    }
    bool is_judged;
    const char *none = expert_none(profile, &findings, &is_judged);
    return (struct rows){
        .items = rows,
        .count = count,
        .caption = is_judged ? judged_caption(profile, selection, &findings, arena)
                             : unjudged_caption(&findings, none, arena),
        .empty = count       ? NULL
                 : is_judged ? "no findings: every check is clean"
                             : none,
    };
}

static uint64_t expert_id(const void *row)
{
    return text_id(0, finding_of(row)->id);
}

static const char *expert_narrow(const struct profile *profile, const void *row,
                                 struct selection *selection)
{
    (void)profile;
    if (finding_of(row)->opens)
        *selection = finding_of(row)->evidence;
    return finding_of(row)->opens;
}

const struct report report_expert = {
    .name = "expert",
    .title = "Findings",
    .doc = "What is wrong, what to do, what proves it, and which checks lacked data.",
    .row_size = sizeof(struct expert_row),
    .column_count = sizeof columns / sizeof *columns,
    .columns = columns,
    .build = expert_build,
    .id = expert_id,
    .narrow = expert_narrow,
};
