// SPDX-License-Identifier: Apache-2.0
// Collects the ranges of each family: by text, by place in the op tree (step_places.c), and by text
// up to all numbers (step_trends.c).
//
// A family may be the turns of a loop of the program. A range counts as a turn unless it is inside
// another range of its family on the same thread. In each process only the thread with most turns
// is used; its turns are one part of the family (struct step_part).
#include "model/steps/step_families.h"

#include <string.h>

#include "model/markers/markers.h"

// ---- the family of each range ------------------------------------------------------------------

// Library calls and single ops cannot be the turns of a loop of the program.
static bool kind_may_be_turn(enum marker_kind kind)
{
    return kind == MARKER_PLAIN || kind == MARKER_STEP || kind == MARKER_LAYER ||
           kind == MARKER_OPTIMIZER || kind == MARKER_DATALOADER || kind == MARKER_COMPILED;
}

// Returns the part of a range's name that is the same in all turns of a loop: the name without the
// numbers and shapes that differ between turns. For vLLM it is the same for prefill and decode,
// since both are steps of the server.
static string_id family_name(const struct marker *marker)
{
    if (marker->kind == MARKER_STEP)
        return marker_step_family(marker);
    bool is_steady = marker->dialect == DIALECT_MODULE_DICT ||
                     (marker->kind == MARKER_PLAIN && marker->dialect != DIALECT_PLAIN);
    return is_steady ? marker->title : marker->text;
}

struct family_names {
    struct strings *texts; // family texts: id
    uint32_t *of_marker;   // per marker: id; STRING_NONE: none
    int64_t *number;       // per marker: of its text, or UNKNOWN
};

static void name_families(struct family_names *names, const struct profile *profile,
                          struct arena *arena)
{
    char pattern[NAME_LIMIT + 1];
    int64_t number;
    names->texts = strings_new(arena);
    names->of_marker = ARENA_ARRAY(arena, uint32_t, (size_t)profile->marker_count + 1);
    names->number = ARENA_ARRAY(arena, int64_t, (size_t)profile->marker_count + 1);
    for (uint32_t i = 0; i < profile->marker_count; i++) {
        const struct marker *marker = &profile->markers[i];
        names->number[i] = marker->kind == MARKER_STEP ? marker->number : UNKNOWN;
        if (!kind_may_be_turn(marker->kind))
            continue;
        const char *text = profile_text(profile, family_name(marker));
        size_t length = strlen(text);
        if (marker->kind != MARKER_STEP && step_number_of(text, length, pattern, &number)) {
            text = pattern;
            names->number[i] = number;
        } else if (length > NAME_LIMIT) {
            continue;
        }
        names->of_marker[i] = strings_intern_text(names->texts, text);
    }
}

// ---- from ranges to the rows of families -------------------------------------------------------

struct family_thread { // the turns of a family on one thread
    uint32_t family, thread, count;
    uint32_t next; // another thread with the same family: index + 1 in `family_threads`, 0: none
    uint32_t part; // its index in families->parts + 1; 0: another thread of its process has more
};

struct family_counter { // state of one family while the ranges are read thread by thread
    uint32_t entry;     // its current thread: index + 1 in `family_threads`
    int64_t last_end;   // end of its last turn
    bool nests;         // a range of it was inside another
};

struct collect_job {
    struct step_families *families;
    const uint32_t *of_range; // per range: family + 1, 0: none
    uint32_t first_family, family_count;
    struct family_counter *counters;
    struct family_thread *family_threads;
    size_t thread_entry_count, thread_entry_capacity;
};

// Returns whether a range counts as a turn. Must be called for the ranges in order, since it stores
// the end of the last turn.
static bool is_turn(const struct collect_job *job, uint32_t range)
{
    const struct ranges *ranges = &job->families->profile->ranges;
    uint32_t family = job->of_range[range];
    if (!family || range_is_cross_thread(ranges, range))
        return false;
    struct family_counter *counter = &job->counters[family - 1];
    bool is_same = counter->entry &&
                   job->family_threads[counter->entry - 1].thread == range_thread(ranges, range);
    if (is_same && AT(ranges->start, range) < counter->last_end) {
        counter->nests = true;
        return false;
    }
    counter->last_end = AT(ranges->end, range);
    return true;
}

static void count_turns(struct collect_job *job)
{
    const struct ranges *ranges = &job->families->profile->ranges;
    for (uint32_t i = 0; i < ranges->count; i++) {
        if (!is_turn(job, i))
            continue;
        uint32_t family = job->of_range[i] - 1, thread = range_thread(ranges, i);
        struct family_counter *counter = &job->counters[family];
        if (!counter->entry || job->family_threads[counter->entry - 1].thread != thread) {
            struct family_thread entry = {
                .family = family, .thread = thread, .next = counter->entry};
            ARENA_PUSH(job->families->arena, job->family_threads, job->thread_entry_count,
                       job->thread_entry_capacity) = entry;
            counter->entry = (uint32_t)job->thread_entry_count;
        }
        job->family_threads[counter->entry - 1].count++;
    }
}

// Chooses for each process the thread with most turns; ties go to the first thread.
static void choose_threads(struct collect_job *job, uint32_t number, uint32_t *best)
{
    struct step_families *families = job->families;
    const struct profile *profile = families->profile;
    struct step_family *family = &families->items[job->first_family + number];
    family->first_part = (uint32_t)families->part_count;
    family->first_ns = INT64_MAX;
    family->nests = job->counters[number].nests;
    for (uint32_t i = job->counters[number].entry; i; i = job->family_threads[i - 1].next) {
        struct family_thread *entry = &job->family_threads[i - 1];
        uint32_t process = profile->threads[entry->thread].process;
        uint32_t at = best[process];
        struct step_part part = {job->first_family + number, process, entry->thread, i,
                                 entry->count};
        if (at < family->first_part || at >= families->part_count ||
            families->parts[at].process != process) {
            best[process] = (uint32_t)families->part_count;
            ARENA_PUSH(families->arena, families->parts, families->part_count,
                       families->part_capacity) = part;
        } else if (entry->count >= families->parts[at].count) {
            families->parts[at] = part;
        }
    }
    family->parts = (uint32_t)families->part_count - family->first_part;
    for (uint32_t a = family->first_part, b = a + family->parts; a + 1 < b; a++, b--) {
        struct step_part last = families->parts[b - 1]; // the linked list is in reverse order
        families->parts[b - 1] = families->parts[a];
        families->parts[a] = last;
    }
    for (uint32_t p = family->first_part; p < families->part_count; p++) {
        struct step_part *part = &families->parts[p];
        job->family_threads[part->first - 1].part = p + 1;
        part->first = (uint32_t)families->row_count;
        families->row_count += part->count;
        family->count += part->count;
        family->max_count = part->count > family->max_count ? part->count : family->max_count;
        bool is_less = p == family->first_part || part->count < family->min_count;
        family->min_count = is_less ? part->count : family->min_count;
        part->count = 0; // counts again while the rows are filled
    }
}

static void fill_rows(struct collect_job *job)
{
    struct step_families *families = job->families;
    const struct ranges *ranges = &families->profile->ranges;
    size_t entries_seen = 0;
    memset(job->counters, 0, job->family_count * sizeof *job->counters);
    for (uint32_t i = 0; i < ranges->count; i++) {
        if (!is_turn(job, i))
            continue;
        struct family_counter *counter = &job->counters[job->of_range[i] - 1];
        // The second pass meets the (family, thread) pairs in the order of the first.
        if (!counter->entry ||
            job->family_threads[counter->entry - 1].thread != range_thread(ranges, i))
            counter->entry = (uint32_t)++entries_seen;
        uint32_t at = job->family_threads[counter->entry - 1].part;
        if (!at)
            continue;
        struct step_part *part = &families->parts[at - 1];
        struct step_family *family = &families->items[part->family];
        families->rows[part->first + part->count++] = i;
        if (AT(ranges->start, i) < family->first_ns)
            family->first_ns = AT(ranges->start, i);
    }
}

static void collect(struct step_families *families, const uint32_t *of_range, size_t first)
{
    const struct profile *profile = families->profile;
    struct arena *arena = families->arena;
    uint32_t count = (uint32_t)(families->count - first);
    struct collect_job job = {.families = families,
                              .of_range = of_range,
                              .first_family = (uint32_t)first,
                              .family_count = count,
                              .thread_entry_capacity = (size_t)count + 1};
    job.family_threads = ARENA_ARRAY(arena, struct family_thread, job.thread_entry_capacity);
    job.counters = ARENA_ARRAY(arena, struct family_counter, (size_t)count + 1);
    count_turns(&job);
    uint32_t *best = ARENA_ARRAY(arena, uint32_t, (size_t)profile->process_count + 1);
    size_t row_count = families->row_count;
    for (uint32_t f = 0; f < count; f++)
        choose_threads(&job, f, best);
    uint32_t *rows = ARENA_ARRAY(arena, uint32_t, families->row_count + 1);
    if (row_count)
        memcpy(rows, families->rows, row_count * sizeof *rows);
    families->rows = rows;
    fill_rows(&job);
}

// ---- families by text --------------------------------------------------------------------------

static uint32_t *find_texts(struct step_families *families)
{
    const struct profile *profile = families->profile;
    struct arena *arena = families->arena;
    struct family_names names;
    name_families(&names, profile, arena);
    families->number = names.number;
    uint32_t ids = strings_count(names.texts);
    uint32_t *of_id = ARENA_ARRAY(arena, uint32_t, (size_t)ids + 1);
    for (uint32_t i = 0; i < profile->marker_count; i++) {
        uint32_t id = names.of_marker[i];
        if (!id || of_id[id])
            continue;
        const char *text = strings_text(names.texts, id);
        const struct marker *marker = &profile->markers[i];
        struct step_family family = {.text = text, .is_steps = marker->kind == MARKER_STEP};
        family.role = marker->kind == MARKER_DATALOADER ? ROLE_INPUT : step_role_of(text);
        family.is_layer = marker->kind == MARKER_LAYER;
        family.is_serving = marker->dialect == DIALECT_SERVING;
        size_t from, to;
        family.is_numbered =
            marker->kind == MARKER_PLAIN && step_number_in(text, strlen(text), &from, &to);
        ARENA_PUSH(arena, families->items, families->count, families->capacity) = family;
        of_id[id] = (uint32_t)families->count;
    }
    uint32_t *of_range = ARENA_ARRAY(arena, uint32_t, (size_t)profile->ranges.count + 1);
    for (uint32_t i = 0; i < profile->ranges.count; i++)
        of_range[i] = of_id[names.of_marker[range_label(&profile->ranges, i)->marker]];
    return of_range;
}

// ---- all families ------------------------------------------------------------------------------

static uint32_t *find_by_texts(struct step_families *families, const struct profile *profile,
                               struct arena *arena)
{
    *families = (struct step_families){.arena = arena, .profile = profile};
    uint32_t *of_range = find_texts(families);
    collect(families, of_range, 0);
    return of_range;
}

void step_families_by_text(struct step_families *families, const struct profile *profile,
                           struct arena *arena)
{
    find_by_texts(families, profile, arena);
}

// Collects the families from `first` on.
static void collect_from(struct step_families *families, uint32_t *of_range, size_t first)
{
    for (uint32_t i = 0; i < families->profile->ranges.count; i++)
        of_range[i] -= of_range[i] ? (uint32_t)first : 0;
    collect(families, of_range, first);
}

void step_families_find(struct step_families *families, const struct profile *profile,
                        struct arena *arena)
{
    uint32_t *text_of = find_by_texts(families, profile, arena);
    size_t texts = families->count;
    if (profile->folded_tree && profile->tree)
        collect_from(families, step_places_find(families, text_of), texts);
    size_t places = families->count;
    uint32_t *of_range = step_numbers_find(families, text_of);
    if (of_range)
        collect_from(families, of_range, places);
    step_trends_find(families);
}
