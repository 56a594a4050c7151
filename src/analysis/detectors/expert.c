// SPDX-License-Identifier: Apache-2.0
// Runs the detectors in their order. Each native detector judges the step and claims time
// through step.grants, so that the bounds of later findings exclude it. Afterwards the findings are
// sorted by rank (rank_in_list()) and gain.
#include "analysis/detectors/expert.h"

#include <math.h>
#include <string.h>

#include "analysis/detect/step.h"
#include "base/scratch.h"
#include "model/profile/lost_work.h"
#include "model/profile/recorder.h"
#include "model/rules/rules.h"

DETECTOR_DECLARE(amp);
DETECTOR_DECLARE(dataloader);
DETECTOR_DECLARE(fp32_gemm);
DETECTOR_DECLARE(loader_wait);

struct expert_run_context {
    const struct profile *profile;
    const struct selection *selection;
    struct finding_list *findings;
};

// Sets the source line of findings from `first` on that have none.
static void add_sources(const struct step *step, const struct scan *scan,
                        struct finding_list *findings, size_t first)
{
    for (size_t f = first; f < findings->count; f++)
        if (findings->items[f].severity == SEVERITY_WARNING && !findings->items[f].source)
            findings->items[f].source = step_source(step, scan);
}

// Time in which a GPU only communicates or only copies, and which no finding has claimed yet.
struct alone_time {
    size_t takes; // the time after this many claims (interval_grants.take_count)
    int64_t ns[ALONE_GROUPS];
};

static struct alone_time measure_alone(struct step *step, size_t takes)
{
    struct alone_time alone = {.takes = takes};
    grants_set_requests(&step->grants, &step->line->alone);
    grants_measure_before(&step->grants, takes);
    for (uint32_t g = 0; g < ALONE_GROUPS; g++)
        alone.ns[g] = grants_free_in_group(&step->grants, g);
    return alone;
}

static bool is_about_idle_time(const struct finding *finding)
{
    return finding->gain_ns > 0 && finding->opens && strcmp(finding->opens, "idle") == 0;
}

// Appends a sentence to `why` of findings about idle time. Their bounds may include alone time,
// which is not idle, and so exceed all idle time; the sentence says how much. Covers the findings
// from `first` on, which are of one detector. `takes` is the number of claims before that detector
// ran; *latest is the last measurement, which this call updates.
static void explain_alone(struct step *step, struct finding_list *findings, size_t first,
                          size_t takes, struct alone_time *latest)
{
    static const char *const kinds[] = {[ALONE_COMM] = "communication", [ALONE_COPY] = "copies"};
    enum { MIN_PART = 50 }; // a smaller part of the bound than 1/50 is not mentioned
    int64_t gain_ns = 0;
    size_t count = 0;
    for (size_t f = first; f < findings->count; f++) {
        count += is_about_idle_time(&findings->items[f]);
        gain_ns += is_about_idle_time(&findings->items[f]) ? findings->items[f].gain_ns : 0;
    }
    if (count == 0 || takes == step->grants.take_count || step->line->alone.count == 0)
        return;
    struct alone_time before = latest->takes == takes ? *latest : measure_alone(step, takes);
    *latest = measure_alone(step, step->grants.take_count);
    for (uint32_t g = 0; g < ALONE_GROUPS; g++) {
        int64_t ns = before.ns[g] - latest->ns[g];
        if (step_mean_ns(step, ns) <= gain_ns / MIN_PART)
            continue;
        const char *text = arena_format(
            step->arena,
            "%s of %s is no idle time: %s with nothing beside it, which would wait less or run "
            "beside what is launched earlier",
            step_duration(step, ns),
            count > 1 ? arena_format(step->arena, "the %zu bounds of this kind", count) : "it",
            kinds[g]);
        for (size_t f = first; f < findings->count; f++)
            if (is_about_idle_time(&findings->items[f]))
                findings->items[f].why =
                    findings->items[f].why
                        ? arena_format(step->arena, "%s. %s", findings->items[f].why, text)
                        : text;
    }
}

// What a profile lacks that a detector needs.
enum detector_lack { LACKS_NOTHING, LACKS_TIMES, LACKS_SOME_WORK };

static enum detector_lack detector_lack_of(const struct detector *detector,
                                           const struct profile *profile,
                                           const struct selection *selection)
{
    int64_t lost, launches;
    if (profile->lacks_times && !detector->needs_no_times)
        return LACKS_TIMES;
    return detector->needs_all_work &&
                   work_is_missing(profile, selection->process, &lost, &launches)
               ? LACKS_SOME_WORK
               : LACKS_NOTHING;
}

static bool detector_can_judge(const struct detector *detector, const struct profile *profile,
                               const struct selection *selection)
{
    return detector_lack_of(detector, profile, selection) == LACKS_NOTHING;
}

static void run_native_detectors(void *context, struct arena *scratch)
{
    const struct expert_run_context *run = context;
    struct step *step = ARENA_NEW(scratch, struct step);
    step_make(step, run->profile, run->selection, scratch, run->findings->arena);
    struct alone_time alone = {.takes = SIZE_MAX};
    for (size_t i = 0; i < detector_count && step->device != ROW_NONE; i++)
        if (detectors[i]->judge && detector_can_judge(detectors[i], run->profile, run->selection)) {
            const struct scan *scan = &step->line->scans[i];
            size_t first = run->findings->count, takes = step->grants.take_count;
            grants_set_requests(&step->grants, &scan->requests);
            detectors[i]->judge(step, scan, run->findings);
            add_sources(step, scan, run->findings, first);
            explain_alone(step, run->findings, first, takes, &alone);
        }
    run->findings->device = step->device;
    run->findings->lacks_gpu_work =
        run->profile->work.count == 0 || (run->profile->tree && step->device == ROW_NONE);
    run->findings->steps = selection_iteration_count(run->selection);
    run->findings->unit = split_words_of(run->selection->split)->one;
    run->findings->cut = step_cut_count(step);
    run->findings->step_ns = step->device == ROW_NONE ? 0 : step_mean_ns(step, step->window_ns);
    run->findings->lacks_times = run->profile->lacks_times;
}

// Adds a not-judged finding for each detector if there is no GPU work to judge, so that no detector
// looks passed.
static void add_unjudged(const struct profile *profile, const struct selection *selection,
                         struct finding_list *findings)
{
    bool is_judged;
    expert_empty_text(profile, findings, &is_judged);
    for (size_t i = 0; i < detector_count; i++) {
        if (is_judged || !detectors[i]->judge ||
            !detector_can_judge(detectors[i], profile, selection))
            continue;
        struct finding *finding = finding_add(findings, detectors[i], SEVERITY_NOT_JUDGED);
        finding->problem =
            arena_format(findings->arena, "%s: no GPU work to judge it by", detectors[i]->title);
        // If there are API calls, the option was on.
        finding->flag = profile->work.count == 0 && profile->api.count == 0 ? "-t cuda,nvtx" : NULL;
        finding->recommendation = profile->work.count == 0
                                      ? recorder_lack_text(profile, LACKS_WORK_LONG)
                                      : "Select whole steps, and a GPU and process that run "
                                        "something in them";
    }
}

// Adds a not-judged finding for a detector that needs what the file does not have.
static void add_lacking(const struct profile *profile, const struct selection *selection,
                        const struct detector *detector, struct finding_list *findings)
{
    enum detector_lack lack = detector_lack_of(detector, profile, selection);
    if (lack == LACKS_NOTHING)
        return;
    struct finding *finding = finding_add(findings, detector, SEVERITY_NOT_JUDGED);
    if (lack == LACKS_TIMES) {
        finding->problem = arena_format(
            findings->arena, "%s: the file tells no times to judge it by", detector->title);
        finding->recommendation =
            "Open the profile that PyProf's parser read, of nvprof or nsys: it has "
            "times, calls and copies";
        return;
    }
    finding->problem =
        arena_format(findings->arena, "%s: %s", detector->title,
                     work_missing_text(profile, selection->process, findings->arena));
    finding->recommendation = "Record again, a shorter time or with larger buffers; the GPU may "
                              "have been busy where the file shows it idle";
    finding->opens = "trust";
}

static bool has_more_gain(const struct finding *a, const struct finding *b)
{
    return a->gain_ns > b->gain_ns;
}

static int rank_in_list(const struct finding *finding)
{
    static const int ranks[] = {
        [SEVERITY_WARNING] = 1, [SEVERITY_NOTE] = 2, [SEVERITY_NOT_JUDGED] = 3};
    enum { FIRST = 0, FOLDED = 4 };
    return finding_is_folded(finding)            ? FOLDED + ranks[finding->severity]
           : finding->detector->is_about_capture ? FIRST
                                                 : ranks[finding->severity];
}

static bool precedes_in_list(const struct finding *a, const struct finding *b)
{
    return rank_in_list(a) < rank_in_list(b);
}

// Stable insertion sort; lists are short.
static void sort_findings(struct finding *items, size_t count,
                          bool (*is_before)(const struct finding *a, const struct finding *b))
{
    for (size_t i = 1; i < count; i++)
        for (size_t k = i; k > 0 && is_before(&items[k], &items[k - 1]); k--) {
            struct finding swapped = items[k];
            items[k] = items[k - 1];
            items[k - 1] = swapped;
        }
}

// Demotes DLProf's warnings to notes if a finding with a bound reports the same problem.
static void demote_repeated(struct finding_list *findings, size_t first)
{
    static const struct {
        const struct detector *said, *by;
    } repeated[] = {
        {&detect_dataloader, &detect_loader_wait},
        {&detect_amp, &detect_fp32_gemm},
    };
    for (size_t f = first; f < findings->count; f++)
        for (size_t r = 0; r < sizeof repeated / sizeof *repeated; r++)
            for (size_t t = 0; t < first; t++)
                if (findings->items[f].detector == repeated[r].said &&
                    findings->items[f].severity == SEVERITY_WARNING &&
                    findings->items[t].detector == repeated[r].by &&
                    findings->items[t].severity == SEVERITY_WARNING)
                    findings->items[f].severity = SEVERITY_NOTE;
}

// Equal names get a number; detectors that set a key never produce equal names.
static void name_findings(struct finding_list *findings)
{
    for (size_t f = 0; f < findings->count; f++) {
        struct finding *finding = &findings->items[f];
        const char *name = finding->key ? arena_format(findings->arena, "%s:%s",
                                                       finding->detector->id, finding->key)
                                        : finding->detector->id;
        unsigned same = 1;
        size_t length = strlen(name);
        for (size_t i = 0; i < f; i++)
            same += strncmp(findings->items[i].id, name, length) == 0 &&
                    strchr("#", findings->items[i].id[length]) != NULL;
        finding->id = same == 1 ? name : arena_format(findings->arena, "%s#%u", name, same);
    }
}

// Without an explicit evidence selection, the evidence is in the current selection.
static void add_evidence(struct finding_list *findings, const struct selection *selection)
{
    for (size_t f = 0; f < findings->count; f++)
        if (!findings->items[f].evidence.split)
            findings->items[f].evidence = *selection;
}

struct finding_list expert_dlprof(const struct profile *profile, const struct selection *selection,
                                  struct arena *arena)
{
    struct finding_list findings = {.arena = arena};
    for (size_t i = 0; i < detector_count; i++)
        if (detectors[i]->is_dlprof && detector_can_judge(detectors[i], profile, selection))
            detectors[i]->detect(profile, selection, &findings);
    add_evidence(&findings, selection);
    return findings;
}

struct finding_list expert_run(const struct profile *profile, const struct selection *selection,
                               struct arena *arena)
{
    struct finding_list findings = {.arena = arena};
    struct expert_run_context run = {profile, selection, &findings};
    step_line_use(&detector_list);
    scratch_run(arena, run_native_detectors, &run);
    add_unjudged(profile, selection, &findings);
    sort_findings(findings.items, findings.count, has_more_gain);
    size_t first = findings.count;
    for (size_t i = 0; i < detector_count; i++) {
        add_lacking(profile, selection, detectors[i], &findings);
        if (detectors[i]->detect && detector_can_judge(detectors[i], profile, selection))
            detectors[i]->detect(profile, selection, &findings);
    }
    demote_repeated(&findings, first);
    sort_findings(findings.items, findings.count, precedes_in_list);
    for (size_t f = 0; f < findings.count; f++) {
        struct finding *finding = &findings.items[f];
        if (finding->gain_ns != UNKNOWN) {
            findings.gain_ns += finding->gain_ns;
            findings.share += finding->share;
        }
    }
    add_evidence(&findings, selection);
    name_findings(&findings);
    for (size_t i = 0; i < findings.count; i++)
        findings.items[i].flag = recorder_option(profile, findings.items[i].flag);
    return findings;
}
