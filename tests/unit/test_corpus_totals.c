// SPDX-License-Identifier: Apache-2.0
// Checks on every real profile of the corpus that totals are equal in all reports that state them,
// or that the trust report explains the difference. Skips with a message without the corpus.
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "property.h"

#include "model/open/open.h"
#include "paths.h"
#include "totals.h"

static void check_split(const char *path, const struct profile *profile, struct split *split)
{
    struct arena *arena = arena_new(0);
    struct selection selection = selection_all(split);
    totals_check(path, profile, &selection);
    totals_check_trust(path, profile, &selection);
    selection.is_folded = false;
    selection.adoption = false;
    totals_check(path, profile, &selection);
    bool *members = ARENA_ARRAY(arena, bool, split->count);
    selection.iterations = members;
    for (uint32_t i = 0; i < split->count; i++) // each step in turn, and work outside all of them
        members[i] = i % 2;
    totals_check(path, profile, &selection);
    arena_free(arena);
}

// Returns false if the file is not a profile and the loader gives a reason.
static bool check_profile(const char *path)
{
    struct load_request request = {.path = path};
    struct error error = {0};
    struct profile *profile = profile_load(&request, &error);
    if (!profile) {
        assert_true(strlen(error.message) > 20);
        print_message("# %s: refused: %s\n", path, error.message);
        return false;
    }
    struct arena *arena = arena_new(0);
    check_split(path, profile, split_find(profile, arena));
    check_split(path, profile, split_by_key(profile, NULL, arena));
    print_message("# %s: %u pieces of GPU work, totals agree\n", path, profile->work.count);
    arena_free(arena);
    profile_free(profile);
    return true;
}

static void test_totals(void **state)
{
    const char *kind = ((const char *const *)*state)[0], *file = ((const char *const *)*state)[1];
    const char *corpus = getenv("DLPROF_CORPUS");
    char folder[2000], path[4000];
    snprintf(folder, sizeof folder, "%s/%s", corpus ? corpus : source_path("/../shared/corpus"),
             kind);
    DIR *entries = opendir(folder);
    if (!entries) {
        print_message("# skipped: no corpus of real profiles at %s\n", folder);
        skip();
    }
    size_t opened = 0;
    for (struct dirent *entry; (entry = readdir(entries));) {
        snprintf(path, sizeof path, "%s/%s/%s", folder, entry->d_name, file);
        if (entry->d_name[0] != '.' && access(path, R_OK) == 0)
            opened += check_profile(path);
    }
    closedir(entries);
    assert_true(opened > 0);
}

int main(void)
{
    static const char *const nsys[] = {"nsys", "profile.sqlite"};
    static const char *const dlprof[] = {"dlprof", "nsys_profile.sqlite"};
    static const char *const pyprof[] = {"pyprof", "input.sqlite"};
    static const char *const nvprof[] = {"pyprof", "input.sql"};
    const struct CMUnitTest tests[] = {
        {"totals of the DLProf corpus", test_totals, NULL, NULL, (void *)(uintptr_t)dlprof},
        {"totals of PyProf's corpus", test_totals, NULL, NULL, (void *)(uintptr_t)pyprof},
        {"totals of nvprof in it", test_totals, NULL, NULL, (void *)(uintptr_t)nvprof},
        {"totals of the nsys corpus", test_totals, NULL, NULL, (void *)(uintptr_t)nsys},
    };
    // Under valgrind only the first test runs: the figures are the same, and the large files would
    // need minutes.
    size_t count = run_is_quick() ? 1 : sizeof tests / sizeof *tests;
    return _cmocka_run_group_tests("corpus_totals", tests, count, NULL, NULL);
}
