# SPDX-License-Identifier: Apache-2.0
"""recompute.py PROGRAM [--verbose] PROFILE|FOLDER...: reads profiles by itself, asks the program for the same
figures and prints each that differs. Status 1 where one does that defined.py has not."""
import argparse
import collections
import os
import sys

import compare
import raw_dldb
import raw_kineto
import raw_nsys
import raw_nvprof
from program import Program, Refused


def reader_of(path):
    """What reads this file, by its content; None: no profile that this knows, with the reason."""
    with open(path, "rb") as file:
        head = file.read(4096)
    if head.startswith(b"SQLite format 3\0"):
        tables = raw_nsys.tables_of(raw_nsys.open_database(path))
        if "StringTable" in tables and any(name.startswith("CUPTI_ACTIVITY_KIND_") for name in tables):
            return raw_nvprof.read, None
        if "StringIds" in tables:
            return raw_nsys.read, None
        if "read_only_kernels" in tables:
            return raw_dldb.read, None
        return None, "no tables of nsys, nvprof or DLProf"
    if raw_kineto.is_trace(path):
        return raw_kineto.read, None
    return None, "neither a database nor a trace"


def profiles(paths):
    for path in paths:
        if not os.path.isdir(path):
            yield path
            continue
        for folder, folders, names in os.walk(path):
            folders[:] = sorted(name for name in folders if name not in ("golden", "memory", "hooks"))
            for name in sorted(names):
                if name.endswith((".sqlite", ".db", ".sql", ".json", ".json.gz", ".nvprof")):
                    yield os.path.join(folder, name)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--verbose", action="store_true", help="say what was compared of each profile")
    parser.add_argument("profiles", nargs="+")
    options = parser.parse_args()
    program, faults, compared = Program(options.program), 0, collections.Counter()
    runs = collections.defaultdict(list)  # traces by folder
    for path in profiles(options.profiles):
        read, why = reader_of(path)
        if not read:
            print("skipped %s: %s" % (path, why))
            continue
        raw = read(path)
        raw.set_aside()
        if raw.form == "kineto":
            runs[os.path.dirname(path)].append(raw)
        try:
            result = compare.profile(program, path, raw)
        except Refused as refusal:
            print("skipped %s: %s" % (path, refusal))
            continue
        faults += result.report(path, options.verbose)
        compared.update(result.compared)
        sys.stdout.flush()
    for folder, raws in runs.items():
        if len(raws) > 1 and not any(raw.damaged for raw in raws) and os.path.isdir(folder):
            result = compare.run(program, folder, raws)
            faults += result.report(folder, options.verbose)
            compared.update(result.compared)
    print("compared: " + ", ".join("%d %s" % (count, what) for what, count in sorted(compared.items())))
    print("%d differences that nothing defines" % faults)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
