// SPDX-License-Identifier: Apache-2.0
// The table of checks. A function says what can be known; a note with one of the row's keys decides
// over it.
#include <inttypes.h>
#include <string.h>

#include "analysis/report/memo.h"
#include "analysis/trust/trust.h"
#include "base/text/format.h"
#include "model/profile/lost_work.h"
#include "model/profile/recorder.h"
#include "model/steps/split.h"

const char *const trust_state_names[TRUST_STATES] = {"ok", "info", "warning", "unknown"};

// Percent. What less than a hundredth hides is too small to be told; work outside of ranges is not
// hidden, but has no place.
enum { NEARLY_ALL = 99, NEARLY_ALL_PLACED = 95 };

// Sums over all GPU work, made in one pass.
struct trust_sums {
    int64_t kernel_ns, known_ns; // of kernels; of those known to use Tensor Cores or not
    int64_t launched, outside;   // rows with a launch; of all rows those in no range
    int64_t adopted;             // rows in a range only because it adopts them
};

struct check_context {
    const struct profile *profile;
    const struct split *split;
    struct arena *arena;
    struct trust_sums sums;
};

static void sums_add(struct check_context *context)
{
    const struct profile *profile = context->profile;
    const struct gpu_work *work = &profile->work;
    struct trust_sums *sums = &context->sums;
    for (uint32_t w = 0; w < work->count; w++) {
        const struct function *function = &profile->functions[AT(work->function, w)];
        uint32_t launch = HAS(work->launch) ? AT(work->launch, w) : ROW_NONE;
        if (function->kind == WORK_KERNEL) {
            int64_t ns = work_duration(profile, w);
            sums->kernel_ns += ns;
            sums->known_ns += function->tensor_core == STATE_UNKNOWN ? 0 : ns;
        }
        bool is_adopted = HAS(work->flags) && AT(work->flags, w) & WORK_ADOPTED;
        bool is_known = launch == ROW_NONE || HAS(profile->api.range);
        sums->launched += launch != ROW_NONE;
        bool has_no_range = is_known && work_range(profile, w) == ROW_NONE;
        sums->outside += has_no_range && !is_adopted;
        sums->adopted += has_no_range && is_adopted;
    }
}

static struct trust_check said(enum trust_state state, const char *text)
{
    return (struct trust_check){.state = state, .text = text};
}

static struct trust_check check_launches(const struct check_context *context)
{
    int64_t lost, launches;
    char count[FORMAT_SIZE];
    work_is_missing(context->profile, ROW_NONE, &lost, &launches);
    if (!launches)
        return said(TRUST_UNKNOWN, "none to hold against the GPU work");
    const char *which =
        profile_find_note(context->profile, "launches_at_end") ? " before the end" : "";
    return said(TRUST_OK, arena_format(context->arena, "all %s%s have their GPU work",
                                       format_count(count, launches), which));
}

static struct trust_check check_work(const struct check_context *context)
{
    const struct profile *profile = context->profile;
    const struct note *migrations = profile_find_note(profile, NOTE_MIGRATIONS);
    char count[FORMAT_SIZE];
    if (!context->sums.launched || profile->lacks_times)
        return said(TRUST_UNKNOWN, "none to hold against launches");
    if (!migrations)
        return said(TRUST_OK, "all of it has its launch");
    return said(TRUST_OK,
                arena_format(context->arena,
                             "all has its launch but %s of unified memory, which %s none",
                             format_counted(count, (uint64_t)migrations->count, "migration"),
                             migrations->count == 1 ? "needs" : "need"));
}

static struct trust_check check_times(const struct check_context *context)
{
    const struct profile *profile = context->profile;
    return profile->lacks_times   ? said(TRUST_UNKNOWN, "not in the file")
           : !profile->work.count ? said(TRUST_UNKNOWN, "no GPU work")
                                  : said(TRUST_OK, "all are possible");
}

static struct trust_check check_twice(const struct check_context *context)
{
    return context->profile->work.count && !context->profile->lacks_times
               ? said(TRUST_OK, "none")
               : said(TRUST_UNKNOWN, "none to compare");
}

static struct trust_check check_lost(const struct check_context *context)
{
    return context->profile->has_diagnostics ? said(TRUST_OK, "the profiler reported none")
                                             : said(TRUST_UNKNOWN, "the file does not tell");
}

// Returns the ranks of the job as far as the files tell: its size, a rank, or the size of a group.
// The last two are a lower bound (*is_least).
static int64_t ranks_expected(const struct profile *profile, bool *is_least)
{
    int64_t told = 0, expected = 0;
    for (uint32_t i = 0; i < profile->source_count; i++) {
        const struct source *source = &profile->sources[i];
        told = source->world != UNKNOWN && source->world > told ? source->world : told;
        if (source->rank != UNKNOWN && source->rank >= expected && source->rank > 0)
            expected = source->rank + 1;
    }
    for (uint32_t i = 0; i < profile->told_collectives.count; i++) {
        int64_t size = profile->told_collectives.group_size[i];
        expected = size != UNKNOWN && size > expected && size < INT32_MAX ? size : expected;
    }
    *is_least = expected > told;
    return expected > told ? expected : told;
}

static int64_t ranks_found(const struct profile *profile)
{
    int64_t processes = 0, ranks = 0;
    for (uint32_t p = 0; p < profile->process_count; p++)
        processes += profile->processes[p].gpus != PROCESS_NO_GPU;
    for (uint32_t i = 0; i < profile->source_count; i++) {
        bool is_new = profile->sources[i].rank != UNKNOWN;
        for (uint32_t k = 0; k < i && is_new; k++)
            is_new = profile->sources[k].rank != profile->sources[i].rank;
        ranks += is_new;
    }
    return ranks > processes ? ranks : processes;
}

static struct trust_check check_ranks(const struct check_context *context)
{
    bool is_least;
    int64_t expected = ranks_expected(context->profile, &is_least);
    int64_t found = ranks_found(context->profile);
    if (!expected)
        return said(TRUST_UNKNOWN, "the file does not tell how many");
    found = found < expected ? found : expected;
    return said(found < expected ? TRUST_INFO : TRUST_OK,
                arena_format(context->arena, "%" PRId64 " of %s%" PRId64 " %s open", found,
                             is_least ? "at least " : "", expected, found == 1 ? "is" : "are"));
}

static struct trust_check check_steps(const struct check_context *context)
{
    const struct split *split = context->split;
    uint32_t cut = 0;
    if (split->method == SPLIT_NONE || !split_has_steps(split))
        return said(TRUST_UNKNOWN,
                    split->has_unused ? "no marks are likely ones" : "nothing marks any");
    if (split->method == SPLIT_KEY)
        return said(TRUST_UNKNOWN, "first and last are not between two marks");
    for (uint32_t i = 0; i < split->count; i++)
        cut += split->is_cut[i];
    return cut ? said(TRUST_INFO, arena_format(context->arena, "%u of %u %s cut and in no mean",
                                               cut, split->count, cut == 1 ? "is" : "are"))
               : said(TRUST_OK, arena_format(context->arena, "none of %u is cut", split->count));
}

static struct trust_check check_ranges(const struct check_context *context)
{
    const struct trust_sums *sums = &context->sums;
    if (!context->profile->ranges.count || !sums->launched)
        return said(TRUST_UNKNOWN, "none around the launch of GPU work");
    char percent[FORMAT_SIZE];
    int64_t count = context->profile->work.count;
    double share = (double)(count - sums->outside) / (double)count;
    return said(share * 100 >= NEARLY_ALL_PLACED ? TRUST_OK : TRUST_INFO,
                arena_format(context->arena, "%s%% of GPU work is inside one%s",
                             format_percent(percent, share), sums->adopted ? ", or adopted" : ""));
}

static struct trust_check check_tensor_cores(const struct check_context *context)
{
    const struct trust_sums *sums = &context->sums;
    if (!sums->kernel_ns)
        return said(TRUST_UNKNOWN, "no kernels");
    char percent[FORMAT_SIZE];
    double share = (double)sums->known_ns / (double)sums->kernel_ns;
    return said(share * 100 >= NEARLY_ALL ? TRUST_OK : TRUST_INFO,
                arena_format(context->arena, "use known for %s%% of kernel time",
                             format_percent(percent, share)));
}

static struct trust_check check_whole(const struct check_context *context)
{
    return context->profile->file_window ? said(TRUST_INFO, "a part was read, as asked for")
                                         : said(TRUST_OK, "read to the end");
}

static struct trust_check check_rest(const struct check_context *context)
{
    (void)context;
    return said(TRUST_OK, "nothing odd");
}

enum { CHECK_KEYS = 9 };
static const struct {
    const char *name;
    struct trust_check (*check)(const struct check_context *context);
    const char *keys[CHECK_KEYS]; // of notes
} checks[] = {
    {"launches", check_launches, {NOTE_LOST_WORK}},
    {"work", check_work, {"work_without_launch"}},
    {"times",
     check_times,
     {"work_timeless", "work_far", "work_overrun", "rows_skipped", "times_absurd", "clock_skew",
      "page_faults"}},
    {"rows twice",
     check_twice,
     {"work_twice", "same_work", "repeated_file", "overlapping_file", "values_repeated",
      "correlation_duplicates"}},
    {"lost records", check_lost, {NOTE_LOST_EVENTS, "lost_events", "diagnostics"}},
    {"whole file",
     check_whole,
     {"file_cut", "file_damaged", "table_damaged", "line_cut", "json_mended", "journal_ignored",
      "table_unread", "bytes_behind"}},
    {"ranks", check_ranks, {NULL}},
    {"steps", check_steps, {NULL}},
    {"ranges", check_ranges, {NULL}},
    {"Tensor Cores", check_tensor_cores, {NULL}},
    {"all else", check_rest, {NULL}},
};
enum { CHECKS = sizeof checks / sizeof *checks };

// Returns the row of the table that a note belongs to; the last one if no row names it.
static size_t check_of(const struct note *note)
{
    for (size_t c = 0; c < CHECKS; c++)
        for (size_t k = 0; k < CHECK_KEYS && checks[c].keys[k]; k++)
            if (strcmp(checks[c].keys[k], note->key) == 0)
                return c;
    return CHECKS - 1;
}

// Of several notes of one check the first warning is shown, otherwise the first note.
static void notes_decide(const struct profile *profile, struct trust_check *items)
{
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < profile->note_count; i++) {
            const struct note *note = &profile->notes[i];
            size_t at = check_of(note);
            bool is_warning = note->level == NOTE_WARNING;
            if (is_warning != (pass == 0) || items[at].state == TRUST_WARNING ||
                (!is_warning && (at == CHECKS - 1 || items[at].state == TRUST_INFO)))
                continue;
            items[at].state = is_warning ? TRUST_WARNING : TRUST_INFO;
            items[at].text = note->text;
        }
}

static void *checks_make(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    struct trust_checks *all = ARENA_NEW(arena, struct trust_checks);
    struct trust_check *items = ARENA_ARRAY(arena, struct trust_check, CHECKS);
    struct check_context context = {profile, selection->split, arena, {0}};
    sums_add(&context);
    for (size_t c = 0; c < CHECKS; c++) {
        items[c] = checks[c].check(&context);
        items[c].name = checks[c].name;
    }
    notes_decide(profile, items);
    *all = (struct trust_checks){.items = items, .count = CHECKS};
    for (size_t c = 0; c < CHECKS; c++)
        all->counts[items[c].state]++;
    for (size_t i = 0; i < profile->note_count; i++)
        all->doubts += profile->notes[i].level == NOTE_WARNING;
    return all;
}

static const struct memo_kind checks_memo = {.make = checks_make};

const struct trust_checks *trust_checks_of(const struct profile *profile,
                                           const struct selection *selection, struct arena *arena)
{
    return memo_require(&checks_memo, profile, selection, arena);
}

const char *trust_names_text(const struct trust_checks *all, enum trust_state state,
                             struct arena *arena)
{
    const char *text = NULL;
    for (size_t c = 0; c < all->count; c++)
        if (all->items[c].state == state)
            text =
                text ? arena_format(arena, "%s, %s", text, all->items[c].name) : all->items[c].name;
    return text;
}
