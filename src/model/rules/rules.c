// SPDX-License-Identifier: Apache-2.0
// Loads the rule files, reads ops.yaml and expert.yaml itself and the others by their modules, and
// classifies all kernels of a profile.
#include "model/rules/rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/embedded.h"
#include "base/hash.h"
#include "base/parallel.h"
#include "base/parse/yaml.h"
#include "base/scratch.h"
#include "model/rules/rules_formulas.h"
#include "model/rules/rules_frames.h"
#include "model/rules/rules_gpus.h"
#include "model/rules/rules_kernels.h"

enum { THRESHOLD_DEPTH = 4 };

struct op_rule {
    const char *type;
    enum tristate eligible;
};

struct threshold {
    const char *key; // "sync.min_idle_ns"
    double value;
};

struct rules {
    struct kernel_rules *kernels;
    size_t op_count;
    struct op_rule *ops; // sorted by type, ignoring letter case
    size_t threshold_count, threshold_capacity;
    struct threshold *thresholds;
    struct gpu_list gpus;
    struct frame_rules *frames;
    struct formula_rules *formulas;
    uint64_t names_hash; // of ops.yaml, frames.yaml and kernels.yaml as read
};

// ---- reading files -----------------------------------------------------------------------------

static const struct yaml_node *read_builtin(struct arena *arena, const char *name,
                                            struct error *error)
{
    const char *path = arena_format(arena, "rules/%s", name);
    for (const struct embedded_file *file = embedded_files; file->name; file++) {
        if (strcmp(file->name, path) == 0)
            return yaml_parse(arena, path, file->text, file->length, error);
    }
    error_set(error, ERROR_IO, "%s is not built in", path);
    return NULL;
}

// Reads the user's own file. *root stays NULL when the folder has none.
static bool read_own(struct arena *arena, const char *folder, const char *name,
                     const struct yaml_node **root, struct error *error)
{
    *root = NULL;
    if (!folder)
        return true;
    const char *path = arena_format(arena, "%s/%s", folder, name);
    if (access(path, F_OK) != 0)
        return true;
    *root = yaml_read(arena, path, error);
    return *root != NULL;
}

static const struct yaml_node *read_file(struct arena *arena, const char *folder, const char *name,
                                         struct error *error)
{
    const struct yaml_node *root;
    if (!read_own(arena, folder, name, &root, error))
        return NULL;
    return root ? root : read_builtin(arena, name, error);
}

// ---- op types ----------------------------------------------------------------------------------

static int compare_ops(const void *a, const void *b)
{
    return strcasecmp(((const struct op_rule *)a)->type, ((const struct op_rule *)b)->type);
}

static bool read_ops(struct rules *rules, struct arena *arena, const struct yaml_node *root,
                     struct error *error)
{
    static const struct {
        const char *key;
        enum tristate eligible;
    } lists[] = {{"eligible", STATE_YES}, {"unknown", STATE_UNKNOWN}};
    const char *const keys[] = {"eligible", "unknown", NULL};
    if (root->kind != YAML_MAPPING)
        return yaml_fail(root, error, "a mapping is expected");
    if (!yaml_only(root, keys, error))
        return false;
    size_t capacity = 0;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const struct yaml_node *list = yaml_get(root, lists[i].key);
        if (list && list->kind != YAML_SEQUENCE)
            return yaml_fail(list, error, "a list of op types is expected");
        for (size_t k = 0; list && k < list->child_count; k++) {
            if (list->children[k].kind != YAML_SCALAR)
                return yaml_fail(&list->children[k], error, "an op type is expected");
            struct op_rule *rule = &ARENA_PUSH(arena, rules->ops, rules->op_count, capacity);
            *rule = (struct op_rule){list->children[k].text, lists[i].eligible};
        }
    }
    if (rules->op_count > 0)
        qsort(rules->ops, rules->op_count, sizeof *rules->ops, compare_ops);
    return true;
}

static enum tristate find_eligible(const struct rules *rules, const char *type)
{
    const struct op_rule wanted = {.type = type};
    const struct op_rule *found =
        bsearch(&wanted, rules->ops, rules->op_count, sizeof *rules->ops, compare_ops);
    return found ? found->eligible : STATE_NO;
}

enum tristate rules_op_eligible(const struct rules *rules, const char *op_type)
{
    enum { MAX_FUSED = 256 };
    enum tristate eligible = STATE_NO;
    if (rules->op_count == 0)
        return STATE_NO;
    if (strncmp(op_type, "aten::", 6) == 0)
        op_type += 6;
    if (strlen(op_type) >= MAX_FUSED || !strchr(op_type, '+'))
        return find_eligible(rules, op_type);
    for (size_t length; *op_type && eligible != STATE_YES; op_type += length + 1) {
        char part[MAX_FUSED];
        length = strcspn(op_type, "+");
        snprintf(part, sizeof part, "%.*s", (int)length, op_type);
        enum tristate of_part = find_eligible(rules, part);
        if (of_part != STATE_NO)
            eligible = of_part;
        if (!op_type[length])
            break;
    }
    return eligible;
}

// ---- thresholds --------------------------------------------------------------------------------

static struct threshold *find_threshold(const struct rules *rules, const char *key)
{
    for (size_t i = 0; i < rules->threshold_count; i++) {
        if (strcmp(rules->thresholds[i].key, key) == 0)
            return &rules->thresholds[i];
    }
    return NULL;
}

// A node at the place of another node's key, for error messages.
#define KEY_OF(node)      \
    (&(struct yaml_node){ \
        .file = (node)->file, .line = (node)->key_line, .column = (node)->key_column})

static bool has_section(const struct rules *rules, const char *key)
{
    size_t length = strlen(key);
    for (size_t i = 0; i < rules->threshold_count; i++) {
        const char *known = rules->thresholds[i].key;
        if (strncmp(known, key, length) == 0 && known[length] == '.')
            return true;
    }
    return false;
}

static bool set_threshold(struct rules *rules, struct arena *arena, const struct yaml_node *node,
                          const char *key, bool is_own, struct error *error)
{
    double value;
    struct threshold *threshold = find_threshold(rules, key);
    if (!threshold && is_own)
        return yaml_fail(KEY_OF(node), error, "unknown threshold \"%s\"", key);
    if (!yaml_number(node, &value, error))
        return false;
    if (value < 0) // thresholds are shares, counts and times
        return yaml_fail(node, error, "a threshold is 0 or more, not %s", node->text);
    if (!threshold) {
        threshold = &ARENA_PUSH(arena, rules->thresholds, rules->threshold_count,
                                rules->threshold_capacity);
        threshold->key = key;
    }
    threshold->value = value;
    return true;
}

// Reads thresholds; keys of nested mappings are joined by a dot. The user's file may set only keys
// that the built-in file has.
static bool read_thresholds(struct rules *rules, struct arena *arena, const struct yaml_node *root,
                            bool is_own, struct error *error)
{
    struct {
        const struct yaml_node *node;
        const char *prefix;
        size_t next;
    } stack[THRESHOLD_DEPTH];
    if (root->kind != YAML_MAPPING)
        return yaml_fail(root, error, "thresholds and their values are expected");
    size_t depth = 1;
    stack[0].node = root;
    stack[0].prefix = "";
    stack[0].next = 0;
    while (depth > 0) {
        if (stack[depth - 1].next == stack[depth - 1].node->child_count) {
            depth--;
            continue;
        }
        const char *prefix = stack[depth - 1].prefix;
        const struct yaml_node *child = &stack[depth - 1].node->children[stack[depth - 1].next++];
        const char *key = arena_format(arena, "%s%s", prefix, child->key);
        if (child->kind == YAML_MAPPING && depth < THRESHOLD_DEPTH) {
            if (is_own && !has_section(rules, key))
                return yaml_fail(KEY_OF(child), error, "unknown thresholds \"%s\"", key);
            stack[depth].node = child;
            stack[depth].prefix = arena_format(arena, "%s.", key);
            stack[depth].next = 0;
            depth++;
        } else if (!set_threshold(rules, arena, child, key, is_own, error)) {
            return false;
        }
    }
    return true;
}

double rules_threshold(const struct rules *rules, const char *key, double fallback)
{
    const struct threshold *threshold = find_threshold(rules, key);
    return threshold ? threshold->value : fallback;
}

const struct gpu_peaks *rules_gpu(const struct rules *rules, const char *name)
{
    return gpu_list_find(&rules->gpus, name);
}

struct gpu_peaks rules_peaks(const struct rules *rules, const struct profile *profile,
                             uint32_t device)
{
    const struct device *row = &profile->devices[device];
    return gpu_list_peaks(&rules->gpus, row, profile_text(profile, row->name));
}

struct gpu_abilities rules_abilities(const struct rules *rules, const struct profile *profile,
                                     uint32_t device)
{
    const struct device *row = &profile->devices[device];
    const char *name = profile_text(profile, row->name);
    // Of a GPU without a name the calls tell whose it is.
    enum vendor vendor = *name ? device_vendor(profile, row) : profile_vendor(profile);
    return gpu_list_abilities(&rules->gpus, row, vendor, name);
}

bool rules_threshold_at(const struct rules *rules, size_t i, const char **key, double *value)
{
    if (i >= rules->threshold_count)
        return false;
    *key = rules->thresholds[i].key;
    *value = rules->thresholds[i].value;
    return true;
}

// ---- whether two sets classify names the same --------------------------------------------------

static uint64_t hash_whole(uint64_t hash, const char *text)
{
    // A terminator, so that "a" "b" differs from "ab".
    return hash_number(hash_text(hash, text), 0xff);
}

// The recursion is as deep as yaml_parse() allows.
static uint64_t hash_node(uint64_t hash, const struct yaml_node *node)
{
    hash = hash_whole(hash_whole(hash, node->key), node->kind == YAML_SCALAR ? node->text : NULL);
    for (size_t i = 0; i < node->child_count; i++)
        hash = hash_node(hash, &node->children[i]);
    return hash_whole(hash, NULL);
}

bool rules_have_same_names(const struct rules *a, const struct rules *b)
{
    return a->names_hash == b->names_hash;
}

// ---- all files ---------------------------------------------------------------------------------

bool rules_load(struct rules **result, struct arena *arena, const char *folder, struct error *error)
{
    struct rules *rules = *result = ARENA_NEW(arena, struct rules);
    const struct yaml_node *ops = read_file(arena, folder, "ops.yaml", error);
    if (!ops || !read_ops(rules, arena, ops, error))
        return false;
    const struct yaml_node *gpus = read_file(arena, folder, "gpus.yaml", error);
    if (!gpus || !gpu_list_read(&rules->gpus, arena, gpus, error))
        return false;
    if (!yaml_get(gpus, "abilities")) { // a file of the user's that only has figures
        const struct yaml_node *builtin = read_builtin(arena, "gpus.yaml", error);
        if (!builtin || !gpu_kinds_read(&rules->gpus, arena, builtin, error))
            return false;
    }
    const struct yaml_node *expert = read_builtin(arena, "expert.yaml", error);
    if (!expert || !read_thresholds(rules, arena, expert, false, error) ||
        !read_own(arena, folder, "expert.yaml", &expert, error))
        return false;
    if (expert && !read_thresholds(rules, arena, expert, true, error))
        return false;
    const struct yaml_node *frames = read_file(arena, folder, "frames.yaml", error);
    if (!frames)
        return false;
    const struct yaml_node *kernels = read_file(arena, folder, "kernels.yaml", error);
    if (!kernels)
        return false;
    const struct yaml_node *formulas = read_builtin(arena, "formulas.yaml", error), *own = NULL;
    if (!formulas || !read_own(arena, folder, "formulas.yaml", &own, error))
        return false;
    rules->names_hash = hash_node(hash_node(hash_node(HASH_SEED, ops), frames), kernels);
    // Their patterns are not allocated in the arena, and must be freed.
    rules->kernels = kernel_rules_new(arena, kernels, error);
    rules->frames = rules->kernels ? frame_rules_new(arena, frames, error) : NULL;
    return rules->frames && formula_rules_read(&rules->formulas, arena, own, formulas, error);
}

void rules_free(struct rules *rules)
{
    if (!rules)
        return;
    kernel_rules_free(rules->kernels);
    frame_rules_free(rules->frames);
    formula_rules_free(rules->formulas);
}

const struct formula_rules *rules_formulas(const struct rules *rules)
{
    return rules->formulas;
}

void rules_mark_frame(const struct rules *rules, const char *name, bool is_symbol,
                      struct frame_marks *marks)
{
    frame_rules_mark(rules->frames, name, is_symbol, marks);
}

bool rules_is_library(const struct rules *rules, const struct frame_marks *symbol,
                      const struct frame_marks *module)
{
    return frame_rules_is_library(rules->frames, symbol, module);
}

static void judge_kernel(const struct rules *rules, const struct strings *strings,
                         const struct function *function, struct kernel_classification *verdict)
{
    string_id full = function->full != STRING_NONE ? function->full : function->brief;
    string_id brief = function->brief != STRING_NONE ? function->brief : function->full;
    kernel_rules_classify(rules->kernels, strings_text(strings, full),
                          strings_length(strings, full), strings_text(strings, brief), verdict);
}

static void store_verdict(struct strings *strings, const struct kernel_classification *verdict,
                          struct function *function)
{
    function->class = verdict->class;
    function->tensor_core = verdict->tensor_core;
    if (!function->dlprof_is_recorded)
        function->dlprof_tensor_core = verdict->dlprof_tensor_core;
    function->family = strings_intern_text(strings, verdict->family);
}

enum { BATCH = 16, BATCHES = 256 }; // names per job, jobs per round

struct classify_job {
    const struct rules *rules;
    struct strings *strings;
    struct function *functions;
    uint32_t count;
    struct kernel_classification *verdicts;
    uint32_t done, some; // functions [done, done + some) are being classified
};

static void judge_batch(void *context, size_t batch)
{
    const struct classify_job *classify = context;
    for (size_t i = batch * BATCH; i < (batch + 1) * BATCH && i < classify->some; i++) {
        const struct function *function = &classify->functions[classify->done + i];
        if (function->kind == WORK_KERNEL)
            judge_kernel(classify->rules, classify->strings, function, &classify->verdicts[i]);
    }
}

static void judge_all(void *context, struct arena *scratch)
{
    enum { AT_ONCE = BATCH * BATCHES };
    struct classify_job *classify = context;
    uint32_t count = classify->count;
    classify->verdicts =
        ARENA_ARRAY(scratch, struct kernel_classification, count < AT_ONCE ? count : AT_ONCE);
    for (; classify->done < count; classify->done += AT_ONCE) {
        classify->some = count - classify->done < AT_ONCE ? count - classify->done : AT_ONCE;
        parallel_run(parallel_cores(), (classify->some + BATCH - 1) / BATCH, judge_batch, classify);
        for (uint32_t i = 0; i < classify->some; i++) {
            struct function *function = &classify->functions[classify->done + i];
            if (function->kind == WORK_KERNEL)
                store_verdict(classify->strings, &classify->verdicts[i], function);
        }
    }
}

void rules_classify_all(const struct rules *rules, struct profile *profile)
{
    struct classify_job classify = {.rules = rules,
                                    .strings = profile->strings,
                                    .functions = profile->functions,
                                    .count = profile->function_count};
    scratch_run(profile->arena, judge_all, &classify);
}
