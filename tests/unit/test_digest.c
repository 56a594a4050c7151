// SPDX-License-Identifier: Apache-2.0
// Compares all reports of a digest with the reports of the profile it was made of; digests that are
// cut off, changed or invented are refused.
#include "load_failures.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/export/export.h"
#include "analysis/reports/report_list.h"
#include "model/digest/digest.h"
#include "model/open/open.h"
#include "model/profile/roles.h"
#include "model/steps/split.h"
#include "nsys_fixture.h"
#include "paths.h"
#include "profile_poke.h"
#include "profile_rows.h"

// One row in every table, and names of people and machines, which must not be stored.
static const char *all_rows(void)
{
    static const char more[] =
        "CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start, globalPid, deviceId, address, bytes,"
        " memKind, memoryOperationType, name, correlationId);"
        "INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES"
        " (1000, pid(5), 0, 4096, 64, 2, 0, NULL, 1), (1500, pid(5), 0, 4096, 64, 2, 1, NULL, 2);"
        "INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES ('Hostname', 'hush-node-7'), ('USER', 'hush'),"
        " ('SECRET', 'hush'), ('SLURM_PROCID', '5');"
        "INSERT INTO META_DATA_CAPTURE VALUES ('ENV', 'TOKEN=hush'), ('ENV', 'ROLE_NAME=trainer'),"
        " ('ENV', 'VLLM_DP_RANK=3');";
    static char *sql;
    if (!sql)
        assert_true(asprintf(&sql, "%s%s", profile_rows_sql(), more) > 0);
    return sql;
}

// ---- writing and opening -----------------------------------------------------------------------

static const char *folder(void)
{
    static char made[] = "/tmp/dlprof-digest-XXXXXX";
    static bool is_made;
    if (!is_made)
        assert_non_null(mkdtemp(made));
    is_made = true;
    return made;
}

static const char *path_of(const char *name)
{
    static char paths[4][PATH_MAX];
    static unsigned turn;
    char *path = paths[turn++ % 4];
    snprintf(path, PATH_MAX, "%s/%s", folder(), name);
    return path;
}

static void write_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static struct profile *open_as(const char *path, unsigned part_of, struct error *error)
{
    struct load_request request = {.path = path, .part_of = part_of, .threads = 2};
    *error = (struct error){0};
    return profile_load(&request, error);
}

struct encoding {
    const struct profile *part;
    struct bytes digest;
    struct arena *arena;
};

static bool make_body(void *context, struct error *error)
{
    struct encoding *encoding = context;
    (void)error;
    digest_encode(encoding->part, 2, &encoding->digest, encoding->arena);
    return true;
}

static struct bytes digest_of(const struct profile *part, struct arena *arena)
{
    struct encoding encoding = {.part = part, .arena = arena};
    assert_true(arena_run(arena, make_body, &encoding, NULL));
    return encoding.digest;
}

static struct profile *part_of_rows(void)
{
    struct error error;
    struct profile *part = open_as(nsys_file(all_rows()), 1, &error);
    if (!part)
        fail_msg("%s", error.message);
    return part;
}

// Writes the digest of a file into a folder of its own; returns false if the file is not a profile.
static bool write_digest(const char *path, const char *to)
{
    struct error error;
    struct arena *arena = arena_new(0);
    struct profile *part = open_as(path, 1, &error);
    if (part) {
        struct bytes digest = digest_of(part, arena);
        write_file(to, digest.items, digest.count);
        profile_free(part);
    } else {
        print_message("# %s: %s\n", path, error.message);
    }
    arena_free(arena);
    return part != NULL;
}

// ---- all reports -------------------------------------------------------------------------------

static int compare_lines(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

// Sorts the lines: notes that follow from the tables come last in a digest. The line about the file
// itself is left out.
static void write_sorted_lines(char *text, FILE *out)
{
    char *lines[1000];
    size_t count = 0;
    for (char *line = strtok(text, "\n"); line && count < 1000; line = strtok(NULL, "\n"))
        if (strncmp(line, "file,", 5) != 0)
            lines[count++] = line;
    qsort(lines, count, sizeof *lines, compare_lines);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s\n", lines[i]);
}

static char *text_of_reports(const char *const *paths, size_t count)
{
    struct error error = {0};
    struct load_request request = {
        .path = paths[0], .paths = paths, .path_count = count, .threads = 2};
    struct profile *profile = profile_load(&request, &error);
    if (!profile)
        fail_msg("%s", error.message);
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    struct arena *arena = arena_new(0);
    struct selection selection = selection_all(split_find(profile, arena));
    for (size_t i = 0; i < report_count; i++) {
        struct export_table table = {
            .report = reports[i], .profile = profile, .selection = &selection};
        if (!report_build(reports[i], profile, &selection, arena, &table.rows, &error))
            fail_msg("%s", error.message);
        char *one = NULL;
        size_t one_size = 0;
        FILE *rows = open_memstream(&one, &one_size);
        assert_true(export_format_find("csv")->write(&table, rows, arena));
        fclose(rows);
        fprintf(file, "%s\n", reports[i]->name);
        if (strcmp(reports[i]->name, "trust") == 0 || reports[i]->is_document)
            write_sorted_lines(one, file);
        else
            fputs(one, file);
        free(one);
    }
    fclose(file);
    arena_free(arena);
    profile_free(profile);
    return text;
}

// Fails the test at the first line in which two texts differ.
static void check_same_text(const char *name, const char *left, const char *right)
{
    while (*left && *right) {
        size_t a = strcspn(left, "\n"), b = strcspn(right, "\n");
        if (a != b || memcmp(left, right, a) != 0)
            fail_msg("%s:\n- %.*s\n+ %.*s", name, (int)a, left, (int)b, right);
        left += a + (left[a] == '\n');
        right += b + (right[b] == '\n');
    }
    assert_string_equal(left, right);
}

static bool check_file(const char *path)
{
    char to[PATH_MAX];
    snprintf(to, sizeof to, "%s", path_of(strrchr(path, '/') + 1));
    if (!write_digest(path, to))
        return false;
    char *whole = text_of_reports(&path, 1),
         *from_digest = text_of_reports((const char *[]){to}, 1);
    check_same_text(path, whole, from_digest);
    free(whole);
    free(from_digest);
    unlink(to);
    return true;
}

static void test_reports_of_every_table(void **state)
{
    (void)state;
    assert_true(check_file(nsys_file(all_rows())));
}

static void test_generated(void **state)
{
    (void)state;
    static const char *const scenarios[] = {"tiny", "kineto --steps=2", "serving", "ddp --steps=3",
                                            "healthy --steps=3 --graphs=node --markers=emit"};
    char command[PATH_MAX + 200], path[PATH_MAX];
    if (!getenv("DLPROF_GEN"))
        skip();
    size_t count = run_is_quick() ? 1 : sizeof scenarios / sizeof *scenarios;
    for (size_t i = 0; i < count; i++) {
        int name = (int)strcspn(scenarios[i], " ");
        snprintf(path, sizeof path, "%s/made/made.sqlite", folder());
        snprintf(command, sizeof command,
                 "mkdir -p '%s/made' && '%s' %.*s '%s' --force %s >/dev/null", folder(),
                 getenv("DLPROF_GEN"), name, scenarios[i], path, scenarios[i] + name);
        assert_int_equal(system(command), 0); // NOLINT(cert-env33-c): the test's own generator
        assert_true(check_file(path));
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/made", folder());
    rmdir(path);
}

// The digests of two ranks together give the same reports as their files; the digests of the parts
// are deleted before.
static void test_several(void **state)
{
    (void)state;
    enum { RANKS = 2 };
    char command[PATH_MAX + 200], made[100], paths[2 * RANKS][PATH_MAX];
    const char *files[RANKS], *digests[RANKS];
    if (!getenv("DLPROF_GEN"))
        skip();
    snprintf(made, sizeof made, "%s/job", folder());
    snprintf(
        command, sizeof command,
        "mkdir '%s' '%s/dlp' && '%s' healthy '%s/job.sqlite' --processes=%d --steps=4 --split=2 "
        ">/dev/null && rm '%s/job.sqlite'",
        made, made, getenv("DLPROF_GEN"), made, RANKS, made);
    assert_int_equal(system(command), 0); // NOLINT(cert-env33-c): the test's own generator
    for (size_t i = 0; i < RANKS; i++) {
        snprintf(paths[2 * i], PATH_MAX, "%s/job.rank%zu.sqlite", made, i);
        snprintf(paths[2 * i + 1], PATH_MAX, "%s/dlp/job.rank%zu.sqlite", made, i);
        files[i] = paths[2 * i];
        digests[i] = paths[2 * i + 1];
        assert_true(write_digest(files[i], digests[i]));
    }
    char *whole = text_of_reports(files, RANKS), *from_digest = text_of_reports(digests, RANKS);
    check_same_text("two ranks", whole, from_digest);
    free(whole);
    free(from_digest);
    for (size_t i = 0; i < RANKS; i++) {
        unlink(files[i]);
        unlink(digests[i]);
    }
    snprintf(command, sizeof command, "%s/dlp", made);
    rmdir(command);
    rmdir(made);
}

static void write_trace(const char *path, int rank)
{
    char text[2000];
    int length = snprintf(
        text, sizeof text,
        "{\"distributedInfo\":{\"rank\":%d,\"world_size\":2},\"baseTimeNanoseconds\":"
        "1700000000000000000,"
        "\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"rank%d.py(%d): "
        "step\","
        "\"pid\":%d,\"tid\":1,\"ts\":1,\"dur\":90},{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":"
        "\"aten::mm\","
        "\"pid\":%d,\"tid\":1,\"ts\":10,\"dur\":20,\"args\":{\"Input Dims\":[[2, 3], [3, 4]]}},"
        "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":%d,\"tid\":1,"
        "\"ts\":12,\"dur\":2,\"args\":{\"correlation\":5}},{\"ph\":\"X\",\"cat\":\"kernel\","
        "\"name\":\"gemm\",\"pid\":0,\"tid\":7,\"ts\":20,\"dur\":9,\"args\":{\"device\":0,"
        "\"stream\":7,\"correlation\":5}}]}",
        rank, rank, 7 + rank, 100 + rank, 100 + rank, 100 + rank);
    assert_in_range(length, 1, (int)sizeof text - 1);
    write_file(path, text, (size_t)length);
}

// Two ranks of one job together with an nsys export: each keeps its rank, its lines and its ops.
static void test_traces_together(void **state)
{
    (void)state;
    char paths[4][PATH_MAX], made[PATH_MAX];
    const char *files[3], *digests[2];
    snprintf(made, sizeof made, "%s", path_of("traces"));
    assert_int_equal(mkdir(made, 0700), 0);
    for (int i = 0; i < 2; i++) {
        char name[40];
        snprintf(name, sizeof name, "rank%d.json", 1 - i);
        snprintf(paths[i], PATH_MAX, "%s", path_of(name));
        snprintf(paths[i + 2], PATH_MAX, "%.200s/%s", made, name); // reports contain file names

        files[i] = paths[i];
        digests[i] = paths[i + 2];
        write_trace(files[i], 1 - i);
        assert_true(write_digest(files[i], digests[i]));
    }
    char *whole = text_of_reports(files, 2), *from_digest = text_of_reports(digests, 2);
    check_same_text("two traces", whole, from_digest);
    free(whole);
    free(from_digest);
    files[2] = nsys_file(all_rows());
    for (size_t count = 2; count <= 3; count++) {
        const struct load_request request = {
            .path = files[0], .paths = files, .path_count = count, .threads = 1};
        struct error error = {0};
        struct profile *profile = profile_load(&request, &error);
        if (!profile) {
            fail_msg("%s", error.message);
            return;
        }
        unsigned lines = 0;
        for (uint32_t work = 0; work < profile->work.count; work++) {
            uint32_t call = AT(profile->work.launch, work);
            const char *place = call == ROW_NONE ? NULL : call_place(profile, call);
            lines += place && (strcmp(place, "rank0.py:7 step") == 0 ||
                               strcmp(place, "rank1.py:8 step") == 0);
        }
        assert_int_equal(lines, 2);
        assert_int_equal(profile->source_count, count);
        unsigned ranks = 0;
        for (uint32_t i = 0; i < profile->source_count; i++)
            if (strcmp(profile->sources[i].format, "kineto") == 0)
                ranks |= 1u << profile->sources[i].rank;
        assert_int_equal(ranks, 3);
        profile_free(profile);
    }
    for (int i = 0; i < 4; i++)
        unlink(paths[i]);
    rmdir(made);
}

static void test_corpus(void **state)
{
    (void)state;
    static const char *const kinds[][2] = {{"nsys", "profile.sqlite"}, {"pyprof", "input.sqlite"}};
    const char *corpus = getenv("DLPROF_CORPUS");
    size_t opened = 0;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        char all[2000], path[4000];
        snprintf(all, sizeof all, "%s/%s", corpus ? corpus : source_path("/../shared/corpus"),
                 kinds[k][0]);
        DIR *entries = opendir(all);
        if (!entries) {
            print_message("# skipped: no corpus of real profiles at %s\n", all);
            skip();
            return;
        }
        size_t seen = 0;
        for (struct dirent *entry; (entry = readdir(entries));) {
            snprintf(path, sizeof path, "%s/%s/%s", all, entry->d_name, kinds[k][1]);
            if (entry->d_name[0] == '.' || access(path, R_OK) != 0 || seen++ % every(2, 100))
                continue;
            opened += check_file(path);
        }
        closedir(entries);
    }
    assert_true(opened > 0);
}

// ---- private data ------------------------------------------------------------------------------

static void assert_not_private(const char *word)
{
    if (word && (strstr(word, "hush") || strstr(word, "/home/")))
        fail_msg("a digest says %s", word);
}

// The environment of a capture is stored in the same tables as its versions.
static void test_private_names_are_dropped(void **state)
{
    (void)state;
    struct error error;
    char to[PATH_MAX];
    snprintf(to, sizeof to, "%s", path_of("named.dlp"));
    assert_true(write_digest(nsys_file(all_rows()), to));
    struct profile *profile = open_as(to, 1, &error);
    assert_non_null(profile);
    assert_int_equal(profile->sources[0].rank, 5);
    assert_string_equal(roles_text(&profile->sources[0].roles, profile->arena), "trainer dp 3");
    assert_true(profile->sources[0].host != 0);
    for (string_id id = 1; id < strings_count(profile->strings); id++)
        assert_not_private(strings_text(profile->strings, id));
    for (size_t t = 0; t < SMALL_TABLES; t++)
        for (uint32_t i = 0; i < small_table_rows(profile, &digest_tables[t]); i++)
            for (size_t m = 0; m < digest_tables[t].member_count; m++)
                if (digest_tables[t].members[m].kind == MEMBER_WORD)
                    assert_not_private(
                        *(const char **)(void *)(small_table_row(profile, &digest_tables[t], i) +
                                                 digest_tables[t].members[m].at));
    profile_free(profile);
    unlink(to);
}

// ---- invalid digests ---------------------------------------------------------------------------

static void check_refused(const char *path, const char *because)
{
    struct error error;
    struct profile *profile = open_as(path, 0, &error);
    assert_null(profile);
    assert_int_equal(error.kind, ERROR_DATA);
    if (!strstr(error.message, path) || !strstr(error.message, because))
        fail_msg("not \"%s\": %s", because, error.message);
}

static void set_checksum(char *bytes, size_t size)
{
    struct digest_header header;
    memcpy(&header, bytes, sizeof header);
    header.size = htole64(size);
    header.checksum = htole64(digest_checksum(bytes + DIGEST_HEADER, size - DIGEST_HEADER));
    memcpy(bytes, &header, sizeof header);
}

static void test_cut_off(void **state)
{
    (void)state;
    struct arena *arena = arena_new(0);
    struct profile *part = part_of_rows();
    struct bytes digest = digest_of(part, arena);
    const char *path = path_of("cut.dlp");
    for (size_t size = 8; size < digest.count; size += 97) {
        write_file(path, digest.items, size);
        check_refused(path, "it is cut off");
        if (size < DIGEST_HEADER)
            continue;
        char *cut = arena_copy(arena, digest.items, size); // with a correct checksum
        set_checksum(cut, size);
        write_file(path, cut, size);
        check_refused(path, "is a damaged digest");
    }
    char *longer = arena_copy(arena, digest.items, digest.count);
    write_file(path, longer, digest.count + 1);
    check_refused(path, "checksum");
    unlink(path);
    profile_free(part);
    arena_free(arena);
}

static void test_changed_byte(void **state)
{
    (void)state;
    struct arena *arena = arena_new(0);
    struct profile *part = part_of_rows();
    struct bytes digest = digest_of(part, arena);
    const char *path = path_of("changed.dlp");
    for (size_t at = 8; at < digest.count; at += run_is_quick() ? 397 : 29) {
        char *changed = arena_copy(arena, digest.items, digest.count);
        changed[at] = (char)(changed[at] ^ 1 << at % 8);
        write_file(path, changed, digest.count);
        check_refused(path, "digest");
        if (at < DIGEST_HEADER)
            continue;
        // With a correct checksum the digest opens with what it states, or is refused with a
        // reason.
        struct error error;
        set_checksum(changed, digest.count);
        write_file(path, changed, digest.count);
        struct profile *profile = open_as(path, 0, &error);
        assert_true(profile || strstr(error.message, "is a damaged digest"));
        profile_free(profile);
    }
    unlink(path);
    profile_free(part);
    arena_free(arena);
}

static void test_later_version(void **state)
{
    (void)state;
    struct arena *arena = arena_new(0);
    struct profile *part = part_of_rows();
    struct bytes digest = digest_of(part, arena);
    const char *path = path_of("later.dlp");
    digest.items[8]++;
    write_file(path, digest.items, digest.count);
    check_refused(path, "is a digest of a later dlprof-tui");
    check_refused(path, "--digest=FILE PROFILE");
    unlink(path);
    profile_free(part);
    arena_free(arena);
}

// ---- invalid values ----------------------------------------------------------------------------

static void poke(struct profile *part, const char *name, uint32_t row, int64_t value)
{
    for (size_t t = 0; t < PROFILE_TABLES; t++)
        for (size_t f = 0; f < profile_tables[t].field_count; f++)
            if (strcmp(profile_tables[t].fields[f].name, name) == 0) {
                assert_in_range(row, 0, table_rows(part, &profile_tables[t]) - 1);
                poke_field(part, &profile_tables[t], &profile_tables[t].fields[f], row, value);
                return;
            }
    for (size_t t = 0; t < SMALL_TABLES; t++)
        for (size_t m = 0; m < digest_tables[t].member_count; m++) {
            char full[100];
            snprintf(full, sizeof full, "%s.%s", digest_tables[t].name,
                     digest_tables[t].members[m].name);
            if (strcmp(full, name) == 0) {
                assert_in_range(row, 0, small_table_rows(part, &digest_tables[t]) - 1);
                poke_member(part, &digest_tables[t], &digest_tables[t].members[m], row, value);
                return;
            }
        }
    fail_msg("nothing is called %s", name);
}

static void test_invalid_values(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t row;
        int64_t value;
    } wrong[] = {
        {"work.start", 0, INT64_C(1) << 62},
        {"work.start", 0, INT64_C(1) << 58}, // far from all other times
        {"work.start", 1, -5000},            // before the row above it
        {"work.end", 0, -5000},
        {"work.function", 0, 1000},
        {"work.stream", 0, ROW_NONE},
        {"work.bytes", 0, -1},
        {"api.start", 1, -5000},
        {"api.name", 0, 100000},
        {"api.thread", 0, 1000},
        {"ranges.label", 0, 1000},
        {"ranges.start", 1, -5000},
        {"syncs.type", 0, 9},
        {"syncs.stream", 0, 1000},
        {"syncs.api", 0, 1000},
        {"osrt.thread", 0, 1000},
        {"overheads.name", 0, 100000},
        {"graph_nodes.thread", 0, 1000},
        {"frames.chain", 0, 0},
        {"frames.symbol", 0, 100000},
        {"memory.kind", 0, 200},
        {"memory.process", 0, 1000},
        {"memory.device", 0, 1000},
        {"processes.name", 0, 100000},
        {"threads.process", 0, 1000},
        {"threads.first_overhead", 0, 5},
        {"threads.end_overhead", 0, 100000},
        {"devices.sm_count", 0, -5},
        {"streams.device", 0, ROW_NONE},
        {"functions.kind", 0, WORK_KIND_COUNT},
        {"ranges.labels.thread", 0, 1000},
        {"ranges.labels.domain", 0, 1000},
        {"ranges.labels.ending", 0, 3},
        {"notes.level", 0, 7},
    };
    const char *path = path_of("wrong.dlp");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct arena *arena = arena_new(0);
        struct profile *part = part_of_rows();
        poke(part, wrong[i].name, wrong[i].row, wrong[i].value);
        struct bytes digest = digest_of(part, arena);
        write_file(path, digest.items, digest.count);
        struct error error;
        struct profile *profile = open_as(path, 0, &error);
        if (profile)
            fail_msg("%s of row %u is taken", wrong[i].name, wrong[i].row);
        assert_non_null(strstr(error.message, "is a damaged digest"));
        profile_free(part);
        arena_free(arena);
    }
    unlink(path);
}

static void check_damaged(const struct profile *part, const char *because)
{
    struct arena *arena = arena_new(0);
    struct bytes digest = digest_of(part, arena);
    const char *path = path_of("damaged.dlp");
    write_file(path, digest.items, digest.count);
    check_refused(path, because);
    unlink(path);
    arena_free(arena);
}

// Without any overheads no thread can have some.
static void test_overheads_without_rows(void **state)
{
    (void)state;
    struct profile *part = part_of_rows();
    part->overheads = (struct overheads){0};
    part->threads[0].first_overhead = 0;
    part->threads[0].end_overhead = 1000;
    check_damaged(part, "no order in the rows of overheads");
    profile_free(part);
}

// A role, which labels and commands use, must be a single word.
static void test_role_of_several_words(void **state)
{
    (void)state;
    struct profile *part = part_of_rows();
    part->sources[0].roles.word = "trainer\nquit";
    check_damaged(part, "a value that cannot be of roles.word");
    profile_free(part);
}

// Much is computed per GPU, and tables and notes of several files are compared pairwise, so their
// numbers are limited.
static void test_too_many_rows(void **state)
{
    (void)state;
    enum { ROWS = MAX_DEVICES + 1 };
    struct profile *part = part_of_rows();
    struct device *devices = ARENA_ARRAY(part->arena, struct device, ROWS);
    for (uint32_t d = 0; d < ROWS; d++)
        devices[d] = part->devices[0];
    part->devices = devices;
    part->device_count = ROWS;
    part->metrics = (struct gpu_metrics){0};
    check_damaged(part, "too many rows of devices");
    profile_free(part);
    part = part_of_rows();
    struct note *notes = ARENA_ARRAY(part->arena, struct note, ROWS);
    for (uint32_t n = 0; n < ROWS; n++)
        notes[n] = (struct note){.key = "key", .text = "text", .flag = ""};
    part->notes = notes;
    part->note_count = ROWS;
    check_damaged(part, "too many rows of notes");
    profile_free(part);
}

// Two files whose row counts are the largest possible number.
static void test_overflowing_counts(void **state)
{
    (void)state;
    char paths[2][PATH_MAX];
    const char *digests[] = {paths[0], paths[1]};
    struct arena *arena = arena_new(0);
    struct profile *part = part_of_rows();
    for (size_t i = 0; i < 2; i++) {
        poke(part, "tables.rows", 0, INT64_MAX);
        poke(part, "processes.global_pid", 0, (int64_t)(i + 1) << 24);
        struct bytes digest = digest_of(part, arena);
        snprintf(paths[i], PATH_MAX, "%s", path_of(i ? "second.dlp" : "first.dlp"));
        write_file(paths[i], digest.items, digest.count);
    }
    char *text = text_of_reports(digests, 2);
    assert_non_null(strstr(text, "9223372036854775807"));
    free(text);
    unlink(paths[0]);
    unlink(paths[1]);
    profile_free(part);
    arena_free(arena);
}

// A short file that announces a thousand million rows must not cause an allocation of that size.
static void test_announced_rows_are_limited(void **state)
{
    (void)state;
    struct arena *arena = arena_new(0);
    struct profile *part = part_of_rows();
    struct bytes digest = digest_of(part, arena);
    const char *path = path_of("large.dlp");
    static const char name[] = "\x05texts";
    char *at = memmem(digest.items, digest.count, name, sizeof name - 1);
    assert_non_null(at);
    memcpy(at + sizeof name - 1, "\xff\xff\xff\x3f", 4);
    set_checksum(digest.items, digest.count);
    write_file(path, digest.items, digest.count);
    check_refused(path, "too small for the rows of texts");
    unlink(path);
    profile_free(part);
    arena_free(arena);
}

// Data so regular that it needs almost no bytes is padded to the least size accepted for its rows.
static void test_regular_rows_are_padded(void **state)
{
    (void)state;
    enum { ROWS = 600000 };
    struct arena *arena = arena_new(0);
    struct profile *part = part_of_rows();
    int64_t *times = ARENA_ARRAY(arena, int64_t, ROWS);
    uint32_t *texts = ARENA_ARRAY(arena, uint32_t, ROWS);
    for (uint32_t t = 0; t < part->thread_count; t++)
        part->threads[t].first_overhead = part->threads[t].end_overhead = 0;
    part->overheads.count = ROWS;
    part->overheads.start = part->overheads.end = profile_pack64(part, times, ROWS);
    part->overheads.name = texts;
    struct bytes digest = digest_of(part, arena);
    const char *path = path_of("alike.dlp");
    assert_in_range(digest.count, ROWS / DIGEST_ROWS_PER_BYTE, ROWS / DIGEST_ROWS_PER_BYTE + 1);
    write_file(path, digest.items, digest.count);
    struct error error;
    struct profile *profile = open_as(path, 0, &error);
    assert_non_null(profile);
    assert_int_equal(profile->overheads.count, ROWS);
    profile_free(profile);
    unlink(path);
    profile_free(part);
    arena_free(arena);
}

// ---- failures ----------------------------------------------------------------------------------

static void test_every_allocation_fails_once(void **state)
{
    (void)state;
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s", path_of("failing.dlp"));
    assert_true(write_digest(nsys_file(all_rows()), path));
    const char *files[] = {path};
    assert_true(load_failures(files, 1, 7) > 20);
    unlink(path);
    struct profile *part = part_of_rows();
    int failures = 0;
    for (uint64_t n = 1;; n += run_is_quick() ? 50 : 7) {
        struct arena *arena = arena_new(0);
        struct encoding encoding = {.part = part, .arena = arena};
        struct error error = {0};
        arena_fail_at(n);
        bool done = arena_run(arena, make_body, &encoding, &error);
        arena_fail_at(0);
        arena_free(arena);
        if (done)
            break;
        failures++;
        assert_int_equal(error.kind, ERROR_MEMORY);
    }
    assert_true(failures > 5);
    profile_free(part);
}

static int remove_folder(void **state)
{
    rmdir(folder());
    return nsys_remove(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reports_of_every_table),
        cmocka_unit_test(test_generated),
        cmocka_unit_test(test_several),
        cmocka_unit_test(test_traces_together),
        cmocka_unit_test(test_corpus),
        cmocka_unit_test(test_private_names_are_dropped),
        cmocka_unit_test(test_cut_off),
        cmocka_unit_test(test_changed_byte),
        cmocka_unit_test(test_later_version),
        cmocka_unit_test(test_invalid_values),
        cmocka_unit_test(test_overheads_without_rows),
        cmocka_unit_test(test_role_of_several_words),
        cmocka_unit_test(test_too_many_rows),
        cmocka_unit_test(test_overflowing_counts),
        cmocka_unit_test(test_announced_rows_are_limited),
        cmocka_unit_test(test_regular_rows_are_padded),
        cmocka_unit_test(test_every_allocation_fails_once),
    };
    return cmocka_run_group_tests(tests, NULL, remove_folder);
}
