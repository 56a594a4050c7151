// SPDX-License-Identifier: Apache-2.0
// Loads the smaller tables of an nsys export: thread names and call chains.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/profile/loader.h"
#include "nsys_fixture.h"

#define A_RANGE                                                     \
    "INSERT INTO NVTX_EVENTS (start,end,eventType,text,globalTid) " \
    "VALUES (1,2,59,'a',tid(1, 1));"
#define TWO_NAMES                                   \
    "CREATE TABLE ThreadNames (nameId, globalTid);" \
    "INSERT INTO ThreadNames VALUES (90,tid(1, 1)), (91,tid(1, 1));"

static void assert_thread_named(const char *sql, const char *name)
{
    struct profile *profile = nsys_profile(sql);
    assert_int_equal(profile->thread_count, 1);
    assert_string_equal(profile_text(profile, profile->threads[0].name), name);
    profile_free(profile);
}

// An empty text is no name, whichever way texts are looked up.
static void test_names_of_threads(void **state)
{
    (void)state;
    assert_thread_named(A_RANGE TWO_NAMES
                        "INSERT INTO StringIds VALUES (90, ''), (91, 'pt_autograd');",
                        "pt_autograd");
    assert_thread_named(A_RANGE TWO_NAMES
                        "DROP TABLE StringIds; CREATE TABLE StringIds (id, value);" // not a key
                        "INSERT INTO StringIds VALUES (90, ''), (91, 'pt_autograd');",
                        "pt_autograd");
    assert_thread_named(A_RANGE TWO_NAMES, ""); // texts that do not exist
}

static void test_call_chains(void **state)
{
    (void)state;
    struct profile *profile = nsys_profile(
        "ALTER TABLE CUPTI_ACTIVITY_KIND_RUNTIME ADD COLUMN callchainId INTEGER;"
        "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES"
        " (10,20,tid(1, 1),1,1,2), (30,40,tid(1, 1),2,1,NULL), (50,60,tid(1, 1),3,1,1);"
        "INSERT INTO StringIds VALUES (90, 'forward'), (91, 'main'), (92, 'model.py');"
        "CREATE TABLE CUDA_CALLCHAINS (id INTEGER, symbol INTEGER, module INTEGER, stackDepth);"
        "INSERT INTO CUDA_CALLCHAINS VALUES (2,91,92,1), (1,91,NULL,0), (2,90,92,0),"
        " (NULL,90,92,0), (0,90,92,0);");
    const struct api_calls *api = &profile->api;
    assert_int_equal(AT(api->callchain, 0), 2);
    assert_int_equal(AT(api->callchain, 1), 0);
    assert_int_equal(AT(api->callchain, 2), 1);
    const struct frames *frames = &profile->frames; // grouped by chain, innermost frame first
    assert_int_equal(frames->count, 3);
    assert_int_equal(frames->chain[0], 1);
    assert_int_equal(frames->chain[1], 2);
    assert_int_equal(frames->chain[2], 2);
    assert_string_equal(profile_text(profile, frames->symbol[0]), "main");
    assert_string_equal(profile_text(profile, frames->symbol[1]), "forward");
    assert_string_equal(profile_text(profile, frames->symbol[2]), "main");
    assert_int_equal(frames->module[0], STRING_NONE);
    assert_string_equal(profile_text(profile, frames->module[1]), "model.py");
    assert_null(profile_find_note(profile, "no_callchains"));
    profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_of_threads),
        cmocka_unit_test(test_call_chains),
    };
    return cmocka_run_group_tests(tests, NULL, nsys_remove);
}
