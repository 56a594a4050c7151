# SPDX-License-Identifier: Apache-2.0
"""What the tests of the markers share: a sink that keeps ranges as a tree."""
import ast
import contextlib
import threading

import dlprof_tui_markers as markers


class Range:
    def __init__(self, text, thread):
        self.text = text
        self.thread = thread
        self.inner = []
        self.is_closed = False

    def walk(self):
        yield self
        for inner in self.inner:
            yield from inner.walk()


class TreeSink(markers.NullSink):
    def __init__(self):
        self.tops = []
        self.open = {}
        self.loose = []  # texts of ranges that nest with no other

    def push(self, text):
        opened = self.open.setdefault(threading.get_ident(), [])
        one = Range(text, threading.get_ident())
        (opened[-1].inner if opened else self.tops).append(one)
        opened.append(one)

    def pop(self):
        self.open[threading.get_ident()].pop().is_closed = True

    def begin(self, text):
        self.loose.append(text)
        return text

    def all(self):
        for top in self.tops:
            yield from top.walk()

    def texts(self):
        return [one.text for one in self.all()]

    def depth(self):
        return sum(len(opened) for opened in self.open.values())


class Op:
    def __init__(self, trace, marker, layers, loose):
        self.stack = trace["traceMarker"]
        self.path = trace["funcStack"]
        self.mod, self.op, self.args = marker["mod"], marker["op"], marker["args"]
        self.layers = layers
        self.inner = loose

    def tensors(self):
        return [(a["shape"], a["dtype"]) for a in self.args if a["type"] == "tensor"]

    def tail(self, parts):
        return "/".join(self.path.split("/")[-parts:])


def ops(sink):
    """The ops of a sink, those inside another one too, in order of their calls."""

    def below(one, trace, layers):
        if one.text.startswith("{'traceMarker'"):
            trace = ast.literal_eval(one.text)
        elif one.text.startswith("{'mod'"):
            yield Op(trace, ast.literal_eval(one.text), layers, [i.text for i in one.inner])
        elif one.text.startswith("layer:"):
            layers = layers + (one.text[6:],)
        for inner in one.inner:
            yield from below(inner, trace, layers)

    return [op for top in sink.tops for op in below(top, None, ())]


@contextlib.contextmanager
def marked(**words):
    """Markers of what runs inside, as a TreeSink."""
    one = markers._markers
    sink = one.sink = TreeSink()
    one.names, one.root = markers._Names(), markers._Path("", ())
    one.has_layers, one.has_backward = words.get("layers", True), words.get("backward", True)
    one.every, one.step, one.config, one.errors = words.get("every", 1), 0, None, 0
    one.step_optimizer, one.amp, one.is_compiled = None, False, False
    markers.start()
    try:
        yield sink
    finally:
        markers.stop()
        one.sink = markers.NullSink()
    assert one.errors == 0, "a marker failed"
    assert sink.depth() == 0, "ranges are left open"
