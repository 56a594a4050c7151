// SPDX-License-Identifier: Apache-2.0
// Finds the version suffixes that CUPTI appends to the names of API calls.
#include "model/profile/api_name.h"

#include <string.h>

// Longer names are not CUDA calls and are not compared, so that no text is scanned from end to end.
enum { MAX_API_NAME = 256 };

static size_t versionless_length(const char *name, size_t length)
{
    enum { SUFFIX = 6, DIGITS = 4 };
    if (length <= SUFFIX || length > MAX_API_NAME || memcmp(name + length - SUFFIX, "_v", 2) != 0)
        return length;
    return strspn(name + length - DIGITS, "0123456789") == DIGITS ? length - SUFFIX : length;
}

size_t api_name_length(const char *name)
{
    return versionless_length(name, strlen(name));
}

size_t api_name_unversioned_length(const char *name)
{
    size_t length = strlen(name), bare = length;
    while (bare > 0 && name[bare - 1] >= '0' && name[bare - 1] <= '9')
        bare--;
    bool is_version = length - bare >= 4 && bare >= 2 && memcmp(name + bare - 2, "_v", 2) == 0;
    return is_version ? bare - 2 : length;
}

bool api_names_equal(const struct profile *profile, string_id a, string_id b)
{
    if (a == b)
        return true;
    const char *one = profile_text(profile, a), *other = profile_text(profile, b);
    size_t length = versionless_length(one, strings_length(profile->strings, a));
    return length <= MAX_API_NAME &&
           length == versionless_length(other, strings_length(profile->strings, b)) &&
           memcmp(one, other, length) == 0;
}
