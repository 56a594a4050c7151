// SPDX-License-Identifier: Apache-2.0
// Checks how an nsys export's tables identify the GPU of a device number, and what is assumed if
// they do not.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/nsys/nsys_tables.h"
#include "nsys_fixture.h"

#define KERNEL(pid, device, start)                                                     \
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (" #start "," #start "+10," #device \
    ",1,7,1,pid(" #pid "),2,3,32,1,1,1,1,1,1,0,0,NULL);"
#define GPU_TABLE                                                                   \
    "CREATE TABLE TARGET_INFO_GPU (id, name, busLocation, uuid, cuDevice, smCount," \
    " computeMajor, computeMinor);"
#define GPU(id, ordinal)                                                                      \
    "INSERT INTO TARGET_INFO_GPU VALUES (" #id ",'H100','bus" #id "','uuid" #id "'," #ordinal \
    ",132,9,0);"

static uint32_t count_used(const struct profile *profile)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < profile->device_count; i++)
        used += profile->devices[i].has_kernels;
    return used;
}

static void test_one_process_sees_all_gpus(void **state)
{
    (void)state;
    // Unordered list with a display adapter; cuDevice is always 0.
    struct profile *profile = nsys_profile(GPU_TABLE GPU(5, 0) GPU(
        2, 0) "INSERT INTO TARGET_INFO_GPU VALUES (0,'Intel(R) Iris(R) "
              "Xe','','',0,NULL,NULL,NULL);" GPU(3, 0) KERNEL(1, 2, 10) KERNEL(1, 0, 20));
    assert_int_equal(profile->device_count, 3);
    assert_int_equal(profile->devices[0].gpu_id, 2);
    assert_true(profile->devices[0].has_kernels);
    assert_false(profile->devices[1].has_work); // listed, without work
    assert_int_equal(profile->devices[2].gpu_id, 5);
    assert_int_equal(profile->devices[2].ordinal, 2);
    assert_int_equal(profile->devices[0].first_work, 0);
    assert_int_equal(profile->devices[0].end_work, 1);
    assert_false(profile->devices[0].is_assumed);
    assert_int_equal(profile->devices[0].compute_major, 9);
    profile_free(profile);
}

static void test_file_identifies_gpus(void **state)
{
    (void)state;
    struct profile *profile = nsys_profile(GPU_TABLE GPU(0, 0) GPU(
        1, 1) "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId, cudaId, pid);"
              "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (1,0,11), (0,0,12), (0,0,13);" KERNEL(
                  11, 0, 10) KERNEL(12, 0, 12) KERNEL(13, 0, 14));
    assert_int_equal(profile->device_count, 2);
    assert_int_equal(profile->devices[0].end_work - profile->devices[0].first_work, 2); // shared
    assert_string_equal(profile_text(profile, profile->devices[1].bus), "bus1");
    assert_int_equal(profile->processes[work_process(profile, 2)].pid, 11);
    assert_int_equal(work_device(profile, 2), 1);
    assert_null(profile_find_note(profile, "devices_assumed"));
    profile_free(profile);
}

static void test_one_gpu_is_shared(void **state)
{
    (void)state;
    struct profile *profile = nsys_profile(GPU_TABLE GPU(0, 0) KERNEL(11, 0, 10) KERNEL(12, 0, 12));
    assert_int_equal(profile->device_count, 1);
    // The union of both.
    assert_int_equal(AT(profile->work.exclusive, 0) + AT(profile->work.exclusive, 1), 12);
    assert_false(profile->devices[0].is_assumed);
    profile_free(profile);
}

// Two device numbers are two GPUs, whatever the list contains.
static void test_incomplete_list(void **state)
{
    (void)state;
    struct profile *profile = nsys_profile(GPU_TABLE GPU(0, 0) KERNEL(1, 0, 10) KERNEL(1, 1, 10));
    assert_int_equal(profile->device_count, 2);
    assert_int_equal(count_used(profile), 2);
    assert_int_equal(profile->devices[0].gpu_id, 0);
    assert_int_equal(profile->devices[1].ordinal, 1);
    profile_free(profile);
}

static const struct device *device_of_number(const struct profile *profile, uint32_t ordinal)
{
    const struct device *found = NULL;
    for (uint32_t i = 0; i < profile->device_count; i++)
        if (profile->devices[i].ordinal == ordinal && profile->devices[i].has_work)
            found = &profile->devices[i];
    assert_non_null(found);
    return found;
}

// cuDevice gives the number of one GPU: no other number means that GPU.
static void test_numbers_of_some_gpus(void **state)
{
    (void)state;
    struct profile *profile =
        nsys_profile(GPU_TABLE GPU(0, NULL) GPU(1, 0) KERNEL(1, 0, 10) KERNEL(1, 1, 10));
    assert_int_equal(profile->device_count, 2);
    assert_int_equal(count_used(profile), 2);
    assert_int_equal(device_of_number(profile, 0)->gpu_id, 1);
    assert_int_equal(device_of_number(profile, 1)->gpu_id, ROW_NONE);
    profile_free(profile);
    profile = nsys_profile(GPU_TABLE GPU(0, 1) KERNEL(1, 0, 10) KERNEL(1, 1, 10));
    assert_int_equal(profile->device_count, 2);
    assert_int_equal(device_of_number(profile, 1)->gpu_id, 0);
    assert_int_equal(device_of_number(profile, 0)->gpu_id, ROW_NONE);
    assert_int_equal(profile_find_note(profile, "devices_by_ordinal")->count, 1);
    profile_free(profile);
    // 0 for two of three GPUs does not identify these two.
    profile = nsys_profile(GPU_TABLE GPU(0, 0) GPU(1, 0) GPU(2, 1) KERNEL(1, 0, 10) KERNEL(1, 1, 10)
                               KERNEL(1, 2, 10));
    assert_int_equal(profile->device_count, 3);
    assert_int_equal(device_of_number(profile, 1)->gpu_id, 2);
    assert_int_equal(device_of_number(profile, 0)->gpu_id, ROW_NONE);
    profile_free(profile);
}

#define CUDA_DEVICE(gpu, ordinal, pid)                           \
    "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId, cudaId, pid);" \
    "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (" #gpu "," #ordinal "," #pid ");"

// The GPU at this position in the list, or the only one, is known to be another number of the
// process.
static void test_number_of_a_known_gpu(void **state)
{
    (void)state;
    struct profile *profile =
        nsys_profile(GPU_TABLE GPU(0, NULL) GPU(1, NULL) CUDA_DEVICE(1, 0, 11) KERNEL(11, 1, 10));
    assert_int_equal(device_of_number(profile, 1)->gpu_id, ROW_NONE);
    profile_free(profile);
    profile = nsys_profile(GPU_TABLE GPU(0, NULL) CUDA_DEVICE(0, 0, 11) KERNEL(11, 1, 10));
    assert_int_equal(device_of_number(profile, 1)->gpu_id, ROW_NONE);
    profile_free(profile);
}

static void test_unidentified_gpus(void **state)
{
    (void)state;
    struct profile *profile =
        nsys_profile(GPU_TABLE GPU(0, 0) GPU(1, 1) GPU(2, 2) KERNEL(11, 0, 10) KERNEL(12, 0, 12));
    assert_int_equal(profile->device_count, 2); // none is called unused
    assert_int_equal(count_used(profile), 2);
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(profile->devices[i].is_assumed);
        assert_int_equal(profile->devices[i].gpu_id, ROW_NONE);
        assert_int_equal(profile->devices[i].sm_count, 132); // all GPUs are of one model
    }
    assert_int_equal(profile_find_note(profile, "devices_assumed")->count, 2);
    profile_free(profile);
}

static void test_processes_with_ordinals_of_their_own(void **state)
{
    (void)state;
    struct profile *profile =
        nsys_profile(GPU_TABLE GPU(0, 0) GPU(1, 1) KERNEL(11, 0, 10) KERNEL(12, 1, 12));
    assert_int_equal(profile->device_count, 2);
    assert_int_equal(profile->devices[1].gpu_id, 1);
    assert_false(profile->devices[1].is_assumed);
    assert_non_null(profile_find_note(profile, "devices_by_ordinal"));
    profile_free(profile);
    profile = nsys_profile(KERNEL(11, 0, 10) KERNEL(12, 1, 12)); // no list at all
    assert_int_equal(profile->device_count, 2);
    assert_int_equal(profile->devices[0].gpu_id, ROW_NONE);
    assert_int_equal(profile->devices[0].sm_count, UNKNOWN);
    assert_false(profile->devices[0].is_assumed);
    profile_free(profile);
}

static void test_tables_of_2020(void **state)
{
    (void)state;
    struct profile *profile = nsys_profile(
        "CREATE TABLE TARGET_INFO_GPU (vmId, deviceId, name, busLocation, isDiscrete);"
        "INSERT INTO TARGET_INFO_GPU VALUES (1,1,'RTX','2D',1), (1,0,'RTX','15',1);"
        "CREATE TABLE TARGET_INFO_CUDA_GPU (name, pciBusId, coreClockRate, numMultiprocessors,"
        " computeCapabilityMajor, computeCapabilityMinor, deviceId, pid);"
        "INSERT INTO TARGET_INFO_CUDA_GPU VALUES ('RTX','15',1770000,72,7,5,1,11),"
        " ('RTX','15',1770000,72,7,5,0,12);" KERNEL(11, 1, 10) KERNEL(12, 0, 12));
    assert_int_equal(profile->device_count, 2);
    assert_int_equal(count_used(profile), 1); // the same GPU under two numbers
    assert_int_equal(profile->devices[0].clock_hz, 1770000000);
    assert_int_equal(profile->devices[0].sm_count, 72);
    assert_int_equal(profile->devices[0].compute_minor, 5);
    profile_free(profile);
}

// ---- lists that do not identify GPUs -----------------------------------------------------------

#define CUDA_GPU_TABLE                                                                      \
    "CREATE TABLE TARGET_INFO_CUDA_GPU (name, pciBusId, coreClockRate, numMultiprocessors," \
    " computeCapabilityMajor, computeCapabilityMinor, deviceId, pid);"
#define CUDA_GPU(pid, device, bus) \
    "INSERT INTO TARGET_INFO_CUDA_GPU VALUES ('RTX'," bus ",1770000,72,7,5," #device "," #pid ");"

static void test_number_0_of_two_processes_without_a_bus(void **state)
{
    (void)state;
    struct profile *profile = nsys_profile(CUDA_GPU_TABLE CUDA_GPU(11, 0, "NULL") CUDA_GPU(
        12, 0, "NULL") KERNEL(11, 0, 10) KERNEL(12, 0, 12));
    assert_int_equal(profile->device_count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(profile->devices[i].is_assumed);
        assert_int_equal(profile->devices[i].gpu_id, ROW_NONE);
        assert_int_equal(profile->devices[i].sm_count, 72); // the row still contains this
        assert_string_equal(profile_text(profile, profile->devices[i].name), "RTX");
    }
    assert_int_equal(profile_find_note(profile, "devices_assumed")->count, 2);
    profile_free(profile);
}

// The number is no id: GPU 1 of the list is number 0 of the process.
static void test_numbers_with_and_without_bus(void **state)
{
    (void)state;
    struct profile *profile = nsys_profile(
        CUDA_GPU_TABLE CUDA_GPU(12, 0, "'A'") CUDA_GPU(11, 0, "'B'") CUDA_GPU(11, 1, "NULL")
            KERNEL(12, 0, 10) KERNEL(11, 0, 12) KERNEL(11, 1, 14));
    assert_int_equal(profile->device_count, 3);
    assert_int_equal(count_used(profile), 3);
    profile_free(profile);
}

// On some clouds each GPU has its own PCI domain, and is bus 0 in it.
static void test_one_bus_for_two_numbers(void **state)
{
    (void)state;
    struct profile *profile = nsys_profile(CUDA_GPU_TABLE CUDA_GPU(11, 0, "0") CUDA_GPU(11, 1, "0")
                                               KERNEL(11, 0, 10) KERNEL(11, 1, 12));
    assert_int_equal(profile->device_count, 2);
    assert_int_equal(count_used(profile), 2);
    assert_int_equal(profile->devices[1].sm_count, 72);
    profile_free(profile);
}

static void test_lists_without_the_bus_column(void **state)
{
    (void)state;
    struct profile *profile = nsys_profile(
        "CREATE TABLE TARGET_INFO_GPU (deviceId, name);"
        "INSERT INTO TARGET_INFO_GPU VALUES (0,'RTX'), (1,'RTX');"
        "CREATE TABLE TARGET_INFO_CUDA_GPU (deviceId, pid, numMultiprocessors);"
        "INSERT INTO TARGET_INFO_CUDA_GPU VALUES (0,11,72), (1,11,72);" KERNEL(11, 0, 10)
            KERNEL(11, 1, 12));
    assert_int_equal(profile->device_count, 2);
    assert_int_equal(count_used(profile), 2);
    assert_int_equal(profile->devices[1].gpu_id, 1);
    assert_int_equal(profile->devices[1].sm_count, 72);
    profile_free(profile);
    // The list has no buses but the rows of the processes have: each bus is a different GPU of the
    // list.
    profile = nsys_profile(
        "CREATE TABLE TARGET_INFO_GPU (deviceId, name, busLocation);"
        "INSERT INTO TARGET_INFO_GPU VALUES (0,'RTX',NULL), (1,'RTX',NULL);" CUDA_GPU_TABLE
            CUDA_GPU(11, 0, "'A'") CUDA_GPU(12, 0, "'B'") KERNEL(11, 0, 10) KERNEL(12, 0, 12));
    assert_int_equal(profile->device_count, 2);
    assert_int_equal(count_used(profile), 2);
    assert_int_equal(profile->devices[1].gpu_id, 1);
    profile_free(profile);
}

static void test_gpus_without_an_id(void **state)
{
    (void)state;
    struct profile *profile =
        nsys_profile(GPU_TABLE GPU(NULL, 0) GPU(0, 1) KERNEL(11, 0, 10) KERNEL(11, 1, 12));
    assert_int_equal(profile->device_count, 2);
    assert_int_equal(count_used(profile), 2);
    profile_free(profile);
    // A GPU without an id must not match any id in the file.
    profile = nsys_profile(GPU_TABLE GPU(NULL, 0) GPU(-9223372036854775807, 1) KERNEL(11, 0, 10)
                               KERNEL(11, 1, 12));
    assert_string_equal(profile_text(profile, device_of_number(profile, 0)->bus), "busNULL");
    assert_string_equal(profile_text(profile, device_of_number(profile, 1)->bus),
                        "bus-9223372036854775807");
    profile_free(profile);
    profile = nsys_profile(GPU_TABLE GPU(0, 0) GPU(1, 1) // like cuDevice: 0 for all
                           "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId, cudaId, pid);"
                           "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (0,0,11), (0,1,11);" KERNEL(
                               11, 0, 10) KERNEL(11, 1, 12));
    assert_int_equal(count_used(profile), 2);
    profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_process_sees_all_gpus),
        cmocka_unit_test(test_file_identifies_gpus),
        cmocka_unit_test(test_one_gpu_is_shared),
        cmocka_unit_test(test_incomplete_list),
        cmocka_unit_test(test_numbers_of_some_gpus),
        cmocka_unit_test(test_number_of_a_known_gpu),
        cmocka_unit_test(test_unidentified_gpus),
        cmocka_unit_test(test_processes_with_ordinals_of_their_own),
        cmocka_unit_test(test_tables_of_2020),
        cmocka_unit_test(test_number_0_of_two_processes_without_a_bus),
        cmocka_unit_test(test_numbers_with_and_without_bus),
        cmocka_unit_test(test_one_bus_for_two_numbers),
        cmocka_unit_test(test_lists_without_the_bus_column),
        cmocka_unit_test(test_gpus_without_an_id),
    };
    return cmocka_run_group_tests(tests, NULL, nsys_remove);
}
