// SPDX-License-Identifier: Apache-2.0
// Parses every distinct range text of a profile once, by the first dialect that recognises it.
#include "model/markers/markers.h"

#include <string.h>

#include "base/parse/literal.h"
#include "base/scratch.h"
#include "base/tuples.h"
#include "model/markers/marker_dialects.h"
#include "model/markers/numbered_titles.h"
#include "model/profile/recorded_ops.h"

// The first dialect that recognises a text is used. Dialects with their own NVTX domain are tried
// first (XLA before TensorFlow, which recognises all other ranges of the domain), dialects that
// rely only on the form of a name last. A new dialect needs one line here.
// clang-format off
#define DIALECT_LIST(X) \
    X(library)          \
    X(tensorrt)         \
    X(xla)              \
    X(tensorflow)       \
    X(dlprof)           \
    X(module_dict)      \
    X(step)             \
    X(fsdp)             \
    X(compile)          \
    X(megatron)         \
    X(lightning)        \
    X(serving)          \
    X(emit_nvtx)        \
    X(layer)
// clang-format on

#define DIALECT_DECLARE(name) marker_dialect_parse marker_##name;
DIALECT_LIST(DIALECT_DECLARE)
#define DIALECT_ENTRY(name) marker_##name,
static marker_dialect_parse *const dialects[] = {DIALECT_LIST(DIALECT_ENTRY)};

static const char *find(const char *text, size_t length, const char *needle)
{
    return memmem(text, length, needle, strlen(needle));
}

// ---- what a trace of the PyTorch Profiler records besides sizes ---------------------------------

// The trace's names of element types, without `c10::`, where they differ from PyTorch's names.
static const struct {
    const char *name, *type;
} trace_types[] = {
    {"float", "float32"},
    {"double", "float64"},
    {"Half", "float16"},
    {"BFloat16", "bfloat16"},
    {"long int", "int64"},
    {"long", "int64"},
    {"int", "int32"},
    {"short int", "int16"},
    {"short", "int16"},
    {"signed char", "int8"},
    {"unsigned char", "uint8"},
    {"complex<float>", "complex64"},
    {"complex<double>", "complex128"},
    {"complex<Half>", "complex32"},
    {"Float8_e4m3fn", "float8_e4m3fn"},
    {"Float8_e5m2", "float8_e5m2"},
    {"Float8_e4m3fnuz", "float8_e4m3fnuz"},
    {"Float8_e5m2fnuz", "float8_e5m2fnuz"},
    {"Float4_e2m1fn_x2", "float4_e2m1fn_x2"},
};

static string_id trace_type(const struct marker_text *text, const char *name, size_t length)
{
    static const char prefix[] = "c10::";
    if (length > sizeof prefix - 1 && memcmp(name, prefix, sizeof prefix - 1) == 0) {
        name += sizeof prefix - 1;
        length -= sizeof prefix - 1;
    }
    for (size_t i = 0; i < sizeof trace_types / sizeof *trace_types; i++)
        if (strlen(trace_types[i].name) == length && memcmp(trace_types[i].name, name, length) == 0)
            return strings_intern_text(text->strings, trace_types[i].type);
    return strings_intern(text->strings, name, length);
}

// Reads `, types = ["float", "Scalar"]` or `, values = ["", "2"]`: one item for each argument in
// the sizes.
static void read_recorded(const struct marker_text *text, const char *title, struct marker *marker)
{
    const char *found = find(text->sizes, text->sizes_length, title);
    struct literal_reader reader;
    if (!found)
        return;
    found += strlen(title);
    literal_open(&reader, found, text->sizes_length - (size_t)(found - text->sizes));
    if (literal_next(&reader) != LITERAL_LIST)
        return;
    bool is_type = title[2] == 't';
    enum literal_kind kind;
    for (uint32_t i = 0; i < marker->argument_count; i++) {
        kind = literal_next(&reader);
        if (kind == LITERAL_CLOSE || kind == LITERAL_ERROR || kind == LITERAL_END)
            return;
        struct marker_argument *argument = &marker->arguments[i];
        if (kind == LITERAL_STRING && reader.length && is_type && argument->is_tensor)
            argument->dtype = trace_type(text, reader.text, reader.length);
        else if (kind == LITERAL_STRING && reader.length && is_type)
            argument->type = marker_intern(text, reader.text, reader.length);
        else if (kind == LITERAL_STRING && reader.length)
            argument->value = marker_intern(text, reader.text, reader.length);
        if (!literal_skip(&reader, kind))
            return;
    }
}

static void marker_parse_split(const struct marker_text *text, struct marker *marker)
{
    string_id id = strings_intern(text->strings, text->text, text->length);
    *marker = (struct marker){.kind = MARKER_PLAIN, .text = id, .title = id, .number = UNKNOWN};
    if (!text->length) // the range has no text in the file
        marker->title = strings_intern_text(text->strings, "(no text)");
    for (size_t i = 0; i < sizeof dialects / sizeof *dialects; i++)
        if (dialects[i](text, marker))
            break;
    if (text->sizes && !marker->argument_count &&
        marker_read_sizes(text, text->sizes, text->sizes_length, marker)) {
        read_recorded(text, TYPES_TITLE, marker);
        read_recorded(text, VALUES_TITLE, marker);
    }
}

// ---- texts as written by PyTorch ---------------------------------------------------------------
// Their form is `name, seq = N, op_id = M, sizes = [...], input_op_ids = [...]`.

void marker_parse(struct strings *strings, struct arena *arena, const char *domain, string_id id,
                  struct marker *marker)
{
    const char *text = strings_text(strings, id);
    size_t length = strings_length(strings, id);
    struct marker_text split = {.strings = strings,
                                .arena = arena,
                                .domain = domain ? domain : "",
                                .text = text,
                                .length = length};
    static const char *const suffixes[] = {", seq = ", ", op_id = ", ", sizes = "};
    for (size_t i = 0; i < 3 && length && text[0] != '{'; i++) {
        const char *found = find(text, length, suffixes[i]);
        if (!found)
            continue;
        split.has_seq |= i == 0;
        split.has_op_id |= i == 1;
        if (i == 2) {
            split.sizes = found + strlen(suffixes[i]);
            split.sizes_length = (size_t)(text + length - split.sizes);
        }
        if ((size_t)(found - text) < split.length)
            split.length = (size_t)(found - text);
    }
    marker_parse_split(&split, marker);
    marker->text = id;
}

// ---- all distinct texts of a profile ------------------------------------------------------------

struct marker_key {
    string_id name;
    string_id sizes; // STRING_NONE if the text cannot be an op
    uint32_t domain;
    enum range_said said;
    bool has_seq, has_op_id;
};

// The markers of a profile by their key.
struct marker_table {
    struct tuples keys;
    struct marker *markers; // the recorded ones, then one per row of `keys`
    uint32_t recorded_count;
    size_t capacity;
};

// Returns the length of the sizes. The text after `sizes = ` may also contain `input_op_ids`, which
// differ in every call and are left out.
static size_t sizes_length(const char *sizes, size_t length)
{
    const char *rest = find(sizes, length, ", input_op_ids");
    return rest ? (size_t)(rest - sizes) : length;
}

static string_id cut_sizes(struct strings *strings, string_id sizes)
{
    const char *text = strings_text(strings, sizes);
    size_t length = strings_length(strings, sizes);
    return strings_intern(strings, text, sizes_length(text, length));
}

static void marker_add(struct marker_table *table, struct profile *profile,
                       const struct marker_key *key, size_t count)
{
    struct strings *strings = profile->strings;
    string_id domain = key->domain < profile->domain_count ? profile->domains[key->domain].name
                                                           : (string_id)STRING_NONE;
    struct marker_text text = {.strings = strings,
                               .arena = profile->arena,
                               .domain = strings_text(strings, domain),
                               .text = strings_text(strings, key->name),
                               .length = strings_length(strings, key->name),
                               .has_seq = key->has_seq,
                               .has_op_id = key->has_op_id,
                               .said = key->said};
    if (key->sizes != STRING_NONE) {
        text.sizes = strings_text(strings, key->sizes);
        text.sizes_length = strings_length(strings, key->sizes);
    }
    struct marker marker;
    marker_parse_split(&text, &marker);
    marker.text = key->name;
    ARENA_PUSH(profile->arena, table->markers, count, table->capacity) = marker;
}

// Returns the row of a key's marker, parsing it if it is new.
static uint32_t marker_row(struct marker_table *table, struct profile *profile,
                           const struct marker_key *key)
{
    uint32_t known = table->keys.count;
    int64_t numbers[2] = {
        (int64_t)((uint64_t)key->name << 32 | key->sizes),
        (int64_t)key->domain << 4 | (int64_t)key->said << 2 | key->has_seq << 1 | key->has_op_id,
    };
    uint32_t row = tuples_put(&table->keys, numbers);
    if (row == known)
        marker_add(table, profile, key, table->recorded_count + row);
    return table->recorded_count + row;
}

static void parse_all(void *context, struct arena *scratch)
{
    struct profile *profile = context;
    struct ranges *ranges = &profile->ranges;
    struct marker_table table = {.markers = NULL};
    if (profile->told) {
        table.recorded_count = profile->told->marker_count;
        table.markers = profile->markers;
        table.capacity = table.recorded_count;
    }
    tuples_open(&table.keys, profile->arena, 2);
    // Result of cut_sizes() per sizes text, computed once, since many labels share one text.
    size_t cut_count = strings_count(profile->strings);
    string_id *cut = ARENA_ARRAY(scratch, string_id, cut_count);
    for (uint32_t i = 0; i < ranges->label_count; i++)
        if (!profile->told || !thread_has_recorded_ops(profile, ranges->labels[i].thread))
            ranges->labels[i].marker = ROW_NONE;
    // In order of the ranges, so that an enclosing range is parsed before those within it.
    for (uint32_t i = 0; i < ranges->count; i++) {
        struct range_label *label = &ranges->labels[AT(ranges->label, i)];
        if (label->marker != ROW_NONE) {
            table.markers[label->marker].range_count++;
            continue;
        }
        struct marker_key key = {.name = label->name,
                                 .domain = label->domain,
                                 .said = label->said,
                                 .has_seq = label->has_seq,
                                 .has_op_id = label->has_op_id};
        if (label->sizes && label->sizes < cut_count) {
            if (!cut[label->sizes])
                cut[label->sizes] = cut_sizes(profile->strings, label->sizes);
            key.sizes = cut[label->sizes];
        }
        label->marker = marker_row(&table, profile, &key);
        table.markers[label->marker].range_count++;
    }
    profile->markers = table.markers;
    profile->marker_count = table.recorded_count + table.keys.count;
    numbered_titles_find(profile, table.recorded_count, scratch);
    if (!profile->config.is_told)
        profile->config = (struct model_config){.pin_memory = 1};
    for (uint32_t i = 0; i < profile->marker_count; i++) {
        const struct marker *marker = &profile->markers[i];
        if (marker->kind == MARKER_CONFIG)
            marker_read_config(strings_text(profile->strings, marker->text),
                               strings_length(profile->strings, marker->text), &profile->config);
    }
}

void markers_parse(struct profile *profile)
{
    scratch_run(profile->arena, parse_all, profile);
}

bool markers_have_shapes(const struct profile *profile)
{
    for (uint32_t m = 0; m < profile->marker_count; m++)
        if (profile->markers[m].argument_count > 0)
            return true;
    return false;
}
