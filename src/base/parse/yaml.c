// SPDX-License-Identifier: Apache-2.0
// Builds a tree of nodes from libyaml's events, with limits on size, depth and number of nodes.
// Aliases, anchors, tags and duplicate keys are refused.
#include "base/parse/yaml.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <yaml.h>

enum {
    MAX_BYTES = 1000000,
    MAX_DEPTH = 20,
    MAX_NODES = 100000,
};

// An open sequence or mapping. Its items move when the array grows, so an open child is identified
// as the last item of the level above.
struct yaml_level {
    enum yaml_kind kind;
    struct yaml_node *items;
    size_t count, capacity;
    const char *key; // a key whose value has not been read yet
    int key_line, key_column;
};

struct yaml_reader {
    struct arena *arena;
    yaml_parser_t parser;
    const char *file;
    const char *text;
    size_t length;
    struct yaml_level levels[MAX_DEPTH + 1]; // the only item of levels[0] is the root
    int depth;
    size_t node_count;
    const struct yaml_node *root;
};

static bool fail_at(const struct yaml_reader *reader, yaml_mark_t mark, struct error *error,
                    const char *why)
{
    return error_set(error, ERROR_USAGE, "%s:%zu:%zu: %s", reader->file, mark.line + 1,
                     mark.column + 1, why);
}

static bool fail_parser(const struct yaml_reader *reader, struct error *error)
{
    const yaml_parser_t *parser = &reader->parser;
    if (parser->error == YAML_MEMORY_ERROR)
        return error_set(error, ERROR_MEMORY, "%s: out of memory", reader->file);
    yaml_mark_t mark = parser->problem_mark;
    if (parser->error == YAML_READER_ERROR) { // has no mark, only an offset
        mark = (yaml_mark_t){0};
        for (size_t i = 0; i < parser->problem_offset && i < reader->length; i++) {
            mark.column++;
            if (reader->text[i] == '\n') {
                mark.line++;
                mark.column = 0;
            }
        }
    }
    return fail_at(reader, mark, error, parser->problem ? parser->problem : "not YAML");
}

// Adds a node to the innermost open level. Returns NULL on failure.
static struct yaml_node *node_add(struct yaml_reader *reader, enum yaml_kind kind, yaml_mark_t mark,
                                  struct error *error)
{
    struct yaml_level *level = &reader->levels[reader->depth];
    if (++reader->node_count > MAX_NODES) {
        fail_at(reader, mark, error, "too many values");
        return NULL;
    }
    ARENA_PUSH(reader->arena, level->items, level->count, level->capacity) = (struct yaml_node){
        .kind = kind,
        .line = (int)mark.line + 1,
        .column = (int)mark.column + 1,
        .text = "",
        .key = level->key,
        .key_line = level->key_line,
        .key_column = level->key_column,
        .file = reader->file,
    };
    level->key = NULL;
    return &level->items[level->count - 1];
}

static bool read_scalar(struct yaml_reader *reader, const yaml_event_t *event, struct error *error)
{
    const char *text = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    if (memchr(text, '\0', length))
        return fail_at(reader, event->start_mark, error, "a NUL character in a text");
    struct yaml_level *level = &reader->levels[reader->depth];
    if (level->kind == YAML_MAPPING && !level->key) {
        level->key = arena_copy(reader->arena, text, length);
        level->key_line = (int)event->start_mark.line + 1;
        level->key_column = (int)event->start_mark.column + 1;
        return true;
    }
    struct yaml_node *node = node_add(reader, YAML_SCALAR, event->start_mark, error);
    if (node)
        node->text = arena_copy(reader->arena, text, length);
    return node != NULL;
}

static bool open_level(struct yaml_reader *reader, const yaml_event_t *event, enum yaml_kind kind,
                       struct error *error)
{
    const struct yaml_level *level = &reader->levels[reader->depth];
    if (level->kind == YAML_MAPPING && !level->key)
        return fail_at(reader, event->start_mark, error, "a key must be a text");
    if (reader->depth == MAX_DEPTH)
        return fail_at(reader, event->start_mark, error, "nested too deeply");
    if (!node_add(reader, kind, event->start_mark, error))
        return false;
    reader->levels[++reader->depth] = (struct yaml_level){.kind = kind};
    return true;
}

static int compare_keys(const void *a, const void *b)
{
    const struct yaml_node *left = *(const struct yaml_node *const *)a;
    const struct yaml_node *right = *(const struct yaml_node *const *)b;
    int order = strcmp(left->key, right->key);
    return order ? order : left < right ? -1 : left > right;
}

static bool check_keys(struct yaml_reader *reader, const struct yaml_level *level,
                       struct error *error)
{
    if (level->kind != YAML_MAPPING || level->count < 2)
        return true;
    const struct yaml_node **sorted =
        ARENA_ARRAY(reader->arena, const struct yaml_node *, level->count);
    for (size_t i = 0; i < level->count; i++)
        sorted[i] = &level->items[i];
    qsort(sorted, level->count, sizeof *sorted, compare_keys);
    for (size_t i = 1; i < level->count; i++) {
        const struct yaml_node *node = sorted[i];
        if (strcmp(sorted[i - 1]->key, node->key) == 0)
            return error_set(error, ERROR_USAGE, "%s:%d:%d: key \"%.100s\" stands twice (line %d)",
                             node->file, node->key_line, node->key_column, node->key,
                             sorted[i - 1]->key_line);
    }
    return true;
}

static bool close_level(struct yaml_reader *reader, struct error *error)
{
    const struct yaml_level *level = &reader->levels[reader->depth];
    if (!check_keys(reader, level, error))
        return false;
    struct yaml_level *outer = &reader->levels[--reader->depth];
    struct yaml_node *node = &outer->items[outer->count - 1];
    node->children = level->items;
    node->child_count = level->count;
    return true;
}

static const char *refusal_reason(const yaml_event_t *event)
{
    const yaml_char_t *anchor = NULL, *tag = NULL;
    if (event->type == YAML_ALIAS_EVENT)
        return "aliases are not allowed";
    if (event->type == YAML_SCALAR_EVENT) {
        anchor = event->data.scalar.anchor;
        tag = event->data.scalar.tag;
    } else if (event->type == YAML_SEQUENCE_START_EVENT) {
        anchor = event->data.sequence_start.anchor;
        tag = event->data.sequence_start.tag;
    } else if (event->type == YAML_MAPPING_START_EVENT) {
        anchor = event->data.mapping_start.anchor;
        tag = event->data.mapping_start.tag;
    }
    return anchor ? "anchors are not allowed" : tag ? "tags are not allowed" : NULL;
}

static bool read_event(struct yaml_reader *reader, const yaml_event_t *event, struct error *error)
{
    const char *why = refusal_reason(event);
    if (why)
        return fail_at(reader, event->start_mark, error, why);
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (reader->levels[0].count)
            return fail_at(reader, event->start_mark, error, "a second document");
        return true;
    case YAML_SCALAR_EVENT:
        return read_scalar(reader, event, error);
    case YAML_SEQUENCE_START_EVENT:
        return open_level(reader, event, YAML_SEQUENCE, error);
    case YAML_MAPPING_START_EVENT:
        return open_level(reader, event, YAML_MAPPING, error);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return close_level(reader, error);
    default:
        return true;
    }
}

struct yaml_parse_run {
    struct yaml_reader *reader;
    yaml_event_t event; // kept here so that it is freed if an allocation fails
};

static bool parse_body(void *context, struct error *error)
{
    struct yaml_parse_run *parse = context;
    struct yaml_reader *reader = parse->reader;
    reader->file = arena_text(reader->arena, reader->file);
    for (bool ended = false; !ended;) {
        if (!yaml_parser_parse(&reader->parser, &parse->event))
            return fail_parser(reader, error);
        ended = parse->event.type == YAML_STREAM_END_EVENT;
        if (!read_event(reader, &parse->event, error))
            return false;
        yaml_event_delete(&parse->event);
    }
    const struct yaml_level *top = &reader->levels[0];
    bool is_empty = top->count == 0 || (top->items[0].kind == YAML_SCALAR && !*top->items[0].text);
    if (is_empty) {
        struct yaml_node *root = ARENA_NEW(reader->arena, struct yaml_node);
        *root = (struct yaml_node){YAML_MAPPING, 1, 1, "", NULL, 0, 0, 0, NULL, reader->file};
        reader->root = root;
    } else {
        reader->root = top->items;
    }
    return true;
}

const struct yaml_node *yaml_parse(struct arena *arena, const char *file, const char *text,
                                   size_t length, struct error *error)
{
    if (length > MAX_BYTES) {
        error_set(error, ERROR_USAGE, "%s: larger than %d bytes", file, MAX_BYTES);
        return NULL;
    }
    struct yaml_reader reader = {.arena = arena, .file = file, .text = text, .length = length};
    reader.levels[0].kind = YAML_SEQUENCE;
    if (!yaml_parser_initialize(&reader.parser)) {
        error_set(error, ERROR_MEMORY, "%s: out of memory", file);
        return NULL;
    }
    yaml_parser_set_encoding(&reader.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&reader.parser, (const unsigned char *)text, length);
    struct yaml_parse_run parse = {.reader = &reader};
    bool parsed = arena_run(arena, parse_body, &parse, error);
    yaml_event_delete(&parse.event);
    yaml_parser_delete(&reader.parser);
    return parsed ? reader.root : NULL;
}

// Reads at most `size` bytes. Returns false with errno set on failure.
static bool read_all(const char *path, char *bytes, size_t size, size_t *length)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t got = 1;
    *length = 0;
    while (got != 0 && *length < size) {
        got = read(fd, bytes + *length, size - *length);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            break;
        *length += (size_t)got;
    }
    int why = errno;
    close(fd);
    errno = why;
    return got >= 0;
}

const struct yaml_node *yaml_read(struct arena *arena, const char *path, struct error *error)
{
    size_t size = MAX_BYTES + 1, length; // one more byte than allowed, to detect files that are
                                         // too large
    char *bytes = malloc(size);
    if (!bytes) {
        error_set(error, ERROR_MEMORY, "%s: out of memory", path);
        return NULL;
    }
    const struct yaml_node *root = NULL;
    if (read_all(path, bytes, size, &length))
        root = yaml_parse(arena, path, bytes, length, error);
    else
        error_set(error, ERROR_IO, "%s: %s", path, strerror(errno));
    free(bytes);
    return root;
}

const struct yaml_node *yaml_get(const struct yaml_node *mapping, const char *key)
{
    if (!mapping || mapping->kind != YAML_MAPPING)
        return NULL;
    for (size_t i = 0; i < mapping->child_count; i++) {
        if (strcmp(mapping->children[i].key, key) == 0)
            return &mapping->children[i];
    }
    return NULL;
}

bool yaml_fail(const struct yaml_node *node, struct error *error, const char *format, ...)
{
    char why[1000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    return error_set(error, ERROR_USAGE, "%s:%d:%d: %s", node->file, node->line, node->column, why);
}

bool yaml_fail_for(const struct yaml_node *node, struct error *error, const struct error *why)
{
    return error_set(error, why->kind, "%s:%d:%d: %.1500s", node->file, node->line, node->column,
                     why->message);
}

bool yaml_number(const struct yaml_node *node, double *value, struct error *error)
{
    if (node->kind != YAML_SCALAR)
        return yaml_fail(node, error, "a number expected");
    const char *text = node->text;
    // strtod() alone would accept " 1", "0x1" and "nan".
    bool is_decimal = *text && strspn(text, "0123456789.+-eE") == strlen(text);
    char *end;
    double number = is_decimal ? strtod(text, &end) : 0;
    if (!is_decimal || end == text || *end || !isfinite(number))
        return yaml_fail(node, error, "a number expected, not \"%.100s\"", text);
    *value = number;
    return true;
}

static bool is_known(const char *key, const char *const *keys)
{
    for (; *keys; keys++) {
        if (strcmp(key, *keys) == 0)
            return true;
    }
    return false;
}

bool yaml_only(const struct yaml_node *mapping, const char *const *keys, struct error *error)
{
    if (mapping->kind != YAML_MAPPING)
        return yaml_fail(mapping, error, "a mapping expected");
    for (size_t i = 0; i < mapping->child_count; i++) {
        const struct yaml_node *node = &mapping->children[i];
        if (is_known(node->key, keys))
            continue;
        char known[500] = "";
        for (size_t k = 0; keys[k]; k++) {
            size_t used = strlen(known);
            snprintf(known + used, sizeof known - used, "%s%s", k ? ", " : "", keys[k]);
        }
        return error_set(error, ERROR_USAGE, "%s:%d:%d: unknown key \"%.100s\" (known: %s)",
                         node->file, node->key_line, node->key_column, node->key, known);
    }
    return true;
}
