# SPDX-License-Identifier: Apache-2.0
"""Operators of traces by name: calls, and time of what their own calls launch."""
import collections


def enclosing(ranges, points):
    """Of each point (start, end) of a thread the index of the innermost of these ranges that holds all of it, or
    None; ranges are sorted by (start, -end)."""
    found, stack, at = [], [], 0
    for start, end in points:
        while at < len(ranges) and ranges[at].start <= start:
            while stack and ranges[stack[-1]].end <= ranges[at].start and ranges[stack[-1]].end < ranges[at].end:
                stack.pop()
            stack.append(at)
            at += 1
        inner = len(stack) - 1
        while inner >= 0 and not (ranges[stack[inner]].start <= start and end <= ranges[stack[inner]].end):
            inner -= 1
        found.append(stack[inner] if inner >= 0 else None)
    return found


def compare(result, program, path):
    raw = result.raw
    if raw.form != "kineto" or not any(one.kind == "op" for one in raw.ranges):
        return
    threads = collections.defaultdict(list)
    for one in raw.ranges:
        if one.kind == "op":
            threads[one.thread].append(one)
    launched = collections.Counter()
    for work in raw.work:
        if work.call is not None:
            launched[work.call] += work.end - work.start
    points = collections.defaultdict(list)
    for index in launched:
        points[raw.calls[index].thread].append((raw.calls[index].start, raw.calls[index].end, index))
    calls, device = collections.Counter(), collections.Counter()
    for thread, ops in threads.items():
        ops.sort(key=lambda one: (one.start, -one.end))
        for name, count in merged_calls(ops).items():
            calls[name] += count
        here = sorted(points[thread])
        for (_, _, index), owner in zip(here, enclosing(ops, [(start, end) for start, end, _ in here])):
            if owner is not None:
                device[ops[owner].text] += launched[index]
    rows = program.report("operators", [path], ("operator", "calls", "device_self"))
    result.tables("operator calls", dict(calls), {row["operator"]: row["calls"] for row in rows})
    if all(work.call is not None for work in raw.work):
        result.tables("operator device self", {name: device[name] for name in calls},
                      {row["operator"]: row["device_self"] or 0 for row in rows})
    else:
        result.notes.append("device time of operators: work without a launch in the file")


def merged_calls(ops):
    """How often each ran: one with a single operator of its own name in it is one call with that."""
    children = collections.defaultdict(list)
    stack = []
    for index, one in enumerate(ops):
        while stack and not (one.start < ops[stack[-1]].end and one.end <= ops[stack[-1]].end):
            stack.pop()
        if stack:
            children[stack[-1]].append(index)
        stack.append(index)
    inner = {within[0] for outer, within in children.items()
             if len(within) == 1 and ops[within[0]].text == ops[outer].text}
    return collections.Counter(one.text for index, one in enumerate(ops) if index not in inner)
