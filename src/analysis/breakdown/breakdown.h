// SPDX-License-Identifier: Apache-2.0
// Exclusive breakdowns: a stretch of time cut into categories that add up to it.
//
// One function over a table of categories; DLProf's seven and the ones of the first screen are two
// tables. Each instant belongs to the first category, in table order, that is active in it.
#ifndef ANALYSIS_BREAKDOWN_H
#define ANALYSIS_BREAKDOWN_H

#include "analysis/report/selection.h"

struct breakdown_category {
    const char *key;   // "tensor_core"
    const char *title; // "Tensor Core"
    const char *doc;
    char glyph; // distinct without colour: '#', '%', '=', '-', '.'
};

struct breakdown_scheme {
    const char *name; // "gpu", "dlprof"
    const char *doc;
    size_t count;
    const struct breakdown_category *categories; // the last is what is left: idle or other
};

// Per device by the GPU's clock; communication and copies as far as nothing hides them.
enum {
    GPU_TENSOR_CORE,
    GPU_OTHER_KERNELS,
    GPU_COMMUNICATION,
    GPU_COPIES,
    GPU_GRAPH,
    GPU_IDLE,
    GPU_CATEGORIES
};
extern const struct breakdown_scheme breakdown_gpu;
// DLProf's seven on the host's windows.
enum {
    DLPROF_TENSOR_CORE,
    DLPROF_OTHER_KERNELS,
    DLPROF_MEMORY,
    DLPROF_DATALOADER,
    DLPROF_IO,
    DLPROF_CPU,
    DLPROF_OTHER,
    DLPROF_CATEGORIES
};
extern const struct breakdown_scheme breakdown_dlprof;
enum { BREAKDOWN_MAX = 8 };

struct breakdown {
    int64_t window_ns;         // what the categories add up to
    int64_t ns[BREAKDOWN_MAX]; // by category of the scheme
};

// A time as a share 0..1 of the window; of none 0.
static inline double breakdown_share(const struct breakdown *breakdown, int64_t ns)
{
    return breakdown->window_ns > 0 ? (double)ns / (double)breakdown->window_ns : 0;
}

// Of breakdown_dlprof: what DLProf calls the utilization of the GPU, kernels of either kind.
static inline int64_t breakdown_kernel_ns(const struct breakdown *dlprof)
{
    return dlprof->ns[DLPROF_TENSOR_CORE] + dlprof->ns[DLPROF_OTHER_KERNELS];
}

// Of breakdown_gpu: the part of the window in which anything runs, and its share 0..1.
static inline int64_t breakdown_busy_ns(const struct breakdown *gpu)
{
    return gpu->window_ns - gpu->ns[GPU_IDLE];
}
static inline double breakdown_busy(const struct breakdown *gpu)
{
    return breakdown_share(gpu, breakdown_busy_ns(gpu));
}

// The mean over the devices that count (gpu: those that ran anything in scope; dlprof: all that
// the file lists, of some processes those that they use) of the selected iterations together.
struct breakdown breakdown_total(const struct profile *profile, const struct selection *selection,
                                 const struct breakdown_scheme *scheme, struct arena *arena);
// One per iteration of the split, selected or not: split->count entries. Mean over devices.
struct breakdown *breakdown_iterations(const struct profile *profile,
                                       const struct selection *selection,
                                       const struct breakdown_scheme *scheme, struct arena *arena);
// One per device: profile->device_count entries (window 0: nothing there).
struct breakdown *breakdown_devices(const struct profile *profile,
                                    const struct selection *selection,
                                    const struct breakdown_scheme *scheme, struct arena *arena);

// Whole cells for shares by largest remainder: cells[i] add up to `width`.
void breakdown_cells(const struct breakdown *breakdown, size_t categories, unsigned width,
                     unsigned *cells);

#endif
