# SPDX-License-Identifier: Apache-2.0
"""Reads databases of DLProf. Each row is there once for each domain; of calls and ranges it has only some."""
from raw import Raw, Work
from raw_nsys import COPIES, open_database, rows, tables_of


def read(path):
    database = open_database(path)
    tables = tables_of(database)
    raw = Raw("dldb")
    raw.skip("calls, ranges and steps of a database of DLProf")
    texts = dict(rows(database, tables, "dictionary", "id", "string"))
    domain = {op: number for op, number in rows(database, tables, "read_only_ops", "id", "domain_id")}
    first = min(domain.values(), default=None)
    for kind, name, size in (("kernel", "long_name_id", "NULL"), ("memcpy", "copy_kind", "num_bytes"),
                             ("memset", "NULL", "num_bytes")):
        for op, start, end, device, process, told, moved in rows(
                database, tables, "read_only_%ss" % kind, "read_only_ops_id", "gpu_start", "gpu_stop",
                "device_id", "process_id", name, size):
            text = kind
            if kind == "kernel":
                text = texts.get(told, "")
            elif kind == "memcpy":
                text = COPIES.get(told, "Unknown")
            if domain.get(op, first) == first:
                raw.work.append(Work(process, device, 0, kind, text, start, end, moved))
    return raw
