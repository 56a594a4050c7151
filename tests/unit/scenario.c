// SPDX-License-Identifier: Apache-2.0
#include "scenario.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "model/loader.h"

struct profile *scenario_open(const char *scenario)
{
    const char *generator = getenv("DLPROF_GEN");
    if (!generator)
        skip();
    char path[] = "/tmp/dlprof-scenario-XXXXXX", command[1024];
    int name = (int)strcspn(scenario, " ");
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    snprintf(command, sizeof command, "'%s' %.*s '%s' --force %s > /dev/null", generator, name,
             scenario, path, scenario + name);
    assert_int_equal(system(command), 0);
    struct load_request request = {.path = path};
    struct error error = {0};
    struct profile *profile = profile_load(&request, &error);
    unlink(path);
    if (!profile)
        fail_msg("%s: %s", scenario, error.message);
    return profile;
}
