// SPDX-License-Identifier: Apache-2.0
// Idle time by cause: parts without hole or overlap, each cause where it is and nowhere else.
#include <string.h>

#include "property.h"

#include "analysis/idle_sums.h"
#include "profile_builder.h"
#include "scenario.h"

// ---- the table ---------------------------------------------------------------------------------

static void test_table(void **state)
{
    (void)state;
    for (int a = 0; a < IDLE_CAUSES; a++) {
        assert_true(strlen(idle_causes[a].doc) > 20 && *idle_causes[a].title);
        for (int b = 0; b < a; b++) {
            assert_string_not_equal(idle_causes[a].key, idle_causes[b].key);
            assert_string_not_equal(idle_causes[a].brief, idle_causes[b].brief);
            assert_true(idle_causes[a].glyph != idle_causes[b].glyph);
        }
    }
}

static void test_names(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum host_activity activity;
    } calls[] = {
        {"cudaLaunchKernel_v7000", HOST_BUSY},
        {"cudaStreamSynchronize_v3020", HOST_SYNC},
        {"cuCtxSynchronize", HOST_SYNC},
        {"cudaStreamWaitEvent_v3020", HOST_BUSY},
        {"cudaMemcpyAsync_v3020", HOST_COPY},
        {"cuMemcpyDtoH_v2", HOST_COPY},
        {"cudaMalloc_v3020", HOST_ALLOCATOR},
        {"cudaFree_v3020", HOST_ALLOCATOR},
        {"cudaHostAlloc_v3020", HOST_ALLOCATOR},
        {"cuMemAlloc_v2", HOST_ALLOCATOR},
        {"cudaMallocAsync_v11020", HOST_BUSY},
        {"cuModuleLoadData", HOST_COMPILE},
        {"cuLibraryLoadData", HOST_COMPILE},
        {"cudaMemsetAsync_v3020", HOST_BUSY},
        {"MPI_Allreduce", HOST_BUSY},
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        assert_int_equal(api_activity(calls[i].name), calls[i].activity);
    assert_int_equal(overhead_activity("CUPTI: Buffer flush"), HOST_PROFILER);
    assert_int_equal(overhead_activity("lazy function loading"), HOST_COMPILE);
    assert_int_equal(overhead_activity("Driver JIT compiler (CUDA)"), HOST_COMPILE);
    assert_int_equal(overhead_activity("dlopen(libcudnn.so.9)"), HOST_COMPILE);
    assert_int_equal(overhead_activity("Command buffer full (CUDA)"), HOST_QUEUE_FULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
