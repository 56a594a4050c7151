// SPDX-License-Identifier: Apache-2.0
// Detects steps that launch the same long sequence of kernels one by one while the GPU waits for
// the host. As a CUDA graph the sequence would be one launch.
#include <string.h>

#include "analysis/detect/cause_time.h"
#include "analysis/detect/finding.h"
#include "base/hash.h"
#include "base/id_map.h"
#include "model/rules/thresholds.h"

DETECTOR_DECLARE(repeated_launches);

enum { SUM_LAUNCHES = SUM_OWN };

// Consecutive launches of one thread in one step, without a call that a graph cannot contain.
struct launch_sequence {
    uint64_t hash; // hash of the functions and launch shapes, in order
    uint32_t launches, window, thread;
    uint32_t first, last; // first and last call
};

struct launch_repeats {
    struct scan *scan;
    double launches;       // minimum number of launches of a sequence
    bool *is_uncapturable; // by string id of a call's name: a graph cannot contain it
    size_t count, capacity;
    struct launch_sequence *sequences;
};

// Returns, by string id, which API calls a graph cannot contain: those that wait for the GPU,
// allocate through the driver or load code. A graph launch counts too, as it is a graph already.
static bool *find_uncapturable(const struct profile *profile, struct arena *arena)
{
    size_t names = strings_count(profile->strings);
    bool *is_uncapturable = ARENA_ARRAY(arena, bool, names + 1),
         *is_classified = ARENA_ARRAY(arena, bool, names + 1);
    for (uint32_t call = 0; call < profile->api.count; call++) {
        string_id name = AT(profile->api.name, call);
        if (is_classified[name])
            continue;
        is_classified[name] = true;
        const char *text = profile_text(profile, name);
        enum host_activity activity = api_activity(text);
        is_uncapturable[name] = activity == HOST_SYNC || activity == HOST_ALLOCATOR ||
                                activity == HOST_COMPILE || strstr(text, "GraphLaunch") ||
                                (activity == HOST_COPY && !strstr(text, "Async"));
    }
    return is_uncapturable;
}

static void end_sequence(struct launch_repeats *repeats, struct launch_sequence *sequence)
{
    if (sequence->launches > repeats->launches)
        ARENA_PUSH(repeats->scan->line->scratch, repeats->sequences, repeats->count,
                   repeats->capacity) = *sequence;
    *sequence = (struct launch_sequence){.window = ROW_NONE};
}

static void add_launch(struct launch_sequence *sequence, const struct profile *profile,
                       uint32_t call, uint32_t work)
{
    uint32_t shape = work_launch_shape(profile, work) ? AT(profile->work.shape, work) : ROW_NONE;
    uint32_t parts[] = {AT(profile->work.function, work), shape};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        sequence->hash = hash_number(sequence->hash, parts[i]);
    sequence->first = sequence->launches++ ? sequence->first : call;
    sequence->last = call;
}

static void find_sequences(struct launch_repeats *repeats, uint32_t t)
{
    const struct step_line *line = repeats->scan->line;
    const struct profile *profile = line->profile;
    const struct api_calls *api = &profile->api;
    struct launch_sequence sequence = {.window = ROW_NONE};
    for (uint32_t call = profile->threads[t].first_api; call < profile->threads[t].end_api;
         call++) {
        bool has_work = AT(api->first_work, call) < AT(api->first_work, call + 1);
        uint32_t work = has_work ? AT(api->work_rows, AT(api->first_work, call)) : ROW_NONE;
        bool is_kernel = has_work &&
                         profile->functions[AT(profile->work.function, work)].kind == WORK_KERNEL &&
                         !(AT(profile->work.flags, work) & WORK_IN_GRAPH);
        uint32_t window = is_kernel ? line_window_of(line, work) : ROW_NONE;
        if (repeats->is_uncapturable[AT(api->name, call)] ||
            (is_kernel && window != sequence.window))
            end_sequence(repeats, &sequence);
        if (window == ROW_NONE)
            continue;
        sequence.window = window;
        sequence.thread = t;
        add_launch(&sequence, profile, call, work);
    }
    end_sequence(repeats, &sequence);
}

// Returns, by sequence, the number of steps in which an equal sequence occurs.
static uint32_t *count_steps(const struct launch_repeats *repeats)
{
    struct arena *scratch = repeats->scan->line->scratch;
    struct id_map map = {.arena = scratch};
    uint32_t *kind_of = ARENA_ARRAY(scratch, uint32_t, repeats->count + 1);
    uint32_t *steps = ARENA_ARRAY(scratch, uint32_t, repeats->count + 1);
    uint32_t *last_window = ARENA_ARRAY(scratch, uint32_t, repeats->count + 1), count = 0;
    for (size_t r = 0; r < repeats->count; r++) {
        const struct launch_sequence *sequence = &repeats->sequences[r];
        uint32_t *slot = id_map_slot(
            &map, (struct id_key){sequence->hash, sequence->launches, sequence->thread});
        if (!*slot)
            *slot = ++count;
        kind_of[r] = *slot - 1;
        steps[kind_of[r]] += last_window[kind_of[r]] != sequence->window + 1;
        last_window[kind_of[r]] = sequence->window + 1;
    }
    uint32_t *steps_of_sequence = ARENA_ARRAY(scratch, uint32_t, repeats->count + 1);
    for (size_t r = 0; r < repeats->count; r++)
        steps_of_sequence[r] = steps[kind_of[r]];
    return steps_of_sequence;
}

// Adds the idle time before each launch of a sequence except the first to its node and source line.
static void scan_idle_time(const struct launch_repeats *repeats, const bool *is_in_sequence)
{
    const struct step_line *line = repeats->scan->line;
    for (size_t s = 0; s < line->count; s++) {
        const struct line_interval *idle = &line->intervals[s];
        uint32_t call = idle->work == ROW_NONE ? line_next_launch(line, idle) : ROW_NONE;
        if (call != ROW_NONE && is_in_sequence[call])
            scan_node(repeats->scan, idle->window, idle->next, idle->to - idle->from);
    }
}

// Requests the idle time that a graph would save: the host would spend no time between the first
// and the last launch of a sequence.
static void repeated_launches_scan(struct scan *scan)
{
    struct step_line *line = scan->line;
    const struct profile *profile = line->profile;
    struct launch_repeats repeats = {.scan = scan,
                                     .launches = expert_threshold("repeated_launches.launches")};
    double min_steps = expert_threshold("repeated_launches.steps") * line->window_count;
    struct host_slack slack = {.scan = scan};
    if (line->has_untraced_work || !line->has_steps || profile->api.count == 0)
        return;
    repeats.is_uncapturable = find_uncapturable(profile, line->scratch);
    for (uint32_t t = 0; t < profile->thread_count; t++)
        if (driving_line(line, t))
            find_sequences(&repeats, t);
    const uint32_t *steps = count_steps(&repeats);
    bool *is_in_sequence = ARENA_ARRAY(line->scratch, bool, (size_t)profile->api.count + 1);
    for (size_t r = 0; r < repeats.count; r++) {
        const struct launch_sequence *sequence = &repeats.sequences[r];
        if (steps[r] <= min_steps)
            continue;
        scan_add(scan, SUM_LAUNCHES, sequence->window, sequence->launches);
        slack_add_unclassified(&slack, sequence->thread, AT(profile->api.start, sequence->first),
                               AT(profile->api.start, sequence->last), 0);
        for (uint32_t call = sequence->first + 1; call <= sequence->last; call++)
            is_in_sequence[call] = true;
    }
    scan_idle_time(&repeats, is_in_sequence);
    slack_request(&slack);
}

static void repeated_launches(struct step *step, const struct scan *scan,
                              struct finding_list *findings)
{
    int64_t launches = step_sum(step, scan, SUM_LAUNCHES);
    if (launches == 0)
        return;
    int64_t gain = grants_measure(&step->grants);
    bool is_reported =
        step_windows_hit(step) > expert_threshold("repeated_launches.steps") * step->window_count &&
        step_share(step, gain) > expert_threshold("repeated_launches.share");
    struct finding *finding = step_take_finding(step, findings, &detect_repeated_launches,
                                                is_reported, gain, CERTAINTY_LIKELY);
    if (!finding)
        return;
    bool has_several_steps = step->line->window_count > 1;
    finding->place = step_node_text(step, step_place(step, scan));
    finding->problem = arena_format(
        step->arena, "%lld launches %s, %s, and the GPU waits for the host between them: %s %s%s",
        (long long)step_mean_ns(step, launches), step_unit(step),
        has_several_steps ? "the same ones in the same order each time"
                          : "with nothing between them that a CUDA graph cannot hold",
        step_duration(step, gain), step_unit(step),
        has_several_steps
            ? ""
            : arena_format(step->arena,
                           "; of one %s it is not told whether they are the same each "
                           "time",
                           split_words_of(step->selection->split)->one));
    finding->recommendation =
        "Launch them as one CUDA graph: torch.compile(mode=\"reduce-overhead\"), "
        "torch.cuda.make_graphed_callables or torch.cuda.CUDAGraph; shapes and addresses must stay "
        "the same";
    const char *equal =
        has_several_steps
            ? arena_format(
                  step->arena,
                  "Functions, launch shapes and their order are equal in more than %.0f%% of the "
                  "steps, in rows",
                  100 * expert_threshold("repeated_launches.steps"))
            : "A graph pays only if functions, launch shapes and their order are the same in later "
              "steps, of which the file holds none: record several. They are in rows";
    finding->why = arena_format(
        step->arena,
        "%s of more than %.0f launches of one thread without a call that a graph cannot hold. "
        "The bound is the idle time that goes away when the host spends nothing within a row",
        equal, expert_threshold("repeated_launches.launches"));
    finding_set_idle_evidence(finding, "cause:host|latency");
}

const struct detector detect_repeated_launches = {
    .id = "repeated_launches",
    .title = "the same launches in every step, without a graph",
    .doc =
        "More than repeated_launches.launches launches of kernels by one thread, equal in "
        "function, launch shape and order in more than repeated_launches.steps of the steps, "
        "with no call between that a CUDA graph cannot hold (waiting, allocating, loading "
        "code), and the GPU waits for the host between them for more than "
        "repeated_launches.share of the step. A full queue is no reason. Of a capture of one step "
        "it is said that it does not tell whether they are. Bound: the idle time "
        "that goes away when the host spends nothing there.",
    .needs_all_work = true,
    .scan = repeated_launches_scan,
    .judge = repeated_launches,
};
