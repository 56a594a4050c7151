// SPDX-License-Identifier: Apache-2.0
// Reads small YAML documents (themes, rules, keymaps) into a tree. Only yaml.c knows libyaml. Size
// and depth are limited; aliases, tags and duplicate keys in a mapping are errors.
#ifndef BASE_PARSE_YAML_H
#define BASE_PARSE_YAML_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"

enum yaml_kind { YAML_SCALAR, YAML_SEQUENCE, YAML_MAPPING };

struct yaml_node {
    enum yaml_kind kind;
    int line, column; // 1-based position in the file
    const char *text; // scalar, NUL-terminated
    const char *key;  // set if this node is a value of a mapping
    int key_line, key_column;
    size_t child_count; // items of a sequence, or values of a mapping in file order
    const struct yaml_node *children;
    const char *file; // file name for messages, owned by the arena
};

// Returns the root; an empty document is an empty mapping. Returns NULL with "file:line:column:
// why" on failure.
const struct yaml_node *yaml_parse(struct arena *arena, const char *file, const char *text,
                                   size_t length, struct error *error);
// The same for a file on disk of at most 1 MB.
const struct yaml_node *yaml_read(struct arena *arena, const char *path, struct error *error);

// Returns the value of a key, or NULL if there is no such key.
const struct yaml_node *yaml_get(const struct yaml_node *mapping, const char *key);

// Each reports ERROR_USAGE as "file:line:column: ..." and returns false.
bool yaml_number(const struct yaml_node *node, double *value, struct error *error);
// Fails if the mapping has a key that is not in the NULL-terminated list.
bool yaml_only(const struct yaml_node *mapping, const char *const *keys, struct error *error);
bool yaml_fail(const struct yaml_node *node, struct error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Reports an error that occurred while interpreting a value; keeps its kind, also ERROR_MEMORY.
bool yaml_fail_for(const struct yaml_node *node, struct error *error, const struct error *why);

#endif
