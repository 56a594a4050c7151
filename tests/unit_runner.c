// SPDX-License-Identifier: Apache-2.0
// units TEST: runs one unit test of the program's table; the status is the test's. Without a name,
// lists them.
#include "unit_runner.h"

#include <stdio.h>
#include <string.h>

int main(int count, char **values)
{
    for (const struct unit *unit = units; unit->name; unit++) {
        if (count == 1)
            puts(unit->name);
        else if (strcmp(values[1], unit->name) == 0)
            return unit->run();
    }
    if (count > 1)
        fprintf(stderr, "units: no test %s here\n", values[1]);
    return count > 1;
}
