// SPDX-License-Identifier: Apache-2.0
// Finds families of texts. The cost is one look at each distinct text, at each range, and at the
// numbers of the first TREND_RANGES ranges of each family.
#include "model/markers/numbered_titles.h"

#include <ctype.h>
#include <string.h>

#include "model/markers/markers.h"
#include "model/markers/step_numbers.h"
#include "model/markers/step_words.h"

// Texts that a family needs, by what its numbers do. A loop of 8 turns is the least that steps are
// made of; 64 sizes say less than one row for all; parts of a program that are numbered again and
// again, such as layers, are fewer than 256 (the deepest models have 126).
static const uint32_t texts_wanted[] = {
    [TREND_NONE] = 256,  [TREND_COUNTER] = 8, [TREND_VALUE] = 64,
    [TREND_CYCLE] = 256, [TREND_ID] = 64,
};
enum {
    LEAST_WANTED = 3,   // where one number counts and others vary, too: parts have one number
    NAMES_WANTED = 256, // where numbers are part of a name
};

// ---- the numbers of a text ---------------------------------------------------------------------

enum number_place {
    NUMBER_FREE,    // a word of its own: `turn 5`, `it=12`, `#3`
    NUMBER_IN_NAME, // conv1, gemm_128x64, stage-2, blocks[3]
    NUMBER_IN_PATH, // layer.0.mlp, version 2.1.0
};

struct text_number {
    size_t from, to;
    enum number_place place;
};

static bool is_name(const char *text, size_t length, size_t at)
{
    return at < length && (isalnum((unsigned char)text[at]) || text[at] == '_');
}

static enum number_place place_of(const char *text, size_t length, size_t from, size_t to)
{
    bool is_dotted_after = to + 1 < length && text[to] == '.' && is_name(text, length, to + 1);
    bool is_dotted_before = from > 0 && text[from - 1] == '.';
    if (is_dotted_before || is_dotted_after)
        return NUMBER_IN_PATH;
    size_t before = from;
    if (before > 0 && strchr("-/[(", text[before - 1]))
        before--;
    bool is_after_name = before > 0 && is_name(text, length, before - 1);
    // 3 of `5/3` and `5-3` is as free as 5 is.
    bool is_of_number = before < from && is_after_name && isdigit((unsigned char)text[before - 1]);
    while (is_of_number && before > 0 && isdigit((unsigned char)text[before - 1]))
        before--;
    if (is_of_number)
        is_after_name = before > 0 && is_name(text, length, before - 1);
    return is_after_name || is_name(text, length, to) ? NUMBER_IN_NAME : NUMBER_FREE;
}

// Finds the next number at or after `at`. The sign of a figure belongs to it: `loss=-0.5`.
static bool next_number(const char *text, size_t length, size_t at, struct text_number *number)
{
    while (at < length && !isdigit((unsigned char)text[at]))
        at++;
    if (at == length)
        return false;
    bool is_in_word = at > 0 && is_name(text, length, at - 1);
    number->from = at;
    number->to = is_in_word ? step_digits_end(text, length, at) : step_figure_end(text, length, at);
    number->place = place_of(text, length, number->from, number->to);
    bool is_signed = at > 1 && strchr("-+", text[at - 1]) && strchr("=: ([", text[at - 2]);
    number->from -= is_signed && number->place == NUMBER_FREE;
    return true;
}

// Finds the next number that may vary within a family.
static bool next_varying(const char *text, size_t length, size_t at, enum number_place limit,
                         struct text_number *number)
{
    while (next_number(text, length, at, number)) {
        if (number->place <= limit)
            return true;
        at = number->to;
    }
    return false;
}

// Writes the text with N for each number for which varies[i] is set. Without `varies` each number
// becomes a byte that no text has, which makes the name of the family. Returns the length, 0 if the
// text has no such number or too many.
static size_t write_title(const char *text, size_t length, enum number_place limit,
                          const bool *varies, char title[NAME_LIMIT + 1])
{
    struct text_number number;
    size_t at = 0, used = 0, count = 0;
    while (next_varying(text, length, at, limit, &number)) {
        if (count == MAX_STEP_NUMBERS)
            return 0;
        bool is_varying = !varies || varies[count];
        size_t copied = (is_varying ? number.from : number.to) - at;
        memcpy(title + used, text + at, copied);
        used += copied;
        if (is_varying)
            title[used++] = varies ? 'N' : '\1';
        at = number.to;
        count++;
    }
    memcpy(title + used, text + at, length - at);
    return count ? used + length - at : 0;
}

// ---- families ----------------------------------------------------------------------------------

struct title_family {
    uint32_t first;            // its first marker
    uint32_t texts;            // distinct texts
    uint64_t ranges;           // with any of them
    uint32_t thread, count;    // the thread that is read, and its ranges so far
    uint32_t best, best_count; // the thread with most ranges
    uint32_t first_row, rows;  // the first ranges of that thread: rows of search.markers
    bool varies[MAX_STEP_NUMBERS];
};

struct title_search {
    struct profile *profile;
    struct arena *scratch;
    uint32_t first;          // marker
    enum number_place limit; // of the numbers by which texts may differ
    uint32_t *of_marker;     // per marker: family; 0: none
    uint32_t count;          // families + 1
    struct title_family *families;
    uint32_t *markers; // of the ranges by which families are judged
};

static void find_families(struct title_search *search)
{
    const struct profile *profile = search->profile;
    struct strings *patterns = strings_new(search->scratch);
    char pattern[NAME_LIMIT + 1];
    for (uint32_t i = search->first; i < profile->marker_count; i++) {
        const struct marker *marker = &profile->markers[i];
        search->of_marker[i] = 0;
        if (marker->kind != MARKER_PLAIN || marker->dialect != DIALECT_PLAIN ||
            marker->title != marker->text)
            continue;
        size_t length = strings_length(profile->strings, marker->text);
        const char *text = profile_text(profile, marker->text);
        size_t used =
            length <= NAME_LIMIT ? write_title(text, length, search->limit, NULL, pattern) : 0;
        if (used)
            search->of_marker[i] = strings_intern(patterns, pattern, used);
    }
    search->count = strings_count(patterns);
    search->families = ARENA_ARRAY(search->scratch, struct title_family, search->count);
    for (uint32_t i = search->first; i < profile->marker_count; i++) {
        struct title_family *family = &search->families[search->of_marker[i]];
        family->first = family->texts++ ? family->first : i;
        family->ranges += profile->markers[i].range_count;
    }
    // Families that are too small in any case are none.
    for (uint32_t i = search->first; i < profile->marker_count; i++)
        if (search->families[search->of_marker[i]].texts < LEAST_WANTED)
            search->of_marker[i] = 0;
}

// Finds the numbers in which the texts of each family differ.
static void compare_texts(struct title_search *search)
{
    const struct profile *profile = search->profile;
    for (uint32_t i = search->first; i < profile->marker_count; i++) {
        if (!search->of_marker[i])
            continue;
        struct title_family *family = &search->families[search->of_marker[i]];
        string_id id = profile->markers[i].text, other_id = profile->markers[family->first].text;
        const char *text = profile_text(profile, id), *other = profile_text(profile, other_id);
        size_t length = strings_length(profile->strings, id);
        size_t other_length = strings_length(profile->strings, other_id);
        struct text_number a = {.to = 0}, b = {.to = 0};
        for (size_t n = 0; next_varying(text, length, a.to, search->limit, &a) &&
                           next_varying(other, other_length, b.to, search->limit, &b);
             n++)
            family->varies[n] |= a.to - a.from != b.to - b.from ||
                                 memcmp(text + a.from, other + b.from, a.to - a.from) != 0;
    }
}

// ---- what the numbers of a family do -----------------------------------------------------------

// Calls of this function must pass the ranges in order. Returns the family of a range, counted on
// its thread; NULL: none.
static struct title_family *count_range(struct title_search *search, uint32_t range)
{
    const struct range_label *label = range_label(&search->profile->ranges, range);
    if (label->marker < search->first || !search->of_marker[label->marker])
        return NULL;
    struct title_family *family = &search->families[search->of_marker[label->marker]];
    family->count = family->count && family->thread == label->thread ? family->count + 1 : 1;
    family->thread = label->thread;
    return family;
}

static void collect_rows(struct title_search *search)
{
    const struct ranges *ranges = &search->profile->ranges;
    for (uint32_t i = 0; i < ranges->count; i++) {
        struct title_family *family = count_range(search, i);
        if (family && family->count > family->best_count) {
            family->best = family->thread;
            family->best_count = family->count;
        }
    }
    uint32_t row_count = 0;
    for (uint32_t f = 1; f < search->count; f++) {
        struct title_family *family = &search->families[f];
        family->first_row = row_count;
        row_count += family->best_count < TREND_RANGES ? family->best_count : TREND_RANGES;
        family->count = 0;
    }
    search->markers = ARENA_ARRAY(search->scratch, uint32_t, row_count);
    for (uint32_t i = 0; i < ranges->count; i++) {
        struct title_family *family = count_range(search, i);
        if (family && family->thread == family->best && family->rows < TREND_RANGES)
            search->markers[family->first_row + family->rows++] = range_label(ranges, i)->marker;
    }
}

// Returns what the number that tells most does. `values` is room for TREND_ROOM numbers.
static enum step_trend trend_of(const struct title_search *search,
                                const struct title_family *family, int64_t *values)
{
    const struct profile *profile = search->profile;
    enum step_trend trend = TREND_NONE;
    for (uint32_t row = 0; row < family->rows; row++) {
        string_id id = profile->markers[search->markers[family->first_row + row]].text;
        const char *text = profile_text(profile, id);
        size_t length = strings_length(profile->strings, id);
        struct text_number number = {.to = 0};
        for (size_t n = 0; next_varying(text, length, number.to, search->limit, &number); n++)
            values[n * family->rows + row] =
                step_number_value(text + number.from, number.to - number.from);
    }
    for (size_t n = 0; n < MAX_STEP_NUMBERS; n++) {
        if (!family->varies[n])
            continue;
        enum step_trend found = step_trend_of(values + n * family->rows, family->rows);
        if (found == TREND_COUNTER)
            return found;
        if (trend == TREND_NONE || found == TREND_VALUE)
            trend = found != TREND_NONE ? found : trend;
    }
    return trend;
}

static bool has_one_title(const struct title_search *search, const struct title_family *family,
                          int64_t *values)
{
    const struct profile *profile = search->profile;
    if (step_text_names_built(profile_text(profile, profile->markers[family->first].text)))
        return false;
    if (search->limit == NUMBER_IN_NAME)
        return family->texts >= NAMES_WANTED && family->ranges < 2 * (uint64_t)family->texts;
    enum step_trend trend = trend_of(search, family, values);
    uint32_t varying = 0;
    for (size_t n = 0; n < MAX_STEP_NUMBERS; n++)
        varying += family->varies[n];
    bool is_counted = trend == TREND_COUNTER && varying > 1;
    return family->texts >= (is_counted ? LEAST_WANTED : texts_wanted[trend]);
}

static void set_titles(struct title_search *search)
{
    struct profile *profile = search->profile;
    char title[NAME_LIMIT + 1];
    bool *is_one = ARENA_ARRAY(search->scratch, bool, search->count);
    int64_t *values = ARENA_ARRAY(search->scratch, int64_t, TREND_ROOM);
    for (uint32_t f = 1; f < search->count; f++) {
        const struct title_family *family = &search->families[f];
        is_one[f] = family->rows && has_one_title(search, family, values);
    }
    for (uint32_t i = search->first; i < profile->marker_count; i++) {
        uint32_t f = search->of_marker[i];
        if (!f || !is_one[f])
            continue;
        struct marker *marker = &profile->markers[i];
        const struct marker *leader = &profile->markers[search->families[f].first];
        if (leader != marker) {
            marker->title = leader->title;
            continue;
        }
        size_t used = write_title(profile_text(profile, marker->text),
                                  strings_length(profile->strings, marker->text), search->limit,
                                  search->families[f].varies, title);
        marker->title = strings_intern(profile->strings, title, used);
    }
}

void numbered_titles_find(struct profile *profile, uint32_t first, struct arena *scratch)
{
    struct title_search search = {.profile = profile, .scratch = scratch, .first = first};
    search.of_marker = ARENA_ARRAY(scratch, uint32_t, profile->marker_count);
    for (search.limit = NUMBER_FREE; search.limit <= NUMBER_IN_NAME; search.limit++) {
        find_families(&search);
        bool any = false;
        for (uint32_t i = first; i < profile->marker_count; i++)
            any |= search.of_marker[i] != 0;
        if (!any)
            continue;
        compare_texts(&search);
        collect_rows(&search);
        set_titles(&search);
    }
}
