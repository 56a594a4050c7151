// SPDX-License-Identifier: Apache-2.0
// Reads rules/kernels.yaml and applies it to kernel names.
#include "model/rules/rules_kernels.h"

#include <stdio.h>
#include <string.h>

#include "base/text/pattern.h"
#include "base/text/text.h"
#include "model/rules/kernel_name.h"

enum {
    MAX_RULES = 500, // per kind; more is taken for a mistake
    GROUPS = 9,
};

struct kernel_rule {
    const char *holds; // text that each matching name contains, tested first since it is fast; NULL
    struct pattern *pattern;
    int answer;       // enum work_class or enum tristate
    const char *name; // of families: the replacement text
    struct pattern *words;
    bool is_snake;
};

struct rule_list {
    size_t count;
    struct kernel_rule *items;
};

struct word_list {
    size_t count;
    const char **items;
};

struct kernel_rules {
    size_t replacement_count;
    struct name_replacement *replacements;
    struct rule_list classes, tensor_core, families;
    struct word_list dlprof_yes, dlprof_no;
};

// ---- reading -----------------------------------------------------------------------------------

struct rule_answer {
    const char *text;
    int answer;
};

static const struct rule_answer class_answers[] = {
    {"compute", CLASS_COMPUTE}, {"comm", CLASS_COMM}, {NULL, 0}};
static const struct rule_answer state_answers[] = {
    {"yes", STATE_YES}, {"no", STATE_NO}, {"unknown", STATE_UNKNOWN}, {NULL, 0}};

static bool read_text(const struct yaml_node *node, const char **text, struct error *error)
{
    if (node->kind != YAML_SCALAR)
        return yaml_fail(node, error, "a text is expected");
    *text = node->text;
    return true;
}

static bool read_pattern(const struct yaml_node *node, struct pattern **pattern,
                         struct error *error)
{
    const char *text = "";
    if (!read_text(node, &text, error))
        return false;
    struct error why = {0};
    *pattern = pattern_new(text, PATTERN_EXACT, &why);
    return *pattern || yaml_fail_for(node, error, &why);
}

static bool read_answer(const struct yaml_node *node, const struct rule_answer *answers,
                        int *answer, struct error *error)
{
    const char *text = "";
    if (!read_text(node, &text, error))
        return false;
    for (; answers->text; answers++) {
        if (strcmp(text, answers->text) == 0) {
            *answer = answers->answer;
            return true;
        }
    }
    return yaml_fail(node, error, "\"%s\" is not one of the answers here", text);
}

// Reads one item of a list of rules. `key` holds the answer ("class", "use"); NULL: the rule is a
// family.
static bool read_rule(const struct yaml_node *node, const char *key,
                      const struct rule_answer *answers, struct kernel_rule *rule,
                      struct error *error)
{
    const char *const family_keys[] = {"match", "holds", "name", "words", "case", NULL};
    const char *const answer_keys[] = {"match", "holds", key, NULL};
    if (node->kind != YAML_MAPPING)
        return yaml_fail(node, error, "a rule with \"match\" is expected");
    if (!yaml_only(node, key ? answer_keys : family_keys, error))
        return false;
    const struct yaml_node *match = yaml_get(node, "match"), *holds = yaml_get(node, "holds");
    const struct yaml_node *answer = yaml_get(node, key ? key : "name");
    if (!match || !answer)
        return yaml_fail(node, error, "a rule needs \"match\" and \"%s\"", key ? key : "name");
    if (!read_pattern(match, &rule->pattern, error))
        return false;
    if (holds && !read_text(holds, &rule->holds, error))
        return false;
    if (key)
        return read_answer(answer, answers, &rule->answer, error);
    if (!read_text(answer, &rule->name, error))
        return false;
    const struct yaml_node *words = yaml_get(node, "words"), *letters = yaml_get(node, "case");
    if (words && !read_pattern(words, &rule->words, error))
        return false;
    const char *text = "";
    if (letters && !read_text(letters, &text, error))
        return false;
    rule->is_snake = strcmp(text, "snake") == 0;
    return !letters || rule->is_snake || yaml_fail(letters, error, "only \"snake\" is known");
}

// Allocates a list. All lists are allocated before the first pattern is created: an allocation that
// fails jumps out of the reader, and the arena does not own the patterns.
static bool make_list(struct arena *arena, const struct yaml_node *node, struct rule_list *list,
                      struct error *error)
{
    if (!node)
        return true;
    if (node->kind != YAML_SEQUENCE || node->child_count > MAX_RULES)
        return yaml_fail(node, error, "a list of at most %d rules is expected", MAX_RULES);
    list->items = ARENA_ARRAY(arena, struct kernel_rule, node->child_count);
    return true;
}

static bool read_list(const struct yaml_node *node, const char *key,
                      const struct rule_answer *answers, struct rule_list *list,
                      struct error *error)
{
    for (size_t i = 0; node && i < node->child_count; i++) {
        list->count++; // counted before it is read, so that a partly read rule is freed too
        if (!read_rule(&node->children[i], key, answers, &list->items[i], error))
            return false;
    }
    return true;
}

static bool read_words(struct arena *arena, const struct yaml_node *node, struct word_list *list,
                       struct error *error)
{
    if (!node)
        return true;
    if (node->kind != YAML_SEQUENCE)
        return yaml_fail(node, error, "a list of texts is expected");
    list->items = ARENA_ARRAY(arena, const char *, node->child_count);
    for (size_t i = 0; i < node->child_count; i++) {
        if (!read_text(&node->children[i], &list->items[i], error))
            return false;
        if (!*list->items[i])
            return yaml_fail(&node->children[i], error, "an empty text is in every name");
    }
    list->count = node->child_count;
    return true;
}

static bool read_replacements(struct arena *arena, const struct yaml_node *node,
                              struct kernel_rules *rules, struct error *error)
{
    if (!node)
        return true;
    if (node->kind != YAML_MAPPING || node->child_count > MAX_RULES)
        return yaml_fail(node, error, "texts and what replaces them are expected, at most %d",
                         MAX_RULES);
    rules->replacements = ARENA_ARRAY(arena, struct name_replacement, node->child_count);
    for (size_t i = 0; i < node->child_count; i++) {
        const struct yaml_node *child = &node->children[i];
        struct name_replacement *row = &rules->replacements[i];
        row->from = child->key;
        if (!read_text(child, &row->to, error))
            return false;
        if (!*row->from)
            return yaml_fail(child, error, "an empty text cannot be replaced");
        row->from_length = strlen(row->from);
        row->to_length = strlen(row->to);
    }
    rules->replacement_count = node->child_count;
    return true;
}

static bool read_dlprof(struct arena *arena, const struct yaml_node *node,
                        struct kernel_rules *rules, struct error *error)
{
    if (!node)
        return true;
    const char *const keys[] = {"yes", "no", NULL};
    if (node->kind != YAML_MAPPING)
        return yaml_fail(node, error, "the lists \"yes\" and \"no\" are expected");
    return yaml_only(node, keys, error) &&
           read_words(arena, yaml_get(node, "yes"), &rules->dlprof_yes, error) &&
           read_words(arena, yaml_get(node, "no"), &rules->dlprof_no, error);
}

struct kernel_rules *kernel_rules_new(struct arena *arena, const struct yaml_node *root,
                                      struct error *error)
{
    const char *const keys[] = {"replace",  "classes", "tensor_core", "dlprof_tensor_core",
                                "families", NULL};
    struct kernel_rules *rules = ARENA_NEW(arena, struct kernel_rules);
    if (root->kind != YAML_MAPPING) {
        yaml_fail(root, error, "a mapping is expected");
        return NULL;
    }
    if (!yaml_only(root, keys, error))
        return NULL;
    const struct yaml_node *classes = yaml_get(root, "classes");
    const struct yaml_node *tensor_core = yaml_get(root, "tensor_core");
    const struct yaml_node *families = yaml_get(root, "families");
    if (!read_replacements(arena, yaml_get(root, "replace"), rules, error) ||
        !read_dlprof(arena, yaml_get(root, "dlprof_tensor_core"), rules, error) ||
        !make_list(arena, classes, &rules->classes, error) ||
        !make_list(arena, tensor_core, &rules->tensor_core, error) ||
        !make_list(arena, families, &rules->families, error))
        return NULL;
    if (read_list(classes, "class", class_answers, &rules->classes, error) &&
        read_list(tensor_core, "use", state_answers, &rules->tensor_core, error) &&
        read_list(families, NULL, NULL, &rules->families, error))
        return rules;
    kernel_rules_free(rules);
    return NULL;
}

static void free_list(struct rule_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        pattern_free(list->items[i].pattern);
        pattern_free(list->items[i].words);
    }
    list->count = 0;
}

void kernel_rules_free(struct kernel_rules *rules)
{
    if (!rules)
        return;
    free_list(&rules->classes);
    free_list(&rules->tensor_core);
    free_list(&rules->families);
}

// ---- matching ----------------------------------------------------------------------------------

static int first_answer(const struct rule_list *list, const char *name, size_t length,
                        int otherwise)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct kernel_rule *rule = &list->items[i];
        if ((!rule->holds || strstr(name, rule->holds)) &&
            pattern_match(rule->pattern, name, length))
            return rule->answer;
    }
    return otherwise;
}

static bool holds_any(const struct word_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strstr(name, list->items[i]))
            return true;
    }
    return false;
}

// Turns "triton_poi add_native_layer_norm" into "triton_poi add native_layer_norm": the text after
// the first blank becomes the matches of `words`, separated by blanks.
static void split_words(const struct pattern *words, char *name, size_t size)
{
    char copy[FAMILY_SIZE];
    char *rest = strchr(name, ' ');
    if (!rest)
        return;
    size_t rest_length = strlen(++rest);
    if (rest_length >= sizeof copy)
        return;
    memcpy(copy, rest, rest_length + 1);
    size_t out = (size_t)(rest - name), from = 0;
    struct pattern_span span;
    const size_t begin = out;
    while (from < rest_length && pattern_find(words, copy, rest_length, from, &span, NULL, 0)) {
        size_t length = span.end - span.start;
        if (length == 0 || out + length + 2 > size)
            break;
        if (out > begin)
            name[out++] = ' ';
        memcpy(name + out, copy + span.start, length);
        out += length;
        from = span.end;
    }
    if (out > begin)
        name[out] = '\0';
}

// Removes leading, trailing and doubled blanks, which come from groups that did not match.
static void trim(char *name)
{
    size_t length = 0;
    for (const char *p = name; *p; p++) {
        if (*p != ' ' || (length > 0 && name[length - 1] != ' '))
            name[length++] = *p;
    }
    while (length > 0 && name[length - 1] == ' ')
        length--;
    name[length] = '\0';
}

// Expands the first rule that matches into `family`. Returns false if none does, or the name is
// empty.
static bool find_family(const struct rule_list *list, const char *name, size_t length,
                        char family[FAMILY_SIZE])
{
    struct pattern_span groups[GROUPS];
    for (size_t i = 0; i < list->count; i++) {
        const struct kernel_rule *rule = &list->items[i];
        if (rule->holds && !strstr(name, rule->holds))
            continue;
        if (!pattern_find(rule->pattern, name, length, 0, NULL, groups, GROUPS))
            continue;
        char expanded[FAMILY_SIZE];
        pattern_expand(rule->name, name, groups, GROUPS, expanded, sizeof expanded);
        if (rule->is_snake)
            kernel_name_snake(expanded, family, FAMILY_SIZE);
        else
            memcpy(family, expanded, sizeof expanded);
        trim(family);
        if (rule->words)
            split_words(rule->words, family, FAMILY_SIZE);
        if (*family)
            return true;
    }
    return false;
}

struct fold_job {
    struct arena *arena;
    const char *name;
    char *family;
};

static bool fold_name(void *context, struct error *error)
{
    struct fold_job *fold = context;
    (void)error;
    const char *folded = text_fold_templates(fold->arena, fold->name, 1);
    size_t length = strnlen(folded, FAMILY_SIZE - 1);
    memcpy(fold->family, folded, length);
    fold->family[length] = '\0';
    return length > 0;
}

// Names a kernel that no rule matches: its name without return type, parameters and deep template
// arguments.
static bool fold_family(const char *name, char family[FAMILY_SIZE])
{
    struct fold_job fold = {.arena = arena_new(0), .name = name, .family = family};
    if (!fold.arena)
        return false;
    bool is_folded = arena_run(fold.arena, fold_name, &fold, NULL);
    arena_free(fold.arena);
    return is_folded;
}

void kernel_rules_classify(const struct kernel_rules *rules, const char *full, size_t length,
                           const char *brief, struct kernel_classification *verdict)
{
    if (length >= KERNEL_NAME_SIZE)
        length = KERNEL_NAME_SIZE - 1;
    verdict->class = (enum work_class)first_answer(&rules->classes, full, length, CLASS_COMPUTE);
    verdict->tensor_core =
        (enum tristate)first_answer(&rules->tensor_core, full, length, STATE_UNKNOWN);
    verdict->dlprof_tensor_core =
        holds_any(&rules->dlprof_yes, brief) && !holds_any(&rules->dlprof_no, brief);
    char clean[KERNEL_NAME_SIZE];
    size_t clean_length = kernel_name_clean(rules->replacements, rules->replacement_count, full,
                                            length, clean, sizeof clean);
    if (find_family(&rules->families, clean, clean_length, verdict->family) ||
        kernel_name_demangle(full, length, verdict->family, FAMILY_SIZE) > 0 ||
        fold_family(clean, verdict->family))
        return;
    snprintf(verdict->family, FAMILY_SIZE, "%.*s", FAMILY_SIZE - 1, *full ? full : "(no name)");
}
