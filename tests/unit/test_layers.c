// SPDX-License-Identifier: Apache-2.0
// Compares the figures of the report `layers` with the sums over the kernels that each row selects.
#include <string.h>

#include "analysis/reports/report_list.h"
#include "property.h"

#include "analysis/place/selection_text.h"
#include "analysis/report/report.h"
#include "model/profile/loader.h"
#include "scenario.h"

static struct arena *arena;

static int set_up(void **state)
{
    (void)state;
    arena = arena_new(0);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

static int64_t cell(const struct report *report, const struct rows *rows, size_t row,
                    const char *key)
{
    struct value value = report_column(report, key)->get(report_row(report, rows, row));
    return value.kind == VALUE_NONE ? 0 : value.integer;
}

// Exclusive time of the kernels; in `layers` communication and copies are rows of their own.
static int64_t kernels_ns(const struct profile *profile, const struct selection *selection)
{
    const struct report *kernels = report_find("kernels");
    struct rows rows = kernels->build(profile, selection, arena);
    int64_t sum = 0;
    for (size_t i = 0; i < rows.count; i++) {
        const char *class =
            report_column(kernels, "class")->get(report_row(kernels, &rows, i)).text;
        if (strcmp(class, "comm") != 0 && strcmp(class, "copy") != 0)
            sum += cell(kernels, &rows, i, "exclusive");
    }
    return sum;
}

static void kernels_add_up_to_their_layer(void **state)
{
    (void)state;
    static const char *const scenarios[] = {"demo --steps=4", "emit", "ddp --steps=3"};
    const struct report *layers = report_find("layers");
    size_t with_backward = 0;
    for (size_t s = 0; s < sizeof scenarios / sizeof *scenarios; s++) {
        struct profile *profile = scenario_open(scenarios[s]);
        struct selection all = selection_all(split_find(profile, arena));
        for (int folded = 0; folded < 2; folded++) {
            all.is_folded = folded;
            struct rows rows = layers->build(profile, &all, arena);
            for (size_t i = 0; i < rows.count; i++) {
                struct selection layer = all;
                if (!layers->narrow(profile, report_row(layers, &rows, i), &layer))
                    continue;
                int64_t total = cell(layers, &rows, i, "gpu");
                assert_true(layer.with_backward);
                assert_int_equal(kernels_ns(profile, &layer), total);
                assert_non_null(
                    strstr(selection_text(profile, &layer, arena), ", with its backward"));
                layer.with_backward = false;
                bool has_more = kernels_ns(profile, &layer) < total;
                assert_int_equal(has_more, selection_backward_ns(profile, &layer) > 0);
                with_backward += has_more;
            }
        }
        profile_free(profile);
    }
    assert_true(with_backward > 0);
}

// With one layer selected the report lists its most expensive ops and the rest, which add up to the
// layer.
static void one_layer_lists_its_ops(void **state)
{
    (void)state;
    const struct report *layers = report_find("layers");
    struct profile *profile = scenario_open("emit");
    struct selection layer = selection_all(split_find(profile, arena));
    layer.is_folded = true;
    const struct op_tree *tree = selection_tree(profile, &layer);
    struct rows rows = layers->build(profile, &layer, arena);
    int64_t expected = 0, total = 0;
    for (size_t i = 0; i < rows.count && !expected; i++) {
        const void *row = report_row(layers, &rows, i);
        if (!strstr(report_column(layers, "layer")->get(row).text, "attn"))
            continue;
        assert_non_null(layers->narrow(profile, row, &layer));
        assert_int_equal(tree->kind[layer.node], NODE_LAYER);
        expected = cell(layers, &rows, i, "gpu");
    }
    assert_true(expected > 0);
    uint32_t node = layer.node;
    size_t ops = 0, rests = 0;
    rows = layers->build(profile, &layer, arena);
    for (size_t i = 0; i < rows.count; i++) {
        const void *row = report_row(layers, &rows, i);
        struct selection op = layer;
        total += cell(layers, &rows, i, "gpu");
        rests += strncmp(report_column(layers, "layer")->get(row).text, "rest of ", 8) == 0;
        if (!layers->narrow(profile, row, &op))
            continue;
        ops++;
        assert_int_equal(tree->kind[op.node], NODE_OP);
        assert_int_equal(tree->parent[op.node], node);
        assert_int_equal(kernels_ns(profile, &op), cell(layers, &rows, i, "gpu"));
    }
    assert_true(ops > 1);
    assert_int_equal(rests, 1);
    assert_int_equal(total, expected);
    profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_layer_lists_its_ops, set_up, tear_down),
        cmocka_unit_test_setup_teardown(kernels_add_up_to_their_layer, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("layers", tests, NULL, NULL);
}
