// SPDX-License-Identifier: Apache-2.0
// Reads the rows of rules/gpus.yaml and looks up GPUs in them.
#include "model/rules/rules_gpus.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

enum { MAX_GPU_ROWS = 1000 };

// ---- rates by data type: per GPU, and per multiprocessor and clock -----------------------------

static const struct {
    const char *key;
    size_t place;  // offset in struct gpu_peaks
    bool is_of_sm; // also a rate of a multiprocessor
} figures[] = {
    {"fp64", offsetof(struct gpu_peaks, fp64), true},
    {"fp64_tc", offsetof(struct gpu_peaks, fp64_tc), true},
    {"fp32", offsetof(struct gpu_peaks, fp32), true},
    {"tf32", offsetof(struct gpu_peaks, tf32), true},
    {"fp16", offsetof(struct gpu_peaks, fp16), true},
    {"fp8", offsetof(struct gpu_peaks, fp8), true},
    {"int8", offsetof(struct gpu_peaks, int8), true},
    {"fp4", offsetof(struct gpu_peaks, fp4), true},
    {"sms", offsetof(struct gpu_peaks, sms), false},
    {"bandwidth", offsetof(struct gpu_peaks, bandwidth), false},
};
enum { FIGURES = sizeof figures / sizeof *figures, KEYS = FIGURES + 4 };

static double *figure_of(struct gpu_peaks *gpu, size_t i)
{
    return (double *)(void *)((char *)gpu + figures[i].place);
}

static bool read_positive(const struct yaml_node *node, double *number, struct error *error)
{
    return yaml_number(node, number, error) &&
           (*number > 0 || yaml_fail(node, error, "a figure above zero is expected"));
}

bool gpu_read_capability(const struct yaml_node *node, int *tenths, struct error *error)
{
    double number = 0;
    if (!read_positive(node, &number, error))
        return false;
    if (number >= 100)
        return yaml_fail(node, error, "a compute capability, as 8.6, is expected");
    *tenths = (int)lround(10 * number);
    return true;
}

static bool read_figures(const struct yaml_node *node, struct gpu_peaks *gpu, bool is_of_sm,
                         struct error *error)
{
    const char *keys[KEYS] = {"name", "capability"};
    size_t count = 2;
    for (size_t i = 0; i < FIGURES; i++)
        if (figures[i].is_of_sm || !is_of_sm)
            keys[count++] = figures[i].key;
    if (!yaml_only(node, keys, error))
        return false;
    for (size_t i = 0; i < FIGURES; i++) {
        const struct yaml_node *figure = yaml_get(node, figures[i].key);
        if (figure && !read_positive(figure, figure_of(gpu, i), error))
            return false;
    }
    return true;
}

// ---- rows --------------------------------------------------------------------------------------

static bool read_card(const struct yaml_node *node, struct gpu_peaks *gpu, struct error *error)
{
    if (node->kind != YAML_MAPPING)
        return yaml_fail(node, error, "a GPU with \"name\" is expected");
    if (!read_figures(node, gpu, false, error))
        return false;
    const struct yaml_node *name = yaml_get(node, "name");
    if (!name || name->kind != YAML_SCALAR || !*name->text)
        return yaml_fail(name ? name : node, error, "a GPU needs a name");
    gpu->name = name->text;
    const struct yaml_node *capability = yaml_get(node, "capability");
    return !capability || gpu_read_capability(capability, &gpu->capability, error);
}

static bool read_rates(const struct yaml_node *node, struct sm_rates *rates, struct error *error)
{
    if (node->kind != YAML_MAPPING)
        return yaml_fail(node, error, "a multiprocessor with \"capability\" is expected");
    if (!read_figures(node, &rates->each, true, error))
        return false;
    const struct yaml_node *name = yaml_get(node, "name");
    if (name && name->kind != YAML_SCALAR)
        return yaml_fail(name, error, "a text is expected");
    rates->each.name = name ? name->text : "";
    const struct yaml_node *capability = yaml_get(node, "capability");
    if (!capability)
        return yaml_fail(node, error, "a multiprocessor needs a capability");
    int tenths = 0;
    if (!gpu_read_capability(capability, &tenths, error))
        return false;
    rates->major = tenths / 10;
    rates->minor = tenths % 10;
    return true;
}

static const struct yaml_node *list_of(const struct yaml_node *root, const char *key,
                                       const char *what, bool *is_wrong, struct error *error)
{
    const struct yaml_node *list = yaml_get(root, key);
    *is_wrong = list && (list->kind != YAML_SEQUENCE || list->child_count > MAX_GPU_ROWS);
    if (*is_wrong)
        yaml_fail(list, error, "a list of at most %d %s is expected", MAX_GPU_ROWS, what);
    return list;
}

bool gpu_list_read(struct gpu_list *list, struct arena *arena, const struct yaml_node *root,
                   struct error *error)
{
    const char *const keys[] = {"gpus", "multiprocessors", "abilities", NULL};
    if (root->kind != YAML_MAPPING)
        return yaml_fail(root, error, "a mapping is expected");
    if (!yaml_only(root, keys, error))
        return false;
    bool is_wrong = false;
    const struct yaml_node *gpus = list_of(root, keys[0], "GPUs", &is_wrong, error), *rates = NULL;
    if (!is_wrong)
        rates = list_of(root, keys[1], "multiprocessors", &is_wrong, error);
    if (is_wrong)
        return false;
    list->items = ARENA_ARRAY(arena, struct gpu_peaks, (gpus ? gpus->child_count : 0) + 1);
    list->rates = ARENA_ARRAY(arena, struct sm_rates, (rates ? rates->child_count : 0) + 1);
    for (size_t i = 0; gpus && i < gpus->child_count; i++)
        if (!read_card(&gpus->children[i], &list->items[list->count++], error))
            return false;
    for (size_t i = 0; rates && i < rates->child_count; i++)
        if (!read_rates(&rates->children[i], &list->rates[list->rate_count++], error))
            return false;
    return gpu_kinds_read(list, arena, root, error);
}

// ---- lookup ------------------------------------------------------------------------------------

// Matches whole words only: an L40 is no L4, and a GH200 no H200.
bool gpu_name_has(const char *name, const char *words)
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
        if (gpu_name_has(name, list->items[i].name))
            return &list->items[i];
    return NULL;
}

// Returns the row of a GPU of a capture; NULL if its multiprocessor count differs: it is then
// another GPU of that name, or a part of the GPU.
static const struct gpu_peaks *find_card(const struct gpu_list *list, const struct device *device,
                                         const char *name)
{
    const struct gpu_peaks *card = gpu_list_find(list, name);
    bool is_other = card && card->sms > 0 && device->sm_count > 0 && // negative: unknown
                    card->sms != (double)device->sm_count;
    return is_other ? NULL : card;
}

static bool has_peaks(const struct gpu_peaks *gpu)
{
    struct gpu_peaks copy = *gpu;
    for (size_t i = 0; i < FIGURES; i++)
        if (figures[i].is_of_sm && *figure_of(&copy, i) > 0)
            return true;
    return false;
}

static const struct sm_rates *find_rates(const struct gpu_list *list, const struct device *device,
                                         const char *name)
{
    for (size_t i = 0; i < list->rate_count; i++) {
        const struct sm_rates *rates = &list->rates[i];
        if (rates->major == device->compute_major && rates->minor == device->compute_minor &&
            (!*rates->each.name || gpu_name_has(name, rates->each.name)))
            return rates;
    }
    return NULL;
}

struct gpu_peaks gpu_list_peaks(const struct gpu_list *list, const struct device *device,
                                const char *name)
{
    const struct gpu_peaks *card = find_card(list, device, name);
    struct gpu_peaks peaks = {0};
    if (card)
        peaks = *card;
    if (has_peaks(&peaks) || device->sm_count <= 0 || device->clock_hz <= 0) // negative: unknown
        return peaks;
    const struct sm_rates *rates = find_rates(list, device, name);
    if (!rates)
        return peaks;
    struct gpu_peaks each = rates->each;
    for (size_t i = 0; i < FIGURES; i++)
        if (figures[i].is_of_sm)
            *figure_of(&peaks, i) =
                *figure_of(&each, i) * (double)device->sm_count * (double)device->clock_hz / 1e12;
    peaks.name = peaks.name ? peaks.name : name;
    peaks.is_from_clock = true;
    return peaks;
}
