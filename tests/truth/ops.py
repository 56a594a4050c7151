# SPDX-License-Identifier: Apache-2.0
"""Operators by name: calls, and time of what their own calls launch."""
import collections
import re

# Of captures of nsys: what emit_nvtx and nsys's --pytorch write. DLProf's markers are operators, too, but
# have the name within a dictionary.
OPERATOR = re.compile(r"(aten::[^,]+)|(\w+Backward\d*)(, |$)")


def enclosing(ranges, points):
    """Of each point (start, end), in order, the index of the innermost range that holds all of it, or None;
    ranges are sorted by (start, -end)."""
    found, stack, at = [], [], 0
    for start, end in points:
        while at < len(ranges) and ranges[at].start <= start:
            stack.append(at)
            at += 1
        while stack and ranges[stack[-1]].end < start:
            stack.pop()
        found.append(next((index for index in reversed(stack) if ranges[index].end >= end), None))
    return found


def operators(raw):
    """Operators of each thread in order, outer ones first."""
    threads = collections.defaultdict(list)
    for one in raw.ranges:
        match = OPERATOR.match(one.text or "") if raw.form == "nsys" else None
        if match:
            one = one._replace(text=match[1] or match[2], kind="op")
        if one.kind == "op":
            threads[one.thread].append(one)
    for rows in threads.values():
        rows.sort(key=lambda one: (one.start, -one.end))
    return threads


def compare(result, program, path):
    raw = result.raw
    threads = operators(raw)
    if not threads:
        return
    points = collections.defaultdict(list)
    launched = collections.Counter()
    for work in raw.work:
        if work.call is not None:
            launched[work.call] += work.end - work.start
    for index in launched:
        points[raw.calls[index].thread].append((raw.calls[index].start, raw.calls[index].end, index))
    calls, device = collections.Counter(), collections.Counter()
    for thread, rows in threads.items():
        calls.update(merged_calls(rows))
        here = sorted(points[thread])
        for (_, _, index), owner in zip(here, enclosing(rows, [(start, end) for start, end, _ in here])):
            if owner is not None:
                device[rows[owner].text] += launched[index]
    if not by_external_id(raw, threads, device):
        result.notes.append("device time of operators: work has no launch, External ids are correlation ids")
        device = None
    rows = program.report("operators", [path], ("operator", "calls", "device_self"))
    rows = {row["operator"]: row for row in rows}
    if raw.form == "nsys":  # operators of other dialects are not read here
        rows = {name: row for name, row in rows.items() if OPERATOR.match(name)}
        if any(one.text and one.text.startswith("{") for one in raw.ranges):
            result.notes.append("operators: some are of DLProf's markers")
            return
    result.tables("operator calls", dict(calls), {name: row["calls"] for name, row in rows.items()})
    if device is not None:
        result.tables("operator device self", {name: device[name] for name in calls},
                      {name: row["device_self"] or 0 for name, row in rows.items()})


def by_external_id(raw, threads, device):
    """Work without a call is of the operator that has its External id, where these are no correlation ids."""
    lost = [work for work in raw.work if work.call is None]
    if not lost or raw.form != "kineto":
        return True
    same = sum(work.external == work.correlation for work in raw.work if work.external is not None)
    if same > len(raw.work) / 2:
        return False
    names = {}
    for rows in threads.values():
        for one in rows:
            if one.external is not None:
                names.setdefault(one.external, one.text)
    for work in lost:
        if work.external in names:
            device[names[work.external]] += work.end - work.start
    return True


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
