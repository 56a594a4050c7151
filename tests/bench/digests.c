// SPDX-License-Identifier: Apache-2.0
// The screen for the digests of 64 ranks: time from the start of the program to the complete
// frame. KERNELS counts all ranks together, at most 2e5, that is 3,000 per rank.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench.h"

enum { RANKS = 64, SAMPLES = 5, KERNELS_MAX = 200000 };

static void run(const char *command)
{
    if (system(command) != 0) // NOLINT(cert-env33-c): the benchmark's own programs
        die(command);
}

// Makes a digest per rank and removes the profiles.
static void digests_make(const char *folder, long kernels)
{
    char command[6000];
    snprintf(
        command, sizeof command,
        "cd '%s' && '%s' healthy job.sqlite --processes=%d --split=8 --kernels=%ld >/dev/null && "
        "rm job.sqlite && for file in job.rank*.sqlite; do '%s' --verbosity=quiet "
        "--digest=\"${file%%.sqlite}.dlp\" \"$file\" || exit 1; rm \"$file\"; done",
        folder, getenv("DLPROF_GEN"), RANKS, kernels, getenv("DLPROF_TUI"));
    run(command);
}

int main(int argc, char **argv)
{
    long kernels = kernels_asked(argc, argv);
    char folder[] = "/tmp/dlprof-bench-XXXXXX", command[5000];
    double best = 0;
    kernels = kernels < KERNELS_MAX ? kernels : KERNELS_MAX;
    const struct subject subject = {.kind = RANKS_64, .kernels = kernels};
    if (!getenv("DLPROF_GEN") || !getenv("DLPROF_TUI") || !mkdtemp(folder))
        die("DLPROF_GEN and DLPROF_TUI say where the programs are; ./dev bench sets them");
    bars_begin();
    digests_make(folder, kernels);
    snprintf(command, sizeof command, "'%s' --dump --size=200x50 '%s'/*.dlp >/dev/null",
             getenv("DLPROF_TUI"), folder);
    for (int i = 0; i < SAMPLES; i++) {
        double start = now();
        run(command);
        best = least(best, now() - start);
    }
    bar_row(BAR_DIGESTS, &subject, 1e3 * best, 0, NULL);
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    run(command);
    return 0;
}
