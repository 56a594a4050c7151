-- SPDX-License-Identifier: Apache-2.0
-- A database of DLProf 1.8, the tables and columns that are read.
CREATE TABLE dictionary (id INTEGER UNIQUE PRIMARY KEY AUTOINCREMENT, string TEXT NOT NULL UNIQUE);
CREATE TABLE db_version (id INTEGER PRIMARY KEY, current_version TEXT NOT NULL,
    original_version TEXT NOT NULL);
CREATE TABLE read_only_domains (id INTEGER PRIMARY KEY, domain_name_id INTEGER NOT NULL);
CREATE TABLE read_only_gpu_infos (id INTEGER PRIMARY KEY, device_id INTEGER NOT NULL UNIQUE,
    gpu_name TEXT NOT NULL, compute_capability_major INTEGER NOT NULL,
    compute_capability_minor INTEGER NOT NULL, sm_count INTEGER NOT NULL);
CREATE TABLE gpu_memories (id INTEGER PRIMARY KEY, total INTEGER NOT NULL, used INTEGER NOT NULL);
CREATE TABLE read_only_system_config (id INTEGER PRIMARY KEY, is_valid BOOLEAN, num_gpus TEXT,
    cpu_model TEXT, driver_version TEXT, framework TEXT, cuda_version TEXT, cudnn_version TEXT,
    nsys_version TEXT, dlprof_version TEXT, dlprof_build TEXT, profile_name TEXT,
    mode_enum INTEGER, mode_string TEXT, original_command TEXT);
CREATE TABLE read_only_model_config (id INTEGER PRIMARY KEY, num_workers INTEGER,
    pin_memory BOOLEAN, cudnn_benchmark_disabled BOOLEAN, detect_anomaly BOOLEAN,
    gradcheck BOOLEAN, gradgradcheck BOOLEAN, autograd_profile BOOLEAN,
    autograd_set_detect_anomaly BOOLEAN, emit_nvtx BOOLEAN, amp_enabled BOOLEAN);
CREATE TABLE read_only_ops (id INTEGER UNIQUE PRIMARY KEY AUTOINCREMENT, domain_id INTEGER,
    op_id_id INTEGER, op_id STRING, op_name STRING, op_type_id INTEGER, device_id INTEGER,
    tc_support_status INTEGER, data_type_id INTEGER, data_format_id INTEGER,
    output_format_id INTEGER, parameters_format_id INTEGER, direction_id INTEGER,
    stack_trace STRING);
CREATE TABLE read_only_op_instances (id INTEGER UNIQUE PRIMARY KEY AUTOINCREMENT,
    read_only_ops_id INTEGER, cpu_start INTEGER, cpu_stop INTEGER, process_id INTEGER,
    thread_id INTEGER, input_names_id INTEGER, input_shapes_id INTEGER, output_names_id INTEGER,
    output_shapes_id INTEGER, parameters_id INTEGER);
CREATE TABLE read_only_grid_block (id INTEGER PRIMARY KEY, x INTEGER, y INTEGER, z INTEGER);
CREATE TABLE read_only_kernels (id INTEGER UNIQUE PRIMARY KEY AUTOINCREMENT,
    read_only_ops_id INTEGER, op_instance INTEGER, name_id INTEGER, long_name_id INTEGER,
    uses_tc BOOLEAN, api_start INTEGER, api_stop INTEGER, gpu_start INTEGER, gpu_stop INTEGER,
    grid_id INTEGER, block_id INTEGER, device_id INTEGER, process_id INTEGER, thread_id INTEGER);
CREATE TABLE read_only_memcpys (id INTEGER UNIQUE PRIMARY KEY AUTOINCREMENT,
    read_only_ops_id INTEGER, op_instance INTEGER, name_id INTEGER, api_start INTEGER,
    api_stop INTEGER, gpu_start INTEGER, gpu_stop INTEGER, num_bytes INTEGER, copy_kind INTEGER,
    device_id INTEGER, process_id INTEGER, thread_id INTEGER);
CREATE TABLE read_only_memsets (id INTEGER UNIQUE PRIMARY KEY AUTOINCREMENT,
    read_only_ops_id INTEGER, op_instance INTEGER, name_id INTEGER, api_start INTEGER,
    api_stop INTEGER, gpu_start INTEGER, gpu_stop INTEGER, num_bytes INTEGER, device_id INTEGER,
    process_id INTEGER, thread_id INTEGER);
CREATE TABLE read_only_cuda_syncs (id INTEGER UNIQUE PRIMARY KEY AUTOINCREMENT,
    read_only_ops_id INTEGER, op_instance INTEGER, name_id INTEGER, api_start INTEGER,
    api_stop INTEGER, gpu_start INTEGER, gpu_stop INTEGER, sync_type INTEGER, event_id INTEGER,
    device_id INTEGER, process_id INTEGER, thread_id INTEGER);
CREATE TABLE read_only_cuda_calls (id INTEGER UNIQUE PRIMARY KEY AUTOINCREMENT,
    read_only_ops_id INTEGER, op_instance INTEGER, name_id INTEGER, api_start INTEGER,
    api_stop INTEGER, process_id INTEGER, thread_id INTEGER);
CREATE TABLE aggregations (id INTEGER PRIMARY KEY, server_user_name TEXT, server_host_name TEXT,
    start_timestamp TEXT, end_timestamp TEXT);
CREATE TABLE model_summary (id INTEGER PRIMARY KEY, aggr_id INTEGER, domain_id INTEGER,
    wall_time INTEGER, iter_total INTEGER, iter_aggregated INTEGER, iter_start INTEGER,
    iter_stop INTEGER, key_node_id INTEGER);
CREATE TABLE iteration_list (id INTEGER PRIMARY KEY, aggr_id INTEGER, iter_value INTEGER,
    start_time INTEGER, stop_time INTEGER);
