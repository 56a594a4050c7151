// SPDX-License-Identifier: Apache-2.0
// Every report is a view, however many there are.

#include <stdio.h>

#include "analysis/reports/report_list.h"
#include "property.h"
#include "ui/app/lists.h"
#include "ui/state/view.h"
#include "ui/state/view_classes.h"

static void test_every_report_is_a_view(void **state)
{
    (void)state;
    assert_true(lists_use(NULL));
    for (size_t r = 0; r < report_count; r++) {
        const struct view_class *class = view_class_find(reports[r]->name);
        assert_non_null(class);
        assert_true(reports[r]->column_count <= MAX_TABLE_COLUMNS); // else a table hides the rest
        assert_true(class->report || strcmp(class->name, reports[r]->name) == 0);
    }
}

static void test_there_is_no_last_report(void **state)
{
    enum { COUNT = 200 };
    static struct report made[COUNT];
    static char names[COUNT][20];
    static const struct report *list[COUNT];
    (void)state;
    for (size_t r = 0; r < COUNT; r++) {
        snprintf(names[r], sizeof names[r], "made_%03zu", r);
        made[r] = (struct report){.name = names[r], .title = names[r], .doc = "made up"};
        list[r] = &made[r];
    }
    assert_true(lists_use(NULL));
    assert_true(view_classes_use(views, view_count, view_plain, list, COUNT, NULL));
    assert_int_equal(view_name_count(), view_count + COUNT);
    for (size_t r = 0; r < COUNT; r++) {
        const struct view_class *class = view_class_find(names[r]);
        assert_non_null(class);
        assert_string_equal(class->name, names[r]);
        assert_string_equal(class->report, names[r]);
        assert_ptr_equal(class->draw, view_plain->draw);
        assert_string_equal(view_name(view_count + r), names[r]);
    }
    for (size_t r = 0; r < COUNT; r++) // a class stays where it is
        assert_ptr_equal(view_class_find(names[r]), view_class_find(names[r]));
    assert_true(lists_use(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_report_is_a_view),
        cmocka_unit_test(test_there_is_no_last_report),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
