// SPDX-License-Identifier: Apache-2.0
// Matches the rows of two sides by key below matched parents, and merges them into one order. A row
// of A without a pair is gone, a row of B without a pair is new.
#include "analysis/compare/compare_match.h"

#include <inttypes.h>

#include "base/scratch.h"
#include "base/strings.h"

struct side_rows side_rows_build(const struct report *report, struct rows rows, struct arena *arena)
{
    struct side_rows side = {.rows = rows};
    // `open` is the innermost row to which the rows that follow may belong.
    uint32_t count = (uint32_t)rows.count, open = ROW_NONE;
    side.parent = side.within = ARENA_ARRAY(arena, uint32_t, rows.count + 1);
    side.depth_shift = ARENA_ARRAY(arena, uint32_t, rows.count + 1);
    side.is_unmatched_step = ARENA_ARRAY(arena, bool, rows.count + 1);
    side.subtree_end = ARENA_ARRAY(arena, uint32_t, rows.count + 1);
    for (uint32_t r = 0; r < count; r++) {
        unsigned depth = report->depth ? report->depth(report_row(report, &rows, r)) : 0;
        while (open != ROW_NONE &&
               (!report->depth || report->depth(report_row(report, &rows, open)) >= depth)) {
            side.subtree_end[open] = r;
            open = side.parent[open];
        }
        side.parent[r] = open;
        open = r;
    }
    for (; open != ROW_NONE; open = side.parent[open])
        side.subtree_end[open] = count;
    return side;
}

// ---- keys of rows -------------------------------------------------------------------------------

static struct row_match match_of(const struct report *report, const void *row)
{
    if (report->match)
        return report->match(row);
    for (size_t c = 0; c < report->column_count; c++)
        if (report->columns[c].flags & COLUMN_NAME)
            return (struct row_match){{report->columns[c].get(row).text}};
    return (struct row_match){0};
}

// Returns the key of a row below the row `parent` of side A (ROW_NONE for outer rows).
static const char *key_of(struct row_match match, uint32_t parent, struct arena *arena)
{
    const char *texts[sizeof match.text / sizeof *match.text];
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        texts[i] = match.text[i] ? match.text[i] : "";
    return arena_format(arena, "%" PRIu32 "\x1f%s\x1f%s\x1f%s\x1f%s", parent, texts[0], texts[1],
                        texts[2], texts[3]);
}

// ---- steps without a counterpart ----------------------------------------------------------------

struct step_search {
    const struct report *report;
    const struct side_rows *sides;
    bool has_unmatched[SIDES];
};

// Returns the key of a row if it is a step, else NULL.
static const char *step_key(const struct step_search *search, int side, uint32_t row,
                            struct arena *arena)
{
    const struct report *report = search->report;
    const void *item = report_row(report, &search->sides[side].rows, row);
    return report->is_step(item) ? key_of(match_of(report, item), ROW_NONE, arena) : NULL;
}

static void search_body(void *context, struct arena *scratch)
{
    struct step_search *search = context;
    for (int s = 0; s < SIDES; s++) {
        int other = SIDES - 1 - s;
        struct strings *names = strings_new(scratch);
        for (uint32_t r = 0; r < search->sides[other].rows.count; r++) {
            const char *key = step_key(search, other, r, scratch);
            if (key)
                strings_intern_text(names, key);
        }
        for (uint32_t r = 0; r < search->sides[s].rows.count; r++) {
            const char *key = step_key(search, s, r, scratch);
            bool is_unmatched = key && strings_find(names, key) == STRING_NONE;
            search->sides[s].is_unmatched_step[r] = is_unmatched;
            search->has_unmatched[s] |= is_unmatched;
        }
    }
}

// Makes the children of unmatched steps their siblings, see compare_match.h.
static void unwrap_steps(struct side_rows *side, struct arena *arena)
{
    side->unwraps_steps = true;
    side->parent = ARENA_ARRAY(arena, uint32_t, side->rows.count + 1);
    for (uint32_t r = 0; r < side->rows.count; r++) {
        uint32_t within = side->within[r];
        bool is_lifted = within != ROW_NONE && side->is_unmatched_step[within];
        side->parent[r] = is_lifted ? side->parent[within] : within;
        side->depth_shift[r] = within == ROW_NONE ? 0 : side->depth_shift[within] + is_lifted;
        if (side->is_unmatched_step[r])
            side->subtree_end[r] = r + 1;
    }
}

void rows_find_steps(const struct report *report, struct side_rows sides[SIDES],
                     struct arena *arena)
{
    struct step_search search = {.report = report, .sides = sides};
    if (!report->is_step)
        return;
    scratch_run(arena, search_body, &search);
    for (int s = 0; s < SIDES; s++)
        if (search.has_unmatched[s] && !search.has_unmatched[SIDES - 1 - s])
            unwrap_steps(&sides[s], arena);
}

// ---- matching -----------------------------------------------------------------------------------

struct match_state {
    const struct report *report;
    const struct side_rows *a, *b;
    uint32_t *pair_of_b; // row of A, or ROW_NONE if new
    bool *is_loose;      // by row of B: true if the pair differs in name or launch shape
    bool *has_pair;      // by row of A
};

// Returns true for a step that may match any unmatched step of the other side, whatever its name.
static bool matches_any_step(const struct side_rows *side, uint32_t row)
{
    return side->is_unmatched_step[row] && !side->unwraps_steps;
}

static const char *row_key(const struct match_state *state, const struct side_rows *side,
                           uint32_t row, uint32_t parent, struct arena *arena)
{
    struct row_match match =
        matches_any_step(side, row)
            ? (struct row_match){{"", "any step"}}
            : match_of(state->report, report_row(state->report, &side->rows, row));
    return key_of(match, parent, arena);
}

// Pairs rows by key. Each row of B is paired with the first unpaired row of A that has the same
// key.
static void match_by_key(struct match_state *state, struct arena *scratch)
{
    uint32_t count_a = (uint32_t)state->a->rows.count, count_b = (uint32_t)state->b->rows.count;
    struct strings *names = strings_new(scratch);
    uint32_t *next = ARENA_ARRAY(scratch, uint32_t, (size_t)count_a + 1); // row + 1, or 0
    string_id *name_of = ARENA_ARRAY(scratch, string_id, (size_t)count_a + 1);
    for (uint32_t r = 0; r < count_a; r++)
        name_of[r] =
            strings_intern_text(names, row_key(state, state->a, r, state->a->parent[r], scratch));
    uint32_t *first = ARENA_ARRAY(scratch, uint32_t, strings_count(names) + 1);
    for (uint32_t r = count_a; r-- > 0;) {
        next[r] = first[name_of[r]];
        first[name_of[r]] = r + 1;
    }
    for (uint32_t r = 0; r < count_b; r++) {
        uint32_t parent = state->b->parent[r], pair = parent;
        state->pair_of_b[r] = ROW_NONE;
        if (parent != ROW_NONE && (pair = state->pair_of_b[parent]) == ROW_NONE)
            continue; // all rows below a new row are new
        string_id name = strings_find(names, row_key(state, state->b, r, pair, scratch));
        uint32_t link = name == STRING_NONE ? 0 : first[name];
        if (!link)
            continue;
        first[name] = next[link - 1];
        state->pair_of_b[r] = link - 1;
        state->is_loose[r] = matches_any_step(state->b, r);
        state->has_pair[link - 1] = true;
    }
}

// The unpaired rows of a side with one key; `row` is the last.
struct unpaired {
    uint32_t count, row;
};

// Returns, by row, the key under `match`; STRING_NONE for paired rows and rows without a key.
static string_id *unpaired_names(const struct match_state *state, const struct side_rows *side,
                                 struct row_match (*match)(const void *row), struct strings *names,
                                 struct arena *scratch)
{
    string_id *name_of = ARENA_ARRAY(scratch, string_id, side->rows.count + 1);
    for (uint32_t r = 0; r < side->rows.count; r++) {
        if (side == state->a ? state->has_pair[r] : state->pair_of_b[r] != ROW_NONE)
            continue;
        struct row_match key = match(report_row(state->report, &side->rows, r));
        if (key.text[0])
            name_of[r] = strings_intern_text(names, key_of(key, ROW_NONE, scratch));
    }
    return name_of;
}

static struct unpaired *count_unpaired(const string_id *name_of, size_t count,
                                       const struct strings *names, struct arena *scratch)
{
    struct unpaired *unpaired = ARENA_ARRAY(scratch, struct unpaired, strings_count(names) + 1);
    for (uint32_t r = 0; r < count; r++) {
        unpaired[name_of[r]].count++;
        unpaired[name_of[r]].row = r;
    }
    return unpaired;
}

// Pairs the unpaired rows whose key occurs exactly once among the unpaired rows of each side.
static void match_unpaired(struct match_state *state, struct row_match (*match)(const void *row),
                           struct arena *scratch)
{
    struct strings *names = strings_new(scratch);
    string_id *name_of_a = unpaired_names(state, state->a, match, names, scratch);
    string_id *name_of_b = unpaired_names(state, state->b, match, names, scratch);
    struct unpaired *unpaired_a = count_unpaired(name_of_a, state->a->rows.count, names, scratch);
    struct unpaired *unpaired_b = count_unpaired(name_of_b, state->b->rows.count, names, scratch);
    for (string_id name = STRING_NONE + 1; name < strings_count(names); name++) {
        if (unpaired_a[name].count != 1 || unpaired_b[name].count != 1)
            continue;
        state->pair_of_b[unpaired_b[name].row] = unpaired_a[name].row;
        state->is_loose[unpaired_b[name].row] = true;
        state->has_pair[unpaired_a[name].row] = true;
    }
}

static void match_body(void *context, struct arena *scratch)
{
    struct match_state *state = context;
    match_by_key(state, scratch);
    for (size_t i = 0; state->report->fallback_matches && state->report->fallback_matches[i]; i++) {
        arena_reset(scratch);
        match_unpaired(state, state->report->fallback_matches[i], scratch);
    }
}

// The rows of A that are gone, without those below another gone row, as linked lists by parent.
// Links are row + 1; 0 ends a list. The list of the outer rows has index `count`.
struct gone_rows {
    uint32_t *first, *next; // by parent, and by row
};

static struct gone_rows find_gone_rows(const struct match_state *state, struct arena *arena)
{
    uint32_t count = (uint32_t)state->a->rows.count;
    struct gone_rows gone = {ARENA_ARRAY(arena, uint32_t, (size_t)count + 1),
                             ARENA_ARRAY(arena, uint32_t, (size_t)count + 1)};
    for (uint32_t r = count; r-- > 0;) {
        uint32_t parent = state->a->parent[r];
        if (state->has_pair[r] || (parent != ROW_NONE && !state->has_pair[parent]))
            continue;
        uint32_t *first = &gone.first[parent == ROW_NONE ? count : parent];
        gone.next[r] = *first;
        *first = r + 1;
    }
    return gone;
}

struct row_pair *match_rows(const struct report *report, const struct side_rows sides[SIDES],
                            size_t *count, struct arena *arena)
{
    uint32_t count_a = (uint32_t)sides[SIDE_A].rows.count;
    uint32_t count_b = (uint32_t)sides[SIDE_B].rows.count;
    struct match_state state = {report,
                                &sides[SIDE_A],
                                &sides[SIDE_B],
                                ARENA_ARRAY(arena, uint32_t, (size_t)count_b + 1),
                                ARENA_ARRAY(arena, bool, (size_t)count_b + 1),
                                ARENA_ARRAY(arena, bool, (size_t)count_a + 1)};
    scratch_run(arena, match_body, &state);
    struct gone_rows gone = find_gone_rows(&state, arena);
    struct row_pair *pairs = ARENA_ARRAY(arena, struct row_pair, (size_t)count_a + count_b + 1);
    *count = 0;
    uint32_t open = ROW_NONE; // the innermost row of B to which the next may belong
    for (uint32_t r = 0; r <= count_b; r++) {
        uint32_t parent = r < count_b ? state.b->parent[r] : ROW_NONE;
        for (; open != parent; open = state.b->parent[open]) {
            uint32_t pair = state.pair_of_b[open];
            for (uint32_t g = pair == ROW_NONE ? 0 : gone.first[pair]; g; g = gone.next[g - 1])
                for (uint32_t a = g - 1; a < state.a->subtree_end[g - 1]; a++)
                    pairs[(*count)++] = (struct row_pair){{a, ROW_NONE}, false};
        }
        if (r < count_b) {
            pairs[(*count)++] = (struct row_pair){{state.pair_of_b[r], r}, state.is_loose[r]};
            open = r;
        }
    }
    for (uint32_t g = gone.first[count_a]; g; g = gone.next[g - 1])
        for (uint32_t a = g - 1; a < state.a->subtree_end[g - 1]; a++)
            pairs[(*count)++] = (struct row_pair){{a, ROW_NONE}, false};
    return pairs;
}
