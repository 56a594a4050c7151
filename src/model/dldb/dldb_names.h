// SPDX-License-Identifier: Apache-2.0
// Names of a DLProf database that its reader (load_dldb*.c) and its writer (analysis/export_dldb*.c)
// share: tables, and columns that stand together in both.
#ifndef MODEL_DLDB_NAMES_H
#define MODEL_DLDB_NAMES_H

#define DLDB_DICTIONARY     "dictionary"
#define DLDB_VERSION        "db_version"
#define DLDB_DOMAINS        "read_only_domains"
#define DLDB_GPU_INFOS      "read_only_gpu_infos"
#define DLDB_GPU_MEMORIES   "gpu_memories"
#define DLDB_SYSTEM_CONFIG  "read_only_system_config"
#define DLDB_MODEL_CONFIG   "read_only_model_config"
#define DLDB_OPS            "read_only_ops"
#define DLDB_OP_INSTANCES   "read_only_op_instances"
#define DLDB_GRID_BLOCK     "read_only_grid_block"
#define DLDB_KERNELS        "read_only_kernels"
#define DLDB_MEMCPYS        "read_only_memcpys"
#define DLDB_MEMSETS        "read_only_memsets"
#define DLDB_CUDA_SYNCS     "read_only_cuda_syncs"
#define DLDB_CUDA_CALLS     "read_only_cuda_calls"
#define DLDB_AGGREGATIONS   "aggregations"
#define DLDB_MODEL_SUMMARY  "model_summary"
#define DLDB_ITERATION_LIST "iteration_list"
#define DLDB_DEFAULT_DOMAIN "default-domain"
#define DLDB_WRITTEN_AS     "1.8.0" // the version whose tables are written

// Of calls and what they launched: the op and which run of it, the call, its work, its thread.
#define DLDB_OWNER     "read_only_ops_id", "op_instance"
#define DLDB_API_TIMES "api_start", "api_stop"
#define DLDB_GPU_TIMES "gpu_start", "gpu_stop"
#define DLDB_THREAD    "process_id", "thread_id"

#define DLDB_CPU_TIMES  "cpu_start", "cpu_stop"
#define DLDB_GRID_AXES  "x", "y", "z"
#define DLDB_WINDOW     "aggr_id", "iter_value", "start_time", "stop_time"
#define DLDB_GPU_COUNTS "compute_capability_major", "compute_capability_minor", "sm_count"
#define DLDB_MEMORY     "total", "used"

// Texts of the system configuration, in order.
#define DLDB_SYSTEM_TEXTS(X) \
    X("cpu_model")           \
    X("driver_version")      \
    X("framework")           \
    X("cuda_version")        \
    X("cudnn_version")       \
    X("nsys_version")        \
    X("dlprof_version")      \
    X("dlprof_build")        \
    X("profile_name")

// Of the model's configuration, named as in struct model_config; another one stands between them.
#define DLDB_CONFIG_COUNTS(X) X(num_workers)
#define DLDB_CONFIG_SWITCHES(X) \
    X(pin_memory)               \
    X(cudnn_benchmark_disabled) \
    X(detect_anomaly)           \
    X(gradcheck)                \
    X(gradgradcheck)            \
    X(autograd_profile)
#define DLDB_CONFIG_FIRST(X)    DLDB_CONFIG_COUNTS(X) DLDB_CONFIG_SWITCHES(X)
#define DLDB_SET_DETECT_ANOMALY "autograd_set_detect_anomaly"
#define DLDB_CONFIG_LAST(X) \
    X(emit_nvtx)            \
    X(amp_enabled)

// tc_support_status. 1 is in no database that is known: unknown here.
enum dldb_tensor_cores {
    DLDB_ELIGIBLE,
    DLDB_ELIGIBLE_UNKNOWN,
    DLDB_UNASSOCIATED, // no op of the program
    DLDB_NOT_ELIGIBLE
};

// mode_enum: 1 and 4 are known, the others follow from their order.
enum dldb_mode {
    DLDB_MODE_SIMPLE,
    DLDB_MODE_TENSORFLOW1,
    DLDB_MODE_TENSORFLOW2,
    DLDB_MODE_TENSORRT,
    DLDB_MODE_PYTORCH
};

#endif
