// SPDX-License-Identifier: Apache-2.0
// Has what each kind of hardening is for: an array on the stack, one larger than a page, a copy of
// a length that is known when it runs only, a call by address.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fill(char *to, size_t size, const char *from)
{
    char all[65536];
    memset(all, 1, sizeof all);
    strcpy(all, from); // checked against the array
    return snprintf(to, size, "%s", all);
}

static int (*volatile call)(char *to, size_t size, const char *from) = fill;

int main(int argc, char **argv)
{
    char text[16];
    memcpy(text, argv[0], (size_t)argc);
    printf("%s %d\n", text, call(text, sizeof text, argv[argc - 1]));
    return 0;
}
