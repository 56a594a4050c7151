# SPDX-License-Identifier: Apache-2.0
"""same_as_dlprof.py CAPTURE LOG: whether the ops of a log are those of a capture by DLProf, one by one: place
and lines of the script, module, type, shapes and data types of tensors. What lies inside an op is left out,
as DLProf leaves it out; so are lines of PyTorch itself, which differ between its versions."""
import ast
import os
import sqlite3
import sys


def captured(path):
    """(start, end, text) of the ranges of a capture, outer ones first."""
    database = sqlite3.connect("file:%s?mode=ro&immutable=1" % path, uri=True)
    text = "coalesce(text, (SELECT value FROM StringIds WHERE id = textId))"
    return database.execute(
        "SELECT start, end, %s AS t FROM NVTX_EVENTS WHERE t LIKE '{''%%' ORDER BY start, end DESC" % text
    ).fetchall()


def logged(path):
    ranges, opened = [], []
    for number, line in enumerate(open(path, encoding="utf-8")):
        _, _, what, text = line.rstrip("\n").split("\t", 3)
        if what == "B":
            opened.append(len(ranges))
            ranges.append([number, None, text])
        elif what == "E":
            ranges[opened.pop()][1] = number
    return [one for one in ranges if one[2].startswith("{'")]


def ops(ranges, script):
    trace, end = None, -1
    for start, stop, text in ranges:
        said = ast.literal_eval(text)
        if "traceMarker" in said:
            if start > end:
                trace = said
        elif "op" in said and start > end:
            end = stop
            lines = [os.path.basename(line) for line in trace["traceMarker"] if script in line]
            tensors = [(a["shape"], a["dtype"]) for a in said["args"] if a["type"] == "tensor"]
            yield trace["funcStack"], lines, said["mod"], said["op"], tensors


def main():
    theirs = list(ops(captured(sys.argv[1]), "dummy_network.py"))
    ours = list(ops(logged(sys.argv[2]), "dummy_network.py"))
    for their, our in zip(theirs, ours):
        if their != our:
            print("# DLProf: %s\n# here:   %s" % (their, our))
    if len(theirs) != len(ours):
        print("# DLProf has %d ops, here are %d" % (len(theirs), len(ours)))
    print("# %d ops" % len(ours))
    return theirs != ours


if __name__ == "__main__":
    sys.exit(main())
