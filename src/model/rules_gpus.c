// SPDX-License-Identifier: Apache-2.0
// What GPUs can do at most (rules/gpus.yaml).
#include "model/rules_gpus.h"

#include <ctype.h>
#include <string.h>

enum { GPUS_MOST = 1000 };

static bool read_figures(const struct yaml_node *node, struct gpu_peaks *gpu, struct error *error)
{
    double *const figures[] = {&gpu->sms,  &gpu->fp64, &gpu->fp64_tc, &gpu->fp32, &gpu->tf32,
                               &gpu->fp16, &gpu->fp8,  &gpu->int8,    &gpu->fp4,  &gpu->bandwidth};
    static const char *const keys[] = {"sms", "fp64", "fp64_tc", "fp32",      "tf32", "fp16",
                                       "fp8", "int8", "fp4",     "bandwidth", "name", NULL};
    if (node->kind != YAML_MAPPING)
        return yaml_fail(node, error, "a GPU with \"name\" is expected");
    if (!yaml_only(node, keys, error))
        return false;
    const struct yaml_node *name = yaml_get(node, "name");
    if (!name || name->kind != YAML_SCALAR || !*name->text)
        return yaml_fail(name ? name : node, error, "a GPU needs a name");
    gpu->name = name->text;
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        const struct yaml_node *figure = yaml_get(node, keys[i]);
        if (figure && !yaml_number(figure, figures[i], error))
            return false;
        if (figure && *figures[i] <= 0)
            return yaml_fail(figure, error, "a figure above zero is expected");
    }
    return true;
}

bool gpu_list_read(struct gpu_list *list, struct arena *arena, const struct yaml_node *root,
                   struct error *error)
{
    const char *const keys[] = {"gpus", NULL};
    if (root->kind != YAML_MAPPING)
        return yaml_fail(root, error, "a mapping is expected");
    if (!yaml_only(root, keys, error))
        return false;
    const struct yaml_node *gpus = yaml_get(root, "gpus");
    if (!gpus)
        return true;
    if (gpus->kind != YAML_SEQUENCE || gpus->child_count > GPUS_MOST)
        return yaml_fail(gpus, error, "a list of at most %d GPUs is expected", GPUS_MOST);
    list->items = ARENA_ARRAY(arena, struct gpu_peaks, gpus->child_count);
    for (size_t i = 0; i < gpus->child_count; i++)
        if (!read_figures(&gpus->children[i], &list->items[list->count++], error))
            return false;
    return true;
}

// Whole words only: an L40 is no L4, and a GH200 no H200.
static bool has_words(const char *name, const char *words)
{
    size_t length = strlen(words);
    for (const char *at = name; (at = strstr(at, words)); at++)
        if ((at == name || !isalnum((unsigned char)at[-1])) && !isalnum((unsigned char)at[length]))
            return true;
    return false;
}

const struct gpu_peaks *gpu_list_find(const struct gpu_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (has_words(name, list->items[i].name))
            return &list->items[i];
    return NULL;
}
