// SPDX-License-Identifier: Apache-2.0
// Lists all findings with their evidence, and the checks that lacked data.
#include "analysis/detectors/expert.h"
#include "analysis/place/selection_text.h"
#include "analysis/report/report.h"
#include "base/text/format.h"

static const char *const severity_names[] = {
    [SEVERITY_NOTE] = "note",
    [SEVERITY_WARNING] = "warning",
    [SEVERITY_NOT_JUDGED] = "not judged",
};

struct judged {       // figures of the whole report, shared by all rows
    const char *unit; // the unit of gains: "a step"
    // UNKNOWN without a GPU (gain_ns, step_ns) or without steps
    int64_t gain_ns, step_ns, steps, left_out;
};

struct expert_row {
    int64_t number; // ordinal among warnings and notes; UNKNOWN if not judged or folded
    struct finding finding;
    const char *scope; // selection of the evidence as text; NULL without evidence
    const struct judged *judged;
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

static const struct judged *judged_of(const void *row)
{
    return ((const struct expert_row *)row)->judged;
}

static struct value get_unit(const void *row)
{
    return value_text(judged_of(row)->unit);
}

static struct value get_total(const void *row)
{
    return value_integer(judged_of(row)->gain_ns);
}

static struct value get_step(const void *row)
{
    return value_integer(judged_of(row)->step_ns);
}

static struct value get_steps(const void *row)
{
    return value_integer(judged_of(row)->steps);
}

static struct value get_left_out(const void *row)
{
    return value_integer(judged_of(row)->left_out);
}

static struct value get_rule(const void *row)
{
    return value_text(finding_of(row)->detector->doc);
}

static const struct column columns[] = {
    {"number", "Number", "#", UNIT_ID, get_number, "Place among the findings.", 0},
    {"severity", "Severity", "kind", UNIT_TEXT, get_severity,
     "warning; note: worth knowing, or said only because DLProf says it; not judged: the "
     "capture lacks what it takes.",
     COLUMN_IDENTIFIES},
    {"gain", "Gain at Most (ns)", "at most", UNIT_NS, get_gain,
     "What a step can gain at most, on the GPU that the others wait for (no steps found: of "
     "the capture). Bounds do not overlap, so they add up.",
     COLUMN_BAR | COLUMN_ONE_STEP},
    {"share", "Share of Step (%)", "%step", UNIT_PERCENT, get_share,
     "The same as a share of the step.", COLUMN_TIMED},
    {"certainty", "Certainty", "sure", UNIT_TEXT, get_certainty,
     "certain: the file shows it; likely: something that the file does not tell may be the "
     "reason.",
     0},
    {"problem", "Problem", "problem", UNIT_TEXT, get_problem, "What is wrong, with the figures.",
     COLUMN_NAME | COLUMN_QUOTED | COLUMN_SENTENCE},
    {"place", "Place", "where", UNIT_TEXT, get_place, "Where in the op tree it is, or which GPU.",
     COLUMN_QUOTED | COLUMN_WIDE},
    {"source_line", "Source Line", "line", UNIT_TEXT, get_line,
     "Line of the program that most of it comes from, by call chains, else by the call stacks "
     "in markers; unknown where neither was captured.",
     COLUMN_QUOTED | COLUMN_WIDE},
    {"recommendation", "Recommendation", "do", UNIT_TEXT, get_recommendation,
     "What to do about it.", COLUMN_QUOTED | COLUMN_WIDE | COLUMN_SENTENCE},
    {"why", "Evidence", "why", UNIT_TEXT, get_why, "What the finding rests on.",
     COLUMN_QUOTED | COLUMN_DETAIL},
    {"flag", "Capture Option", "needs", UNIT_TEXT, get_flag,
     "Not judged: what recorded would tell more, an option of nsys or an argument of the PyTorch "
     "Profiler; unknown where nothing does.",
     COLUMN_WIDE},
    {"opens", "Opens", "opens", UNIT_TEXT, get_opens, "The report with the rows that prove it.",
     COLUMN_DETAIL},
    {"filter", "Filter", "filter", UNIT_TEXT, get_filter,
     "The filter that leaves these rows in that report; none: all of them.",
     COLUMN_QUOTED | COLUMN_DETAIL},
    {"scope", "Scope", "scope", UNIT_TEXT, get_scope,
     "What that report is to look at: steps, GPU, place; and how many of the steps were "
     "judged, where the capture cuts some.",
     COLUMN_QUOTED | COLUMN_DETAIL},
    {"unit", "Gains of", "of", UNIT_TEXT, get_unit,
     "What gains are of: a step, or of the capture where no steps are found. This and the "
     "four that follow are the same in all rows.",
     COLUMN_QUOTED | COLUMN_DETAIL},
    {"total_gain", "Gains Together (ns)", "together", UNIT_NS, get_total,
     "What all findings together can gain at most.", COLUMN_DETAIL},
    {"step_time", "Time Judged (ns)", "step", UNIT_NS, get_step,
     "What shares are of: the mean of the steps judged, or all the time, on the GPU that "
     "the others wait for; unknown where it ran nothing.",
     COLUMN_DETAIL | COLUMN_TIMED},
    {"steps", "Steps Judged", "steps", UNIT_COUNT, get_steps,
     "How many steps the program's own checks look at; unknown where none are found.",
     COLUMN_DETAIL},
    {"steps_left_out", "Steps Left Out", "left out", UNIT_COUNT, get_left_out,
     "How many steps of the capture they do not look at: not selected, or cut by the capture, "
     "which are left out unless they are asked for.",
     COLUMN_DETAIL},
    {"finding", "Finding", "finding", UNIT_TEXT, get_finding,
     "Name of the finding, the same whatever steps are selected.", COLUMN_QUOTED | COLUMN_DETAIL},
    {"source", "Source", "source", UNIT_TEXT, get_source,
     "Whose rule it is: dlprof-tui, dlprof, or plugin (PyTorch's TensorBoard plugin).",
     COLUMN_DETAIL},
    {"id", "Detector", "detector", UNIT_TEXT, get_id, "Stable name of the detector.",
     COLUMN_DETAIL},
    {"rule", "Rule", "rule", UNIT_TEXT, get_rule,
     "When the detector speaks; thresholds are in rules/expert.yaml.",
     COLUMN_QUOTED | COLUMN_DETAIL},
};

static const char *judged_caption(const struct profile *profile, const struct selection *selection,
                                  const struct finding_list *findings, struct arena *arena)
{
    const char *together = expert_total_text(findings, profile, true, arena);
    const char *left_out = expert_cut_text(findings, arena);
    const char *folded_text = expert_folded_text(findings, arena);
    char found[FORMAT_SIZE], noted[FORMAT_SIZE], checks[FORMAT_SIZE];
    return arena_format(arena, "%s%s%s, %s, %s clean, %zu not judged%s%s%s%s",
                        format_counted(found, expert_count(findings, SEVERITY_WARNING), "finding"),
                        together ? arena_format(arena, ", at most %s ", together) : "",
                        together ? expert_unit(selection) : "",
                        format_counted(noted, expert_count(findings, SEVERITY_NOTE), "note"),
                        format_counted(checks, expert_passed_count(findings), "check"),
                        expert_count(findings, SEVERITY_NOT_JUDGED), folded_text ? ", " : "",
                        folded_text ? folded_text : "", left_out ? "; steps " : "",
                        left_out ? left_out : "");
}

static const char *unjudged_caption(const struct finding_list *findings, const char *reason,
                                    struct arena *arena)
{
    char checks[FORMAT_SIZE];
    const char *folded_text = expert_folded_text(findings, arena);
    return arena_format(
        arena, "%s; %s not judged%s%s", reason,
        format_counted(checks, expert_count(findings, SEVERITY_NOT_JUDGED), "check"),
        folded_text ? ", " : "", folded_text ? folded_text : "");
}

static const struct judged *judged_new(const struct selection *selection,
                                       const struct finding_list *findings, struct arena *arena)
{
    bool has_steps = selection->split->method != SPLIT_NONE;
    struct judged *judged = ARENA_NEW(arena, struct judged);
    *judged = (struct judged){
        .unit = expert_unit(selection),
        .gain_ns = findings->lacks_gpu_work ? UNKNOWN : findings->gain_ns,
        .step_ns = findings->step_ns > 0 ? findings->step_ns : UNKNOWN,
        .steps = has_steps ? (int64_t)findings->steps - findings->cut : UNKNOWN,
        .left_out = has_steps ? (int64_t)selection->split->count - findings->steps + findings->cut
                              : UNKNOWN,
    };
    return judged;
}

static struct rows expert_build(const struct profile *profile, const struct selection *selection,
                                struct arena *arena)
{
    struct finding_list findings = expert_run(profile, selection, arena);
    struct expert_row *rows = ARENA_ARRAY(arena, struct expert_row, findings.count + 1);
    size_t count = findings.count;
    const char *left_out = expert_cut_text(&findings, arena);
    const struct judged *judged = judged_new(selection, &findings, arena);
    for (size_t i = 0; i < count; i++) {
        const struct finding *finding = &findings.items[i];
        size_t number = expert_number(&findings, finding);
        rows[i] = (struct expert_row){
            .number = number ? (int64_t)number : UNKNOWN,
            .finding = *finding,
            .scope = finding->opens ? selection_text(profile, &finding->evidence, arena) : NULL,
            .judged = judged,
        };
        if (finding->opens && finding->detector->judge && left_out)
            rows[i].scope = arena_format(arena, "%s; steps %s", rows[i].scope, left_out);
    }
    bool is_judged;
    const char *reason = expert_empty_text(profile, &findings, &is_judged);
    return (struct rows){
        .items = rows,
        .count = count,
        .caption = is_judged ? judged_caption(profile, selection, &findings, arena)
                             : unjudged_caption(&findings, reason, arena),
        .empty = count       ? NULL
                 : is_judged ? "no findings: every check is clean"
                             : reason,
    };
}

static uint64_t expert_id(const void *row)
{
    return text_id(0, finding_of(row)->id);
}

static struct row_match expert_match(const void *row)
{
    return (struct row_match){{finding_of(row)->id}};
}

static bool expert_is_unknown(const void *row)
{
    return finding_of(row)->severity == SEVERITY_NOT_JUDGED;
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
    .match = expert_match,
    .is_unknown = expert_is_unknown,
};
