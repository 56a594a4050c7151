# SPDX-License-Identifier: Apache-2.0
"""Compares what the rows of a file add up to with what the program says of it."""
import collections
import re

import defined
import ops
import steps
import sums
from program import Refused
from raw import Raw
from text import visible

SIZES = re.compile(r", (sizes|seq|op_id|types|values) = .*", re.DOTALL)
MOST_SHOWN = 12  # differences of a figure that are printed one by one
Difference = collections.namedtuple("Difference", "figure name mine theirs")


class Result:
    def __init__(self, raw):
        self.raw = raw
        self.compared, self.differences, self.notes = collections.Counter(), [], list(raw.skipped)

    def same(self, figure, name, mine, theirs):
        self.compared[figure] += 1
        if mine != theirs:
            self.differences.append(Difference(figure, name, mine, theirs))

    def tables(self, figure, mine, theirs):
        """Two dicts of figures by name."""
        for name in sorted(set(mine) | set(theirs), key=str):
            self.same(figure, name, mine.get(name), theirs.get(name))

    def sets(self, figure, mine, theirs):
        """Two collections of figures whose names do not agree."""
        mine, theirs = collections.Counter(mine), collections.Counter(theirs)
        self.compared[figure] += sum(theirs.values())
        left = sorted((mine - theirs).elements(), key=str)
        right = sorted((theirs - mine).elements(), key=str)
        for index in range(max(len(left), len(right))):
            one = [rows[index] if index < len(rows) else None for rows in (left, right)]
            self.differences.append(Difference(figure, "(one of a set)", *one))

    def report(self, path, verbose):
        """Prints what differs, and returns how many differences nothing defines."""
        faults, shown = 0, collections.Counter()
        reasons = collections.Counter()
        lines = []
        for one in self.differences:
            reason = defined.reason(path, one)
            if reason:
                reasons[reason] += 1
                continue
            faults += 1
            shown[one.figure] += 1
            if shown[one.figure] <= MOST_SHOWN:
                lines.append("    %s of %s: %s in the file, %s in the program" % (
                    one.figure, str(one.name)[:160], one.mine, one.theirs))
        for figure, count in shown.items():
            if count > MOST_SHOWN:
                lines.append("    %s: %d more" % (figure, count - MOST_SHOWN))
        count = sum(self.compared.values())
        result = "DIFFERS" if faults else "same" if count else "NOTHING COMPARED"
        differ = ", %d differ" % faults if faults else ""
        print("%s %s: %d figures%s" % (result, path, count, differ))
        if verbose:
            print("    compared: " + ", ".join("%d %s" % row[::-1] for row in sorted(self.compared.items())))
        for line in lines:
            print(line)
        for note in self.notes:
            print("    not compared: " + note)
        for reason, count in reasons.items():
            print("    %d differ as defined: %s" % (count, reason))
        return faults


def profile(program, path, raw):
    result = Result(raw)
    if raw.work:
        kernels(result, program, path)
        copies(result, program, path)
        devices(result, program, path)
    if raw.calls:
        calls(result, program, path)
    if raw.ranges:
        ranges(result, program, path)
    for part in (ops.compare, steps.compare):
        try:
            part(result, program, path)
        except Refused as refusal:
            result.notes.append(str(refusal))
    return result


def run(program, folder, raws):
    """The traces of a folder are the ranks of one run, whose kernels are those of all; one that holds what
    others hold together is left out."""
    whole = Raw("kineto")
    rows = [collections.Counter((work.name, work.start, work.end) for work in raw.work) for raw in raws]
    left = sorted(range(len(raws)), key=lambda index: -len(raws[index].work))
    for index in list(left):
        others = sum((rows[other] for other in left if other != index), collections.Counter())
        if rows[index] and not rows[index] - others:
            whole.skip("a file of the folder that holds what others do")
            left.remove(index)
    for index in left:
        whole.work += raws[index].work
    result = Result(whole)
    kernels(result, program, folder)
    copies(result, program, folder)
    return result


def kernels(result, program, path):
    rows = [row for row in program.report("kernels", [path], ("full", "kind", "calls", "gpu_total", "gpu_min",
                                                              "gpu_max")) if row["kind"] == "kernel"]
    theirs = {visible(row["full"]): figures(row, "calls", "gpu_total", "gpu_min", "gpu_max") for row in rows}
    mine = {visible(name): row for name, row in sums.kernels(result.raw).items()}
    if result.raw.names_are_told:
        result.tables("kernel calls, sum, least, most", mine, theirs)
    else:
        result.sets("kernel calls, sum, least, most", mine.values(), theirs.values())


def copies(result, program, path):
    mine, theirs = sums.copies(result.raw), {}
    rows = program.report("memory", [path], ("operation", "memory", "calls", "gpu_total", "gpu_min",
                                             "gpu_max", "bytes", "bytes_min"))
    for row in rows:
        name = row["operation"].strip("[]").replace("CUDA ", "").replace("memcpy ", "")
        if row["memory"] == "all" or name not in theirs:
            theirs[name] = figures(row, "calls", "gpu_total", "gpu_min", "gpu_max", "bytes", "bytes_min")
    result.tables("copy calls, sum, least, most, bytes, least bytes", mine, theirs)


def devices(result, program, path):
    rows = program.report("devices", [path], ("device", "used", "busy_ns", "kernels", "copies", "copy_ns"))
    theirs = [figures(row, "busy_ns", "kernels", "copies", "copy_ns") for row in rows if row["used"]]
    # Processes that count GPUs from 0 each may mean one GPU or several: the program says how many there are.
    told = len({work.device for work in result.raw.work if isinstance(work.device, tuple)})
    together = len(theirs) == len({work.device for work in result.raw.work})
    mine = sums.devices(result.raw, lambda process, device: device if together or told else (process, device))
    result.sets("GPU: busy time, kernels, copies, copy time", mine.values(), theirs)


def calls(result, program, path):
    rows = program.report("api", [path], ("api", "calls", "total", "min", "max"))
    theirs = {visible(row["api"]): figures(row, "calls", "total", "min", "max") for row in rows}
    mine = {visible(name): row for name, row in sums.calls(result.raw).items()}
    if result.raw.names_are_told:
        result.tables("API calls, sum, least, most", mine, theirs)
    else:
        result.sets("API calls, sum, least, most", mine.values(), theirs.values())


def ranges(result, program, path):
    rows = program.report("ranges", [path], ("range", "style", "calls", "ops", "gpu_total", "gpu_min",
                                             "gpu_max", "range_total", "all_calls", "all_range_total"))
    theirs, mine = {}, {}
    for row in rows:
        # Ranges of traces have numbers and sizes behind the name. Where none launched, calls has all of them.
        launched = row["gpu_total"] is not None
        name = SIZES.sub("", row["range"]) if result.raw.form == "kineto" else row["range"]
        add(theirs, (visible(name), row["style"]), (
            row["calls"] if launched else 0, row["ops"] or 0, row["gpu_total"] or 0, row["gpu_min"],
            row["gpu_max"], row["range_total"] if launched else 0, row["all_calls"], row["all_range_total"]))
    for (name, style), row in sums.projections(result.raw).items():
        name = SIZES.sub("", name) if result.raw.form == "kineto" else name
        add(mine, (visible(name), style), tuple(row))
    result.tables("range calls, launches, projected sum, least, most, length, all calls, all length", mine,
                  theirs)


def add(rows, key, row):
    """Adds figures of a range up: sums, but of the least and the most."""
    before = rows.get(key)
    if before:
        least = [value for value in (before[3], row[3]) if value is not None]
        most = [value for value in (before[4], row[4]) if value is not None]
        row = tuple(left + right for left, right in zip(before[:3], row[:3])) + (
            min(least, default=None), max(most, default=None)) + tuple(
                left + right for left, right in zip(before[5:], row[5:]))
    rows[key] = row


def figures(row, *columns):
    return tuple(row[column] for column in columns)
