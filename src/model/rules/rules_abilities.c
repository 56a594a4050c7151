// SPDX-License-Identifier: Apache-2.0
// What the Tensor Cores of a card take: `abilities` of rules/gpus.yaml. Figures say how fast a card
// is; a card without a figure of a type may well take it.
#include <string.h>

#include "model/rules/rules_gpus.h"

enum { MAX_KINDS = 1000, MAX_NAMES = 1000 };

static const struct {
    const char *key;
    unsigned bit;
} types[] = {
    {"fp16", TAKES_FP16}, {"bf16", TAKES_BF16}, {"tf32", TAKES_TF32},
    {"int8", TAKES_INT8}, {"fp8", TAKES_FP8},   {"fp4", TAKES_FP4},
};
enum { TYPES = sizeof types / sizeof *types };

static bool is_list(const struct yaml_node *node, size_t most, struct error *error)
{
    bool is_short_list = node->kind == YAML_SEQUENCE && node->child_count <= most;
    return is_short_list || yaml_fail(node, error, "a list of at most %zu is expected", most);
}

static bool read_types(const struct yaml_node *node, unsigned *bits, struct error *error)
{
    if (!is_list(node, TYPES, error))
        return false;
    for (size_t i = 0; i < node->child_count; i++) {
        const struct yaml_node *word = &node->children[i];
        size_t t = 0;
        while (t < TYPES && (word->kind != YAML_SCALAR || strcmp(types[t].key, word->text) != 0))
            t++;
        if (t == TYPES)
            return yaml_fail(word, error, "fp16, bf16, tf32, int8, fp8 or fp4 is expected");
        *bits |= types[t].bit;
    }
    return true;
}

static bool read_names(const struct yaml_node *node, struct gpu_kind *kind, struct arena *arena,
                       struct error *error)
{
    if (!is_list(node, MAX_NAMES, error))
        return false;
    kind->names = ARENA_ARRAY(arena, const char *, node->child_count + 1);
    for (size_t i = 0; i < node->child_count; i++) {
        const struct yaml_node *name = &node->children[i];
        if (name->kind != YAML_SCALAR || !*name->text)
            return yaml_fail(name, error, "a part of a GPU's name is expected");
        kind->names[kind->name_count++] = name->text;
    }
    return true;
}

static bool read_kind(const struct yaml_node *node, struct gpu_kind *kind, struct arena *arena,
                      struct error *error)
{
    static const char *const keys[] = {"names", "capability", "types", "ratio", NULL};
    if (node->kind != YAML_MAPPING)
        return yaml_fail(node, error, "\"names\" or \"capability\", and \"types\" are expected");
    if (!yaml_only(node, keys, error))
        return false;
    const struct yaml_node *names = yaml_get(node, "names"),
                           *capability = yaml_get(node, "capability"),
                           *takes = yaml_get(node, "types"), *ratio = yaml_get(node, "ratio");
    if (!names == !capability || !takes)
        return yaml_fail(node, error, "\"names\" or \"capability\", and \"types\" are expected");
    kind->abilities.is_known = true;
    if (ratio && (!yaml_number(ratio, &kind->abilities.ratio, error) ||
                  (kind->abilities.ratio < 1 &&
                   !yaml_fail(ratio, error, "a ratio of at least 1 is expected"))))
        return false;
    return read_types(takes, &kind->abilities.types, error) &&
           (names ? read_names(names, kind, arena, error)
                  : gpu_read_capability(capability, &kind->capability, error));
}

bool gpu_kinds_read(struct gpu_list *list, struct arena *arena, const struct yaml_node *root,
                    struct error *error)
{
    const struct yaml_node *kinds = yaml_get(root, "abilities");
    if (!kinds)
        return true;
    if (!is_list(kinds, MAX_KINDS, error))
        return false;
    list->kinds = ARENA_ARRAY(arena, struct gpu_kind, kinds->child_count + 1);
    for (size_t i = 0; i < kinds->child_count; i++)
        if (!read_kind(&kinds->children[i], &list->kinds[list->kind_count++], arena, error))
            return false;
    return true;
}

// Returns the compute capability in tenths: the capture's if it tells all of it, else that of the
// card's row; 0: unknown, or the card is not NVIDIA's, whose numbers alone tell what a card can do.
static int capability_of(const struct gpu_list *list, const struct device *device,
                         enum vendor vendor, const char *name)
{
    const struct gpu_peaks *card = gpu_list_find(list, name);
    if (vendor != VENDOR_NVIDIA)
        return 0;
    if (device->compute_major > 0 && device->compute_major < 100 && device->compute_minor >= 0 &&
        device->compute_minor < 10)
        return 10 * device->compute_major + device->compute_minor;
    return card ? card->capability : 0;
}

static bool kind_fits(const struct gpu_kind *kind, int capability, const char *name)
{
    for (size_t i = 0; i < kind->name_count; i++)
        if (gpu_name_has(name, kind->names[i]))
            return true;
    return kind->capability > 0 && capability >= kind->capability;
}

struct gpu_abilities gpu_list_abilities(const struct gpu_list *list, const struct device *device,
                                        enum vendor vendor, const char *name)
{
    int capability = capability_of(list, device, vendor, name);
    for (size_t i = 0; i < list->kind_count; i++)
        if (kind_fits(&list->kinds[i], capability, name))
            return list->kinds[i].abilities;
    return (struct gpu_abilities){0};
}
