# SPDX-License-Identifier: Apache-2.0
"""Reads exports of Nsight Systems, all versions."""
import sqlite3

from raw import Call, Range, Raw, Work

RANGE_TYPES = (59, 60, 70, 71)  # push/pop, start/end, and both of NVTXT
COPIES = {
    1: "Host-to-Device", 2: "Device-to-Host", 3: "Host-to-Array", 4: "Array-to-Host", 5: "Array-to-Array",
    6: "Array-to-Device", 7: "Device-to-Array", 8: "Device-to-Device", 9: "Host-to-Host", 10: "Peer-to-Peer",
    11: "Unified Host-to-Device", 12: "Unified Device-to-Host", 13: "Unified Device-to-Device",
}


def open_database(path):
    database = sqlite3.connect("file:%s?mode=ro&immutable=1" % path.replace("?", "%3f").replace("#", "%23"), uri=True)
    database.text_factory = lambda text: text.decode("utf-8", "replace")
    return database


def tables_of(database):
    return {row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


def columns_of(database, table):
    return {row[1] for row in database.execute("PRAGMA table_info(%s)" % table)}


def rows(database, tables, table, *columns):
    """The rows of a table that may be missing; a column that it has not is None."""
    if table not in tables:
        return
    there = columns_of(database, table)
    listed = ", ".join('"%s"' % name if name in there else "NULL" for name in columns)
    yield from database.execute("SELECT %s FROM %s" % (listed, table))


def read(path):
    database = open_database(path)
    tables = tables_of(database)
    raw = Raw("nsys")
    texts = dict(rows(database, tables, "StringIds", "id", "value"))

    for start, end, process, device, context, stream, correlation, name, short in rows(
            database, tables, "CUPTI_ACTIVITY_KIND_KERNEL", "start", "end", "globalPid", "deviceId", "contextId",
            "streamId", "correlationId", "demangledName", "shortName"):
        text = texts.get(name if name is not None else short, "")
        raw.work.append(Work(process, device, (context, stream), "kernel", text, start, end, None, correlation,
                             None, None))
    for start, end, process, device, context, stream, correlation, size, kind in rows(
            database, tables, "CUPTI_ACTIVITY_KIND_MEMCPY", "start", "end", "globalPid", "deviceId", "contextId",
            "streamId", "correlationId", "bytes", "copyKind"):
        raw.work.append(Work(process, device, (context, stream), "memcpy", COPIES.get(kind, "Unknown"), start, end,
                             size, correlation, None, None))
    for start, end, process, device, context, stream, correlation, size in rows(
            database, tables, "CUPTI_ACTIVITY_KIND_MEMSET", "start", "end", "globalPid", "deviceId", "contextId",
            "streamId", "correlationId", "bytes"):
        raw.work.append(Work(process, device, (context, stream), "memset", "memset", start, end, size, correlation,
                             None, None))
    for start, end, process, device, context, stream, correlation in rows(
            database, tables, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", "start", "end", "globalPid", "deviceId",
            "contextId", "streamId", "correlationId"):
        raw.work.append(Work(process, device, (context, stream), "graph", "graph", start, end, None, correlation,
                             None, None))
    for start, end, thread, correlation, name in rows(
            database, tables, "CUPTI_ACTIVITY_KIND_RUNTIME", "start", "end", "globalTid", "correlationId", "nameId"):
        raw.calls.append(Call(thread & ~0xFFFFFF, thread, texts.get(name, ""), start, end, correlation))
    gpus = {(pid, ordinal): gpu for pid, ordinal, gpu in rows(
        database, tables, "TARGET_INFO_CUDA_DEVICE", "pid", "cudaId", "gpuId")}
    raw.work = [work._replace(device=("GPU", gpus[work.process >> 24 & 0xFFFFFF, work.device]))
                if (work.process >> 24 & 0xFFFFFF, work.device) in gpus else work for work in raw.work]
    read_ranges(database, tables, texts, raw)
    if raw.link():
        raw.skip("calls with one correlation id in one process: the first is taken")
    return raw


def read_ranges(database, tables, texts, raw):
    events = list(rows(database, tables, "NVTX_EVENTS", "start", "end", "eventType", "text", "textId", "globalTid",
                       "endGlobalTid", "domainId"))
    domains, last = {}, 0
    for start, end, kind, text, text_id, thread, _, domain in events:
        if kind == 75:
            name = texts.get(text_id, text) if text_id is not None else text
            domains.setdefault((thread & ~0xFFFFFF, domain), name)
        if kind in RANGE_TYPES:
            last = max(last, start, end if end is not None else start)
    for start, end, kind, text, text_id, thread, end_thread, domain in events:
        if kind not in RANGE_TYPES:
            continue
        text = texts.get(text_id, text) if text_id is not None else text
        prefix = domains.get((thread & ~0xFFFFFF, domain))
        raw.ranges.append(Range(thread & ~0xFFFFFF, thread, text and (prefix + ":" + text if prefix else text), start,
                                last if end is None else end, "StartEnd" if kind in (60, 71) else "PushPop",
                                "user" if end_thread is None else "away", None))
