// SPDX-License-Identifier: Apache-2.0
// Generates pairs of profiles and reads cells of their comparisons.
#include "compare_pair.h"

#include <math.h>
#include <string.h>

#include "property.h"

#include "analysis/compare/baseline.h"
#include "analysis/report/value.h"
#include "model/profile/loader.h"

void pair_open(struct pair *pair, const char *before, const char *after)
{
    *pair = (struct pair){.arena = arena_new(0)};
    pair->a = scenario_open(before);
    pair->b = after ? scenario_open(after) : pair->a;
    pair->selection = selection_all(split_find(pair->b, pair->arena));
    pair->selection.iterations = default_baseline_steps(pair->b, &pair->selection, pair->arena);
    struct baseline_request request = {
        .profile = pair->a, .path = after ? before : NULL, .gpu = UNKNOWN, .process = UNKNOWN};
    assert_true(baseline_init(&pair->baseline, &request, &pair->selection, pair->arena, NULL));
    pair->selection.baseline = &pair->baseline;
}

void pair_close(struct pair *pair)
{
    if (pair->a != pair->b)
        profile_free(pair->a);
    profile_free(pair->b);
    arena_free(pair->arena);
}

const struct compare_row *row_at(const struct rows *rows, size_t i)
{
    return (const struct compare_row *)rows->items + i;
}

double zero_if_unknown(double x)
{
    return isnan(x) ? 0 : x;
}

const struct compare_row *row_named(const struct rows *rows, const char *name)
{
    for (size_t i = 0; i < rows->count; i++) {
        const struct compare_row *row = row_at(rows, i);
        const void *known_row = row->side[SIDE_B] ? row->side[SIDE_B] : row->side[SIDE_A];
        const char *text = row->name;
        if (known_row)
            text = row->layout->columns[0].base->get(known_row).text;
        if (text && strcmp(text, name) == 0)
            return row;
    }
    return NULL;
}

const char *cell_of(const struct compare_row *row, const char *key, struct arena *arena)
{
    const struct report *report = compare_report(row->layout->base, "step", arena);
    const struct column *column = report_column(report, key);
    assert_non_null(column);
    return value_display_text(column, column->get(row), true, arena);
}

int64_t figure_of(const struct report *base, const char *key, const void *row)
{
    return report_column(base, key)->get(row).integer;
}

double sum_of(const struct compare_row *row, const char *key, int side)
{
    for (int sum = 0; sum < (int)row->layout->sum_count; sum++)
        if (strcmp(row->layout->sums[sum]->key, key) == 0)
            return row->sums[sum * SIDES + side];
    fail_msg("no sum %s", key);
    return 0;
}

void assert_adds_up(const struct pair *pair, const struct report *base, const char *what)
{
    struct rows rows = compare_rows(base, pair->b, &pair->selection, pair->arena);
    if (rows.count == 0)
        return;
    const struct compare_row *all = row_at(&rows, 0);
    struct compare_layout layout;
    compare_layout_init(&layout, base);
    int main = layout.main;
    double sum[SIDES] = {0}, delta = 0;
    for (size_t i = 1; i < rows.count; i++) {
        const struct compare_row *row = row_at(&rows, i);
        if (base->depth && row->depth > 0)
            continue;
        for (int s = 0; s < SIDES; s++)
            sum[s] += zero_if_unknown(row->sums[main * SIDES + s]);
        delta += zero_if_unknown(compare_delta(row, main));
    }
    for (int s = 0; s < SIDES; s++)
        if (sum[s] != zero_if_unknown(all->sums[main * SIDES + s]))
            fail_msg("%s, %s: side %d is %.3f, its rows make %.3f", what, base->name, s,
                     all->sums[main * SIDES + s], sum[s]);
    if (delta != zero_if_unknown(compare_delta(all, main)))
        fail_msg("%s, %s: the difference is %.0f ns, its rows make %.0f", what, base->name,
                 compare_delta(all, main), delta);
    struct compared compared;
    compare_init(&compared, pair->b, &pair->selection, pair->arena);
    int64_t a = side_step_ns(&compared.side[SIDE_A]), b = side_step_ns(&compared.side[SIDE_B]);
    if ((base->busy || base->whole) && a != UNKNOWN && b != UNKNOWN)
        if (compare_delta(all, main) != (double)(b - a))
            fail_msg("%s, %s: the steps differ by %lld ns, the rows by %.0f", what, base->name,
                     (long long)(b - a), compare_delta(all, main));
}
