// SPDX-License-Identifier: Apache-2.0
// Exclusive breakdowns: a time window is divided into categories that add up to it.
//
// A scheme is a table of categories: DLProf's (breakdown_dlprof) and the summary's (breakdown_gpu).
// Each instant belongs to the first category, in table order, that is active in it.
#ifndef ANALYSIS_BREAKDOWN_BREAKDOWN_H
#define ANALYSIS_BREAKDOWN_BREAKDOWN_H

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
    const struct breakdown_category *categories; // the last category is the rest: idle or other
};

// Per device, on the GPU's clock. Communication and copies count where they are exposed.
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
// DLProf's seven, within windows on the host's clock.
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
enum { MAX_BREAKDOWN_CATEGORIES = 8 };

struct breakdown {
    int64_t window_ns;                    // sum of the categories
    int64_t ns[MAX_BREAKDOWN_CATEGORIES]; // by category of the scheme
};

// Returns a time as a share 0..1 of the window; 0 if the window is empty.
static inline double breakdown_share(const struct breakdown *breakdown, int64_t ns)
{
    return breakdown->window_ns > 0 ? (double)ns / (double)breakdown->window_ns : 0;
}

// For breakdown_dlprof: time of kernels of either kind, which DLProf calls GPU utilization.
static inline int64_t breakdown_kernel_ns(const struct breakdown *dlprof)
{
    return dlprof->ns[DLPROF_TENSOR_CORE] + dlprof->ns[DLPROF_OTHER_KERNELS];
}

// For breakdown_gpu: busy time, and its share 0..1.
static inline int64_t breakdown_busy_ns(const struct breakdown *gpu)
{
    return gpu->window_ns - gpu->ns[GPU_IDLE];
}
static inline double breakdown_busy(const struct breakdown *gpu)
{
    return breakdown_share(gpu, breakdown_busy_ns(gpu));
}

// Returns the mean over devices for all selected iterations together. breakdown_gpu counts devices
// that ran work of the selected process; breakdown_dlprof counts all devices in the file or, for
// selected processes, those that they use.
struct breakdown breakdown_total(const struct profile *profile, const struct selection *selection,
                                 const struct breakdown_scheme *scheme, struct arena *arena);
// Returns the mean over devices of each iteration of the split, selected or not: split->count
// entries.
struct breakdown *breakdown_iterations(const struct profile *profile,
                                       const struct selection *selection,
                                       const struct breakdown_scheme *scheme, struct arena *arena);
// Returns the breakdown of each device: profile->device_count entries; window_ns is 0 if the device
// ran no work.
struct breakdown *breakdown_devices(const struct profile *profile,
                                    const struct selection *selection,
                                    const struct breakdown_scheme *scheme, struct arena *arena);

// Rounds the shares to whole characters by largest remainder: the sum of cells[i] is `width`.
void breakdown_cells(const struct breakdown *breakdown, size_t categories, unsigned width,
                     unsigned *cells);

#endif
