# SPDX-License-Identifier: Apache-2.0
"""Reads traces of the PyTorch Profiler, event by event, so that a damaged file has the others. Times are made
of their digits."""
import collections
import gzip
import json
import re

from raw import Call, Range, Raw, Work

WORK = {"kernel": "kernel", "gpu_memcpy": "memcpy", "memcpy": "memcpy", "gpu_memset": "memset",
        "memset": "memset"}
DIRECTIONS = {"H": "Host", "D": "Device", "A": "Array", "P": "Peer"}
BLANK = re.compile(r"[\s,]*")
NEXT_EVENT = re.compile(r"\}\s*,\s*\{")
# Ranges of PyTorch up to 1.11 that are no operators, though their category says so.
ANNOTATION = re.compile(r"ProfilerStep#|enumerate\(Data|Optimizer\.")


def is_trace(path):
    with (gzip.open if open(path, "rb").read(2) == b"\x1f\x8b" else open)(path, "rb") as file:
        head = file.read(1 << 16)
    return head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[") and (
        b'"traceEvents"' in head or b'"ph"' in head)


def nanoseconds(text):
    """Microseconds as they stand in the file."""
    if isinstance(text, bool) or text is None:
        return None
    text = str(text)
    if not re.fullmatch(r"-?\d+(\.\d*)?", text):
        try:
            return round(float(text) * 1000)
        except (ValueError, OverflowError):
            return None
    whole, _, part = text.partition(".")
    value = abs(int(whole)) * 1000 + int((part + "000")[:3])
    return -value if text.startswith("-") else value


def whole(value):
    try:
        return int(value)
    except (TypeError, ValueError):
        return None


def events_of(path, raw):
    """The events of all documents of the file. Behind one that is no JSON it goes on at the next."""
    data = open(path, "rb").read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    text = data.decode("utf-8-sig", "replace")
    del data
    decoder = json.JSONDecoder(strict=False, parse_float=str)
    lists = [found.end() for found in re.finditer(r'"traceEvents"\s*:\s*\[', text)]
    reached = 0
    for at in lists or [text.find("[") + 1]:
        if at < reached:
            continue  # a text within an event
        while True:
            at = BLANK.match(text, at).end()
            if text[at:at + 1] in ("]", ""):
                break
            try:
                event, at = decoder.raw_decode(text, at)
            except (ValueError, RecursionError):
                raw.damaged += 1
                found = NEXT_EVENT.search(text, at + 1)
                if not found:
                    at = len(text)
                    break
                at = found.end() - 1
                continue
            if isinstance(event, dict):
                yield event
        reached = at
    if reached >= len(text):
        raw.skip("the file ends within its events")
    if raw.damaged:
        raw.skip("%d events that are no JSON" % raw.damaged)


def copy_direction(name):
    found = re.search(r"\b([HDAPM])to([HDAPM])\b|\b([MDHS])2([MDHS])\b", name)
    if not found:
        return "Peer-to-Peer" if "PtoP" in name else "Unknown"
    letters = [letter for letter in found.groups() if letter]
    if letters == ["P", "P"]:
        return "Peer-to-Peer"
    letters = ["H" if letter == "M" else letter for letter in letters]
    return "-to-".join(DIRECTIONS.get(letter, "?") for letter in letters)


def read(path):
    raw = Raw("kineto")
    for event in events_of(path, raw):
        if event.get("ph") != "X":
            continue
        category = str(event.get("cat", "")).lower()
        args = event.get("args") if isinstance(event.get("args"), dict) else {}
        start, length = nanoseconds(event.get("ts")), nanoseconds(event.get("dur", 0))
        if start is None or length is None:
            raw.skip("events without a time")
            continue
        name, end = str(event.get("name", "")), start + length
        external = whole(args.get("External id", args.get("external id")))
        correlation = whole(args.get("correlation"))
        thread = event.get("pid"), event.get("tid")
        if category in WORK:
            kind = WORK[category]
            name = copy_direction(name) if kind == "memcpy" else kind if kind == "memset" else name
            device, stream = args.get("device", event.get("pid")), args.get("stream", event.get("tid"))
            raw.work.append(Work(0, device, stream, kind, name, start, end, whole(args.get("bytes")),
                                 correlation, None, external))
        elif category.endswith(("runtime", "_driver")):
            raw.calls.append(Call(event.get("pid"), thread, name, start, end, correlation))
        elif category in ("cpu_op", "operator", "user_annotation"):
            kind = "user" if category == "user_annotation" or ANNOTATION.match(name) else "op"
            raw.ranges.append(Range(event.get("pid"), thread, name, start, end, "PushPop", kind, external))
        elif category == "python_function" and "Python module id" in args:
            raw.ranges.append(Range(event.get("pid"), thread, name, start, end, "PushPop", "module"))
    if len({call.process for call in raw.calls}) > 1:
        own_streams(raw)
    elif raw.calls:
        raw.work = [work._replace(process=raw.calls[0].process) for work in raw.work]
    twice = raw.link()
    if twice:
        raw.skip("%d correlation ids are those of several calls: the first is taken" % len(twice))
    if not (raw.work or raw.calls or raw.ranges):
        raw.skip("no event of a known category")
    return raw


def own_streams(raw):
    """Work has no process in a trace. Of one with calls of several processes each stream belongs to that
    which launched most of what ran on it; where ids fit several alike, both go by their order."""
    calls = collections.defaultdict(dict)
    for call in sorted(raw.calls, key=lambda call: call.start):
        if call.correlation:
            calls[call.process].setdefault(call.correlation, call.start)
    streams = collections.defaultdict(list)
    for work in sorted(raw.work, key=lambda work: work.start):
        streams[work.device, work.stream].append(work)
    owner, devices = {}, {}
    for key, works in streams.items():
        fits = {process: sum(starts.get(work.correlation, work.start + 1) <= work.start for work in works)
                for process, starts in calls.items()}
        best = [process for process, count in fits.items() if count == max(fits.values())]
        free = [process for process in best if process not in devices.values()]
        owner[key] = devices.setdefault(key[0], (free or best or [None])[0])
        if owner[key] not in best and best:
            owner[key] = best[0]
    raw.work = [work._replace(process=owner[work.device, work.stream]) for work in raw.work]
