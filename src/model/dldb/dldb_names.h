// SPDX-License-Identifier: Apache-2.0
// Names of tables and columns of a DLProf database, shared by the reader (load_dldb*.c) and the
// writer (analysis/export/export_dldb*.c).
#ifndef MODEL_DLDB_DLDB_NAMES_H
#define MODEL_DLDB_DLDB_NAMES_H

#define DLDB_DICTIONARY      "dictionary"
#define DLDB_VERSION         "db_version"
#define DLDB_DOMAINS         "read_only_domains"
#define DLDB_GPU_INFOS       "read_only_gpu_infos"
#define DLDB_GPU_MEMORIES    "gpu_memories"
#define DLDB_SYSTEM_CONFIG   "read_only_system_config"
#define DLDB_MODEL_CONFIG    "read_only_model_config"
#define DLDB_OPS             "read_only_ops"
#define DLDB_OP_INSTANCES    "read_only_op_instances"
#define DLDB_GRID_BLOCK      "read_only_grid_block"
#define DLDB_KERNELS         "read_only_kernels"
#define DLDB_MEMCPYS         "read_only_memcpys"
#define DLDB_MEMSETS         "read_only_memsets"
#define DLDB_CUDA_SYNCS      "read_only_cuda_syncs"
#define DLDB_CUDA_CALLS      "read_only_cuda_calls"
#define DLDB_AGGREGATIONS    "aggregations"
#define DLDB_MODEL_SUMMARY   "model_summary"
#define DLDB_ITERATION_LIST  "iteration_list"
#define DLDB_DEFAULT_DOMAIN  "default-domain"
#define DLDB_WRITTEN_VERSION "1.8.0" // version of the tables that are written

// Columns of calls and the work they launched: op id and index of its run; time of the call; time
// of its work; thread.
#define DLDB_OWNER     "read_only_ops_id", "op_instance"
#define DLDB_API_TIMES "api_start", "api_stop"
#define DLDB_GPU_TIMES "gpu_start", "gpu_stop"
#define DLDB_THREAD    "process_id", "thread_id"

#define DLDB_CPU_TIMES  "cpu_start", "cpu_stop"
#define DLDB_GRID_AXES  "x", "y", "z"
#define DLDB_WINDOW     "aggr_id", "iter_value", "start_time", "stop_time"
#define DLDB_GPU_COUNTS "compute_capability_major", "compute_capability_minor", "sm_count"
#define DLDB_MEMORY     "total", "used"

// Texts of the system configuration, in table order.
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

// Columns of the model configuration, named as in struct model_config. In the table,
// DLDB_SET_DETECT_ANOMALY comes between the two groups.
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

// Values of tc_support_status. Value 1 was seen in no database; it is treated as unknown.
enum dldb_tensor_cores {
    DLDB_ELIGIBLE,
    DLDB_ELIGIBLE_UNKNOWN,
    DLDB_UNASSOCIATED, // work of no op
    DLDB_NOT_ELIGIBLE
};

// Values of mode_enum: 1 and 4 were seen; the others follow from the order.
enum dldb_mode {
    DLDB_MODE_SIMPLE,
    DLDB_MODE_TENSORFLOW1,
    DLDB_MODE_TENSORFLOW2,
    DLDB_MODE_TENSORRT,
    DLDB_MODE_PYTORCH
};

#endif
