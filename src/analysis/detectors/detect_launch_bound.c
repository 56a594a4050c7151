// SPDX-License-Identifier: Apache-2.0
// Detects runs of short kernels that the host cannot launch fast enough.
//
// A kernel is starved if it starts as soon as it is launched, so that the queue was empty. A run is
// a sequence of starved kernels of one thread with short gaps between them.
#include <string.h>

#include "analysis/detect/cause_time.h"
#include "analysis/detect/finding.h"
#include "model/markers/step_words.h"
#include "model/rules/thresholds.h"

DETECTOR_DECLARE(launch_bound);

enum { MAX_GAP_KERNELS = 10 }; // a gap longer than this many short kernels has another cause

struct launch_limits { // the thresholds launch_bound.*
    int64_t kernel_ns, delay_ns, gap_ns;
    uint32_t kernels;
    double gaps, fusion;
};

struct launch_run { // intervals [first, end) of one window
    size_t first, end;
    uint32_t kernels, thread;
    int64_t gaps_ns, kernels_ns;
};

enum { SUM_KERNELS = SUM_OWN, SUM_GAPS };

struct launch_runs {
    struct step_line *line;
    struct launch_limits limits;
    struct launch_run *items;
    size_t count, capacity;
};

// Returns true for a short kernel, launched outside of a graph, that is starved. Sets *thread to
// the thread that launched it.
static bool is_starved(const struct launch_runs *runs, uint32_t row, uint32_t *thread)
{
    enum { CLOCKS_NS = 1000 };
    const struct profile *profile = runs->line->profile;
    const struct gpu_work *work = &profile->work;
    const struct function *function = &profile->functions[AT(work->function, row)];
    if (function->kind != WORK_KERNEL || function->class != CLASS_COMPUTE ||
        AT(work->launch, row) == ROW_NONE || AT(work->flags, row) & WORK_IN_GRAPH)
        return false;
    uint32_t launch = AT(work->launch, row);
    *thread = AT(profile->api.thread, launch);
    return AT(work->end, row) - AT(work->start, row) < runs->limits.kernel_ns &&
           AT(work->start, row) - AT(profile->api.end, launch) < runs->limits.delay_ns &&
           AT(work->start, row) >= AT(profile->api.start, launch) - CLOCKS_NS;
}

static void end_run(struct launch_runs *runs, struct launch_run *run)
{
    int64_t length = run->gaps_ns + run->kernels_ns;
    if (run->kernels >= runs->limits.kernels &&
        (double)run->gaps_ns > runs->limits.gaps * (double)length)
        ARENA_PUSH(runs->line->scratch, runs->items, runs->count, runs->capacity) = *run;
    *run = (struct launch_run){.thread = ROW_NONE};
}

static void find_runs(struct launch_runs *runs)
{
    const struct step_line *line = runs->line;
    struct launch_run run = {.thread = ROW_NONE};
    for (size_t s = 0; s < line->count; s++) {
        const struct line_interval *interval = &line->intervals[s];
        int64_t length = interval->to - interval->from;
        uint32_t thread = ROW_NONE;
        bool is_idle = interval->work == ROW_NONE;
        bool fits = is_idle ? run.kernels && length < runs->limits.gap_ns
                            : is_starved(runs, interval->work, &thread);
        bool breaks = run.kernels && line->intervals[run.first].window != interval->window;
        if (!fits || breaks || (!is_idle && run.kernels && thread != run.thread))
            end_run(runs, &run);
        if (!fits || (is_idle && run.kernels == 0))
            continue;
        if (run.kernels == 0)
            run = (struct launch_run){.first = s, .thread = thread};
        run.end = s + 1;
        run.kernels += !is_idle;
        run.gaps_ns += is_idle ? length : 0;
        run.kernels_ns += is_idle ? 0 : length;
    }
    end_run(runs, &run);
}

static bool is_fusible(const struct profile *profile, uint32_t function)
{
    const char *family = profile_text(profile, profile->functions[function].family);
    return strncmp(family, "elementwise", 11) == 0;
}

// Returns true for a short kernel that `thread` launched, starved or not.
static bool is_short(const struct launch_runs *runs, uint32_t row, uint32_t thread)
{
    const struct profile *profile = runs->line->profile;
    const struct gpu_work *work = &profile->work;
    const struct function *function = &profile->functions[AT(work->function, row)];
    return function->kind == WORK_KERNEL && function->class == CLASS_COMPUTE &&
           AT(work->launch, row) != ROW_NONE && !(AT(work->flags, row) & WORK_IN_GRAPH) &&
           AT(profile->api.thread, AT(work->launch, row)) == thread &&
           AT(work->end, row) - AT(work->start, row) < runs->limits.kernel_ns;
}

// Returns the first interval of the short kernels that a run ends. Short kernels directly before
// the queue ran dry count as well: while launching them, the host lost its lead over the GPU.
static size_t short_kernels_begin(const struct launch_runs *runs, const struct launch_run *run,
                                  size_t from)
{
    const struct step_line *line = runs->line;
    size_t first = run->first;
    for (size_t s = first; s-- > from;) {
        const struct line_interval *interval = &line->intervals[s];
        if (interval->work == ROW_NONE ? interval->to - interval->from >= runs->limits.gap_ns
                                       : !is_short(runs, interval->work, run->thread))
            break;
        first = s;
    }
    return first;
}

// Adds the host time between consecutive launches of the intervals [first, end) to `slack`.
static void add_run_slack(const struct launch_runs *runs, size_t first, size_t end,
                          struct host_slack *slack)
{
    const struct step_line *line = runs->line;
    const struct profile *profile = line->profile;
    int64_t previous_start = INT64_MAX;
    for (size_t s = first; s < end; s++) {
        uint32_t row = line->intervals[s].work;
        if (row == ROW_NONE)
            continue;
        int64_t start = AT(profile->api.start, AT(profile->work.launch, row));
        if (start > previous_start && start - previous_start < runs->limits.gap_ns)
            slack_add(slack, previous_start, start, 0);
        previous_start = start;
    }
}

static void add_run_sums(const struct launch_runs *runs, const struct launch_run *run,
                         struct scan *scan)
{
    const struct step_line *line = runs->line;
    uint32_t window = line->intervals[run->first].window;
    scan_add(scan, SUM_KERNELS, window, run->kernels);
    scan_add(scan, SUM_GAPS, window, run->gaps_ns);
    for (size_t s = run->first; s < run->end; s++) {
        const struct line_interval *interval = &line->intervals[s];
        uint32_t row = interval->work == ROW_NONE ? interval->next : interval->work;
        if (row != ROW_NONE)
            scan_node(scan, window, row, interval->to - interval->from);
    }
}

// Adds to scan->more the part of a run's elementwise kernels that fusing would save.
static void request_fusion(const struct launch_runs *runs, const struct launch_run *run,
                           struct scan *scan)
{
    const struct step_line *line = runs->line;
    for (size_t s = run->first; s < run->end; s++) {
        const struct line_interval *interval = &line->intervals[s];
        if (interval->work == ROW_NONE ||
            !is_fusible(line->profile, AT(line->profile->work.function, interval->work)))
            continue;
        int64_t part = (int64_t)(runs->limits.fusion * (double)(interval->to - interval->from));
        requests_add(&scan->more, line->scratch, interval->to - part, interval->to, 0,
                     interval->window);
    }
}

static struct launch_limits current_limits(void)
{
    int64_t kernel_ns = (int64_t)(1e3 * expert_threshold("launch_bound.kernel_us"));
    return (struct launch_limits){
        .kernel_ns = kernel_ns,
        .delay_ns = (int64_t)(1e3 * expert_threshold("launch_bound.delay_us")),
        .gap_ns = MAX_GAP_KERNELS * kernel_ns,
        .kernels = (uint32_t)expert_threshold("launch_bound.kernels"),
        .gaps = expert_threshold("launch_bound.gaps"),
        .fusion = expert_threshold("launch_bound.fusion"),
    };
}

static void launch_bound_scan(struct scan *scan)
{
    struct step_line *line = scan->line;
    struct launch_runs runs = {.line = line, .limits = current_limits()};
    struct host_slack slack = {.scan = scan};
    if (line->has_untraced_work || line->profile->api.count == 0)
        return;
    find_runs(&runs);
    for (size_t r = 0, previous_end = 0; r < runs.count; previous_end = runs.items[r++].end) {
        const struct launch_run *run = &runs.items[r];
        add_run_sums(&runs, run, scan);
        request_fusion(&runs, run, scan);
        add_run_slack(&runs, short_kernels_begin(&runs, run, previous_end), run->end, &slack);
    }
    slack_request(&slack);
}

static void add_not_judged(struct finding_list *findings)
{
    struct finding *finding = finding_add(findings, &detect_launch_bound, SEVERITY_NOT_JUDGED);
    finding->problem =
        "What runs inside CUDA graphs is not told: short kernels and the gaps between "
        "them are not judged";
    finding->recommendation = "Capture graphs node by node; replays run slower then";
    finding->flag = "--cuda-graph-trace=node";
}

// Returns true if the ranges from a node up to the root include an optimizer step, by their names.
static bool is_in_optimizer(const struct step *step, uint32_t node)
{
    const struct op_tree *tree = selection_tree(step->profile, step->selection);
    for (; node != ROW_NONE && tree->parent[node] != ROW_NONE; node = tree->parent[node])
        if (step_role_of(profile_text(step->profile, tree->name[node])) == ROLE_OPTIMIZER)
            return true;
    return false;
}

static void launch_bound(struct step *step, const struct scan *scan, struct finding_list *findings)
{
    if (step->has_untraced_work ||
        step_share(step, step->opaque_ns) > expert_threshold("launch_bound.opaque")) {
        add_not_judged(findings);
        return;
    }
    struct launch_limits limits = current_limits();
    int64_t gain = grants_measure(&step->grants);
    uint32_t hit = step_windows_hit(step);
    bool is_reported = hit > expert_threshold("launch_bound.steps") * step->window_count &&
                       step_share(step, gain) > expert_threshold("launch_bound.share");
    struct finding *finding =
        is_reported ? step_finding(step, findings, &detect_launch_bound, gain, CERTAINTY_LIKELY)
                    : NULL;
    if (!finding)
        return;
    grants_set_requests(&step->grants, &scan->more);
    int64_t fused = grants_measure(&step->grants);
    gain += fused;
    grants_take(&step->grants, NULL);
    grants_set_requests(&step->grants, &scan->requests);
    grants_take(&step->grants, NULL);
    finding->gain_ns = step_mean_ns(step, gain);
    finding->share = step_share(step, gain);
    uint32_t node = step_place(step, scan);
    bool is_optimizer = is_in_optimizer(step, node);
    finding->place = step_node_text(step, node);
    finding->problem = arena_format(
        step->arena,
        "%s%lld small kernels %s are launched slower than they run: the queue is empty "
        "between them",
        is_optimizer ? "The optimizer is not fused: " : "",
        (long long)step_mean_ns(step, step_sum(step, scan, SUM_KERNELS)), step_unit(step));
    finding->recommendation =
        is_optimizer ? "Let it update many tensors in a kernel: fused=True (torch.optim), else "
                       "foreach=True, or a fused optimizer of a library; or capture its step in a "
                       "CUDA graph"
                     : "Launch less: a fused or foreach optimizer (fused=True), torch.compile, or "
                       "a CUDA graph of the stretch";
    finding->why = arena_format(
        step->arena,
        "In runs of at least %u kernels, each under %lld us and started as soon as it was "
        "launched, the gaps are %s %s. The bound holds the idle time that goes away when these "
        "launches take no time, as in a graph, and %.0f%% of elementwise kernels in the runs, "
        "which fusing would save%s. A capture with many ranges makes the host slower than it is",
        limits.kernels, (long long)(limits.kernel_ns / 1000),
        step_duration(step, step_sum(step, scan, SUM_GAPS)), step_unit(step), 100 * limits.fusion,
        fused > 0 ? arena_format(step->arena, ". %s of it is no idle time: these kernels",
                                 step_duration(step, fused))
                  : "");
    finding_set_idle_evidence(finding, "cause:host|latency");
    if (finding->place)
        finding->evidence.node = node;
}

const struct detector detect_launch_bound = {
    .id = "launch_bound",
    .title = "kernels too small for the host to keep up",
    .doc =
        "At least launch_bound.kernels kernels in a row, each shorter than "
        "launch_bound.kernel_us, start within launch_bound.delay_us of their launch by the same "
        "thread (the queue is empty), and launch_bound.gaps of the stretch are gaps, in more than "
        "launch_bound.steps of the steps and for more than launch_bound.share of the step. A full "
        "queue is no reason; not judged where launch_bound.opaque of the step is graphs traced as "
        "a whole. Bound: the idle time that goes away when these launches take no time, and "
        "launch_bound.fusion of the elementwise kernels among them. Of the optimizer's step it is "
        "said that it is not fused.",
    .needs_all_work = true,
    .scan = launch_bound_scan,
    .judge = launch_bound,
};
