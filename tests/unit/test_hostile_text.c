// SPDX-License-Identifier: Apache-2.0
// Hostile content in every text of a file: terminal commands, spreadsheet formulas, bytes that are
// not text, format directives, quotes and line breaks. No report in any format may contain them
// unescaped, and each line must have as many cells as its head. Host and user names of the file
// must not appear at all.
#include "model/open/open.h"
#include "property.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/export/export.h"
#include "analysis/reports/report_list.h"
#include "base/text/text.h"
#include "model/steps/split.h"
#include "nsys_fixture.h"
#include "profile_rows.h"

#define ESCAPES                                                                               \
    "char(27) || ']0;title' || char(7) || char(27) || '[2J' || char(155) || '31m' ||"         \
    " char(8238) || 'txt' || char(8294) || char(8203) || char(13) || char(8) || char(127) ||" \
    " CAST(x'ff80c328' AS TEXT) || '%s%n%d%%' || '\",\"' || char(10) || char(9) || '|<b>`$(x)`'"
#define FORMULA "'=cmd|'' /C calc''!A0'"
#define SECRET  "'SECRET'"

// Replaces every text, except those that are looked up by their content.
static const char hostile[] =
    "CREATE TEMP TABLE t (i INTEGER PRIMARY KEY, x);"
    "INSERT INTO t (x) VALUES (" ESCAPES "), (" FORMULA "), ('@SUM(1+1)'), ('+1+cmd|''x''!A0'),"
    " ('-2+3+cmd|''x''!A0'), ('a' || char(9) || 'b'), ('a' || char(10) || 'b'), ('a,b'), ('a\"b');"
    "UPDATE StringIds SET value = (SELECT x FROM t WHERE t.i = 1 + id % 9) || id;"
    "INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid)"
    " SELECT 100000 + i * 10, 100009 + i * 10, 59, x, 0x1000001000001 FROM t;"
    "INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid)"
    " SELECT 100000 + i * 10, 100009 + i * 10, 59, 'layer:' || x, 0x1000001000001 FROM t;"
    "INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid)"
    " SELECT 100001 + i * 10, 100008 + i * 10, 59, x || ', op_id = 7, sizes = [[' || x || ']]',"
    " 0x1000001000001 FROM t;"
    "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, correlationId, nameId)"
    " SELECT 100002 + i * 10, 100003 + i * 10, 0x1000001000001, 1000 + i, 100 + i FROM t;"
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, streamId, correlationId,"
    " globalPid, demangledName, shortName) SELECT 100004 + i * 10, 100006 + i * 10, 0, 7, 1000 + i,"
    " 0x1000001000000, 200 + i, 300 + i FROM t;"
    "UPDATE PROCESSES SET name = (SELECT x FROM t WHERE i = 1);"
    "UPDATE TARGET_INFO_GPU SET name = (SELECT x FROM t WHERE i = 2),"
    " uuid = (SELECT x FROM t WHERE i = 1), busLocation = (SELECT x FROM t WHERE i = 1);"
    "UPDATE META_DATA_EXPORT SET value = (SELECT x FROM t WHERE i = 1);"
    "UPDATE DIAGNOSTIC_EVENT SET text = 'lost ' || (SELECT x FROM t WHERE i = 1);"
    "UPDATE TARGET_INFO_GPU_METRICS SET metricName = metricName || (SELECT x FROM t WHERE i = 1);"
    "INSERT INTO META_DATA_CAPTURE SELECT 'CUDA_GRAPH_TRACE_OPTIONS:MODE', x FROM t WHERE i = 1;"
    "INSERT INTO TARGET_INFO_SYSTEM_ENV SELECT 'CudaDriverVersion', x FROM t WHERE i = 2;"
    "INSERT INTO TARGET_INFO_SYSTEM_ENV SELECT 'NvDriverVersion', x FROM t WHERE i = 1;"
    "UPDATE TARGET_INFO_SYSTEM_ENV SET value = (SELECT x FROM t WHERE i = 7)"
    " WHERE name = 'CpuDescription';";

static const char secrets[] =
    "INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES ('Hostname', " SECRET "), ('User', " SECRET "),"
    " ('OsName', " SECRET "), ('EnvironmentVariables', 'HOME=' || " SECRET ");"
    "INSERT INTO META_DATA_CAPTURE VALUES ('CAPTURE_HOST', " SECRET "), ('COMMAND_LINE', " SECRET
    "),"
    " ('ENVIRONMENT:HOME', " SECRET "), ('CAPTURE_EVENT_TYPE', " SECRET ");"
    "INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_HOST', " SECRET ");"
    "CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs, utcTime, localTime);"
    "INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1, " SECRET ", " SECRET ");"
    "CREATE TABLE TARGET_INFO_NIC_INFO (GUID, name); INSERT INTO TARGET_INFO_NIC_INFO VALUES"
    " (" SECRET ", " SECRET ");"
    "CREATE TABLE EXPORT_META_DATA (name, value);"
    "INSERT INTO EXPORT_META_DATA VALUES ('EXPORT_USER', " SECRET ");";

static struct profile *load(void)
{
    static char sql[32000];
    assert_true(snprintf(sql, sizeof sql, "%s%s%s", profile_rows_sql(), hostile, secrets) <
                (int)sizeof sql);
    struct load_request request = {.path = nsys_file(sql), .threads = 1};
    struct error error = {0};
    struct profile *profile = profile_load(&request, &error);
    if (!profile)
        fail_msg("%s", error.message);
    return profile;
}

static void assert_harmless(const char *text, size_t size, const char *report, const char *format)
{
    for (size_t at = 0; at < size;) {
        uint32_t code;
        size_t taken = text_decode(text + at, size - at, &code);
        bool is_invalid = code == 0xFFFD && (unsigned char)text[at] != 0xEF;
        if (is_invalid || (text_is_unsafe(code) && code != '\n' && code != '\t'))
            fail_msg("%s as %s: U+%04X in '%.40s'", report, format, (unsigned)code,
                     text + (at < 20 ? 0 : at - 20));
        at += taken;
    }
    if (strstr(text, "SECRET"))
        fail_msg("%s as %s: %.60s", report, format, strstr(text, "SECRET"));
}

// Returns the end of one CSV cell; NULL after the last of a line.
static const char *cell_end(const char *text)
{
    if (*text == '"') {
        for (text++; *text && (*text != '"' || text[1] == '"'); text++)
            text += *text == '"';
        assert_int_equal(*text, '"');
        return text + 1;
    }
    return text + strcspn(text, ",\n");
}

static void assert_csv(const char *text, const struct report *report, char separator)
{
    size_t columns = 0, count = 0;
    for (const char *at = text; *at;) {
        const char *end = separator == ',' ? cell_end(at) : at + strcspn(at, "\t\n");
        const char *first = at + (*at == '"');
        bool is_sign = *first == '-' || *first == '+';
        if (*first == '=' || *first == '@' ||
            (is_sign && memchr(first, '|', (size_t)(end - first))))
            fail_msg("%s: a formula: %.40s", report->name, at);
        count++;
        if (*end == separator) {
            at = end + 1;
            continue;
        }
        if (*end != '\n')
            fail_msg("%s: after a cell: %.40s", report->name, at);
        columns = columns ? columns : count;
        if (count != columns && !report->is_dlprof)
            fail_msg("%s: %zu of %zu cells: %.80s", report->name, count, columns, at);
        count = 0;
        at = end + 1;
    }
}

static void test_reports_escape_texts(void **state)
{
    (void)state;
    struct profile *profile = load();
    struct split *split = split_find(profile, profile->arena);
    for (size_t i = 0; i < report_count; i++) {
        struct arena *arena = arena_new(0);
        struct selection selection = selection_all(split);
        struct rows rows;
        struct error error = {0};
        assert_true(report_build(reports[i], profile, &selection, arena, &rows, &error));
        struct export_table table = {
            .report = reports[i], .rows = rows, .profile = profile, .selection = &selection};
        for (size_t f = 0; f < export_format_count; f++) {
            char *text = NULL;
            size_t size = 0;
            FILE *file = open_memstream(&text, &size);
            assert_true(export_formats[f]->write(&table, file, arena));
            fclose(file);
            assert_harmless(text, size, reports[i]->name, export_formats[f]->name);
            if (strcmp(export_formats[f]->name, "csv") == 0 && !reports[i]->is_document)
                assert_csv(text, reports[i], ',');
            if (strcmp(export_formats[f]->name, "tsv") == 0 && !reports[i]->is_document)
                assert_csv(text, reports[i], '\t');
            free(text);
        }
        arena_free(arena);
    }
    profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_reports_escape_texts)};
    return cmocka_run_group_tests(tests, NULL, nsys_remove);
}
