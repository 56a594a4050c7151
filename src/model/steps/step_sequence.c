// SPDX-License-Identifier: Apache-2.0
// Finds recurring kernel sequences, for runs in which no ranges or ops mark the steps.
//
// Every kernel name is tried as an anchor: the launches from one launch of this kernel to the next
// are a turn. If at least 80% of the turns launch the same sequence of kernels, the anchor is
// suitable. The suitable anchor with the fewest turns is chosen, since it is the outermost loop.
#include "model/steps/step_plan.h"

#include "base/text/format.h"

enum { MIN_TURNS = 3, MAX_TURNS = 20000 };

struct sequence_anchor { // all launches of the kernels with one family name
    uint32_t count;
    size_t first, last;  // indices of the first and the last one among all launches
    uint64_t usual_hash; // hash of the sequence of most turns
    size_t usual_length; // launches in that sequence
    // Counter of the majority vote, and the number of turns with the sequence.
    uint32_t votes, alike_turns;
};

// Numbers the family names of kernels, without gaps. Returns the number of each function.
static uint32_t *name_functions(const struct profile *profile, uint32_t *count, struct arena *arena)
{
    uint32_t *of_function = ARENA_ARRAY(arena, uint32_t, (size_t)profile->function_count + 1);
    uint32_t *of_text = ARENA_ARRAY(arena, uint32_t, strings_count(profile->strings) + (size_t)1);
    *count = 0;
    for (uint32_t i = 0; i < profile->function_count; i++) {
        uint32_t *name = &of_text[profile->functions[i].family];
        *name = *name ? *name : ++*count;
        of_function[i] = *name - 1;
    }
    return of_function;
}

// Prefix hashes of the launches, from which the hash of any part of the sequence follows.
struct prefix_hashes {
    uint64_t *before, *power;
};

static uint64_t hash_between(const struct prefix_hashes *hashes, size_t from, size_t to)
{
    return hashes->before[to] - hashes->before[from] * hashes->power[to - from];
}

static struct prefix_hashes make_hashes(const struct launch_order *order, const uint32_t *names,
                                        struct arena *arena)
{
    enum { BASE = 1000003 };
    struct prefix_hashes hashes = {ARENA_ARRAY(arena, uint64_t, order->count + 1),
                                   ARENA_ARRAY(arena, uint64_t, order->count + 1)};
    hashes.power[0] = 1;
    for (size_t i = 0; i < order->count; i++) {
        // Spread the bits: the names are small numbers, whose hashes would often be equal.
        uint64_t name = (names[i] + 1) * UINT64_C(0x9e3779b97f4a7c15);
        hashes.before[i + 1] = hashes.before[i] * BASE + (name ^ name >> 29);
        hashes.power[i + 1] = hashes.power[i] * BASE;
    }
    return hashes;
}

// Finds for each anchor the most frequent sequence of its turns in a first pass (Boyer-Moore
// majority vote), and counts the turns that are equal to it in a second one.
static void find_anchors(const struct launch_order *order, const uint32_t *names,
                         struct sequence_anchor *anchors, struct arena *arena)
{
    struct prefix_hashes hashes = make_hashes(order, names, arena);
    for (size_t i = 0; i < order->count; i++)
        anchors[names[i]] = (struct sequence_anchor){0};
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < order->count; i++)
            anchors[names[i]].count = 0;
        for (size_t i = 0; i < order->count; i++) {
            struct sequence_anchor *anchor = &anchors[names[i]];
            if (anchor->count == 0)
                anchor->first = i;
            if (anchor->count++) {
                uint64_t hash = hash_between(&hashes, anchor->last, i);
                if (pass)
                    anchor->alike_turns += hash == anchor->usual_hash;
                else if (!anchor->votes)
                    anchor->usual_hash = hash, anchor->usual_length = i - anchor->last,
                    anchor->votes = 1;
                else
                    anchor->votes += hash == anchor->usual_hash ? 1 : UINT32_MAX;
            }
            anchor->last = i;
        }
    }
}

// Returns the launches of kernels only: the number of copies varies with sizes and pinning.
static struct launch_order kernels_of(const struct profile *profile, const struct launch_order *all,
                                      struct arena *arena)
{
    int64_t *time = ARENA_ARRAY(arena, int64_t, all->count + 1);
    uint32_t *work = ARENA_ARRAY(arena, uint32_t, all->count + 1);
    size_t count = 0;
    for (size_t i = 0; i < all->count; i++) {
        if (profile->functions[AT(profile->work.function, all->work[i])].kind != WORK_KERNEL)
            continue;
        time[count] = all->time[i];
        work[count++] = all->work[i];
    }
    return (struct launch_order){count, time, work, NULL};
}

static uint32_t best_anchor(const struct sequence_anchor *anchors, const uint32_t *names,
                            size_t count)
{
    uint32_t best = ROW_NONE;
    for (size_t i = 0; i < count; i++) {
        uint32_t n = names[i];
        const struct sequence_anchor *anchor = &anchors[n];
        if (anchor->count < MIN_TURNS || anchor->count > MAX_TURNS ||
            anchor->alike_turns * 10 < (anchor->count - 1) * 8 ||
            anchor->last - anchor->first < count / 2)
            continue;
        // The outer loop has fewer turns.
        if (best == ROW_NONE || anchor->count < anchors[best].count)
            best = n;
    }
    return best;
}

// Adds the turns of a process, each from one launch of the anchor to the next. The last turn has
// the usual number of kernels; it is marked as cut if the capture ends earlier.
static uint32_t add_turns(struct split_marks *marks, uint32_t process,
                          const struct launch_order *order, const uint32_t *names, uint32_t name,
                          const struct sequence_anchor *anchor, struct arena *arena)
{
    uint32_t turns = 0;
    for (size_t i = anchor->first; i <= anchor->last; i++) {
        if (names[i] != name)
            continue;
        if (turns)
            marks->items[marks->count - 1].stop = order->time[i];
        ARENA_PUSH(arena, marks->items, marks->count, marks->capacity) =
            (struct split_mark){process, turns++, order->time[i], order->time[i] + 1, false};
    }
    struct split_mark *last = &marks->items[marks->count - 1];
    size_t end = anchor->last + anchor->usual_length;
    last->is_cut = end > order->count;
    last->stop = order->time[(end < order->count ? end : order->count) - 1] + 1;
    marks->slot_count = turns > marks->slot_count ? turns : marks->slot_count;
    return turns;
}

static const char *name_of(const struct profile *profile, const uint32_t *of_function,
                           uint32_t name)
{
    for (uint32_t f = 0; f < profile->function_count; f++)
        if (of_function[f] == name)
            return profile_text(profile, profile->functions[f].family);
    return "";
}

void step_sequences_add(struct step_finder *finder)
{
    const struct profile *profile = finder->profile;
    struct arena *arena = finder->arena;
    enum { FIRST_ROOM = 64 };
    uint32_t name_count;
    uint32_t *of_function = name_functions(profile, &name_count, arena);
    struct sequence_anchor *anchors =
        ARENA_ARRAY(arena, struct sequence_anchor, (size_t)name_count + 1);
    struct split_marks marks = {.items = ARENA_ARRAY(arena, struct split_mark, FIRST_ROOM),
                                .capacity = FIRST_ROOM,
                                .by_gpu = finder->launches.is_by_start};
    const char *kernel = NULL;
    uint32_t periods = 0, alike_turns = 0;
    for (uint32_t p = 0; p < profile->process_count; p++) {
        struct launch_order order = kernels_of(profile, &finder->launches.of_process[p], arena);
        uint32_t *names = ARENA_ARRAY(arena, uint32_t, order.count + 1);
        for (size_t i = 0; i < order.count; i++)
            names[i] = of_function[AT(profile->work.function, order.work[i])];
        find_anchors(&order, names, anchors, arena);
        uint32_t best = best_anchor(anchors, names, order.count);
        if (best == ROW_NONE)
            continue;
        periods += add_turns(&marks, p, &order, names, best, &anchors[best], arena) - 1;
        alike_turns += anchors[best].alike_turns;
        kernel = kernel ? kernel : name_of(profile, of_function, best);
    }
    if (!marks.count)
        return;
    struct step_plan *plan = step_plan_add(finder);
    plan->source = CANDIDATE_SEQUENCE;
    plan->confidence = CONFIDENCE_POSSIBLE;
    plan->unit = "sequence";
    plan->key = "sequence";
    plan->text = arena_format(arena, "kernels from \"%.60s\" to the next", kernel);
    plan->why = arena_format(arena, "%u of %u launch the same kernels in the same order",
                             alike_turns, periods);
    plan->marks = marks;
    step_figures_fill(finder, plan);
}
