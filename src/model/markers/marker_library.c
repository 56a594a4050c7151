// SPDX-License-Identifier: Apache-2.0
// Ranges of libraries, in domains of their own or with a prefix. They are never a step or a layer.
#include "model/markers/marker_dialects.h"

#include <string.h>
#include <strings.h>

bool marker_library(const struct marker_text *text, struct marker *marker)
{
    static const char *const domains[] = {
        "CCCL",     "CUB",      "Thrust",   "cuBLAS",   "cuBLASLt", "cuDNN",
        "cuSPARSE", "cuSOLVER", "cuFFT",    "cuRAND",   "NCCL",     "NVSHMEM",
        "CUTLASS",  "MPI",      "UCX",      "OpenACC",  "libcufft", "myelin-exec",
        "nvJPEG",   "OptiX",    "cuTENSOR", "cuBLASXt", "NVTX_MPI",
    };
    if (marker_text_begins(text, "nvte_") && !text->domain[0]) {
        marker->kind = MARKER_LIBRARY;
        marker->module = strings_intern_text(text->strings, "Transformer Engine");
        return true;
    }
    for (size_t i = 0; i < sizeof domains / sizeof *domains; i++) {
        if (strcasecmp(text->domain, domains[i]) == 0) {
            marker->kind = MARKER_LIBRARY;
            marker->module = marker_intern(text, domains[i], strlen(domains[i]));
            return true;
        }
    }
    return false;
}
