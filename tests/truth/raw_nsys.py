# SPDX-License-Identifier: Apache-2.0
"""Reads exports of Nsight Systems, all versions."""
import sqlite3

from raw import Call, Range, Raw, Work

RANGE_TYPES = (59, 60, 70, 71)  # push/pop, start/end, and both of NVTXT
COPIES = dict(enumerate((
    "Host-to-Device", "Device-to-Host", "Host-to-Array", "Array-to-Host", "Array-to-Array", "Array-to-Device",
    "Device-to-Array", "Device-to-Device", "Host-to-Host", "Peer-to-Peer", "Unified Host-to-Device",
    "Unified Device-to-Host", "Unified Device-to-Device"), 1))
WORK = ("start", "end", "globalPid", "deviceId", "contextId", "streamId", "correlationId")


def open_database(path):
    name = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    database = sqlite3.connect("file:%s?mode=ro&immutable=1" % name, uri=True)
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

    def add(kind, table, *columns):
        """Work of a table; the name, and the bytes where they are told, are of its own columns."""
        for start, end, process, device, context, stream, correlation, *rest in rows(
                database, tables, "CUPTI_ACTIVITY_KIND_" + table, *WORK, *columns):
            name, size = kind, None
            if kind == "kernel":
                name = texts.get(rest[0] if rest[0] is not None else rest[1], "")
            elif rest:
                size, name = rest[0], COPIES.get(rest[1], "Unknown") if kind == "memcpy" else kind
            raw.work.append(Work(process, device, (context, stream), kind, name, start, end, size,
                                 correlation))

    add("kernel", "KERNEL", "demangledName", "shortName")
    add("memcpy", "MEMCPY", "bytes", "copyKind")
    add("memset", "MEMSET", "bytes")
    add("graph", "GRAPH_TRACE")
    for start, end, thread, correlation, name in rows(
            database, tables, "CUPTI_ACTIVITY_KIND_RUNTIME", "start", "end", "globalTid", "correlationId",
            "nameId"):
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
    events = list(rows(database, tables, "NVTX_EVENTS", "start", "end", "eventType", "text", "textId",
                       "globalTid", "endGlobalTid", "domainId"))
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
        raw.ranges.append(Range(
            thread & ~0xFFFFFF, thread, text and (prefix + ":" + text if prefix else text), start,
            last if end is None else end, "StartEnd" if kind in (60, 71) else "PushPop",
            "user" if end_thread is None else "away"))
