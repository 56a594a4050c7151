// SPDX-License-Identifier: Apache-2.0
// Parses and checks the bounds of --fail-if.
#include "analysis/compare/limit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/detectors/expert.h"
#include "analysis/report/stats.h"
#include "analysis/reports/report_list.h"
#include "base/text/format.h"
#include "base/text/text.h"

REPORT_DECLARE(ops);

// ---- metrics: a figure of one side; NAN if unknown ----------------------------------------------

struct limit_metric {
    const char *name;
    bool has_name; // "kernel:NAME"
    bool is_count; // true for a count, false for ns
    bool is_step;  // the length of a step, which is undefined without steps
    double (*get)(const struct side *side, const char *name, struct arena *arena,
                  struct error *error);
};

#define METRIC(function)                                                                   \
    static double function(const struct side *side, const char *name, struct arena *arena, \
                           struct error *error)

static double known_ns(int64_t ns)
{
    return ns == UNKNOWN ? NAN : (double)ns;
}

METRIC(step_ns)
{
    (void)name, (void)arena, (void)error;
    return known_ns(side_step_ns(side));
}

METRIC(idle_ns)
{
    (void)name, (void)arena, (void)error;
    return known_ns(side_idle_ns(side));
}

METRIC(busy_ns)
{
    (void)name, (void)arena, (void)error;
    return side_step_ns(side) == UNKNOWN ? NAN : (double)(side_step_ns(side) - side_idle_ns(side));
}

METRIC(median_ns)
{
    (void)name, (void)arena, (void)error;
    return side->steps.count ? (double)side->steps.median_ns : NAN;
}

METRIC(finding_count)
{
    (void)name, (void)error;
    struct finding_list findings = expert_run(side->profile, &side->selection, arena);
    size_t count = 0;
    for (size_t i = 0; i < findings.count; i++)
        count += findings.items[i].severity == SEVERITY_WARNING;
    return (double)count;
}

METRIC(kernel_ns)
{
    (void)arena, (void)error;
    struct selection selection = side->selection;
    selection.names = NAME_FAMILY;
    selection.name = strings_find(side->profile->strings, name);
    if (selection.name == STRING_NONE)
        return NAN;
    const struct gpu_work *work = &side->profile->work;
    int64_t sum = 0;
    bool is_found = false;
    for (uint32_t w = 0; w < work->count; w++) {
        if (!selection_has_work(side->profile, &selection, w))
            continue;
        is_found = true;
        sum_add(&sum, work_duration(side->profile, w));
    }
    return is_found ? (double)rounded_part(sum, side->gpu) : NAN;
}

// Converts the name of a place in the form of tables, "model > layers.* x24 > mlp", to its path,
// "model/layers.*/mlp".
static const char *path_of(const char *name, struct arena *arena)
{
    char *path = arena_text(arena, name), *out = path;
    for (const char *in = name; *in;) {
        size_t times = strncmp(in, " x", 2) == 0 ? strspn(in + 2, "0123456789") : 0;
        bool is_repeat_count =
            times && (in[2 + times] == '\0' || strncmp(in + 2 + times, " > ", 3) == 0);
        if (is_repeat_count) {
            in += 2 + times;
        } else if (strncmp(in, " > ", 3) == 0) {
            *out++ = '/';
            in += 3;
        } else {
            *out++ = *in++;
        }
    }
    *out = '\0';
    return path;
}

METRIC(layer_ns)
{
    const struct profile *profile = side->profile;
    const struct column *path = report_column(&report_ops, "path");
    struct rows rows = report_ops.build(profile, &side->selection, arena);
    struct selection selection = side->selection;
    const char *shown = path_of(name, arena);
    size_t found = 0;
    for (size_t r = 0; r < rows.count; r++) {
        const void *row = report_row(&report_ops, &rows, r);
        if (!text_path_ends(path->get(row).text, name) &&
            !text_path_ends(path->get(row).text, shown))
            continue;
        if (found++ == 0)
            report_ops.narrow(profile, row, &selection);
    }
    if (found > 1)
        error_set(error, ERROR_USAGE, "%zu places end in %s: name more of its path", found, name);
    if (found != 1)
        return NAN;
    selection.with_backward = true;
    int64_t sum = 0;
    for (uint32_t w = 0; w < profile->work.count; w++)
        if (selection_has_work(profile, &selection, w))
            sum_add(&sum, AT(profile->work.exclusive, w));
    return (double)rounded_part(sum, side->gpu);
}

static const struct limit_metric metrics[] = {
    {"step", false, false, true, step_ns},           {"median", false, false, true, median_ns},
    {"busy", false, false, false, busy_ns},          {"idle", false, false, false, idle_ns},
    {"findings", false, true, false, finding_count}, {"kernel:", true, false, false, kernel_ns},
    {"layer:", true, false, false, layer_ns},
};
enum { METRICS = sizeof metrics / sizeof *metrics };

// ---- parsing ------------------------------------------------------------------------------------

static bool bound_parse(struct limit *limit, const char *text)
{
    bool is_change = *text == '+' || *text == '-';
    size_t length = strlen(text);
    char *end;
    double number = strtod(text, &end);
    if (end == text || !isfinite(number) || !strpbrk(text, "0123456789") || text[0] == ' ')
        return false;
    if (length && text[length - 1] == '%') {
        limit->kind = is_change ? LIMIT_PERCENT : LIMIT_SHARE;
        limit->bound = number / 100;
        bool has_share =
            strcmp(limit->metric->name, "busy") == 0 || strcmp(limit->metric->name, "idle") == 0;
        return end == text + length - 1 && (is_change || has_share);
    }
    limit->kind = is_change ? LIMIT_MORE : LIMIT_VALUE;
    limit->bound = number;
    if (limit->metric->is_count)
        return !*end;
    int64_t ns;
    // A number without a unit is rejected, since it is more likely a forgotten unit than ns.
    if (!*end && number != 0)
        return false;
    if (!format_parse_duration(text, &ns))
        return false;
    limit->bound = (double)ns;
    return true;
}

bool limit_parse(const char *text, struct limit *limit, struct error *error)
{
    *limit = (struct limit){.text = text};
    for (size_t m = 0; m < METRICS && !limit->metric; m++) {
        size_t length = strlen(metrics[m].name);
        if (strncmp(text, metrics[m].name, length) == 0 &&
            (metrics[m].has_name || text[length] == '>' || text[length] == '<'))
            limit->metric = &metrics[m];
    }
    if (!limit->metric)
        return error_set(error, ERROR_USAGE,
                         "%s: begins with none of step, median, busy, idle, findings, kernel:NAME "
                         "and layer:PATH, then > or <",
                         text);
    // Names of kernels may contain < and >, so the last one that is followed by a bound is the
    // operator.
    for (const char *at = text + strlen(text); at-- > text;) {
        if ((*at != '>' && *at != '<') || !bound_parse(limit, at + 1))
            continue;
        limit->name_length = (size_t)(at - text) - strlen(limit->metric->name);
        limit->is_least = *at == '<';
        if (limit->metric->has_name == (limit->name_length > 0))
            return true;
    }
    return error_set(error, ERROR_USAGE, "%s: expected %s", text,
                     limit->metric->is_count ? "a number, as findings>+0"
                                             : "a bound, as >+5%, >+2ms or >420ms");
}

bool limit_needs_baseline(const struct limit *limit)
{
    return limit->kind == LIMIT_MORE || limit->kind == LIMIT_PERCENT;
}

// ---- checking -----------------------------------------------------------------------------------

static const char *figure_text(const struct limit *limit, double x, struct arena *arena)
{
    char out[FORMAT_SIZE];
    if (limit->metric->is_count)
        return arena_format(arena, "%s", format_count(out, llround(x)));
    return arena_format(arena, "%s", format_duration(out, llround(x), true));
}

// Returns "kernel:gemm", or "gemm" without the metric.
static const char *name_of(const struct limit *limit, bool with_metric, struct arena *arena)
{
    size_t skip = strlen(limit->metric->name);
    return arena_copy(arena, limit->text + (with_metric ? 0 : skip),
                      limit->name_length + (with_metric ? skip : 0));
}

// Formats "step 416 ms -> 398 ms, -4.4 %".
static const char *result_text(const struct limit *limit, const struct compared *compared, double a,
                               double b, bool is_crossed, struct arena *arena)
{
    char percent[FORMAT_SIZE];
    const char *what = name_of(limit, true, arena);
    const char *to = figure_text(limit, b, arena), *text;
    if (limit_needs_baseline(limit)) {
        text = arena_format(arena, "%s %s -> %s, %s%s", what, figure_text(limit, a, arena), to,
                            b > a ? "+" : "", figure_text(limit, b - a, arena));
        if (a > 0)
            text = arena_format(arena, "%s (%s)", text, format_change(percent, (b - a) / a, " %"));
    } else {
        text = arena_format(arena, "%s %s%s", what, to,
                            limit->metric->is_count || compared->unit ? "" : " of the capture");
        double step = known_ns(side_step_ns(&compared->side[SIDE_B]));
        if (limit->kind == LIMIT_SHARE)
            text = arena_format(arena, "%s (%s %%%s%s)", text, format_percent(percent, b / step),
                                compared->unit ? " of the " : "",
                                compared->unit ? compared->unit : "");
    }
    text = arena_format(arena, "%s: %s %s", text, is_crossed ? "fails" : "passes", limit->text);
    int64_t noise = compare_noise_ns(compared);
    if (is_crossed && limit->metric->is_step && limit_needs_baseline(limit) && noise > 0 &&
        fabs(b - a) <= (double)noise)
        text = arena_format(arena, "%s, though %ss vary by %s", text, compared->unit,
                            figure_text(limit, (double)noise, arena));
    return text;
}

// Returns the name of the side without steps if the other has steps, else NULL.
static const char *side_without_steps(const struct compared *compared)
{
    bool has[SIDES];
    for (int s = 0; s < SIDES; s++)
        has[s] = compared->side[s].selection.split->method != SPLIT_NONE;
    return has[SIDE_A] == has[SIDE_B] ? NULL : has[SIDE_A] ? "the profile" : "the baseline";
}

bool limit_check(const struct limit *limit, const struct profile *profile,
                 const struct selection *selection, bool *is_crossed, const char **line,
                 struct arena *arena, struct error *error)
{
    struct selection checked = *selection;
    struct baseline self = {.profile = profile, .selection = *selection, .name = ""};
    bool has_baseline = selection->baseline != NULL;
    if (limit_needs_baseline(limit) && !has_baseline)
        return error_set(error, ERROR_USAGE, "--fail-if: %s needs a --baseline to differ from",
                         limit->text);
    if (!has_baseline)
        checked.baseline = &self;
    struct compared compared;
    compare_init(&compared, profile, &checked, arena);
    const char *stepless = limit_needs_baseline(limit) && !limit->metric->is_count
                               ? side_without_steps(&compared)
                               : NULL;
    if (limit->metric->is_step && !compared.unit && selection->split->method == SPLIT_NONE &&
        !limit_needs_baseline(limit))
        return error_set(error, ERROR_DATA,
                         "--fail-if: %s: nothing marks steps; --print=candidates lists what could",
                         limit->text);
    if (stepless) // steps cannot be compared with a whole capture
        return error_set(error, ERROR_DATA, "--fail-if: %s: %s has no steps to compare",
                         limit->text, stepless);
    struct error inner = {0};
    double figures[SIDES] = {NAN, NAN};
    const char *name = name_of(limit, false, arena);
    for (int s = has_baseline ? SIDE_A : SIDE_B; s < SIDES && inner.kind == ERROR_NONE; s++)
        figures[s] = limit->metric->get(&compared.side[s], name, arena, &inner);
    if (inner.kind != ERROR_NONE)
        return error_set(error, inner.kind, "--fail-if: %s", inner.message);
    double a = figures[SIDE_A], b = figures[SIDE_B];
    // A kernel or a place that one side lacks counts as 0; a name that both sides lack is an error.
    if (limit->metric->has_name && isnan(a) != isnan(b)) {
        a = isnan(a) ? 0 : a;
        b = isnan(b) ? 0 : b;
    }
    if (isnan(b) || (limit_needs_baseline(limit) && isnan(a)))
        return error_set(error, ERROR_DATA, "--fail-if: %s: %s is not known%s", limit->text,
                         name_of(limit, true, arena),
                         limit->metric->has_name ? " by this name, on either side"
                         : isnan(b)              ? ""
                                                 : " of the baseline");
    if (limit->kind == LIMIT_PERCENT && a <= 0)
        return error_set(error, ERROR_DATA,
                         "--fail-if: %s: there is none in the baseline to take percent of",
                         limit->text);
    double value = b;
    if (limit->kind == LIMIT_MORE)
        value = b - a;
    else if (limit->kind == LIMIT_PERCENT)
        value = (b - a) / a;
    else if (limit->kind == LIMIT_SHARE)
        value = b / known_ns(side_step_ns(&compared.side[SIDE_B]));
    *is_crossed = limit->is_least ? value < limit->bound : value > limit->bound;
    *line = result_text(limit, &compared, a, b, *is_crossed, arena);
    return true;
}
