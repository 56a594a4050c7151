// SPDX-License-Identifier: Apache-2.0
// Small YAML documents (themes, rules, keymaps) as a tree, read with libyaml. The only file that
// knows libyaml is yaml.c. Size and depth are bound; aliases and tags are refused, and so is a
// key that stands twice in one mapping.
#ifndef BASE_YAML_H
#define BASE_YAML_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"

enum yaml_kind { YAML_SCALAR, YAML_SEQUENCE, YAML_MAPPING };

struct yaml_node {
    enum yaml_kind kind;
    int line, column; // 1-based place in the file
    const char *text; // scalar, NUL-terminated
    const char *key;  // set when this node is a value of a mapping
    int key_line, key_column;
    size_t child_count; // sequence: items; mapping: values in file order
    const struct yaml_node *children;
    const char *file; // name for messages, owned by the arena
};

// The document's root; an empty document is an empty mapping. NULL with "file:line:column: why".
const struct yaml_node *yaml_parse(struct arena *arena, const char *file, const char *text,
                                   size_t length, struct error *error);
// The same from a file on disk (at most 1 MB).
const struct yaml_node *yaml_read(struct arena *arena, const char *path, struct error *error);

const struct yaml_node *yaml_get(const struct yaml_node *mapping, const char *key); // or NULL

// Each reports ERROR_USAGE as "file:line:column: ..." and returns false.
bool yaml_number(const struct yaml_node *node, double *value, struct error *error);
// Fails when the mapping holds a key that is not in the NULL-terminated list.
bool yaml_only(const struct yaml_node *mapping, const char *const *keys, struct error *error);
bool yaml_fail(const struct yaml_node *node, struct error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// The same of what was made of a value: its kind stays, that of memory that has ended too.
bool yaml_fail_for(const struct yaml_node *node, struct error *error, const struct error *why);

#endif
