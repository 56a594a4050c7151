// SPDX-License-Identifier: Apache-2.0
// Formats shapes of an op as DLProf prints them:
// `<N:32, C:3, H:32, W:32>; <K:6, C:3, R:3, S:3>; <6>`.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/bytes.h"
#include "base/text/text_buffer.h"
#include "model/markers/markers.h"
#include "model/ops/ops.h"

// DLProf's labels of the dimensions: a group per tensor, a label per dimension.
struct shape_format {
    const char *op;
    const char *parts[SHAPE_PARTS];
};

static const struct shape_format formats[] = {
    {"conv2d", {"N,C,H,W;K,C,R,S", "N,K,P,Q", "SH,SW;PH,PW;DH,DW;G"}},
    {"linear", {"N,K;M,K", "N,M", ""}},
    {"MatMul", {"M,K;K,N", "M,N", ""}},
};

static const struct shape_format *find_format(const char *type)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(formats[i].op, type) == 0)
            return &formats[i];
    return NULL;
}

static size_t label_count(const char *labels)
{
    size_t count = *labels && *labels != ';';
    for (; *labels && *labels != ';'; labels++)
        count += *labels == ',';
    return count;
}

// Returns the labels of the next group; "" after the last one.
static const char *next_labels(const char *labels)
{
    labels += strcspn(labels, ";");
    return *labels ? labels + 1 : labels;
}

// Adds a shape, without labels if their number differs from the rank.
static void add_shape(struct text_buffer *text, const int64_t *dims, size_t rank,
                      const char *labels)
{
    bool is_labelled = label_count(labels) == rank;
    text_buffer_add(text, "%s<", text->length ? "; " : "");
    for (size_t i = 0; i < rank; i++) {
        text_buffer_add(text, "%s", i ? ", " : "");
        if (is_labelled) {
            int length = (int)strcspn(labels, ",;");
            text_buffer_add(text, "%.*s:", length, labels);
            labels += length + (labels[length] == ',');
        }
        text_buffer_add(text, "%lld", (long long)dims[i]);
    }
    text_buffer_add(text, ">");
}

static void add_tensors(struct text_buffer *text, const struct marker *marker, const char *labels)
{
    for (uint32_t i = 0; i < marker->argument_count; i++) {
        const struct marker_argument *argument = &marker->arguments[i];
        if (!argument->is_tensor)
            continue;
        add_shape(text, argument->dims, argument->rank, labels);
        labels = next_labels(labels);
    }
}

const char *op_shape_labelled(const struct marker *marker, const char *labels, struct arena *arena)
{
    struct text_buffer text = {.length = 0};
    add_tensors(&text, marker, labels);
    return text.length ? arena_copy(arena, text.bytes, text.length) : "";
}

static const struct marker_argument *tensor(const struct marker *marker, size_t n)
{
    for (uint32_t i = 0; i < marker->argument_count; i++)
        if (marker->arguments[i].is_tensor && n-- == 0)
            return &marker->arguments[i];
    return NULL;
}

// Parameters of a convolution, if the marker has them.
struct convolution {
    bool has_params;
    int64_t stride[2], padding[2], dilation[2], groups;
};

// Reads one or two whole numbers of a keyword argument: `(2, 2)` or `2`.
static bool read_pair(const struct profile *profile, const struct marker_argument *argument,
                      int64_t out[2])
{
    const char *text = profile_text(profile, argument->value);
    text += strspn(text, "([ ");
    int length = 0;
    long long first, second;
    if (sscanf(text, "%18lld%n", &first, &length) != 1)
        return false;
    text += length;
    text += strspn(text, ", ");
    second = first;
    if (sscanf(text, "%18lld", &second) != 1)
        second = first;
    out[0] = first;
    out[1] = second;
    return true;
}

static struct convolution read_convolution(const struct profile *profile,
                                           const struct marker *marker)
{
    struct convolution found = {false, {1, 1}, {0, 0}, {1, 1}, 1};
    // conv2d(input, weight, bias, stride, padding, dilation, groups): by name or by position.
    static const char *const names[] = {"input",   "weight",   "bias",  "stride",
                                        "padding", "dilation", "groups"};
    for (uint32_t i = 0; i < marker->argument_count; i++) {
        const struct marker_argument *argument = &marker->arguments[i];
        if (argument->is_tensor || argument->value == STRING_NONE)
            continue;
        const char *name = profile_text(profile, argument->name);
        size_t place = *name ? 0 : i;
        for (size_t n = 0; *name && n < 7; n++)
            if (strcmp(name, names[n]) == 0)
                place = n;
        int64_t pair[2], *target = place == 3   ? found.stride
                                   : place == 4 ? found.padding
                                   : place == 5 ? found.dilation
                                                : NULL;
        if (!target && place != 6)
            continue;
        if (!read_pair(profile, argument, pair))
            continue;
        found.has_params = true;
        if (target)
            memcpy(target, pair, sizeof pair);
        else
            found.groups = pair[0];
    }
    return found;
}

static int64_t output_size(int64_t input, int64_t filter, int64_t stride, int64_t padding,
                           int64_t dilation)
{
    enum { MAX_SIZE = 1 << 30 }; // larger sizes are not real
    if (input < 0 || input > MAX_SIZE || filter < 1 || filter > MAX_SIZE || stride < 1 ||
        padding < 0 || padding > MAX_SIZE || dilation < 1 || dilation > MAX_SIZE)
        return 0;
    int64_t span = (filter - 1) * dilation;
    return (input + 2 * padding - span - 1) / stride + 1;
}

static void add_convolution(struct text_buffer *text, const struct profile *profile,
                            const struct marker *marker, enum shape_part part, const char *labels)
{
    const struct marker_argument *input = tensor(marker, 0), *weight = tensor(marker, 1);
    struct convolution c = read_convolution(profile, marker);
    if (part == SHAPE_PARAMETERS) {
        const int64_t *const pairs[] = {c.stride, c.padding, c.dilation};
        for (size_t i = 0; i < 3 && c.has_params; i++, labels = next_labels(labels))
            add_shape(text, pairs[i], 2, labels);
        if (c.has_params)
            add_shape(text, &c.groups, 1, labels);
        return;
    }
    if (!input || !weight || input->rank != 4 || weight->rank != 4)
        return;
    int64_t dims[4] = {input->dims[0], weight->dims[0]};
    for (int i = 0; i < 2; i++)
        dims[2 + i] = output_size(input->dims[2 + i], weight->dims[2 + i], c.stride[i],
                                  c.padding[i], c.dilation[i]);
    add_shape(text, dims, 4, labels);
}

const char *op_shape_text(const struct profile *profile, uint32_t row, enum shape_part part,
                          struct arena *arena)
{
    if (row == ROW_NONE || row >= profile->marker_count)
        return "";
    const struct marker *marker = &profile->markers[row];
    if (marker->kind != MARKER_OP && marker->dialect != DIALECT_MODULE_DICT)
        return "";
    if (marker->shapes[part] != STRING_NONE)
        return profile_text(profile, marker->shapes[part]);
    const char *type = profile_text(profile, marker->type);
    const struct shape_format *format = find_format(type);
    struct text_buffer text = {.length = 0};
    if (part == SHAPE_INPUT) {
        add_tensors(&text, marker, format ? format->parts[part] : "");
    } else if (format && strcmp(type, "conv2d") == 0) {
        // PyTorch's own ranges have sizes but no stride, so the output size is unknown.
        if (marker->dialect == DIALECT_DLPROF)
            add_convolution(&text, profile, marker, part, format->parts[part]);
    } else if (format && part == SHAPE_OUTPUT) {
        const struct marker_argument *a = tensor(marker, 0), *b = tensor(marker, 1);
        if (a && b && a->rank >= 1 && b->rank == 2) {
            int64_t dims[16];
            memcpy(dims, a->dims, a->rank * sizeof *dims);
            dims[a->rank - 1] = strcmp(type, "linear") == 0 ? b->dims[0] : b->dims[1];
            add_shape(&text, dims, a->rank, format->parts[part]);
        }
    }
    return text.length ? arena_copy(arena, text.bytes, text.length) : "";
}

// ---- shapes as numbers, as DLProf stores them --------------------------------------------------

// Reads the next tensor of such a text, `<N:32, C:3>`, from *at, and moves *at after it. Returns
// its rank, or UINT32_MAX if no complete tensor follows.
enum { MAX_DIMS = 64 };
static uint32_t read_shape(const char **at, int64_t dims[MAX_DIMS], struct bytes *labels)
{
    const char *text = strchr(*at, '<'), *end = text ? strchr(text, '>') : NULL;
    uint32_t rank = 0;
    if (!end)
        return UINT32_MAX;
    for (text++; text < end && rank < MAX_DIMS; rank++) {
        const char *next = memchr(text, ',', (size_t)(end - text));
        const char *last = next ? next : end, *colon = memchr(text, ':', (size_t)(last - text));
        if (labels && colon) {
            bytes_text(labels, rank ? "," : "");
            bytes_add(labels, text, (size_t)(colon - text));
        }
        dims[rank] = strtoll(colon ? colon + 1 : text, NULL, 10);
        text = next ? next + 1 : end;
        text += *text == ' ';
    }
    *at = end + 1;
    return rank;
}

static void put_dims(struct bytes *out, const int64_t *dims, size_t rank)
{
    bytes_text(out, out->count ? ",[" : "[[");
    for (size_t i = 0; i < rank; i++) {
        bytes_text(out, i ? "," : "");
        bytes_integer(out, dims[i]);
    }
    bytes_char(out, ']');
}

const char *op_shape_lists(const struct profile *profile, uint32_t row, enum shape_part part,
                           uint32_t *count, struct arena *arena)
{
    struct bytes out = {.arena = arena};
    int64_t dims[MAX_DIMS];
    *count = 0;
    const struct marker *marker = row < profile->marker_count ? &profile->markers[row] : NULL;
    // Inputs are complete in the marker; the text of many inputs is cut off.
    for (uint32_t i = 0; part == SHAPE_INPUT && marker && i < marker->argument_count; i++)
        if (marker->arguments[i].is_tensor) {
            put_dims(&out, marker->arguments[i].dims, marker->arguments[i].rank);
            ++*count;
        }
    const char *text = part == SHAPE_INPUT ? "" : op_shape_text(profile, row, part, arena);
    for (uint32_t rank; (rank = read_shape(&text, dims, NULL)) != UINT32_MAX; ++*count)
        put_dims(&out, dims, rank);
    if (!*count)
        return NULL;
    bytes_text(&out, "]");
    bytes_char(&out, '\0');
    return out.items;
}

const char *op_shape_labels(const struct profile *profile, const struct op *op, uint32_t row,
                            enum shape_part part, struct arena *arena)
{
    struct bytes out = {.arena = arena};
    int64_t dims[MAX_DIMS];
    size_t used = 0; // length without trailing empty groups
    const char *text = op_shape_text(profile, row, part, arena);
    for (size_t group = 0;; group++) {
        bytes_text(&out, group ? ";" : "");
        size_t before = out.count;
        if (read_shape(&text, dims, &out) == UINT32_MAX)
            break;
        used = out.count > before ? out.count : used;
    }
    if (used)
        return arena_copy(arena, out.items, used);
    const struct shape_format *format = find_format(profile_text(profile, op->type));
    return format ? format->parts[part] : "";
}
