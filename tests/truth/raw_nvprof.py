# SPDX-License-Identifier: Apache-2.0
"""Reads databases of nvprof. Their GPU work names no process: it is that of the calls."""
from raw import Call, Range, Raw, Work
from raw_nsys import COPIES, open_database, rows, tables_of

WORK = ("start", "end", "deviceId", "contextId", "streamId", "correlationId")


def read(path):
    database = open_database(path)
    tables = tables_of(database)
    raw = Raw("nvprof")
    raw.names_are_told = False
    raw.skip("names of kernels (mangled) and of calls (numbers): compared as sets of figures")
    texts = dict(rows(database, tables, "StringTable", "_id_", "value"))
    calls = []
    for table in ("CUPTI_ACTIVITY_KIND_RUNTIME", "CUPTI_ACTIVITY_KIND_DRIVER"):
        for start, end, process, thread, function, correlation in rows(
                database, tables, table, "start", "end", "processId", "threadId", "cbid", "correlationId"):
            calls.append(Call(process, thread, "%s %d" % (table, function), start, end, correlation))
    process = calls[0].process if calls else 0
    if len({call.process for call in calls}) > 1:
        raw.skip("several processes: GPU work belongs to the first (docs/decisions.md)")
    raw.calls = calls

    def add(kind, table, *columns):
        for start, end, device, context, stream, correlation, *rest in rows(
                database, tables, "CUPTI_ACTIVITY_KIND_" + table, *WORK, *columns):
            name = texts.get(rest[0], "") if kind == "kernel" else kind
            if kind == "memcpy":
                name = COPIES.get(rest[1], "Unknown")
            raw.work.append(Work(process, device, (context, stream), kind, name, start, end,
                                 None if kind == "kernel" else rest[0], correlation))

    add("kernel", "CONCURRENT_KERNEL", "name")
    add("kernel", "KERNEL", "name")
    add("memcpy", "MEMCPY", "bytes", "copyKind")
    add("memcpy", "MEMCPY2", "bytes", "copyKind")
    add("memset", "MEMSET", "bytes")
    read_ranges(database, tables, texts, raw)
    raw.link()
    return raw


def read_ranges(database, tables, texts, raw):
    """A range is two rows with one id: the start has the name and flag 2, the end flag 4."""
    opened, ranges, last = {}, [], 0
    for flags, time, number, owner, name, domain in rows(
            database, tables, "CUPTI_ACTIVITY_KIND_MARKER", "flags", "timestamp", "id", "objectId", "name",
            "domain"):
        process = int.from_bytes(owner[:4], "little")
        thread = int.from_bytes(owner[4:8], "little", signed=True)
        last = max(last, time)
        if flags & 2:
            prefix = texts.get(domain) if domain else None
            text = texts.get(name, "")
            opened[number] = Range(process, thread, prefix + ":" + text if prefix else text, time, None)
        elif flags & 4 and number in opened:
            one = opened.pop(number)
            ranges.append(one._replace(end=time, kind="user" if one.thread == thread else "away"))
    raw.ranges = ranges + [one._replace(end=last) for one in opened.values()]
