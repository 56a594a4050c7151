// SPDX-License-Identifier: Apache-2.0
// Themes, rules and keymaps: a complete tree or an error, within bounds and without leaks.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse/yaml.h"

#define CHECK(condition) ((condition) ? (void)0 : abort())

enum { DEPTH = 20 };

struct visit {
    const struct yaml_node *node;
    size_t next; // child to visit
};

static void check_node(const struct yaml_node *node, bool is_value)
{
    CHECK(node->line >= 1 && node->column >= 1 && node->file && node->text);
    CHECK((node->key != NULL) == is_value);
    double number;
    yaml_number(node, &number, NULL);
    for (size_t i = 0; node->kind == YAML_MAPPING && i < node->child_count && i < 50; i++)
        CHECK(yaml_get(node, node->children[i].key) == &node->children[i]);
}

static void check_tree(const struct yaml_node *root)
{
    struct visit path[DEPTH + 1] = {{root, 0}};
    check_node(root, false);
    for (size_t depth = 1; depth > 0;) {
        struct visit *visit = &path[depth - 1];
        if (visit->next == visit->node->child_count) {
            depth--;
            continue;
        }
        const struct yaml_node *child = &visit->node->children[visit->next++];
        check_node(child, visit->node->kind == YAML_MAPPING);
        CHECK(child->kind == YAML_SCALAR ? !child->child_count : depth <= DEPTH);
        if (child->child_count)
            path[depth++] = (struct visit){child, 0};
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct arena *arena;
    if (!arena)
        arena = arena_new(256 << 20);
    struct error error = {0};
    const struct yaml_node *root = yaml_parse(arena, "f", (const char *)data, size, &error);
    if (root)
        check_tree(root);
    else
        CHECK(error.kind == ERROR_USAGE && strncmp(error.message, "f:", 2) == 0);
    arena_reset(arena);
    return 0;
}
