// SPDX-License-Identifier: Apache-2.0
// Finds ranks in variables of the environment and in the names of files.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text/text.h"
#include "model/profile/ranks.h"
#include "model/profile/span_name.h"

enum { MAX_RANK_DIGITS = 7 }; // of a rank

// ---- ranks from the environment -----------------------------------------------------------------

// Reads the number of the first variable of `names` that is better than names[*best].
static bool number_of_variable(const char *text, const char *const names[RANK_VARIABLES],
                               unsigned *best, int64_t *number)
{
    for (unsigned i = 0; i < *best; i++) {
        size_t length = strlen(names[i]);
        if (strncmp(text, names[i], length) != 0 || text[length] != '=')
            continue;
        const char *value = text + length + 1;
        size_t digits = strspn(value, "0123456789");
        if (!digits || digits > MAX_RANK_DIGITS || value[digits])
            return false;
        *number = atoll(value);
        *best = i;
        return true;
    }
    return false;
}

bool rank_of_variable(const char *text, unsigned *best, int64_t *rank)
{
    static const char *const names[RANK_VARIABLES] = {
        "RANK",     "SLURM_PROCID", "OMPI_COMM_WORLD_RANK",
        "PMI_RANK", "PMIX_RANK",    "MV2_COMM_WORLD_RANK"};
    return number_of_variable(text, names, best, rank);
}

bool world_of_variable(const char *text, unsigned *best, int64_t *world)
{
    static const char *const names[RANK_VARIABLES] = {
        "WORLD_SIZE", "SLURM_NTASKS", "OMPI_COMM_WORLD_SIZE",
        "PMI_SIZE",   "PMIX_SIZE",    "MV2_COMM_WORLD_SIZE"};
    return number_of_variable(text, names, best, world);
}

// ---- ranks from file names ----------------------------------------------------------------------

static bool number_at(const char *text, int64_t *number)
{
    size_t digits = strspn(text, "0123456789");
    if (!digits || digits > MAX_RANK_DIGITS)
        return false;
    *number = strtoll(text, NULL, 10);
    return true;
}

// Reads the number after the word "rank": "run_rank3.sqlite", "rank-03", "Rank 3".
static bool number_after_rank(const char *name, int64_t *rank)
{
    for (const char *at = name; *at; at++) {
        if (strncasecmp(at, "rank", 4) != 0)
            continue;
        const char *number = at + 4;
        number += strspn(number, "_-. =");
        if (number_at(number, rank))
            return true;
    }
    return false;
}

// Reads the n-th number of a name.
static bool number_in(const char *name, unsigned n, int64_t *number)
{
    for (const char *at = name; *at;) {
        if (!isdigit((unsigned char)*at)) {
            at++;
            continue;
        }
        if (n-- == 0)
            return number_at(at, number);
        at += strspn(at, "0123456789");
    }
    return false;
}

// Returns the number of processes that wrote the files. Spans (span_name.h) of one worker are files
// of one process.
static uint32_t count_workers(const char *const *paths, uint32_t count)
{
    uint32_t workers = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct span_name name;
        bool is_known = false, is_span = span_name_parse(paths[i], &name) && name.digits;
        for (uint32_t j = 0; is_span && j < i && !is_known; j++)
            is_known = span_name_is_continued(paths[i], paths[j]);
        workers += !is_known;
    }
    return workers;
}

// Returns whether the numbers can be the ranks of the files: each is below `below`, and two files
// have the same number exactly if they are spans of one worker.
static bool are_ranks(const char *const *paths, const int64_t *rank, uint32_t count, uint32_t below)
{
    for (uint32_t i = 0; i < count; i++) {
        struct span_name name;
        bool is_span = span_name_parse(paths[i], &name) && name.digits;
        if (rank[i] == UNKNOWN || rank[i] >= below)
            return false;
        for (uint32_t j = 0; j < i; j++)
            if ((rank[i] == rank[j]) != (is_span && span_name_is_continued(paths[i], paths[j])))
                return false;
    }
    return true;
}

void ranks_of_files(const char *const *paths, uint32_t count, int64_t *rank)
{
    enum { NUMBERS = 8 }; // numbers per name that are tried
    uint32_t workers = count_workers(paths, count);
    for (uint32_t i = 0; i < count; i++)
        if (!number_after_rank(text_file_name(paths[i], NULL), &rank[i]))
            rank[i] = UNKNOWN;
    bool is_found = are_ranks(paths, rank, count, UINT32_MAX);
    for (unsigned n = 0; !is_found && workers > 1 && n < NUMBERS; n++) {
        for (uint32_t i = 0; i < count; i++)
            if (!number_in(text_file_name(paths[i], NULL), n, &rank[i]))
                rank[i] = UNKNOWN;
        is_found = are_ranks(paths, rank, count, workers);
    }
    for (uint32_t i = 0; !is_found && i < count; i++)
        rank[i] = UNKNOWN;
}
