# SPDX-License-Identifier: Apache-2.0
"""Steps by the clock of the GPU."""
import collections
import re

import sums

COMMUNICATION = re.compile(r"nccl|rccl|AllReduce|AllGather|ReduceScatter", re.IGNORECASE)
LAUNCH = 30000  # ns from a call to its kernel, at least


def of_steps(raw, steps, groups, numbers):
    """Of each step its time by the GPU's clock and the busy time in it, means over the GPUs, which all have
    work of all steps. It begins with the wait for its first work on a stream that computes, when all work of
    others that began before has ended and the step has begun on the host; it ends where the next one begins,
    the last when its work has ended and so has the step on the host. Where the clocks do not agree its first
    and its last work are the bounds."""
    by_process = len({work.process for work in raw.work}) > 1
    gpus = sums.by(raw.work, lambda work: (work.process if by_process else None, work.device))
    computing = {(key, work.stream) for key, works in gpus.items() for work in works
                 if work.kind == "kernel" and not COMMUNICATION.search(work.name)}
    first, last, own = {}, {}, {}
    for number in numbers:
        for work in groups.get(number, ()):
            key = work.process if by_process else None, work.device
            own[id(work)] = number
            last[key] = max(last.get(key, work.end), work.end)
            if (key, work.stream) in computing:
                first[key, number] = min(first.get((key, number), work.start), work.start)
    found = collections.defaultdict(list)
    for key, works in gpus.items():
        agree = clocks_agree(raw, works, steps)
        hosts = {step.number: step for step in steps if key[0] in (None, step.process)}
        timeline = sums.Timeline(sums.spans(works))
        works = sorted(works, key=lambda work: work.start)
        begin, at, reached = [], 0, {}  # reached: where the work of each step that began so far ends
        for number in numbers:
            low = first.get((key, number))
            if low is None or number not in hosts:
                return {}
            while at < len(works) and works[at].start < low:
                step = own.get(id(works[at]))
                reached[step] = max(reached.get(step, 0), works[at].end)
                at += 1
            others = [end for step, end in reached.items() if step != number]
            begin.append(min(low, max(others + [hosts[number].start])) if agree else low)
        begin.append(max(last[key], hosts[numbers[-1]].end) if agree else last[key])
        for number, low, high in zip(numbers, begin, begin[1:]):
            if low >= high:
                return {}
            found[number].append((high - low, timeline.busy(low, high)))
    return {number: tuple(sum(column) // len(rows) for column in zip(*rows))
            for number, rows in found.items()}


def clocks_agree(raw, works, steps):
    """Whether the shortest time from a call to its work is one that a launch takes: only then are times of
    the host times of the GPU."""
    delays = [work.start - raw.calls[work.call].start for work in works if work.call is not None]
    length = max(step.end - step.start for step in steps)
    return bool(delays) and abs(min(delays)) <= max(LAUNCH, length / 20)
