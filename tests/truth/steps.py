# SPDX-License-Identifier: Apache-2.0
"""Steps by the launch: which ranges of the host are steps, and which work each launches."""
import bisect
import collections
import re

import periods
from text import visible

# What marks steps, by ../../docs/decisions.md and the sources of the frameworks: (name, text). The group is
# the number of the step; servers tell none but TensorRT-LLM: a step of theirs has its place in the order.
TEXTS = [
    ("ProfilerStep#N", re.compile(r"ProfilerStep#(\d+)$")),
    ("step N", re.compile(r"(?:train(?:ing)?[ _])?(?:step|iteration|iter|batch)[ _:#]*(\d+)$", re.I)),
    ("TensorRT-LLM", re.compile(r"\[Executor\] _forward_step (\d+): \d+ ")),
    ("vLLM", re.compile(r"execute_new_\d+_cached_\d+|"
                        r"execute_(?:\d+_)?context_\d+\(.*\)_generation_\d+\(.*\)")),
    ("SGLang", re.compile(r"step\[[A-Z_]+ bs=\d+.*\]$")),
    ("ATOM", re.compile(r"(?:prefill|decode)\[bs=\d+.*\]$")),
]
COVERAGE = 0.8  # of the launches of a process lie in its steps
# follows: where the next one of the process starts, None of the last.
Step = collections.namedtuple("Step", "number process start end follows")
EITHER = object()  # which step the work belongs to, the file does not tell


def nests(ranges):
    reached = None
    for one in ranges:
        if reached is not None and one.start < reached:
            return True
        reached = one.end
    return False


def candidates(raw, launches):
    """What marks steps, each by process: (length of the ranges, ranges in order, their numbers)."""
    threads = collections.defaultdict(list)
    for one in raw.ranges:
        for name, text in TEXTS:
            match = text.match(one.text or "")
            if match:
                threads[name, one.process, one.thread].append((one, int(match[1]) if text.groups else None))
                break
    found = collections.defaultdict(dict)
    for (name, process, _), rows in threads.items():
        rows.sort(key=lambda row: (row[0].start, -row[0].end))
        ranges = [row[0] for row in rows]
        own = launches.get(process, [])
        covered = sum(bisect.bisect_right(own, one.end) - bisect.bisect_left(own, one.start)
                      for one in ranges)
        if nests(ranges) or covered < COVERAGE * len(own) and name != TEXTS[0][0]:
            continue
        length = sum(one.end - one.start for one in ranges)
        if process not in found[name] or length > found[name][process][0]:
            found[name][process] = length, ranges, [
                index if number is None else number for index, (_, number) in enumerate(rows)]
    return {name: rows for name, rows in found.items() if rows}


def find(raw):
    """What marks the steps of the file, and these; None and [] where nothing does that this knows. The
    profiler's own come first, then the outermost."""
    launches = collections.defaultdict(list)
    for work in raw.work:
        if work.call is not None:
            launches[work.process].append(raw.calls[work.call].start)
    for own in launches.values():
        own.sort()
    found = candidates(raw, launches)
    if not found:
        return None, []
    name = max(found, key=lambda name: (name == TEXTS[0][0], sum(row[0] for row in found[name].values())))
    steps = []
    for process, (_, ranges, numbers) in found[name].items():
        merged = []  # several ranges of one number, one behind the other, are one step
        for one, number in zip(ranges, numbers):
            if merged and merged[-1][0] == number:
                merged[-1][2] = one.end
            else:
                merged.append([number, one.start, one.end])
        for index, (number, start, end) in enumerate(merged):
            after = merged[index + 1][1] if index + 1 < len(merged) else None
            steps.append(Step(number, process, start, end, after))
    return name, steps


def owners(raw, steps):
    """Of each piece of work the number of the step whose range its launch lies in, None outside of all,
    EITHER where it lies between two. Work without a launch is of the step of which the launched work before
    and after it on its stream is, of none where these differ or there is none before."""
    by_process = collections.defaultdict(list)
    for step in steps:
        by_process[step.process].append(step)
    begins = {process: [step.start for step in own] for process, own in by_process.items()}
    found = [None] * len(raw.work)
    streams = collections.defaultdict(list)
    for index, work in enumerate(raw.work):
        streams[work.process, work.device, work.stream].append((work.start, index))
        own = by_process.get(work.process)
        if work.call is None or not own:
            continue
        at = raw.calls[work.call].start
        step = own[max(0, bisect.bisect_right(begins[work.process], at) - 1)]
        if step.start <= at <= step.end:
            found[index] = step.number
        elif at > step.end and step.follows is not None:
            found[index] = EITHER
    for rows in streams.values():
        before, lost = None, []
        for _, index in sorted(rows):
            if raw.work[index].call is None:
                lost.append(index)
                continue
            for one in lost:
                found[one] = found[index] if before == found[index] else None
            before, lost = found[index], []
    return found


def compare(result, program, path):
    raw = result.raw
    if not raw.ranges and not raw.calls:
        return
    name, steps = find(raw)
    rows = program.report("iterations", [path], ("iteration", "start", "host", "gpu", "busy", "kernels",
                                                 "work", "work_time", "cut"))
    chosen = [row for row in program.report("candidates", [path], ("text", "chosen", "confidence"))
              if row["chosen"]]
    if steps:
        numbers = sorted({step.number for step in steps})
        given = [row["iteration"] for row in rows] if chosen else []
        result.same("numbers of the steps", name, numbers, given)
        if numbers != given:
            return
    elif chosen:
        result.notes.append("which ranges are steps: the program goes by %s (%s)" % (
            chosen[0]["text"], chosen[0]["confidence"]))
        return
    else:
        return
    own = owners(raw, steps)
    unsure = launches(result, program, path, own)
    groups = collections.defaultdict(list)
    for work, number in zip(raw.work, own):
        groups[number].append(work)
    known = [] if unsure is None else [number for number in numbers if number not in unsure]
    by_step(result, steps, groups, rows, known)
    kernels_of(result, program, path, groups, known)


def launches(result, program, path, own):
    """Each piece of work and its step. Returns the steps of which a piece may be that is not known here."""
    raw = result.raw
    if not raw.work:
        return set()
    rows = program.report("launches", [path], ("start", "gpu", "iteration", "kind"))
    if len(rows) != len(raw.work):
        result.notes.append("work by step: %d rows in the file, %d in the program" % (
            len(raw.work), len(rows)))
        return None
    offset = min(row["start"] for row in rows) - min(work.start for work in raw.work)
    theirs = collections.defaultdict(list)
    for row in rows:
        theirs[row["start"] - offset, row["gpu"], row["kind"]].append(row["iteration"])
    mine = collections.defaultdict(list)
    for work, number in zip(raw.work, own):
        mine[work.start, work.end - work.start, work.kind].append(number)
    wrong, unsure, told = collections.Counter(), set(), 0
    for key, numbers in mine.items():
        given = collections.Counter(theirs.get(key, ()))
        for number in numbers:
            if number is not EITHER and given[number] > 0:
                given[number] -= 1
            elif number is not EITHER:
                wrong[number] += 1
            told += number is not EITHER
        unsure.update(given.elements() if EITHER in numbers else ())
    result.compared["launches in their step"] += told
    for number, count in sorted(wrong.items(), key=str):
        result.same("launches in their step", "step %s" % number, "%d more" % count, "elsewhere")
    hidden = sum(number is EITHER for number in own)
    if hidden:
        result.notes.append("%d of %d rows of work: the file does not tell their step" % (hidden, len(own)))
    return unsure


def by_step(result, steps, groups, rows, known):
    raw = result.raw
    theirs = {row["iteration"]: row for row in rows}
    by_gpu = periods.of_steps(raw, steps, groups, sorted(theirs))
    for number, row in theirs.items():
        if number not in known:
            continue
        group = groups.get(number, [])
        mine = (sum(work.kind == "kernel" for work in group), len(group),
                sum(work.end - work.start for work in group))
        result.same("kernels, work, time launched in a step", number, mine,
                    (row["kernels"], row["work"], row["work_time"]))
        if number in by_gpu and row["gpu"] is not None and not row["cut"]:
            period, busy = by_gpu[number]
            told = round(row["busy"] * row["gpu"])  # means of GPUs are whole nanoseconds
            result.same("GPU period and busy time of a step", number, (period, busy),
                        (row["gpu"], busy if abs(told - busy) <= 8 else told))
    # A step begins in the process that is first; the first of all is where both clocks meet.
    starts = collections.defaultdict(list)
    for step in steps:
        starts[step.number].append(step.start)
    number = min(starts)
    zero = theirs[number]["start"] - min(starts[number])
    for number, times in starts.items():
        result.same("start of a step", number, min(times) + zero, theirs[number]["start"])
    if len({step.process for step in steps}) == 1:
        for step in steps:
            if step.follows is not None:
                result.same("host period of a step", step.number, step.follows - step.start,
                            theirs[step.number]["host"])


def kernels_of(result, program, path, groups, numbers):
    """Kernels by name of the first, the middle and the last step alone."""
    for number in {numbers[0], numbers[len(numbers) // 2], numbers[-1]} if numbers else ():
        rows = program.report("kernels", [path], ("full", "kind", "calls", "gpu_total"),
                              "--iters=%d" % number)
        mine = collections.defaultdict(lambda: [0, 0])
        for work in groups.get(number, ()):
            if work.kind == "kernel":
                mine[visible(work.name)][0] += 1
                mine[visible(work.name)][1] += work.end - work.start
        theirs = {visible(row["full"]): [row["calls"], row["gpu_total"]]
                  for row in rows if row["kind"] == "kernel"}
        if result.raw.names_are_told:
            result.tables("kernel calls and sum in a step",
                          {(number, name): row for name, row in mine.items()},
                          {(number, name): row for name, row in theirs.items()})
