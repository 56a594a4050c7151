// SPDX-License-Identifier: Apache-2.0
// Roles, names and nesting of operators in ranges.
#include "analysis/report/operators.h"

#include <string.h>

#include "base/hash.h"
#include "base/text/bytes.h"
#include "model/markers/markers.h"

// ---- roles of ranges ----------------------------------------------------------------------------

// Wrappers of a whole model or of a step, which the plugin does not list as operators.
static bool is_wrapper(const char *name)
{
    return strcmp(name, "DataParallel.forward") == 0 ||
           strcmp(name, "DistributedDataParallel.forward") == 0 ||
           strncmp(name, "Optimizer.", 10) == 0;
}

static enum operator_role role_of_marker(const struct marker *marker)
{
    switch (marker->kind) {
    case MARKER_OP:
    case MARKER_BACKWARD:
    case MARKER_ENGINE:
    case MARKER_COMPILED:
        return RANGE_ROLE_OPERATOR;
    case MARKER_LAYER:
        return RANGE_ROLE_MODULE;
    case MARKER_STEP:
    case MARKER_OPTIMIZER:
    case MARKER_DATALOADER:
        return RANGE_ROLE_PLACE;
    default:
        return RANGE_ROLE_NONE;
    }
}

// Returns true for markers of Python code, which some versions of PyTorch (those without range
// scopes) record as ops.
static bool is_python_marker(const struct marker *marker)
{
    return marker->dialect == DIALECT_DLPROF || marker->dialect == DIALECT_LAYER;
}

enum operator_role operator_role(const struct profile *profile, const struct range_label *label)
{
    if (label->ending == RANGE_CROSS_THREAD || label->marker >= profile->marker_count)
        return RANGE_ROLE_NONE;
    const struct marker *marker = &profile->markers[label->marker];
    enum operator_role of_marker = role_of_marker(marker);
    switch (label->said == SAID_OP && is_python_marker(marker) ? SAID_ANNOTATION : label->said) {
    case SAID_OP:
        return of_marker == RANGE_ROLE_PLACE || is_wrapper(profile_text(profile, label->name))
                   ? RANGE_ROLE_PLACE
                   : RANGE_ROLE_OPERATOR;
    case SAID_MODULE:
        return RANGE_ROLE_MODULE;
    case SAID_ANNOTATION:
        return of_marker == RANGE_ROLE_OPERATOR ? RANGE_ROLE_NONE : of_marker;
    default:
        return of_marker;
    }
}

// ---- alike operators ----------------------------------------------------------------------------

string_id operator_name(const struct profile *profile, const struct range_label *label)
{
    return label->said == SAID_OP ? label->name : profile->markers[label->marker].title;
}

// Returns the first list in a text, formatted like Python: a space after each comma and no other.
static const char *first_list(const char *text, struct arena *arena)
{
    struct bytes list = {.arena = arena};
    int depth = 0;
    for (; *text; text++) {
        if (strchr(" \t\r\n", *text))
            continue;
        bytes_char(&list, *text);
        if (*text == ',')
            bytes_char(&list, ' ');
        depth += *text == '[' ? 1 : *text == ']' ? -1 : 0;
        if (depth <= 0)
            break;
    }
    bytes_char(&list, '\0');
    return list.items;
}

static const char *shapes_of_arguments(const struct marker *marker, struct arena *arena)
{
    struct bytes text = {.arena = arena};
    bytes_text(&text, "[");
    for (uint32_t i = 0; i < marker->argument_count; i++) {
        const struct marker_argument *argument = &marker->arguments[i];
        bytes_text(&text, i ? ", [" : "[");
        for (unsigned d = 0; argument->is_tensor && d < argument->rank; d++) {
            bytes_text(&text, d ? ", " : "");
            bytes_integer(&text, argument->dims[d]);
        }
        bytes_text(&text, "]");
    }
    bytes_add(&text, "]", 2);
    return text.items;
}

const char *operator_shapes(const struct profile *profile, const struct range_label *label,
                            struct arena *arena)
{
    if (label->sizes != STRING_NONE)
        return first_list(profile_text(profile, label->sizes), arena);
    const struct marker *marker = &profile->markers[label->marker];
    return marker->argument_count ? shapes_of_arguments(marker, arena) : "[]";
}

static uint32_t first_frame(const struct frames *frames, uint32_t chain)
{
    uint32_t low = 0, high = frames->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (frames->chain[middle] < chain)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Joins "/app/train.py:12" and "step" to "/app/train.py(12): step".
static void add_frame(const struct profile *profile, uint32_t row, struct bytes *text)
{
    const char *module = profile_text(profile, profile->frames.module[row]);
    const char *colon = strrchr(module, ':');
    bytes_text(text, text->count ? ";" : "");
    if (colon) {
        bytes_add(text, module, (size_t)(colon - module));
        bytes_text(text, "(");
        bytes_text(text, colon + 1);
        bytes_text(text, "): ");
    }
    bytes_text(text, profile_text(profile, profile->frames.symbol[row]));
}

static void add_caller(const struct profile *profile, uint32_t row, struct bytes *text)
{
    const char *module = profile_text(profile, profile->frames.module[row]);
    const char *slash = strrchr(module, '/');
    bytes_text(text, text->count ? " < " : "");
    bytes_text(text, slash ? slash + 1 : module);
    bytes_text(text, *module ? " " : "");
    bytes_text(text, profile_text(profile, profile->frames.symbol[row]));
}

// Joins the frames of a chain. With `judge`, frames of libraries are skipped.
static const char *frames_text(const struct profile *profile, const struct range_label *label,
                               struct frame_classifier *judge,
                               void (*add)(const struct profile *profile, uint32_t row,
                                           struct bytes *text),
                               struct arena *arena)
{
    const struct frames *frames = &profile->frames;
    struct bytes text = {.arena = arena};
    if (!label->chain)
        return NULL;
    for (uint32_t row = first_frame(frames, label->chain);
         row < frames->count && frames->chain[row] == label->chain; row++)
        if (!judge || !frame_is_library(judge, frames->symbol[row], frames->module[row]))
            add(profile, row, &text);
    if (!text.count)
        return NULL;
    bytes_char(&text, '\0');
    return text.items;
}

const char *operator_stack(const struct profile *profile, const struct range_label *label,
                           struct arena *arena)
{
    return frames_text(profile, label, NULL, add_frame, arena);
}

const char *operator_callers(const struct profile *profile, const struct range_label *label,
                             struct frame_classifier *judge, struct arena *arena)
{
    const char *user_frames = frames_text(profile, label, judge, add_caller, arena);
    return user_frames ? user_frames : frames_text(profile, label, NULL, add_caller, arena);
}

// Hashes of the same texts, cheap enough to compute for each piece of GPU work.

// Hashes the text that operator_shapes() returns, without making it.
static uint64_t shapes_hash(const struct profile *profile, const struct range_label *label)
{
    const struct marker *marker = &profile->markers[label->marker];
    const char *text = label->sizes != STRING_NONE ? profile_text(profile, label->sizes) : "[]";
    uint64_t hash = HASH_SEED;
    int depth = 0;
    for (; *text; text++) {
        if (strchr(" \t\r\n", *text))
            continue;
        hash = hash_number(hash, (unsigned char)*text);
        depth += *text == '[' ? 1 : *text == ']' ? -1 : 0;
        if (depth <= 0)
            break;
    }
    for (uint32_t i = 0; label->sizes == STRING_NONE && i < marker->argument_count; i++) {
        const struct marker_argument *argument = &marker->arguments[i];
        unsigned rank = argument->is_tensor ? argument->rank : 0;
        hash = hash_number(hash, rank);
        for (unsigned d = 0; d < rank; d++)
            hash = hash_number(hash, (uint64_t)argument->dims[d]);
    }
    return hash;
}

// Hashes the frames that operator_stack() returns as a text.
static uint64_t stack_hash(const struct profile *profile, const struct range_label *label)
{
    const struct frames *frames = &profile->frames;
    uint64_t hash = HASH_SEED;
    for (uint32_t row = label->chain ? first_frame(frames, label->chain) : frames->count;
         row < frames->count && frames->chain[row] == label->chain; row++) {
        hash = hash_text(hash, profile_text(profile, frames->module[row]));
        hash = hash_text(hash_number(hash, ' '), profile_text(profile, frames->symbol[row]));
    }
    return hash;
}

uint64_t operator_hash(const struct profile *profile, const struct range_label *label,
                       enum operator_key key)
{
    return key == OPERATOR_BY_SHAPE   ? shapes_hash(profile, label)
           : key == OPERATOR_BY_STACK ? stack_hash(profile, label)
                                      : 0;
}

bool operators_alike(const struct profile *profile, uint32_t label, uint32_t other,
                     enum operator_key key)
{
    const struct range_label *a = &profile->ranges.labels[label];
    const struct range_label *b = &profile->ranges.labels[other];
    if (label == other)
        return true;
    return operator_name(profile, a) == operator_name(profile, b) &&
           operator_hash(profile, a, key) == operator_hash(profile, b, key);
}

uint32_t operator_find_alike(const struct profile *from, const struct profile *to, uint32_t label,
                             enum operator_key key)
{
    const struct range_label *target = &from->ranges.labels[label];
    string_id name = strings_find(to->strings, profile_text(from, operator_name(from, target)));
    uint64_t hash = operator_hash(from, target, key);
    for (uint32_t i = 0; name != STRING_NONE && i < to->ranges.label_count; i++) {
        const struct range_label *other = &to->ranges.labels[i];
        if (operator_role(to, other) == RANGE_ROLE_OPERATOR && operator_name(to, other) == name &&
            operator_hash(to, other, key) == hash)
            return i;
    }
    return ROW_NONE;
}

// ---- enclosing operators ------------------------------------------------------------------------

static enum operator_role role_of_range(const struct profile *profile, uint32_t range)
{
    return operator_role(profile, range_label(&profile->ranges, range));
}

// Returns the range itself or the innermost enclosing one that has a role, or ROW_NONE.
static uint32_t nearest_with_role(const struct profile *profile, uint32_t range)
{
    while (range != ROW_NONE && role_of_range(profile, range) == RANGE_ROLE_NONE)
        range = AT(profile->ranges.parent, range);
    return range;
}

static bool names_equal(const struct profile *profile, uint32_t range, uint32_t other)
{
    const struct ranges *ranges = &profile->ranges;
    return operator_name(profile, range_label(ranges, range)) ==
           operator_name(profile, range_label(ranges, other));
}

// Returns the first range in [row, end) that begins at or after `time`. The ranges are of one
// thread.
static uint32_t first_beginning_at(const struct ranges *ranges, uint32_t row, uint32_t end,
                                   int64_t time)
{
    while (row < end) {
        uint32_t middle = row + (end - row) / 2;
        if (AT(ranges->start, middle) < time)
            row = middle + 1;
        else
            end = middle;
    }
    return row;
}

// Returns true if `inner` is the only direct child of `outer`, not counting ranges without a role.
static bool is_only_child(const struct profile *profile, uint32_t outer, uint32_t inner)
{
    const struct ranges *ranges = &profile->ranges;
    const struct thread *thread = &profile->threads[range_thread(ranges, outer)];
    int64_t end = AT(ranges->end, outer);
    for (uint32_t row = outer + 1; row < thread->end_range && AT(ranges->start, row) < end; row++) {
        if (row == inner) { // ranges inside `inner` are not direct children
            row =
                first_beginning_at(ranges, row + 1, thread->end_range, AT(ranges->end, inner)) - 1;
            continue;
        }
        if (role_of_range(profile, row) == RANGE_ROLE_NONE)
            continue;
        if (nearest_with_role(profile, AT(ranges->parent, row)) == outer)
            return false;
    }
    return true;
}

uint32_t operator_enclosing(const struct profile *profile, uint32_t range)
{
    if (!HAS(profile->ranges.parent))
        return ROW_NONE;
    while (range != ROW_NONE && role_of_range(profile, range) != RANGE_ROLE_OPERATOR)
        range = AT(profile->ranges.parent, range);
    while (range != ROW_NONE) {
        uint32_t outer = nearest_with_role(profile, AT(profile->ranges.parent, range));
        bool is_same_call =
            outer != ROW_NONE && role_of_range(profile, outer) == RANGE_ROLE_OPERATOR &&
            names_equal(profile, outer, range) && is_only_child(profile, outer, range);
        if (!is_same_call)
            break;
        range = outer;
    }
    return range;
}

uint32_t operator_of_call(const struct profile *profile, uint32_t call)
{
    return call != ROW_NONE && HAS(profile->api.range)
               ? operator_enclosing(profile, AT(profile->api.range, call))
               : ROW_NONE;
}

uint32_t operator_of_work(const struct profile *profile, uint32_t work)
{
    return operator_enclosing(profile, work_range(profile, work));
}

enum { MAX_CHILDREN = 2 }; // counts of children are limited to this

uint32_t *operator_owners(const struct profile *profile, struct arena *arena)
{
    const struct ranges *ranges = &profile->ranges;
    size_t range_count = (size_t)ranges->count + 1, labels = (size_t)ranges->label_count + 1;
    uint32_t *owner = ARENA_ARRAY(arena, uint32_t, range_count);
    uint32_t *with_role = ARENA_ARRAY(arena, uint32_t, range_count);
    uint8_t *child_count = ARENA_ARRAY(arena, uint8_t, range_count);
    uint8_t *roles = ARENA_ARRAY(arena, uint8_t, labels);
    for (uint32_t i = 0; i < ranges->label_count; i++)
        roles[i] = (uint8_t)operator_role(profile, &ranges->labels[i]);
    // A range comes after the ranges that enclose it.
    for (uint32_t r = 0; r < ranges->count; r++) {
        uint32_t parent = AT(ranges->parent, r);
        uint32_t outer = parent == ROW_NONE ? ROW_NONE : with_role[parent];
        with_role[r] = roles[AT(ranges->label, r)] == RANGE_ROLE_NONE ? outer : r;
        if (with_role[r] == r && outer != ROW_NONE && child_count[outer] < MAX_CHILDREN)
            child_count[outer]++;
    }
    for (uint32_t r = 0; r < ranges->count; r++) {
        uint32_t parent = AT(ranges->parent, r);
        uint32_t outer = parent == ROW_NONE ? ROW_NONE : with_role[parent];
        bool is_same_call = with_role[r] == r && outer != ROW_NONE && child_count[outer] == 1 &&
                            roles[AT(ranges->label, r)] == RANGE_ROLE_OPERATOR &&
                            roles[AT(ranges->label, outer)] == RANGE_ROLE_OPERATOR &&
                            names_equal(profile, outer, r);
        owner[r] = with_role[r] == r && !is_same_call ? r
                   : outer == ROW_NONE                ? ROW_NONE
                                                      : owner[outer];
    }
    ARENA_RELEASE(arena, with_role, range_count);
    ARENA_RELEASE(arena, child_count, range_count);
    return owner;
}
