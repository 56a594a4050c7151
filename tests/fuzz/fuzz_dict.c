// SPDX-License-Identifier: Apache-2.0
// Lines similar to the output of PyProf's parser: refused with line and reason, or loaded as a
// profile that passes through reports like any other.
//
// Aims at: model/*/load_dict* analysis/*/op_figures* analysis/*/report_pyprof*
// Aims at: analysis/*/pyprof_words*
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/profile/loader.h"
#include "profile_damage.h"
#include "profile_seed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Line prefix, chosen by the first byte, so that the fuzzer need not discover it; the input
// follows.
static const char *const beginnings[] = {
    "",
    "{'kShortName': 'gemm', 'kDuration': 7, 'tid': 1, ",
    "{'kShortName': 'gemm', 'kDuration': 7, 'subSeqId': 0, 'layer': ['A'], 'marker': "
    "[\"{'mod': 'torch', 'op': 'mm', 'args': []}\"], 'seqMarker': ['mm, seq = 1']}\n"
    "{'kShortName': 'gemm', 'kDuration': 7, 'subSeqId': 1, 'layer': ['A'], ",
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    const char *beginning = beginnings[data[0] % (sizeof beginnings / sizeof *beginnings)];
    size_t length = strlen(beginning);
    char *text = malloc(length + size);
    if (!text)
        abort();
    memcpy(text, beginning, length);
    memcpy(text + length, data + 1, size - 1);
    seed_write(text, length + size - 1);
    free(text);
    struct profile *profile = seed_load((enum mode)(data[0] / 3 % MODE_COUNT));
    if (profile)
        profile_exercise(profile, data[0]);
    profile_free(profile);
    return 0;
}
