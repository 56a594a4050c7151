# SPDX-License-Identifier: Apache-2.0
"""Sums, unions and projections of the rows of a file."""
import bisect
import collections
import re

VERSION = re.compile(r"_v\d{4}$")  # as the tracer adds it


class Timeline:
    """Intervals, merged: the time in which at least one runs."""

    def __init__(self, intervals):
        self.starts, self.ends, self.before = [], [], [0]  # before: busy time before each merged interval
        for start, end in sorted(intervals):
            if self.ends and start <= self.ends[-1]:
                self.ends[-1] = max(self.ends[-1], end)
            else:
                self.starts.append(start)
                self.ends.append(end)
        for start, end in zip(self.starts, self.ends):
            self.before.append(self.before[-1] + end - start)

    def until(self, time):
        index = bisect.bisect_right(self.starts, time)
        return self.before[index] - max(0, self.ends[index - 1] - time) if index else 0

    def busy(self, low, high):
        return self.until(high) - self.until(low)


def union(intervals):
    return Timeline(intervals).before[-1]


def spread(rows):
    """calls, sum, least and most of (start, end) rows."""
    lengths = [end - start for start, end in rows]
    return len(lengths), sum(lengths), min(lengths), max(lengths)


def by(items, key):
    groups = collections.defaultdict(list)
    for item in items:
        groups[key(item)].append(item)
    return groups


def spans(items):
    return [(item.start, item.end) for item in items]


def kernels(raw):
    groups = by((work for work in raw.work if work.kind == "kernel"), lambda work: work.name)
    return {name: spread(spans(group)) for name, group in groups.items()}


def copies(raw):
    """calls, sum, least, most, bytes and least bytes by direction; bytes that are not told are not 0."""
    groups = by((work for work in raw.work if work.kind in ("memcpy", "memset")), lambda work: work.name)
    found = {}
    for name, group in groups.items():
        sizes = [work.bytes for work in group if work.bytes is not None]
        found[name] = spread(spans(group)) + (sum(sizes) if sizes else None, min(sizes, default=None))
    return found


def calls(raw):
    groups = by(raw.calls, lambda call: VERSION.sub("", call.name))
    return {name: spread(spans(group)) for name, group in groups.items()}


def devices(raw, identity):
    """Of each GPU: time with any work on it, kernels, copies with sets, the time of those that are no
    communication, as copies between GPUs are."""
    figures = {}
    for device, group in by(raw.work, lambda work: identity(work.process, work.device)).items():
        moved = [work for work in group if work.kind in ("memcpy", "memset")]
        figures[device] = (union(spans(group)), sum(work.kind == "kernel" for work in group), len(moved),
                           sum(work.end - work.start for work in moved if work.name != "Peer-to-Peer"))
    return figures


def projections(raw):
    """Of ranges by text and style: calls with work, calls that launched, their projected time, its least and
    most, their length on the host, all calls, all their length."""
    worked = collections.defaultdict(lambda: [None, None, 0])  # of a call: first start, last end, works
    for work in raw.work:
        if work.call is not None:
            span = worked[work.call]
            span[0] = work.start if span[0] is None else min(span[0], work.start)
            span[1] = work.end if span[1] is None else max(span[1], work.end)
            span[2] += 1
    threads = collections.defaultdict(list)
    for index in worked:
        threads[raw.calls[index].thread].append((raw.calls[index].start, index))
    starts = {}
    for thread, launches in threads.items():
        launches.sort()
        starts[thread] = [start for start, _ in launches]
    figures = collections.defaultdict(lambda: [0, 0, 0, None, None, 0, 0, 0])
    for one in raw.ranges:
        if not one.text:
            continue
        row = figures[one.text, one.style]
        row[6] += 1
        row[7] += one.end - one.start
        first, last, launches = None, None, threads.get(one.thread, ())
        count = 0
        at = bisect.bisect_left(starts.get(one.thread, ()), one.start)
        while at < len(launches) and launches[at][0] <= one.end and one.kind != "away":
            index = launches[at][1]
            at += 1
            if raw.calls[index].end > one.end:
                continue
            begin, end, _ = worked[index]
            first = begin if first is None else min(first, begin)
            last = end if last is None else max(last, end)
            count += 1
        if count:
            length = last - first
            row[0] += 1
            row[1] += count
            row[2] += length
            row[3] = length if row[3] is None else min(row[3], length)
            row[4] = length if row[4] is None else max(row[4], length)
            row[5] += one.end - one.start
    return figures
