// SPDX-License-Identifier: Apache-2.0
// Traces that are damaged, joined, of other tools, or that hold rows twice: each kind, its healthy
// twin, and the field cases of the corpus. In the source, ' stands for " in their text.
#include "property.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text/bytes.h"
#include "file_text.h"
#include "model/open/open.h"
#include "model/profile/copy_kinds.h"
#include "paths.h"

enum { PATH = 300, TEXT = 1 << 16 };

// ---- traces ------------------------------------------------------------------------------------

struct text {
    char bytes[TEXT];
    size_t length;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *text, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int written = vsnprintf(text->bytes + text->length, TEXT - text->length, format, list);
    va_end(list);
    assert_true(written >= 0 && text->length + (size_t)written < TEXT);
    for (int i = 0; i < written; i++, text->length++)
        if (text->bytes[text->length] == '\'')
            text->bytes[text->length] = '"';
}

static const char *comma(const struct text *text)
{
    return text->length && strchr("[\n", text->bytes[text->length - 1]) ? "" : ",";
}

static void add_call(struct text *text, const char *pid, double at, int id)
{
    add(text,
        "%s{'ph':'X','cat':'cpu_op','name':'aten::mm','pid':%s,'tid':1,'ts':%.3f,'dur':20},"
        "{'ph':'X','cat':'cuda_runtime','name':'cudaLaunchKernel','pid':%s,'tid':1,'ts':%.3f,"
        "'dur':5,'args':{'correlation':%d}}",
        comma(text), pid, at, pid, at + 5, id);
}

static void add_kernel(struct text *text, const char *name, double at, double length, int id)
{
    add(text,
        "%s{'ph':'X','cat':'kernel','name':'%s','pid':0,'tid':7,'ts':%.3f,'dur':%.3f,"
        "'args':{'device':0,'stream':7,'correlation':%d}}",
        comma(text), name, at, length, id);
}

// Adds `count` calls, each 100 us after the one before, and their kernels of 40.25 us and more.
static void add_launches(struct text *text, const char *pid, double at, int first, int count)
{
    for (int i = 0; i < count; i++) {
        add_call(text, pid, at + 100 * i, first + i);
        add_kernel(text, i % 2 ? "gemm" : "add", at + 100 * i + 30, 40.25 + i, first + i);
    }
}

static const char *file_of(const char *name)
{
    static char paths[8][PATH];
    static unsigned next;
    char *path = paths[next++ % 8];
    snprintf(path, PATH, "%s/%s", build_path(""), name);
    return path;
}

static struct profile *try_open(const char *const *paths, uint32_t count, struct error *error)
{
    struct load_request request = {
        .path = paths[0], .paths = count > 1 ? paths : NULL, .path_count = count, .threads = 1};
    *error = (struct error){0};
    return profile_load(&request, error);
}

static struct profile *open_files(const char *const *paths, uint32_t count)
{
    struct error error;
    struct profile *profile = try_open(paths, count, &error);
    if (!profile)
        fail_msg("%s", error.message);
    return profile;
}

static struct profile *open_text(const struct text *text)
{
    const char *path = file_of("kineto_lies.json");
    file_write(path, text->bytes);
    return open_files(&path, 1);
}

static void check_refused(const char *format, const char *words)
{
    struct text text = {0};
    struct error error;
    const char *path = file_of("kineto_lies.json");
    add(&text, "%s", format);
    file_write(path, text.bytes);
    struct profile *profile = try_open(&path, 1, &error);
    assert_null(profile);
    if (!strstr(error.message, words))
        fail_msg("\"%s\" lacks \"%s\"", error.message, words);
}

static int64_t work_time(const struct profile *profile)
{
    int64_t sum = 0;
    for (uint32_t w = 0; w < profile->work.count; w++)
        sum += work_duration(profile, w);
    return sum;
}

static const struct note *note_of(const struct profile *profile, const char *key, int64_t count,
                                  const char *words)
{
    const struct note *note = profile_find_note(profile, key);
    if (!note)
        fail_msg("no note %s", key);
    assert_int_equal(note->count, count);
    if (!strstr(note->text, words))
        fail_msg("\"%s\" lacks \"%s\"", note->text, words);
    return note;
}

static void assert_no_warning(const struct profile *profile)
{
    for (size_t i = 0; i < profile->note_count; i++)
        if (profile->notes[i].level == NOTE_WARNING)
            fail_msg("%s", profile->notes[i].text);
}

// ---- times -------------------------------------------------------------------------------------

static struct profile *open_with_kernels_at(double at, double apart, double length)
{
    struct text text = {0};
    add(&text, "[");
    add_launches(&text, "1", 7480000000000.0, 1, 12);
    for (int i = 0; i < 12; i++) {
        add_call(&text, "1", 7480000002000.0 + 100 * i, 101 + i);
        add_kernel(&text, "gemm", at + apart * i, length, 101 + i);
    }
    add(&text, "]");
    return open_text(&text);
}

static void test_far_times(void **state)
{
    (void)state;
    struct profile *profile = open_with_kernels_at(7480000002030.0, 100, 40);
    assert_int_equal(profile->work.count, 24);
    assert_no_warning(profile);
    profile_free(profile);
    // Zero; a clock that starts with the machine; 1e14 ns later.
    static const double times[] = {0, 17.5, 7480100002030.0 + 1e5};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        profile = open_with_kernels_at(i < 2 ? times[i] : 7480000002030.0 + 1e11, i ? 100 : 0,
                                       i ? 40 : 0);
        assert_int_equal(profile->work.count, 12);
        assert_int_equal(work_time(profile), 12 * 40250 + 66 * 1000);
        assert_true(profile->last_ns - profile->first_ns < 4000000);
        note_of(profile, "rows_skipped", 12, "12 of 24 rows of kernel");
        note_of(profile, "rows_skipped", 12, ": 12 that lie hours or more away from the rest");
        profile_free(profile);
    }
}

// Windows of one run that lie hours apart are no damage, nor is a clock that begins at 0.
static void test_near_times(void **state)
{
    (void)state;
    struct text text = {0};
    add(&text, "[");
    add_launches(&text, "1", 0, 1, 12);
    add_launches(&text, "1", 3600e6 * 9, 101, 12);
    add(&text, "]");
    struct profile *profile = open_text(&text);
    assert_int_equal(profile->work.count, 24);
    assert_null(profile_find_note(profile, "rows_skipped"));
    profile_free(profile);
}

// A few rows of the host far from all others, and lengths that cannot be.
static void test_bad_rows(void **state)
{
    (void)state;
    struct text text = {0};
    add(&text, "[");
    add_launches(&text, "1", 7480000000000.0, 1, 80);
    add(&text, ",{'ph':'X','cat':'cpu_op','name':'a','pid':1,'tid':1,'ts':5,'dur':3}"
               ",{'ph':'i','name':'[memory]','pid':1,'tid':1,'ts':0,"
               "'args':{'Device Type':0,'Device Id':-1,'Bytes':64}}"
               ",{'ph':'X','cat':'kernel','name':'cut','pid':0,'tid':7,'ts':7480000000001,"
               "'args':{'device':0,'stream':7}}"
               ",{'ph':'X','cat':'kernel','name':'back','pid':0,'tid':7,'ts':7480000000001,"
               "'dur':-4,'args':{'device':0,'stream':7}}]");
    struct profile *profile = open_text(&text);
    assert_int_equal(profile->work.count, 80);
    assert_int_equal(profile->ranges.count, 80);
    assert_int_equal(profile->allocations.count, 0);
    assert_true(profile->last_ns < 10000000);
    const char *texts = "";
    for (size_t i = 0; i < profile->note_count; i++)
        if (strcmp(profile->notes[i].key, "rows_skipped") == 0 &&
            strstr(profile->notes[i].text, "kernel"))
            texts = profile->notes[i].text;
    assert_non_null(strstr(texts, "2 of 82 rows of kernel"));
    assert_non_null(strstr(texts, "1 without a length, 1 that end before they begin"));
    profile_free(profile);
}

// ---- ids ---------------------------------------------------------------------------------------

// A writer that takes ids of 32 bits for signed makes the upper half negative.
static void test_wrapped_ids(void **state)
{
    (void)state;
    struct text text = {0};
    add(&text, "[");
    add_launches(&text, "1", 100, INT32_MAX - 5, 5);
    add_launches(&text, "1", 1100, INT32_MIN, 5);
    add(&text, "]");
    struct profile *profile = open_text(&text);
    for (uint32_t w = 0; w < profile->work.count; w++)
        assert_int_equal(AT(profile->work.launch, w), w);
    profile_free(profile);
}

// ---- several values -----------------------------------------------------------------------------

static void test_two_traces(void **state)
{
    (void)state;
    struct text text = {0};
    add(&text, "{'baseTimeNanoseconds':1000000000000000000,'traceEvents':[");
    add_launches(&text, "1", 100, 1, 12);
    // The second one counts from 1 again and is on a clock 2 ms later.
    add(&text, "]}\n{'traceEvents':[");
    add_launches(&text, "1", 100, 1, 12);
    add(&text, "],'baseTimeNanoseconds':1000000000002000000}\n");
    struct profile *profile = open_text(&text);
    assert_int_equal(profile->work.count, 24);
    note_of(profile, "values_several", 2, "2 traces");
    assert_no_warning(profile);
    for (uint32_t w = 0; w < 24; w++) {
        uint32_t call = AT(profile->work.launch, w);
        assert_int_equal(call, w);
        assert_int_equal(AT(profile->work.start, w) - AT(profile->api.start, call), 25000);
    }
    assert_int_equal(AT(profile->work.start, 12) - AT(profile->work.start, 0), 2000000);
    profile_free(profile);
}

static void test_one_trace_twice(void **state)
{
    (void)state;
    struct text text = {0};
    for (int i = 0; i < 2; i++) {
        add(&text, "{'traceEvents':[");
        add_launches(&text, "1", 100, 1, 12);
        add(&text, "]}\n");
    }
    struct profile *profile = open_text(&text);
    assert_int_equal(profile->work.count, 12);
    assert_int_equal(profile->api.count, 12);
    note_of(profile, "values_repeated", 36, "a trace twice");
    profile_free(profile);
}

static void test_bytes_behind(void **state)
{
    (void)state;
    static const char *const tails[] = {"]}\n", "]}\nTraceback (most recent call last)\n",
                                        "]}\n{'log':'done'}"};
    for (size_t i = 0; i < 3; i++) {
        struct text text = {0};
        add(&text, "{'traceEvents':[");
        add_launches(&text, "1", 100, 1, 12);
        add(&text, "%s", tails[i]);
        struct profile *profile = open_text(&text);
        assert_int_equal(profile->work.count, 12);
        if (i)
            note_of(profile, "bytes_behind", (int64_t)strlen(tails[i]) - 2, "not read");
        else
            assert_no_warning(profile);
        profile_free(profile);
    }
}

// Triton's Proton writes a value per stream, each on a line.
static void test_proton(void **state)
{
    (void)state;
    struct text text = {0};
    for (int stream = 0; stream < 3; stream++) {
        add(&text, "{'displayTimeUnit':'us','traceEvents':[");
        for (int i = 0; i < 10; i++)
            add(&text,
                "%s{'name':'k%d','cat':'kernel','ph':'X','ts':%d.5,'dur':2.25,'tid':%d,"
                "'args':{'call_stack':['ROOT','f']}}",
                comma(&text), stream, 10 * i + stream, stream);
        add(&text, "]}\n");
    }
    struct profile *profile = open_text(&text);
    assert_int_equal(profile->work.count, 30);
    assert_int_equal(work_time(profile), 30 * 2250);
    assert_int_equal(profile->stream_count, 3);
    note_of(profile, "other_tool", 1, "Proton");
    assert_string_equal(profile->capture.framework, "Triton's Proton");
    profile_free(profile);
}

// ---- other tools -------------------------------------------------------------------------------

static void test_other_tools(void **state)
{
    (void)state;
    check_refused("[{'name':'add','ph':'X','ts':1.5,'dur':2,'tid':1,'pid':'CPU functions'},"
                  "{'name':'add','ph':'X','ts':2,'dur':2,tid':0,'pid':'CUDA functions'}]",
                  "PyTorch's old profiler");
    check_refused("[{'name':'process_name','ph':'M','pid':1,'args':{'name':'Ascend Hardware'}},"
                  "{'name':'MatMul','ph':'X','ts':'10.5','dur':2,'pid':1,'tid':1}]",
                  "Ascend");
    check_refused("{'displayTimeUnit':'ns','metadata':{'highres-ticks':true},'traceEvents':["
                  "{'ph':'M','name':'process_name','pid':1,'args':{'name':'/device:GPU:0'}},"
                  "{'ph':'X','name':'fusion','pid':1,'tid':1,'ts':1,'dur':2}]}",
                  "JAX");
    check_refused("[{'cat':'Session','pid':1,'tid':1,'dur':5,'ts':1,'ph':'X','name':'model_run'},"
                  "{'cat':'Node','pid':1,'tid':1,'dur':5,'ts':1,'ph':'X','name':'n'}]",
                  "ONNX Runtime");
    check_refused("{'traceEvents':[{'ph':'X','name':'frame','pid':1,'tid':1,'ts':1,'dur':2,"
                  "'cat':'blink'},{'ph':'X','name':'a','pid':1,'tid':1,'ts':1,'dur':2}]}",
                  "of its 2 events none has a category that is read");
}

static void test_unknown_categories(void **state)
{
    (void)state;
    struct text text = {0};
    add(&text, "[");
    add_launches(&text, "1", 100, 1, 12);
    for (int i = 0; i < 5; i++)
        add(&text, ",{'ph':'X','name':'x','pid':1,'tid':1,'ts':200,'dur':2%s}",
            i < 3 ? ",'cat':'engine'" : "");
    add(&text, "]");
    struct profile *profile = open_text(&text);
    assert_int_equal(profile->work.count, 12);
    const struct note *note = note_of(profile, "events_unknown", 5, "(3 of engine, 2 without one)");
    assert_int_equal(note->level, NOTE_WARNING);
    profile_free(profile);
}

// ---- copies of XPU -----------------------------------------------------------------------------

static void check_copy(const char *name, int32_t kind, int32_t source, int32_t destination)
{
    struct text text = {0};
    add(&text,
        "[{'ph':'X','cat':'gpu_memcpy','name':'%s','pid':0,'tid':64,'ts':1,'dur':5,"
        "'args':{'device':0,'bytes':1024}}]",
        name);
    struct profile *profile = open_text(&text);
    assert_int_equal(profile->copy_count, 1);
    assert_int_equal(profile->copies[0].copy_kind, kind);
    assert_int_equal(profile->copies[0].src_kind, source);
    assert_int_equal(profile->copies[0].dst_kind, destination);
    assert_int_equal(AT(profile->work.bytes, 0), 1024);
    profile_free(profile);
}

static void test_copy_names(void **state)
{
    (void)state;
    check_copy("Memcpy HtoD (Pinned -> Device)", COPY_HTOD, MEMORY_PINNED, MEMORY_DEVICE);
    check_copy("Memcpy M2D (MEMORY(Unknown) -> DEVICE)", COPY_HTOD, -1, MEMORY_DEVICE);
    check_copy("zeCommandListAppendMemoryCopy(M2D)", COPY_HTOD, -1, -1);
    check_copy("zeCommandListAppendMemoryCopy(D2M)", COPY_DTOH, -1, -1);
    check_copy("Memcpy H2D (HOST -> DEVICE)", COPY_HTOD, -1, MEMORY_DEVICE);
    check_copy("Memcpy D2D", COPY_DTOD, -1, -1);
    check_copy("Memcpy M2M", COPY_HTOH, -1, -1);
    check_copy("Memcpy S2D", -1, -1, -1);   // shared memory is on either side
    check_copy("Memcpy AM2DX", -1, -1, -1); // no word of its own
}

// ---- processes named by a text -------------------------------------------------------------------

// The events of two ranks with the same ids, mixed by time. Each has its own GPU, beside the files
// of the ranks too.
static void test_mixed_ranks(void **state)
{
    (void)state;
    struct text both = {0};
    const char *paths[3] = {file_of("r0.json"), file_of("r1.json"), file_of("both.json")};
    add(&both, "[");
    for (int rank = 0; rank < 2; rank++) {
        struct text text = {0};
        add(&text, "[");
        for (int i = 0; i < 20; i++) {
            add_call(&text, rank ? "22" : "21", 10 + 100 * i + rank, i + 1);
            add(&text,
                ",{'ph':'X','cat':'kernel','name':'k','pid':%d,'tid':7,'ts':%d,'dur':50,"
                "'args':{'device':%d,'stream':7,'correlation':%d}}",
                rank, 30 + 100 * i + rank, rank, i + 1);
        }
        add(&text, "]");
        file_write(paths[rank], text.bytes);
    }
    for (int i = 0; i < 20; i++) {
        for (int rank = 0; rank < 2; rank++)
            add_call(&both, rank ? "22" : "21", 10 + 100 * i + rank, i + 1);
        for (int rank = 0; rank < 2; rank++)
            add(&both,
                ",{'ph':'X','cat':'kernel','name':'k','pid':%d,'tid':7,'ts':%d,'dur':50,"
                "'args':{'device':%d,'stream':7,'correlation':%d}}",
                rank, 30 + 100 * i + rank, rank, i + 1);
    }
    add(&both, "]");
    file_write(paths[2], both.bytes);
    struct profile *profile = open_files(paths + 2, 1);
    assert_int_equal(profile->work.count, 40);
    assert_no_warning(profile);
    for (uint32_t w = 0; w < 40; w++)
        assert_int_equal(profile->processes[work_process(profile, w)].pid,
                         21 + profile->devices[work_device(profile, w)].ordinal);
    profile_free(profile);
    profile = open_files(paths, 3);
    assert_int_equal(profile->work.count, 40);
    assert_non_null(profile_find_note(profile, "repeated_file"));
    assert_null(profile_find_note(profile, "launches_without_work"));
    profile_free(profile);
}

static void test_text_processes(void **state)
{
    (void)state;
    struct text text = {0};
    add(&text, "{'distributedInfo':{'rank':0,'world_size':2},'traceEvents':["
               "{'ph':'M','name':'process_name','pid':'[TP00] 4711','args':{'name':'python'}}");
    for (int p = 0; p < 2; p++)
        for (int i = 0; i < 8; i++) {
            char pid[20];
            snprintf(pid, sizeof pid, "'[TP0%d] 471%d'", p, p + 1);
            add_call(&text, pid, 100 + 100 * i, i + 1);
            add(&text,
                ",{'ph':'X','cat':'kernel','name':'k','pid':'[TP0%d] %d','tid':7,'ts':%d,"
                "'dur':10,'args':{'stream':7,'correlation':%d}}",
                p, p, 130 + 100 * i, i + 1);
        }
    add(&text, "]}");
    struct profile *profile = open_text(&text);
    assert_int_equal(profile->process_count, 2);
    assert_int_equal(profile->processes[0].pid, 4711);
    assert_int_equal(profile->processes[1].pid, 4712);
    assert_string_equal(profile_text(profile, profile->processes[0].name), "[TP00] python");
    assert_string_equal(profile_text(profile, profile->processes[1].name), "[TP01] 4712");
    assert_int_equal(profile->device_count, 2);
    assert_int_equal(profile->devices[1].gpu_id, 1);
    assert_int_equal(profile->sources[0].rank, UNKNOWN); // of two ranks
    for (uint32_t w = 0; w < profile->work.count; w++)
        assert_int_equal(work_process(profile, w), work_device(profile, w));
    profile_free(profile);
}

// ---- work that lasts past its stream's ------------------------------------------------------------

// 40 kernels of one stream; that with number 3 lasts `length`.
static struct profile *open_stream(double length, bool is_one_launch, bool is_always)
{
    struct text text = {0};
    add(&text, "[");
    for (int i = 0; i < 40; i++) {
        int id = is_one_launch ? 1 : i + 1;
        if (id == i + 1)
            add_call(&text, "1", 10 + 2 * i, id);
        add_kernel(&text, i == 3 ? "last" : "k", 1000 + 100 * i,
                   i == 3 || (is_always && i % 8 == 3) ? length : 90, id);
    }
    add(&text, "]");
    return open_text(&text);
}

static void test_overruns(void **state)
{
    (void)state;
    struct profile *profile = open_stream(90, false, false);
    assert_no_warning(profile);
    profile_free(profile);
    profile = open_stream(2000000, false, false);
    assert_int_equal(profile->work.count, 39);
    assert_int_equal(work_time(profile), 39 * 90000);
    note_of(profile, "work_overrun", 1, "process 1: 1");
    profile_free(profile);
    // Programmatic dependent launch reaches into the next kernel; a graph has branches; a queue may
    // run out of order.
    static const struct {
        double length;
        bool is_one_launch, is_always;
    } twins[] = {{150, false, false}, {1000, true, false}, {700, false, true}};
    for (size_t i = 0; i < 3; i++) {
        profile = open_stream(twins[i].length, twins[i].is_one_launch, twins[i].is_always);
        assert_int_equal(profile->work.count, 40);
        assert_null(profile_find_note(profile, "work_overrun"));
        profile_free(profile);
    }
}

// Migrations of unified memory run within the kernel that needs them; no call launches them.
static void test_migrations(void **state)
{
    (void)state;
    struct text text = {0};
    add(&text, "[");
    add_call(&text, "1", 10, 1);
    add_kernel(&text, "k", 100, 900, 1);
    for (int i = 0; i < 8; i++)
        add_kernel(&text, "migration", 110 + 100 * i, 50, 0);
    add(&text, "]");
    struct profile *profile = open_text(&text);
    assert_int_equal(profile->work.count, 9);
    profile_free(profile);
}

// ---- several files -----------------------------------------------------------------------------

// Writes the launches [from, to) of a rank's run.
static const char *write_rank(const char *name, int pid, int rank, int from, int to)
{
    struct text text = {0};
    char process[20];
    const char *path = file_of(name);
    snprintf(process, sizeof process, "%d", pid);
    add(&text, "{'baseTimeNanoseconds':1000000000000000000,");
    if (rank >= 0)
        add(&text, "'distributedInfo':{'rank':%d,'world_size':2},", rank);
    add(&text, "'traceEvents':[");
    for (int i = from; i < to; i++) {
        add_call(&text, process, 100 + 100 * i + rank, i + 1);
        add_kernel(&text, i % 2 ? "gemm" : "add", 130 + 100 * i + rank, 40.25 + i % 7, i + 1);
    }
    add(&text, "]}");
    file_write(path, text.bytes);
    return path;
}

static void check_files(const char *a, const char *b, uint32_t work, const char *note,
                        const char *words)
{
    const char *paths[] = {a, b};
    struct profile *profile = open_files(paths, 2);
    assert_int_equal(profile->work.count, work);
    if (note)
        assert_non_null(strstr(
            note_of(profile, note,
                    profile_find_note(profile, note) ? profile_find_note(profile, note)->count : 0,
                    words)
                ->text,
            "is left out"));
    else {
        assert_null(profile_find_note(profile, "repeated_file"));
        assert_null(profile_find_note(profile, "overlapping_file"));
    }
    assert_null(profile_find_note(profile, profile->source_count == 1 ? "files_apart" : ""));
    profile_free(profile);
}

static void test_repeated_files(void **state)
{
    (void)state;
    // A copy under another name, also where the names tell two ranks.
    check_files(write_rank("lies_a.json", 5, -1, 0, 20), write_rank("lies_b.json", 5, -1, 0, 20),
                20, "repeated_file", "lies_b.json is left out");
    check_files(write_rank("lies_rank0.json", 5, 1, 0, 20),
                write_rank("lies_rank1.json", 5, 1, 0, 20), 20, "repeated_file",
                "lies_rank1.json is left out");
    // A window within another one, and windows that overlap.
    check_files(write_rank("lies_a.json", 5, -1, 5, 15), write_rank("lies_b.json", 5, -1, 0, 20),
                20, "repeated_file", "lies_a.json is left out");
    check_files(write_rank("lies_a.json", 5, -1, 0, 30), write_rank("lies_b.json", 5, -1, 20, 40),
                30, "overlapping_file", "10 rows of process 5");
    // Twins: other ranks with the same number of a process, other processes, windows one after the
    // other.
    check_files(write_rank("lies_a.json", 5, 0, 0, 20), write_rank("lies_b.json", 5, 1, 0, 20), 40,
                NULL, "");
    check_files(write_rank("lies_a.json", 5, -1, 0, 20), write_rank("lies_b.json", 6, -1, 0, 20),
                40, NULL, "");
    check_files(write_rank("lies_a.json", 5, -1, 0, 20), write_rank("lies_b.json", 5, -1, 20, 40),
                40, NULL, "");
}

// A time of the wall clock that no clock can have does not overflow sums with it.
static void test_absurd_epochs(void **state)
{
    (void)state;
    const char *paths[] = {file_of("lies_a.json"), file_of("lies_b.json")};
    for (int i = 0; i < 2; i++) {
        struct text text = {0};
        add(&text, "{'baseTimeNanoseconds':922337203%d000000000,'traceEvents':[", 6 - i);
        add_launches(&text, "5", 10, 1, 40);
        add(&text, "]}");
        file_write(paths[i], text.bytes);
    }
    struct profile *profile = open_files(paths, 2);
    note_of(profile, "repeated_file", 40, "lies_b.json is left out");
    profile_free(profile);
}

// ---- field cases -------------------------------------------------------------------------------

static struct profile *open_field(const char *name)
{
    char path[4096];
    const char *corpus = getenv("DLPROF_CORPUS"), *paths = path;
    snprintf(path, sizeof path, "%s/field/%s", corpus ? corpus : source_path("/../shared/corpus"),
             name);
    if (access(path, R_OK) != 0) {
        print_message("# skipped: %s is not here\n", path);
        return NULL;
    }
    return open_files(&paths, 1);
}

// Returns calls and time of the kernels of a name.
static int64_t time_of(const struct profile *profile, const char *name, uint32_t *calls)
{
    int64_t sum = 0;
    *calls = 0;
    for (uint32_t w = 0; w < profile->work.count; w++)
        if (strcmp(profile_text(profile, profile->functions[AT(profile->work.function, w)].full),
                   name) == 0) {
            sum += work_duration(profile, w);
            ++*calls;
        }
    return sum;
}

static void test_field_cases(void **state)
{
    (void)state;
    uint32_t calls;
    struct profile *profile = open_field("c02a_zero_ts.json");
    if (!profile)
        skip();
    assert_int_equal(profile->work.count, 15);
    assert_int_equal(AT(profile->work.end, 14) - AT(profile->work.start, 0), 14200125);
    assert_int_equal(work_time(profile), 3001875); // 21.1 %
    note_of(profile, "rows_skipped", 15, "15 of 30 rows of kernel");
    assert_null(profile_find_note(profile, "launches_at_end")); // their work was left out
    profile_free(profile);

    profile = open_field("c32_sglang_folder");
    assert_int_equal(time_of(profile, "gemm_k", &calls), 2600000);
    assert_int_equal(calls, 8);
    assert_int_equal(profile->device_count, 2);
    note_of(profile, "repeated_file", 16, "merged-1759342936.5.trace.json.gz is left out");
    profile_free(profile);

    profile = open_field("c08b_two_documents.json");
    assert_int_equal(profile->work.count, 50);
    for (uint32_t w = 0; w < 50; w++)
        assert_int_not_equal(AT(profile->work.launch, w), ROW_NONE);
    profile_free(profile);

    profile = open_field("c01_rocm_overrun.json.gz");
    assert_int_equal(profile->work.count, 79);
    assert_int_equal(work_time(profile), 79 * 400000);
    note_of(profile, "work_overrun", 1, "1 of 80");
    profile_free(profile);

    profile = open_field("c09_xpu.json");
    int64_t bytes = 0, copies = 0;
    for (uint32_t w = 0; w < profile->work.count; w++)
        if (profile->functions[AT(profile->work.function, w)].kind == WORK_MEMCPY) {
            assert_int_equal(profile->copies[AT(profile->work.shape, w)].copy_kind, COPY_HTOD);
            bytes += AT(profile->work.bytes, w);
            copies++;
        }
    assert_int_equal(copies, 10);
    assert_int_equal(bytes, 10485760);
    profile_free(profile);

    profile = open_field("c07_sglang_merged.trace.json");
    assert_int_equal(profile->process_count, 2);
    assert_int_equal(profile->processes[0].pid, 4711);
    assert_int_equal(profile->processes[1].pid, 4712);
    assert_string_equal(profile_text(profile, profile->processes[0].name),
                        "[TP00] sglang::scheduler_TP0");
    profile_free(profile);
}

static void test_field_refused(void **state)
{
    (void)state;
    char path[4096];
    const char *corpus = getenv("DLPROF_CORPUS"), *paths = path;
    struct error error;
    snprintf(path, sizeof path, "%s/field/c11_legacy_cuda.json",
             corpus ? corpus : source_path("/../shared/corpus"));
    if (access(path, R_OK) != 0) {
        print_message("# skipped: %s is not here\n", path);
        skip();
    }
    struct profile *profile = try_open(&paths, 1, &error);
    assert_null(profile);
    assert_non_null(strstr(error.message, "PyTorch's old profiler"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_far_times),     cmocka_unit_test(test_near_times),
        cmocka_unit_test(test_bad_rows),      cmocka_unit_test(test_wrapped_ids),
        cmocka_unit_test(test_two_traces),    cmocka_unit_test(test_one_trace_twice),
        cmocka_unit_test(test_bytes_behind),  cmocka_unit_test(test_proton),
        cmocka_unit_test(test_other_tools),   cmocka_unit_test(test_unknown_categories),
        cmocka_unit_test(test_copy_names),    cmocka_unit_test(test_text_processes),
        cmocka_unit_test(test_mixed_ranks),   cmocka_unit_test(test_overruns),
        cmocka_unit_test(test_migrations),    cmocka_unit_test(test_repeated_files),
        cmocka_unit_test(test_absurd_epochs), cmocka_unit_test(test_field_cases),
        cmocka_unit_test(test_field_refused),
    };
    return cmocka_run_group_tests_name("kineto_lies", tests, NULL, NULL);
}
