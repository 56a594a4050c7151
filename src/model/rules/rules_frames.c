// SPDX-License-Identifier: Apache-2.0
// Reads the rules of rules/frames.yaml and matches them.
#include "model/rules/rules_frames.h"

#include <string.h>

#include "base/text/pattern.h"

enum {
    MAX_TEXT = 4096, // longest part of a name that is read
    WORD = 64        // bits of a word
};

struct frame_rule {
    struct pattern *either, *module, *symbol; // NULL: any
    bool is_library;
};

struct frame_rules {
    size_t count;
    struct frame_rule *items;
};

// ---- reading -----------------------------------------------------------------------------------

static bool read_pattern(const struct yaml_node *rule, const char *key, struct pattern **pattern,
                         struct error *error)
{
    const struct yaml_node *node = yaml_get(rule, key);
    if (!node)
        return true;
    if (node->kind != YAML_SCALAR)
        return yaml_fail(node, error, "a pattern is expected");
    struct error why = {0};
    *pattern = pattern_new(node->text, PATTERN_EXACT, &why);
    return *pattern || yaml_fail_for(node, error, &why);
}

static bool read_rule(const struct yaml_node *node, struct frame_rule *rule, struct error *error)
{
    const char *const keys[] = {"match", "module", "symbol", "is", NULL};
    if (node->kind != YAML_MAPPING)
        return yaml_fail(node, error, "a rule with \"is\" is expected");
    if (!yaml_only(node, keys, error))
        return false;
    const struct yaml_node *is = yaml_get(node, "is");
    if (!is || is->kind != YAML_SCALAR ||
        (strcmp(is->text, "library") != 0 && strcmp(is->text, "program") != 0))
        return yaml_fail(is ? is : node, error, "a rule needs \"is\": library or program");
    rule->is_library = strcmp(is->text, "library") == 0;
    if (!read_pattern(node, "match", &rule->either, error) ||
        !read_pattern(node, "module", &rule->module, error) ||
        !read_pattern(node, "symbol", &rule->symbol, error))
        return false;
    return rule->either || rule->module || rule->symbol ||
           yaml_fail(node, error, "a rule needs \"match\", \"module\" or \"symbol\"");
}

// Allocates everything before the first pattern is created: an allocation that fails jumps out of
// this function, and the arena does not own the patterns.
struct frame_rules *frame_rules_new(struct arena *arena, const struct yaml_node *root,
                                    struct error *error)
{
    const char *const keys[] = {"frames", NULL};
    struct frame_rules *rules = ARENA_NEW(arena, struct frame_rules);
    if (root->kind != YAML_MAPPING) {
        yaml_fail(root, error, "a mapping is expected");
        return NULL;
    }
    if (!yaml_only(root, keys, error))
        return NULL;
    const struct yaml_node *list = yaml_get(root, "frames");
    if (!list)
        return rules;
    if (list->kind != YAML_SEQUENCE || list->child_count > MAX_FRAME_RULES) {
        yaml_fail(list, error, "a list of at most %d rules is expected", MAX_FRAME_RULES);
        return NULL;
    }
    rules->items = ARENA_ARRAY(arena, struct frame_rule, list->child_count + 1);
    for (size_t i = 0; i < list->child_count; i++) {
        rules->count++; // counted before it is read, so that a partly read rule is freed too
        if (!read_rule(&list->children[i], &rules->items[i], error)) {
            frame_rules_free(rules);
            return NULL;
        }
    }
    return rules;
}

void frame_rules_free(struct frame_rules *rules)
{
    for (size_t i = 0; rules && i < rules->count; i++) {
        pattern_free(rules->items[i].either);
        pattern_free(rules->items[i].module);
        pattern_free(rules->items[i].symbol);
    }
    if (rules)
        rules->count = 0;
}

// ---- matching ----------------------------------------------------------------------------------

static bool matches(const struct pattern *pattern, const char *text)
{
    return !pattern || pattern_match(pattern, text, strnlen(text, MAX_TEXT));
}

void frame_rules_mark(const struct frame_rules *rules, const char *name, bool is_symbol,
                      struct frame_marks *marks)
{
    *marks = (struct frame_marks){0};
    for (size_t i = 0; i < rules->count; i++) {
        const struct frame_rule *rule = &rules->items[i];
        uint64_t bit = UINT64_C(1) << i % WORD;
        if (matches(is_symbol ? rule->symbol : rule->module, name))
            marks->own[i / WORD] |= bit;
        if (matches(rule->either, name))
            marks->either[i / WORD] |= bit;
    }
}

bool frame_rules_is_library(const struct frame_rules *rules, const struct frame_marks *symbol,
                            const struct frame_marks *module)
{
    for (size_t i = 0; i < rules->count; i++) {
        size_t w = i / WORD;
        uint64_t both = symbol->own[w] & module->own[w] & (symbol->either[w] | module->either[w]);
        if (both >> i % WORD & 1)
            return rules->items[i].is_library;
    }
    return false;
}
