// SPDX-License-Identifier: Apache-2.0
// One page of Markdown to paste into a ticket: what was looked at, the step, what to change, where
// the time goes, and whether the figures can be trusted.
#include <inttypes.h>
#include <string.h>

#include "analysis/breakdown/breakdown.h"
#include "analysis/detect/expert.h"
#include "analysis/op_runs/mfu.h"
#include "analysis/report/selection_parts.h"
#include "analysis/report/value.h"
#include "analysis/reports/report_list.h"
#include "base/format.h"
#include "base/text.h"
#include "model/profile/ranks.h"

REPORT_DECLARE(kernels);
REPORT_DECLARE(layers);

struct page {
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

static void page_line(struct page *page, const char *text)
{
    ARENA_PUSH(page->arena, page->lines, page->count, page->capacity) = text;
}

// Names come from the file: nothing in them may act as Markdown or as HTML.
static const char *page_escape(struct page *page, const char *text)
{
    text = text_safe(page->arena, text, strlen(text), true);
    char *copy = arena_alloc(page->arena, 2 * strlen(text) + 1, 1);
    char *out = copy;
    for (; *text; text++) {
        if (strchr("|\\`*_<>[]#", *text))
            *out++ = '\\';
        *out++ = *text;
    }
    return copy;
}

static void page_head(struct page *page)
{
    const struct profile *profile = page->profile;
    struct arena *arena = page->arena;
    unsigned used = 0;
    const char *gpu = "GPU";
    for (uint32_t d = 0; d < profile->device_count; d++)
        if (profile->devices[d].has_work) {
            used++;
            if (profile->devices[d].name != STRING_NONE)
                gpu = profile_text(profile, profile->devices[d].name);
        }
    // Loader workers and other helpers are processes too, but not the ones that train.
    bool *has_streams = ARENA_ARRAY(arena, bool, profile->process_count);
    unsigned processes = 0;
    for (uint32_t s = 0; s < profile->stream_count; s++) {
        processes += !has_streams[profile->streams[s].process];
        has_streams[profile->streams[s].process] = true;
    }
    for (uint32_t s = 0; s < profile->source_count; s++)
        page_line(page,
                  arena_format(arena, "# %s",
                               page_escape(page, text_file_name(profile->sources[s].path, NULL))));
    page_line(page, "");
    if (profile->excerpt)
        page_line(page,
                  arena_format(arena, "- a part of it: %s", excerpt_text(profile->excerpt, arena)));
    char count[FORMAT_SIZE];
    page_line(page, arena_format(arena, "- %u x %s, %s%s%s", used, page_escape(page, gpu),
                                 format_counted(count, processes, "process"),
                                 *profile->capture.nsys ? ", nsys " : "",
                                 page_escape(page, profile->capture.nsys)));
    page_line(page,
              arena_format(arena, "- %s",
                           page_escape(page, selection_text(profile, page->selection, arena))));
    page_line(page, arena_format(arena, "- ops by %s", page_escape(page, profile->mode_reason)));
    page_line(page, "");
}

// "3 of 24 iterations, GPU 1"; "the whole capture, 4 GPUs".
static const char *page_scope(struct page *page, const char *devices)
{
    const struct selection *selection = page->selection;
    const struct profile *profile = page->profile;
    char count[FORMAT_SIZE];
    format_counted(count, selection->split->count, selection->split->unit);
    const char *text =
        selection->split->method == SPLIT_NONE ? "the whole capture"
        : selection->iterations
            ? arena_format(page->arena, "%u of %s", selection_count(selection), count)
            : arena_format(page->arena, "all %s and what is outside", count);
    if (selection->process != ROW_NONE)
        text =
            arena_format(page->arena, "%s, %s", text,
                         process_label(profile, selection->process, (char[PROCESS_LABEL_SIZE]){0}));
    if (selection->device != ROW_NONE)
        return arena_format(page->arena, "%s, GPU %" PRId64, text,
                            device_number(profile, selection->device));
    uint32_t gpus = selection_device_count(profile, selection);
    return gpus > 1 ? arena_format(page->arena, "%s, %s %u GPUs", text, devices, gpus) : text;
}

static void page_step(struct page *page)
{
    struct breakdown total =
        breakdown_total(page->profile, page->selection, &breakdown_gpu, page->arena);
    if (total.window_ns <= 0)
        return;
    char window[FORMAT_SIZE], part[FORMAT_SIZE];
    page_line(page,
              arena_format(page->arena, "## %s: %s in %s",
                           page->profile->lacks_times ? "GPU work, added up" : "By the GPU's clock",
                           format_duration(window, total.window_ns, true),
                           page_scope(page, "mean of")));
    page_line(page, "");
    page_line(page, "| what | time | % |");
    page_line(page, "|---|--:|--:|");
    for (size_t c = 0; c < breakdown_gpu.count; c++)
        if (total.ns[c] > 0 || !page->profile->lacks_times) // idle, copies: 0 is not what is told
            page_line(page, arena_format(page->arena, "| %s | %s | %.1f |",
                                         breakdown_gpu.categories[c].title,
                                         format_duration(part, total.ns[c], true),
                                         100.0 * (double)total.ns[c] / (double)total.window_ns));
    struct mfu mfu = mfu_total(page->profile, page->selection, page->arena);
    const char *text = mfu_text(&mfu, true, page->arena);
    if (*text && !page->profile->lacks_times) {
        page_line(page, "");
        page_line(page, arena_format(page->arena, "%s of what the GPUs could compute in the %s",
                                     text, split_words_of(page->selection->split)->several));
    }
    page_line(page, "");
}

// "at most 54.4 ms a step, 12.2 %, certain: ", "" where a finding has no bound.
static const char *page_bound(struct page *page, const struct finding *finding)
{
    char text[FORMAT_SIZE];
    if (finding->gain_ns == UNKNOWN)
        return "";
    return arena_format(
        page->arena, "at most %s %s, %.1f %%, %s: ", format_duration(text, finding->gain_ns, true),
        expert_unit(page->selection), 100 * finding->share, certainty_names[finding->certainty]);
}

// In one line what DLProf and the plugin say beside that.
static void page_folded(struct page *page, const struct finding_list *findings)
{
    const char *text = "";
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->items[i];
        if (finding_is_folded(finding) && finding->severity != SEVERITY_NOT_JUDGED)
            text = arena_format(page->arena, "%s%s%s", text, *text ? "; " : "",
                                page_escape(page, finding->problem));
    }
    if (*text)
        page_line(page, arena_format(page->arena, "\nDLProf would also say: %s.", text));
}

// Under its number on the screen; a note on the capture has none.
static void page_finding(struct page *page, const struct finding *finding, size_t number)
{
    const char *where = expert_where(finding, page->arena);
    const char *mark = number ? arena_format(page->arena, "%zu.", number) : "-";
    page_line(page, arena_format(page->arena, "%s %s%s%s%s%s. %s", mark,
                                 finding->severity == SEVERITY_NOTE ? "(note) " : "",
                                 page_bound(page, finding), where ? page_escape(page, where) : "",
                                 where ? ": " : "", page_escape(page, finding->problem),
                                 page_escape(page, finding->recommendation)));
}

static void page_findings(struct page *page)
{
    struct finding_list findings = expert_run(page->profile, page->selection, page->arena);
    page_line(page, "## What to change");
    page_line(page, "");
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
        page_finding(page, finding, expert_number(&findings, finding));
        any = true;
    }
    bool is_judged;
    const char *none = expert_none(page->profile, &findings, &is_judged);
    if (!any || !is_judged)
        page_line(page, none);
    page_folded(page, &findings);
    bool tells_more = expert_would_tell_more(&findings);
    char checks[FORMAT_SIZE];
    if (not_judged)
        page_line(page, arena_format(page->arena, "\n%s could not be judged%s",
                                     format_counted(checks, not_judged, "check"),
                                     tells_more ? "; this capture line tells more:" : "."));
    if (tells_more) {
        // The first line is the command; the rest explains it.
        const char *line = expert_capture_line(page->profile, page->arena);
        page_line(page, arena_format(page->arena, "`%.*s`", (int)strcspn(line, "\n"), line));
    }
    page_line(page, "");
}

// The first rows of a report, with the columns named; sums per step, as the screen shows them.
static void page_table(struct page *page, const char *title, const struct report *report,
                       const char *const *keys, size_t key_count)
{
    struct rows rows = report_rows(report, page->profile, page->selection, page->arena);
    report = report_named(report, &rows);
    const uint32_t *order = report_order(report, &rows, page->arena);
    struct parts parts = selection_parts(page->profile, page->selection);
    const char *per = parts_text(&parts, report, page->arena);
    page_line(
        page,
        per ? arena_format(page->arena, "## %s, per %s, of %s", title, per, page_scope(page, "all"))
            : arena_format(page->arena, "## %s, total of %s", title, page_scope(page, "all")));
    page_line(page, "");
    if (!rows.count) {
        page_line(page, rows.empty ? rows.empty : "no rows");
        page_line(page, "");
        return;
    }
    const char *head = "|", *rule = "|";
    for (size_t k = 0; k < key_count; k++) {
        const struct column *column = report_column(report, keys[k]);
        head = arena_format(page->arena, "%s %s |", head, column->head);
        rule =
            arena_format(page->arena, "%s%s|", rule, unit_is_number(column->unit) ? "--:" : "---");
    }
    page_line(page, head);
    page_line(page, rule);
    for (size_t i = 0; i < rows.count && i < 10; i++) {
        const char *line = "|";
        for (size_t k = 0; k < key_count; k++) {
            const struct column *column = report_column(report, keys[k]);
            struct value value = value_per_step(
                column, column->get(report_row(report, &rows, order ? order[i] : i)), &parts);
            const char *text = value_for_people(column, value, true, page->arena);
            line = arena_format(page->arena, "%s %s |", line, page_escape(page, text));
        }
        page_line(page, line);
    }
    page_line(page, "");
}

static void page_trust(struct page *page)
{
    const struct profile *profile = page->profile;
    page_line(page, "## Can it be trusted");
    page_line(page, "");
    size_t warnings = 0;
    for (size_t i = 0; i < profile->note_count; i++) {
        if (profile->notes[i].level != NOTE_WARNING)
            continue;
        warnings++;
        page_line(page,
                  arena_format(page->arena, "- %s", page_escape(page, profile->notes[i].text)));
    }
    if (!warnings)
        page_line(page, "Nothing odd was found in the file.");
}

static struct rows build(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    static const char *const layer_keys[] = {"layer", "forward", "backward", "gpu", "busy", "tc"};
    static const char *const kernel_keys[] = {"kernel", "calls", "gpu_total", "gpu_avg", "tc"};
    struct page page = {.profile = profile, .selection = selection, .arena = arena};
    page_head(&page);
    page_step(&page);
    page_findings(&page);
    page_table(&page, "Where GPU time goes", &report_layers, layer_keys, 6);
    page_table(&page, "Kernels", &report_kernels, kernel_keys, 5);
    page_trust(&page);
    return (struct rows){.items = page.lines, .count = page.count};
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
