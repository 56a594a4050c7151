// SPDX-License-Identifier: Apache-2.0
// Work on a thread of its own begins completely or not at all: each system call that it needs fails
// once.
#include "property.h"

#include <errno.h>
#include <pthread.h>

#include "ui/rows/background_job.h"

// The call that fails, from 1 on; 0: none. Linked in place of the library's (tests/CMakeLists.txt).
static int fails_at, calls;

static bool fails(void)
{
    return ++calls == fails_at;
}

int __real_pthread_condattr_init(pthread_condattr_t *attributes);
int __real_pthread_condattr_setclock(pthread_condattr_t *attributes, clockid_t clock);
int __real_pthread_cond_init(pthread_cond_t *cond, const pthread_condattr_t *attributes);
int __real_pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes);
int __wrap_pthread_condattr_init(pthread_condattr_t *attributes);
int __wrap_pthread_condattr_setclock(pthread_condattr_t *attributes, clockid_t clock);
int __wrap_pthread_cond_init(pthread_cond_t *cond, const pthread_condattr_t *attributes);
int __wrap_pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes);

int __wrap_pthread_condattr_init(pthread_condattr_t *attributes)
{
    return fails() ? ENOMEM : __real_pthread_condattr_init(attributes);
}

int __wrap_pthread_condattr_setclock(pthread_condattr_t *attributes, clockid_t clock)
{
    return fails() ? EINVAL : __real_pthread_condattr_setclock(attributes, clock);
}

int __wrap_pthread_cond_init(pthread_cond_t *cond, const pthread_condattr_t *attributes)
{
    return fails() ? EAGAIN : __real_pthread_cond_init(cond, attributes);
}

int __wrap_pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)
{
    return fails() ? EAGAIN : __real_pthread_mutex_init(mutex, attributes);
}

static bool body(void *context, struct error *error)
{
    (void)error;
    *(int *)context += 1;
    return true;
}

static void test_each_call_fails_once(void **state)
{
    (void)state;
    enum { CALLS = 4 };
    struct arena *arena = arena_new(0);
    assert_non_null(arena);
    int runs = 0;
    for (int call = 1; call <= CALLS; call++) {
        calls = 0;
        fails_at = call;
        assert_null(background_job_start(arena, JOB_FOREGROUND, body, &runs));
        assert_int_equal(calls, call);
    }
    assert_int_equal(runs, 0);
    calls = fails_at = 0;
    struct background_job *job = background_job_start(arena, JOB_FOREGROUND, body, &runs);
    assert_non_null(job);
    assert_int_equal(calls, CALLS);
    assert_true(background_job_finish(job, NULL));
    assert_int_equal(runs, 1);
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_each_call_fails_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
