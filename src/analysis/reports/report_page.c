// SPDX-License-Identifier: Apache-2.0
// One page of Markdown for a ticket: the selection, the step, what to change, where the time goes,
// and whether the figures can be trusted.
#include <inttypes.h>
#include <string.h>

#include "analysis/breakdown/breakdown.h"
#include "analysis/detectors/expert.h"
#include "analysis/op_runs/mfu.h"
#include "analysis/place/selection_text.h"
#include "analysis/report/report.h"
#include "analysis/report/selection_parts.h"
#include "analysis/report/value.h"
#include "analysis/trust/trust.h"
#include "base/text/format.h"
#include "base/text/text.h"
#include "model/profile/ranks.h"

REPORT_DECLARE(kernels);
REPORT_DECLARE(layers);

struct report_page_builder {
    const struct profile *profile;
    const struct selection *selection;
    struct arena *arena;
    const char **lines;
    size_t count, capacity;
};

static struct value get_line(const void *row)
{
    return value_text(*(const char *const *)row);
}

static const struct column columns[] = {
    {"line", "Line", "line", UNIT_TEXT, get_line, "A line of Markdown.", COLUMN_NAME},
};

static void page_line(struct report_page_builder *builder, const char *text)
{
    ARENA_PUSH(builder->arena, builder->lines, builder->count, builder->capacity) = text;
}

// Escapes a text of the file, so that nothing in it acts as Markdown or HTML.
static const char *page_escape(struct report_page_builder *builder, const char *text)
{
    text = text_safe(builder->arena, text, strlen(text), true);
    char *copy = arena_alloc(builder->arena, 2 * strlen(text) + 1, 1);
    char *out = copy;
    for (; *text; text++) {
        if (strchr("|\\`*_<>[]#", *text))
            *out++ = '\\';
        *out++ = *text;
    }
    return copy;
}

static void page_head(struct report_page_builder *builder)
{
    const struct profile *profile = builder->profile;
    struct arena *arena = builder->arena;
    unsigned used = 0;
    const char *gpu = "GPU";
    for (uint32_t d = 0; d < profile->device_count; d++)
        if (profile->devices[d].has_work) {
            used++;
            if (profile->devices[d].name != STRING_NONE)
                gpu = profile_text(profile, profile->devices[d].name);
        }
    // Only processes with streams count. Loader workers and other helpers do not train.
    bool *has_streams = ARENA_ARRAY(arena, bool, profile->process_count);
    unsigned processes = 0;
    for (uint32_t s = 0; s < profile->stream_count; s++) {
        processes += !has_streams[profile->streams[s].process];
        has_streams[profile->streams[s].process] = true;
    }
    for (uint32_t s = 0; s < profile->source_count; s++)
        page_line(
            builder,
            arena_format(arena, "# %s",
                         page_escape(builder, text_file_name(profile->sources[s].path, NULL))));
    page_line(builder, "");
    if (profile->file_window)
        page_line(builder, arena_format(arena, "- a part of it: %s",
                                        file_window_text(profile->file_window, arena)));
    char count[FORMAT_SIZE];
    page_line(builder, arena_format(arena, "- %u x %s, %s%s%s", used, page_escape(builder, gpu),
                                    format_counted(count, processes, "process"),
                                    *profile->capture.nsys ? ", nsys " : "",
                                    page_escape(builder, profile->capture.nsys)));
    page_line(builder, arena_format(arena, "- %s",
                                    page_escape(builder, selection_text(profile, builder->selection,
                                                                        arena))));
    page_line(builder,
              arena_format(arena, "- ops by %s", page_escape(builder, profile->mode_reason)));
    page_line(builder, "");
}

// Formats the scope: "3 of 24 iterations, GPU 1", "the whole capture, 4 GPUs".
static const char *page_scope(struct report_page_builder *builder, const char *devices)
{
    const struct selection *selection = builder->selection;
    const struct profile *profile = builder->profile;
    char count[FORMAT_SIZE];
    format_counted(count, selection->split->count, selection->split->unit);
    const char *text =
        selection->split->method == SPLIT_NONE ? "the whole capture"
        : selection->iterations
            ? arena_format(builder->arena, "%u of %s", selection_iteration_count(selection), count)
            : arena_format(builder->arena, "all %s and what is outside", count);
    if (selection->process != ROW_NONE)
        text =
            arena_format(builder->arena, "%s, %s", text,
                         process_label(profile, selection->process, (char[PROCESS_LABEL_SIZE]){0}));
    if (selection->device != ROW_NONE)
        return arena_format(builder->arena, "%s, GPU %" PRId64, text,
                            device_number(profile, selection->device));
    uint32_t gpus = selection_device_count(profile, selection);
    return gpus > 1 ? arena_format(builder->arena, "%s, %s %u GPUs", text, devices, gpus) : text;
}

static void page_step(struct report_page_builder *builder)
{
    struct breakdown total =
        breakdown_total(builder->profile, builder->selection, &breakdown_gpu, builder->arena);
    if (total.window_ns <= 0)
        return;
    char window[FORMAT_SIZE], part[FORMAT_SIZE];
    page_line(builder, arena_format(builder->arena, "## %s: %s in %s",
                                    builder->profile->lacks_times ? "GPU work, added up"
                                                                  : "By the GPU's clock",
                                    format_duration(window, total.window_ns, true),
                                    page_scope(builder, "mean of")));
    page_line(builder, "");
    page_line(builder, "| what | time | % |");
    page_line(builder, "|---|--:|--:|");
    for (size_t c = 0; c < breakdown_gpu.count; c++)
        // without times, a 0 for idle or copies is not a fact
        if (total.ns[c] > 0 || !builder->profile->lacks_times)
            page_line(builder, arena_format(builder->arena, "| %s | %s | %.1f |",
                                            breakdown_gpu.categories[c].title,
                                            format_duration(part, total.ns[c], true),
                                            100.0 * (double)total.ns[c] / (double)total.window_ns));
    struct mfu mfu = mfu_total(builder->profile, builder->selection, builder->arena);
    const char *text = mfu_text(&mfu, true, builder->arena);
    if (*text && !builder->profile->lacks_times) {
        page_line(builder, "");
        page_line(builder,
                  arena_format(builder->arena, "%s of what the GPUs could compute in the %s", text,
                               split_words_of(builder->selection->split)->several));
    }
    page_line(builder, "");
}

// Formats "at most 54.4 ms a step, 12.2 %, certain: "; "" for a finding without a bound.
static const char *page_bound(struct report_page_builder *builder, const struct finding *finding)
{
    char text[FORMAT_SIZE];
    if (finding->gain_ns == UNKNOWN)
        return "";
    return arena_format(
        builder->arena,
        "at most %s %s, %.1f %%, %s: ", format_duration(text, finding->gain_ns, true),
        expert_unit(builder->selection), 100 * finding->share, certainty_names[finding->certainty]);
}

// Adds one line with the folded findings of DLProf and the plugin.
static void page_folded(struct report_page_builder *builder, const struct finding_list *findings)
{
    const char *text = "";
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->items[i];
        if (finding_is_folded(finding) && finding->severity != SEVERITY_NOT_JUDGED)
            text = arena_format(builder->arena, "%s%s%s", text, *text ? "; " : "",
                                page_escape(builder, finding->problem));
    }
    if (*text)
        page_line(builder, arena_format(builder->arena, "\nDLProf would also say: %s.", text));
}

// Adds a finding with its number on the screen. A note on the capture has no number.
static void page_finding(struct report_page_builder *builder, const struct finding *finding,
                         size_t number)
{
    const char *where = expert_place_text(finding, builder->arena);
    const char *mark = number ? arena_format(builder->arena, "%zu.", number) : "-";
    page_line(builder,
              arena_format(builder->arena, "%s %s%s%s%s%s. %s", mark,
                           finding->severity == SEVERITY_NOTE ? "(note) " : "",
                           page_bound(builder, finding), where ? page_escape(builder, where) : "",
                           where ? ": " : "", page_escape(builder, finding->problem),
                           page_escape(builder, finding->recommendation)));
}

static void page_findings(struct report_page_builder *builder)
{
    struct finding_list findings = expert_run(builder->profile, builder->selection, builder->arena);
    page_line(builder, "## What to change");
    page_line(builder, "");
    unsigned not_judged = 0;
    bool any = false;
    for (size_t i = 0; i < findings.count; i++) {
        const struct finding *finding = &findings.items[i];
        if (finding_is_folded(finding))
            continue;
        if (finding->severity == SEVERITY_NOT_JUDGED) {
            not_judged++;
            continue;
        }
        page_finding(builder, finding, expert_number(&findings, finding));
        any = true;
    }
    bool is_judged;
    const char *none = expert_empty_text(builder->profile, &findings, &is_judged);
    if (!any || !is_judged)
        page_line(builder, none);
    page_folded(builder, &findings);
    bool tells_more = expert_has_capture_hint(&findings);
    char checks[FORMAT_SIZE];
    if (not_judged)
        page_line(builder, arena_format(builder->arena, "\n%s could not be judged%s",
                                        format_counted(checks, not_judged, "check"),
                                        tells_more ? "; this capture line tells more:" : "."));
    if (tells_more) {
        // The first line is the command; the others explain it.
        const char *line = expert_capture_line(builder->profile, builder->arena);
        page_line(builder, arena_format(builder->arena, "`%.*s`", (int)strcspn(line, "\n"), line));
    }
    page_line(builder, "");
}

// Adds the first ten rows of a report with the given columns. Sums are per step, as on the screen.
static void page_table(struct report_page_builder *builder, const char *title,
                       const struct report *report, const char *const *keys, size_t key_count)
{
    struct rows rows = report_rows(report, builder->profile, builder->selection, builder->arena);
    report = report_named(report, &rows);
    const uint32_t *order = report_order(report, &rows, builder->arena);
    struct sum_parts parts = selection_parts(builder->profile, builder->selection);
    const char *per = parts_text(&parts, report, builder->arena);
    page_line(builder, per ? arena_format(builder->arena, "## %s, per %s, of %s", title, per,
                                          page_scope(builder, "all"))
                           : arena_format(builder->arena, "## %s, total of %s", title,
                                          page_scope(builder, "all")));
    page_line(builder, "");
    if (!rows.count) {
        page_line(builder, rows.empty ? rows.empty : "no rows");
        page_line(builder, "");
        return;
    }
    const char *head = "|", *rule = "|";
    for (size_t k = 0; k < key_count; k++) {
        const struct column *column = report_column(report, keys[k]);
        head = arena_format(builder->arena, "%s %s |", head, column->head);
        rule = arena_format(builder->arena, "%s%s|", rule,
                            unit_is_number(column->unit) ? "--:" : "---");
    }
    page_line(builder, head);
    page_line(builder, rule);
    for (size_t i = 0; i < rows.count && i < 10; i++) {
        const char *line = "|";
        for (size_t k = 0; k < key_count; k++) {
            const struct column *column = report_column(report, keys[k]);
            struct value value = value_per_step(
                column, column->get(report_row(report, &rows, order ? order[i] : i)), &parts);
            const char *text = value_display_text(column, value, true, builder->arena);
            line = arena_format(builder->arena, "%s %s |", line, page_escape(builder, text));
        }
        page_line(builder, line);
    }
    page_line(builder, "");
}

static void page_trust(struct report_page_builder *builder)
{
    const struct profile *profile = builder->profile;
    page_line(builder, "## Can it be trusted");
    page_line(builder, "");
    size_t warnings = 0;
    for (size_t i = 0; i < profile->note_count; i++) {
        if (profile->notes[i].level != NOTE_WARNING)
            continue;
        warnings++;
        page_line(builder, arena_format(builder->arena, "- %s",
                                        page_escape(builder, profile->notes[i].text)));
    }
    if (!warnings)
        page_line(builder, "Nothing odd was found in the file.");
    const char *unknown =
        trust_names_text(trust_checks_of(profile, builder->selection, builder->arena),
                         TRUST_UNKNOWN, builder->arena);
    if (unknown) {
        page_line(builder, "");
        page_line(builder, arena_format(builder->arena, "Not known from this file: %s.", unknown));
    }
}

static struct rows build(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    static const char *const layer_keys[] = {"layer", "forward", "backward", "gpu", "busy", "tc"};
    static const char *const kernel_keys[] = {"kernel", "calls", "gpu_total", "gpu_avg", "tc"};
    struct report_page_builder builder = {
        .profile = profile, .selection = selection, .arena = arena};
    page_head(&builder);
    page_step(&builder);
    page_findings(&builder);
    page_table(&builder, "Where GPU time goes", &report_layers, layer_keys, 6);
    page_table(&builder, "Kernels", &report_kernels, kernel_keys, 5);
    page_trust(&builder);
    return (struct rows){.items = builder.lines, .count = builder.count};
}

const struct report report_page = {
    .name = "report",
    .title = "One-page report",
    .doc = "One page of Markdown to paste into a ticket: the selection, the GPU time, findings, "
           "layers, kernels, trust.",
    .row_size = sizeof(const char *),
    .column_count = 1,
    .columns = columns,
    .build = build,
    .is_document = true,
};
