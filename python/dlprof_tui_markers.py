# SPDX-License-Identifier: Apache-2.0
"""Markers for PyTorch: adds source line, layer, shapes and data types of each op to a profile.

DLProf and PyProf recorded the call path of every op; both are discontinued. This file does so for PyTorch
1.13 and later with public hooks, in the same format, which dlprof-tui and DLProf read:

    {'traceMarker': ['train.py:34', ...], 'funcStack': '/<module>/Net::forward/linear'}
    {'mod': 'torch.nn.functional', 'op': 'linear', 'args': [{'name': '', 'type': 'tensor', ...}]}

    import dlprof_tui_markers; dlprof_tui_markers.init()      # in the script, or
    python -m dlprof_tui_markers train.py ...                 # without changing the script

How it works:

ops       A TorchFunctionMode sees every call of PyTorch's Python interface. Modes are per thread: new
          threads get it when they start, existing threads when they first call a module; threads of the
          backward pass inherit it from the thread that called backward().
layers    Global module hooks. They also record the frame of each running module, so that an op only
          walks the frames inside the innermost one.
backward  The graph nodes that an op created get a hook before and a hook after them, which open ranges
          for the layer and for `XBackward0, seq = N`; the op itself contains `aten::x, seq = N`. No tensor
          is kept alive.
others    Hooks of optimizers (from 2.1; before, their step is wrapped), data loaders and loss scaling.

Markers must never stop a training: code that describes ops is guarded; errors are counted and their
markers omitted. Ranges of a thread are closed by depth, so that ranges which an exception left open do
not affect others. Functions that torch.compile traces only test whether it is tracing, which folds away.
"""
import argparse
import atexit
import functools
import importlib
import inspect
import os
import re
import runpy
import sys
import threading
import time
import types
import weakref

import torch
from torch.overrides import TorchFunctionMode

__all__ = ["init", "start", "stop", "window", "wrap", "step"]

_OWN_FILE = os.path.abspath(__file__)
_CACHE_MOST = 20000  # maximum of texts in a cache; more means that they differ in every call
_ITEMS_MOST = 64  # maximum of arguments of an op, and of items of a list argument
_STRING_MOST = 200  # maximum of characters of a string argument
_KEY_MOST = 1000  # maximum of characters of a list in a cache key
_TEXT_MOST = 8192  # maximum of characters of a marker
_NODES_MOST = 32  # maximum of graph nodes marked per op
# Nodes that only permute dimensions of a gradient: they launch nothing, so their range would be empty.
# Those of view and reshape are not included, because they copy where a view is impossible.
_TURN_NODES = frozenset(
    """TBackward0 AliasBackward0 PermuteBackward0 TransposeBackward0 TransposeBackward1 UnsqueezeBackward0
    SqueezeBackward0 SqueezeBackward1""".split()
)
_MISSES_MOST = 16  # maximum of searches for modules that are created when called
_CONFIG_STEPS = 16  # settings are written again after this number of steps


def _never():
    return False


# PyTorch folds calls of exactly this function to True while tracing.
_is_compiling = getattr(getattr(torch, "compiler", None), "is_compiling", None) or getattr(
    getattr(torch, "_dynamo", None), "is_compiling", _never
)


# ---- sinks: destinations of ranges ---------------------------------------------------------------------


class NullSink:
    """Discards everything; measures the cost of the markers themselves."""

    name = "null"
    has_own_ranges = False  # PyTorch itself writes ranges of optimizers and loaders to this sink

    def push(self, text):
        pass

    def pop(self):
        pass

    def begin(self, text):  # begins a range that need not nest with others
        return None

    def end(self, handle):
        pass

    def close(self):
        pass


class NvtxSink(NullSink):
    """For nsys."""

    name = "nvtx"

    def __init__(self):
        nvtx = torch.cuda.nvtx
        nvtx.range_push("dlprof_tui_markers")  # raises if PyTorch was built without NVTX
        nvtx.range_pop()
        self.push = nvtx.range_push
        self.pop = nvtx.range_pop
        self.begin = getattr(nvtx, "range_start", self.begin)
        if hasattr(nvtx, "range_start"):
            self.end = nvtx.range_end


_QUOTED = re.compile(r"""'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)\"""")
_SOFT = str.maketrans({"'": "\u2019", '"': "\u201d", "\\": "/"})


def _without_escapes(text):
    """Returns a text without double quotes and backslashes. Traces of PyTorch up to 2.6 write names without
    escaping them, so these characters would break the JSON."""
    text = _QUOTED.sub(lambda found: "'%s'" % (found[1] or found[2] or "").translate(_SOFT), text)
    return text.replace('"', "'").replace("\\", "/")


class RecordFunctionSink(NullSink):
    """For the PyTorch Profiler. record_function itself is an op, which tracers put into their graph; the
    functions used here are not."""

    name = "record_function"
    has_own_ranges = True

    def __init__(self):
        self.open = threading.local()
        self.enter = torch.autograd._record_function_with_args_enter
        self.leave = torch.autograd._record_function_with_args_exit
        fast = getattr(getattr(torch._C, "_profiler", None), "_RecordFunctionFast", None)
        try:
            fast("", [], {"scope": "user_scope"})
        except TypeError:  # missing, or without a way to mark it as no op
            return

        def enter(text):
            record = fast(text, [], {"scope": "user_scope"})
            record.__enter__()  # has an effect only while a profiler runs
            return record

        def leave(record):
            try:
                record.__exit__(None, None, None)
            except RuntimeError:  # a profiler was started in between
                pass

        # A range of a profiler that has stopped ends with its object.
        self.enter, self.leave = enter, leave

    def push(self, text):
        if '"' in text or "\\" in text:
            text = _without_escapes(text)
        record = self.enter(text)
        if not hasattr(self.open, "records"):
            self.open.records = []
        self.open.records.append(record)

    def pop(self):
        self.leave(self.open.records.pop())


class LogSink(NullSink):
    """Writes a line per event: ns, thread, kind, text. B and E nest in a thread; S and F have a number."""

    name = "log"

    def __init__(self, path):
        self.file = open(path, "w", encoding="utf-8", errors="backslashreplace")
        self.lines = []
        self.count = 0
        self.lock = threading.Lock()

    def write(self, what, text):
        lines = self.lines
        lines.append((time.perf_counter_ns(), threading.get_ident(), what, text))
        if len(lines) >= 4096:
            self.flush()

    def push(self, text):
        self.write("B", text)

    def pop(self):
        self.write("E", "")

    def begin(self, text):
        self.count += 1
        self.write("S", "%d %s" % (self.count, text))
        return self.count

    def end(self, handle):
        self.write("F", "%d" % handle)

    def flush(self):
        with self.lock:
            lines, self.lines = self.lines, []
            for ns, thread, what, text in lines:
                self.file.write("%d\t%d\t%s\t%s\n" % (ns, thread, what, text.replace("\n", " ")))
            self.file.flush()

    def close(self):
        self.flush()


def _sink_make(name, log):
    if name == "auto":
        if log:
            name = "log"
        # nsys sets these variables to route NVTX.
        elif any(key in os.environ for key in ("NSYS_PROFILING_SESSION_ID", "NVTX_INJECTION64_PATH")):
            name = "nvtx"
        else:
            name = "record_function"
    makers = {
        "nvtx": NvtxSink,
        "record_function": RecordFunctionSink,
        "log": lambda: LogSink(log or "dlprof_tui_markers.log"),
        "null": NullSink,
    }
    try:
        return makers[name]()
    except Exception as error:
        _say("sink %s is not to be had (%r): no markers" % (name, error))
        return NullSink()


def _say(text):
    try:
        sys.stderr.write("dlprof_tui_markers: %s\n" % text)
    except Exception:  # stderr may be missing
        pass


# ---- call paths ---------------------------------------------------------------------------------


_PROFILER_FILE = os.path.join("torch", "autograd", "profiler.py")


class _Path:
    """A node of the tree of call paths seen so far."""

    __slots__ = ("name", "trace", "sites", "codes", "texts", "is_marked")

    def __init__(self, name, trace, codes=()):
        # Calls inside PyTorch's own profiler are not ops of the program.
        self.is_marked = not trace or _PROFILER_FILE not in trace[-1]
        self.name = name  # '/<module>/Net::forward'
        self.trace = trace  # ('train.py:34', ...), outermost first
        self.sites = {}  # (id of code, instruction, ...) of the frames below -> _Path
        self.codes = codes  # keeps these code objects alive, so that their ids stay unique
        self.texts = {}  # function -> text of its traceMarker


class _Names:
    """Names as DLProf makes them. A function called from a second line of the same caller is `f(2)`; for ops
    all lines above count. The class in a name is the first one seen at a line, so that the name belongs to
    the line and does not depend on the object that runs there."""

    def __init__(self):
        self.calls = {}  # (path, function) -> {calling line: name}
        self.ops = {}  # path including the op -> {trace: number}

    def call(self, path, function, line, owner):
        lines = self.calls.setdefault((path, function), {})
        name = lines.get(line)
        if name is None:
            name = (owner + "::" if owner else "") + function
            if lines:
                name += "(%d)" % (len(lines) + 1)
            lines[line] = name
        # A function and a callee of the same name, such as a base class constructor, are merged.
        return path if path.endswith("/" + name) else path + "/" + name

    def op(self, path, op):
        name = path.name + "/" + op
        traces = self.ops.setdefault(name, {})
        number = traces.setdefault(path.trace, len(traces) + 1)
        return name if number == 1 else "%s(%d)" % (name, number)


_LOCALS_READERS = frozenset(("locals", "vars", "eval", "exec", "dir"))


def _owner(frame):
    """Returns the class name of a method's object. Reading f_locals keeps the values alive until the frame
    ends, which may be a whole batch, so the dict is cleared unless it is referenced elsewhere. It is the
    dict of locals(): functions that may call that get no class."""
    code = frame.f_code
    if not code.co_argcount or code.co_varnames[0] not in ("self", "cls"):
        return ""
    if not _LOCALS_READERS.isdisjoint(code.co_names):
        return ""
    values = frame.f_locals
    first = values.get(code.co_varnames[0])
    if sys.version_info < (3, 13) and code.co_flags & 1 and sys.getrefcount(values) <= 3:
        values.clear()
    if first is None:
        return ""
    return first.__name__ if isinstance(first, type) else type(first).__name__


_DISPATCH_FILES = {_OWN_FILE, __file__, torch.overrides.__file__}
_HIDDEN_FILES = _DISPATCH_FILES | {runpy.__file__, "<frozen runpy>"}
# Wrappers that PyTorch puts around calls, most of them newer than DLProf.
_HIDDEN_NAMES = {"_wrapped_call_impl", "inner", "decorate_context", "wrapper", "_use_grad"}
_TORCH_FOLDER = os.path.dirname(torch.__file__) + os.sep
# Machinery of imports and compiled regions; imported modules and generated code are shown.
_HIDDEN_FOLDERS = ("<frozen importlib",) + tuple(
    os.path.join(_TORCH_FOLDER, name, "") for name in ("_dynamo", "_functorch", "_inductor")
)


def _is_hidden(code):
    if code.co_filename in _HIDDEN_FILES or code.co_filename.startswith(_HIDDEN_FOLDERS):
        return True
    return code.co_name in _HIDDEN_NAMES and code.co_filename.startswith(_TORCH_FOLDER)


def _frames_seen(frames, function):
    """Filters frames (innermost first) to those of the program and its libraries; returns pairs (frame,
    whether a marker is directly outside), outermost first. A marked Python function runs twice: the outer
    run finds the mode and calls it, the inner run does the work; the outer run is hidden."""
    seen = []
    at = _outer_run_end(frames, 0, function)
    while at < len(frames):
        frame = frames[at]
        at += 1
        code = frame.f_code
        if code.co_filename in (_OWN_FILE, __file__):
            if seen and code.co_name == "_run":
                seen[-1] = (seen[-1][0], True)
            if code.co_name == "__torch_function__":
                at = _outer_run_end(frames, at, frame.f_locals.get("func"))
        elif not _is_hidden(code):
            seen.append((frame, False))
    seen.reverse()
    return seen


def _outer_run_end(frames, at, function):
    """Returns the index after the frames that passed a function to the mode, if it does so itself."""
    handed = False
    while at < len(frames) and frames[at].f_code.co_filename in _DISPATCH_FILES:
        handed = handed or frames[at].f_code.co_name == "handle_torch_function"
        at += 1
    code = getattr(function, "__code__", None)
    if not handed or code is None:
        return at
    for outer in range(at, min(at + 4, len(frames))):
        if frames[outer].f_code is code:
            return outer + 1
    return at + 1


# ---- names and arguments of ops ---------------------------------------------------------------

# Functions that only query or change settings; they do no work.
_UNMARKED = set(
    """size dim ndimension numel nelement stride storage_offset data_ptr element_size type get_device
    is_contiguous is_floating_point is_complex is_signed is_tensor is_storage is_nonzero is_same_size
    is_inference is_conj is_neg is_pinned is_shared is_set_to is_coalesced is_set_to has_names
    empty empty_like empty_strided new_empty
    is_inference_mode_enabled is_grad_enabled is_autocast_enabled set_grad_enabled _set_grad_enabled
    _set_view_replay_enabled get_autocast_dtype device
    requires_grad_ retain_grad register_hook register_post_accumulate_grad_hook detach detach_
    __len__ __hash__ __repr__ __str__ __format__ __dir__ __reduce_ex__ __deepcopy__ __setstate__ __iter__
    __get__ __set__ __delete__ __contains__ storage untyped_storage typed_storage _typed_storage
    as_subclass _make_subclass _is_view _version result_type can_cast promote_types
    _has_compatible_shallow_copy_type get_default_dtype set_default_dtype _nested_tensor_size
    """.split()
)


class _Op:
    __slots__ = ("mod", "name", "is_marked", "inside")

    def __init__(self, mod, name, is_marked, inside=None):
        self.mod = mod
        self.name = name
        self.is_marked = is_marked
        self.inside = inside  # variant of the function whose callees are marked, too; None: none


_UNKNOWN_OP = _Op("", "", False)


class _TorchUnasked:
    """The module torch with overrides that never find a torch function."""

    class overrides:
        has_torch_function = has_torch_function_unary = has_torch_function_variadic = staticmethod(
            lambda *_arguments: False
        )

    def __getattr__(self, name):
        return getattr(torch, name)


def _inside_of(function):
    """Returns a copy of a Python function that skips the initial test for a mode. The original would pass
    itself to the mode again and never do its work under it. For plain tensors only."""
    unasked = dict(function.__globals__)
    for name in ("has_torch_function", "has_torch_function_unary", "has_torch_function_variadic"):
        unasked[name] = getattr(_TorchUnasked.overrides, name)
    unasked["torch"] = _TorchUnasked()
    inside = types.FunctionType(
        function.__code__, unasked, function.__name__, function.__defaults__, function.__closure__
    )
    inside.__kwdefaults__ = function.__kwdefaults__
    return inside


# Functions whose callees are marked as ops. The backward pass carries the mode to its threads.
_COMPOSITE = {"multi_head_attention_forward", "backward", "grad"}


def _is_plain(value):
    if isinstance(value, torch.Tensor):
        return type(value) in _TENSORS
    return not isinstance(value, (list, tuple)) or all(_is_plain(item) for item in value)


def _op_of(function):
    """Returns module and name of a function as DLProf writes them, with the module that DLProf prefers."""
    name = getattr(function, "__name__", None) or type(function).__name__
    home = getattr(function, "__module__", None) or ""
    is_python = isinstance(function, types.FunctionType)
    if home == "torch.nn.init":
        return _Op(home, name, False, _inside_of(function) if is_python else None)  # callees are marked
    mod = home.replace("torch._C._nn", "torch.nn.functional").replace("torch._C._", "torch.")
    for module, word in (
        (torch.nn.functional, "torch.nn.functional"),
        (torch.Tensor, "Tensor"),
        (torch, "torch"),
    ):
        if getattr(module, name, None) is function:
            mod = word
            break
    is_marked = name not in _UNMARKED and "profiler" not in home and "_record_function" not in name
    inside = _inside_of(function) if is_python and name in _COMPOSITE else None
    return _Op(mod or "torch", name.split(".")[0], is_marked, inside)


_NUMBERS = frozenset((int, float, bool, type(None)))
_PLAIN = _NUMBERS | {str}
_INTEGERS = frozenset((int,))
_LISTS = frozenset((list, tuple))
_TENSORS = frozenset((torch.Tensor, torch.nn.Parameter))


def _value_text(value):
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return '"%s"' % value
    if isinstance(value, str):
        return repr(value[:_STRING_MOST])
    return repr(value)


def _tensor_text(name, tensor):
    try:
        dtype = str(tensor.dtype).rsplit(".", 1)[-1]
    except Exception:  # tensor subclasses may raise anything
        dtype = ""
    try:
        dims = tuple(size if type(size) is int else -1 for size in tensor.shape)
        layout = str(tensor.layout).rsplit(".", 1)[-1]
    except Exception:  # nested tensors have no shape
        return "{'name': %r, 'type': %r, 'dtype': %r}" % (name, type(tensor).__name__, dtype)
    more = "" if layout == "strided" else ", 'layout': %r" % layout
    return "{'name': %r, 'type': 'tensor', 'shape': %r, 'dtype': %r%s}" % (name, dims, dtype, more)


def _argument_texts(name, value, texts):
    if isinstance(value, torch.Tensor):
        with torch._C.DisableTorchFunction():  # for tensor subclasses
            texts.append(_tensor_text(name, value))
    elif type(value) in _PLAIN:
        texts.append(
            "{'name': %r, 'type': %r, 'value': %s}" % (name, type(value).__name__, _value_text(value))
        )
    elif isinstance(value, (list, tuple)):
        items = value[:_ITEMS_MOST]
        if any(isinstance(item, torch.Tensor) for item in items):
            for item in items:
                _argument_texts(name, item, texts)
        elif all(type(item) in _PLAIN for item in items):
            word = "tuple" if isinstance(value, tuple) else "list"
            items = (item[:_STRING_MOST] if isinstance(item, str) else item for item in items)
            items = tuple(items) if word == "tuple" else list(items)
            texts.append("{'name': %r, 'type': %r, 'value': %r}" % (name, word, items))
    # Other arguments (types, devices, functions) are omitted, as by DLProf.


def _op_text(op, args, kwargs):
    texts = []
    for value in args:
        _argument_texts("", value, texts)
    for name, value in kwargs.items():
        _argument_texts(name, value, texts)
    del texts[_ITEMS_MOST:]
    while sum(map(len, texts)) > _TEXT_MOST:
        texts.pop()
    return "{'mod': %r, 'op': %r, 'args': [%s]}" % (op.mod, op.name, ", ".join(texts))


def _key(function, args, kwargs):
    """Returns a key that determines the text of a call; it is cheaper to make than the text."""
    key = [function]
    for value in args:
        kind = type(value)
        if kind in _TENSORS:
            key += (value.shape, value.dtype, value.layout)
        elif kind in _NUMBERS:
            key += (kind, value)
        else:
            _key_add(key, kind, value)
    for name, value in kwargs.items():
        kind = type(value)
        if kind in _TENSORS:
            key += (name, value.shape, value.dtype, value.layout)
        elif kind in _NUMBERS:
            key += (name, kind, value)
        else:
            key.append(name)
            _key_add(key, kind, value)
    return tuple(key)


def _key_add(key, kind, value):
    if kind is tuple and _INTEGERS.issuperset(map(type, value)):
        key += (kind, value[:_ITEMS_MOST])
    elif kind is str:
        key += (kind, value[:_STRING_MOST])
    elif kind in _LISTS and _TENSORS.issuperset(map(type, value)):
        key.append(len(value))  # such as an optimizer's list of all parameters
        for item in value[:_ITEMS_MOST]:
            key += (item.shape, item.dtype, item.layout)
    else:
        texts = []
        _argument_texts("", value, texts)
        if sum(map(len, texts)) > _KEY_MOST:
            raise ValueError("too long to be kept")
        key.extend(texts or (kind,))


# ---- ranges of a thread --------------------------------------------------------------------------


class _Module:
    """A running module."""

    __slots__ = ("frame", "path", "depth", "layers", "has_entered", "root")

    def __init__(self, frame, path, depth, layers, has_entered, root=None):
        self.frame = frame  # frame of Module._call_impl
        self.path = path  # to that frame
        self.depth = depth  # number of ranges open around it
        self.layers = layers  # texts of this layer and those around it
        self.has_entered = has_entered  # it installed the mode in this thread
        self.root = root


class _Root:
    """A module that was called outside of all others, and the names of its submodules."""

    __slots__ = ("module", "names", "around", "misses")

    def __init__(self, module):
        self.module = weakref.ref(module)
        self.names = weakref.WeakKeyDictionary()
        self.around = ()  # texts of it and of the module it wraps
        self.misses = 0  # searches that found no such submodule


class _Thread:
    __slots__ = ("open", "modules", "optimizer", "back", "task", "layers", "inner_ops", "inside")

    def __init__(self):
        self.open = []  # texts of the open ranges
        self.modules = []
        self.optimizer = None  # the optimizer that is stepping, as a _Module
        self.back = None  # depth at which a backward pass began here
        self.task = None  # id of that pass
        self.layers = ()  # layers that the pass was in last
        self.inner_ops = 0  # number of ops ended in this thread
        self.inside = []  # functions whose callees are being marked


class _Threads(threading.local):
    def __init__(self):
        self.here = _Thread()  # one attribute: thread-local lookups are slow


class _Markers(TorchFunctionMode):
    def __init__(self):
        super().__init__()
        self.is_started = False
        self.is_on = False  # true in steps that are marked
        self.sink = None  # set by init()
        self.names = _Names()
        self.root = _Path("", ())
        self.path_count = 0
        self.ops = {}
        self.texts = {}
        self.roots = weakref.WeakKeyDictionary()  # outermost module -> _Root
        self.owners = weakref.WeakKeyDictionary()  # submodule -> _Root
        self.threads = _Threads()
        self.has_layers = self.has_backward = True
        self.has_nodes = True  # false if emit_nvtx numbers them already
        self.errors = 0
        self.sequence = 0
        self.node_words = {}  # name of a node -> texts of its two ranges
        self.handles = []
        self.every = 1
        self.step = 0
        self.step_handle = None
        self.step_optimizer = None
        self.config = None
        self.profiler = None  # type of profiler when settings were written last
        self.loader = {}
        self.amp = False
        self.is_compiled = False

    # -- ranges --

    def failed(self, error):
        self.errors += 1
        if self.errors > 1:
            return
        what = type(error).__name__
        try:
            what += ": %s" % error
        except Exception:
            pass
        _say("a marker failed, the program goes on: " + what)

    def push(self, state, text):
        self.sink.push(text)
        state.open.append(text)

    def close(self, state, depth):
        opened = state.open
        while len(opened) > depth:
            opened.pop()
            try:
                self.sink.pop()
            except Exception as error:
                self.failed(error)

    # -- call paths --

    def path_to(self, state, frame, function=None):
        """Returns the path that ends in this frame, which called the function."""
        while True:
            module = state.modules[-1] if state.modules else state.optimizer
            last = module.frame if module else None
            key = []
            at = frame
            while at is not None:
                key += (id(at.f_code), at.f_lasti)  # id(), because hashing a code object reads all of it
                if at is last:
                    break
                at = at.f_back
            if at is last:
                break
            if state.modules:
                # The module ended by an exception. The mode stays, as it may be active right now.
                self.close(state, state.modules.pop().depth)
            else:
                state.optimizer = None
        above = module.path if module else self.root
        key = tuple(key)
        path = above.sites.get(key)
        if path is None:
            if self.path_count >= _CACHE_MOST:
                self.paths_forget(state)
                above = module.path if module else self.root
            self.path_count += 1
            path = above.sites[key] = self.path_new(above, frame, last, function)
        return path

    def paths_forget(self, state):
        self.names, self.root, self.path_count = _Names(), _Path("", ()), 0
        for module in (*state.modules, state.optimizer):
            if module:
                module.path.sites.clear()

    def path_new(self, above, frame, last, function):
        frames = []
        while frame is not None:
            frames.append(frame)
            if frame is last:
                break
            frame = frame.f_back
        name, trace, codes = above.name, list(above.trace), [one.f_code for one in frames]
        for frame, is_marked in _frames_seen(frames, function):
            code = frame.f_code
            line = "" if is_marked or not trace else trace[-1]
            name = self.names.call(name, code.co_name, line, _owner(frame))
            trace.append("%s:%d" % (code.co_filename, frame.f_lineno))
        return _Path(name, tuple(trace), codes)

    # -- ops --

    def __torch_function__(self, func, types, args=(), kwargs=None):
        if _is_compiling():  # must come first: tracers must see nothing else
            return func(*args, **(kwargs or {}))
        kwargs = kwargs or {}
        if type(func) is _GETTER or not self.is_on:
            return func(*args, **kwargs)
        op = self.op_of(func)
        if op.is_marked:
            return self._run(op, func, args, kwargs, sys._getframe(1))
        if op.inside is not None:
            return self.call_inside(op, func, args, kwargs)
        return func(*args, **kwargs)

    def op_of(self, func):
        try:
            op = self.ops.get(func)
            if op is None:
                if len(self.ops) >= _CACHE_MOST:
                    self.ops.clear()
                op = self.ops[func] = _op_of(func)
            return op
        except Exception as error:  # not hashable, or without a readable name
            self.failed(error)
            return _UNKNOWN_OP

    def call_inside(self, op, func, args, kwargs):
        """Calls a function so that its callees are marked, too."""
        if not (_is_plain(args) and _is_plain(tuple(kwargs.values()))):
            return func(*args, **kwargs)
        state = self.threads.here
        if func in state.inside:  # it tests for a mode in an unknown way
            return func(*args, **kwargs)
        state.inside.append(func)
        try:
            with self:
                return op.inside(*args, **kwargs)
        finally:
            state.inside.pop()

    def _run(self, op, func, args, kwargs, frame, call=None):
        """Calls a function (or `call`, for a wrapped one) inside its two ranges."""
        state = self.threads.here
        opened = state.open
        depth = len(opened)
        try:
            path = self.path_to(state, frame, func)
            depth = len(opened)
            if path.is_marked:
                text = path.texts.get(func) or self.trace_text(path, op, func)
                arguments = self.op_text(op, func, args, kwargs)
                push = self.sink.push
                push(text)
                opened.append(text)
                push(arguments)
                opened.append(arguments)
        except Exception as error:
            self.failed(error)
        inner = state.inner_ops
        try:
            if call is not None:
                result = call(*args, **kwargs)
            elif op.inside is None:
                result = func(*args, **kwargs)
            else:
                result = self.call_inside(op, func, args, kwargs)
            if self.has_nodes and inner == state.inner_ops:
                self.nodes_mark(state, args, result)
            return result
        finally:
            state.inner_ops += 1
            if state.back is not None and state.back > depth:
                state.back = None
            if len(opened) > depth:
                self.close(state, depth)

    def trace_text(self, path, op, func):
        if len(path.texts) >= _CACHE_MOST:
            path.texts.clear()
        trace, name = list(path.trace), self.names.op(path, op.name).split("/")
        most = _ITEMS_MOST
        while True:
            text = "{'traceMarker': %r, 'funcStack': %r}" % (trace, "/".join(name))
            if len(text) <= _TEXT_MOST or most < 2:
                break
            most //= 2  # kept at each end
            trace[most:-most] = []
            if len(name) > 2 * most:
                name[most:-most] = ["..."]
        path.texts[func] = text
        return text

    def op_text(self, op, func, args, kwargs):
        if len(args) > _ITEMS_MOST or len(kwargs) > _ITEMS_MOST:
            args = args[:_ITEMS_MOST]
            kwargs = dict(list(kwargs.items())[:_ITEMS_MOST])
        try:
            key = _key(func, args, kwargs)
            text = self.texts.get(key)
            if text is None:
                if len(self.texts) >= _CACHE_MOST:
                    self.texts.clear()
                text = self.texts[key] = _op_text(op, args, kwargs)
            return text
        except Exception:
            pass
        try:
            return _op_text(op, args, kwargs)  # the arguments are not hashable
        except Exception as error:
            self.failed(error)
            return "{'mod': %r, 'op': %r, 'args': []}" % (op.mod, op.name)

    # -- the backward graph --

    def nodes_mark(self, state, args, result):
        """Marks the graph nodes between the results of an op and its arguments."""
        try:
            nodes = _nodes_of(result)
            if not nodes or not torch.is_grad_enabled():
                return
            known = [node for value in args if value is not result for node in _nodes_of(value)]
            layers = state.modules[-1].layers if state.modules else ()
            for _ in range(_NODES_MOST):
                node = nodes.pop()
                if node is not None and node not in known:  # nodes compare by identity
                    known.append(node)
                    name = node.name()
                    words = self.node_words.get(name)
                    if words is None:
                        words = self.words_of(name)
                    if words and self.node_mark(node, words, layers):
                        nodes += [below for below, _ in node.next_functions]
                if not nodes:
                    return
        except Exception as error:
            self.failed(error)

    def words_of(self, name):
        """Returns the range texts of a node, forward and backward: (None, None) if it launches nothing, ()
        if it belongs to a parameter."""
        stem = name.rsplit("::", 1)[-1].replace("%", "%%")
        cut = stem.rfind("Backward")
        words = ("aten::%s, seq = %%d" % stem[: cut if cut > 0 else None].lower(), stem + ", seq = %d")
        if name in _TURN_NODES:
            words = (None, None)
        elif name.endswith("AccumulateGrad"):
            words = ()
        self.node_words[name] = words
        return words

    def node_mark(self, node, words, layers):
        """Marks a node; returns False if it was marked already."""
        metadata = node.metadata
        if "dlprof" in metadata:
            return False  # in-place ops find nodes of other ops
        metadata["dlprof"] = True
        forward, text = words
        if text is None:
            return True
        self.sequence += 1
        self.sink.push(forward % self.sequence)
        self.sink.pop()
        text %= self.sequence

        def before(_gradients):
            if not self.is_on:
                return
            try:
                own = self.threads.here
                self.layers_open(own, layers)
                self.sink.push(text)
                own.open.append(text)
            except Exception as error:
                self.failed(error)

        def behind(_inputs, _outputs):
            try:
                own = self.threads.here
                if own.back is not None and len(own.open) > own.back + len(layers):
                    self.close(own, own.back + len(layers))
            except Exception as error:
                self.failed(error)

        node.register_prehook(before)
        node.register_hook(behind)
        return True

    def layers_open(self, state, layers):
        """Closes and opens ranges so that exactly these layers are open in the backward pass."""
        task = _graph_task()
        opened = state.open
        if state.back is not None:
            if task != state.task or state.back > len(opened):
                self.close(state, state.back)
                state.back = None
            elif state.layers is layers and len(opened) == state.back + len(layers):
                return  # the usual state after a node has ended
        state.layers = layers
        if state.back is None:
            state.back, state.task = len(state.open), task
            ident = threading.get_ident()

            def ended():
                # Ranges belong to a thread; those of other threads are closed in their next pass.
                if threading.get_ident() == ident and state.back is not None:
                    self.close(state, state.back)
                    state.back = None

            torch.autograd.Variable._execution_engine.queue_callback(ended)
        same = 0
        while (
            same < len(layers)
            and state.back + same < len(opened)
            and opened[state.back + same] == layers[same]
        ):
            same += 1
        self.close(state, state.back + same)
        for layer in layers[same:]:
            self.push(state, layer)

    # -- modules --

    def root_of(self, module, state):
        """Returns the root that gives a module its name: the outermost running module."""
        if state.modules:
            return state.modules[0].root
        root = self.owners.get(module)
        if root is None or not _is_backward():  # in a backward pass a checkpoint is recomputed
            root = self.roots.get(module)
        if root is None:
            root = self.roots[module] = _Root(module)
            self.names_learn(root)
        return root

    def module_name(self, module, root):
        name = root.names.get(module)
        if name is None and root.misses < _MISSES_MOST:
            root.misses += 1
            self.names_learn(root)
            name = root.names.get(module)
            if name is None:  # it was created while running
                root.names[module] = ""
            else:
                root.misses -= 1
        return name or _class_name(module)

    def names_learn(self, root):
        top = root.module()
        if top is None:  # submodules may live longer
            return
        root.around = ()
        for path, below in top.named_modules():
            if path.endswith("_orig_mod") or getattr(below, "_compiled_call_impl", None) is not None:
                self.is_compiled = True
            path = _without_wrappers(path)  # characters that would end or break a name:
            path = "".join(c if c.isprintable() and c != ":" else "_" for c in path)
            root.names[below] = path
            text = "layer:" + _class_name(below)
            if not path and text not in root.around:
                root.around += (text,)
            owner = self.owners.get(below)
            if path and (owner is None or len(path) >= len(owner.names.get(below) or "")):
                self.owners[below] = root

    def module_enter(self, module, _inputs):
        if _is_compiling() or not self.is_on:
            return None
        try:
            state = self.threads.here
            frame = sys._getframe(1)
            while frame.f_code.co_name != "_call_impl":  # hooks may be called from a nested function
                frame = frame.f_back
                if frame is None:
                    return None
            path = self.path_to(state, frame.f_back) if frame.f_back else self.root
            depth = len(state.open)
            has_entered = not state.modules and _mode_enter(self)
            root = self.root_of(module, state)
            text = "layer:" + self.module_name(module, root)
            layers = ()
            if self.has_layers:
                if state.modules:
                    around = state.modules[-1].layers
                else:
                    around = () if root.module() is module else root.around
                layers = around + (text,)
                for one in (text,) if state.modules else layers:
                    self.push(state, one)
            state.modules.append(_Module(frame, path, depth, layers, has_entered, root))
            if not self.amp and _is_autocast():
                self.amp = True
                self.config_tell()
        except Exception as error:
            self.failed(error)
        return None

    def module_leave(self, _module, _inputs, _outputs):
        if _is_compiling() or not self.threads.here.modules:
            return None
        try:
            state = self.threads.here
            frame = sys._getframe(1)
            while frame is not None and frame.f_code.co_name != "_call_impl":
                frame = frame.f_back
            if state.modules[-1].frame is frame:
                self.module_left(state)
            elif any(module.frame is frame for module in state.modules):  # inner ones ended by an exception
                while state.modules[-1].frame is not frame:
                    self.module_left(state)
                self.module_left(state)
        except Exception as error:
            self.failed(error)
        return None

    def module_left(self, state):
        module = state.modules.pop()
        if module.has_entered:
            _mode_leave(self)
        self.close(state, module.depth)

    # -- steps, optimizers, loaders --

    def step_next(self):
        self.step += 1
        if not self.is_started:
            return
        self.step_end()
        is_on = self.step % self.every == 0
        if is_on != self.is_on:
            self.is_on = is_on
            if is_on:
                _mode_enter(self)
            else:
                self.close(self.threads.here, 0)
                _mode_leave(self)  # an idle mode costs an op nearly as much as marking
        if is_on:
            # A capture that began in between has no settings yet.
            if self.step % _CONFIG_STEPS == 0 or self.profiler != _profiler_type():
                self.config_tell(True)
            self.step_handle = self.sink.begin("step %d" % self.step)

    def step_end(self):
        handle, self.step_handle = self.step_handle, None
        if handle is not None:
            self.sink.end(handle)

    def optimizer_enter(self, optimizer, _args, _kwargs):
        if _is_compiling() or not self.is_on or self.sink.has_own_ranges:
            return None
        try:
            frame = sys._getframe(1)
            if _is_inner_step(frame, optimizer):
                return None
            state = self.threads.here
            if state.back is not None:  # a backward pass that ended by an exception
                self.close(state, state.back)
                state.back = None
            path = self.path_to(state, frame.f_back) if frame.f_back else self.root
            state.optimizer = _Module(frame, path, len(state.open), (), False)
            self.push(state, "Optimizer.step#%s.step" % type(optimizer).__name__)
        except Exception as error:
            self.failed(error)
        return None

    def optimizer_leave(self, optimizer, _args, _kwargs):
        if _is_compiling():
            return None
        try:
            state = self.threads.here
            frame = sys._getframe(1)
            is_known = state.optimizer is not None and state.optimizer.frame is frame
            if not is_known and _is_inner_step(frame, optimizer):
                return None
            state.optimizer = None
            title = "Optimizer.step#%s.step" % type(optimizer).__name__
            if title in state.open:
                self.close(state, len(state.open) - 1 - state.open[::-1].index(title))
            # With several optimizers only the first one counts steps.
            if self.step_optimizer is None or self.step_optimizer() is None:
                self.step_optimizer = weakref.ref(optimizer)
            if self.step_optimizer() is optimizer:
                self.step_next()
        except Exception as error:
            self.failed(error)
        return None

    def config_tell(self, is_due=False):
        """Writes the settings that DLProf's detectors need, if they have changed."""
        self.profiler = _profiler_type()
        config = {
            "num_workers": self.loader.get("num_workers", 0),
            "pin_memory": self.loader.get("pin_memory", True),
            "cudnn_benchmark_disabled": not _ask(lambda: torch.backends.cudnn.benchmark),
            "detect_anomaly": _ask(torch.is_anomaly_enabled),
            "emit_nvtx": _emits_nvtx(),
            "amp_enabled": self.amp,
            "tf32": _ask(lambda: torch.backends.cuda.matmul.allow_tf32),
            "compile": self.is_compiled or _ask(_frames_compiled),
            "distributed": _world_size() > 1,
            "world_size": _world_size(),
        }
        self.has_nodes = self.has_backward and not config["emit_nvtx"]
        if is_due or config != self.config:
            self.config = config
            words = {True: "true", False: "false"}
            items = ('"%s": %s' % (k, words[v] if type(v) is bool else v) for k, v in config.items())
            self.sink.push('{"model_config": {%s}}' % ", ".join(items))
            self.sink.pop()


# 1.13 has a function per device, which newer versions deprecate.
_is_autocast = getattr(torch._C, "_is_any_autocast_enabled", None) or (
    lambda: torch.is_autocast_enabled() or torch.is_autocast_cpu_enabled()
)


def _frames_compiled():
    utils = sys.modules.get("torch._dynamo.utils")
    return utils and utils.counters.get("frames")


_GETTER = type(torch.Tensor.shape.__get__)


def _ask(setting):
    """Returns a setting as a bool; False if this PyTorch does not have it."""
    try:
        return bool(setting())
    except Exception:
        return False


_profiler_type = getattr(torch._C._autograd, "_profiler_type", _never)
_is_nvtx = {}  # by type of profiler, because formatting its name is slow


def _emits_nvtx():
    """True if PyTorch itself marks ops in NVTX, including sequence numbers and graph nodes."""
    kind = _profiler_type()
    if kind not in _is_nvtx:
        _is_nvtx[kind] = str(kind).endswith("NVTX")
    return _is_nvtx[kind]


_grad_fn = torch.Tensor.grad_fn.__get__  # not overridden by tensor subclasses


def _nodes_of(value):
    """Returns the nodes of the backward graph that produced the tensors in a value."""
    if type(value) in _TENSORS:
        node = value.grad_fn
        return [] if node is None else [node]
    if isinstance(value, torch.Tensor):
        with torch._C.DisableTorchFunction():
            node = _grad_fn(value)
        return [] if node is None else [node]
    if isinstance(value, (tuple, list)):
        items = (item for item in value[:_ITEMS_MOST] if isinstance(item, torch.Tensor))
        return [node for item in items for node in _nodes_of(item)]
    return []


def _is_inner_step(frame, optimizer):
    """True if this step is called by a step of the same optimizer, in a derived class."""
    code = frame.f_code
    while frame.f_back is not None:
        frame = frame.f_back
        if frame.f_code is code and frame.f_locals.get("self") is optimizer:
            return True
    return False


def _graph_task():
    return getattr(torch._C, "_current_graph_task_id", _never)()


def _is_backward():
    if hasattr(torch._C, "_current_graph_task_id"):
        return _graph_task() != -1
    try:
        torch.autograd.Variable._execution_engine.queue_callback(_never)
        return True
    except RuntimeError:
        return False


def _mode_is_here(mode):
    get = getattr(torch.overrides, "_get_current_function_mode_stack", None)
    return get is None or any(other is mode for other in get())


def _is_bottom(mode):
    """True for the mode of torch.set_default_device(), which newer versions expect at the bottom."""
    device = getattr(getattr(torch, "_GLOBAL_DEVICE_CONTEXT", None), "device_context", None)
    return mode is device and hasattr(sys.modules.get("torch.utils._device"), "_push_mode")


def _mode_enter(mode):
    """Installs a mode below the other modes, unless it is installed: a mode that ends pops the top of the
    stack and expects itself there."""
    if _mode_is_here(mode):
        return False
    others = _modes_take()
    if others and _is_bottom(others[-1]):
        torch.overrides._push_mode(others.pop())
    torch.overrides._push_mode(mode)
    for other in reversed(others):
        torch.overrides._push_mode(other)
    return True


def _mode_leave(mode):
    """Removes a mode from any place of the stack."""
    if _mode_is_here(mode):
        for other in reversed(_modes_take()):
            if other is not mode:
                torch.overrides._push_mode(other)


def _modes_take():
    count = torch._C._len_torch_function_stack()
    return [torch.overrides._pop_mode() for _ in range(count)]


def _world_size():
    distributed = torch.distributed
    if distributed.is_available() and distributed.is_initialized():
        return distributed.get_world_size()
    return 1


_WRAPPERS = {"module", "_orig_mod", "_fsdp_wrapped_module", "_checkpoint_wrapped_module"}


def _class_name(module):
    """Returns a module's class name; a compiled module has the name of the module it wraps."""
    return type(getattr(module, "_orig_mod", module)).__name__


def _without_wrappers(path):
    parts = path.split(".")
    while parts and parts[0] in _WRAPPERS:
        parts.pop(0)
    return ".".join(part for part in parts if not (part.startswith("_") and part in _WRAPPERS))


# ---- hooks in PyTorch -------------------------------------------------------------------


def _around(markers, title):
    """Decorates a method with a range; `title` makes the text from the object."""

    def decorate(method):
        def around(self, *args, **kwargs):
            if not markers.is_on:
                return method(self, *args, **kwargs)
            state = markers.threads.here
            depth = len(state.open)
            try:
                text = title(self)
                if not markers.sink.has_own_ranges:
                    markers.push(state, text)
            except Exception as error:
                markers.failed(error)
            try:
                return method(self, *args, **kwargs)
            finally:
                markers.close(state, depth)

        around.__name__, around.__doc__ = method.__name__, method.__doc__
        around.__wrapped__ = method
        return around

    return decorate


class _Replaced:
    """Replaces an attribute until remove()."""

    def __init__(self, owner, name, value):
        self.owner, self.name, self.value = owner, name, value
        self.old = owner.__dict__.get(name)
        setattr(owner, name, value)

    def remove(self):
        if self.owner.__dict__.get(self.name) is not self.value:
            return  # it was replaced again in between
        if self.old is None:
            delattr(self.owner, self.name)
        else:
            setattr(self.owner, self.name, self.old)


def _hook_modules(markers):
    module = torch.nn.modules.module
    yield module.register_module_forward_pre_hook(markers.module_enter)
    try:  # also after an exception, by which recomputing a checkpoint ends early
        yield module.register_module_forward_hook(markers.module_leave, always_call=True)
    except TypeError:  # before 2.1
        yield module.register_module_forward_hook(markers.module_leave)


def _hook_optimizers(markers):
    optimizer = importlib.import_module("torch.optim.optimizer")
    if hasattr(optimizer, "register_optimizer_step_pre_hook"):
        yield optimizer.register_optimizer_step_pre_hook(markers.optimizer_enter)
        yield optimizer.register_optimizer_step_post_hook(markers.optimizer_leave)
        return
    # Before 2.1: wraps the step of each class when its first object is created.
    make = optimizer.Optimizer._hook_for_profile
    wrapped = {}

    def hook_for_profile(self):
        make(self)
        _wrap_step(markers, type(self), wrapped)

    for kind in _subclasses(optimizer.Optimizer):
        # A step that PyTorch has not wrapped has no object yet; it would mistake our wrapper for its own.
        if getattr(kind.__dict__.get("step"), "hooked", False):
            _wrap_step(markers, kind, wrapped)
    yield _Replaced(optimizer.Optimizer, "_hook_for_profile", hook_for_profile)
    yield _All(wrapped)


class _All:
    """A set of replacements that may still grow."""

    def __init__(self, replaced):
        self.replaced = replaced

    def remove(self):
        while self.replaced:
            self.replaced.popitem()[1].remove()


def _subclasses(kind):
    for below in kind.__subclasses__():
        yield below
        yield from _subclasses(below)


def _wrap_step(markers, kind, wrapped):
    if kind in wrapped or getattr(kind.__dict__.get("step", kind.step), "dlprof", False):
        return
    method = kind.step

    def around(self, *args, **kwargs):
        markers.optimizer_enter(self, args, kwargs)
        try:
            return method(self, *args, **kwargs)
        finally:
            markers.optimizer_leave(self, args, kwargs)

    around.dlprof = True
    around.hooked = True  # the mark of PyTorch's own wrappers
    around.__name__, around.__doc__ = "step", method.__doc__
    around.__wrapped__ = method
    wrapped[kind] = _Replaced(kind, "step", around)


def _hook_loaders(markers):
    iterator = torch.utils.data.dataloader._BaseDataLoaderIter

    def title(self):
        loader = {"num_workers": self._num_workers, "pin_memory": bool(self._pin_memory)}
        if loader != markers.loader:
            markers.loader = loader
            markers.config_tell()
        return "enumerate(DataLoader)#%s.__next__" % type(self).__name__

    yield _Replaced(iterator, "__next__", _around(markers, title)(iterator.__next__))


def _hook_scalers(markers):
    scaler = getattr(getattr(torch, "amp", None), "GradScaler", None) or torch.cuda.amp.GradScaler
    for name in ("scale", "unscale_", "step", "update"):
        if name in scaler.__dict__:
            title = "GradScaler." + name
            method = _around(markers, lambda _self, title=title: title)(scaler.__dict__[name])
            yield _Replaced(scaler, name, method)


def _hook_stack(markers):
    """Speeds up PyTorch 1.13, which finds the mode in Python with a context manager per call. Does the same
    without one. If markers are the only mode, attribute reads pass through, and a function on plain tensors
    whose callees are not marked is marked directly."""
    stack = getattr(torch.overrides, "_TorchFunctionStackMode", None)
    if stack is None:
        return
    push, pop = torch._C._push_on_torch_function_stack, torch._C._pop_torch_function_stack
    count, at = torch._C._len_torch_function_stack, torch._C._get_function_stack_at
    enable = torch._C._set_torch_function_mode
    are_plain, known, caller = _TENSORS.issuperset, markers.ops.get, sys._getframe

    def torch_function(self, func, types, args=(), kwargs=None):
        if count() == 1 and at(0) is markers:
            if type(func) is _GETTER:
                return func(*args)
            try:
                op = known(func)
            except TypeError:  # not hashable
                op = None
            if op is not None and op.inside is None and are_plain(types):
                if op.is_marked and markers.is_on:
                    return markers._run(op, func, args, kwargs or {}, caller(1))
                return func(*args, **kwargs or {})
        mode = pop()
        is_last = not count()
        enable(None if is_last else self)
        try:
            return mode.__torch_function__(func, types, args, kwargs)
        finally:
            push(mode)
            if is_last:
                enable(self)

    yield _Replaced(stack, "__torch_function__", torch_function)


# ---- public interface ------------------------------------------------------------------------

_markers = _Markers()
_options = []  # arguments of init() calls


def init(sink=None, log=None, every=1, layers=True, backward=True, start=True, **_unknown):
    """Starts marking. sink: nvtx, record_function, log (to the file `log`), null, auto. every: marks only
    every N-th step. start: False waits for start(). Unknown arguments, such as those of pyprof.init(), are
    ignored."""
    words = (sink, log, every, layers, backward)
    if _markers.sink is None:
        _options.append(words)
        _set_up(*words)
    elif words not in (init.__defaults__[:-1], *_options):
        _say("markers are set up already: this init() changes nothing")
    if start:
        _start()


def _set_up(sink, log, every, layers, backward):
    markers = _markers
    try:
        markers.every = max(1, int(every))
    except (TypeError, ValueError):
        _say("every=%r is no number: each step is marked" % (every,))
    markers.sink = _sink_make(sink or os.environ.get("DLPROF_TUI_MARKERS_SINK", "auto"), log)
    markers.has_layers = layers
    markers.has_backward = backward and not markers.sink.has_own_ranges
    if not hasattr(torch.ones(0, requires_grad=True).mul(1).grad_fn, "register_prehook"):
        markers.has_backward = False
    _say("PyTorch %s, sink %s" % (torch.__version__, markers.sink.name))
    atexit.register(_end)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_forked)


def start():
    """Starts marking, or continues it after stop()."""
    markers = _markers
    if markers.is_started:
        return
    if markers.sink is None:
        init(start=False)
    markers.is_started = True
    markers.is_on = markers.step % markers.every == 0
    for hook in (_hook_modules, _hook_optimizers, _hook_loaders, _hook_scalers, _hook_stack):
        try:
            markers.handles.extend(hook(markers))
        except Exception as error:
            markers.failed(error)
    if markers.is_on:
        _mode_enter(markers)
    if getattr(threading, "getprofile", _never)() in (None, False, _thread_begins):
        threading.setprofile(_thread_begins)  # unless a Python profiler uses it
    try:
        markers.config_tell(True)
        if markers.is_on:
            markers.step_handle = markers.sink.begin("step %d" % markers.step)
    except Exception as error:
        markers.failed(error)


_start = start  # init() has a parameter of that name


def stop():
    """Stops marking: ops of this thread then cost no extra time. In other threads the idle mode stays."""
    markers = _markers
    for handle in markers.handles:
        handle.remove()
    markers.handles = []
    if getattr(threading, "getprofile", lambda: _thread_begins)() is _thread_begins:
        threading.setprofile(None)
    _mode_leave(markers)
    try:
        markers.step_end()
    except Exception as error:
        markers.failed(error)
    state = markers.threads.here
    state.optimizer = None
    while state.modules:
        markers.module_left(state)
    markers.close(state, 0)
    markers.is_started = markers.is_on = False


class window:
    """Context manager that marks the code in it; after init(start=False) only that is marked."""

    def __enter__(self):
        self.was_started = _markers.is_started
        start()
        return self

    def __exit__(self, *_exception):
        if not self.was_started:
            stop()


def step():
    """Ends a step; for programs without an optimizer."""
    try:
        _markers.step_next()
    except Exception as error:
        _markers.failed(error)


def wrap(owner, name):
    """Marks owner.name as an op: a function or method of a class, object or module, or a Function's apply."""
    value = inspect.getattr_static(owner, name, None)
    function = None if isinstance(value, property) else getattr(owner, name)
    if isinstance(function, (type, torch.nn.Module)) or not callable(function):
        _say("%s is no function: it is not wrapped" % name)
        return
    op = _Op(getattr(owner, "__name__", None) or type(owner).__name__, name, True)
    if not isinstance(owner, type):
        if isinstance(function, types.MethodType) and function.__self__ is owner:
            marked = types.MethodType(_marked(op, function.__func__), owner)  # not shared by copies
        else:
            marked = _marked(op, function)
    elif isinstance(value, classmethod):
        marked = classmethod(_marked(op, value.__func__))
    elif isinstance(value, types.ClassMethodDescriptorType):
        marked = classmethod(_marked(op, lambda cls, *args: value.__get__(None, cls)(*args), value))
    elif isinstance(value, staticmethod) or not hasattr(value, "__get__"):
        marked = staticmethod(_marked(op, function))
    else:
        marked = _marked(op, value)
    setattr(owner, name, marked)


def _marked(op, function, like=None):
    def marked(*args, **kwargs):
        if _is_compiling() or not _markers.is_on:
            return function(*args, **kwargs)
        return _markers._run(op, marked, args, kwargs, sys._getframe(1), function)

    like = like or function
    for word in dir(like):  # such as cache_clear()
        if not word.startswith("_"):
            setattr(marked, word, getattr(like, word))
    return functools.update_wrapper(marked, like)


def _thread_begins(_frame, _event, _argument):
    """Profile function that runs at the first call in a new thread."""
    sys.setprofile(None)
    try:
        if _markers.is_started:
            _mode_enter(_markers)
    except Exception as error:
        _markers.failed(error)


def _forked():
    """Stops marking in forked processes, which are workers of data loaders."""
    _markers.sink = NullSink()
    stop()


def _end():
    stop()
    try:
        _markers.sink.close()
    except Exception as error:  # such as a full disk
        _markers.failed(error)
    if _markers.errors:
        _say("%d markers failed" % _markers.errors)


# ---- python -m dlprof_tui_markers ---------------------------------------------------------------


def _arguments(words):
    parser = argparse.ArgumentParser(
        prog="python -m dlprof_tui_markers",
        usage="%(prog)s [options] script.py ... | -m module ... | --bench",
        description="Runs a script of PyTorch with markers for nsys or the PyTorch Profiler.",
    )
    parser.add_argument("--sink", choices=("auto", "nvtx", "record_function", "log", "null"))
    parser.add_argument("--log", metavar="FILE", help="the file of the sink log")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="mark only each Nth step")
    parser.add_argument("--no-layers", dest="layers", action="store_false", help="no layer: ranges")
    parser.add_argument(
        "--no-backward", dest="backward", action="store_false", help="no ranges in the backward pass"
    )
    parser.add_argument("--bench", action="store_true", help="measure what markers cost")
    parser.add_argument("-m", dest="module", action="store_true", help="what follows names a module")
    parser.add_argument("program", nargs=argparse.REMAINDER)
    arguments = parser.parse_args(words)
    if not arguments.bench and not arguments.program:
        parser.error("which script?")
    return arguments


def _main(words):
    arguments = _arguments(words)
    if arguments.bench:
        import dlprof_tui_markers_bench

        return dlprof_tui_markers_bench.main()
    init(arguments.sink, arguments.log, arguments.every, arguments.layers, arguments.backward)
    for folder in ("aliases", "dlprof_tui_markers_aliases"):  # in the source tree, and as installed
        folder = os.path.join(os.path.dirname(_OWN_FILE), folder)
        if os.path.isdir(folder):
            sys.path.append(folder)
    sys.argv = arguments.program
    if arguments.module:
        sys.path[0] = os.getcwd()
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    else:
        script = os.path.abspath(sys.argv[0])
        sys.path[0] = os.path.dirname(script)
        # Python makes the path absolute since 3.9.
        runpy.run_path(script if sys.version_info >= (3, 9) else sys.argv[0], run_name="__main__")
    return 0


if __name__ == "__main__":
    # Scripts that import this module must get the same instance, not __main__.
    import dlprof_tui_markers

    sys.exit(dlprof_tui_markers._main(sys.argv[1:]))
