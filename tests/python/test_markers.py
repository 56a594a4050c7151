# SPDX-License-Identifier: Apache-2.0
"""Names, arguments and nesting of the markers, and the traps that networks set."""
import ast
import contextlib
import copy
import functools
import inspect
import json
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint

import dlprof_tui_markers as markers
from support import marked, ops


def conv():
    return torch.randn(1, 2, 8, 8), torch.randn(2, 2, 3, 3)


class Names(unittest.TestCase):
    def test_lines_are_numbered(self):
        x, w = conv()

        def b():
            F.conv2d(x, w)
            F.conv2d(x, w)

        def a():
            b()
            b()

        with marked() as sink:
            a()
        self.assertEqual(
            [op.tail(2) for op in ops(sink)],
            ["b/conv2d", "b/conv2d(2)", "b(2)/conv2d", "b(2)/conv2d(2)"],
        )

    def test_an_op_below_two_calls(self):
        x, w = conv()

        def c():
            F.conv2d(x, w)

        def b():
            c()

        with marked() as sink:
            b()
            b()
        self.assertEqual([op.tail(3) for op in ops(sink)], ["b/c/conv2d", "b(2)/c/conv2d"])

    def test_the_same_line_twice(self):
        x = torch.ones(2)
        with marked() as sink:
            for _ in range(2):
                y = torch.exp(x); z = torch.exp(x)
            del y, z
        self.assertEqual(len({op.path for op in ops(sink)}), 1)
        self.assertEqual(len(ops(sink)), 4)

    def test_texts_are_bounded(self):
        def one(x, depth):
            return other(x, depth - 1) if depth else x.exp()

        def other(x, depth):
            return one(x, depth - 1) if depth else x.exp()

        class Work:
            @staticmethod
            def take(*args, **kwargs):
                pass

        markers.wrap(Work, "take")
        long = "x" * 100000
        with marked() as sink:
            one(torch.ones(2), 400)
            Work.take(*range(5000))
            Work.take(tuple(range(5000)), [long, long], long, long * 2)
            Work.take(*[[long] * 64] * 64)
        self.assertLess(max(map(len, sink.texts())), 8300)
        found = ops(sink)
        self.assertEqual(found[1].stack[0].split(":")[0], __file__)
        self.assertEqual(found[1].tail(1), "exp")
        self.assertEqual([len(op.args) for op in found[2:4]], [64, 4])
        keys = str([key for key in markers._markers.texts if "take" in str(key[0])])
        self.assertLess(len(keys), 40000)

    def test_paths_are_bounded(self):
        x = torch.ones(2)
        most, markers._CACHE_MOST = markers._CACHE_MOST, 20
        try:
            with marked():
                for at in range(100):
                    exec("def f(x):\n" + "\n" * at + "    x.exp()\nf(x)", {"x": x})
                names = markers._markers.names
                self.assertLess(len(names.calls) + len(names.ops), 100)
                self.assertLess(len(markers._markers.root.sites), 30)
        finally:
            markers._CACHE_MOST = most

    def test_recursion(self):
        def down(x, depth):
            return down(x.exp(), depth - 1) if depth else x

        x = torch.ones(2)
        with marked() as sink:
            down(x, 3)
        self.assertEqual(
            [op.path.split("test_recursion/")[1] for op in ops(sink)],
            ["down/exp", "down/exp(2)", "down/exp(3)"],
        )

    def test_a_method_has_the_class_of_its_object(self):
        class Base:
            def work(self):
                return torch.ones(2)

        class Derived(Base):
            pass

        with marked() as sink:
            Derived().work()
        self.assertEqual(ops(sink)[0].tail(2), "Derived::work/ones")

    def test_a_constructor_within_another_is_one(self):
        class Base:
            def __init__(self):
                torch.ones(2)

        class Derived(Base):
            def __init__(self):
                super().__init__()

        with marked() as sink:
            Derived()
        self.assertTrue(ops(sink)[0].path.endswith("within_another_is_one/Derived::__init__/ones"))

    def test_locals_are_not_kept(self):
        alive = []

        class Witness:
            def __del__(self):
                alive.append("gone")

        class Object:
            def work(self):
                witness = Witness()
                torch.ones(2)
                del witness
                return list(alive)

        with marked():
            self.assertEqual(Object().work(), ["gone"])

    def test_locals_that_the_program_has_stay(self):
        class Object:
            def work(self, value):
                mine = locals()
                torch.ones(2)
                return mine["value"]

        with marked():
            self.assertEqual(Object().work(3), 3)

    def test_locals_that_the_program_has_changed_stay_so(self):
        class Object:
            def work(self, value):
                mine = locals()
                del mine["self"]
                value = 7
                torch.ones(value)
                return mine

            def run(self):
                exec("y = 1")
                torch.ones(2)
                return eval("y")

        with marked():
            self.assertEqual(Object().work(3), {"value": 3})
            if sys.version_info < (3, 13):
                self.assertEqual(Object().run(), 1)

    def test_operators_and_methods(self):
        x = torch.ones(2)
        with marked() as sink:
            x + x
            1 - x
            x @ x
            x.add_(1)
            torch.relu(x)
            F.relu(x)
            torch.linalg.norm(x)
        found = [(op.mod, op.op) for op in ops(sink)]
        self.assertEqual(found[3:6], [("Tensor", "add_"), ("torch", "relu"), ("torch.nn.functional", "relu")])
        self.assertEqual(len(found), 7)

    def test_an_import_is_its_module(self):
        """What Python runs to import is in no path, as it is in no traceback."""
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "imported_by_a_test.py"), "w", encoding="utf-8") as script:
                script.write("import torch\ntorch.ones(2)\n")
            with marked() as sink, unittest.mock.patch.object(sys, "path", [folder] + sys.path):
                import imported_by_a_test  # noqa: F401
        found = [op.tail(3) for op in ops(sink)]
        self.assertEqual(found, ["Names::test_an_import_is_its_module/<module>/ones"])

    def test_what_only_asks_is_no_op(self):
        x = torch.ones(2, requires_grad=True)
        with marked() as sink:
            x.size(), x.dim(), x.shape, x.dtype, x.grad, x.is_contiguous(), len(x), x.detach()
        self.assertEqual(ops(sink), [])


class Arguments(unittest.TestCase):
    def one(self, call):
        with marked() as sink:
            call()
        return ops(sink)[-1]

    def test_shapes_types_and_values(self):
        x, w = conv()
        op = self.one(lambda: F.conv2d(x, w, None, stride=(2, 1), groups=1))
        self.assertEqual(op.tensors(), [((1, 2, 8, 8), "float32"), ((2, 2, 3, 3), "float32")])
        self.assertEqual(
            op.args[2:],
            [
                {"name": "", "type": "NoneType", "value": None},
                {"name": "stride", "type": "tuple", "value": (2, 1)},
                {"name": "groups", "type": "int", "value": 1},
            ],
        )

    def test_lists_of_tensors_are_their_members(self):
        x = torch.ones(2)
        self.assertEqual(self.one(lambda: torch.cat([x, x, x], 0)).tensors(), [((2,), "float32")] * 3)

    def test_data_types(self):
        for dtype in (torch.bfloat16, torch.float16, torch.float64, torch.int64, torch.bool):
            x = torch.ones(2, dtype=dtype)
            name = str(dtype).split(".")[1]
            self.assertEqual(self.one(x.clone).tensors(), [((2,), name)])
        if hasattr(torch, "float8_e4m3fn"):
            x = torch.ones(2).to(torch.float8_e4m3fn)
            self.assertEqual(self.one(x.clone).tensors(), [((2,), "float8_e4m3fn")])

    def test_sparse(self):
        x = torch.eye(3).to_sparse()
        y = torch.ones(3, 2)
        op = self.one(lambda: torch.sparse.mm(x, y))
        self.assertEqual(op.tensors(), [((3, 3), "float32"), ((3, 2), "float32")])

    def test_sparse_and_dense_in_turns(self):
        class Work:
            @staticmethod
            def take(x, **more):
                pass

        markers.wrap(Work, "take")
        dense = torch.eye(3)
        sparse = dense.to_sparse()
        for make in (lambda x: ((x,), {}), lambda x: (([x],), {}), lambda x: ((1,), {"y": x})):
            calls = [make(x) for x in (dense, sparse, dense)]
            with marked() as sink:
                for args, more in calls:
                    Work.take(*args, **more)
            layouts = [op.args[-1].get("layout") for op in ops(sink) if op.op == "take"]
            self.assertEqual(layouts, [None, "sparse_coo", None])

    def test_nested(self):
        try:
            x = torch.nested.nested_tensor([torch.ones(2, 3), torch.ones(1, 3)])
        except Exception as error:
            self.skipTest(str(error))
        self.assertEqual(self.one(lambda: torch.nn.functional.linear(x, torch.ones(4, 3))).op, "linear")

    def test_numbers_that_are_none(self):
        op = self.one(lambda: torch.full((2,), float("inf")))
        self.assertEqual(op.args[1]["value"], "inf")
        op = self.one(lambda: torch.full((2,), float("nan")))
        self.assertEqual(op.args[1]["value"], "nan")
        self.assertIs(self.one(lambda: torch.full((2,), True)).args[1]["value"], True)
        self.assertIs(type(self.one(lambda: torch.full((2,), 1)).args[1]["value"]), int)

    def test_what_is_no_tensor(self):
        x = torch.ones(2)
        op = self.one(lambda: x.to(torch.device("cpu"), torch.float64))
        self.assertEqual(op.args, [{"name": "", "type": "tensor", "shape": (2,), "dtype": "float32"}])

    def test_a_class_of_tensors_that_cannot_be_asked(self):
        class Odd(torch.Tensor):
            @property
            def shape(self):
                raise RuntimeError("no")

            @property
            def dtype(self):
                raise RuntimeError("no")

        x = torch.ones(2).as_subclass(Odd)
        with marked() as sink:
            torch.add(x, 1)
        self.assertEqual(ops(sink)[0].op, "add")

    def test_quotes(self):
        op = self.one(lambda: torch.einsum("i,i->", torch.ones(2), torch.ones(2)))
        self.assertIn({"name": "", "type": "str", "value": "i,i->"}, op.args)


class Guard(unittest.TestCase):
    def test_a_sink_that_fails_stops_nothing(self):
        calls = []

        class Counts(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                calls.append("forward")
                return x * 1

            @staticmethod
            def backward(ctx, gradient):
                calls.append("backward")
                return gradient

        class Fails(markers.NullSink):
            def push(self, text):
                raise RuntimeError("the sink is full")

        one = markers._markers
        with self.assertRaises(AssertionError), marked():
            one.sink = Fails()
            net = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            Counts.apply(net(torch.ones(1, 2))).sum().backward()
            optimizer.step()
            self.assertGreater(one.errors, 3)
        self.assertEqual(calls, ["forward", "backward"])

    def test_an_error_that_cannot_be_said_stops_nothing(self):
        class Hostile(Exception):
            def __str__(self):
                raise RuntimeError("no")

        class Fails(markers.NullSink):
            def push(self, text):
                raise Hostile

        for stream in (sys.stderr, None):
            with self.assertRaises(AssertionError), marked():
                markers._markers.sink = Fails()
                with unittest.mock.patch("sys.stderr", stream):
                    self.assertEqual(torch.ones(2).sum().item(), 2)

    def test_a_function_that_cannot_be_a_key(self):
        class Odd:
            __hash__ = None

            def __call__(self, x):
                return x

        with self.assertRaises(AssertionError), marked():
            x = torch.ones(2)
            self.assertIs(torch.overrides.handle_torch_function(Odd(), (x,), x), x)

    def test_what_an_op_raises_is_raised_once(self):
        calls = []

        class Work:
            @staticmethod
            def fails():
                calls.append(1)
                raise KeyError("mine")

        markers.wrap(Work, "fails")
        with marked():
            with self.assertRaises(KeyError):
                Work.fails()
        self.assertEqual(calls, [1])


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, gradient):
        return gradient * 2


def plain_function(x):
    return x


plain_function.flag = 1
cached_function = functools.lru_cache(lambda x: x)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        return self.head(self.body(x))


class Layers(unittest.TestCase):
    def test_forward(self):
        net = Net()
        with marked() as sink:
            net(torch.ones(1, 4))
        found = {op.op: op.layers for op in ops(sink)}
        self.assertEqual(found["linear"], ("Net", "head"))
        self.assertEqual(found["relu"], ("Net", "body", "body.1"))

    def test_no_layers(self):
        net = Net()
        with marked(layers=False) as sink:
            net(torch.ones(1, 4)).sum().backward()
        self.assertFalse([text for text in sink.texts() if text.startswith("layer:")])
        self.assertTrue([text for text in sink.texts() if text.startswith("AddmmBackward0")])

    def test_a_part_that_was_called_alone_before(self):
        net = Net()
        with marked() as sink:
            net.head(torch.ones(1, 4))
            net(torch.ones(1, 4))
        self.assertEqual(
            [op.layers for op in ops(sink) if op.op == "linear"][::2], [("Linear",), ("Net", "head")]
        )

    def test_a_part_of_two_networks_has_the_name_of_the_one_that_runs(self):
        class Outer(nn.Module):
            def __init__(self, name, part):
                super().__init__()
                self.name = name
                self.add_module(name, part)

            def forward(self, x):
                return getattr(self, self.name)(x)

        part = nn.Linear(4, 4)
        a, b = Outer("a_longer_name", part), Outer("b", part)
        with marked() as sink:
            for net in (a, b, part, a):
                net(torch.ones(1, 4))
        self.assertEqual(
            [op.layers for op in ops(sink) if op.op == "linear"],
            [("Outer", "a_longer_name"), ("Outer", "b"), ("Linear",), ("Outer", "a_longer_name")],
        )

    def test_a_part_that_is_new(self):
        net = Net()
        with marked() as sink:
            net(torch.ones(1, 4))
            net.head = nn.Linear(4, 3)
            net.body.add_module("a\n:b", nn.Linear(4, 4))
            net(torch.ones(1, 4))
            net.forward = lambda x: nn.Linear(4, 4)(x)
            for _ in range(40):
                net(torch.ones(1, 4))
        layers = [op.layers for op in ops(sink) if op.op == "linear"]
        self.assertEqual(layers[3:5], [("Net", "body", "body.a__b"), ("Net", "head")])
        self.assertEqual(set(layers[5:]), {("Net", "Linear")})

    def test_backward_numbers_and_layers(self):
        net = Net()
        with marked() as sink:
            net(torch.ones(1, 4)).sum().backward()
        texts = sink.texts()
        forward = [text for text in texts if text.startswith("aten::")]
        backward = [text for text in texts if "Backward0, seq = " in text]
        self.assertEqual(
            sorted(int(text.split(" = ")[1]) for text in forward),
            sorted(int(text.split(" = ")[1]) for text in backward),
        )
        self.assertTrue(any(text.startswith("AddmmBackward0") for text in backward))
        layers = [text for text in texts if text.startswith("layer:")]
        self.assertEqual(layers.count("layer:body.0"), 2)  # once each way

    def test_backward_of_a_class_of_tensors(self):
        class Own(torch.Tensor):
            pass

        x = torch.ones(2, requires_grad=True)
        with marked() as sink:
            sum(((x.as_subclass(Own) * 2).exp() + 1).unbind(0)).backward()
        texts = sink.texts()
        for name in ("MulBackward0", "ExpBackward0", "UnbindBackward0"):
            numbers = [text.split(",")[1] for text in texts if text.startswith(name)]
            self.assertEqual(len(numbers), 1, name)
            self.assertEqual(sum(text.endswith(numbers[0]) for text in texts), 2)

    def test_a_view_whose_gradient_is_copied(self):
        x = torch.ones(2, 6, requires_grad=True)
        with marked() as sink:
            (x.view(2, 2, 3).transpose(1, 2).relu().flatten(1) ** 2).sum().backward()
        backward = [text.split(",")[0] for text in sink.texts() if "Backward" in text]
        self.assertIn("ViewBackward0", backward)
        self.assertNotIn("TransposeBackward0", backward)

    def test_an_exception_inside_forward(self):
        class Fails(nn.Module):
            def forward(self, x):
                x.exp()
                raise ValueError("no")

        class Outer(nn.Module):
            def __init__(self):
                super().__init__()
                self.inner = Fails()

            def forward(self, x):
                try:
                    self.inner(x)
                except ValueError:
                    pass
                return x.log()

        with marked() as sink:
            Outer()(torch.ones(2))
            torch.ones(2).sin()
        found = {op.op: op.layers for op in ops(sink)}
        self.assertEqual(found["exp"], ("Outer", "inner"))
        self.assertEqual(found["log"], ("Outer",))
        self.assertEqual(found["sin"], ())

    def test_layers_end_with_an_exception(self):
        if "always_call" not in inspect.signature(nn.modules.module.register_module_forward_hook).parameters:
            self.skipTest("hooks of this PyTorch are not called for what an exception ends")

        class Fails(nn.Module):
            def forward(self, x):
                raise ValueError("no")

        class Outer(nn.Module):
            def __init__(self):
                super().__init__()
                self.inner = Fails()

            def forward(self, x):
                try:
                    self.inner(x)
                except ValueError:
                    self.open = list(markers._markers.threads.here.open)
                return x

        net = Outer()
        with marked():
            net(torch.ones(2))
        self.assertEqual([text for text in net.open if text.startswith("layer:")], ["layer:Outer"])

    def test_an_exception_of_an_op(self):
        with marked() as sink:
            with self.assertRaises(RuntimeError):
                torch.ones(2) @ torch.ones(3)
            torch.ones(2)
        self.assertEqual([op.op for op in ops(sink)][-1], "ones")

    def test_an_exception_in_the_backward_pass(self):
        class Fails(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * 1

            @staticmethod
            def backward(ctx, gradient):
                raise ValueError("no")

        net = Net()
        with marked() as sink:
            for _ in range(2):
                with self.assertRaises(ValueError):
                    net(Fails.apply(torch.ones(1, 4, requires_grad=True))).sum().backward()
            with self.assertRaises(ValueError):
                x = torch.ones(1, 4, requires_grad=True)
                torch.autograd.backward(net(Fails.apply(x)).sum())
            torch.optim.SGD(net.parameters(), lr=0.1).step()
            depth = sink.depth()
            net(torch.ones(1, 4)).sum().backward()
        self.assertEqual(depth, 0)
        self.assertTrue(all(one.is_closed for one in sink.all()))

    def test_attention_has_its_parts(self):
        net = nn.MultiheadAttention(8, 2)
        x = torch.ones(3, 1, 8)
        net.train()
        with marked() as sink:
            net(x, x, x)
        found = [op.op for op in ops(sink)]
        self.assertEqual(found[0], "multi_head_attention_forward")
        self.assertIn("linear", found)

    def test_wrappers_have_no_name(self):
        net = nn.DataParallel(Net())
        with marked() as sink:
            net(torch.ones(1, 4))
        self.assertIn("layer:body.0", sink.texts())


class Traps(unittest.TestCase):
    def test_custom_function(self):
        with marked() as sink:
            Double.apply(torch.ones(2, requires_grad=True)).sum().backward()
        found = [(op.op, op.tail(2)) for op in ops(sink)]
        self.assertIn(("mul", "forward/mul"), found)
        self.assertIn(("mul", "backward/mul"), found)

    def test_node_names_are_no_format(self):
        words = markers._markers.words_of("Half%sBackward")
        self.assertEqual([word % 7 for word in words], ["aten::half%s, seq = 7", "Half%sBackward, seq = 7"])

    def test_wrap(self):
        class Work:
            def method(self, x):
                return x.exp()

            @staticmethod
            def static(x):
                return x.exp()

        class Own(Double):
            pass

        for owner, name in ((Work, "method"), (Work, "static"), (Own, "apply")):
            markers.wrap(owner, name)
        x = torch.ones(2, requires_grad=True)
        with marked() as sink:
            Work().method(x), Work.static(x), Work().static(x), Own.apply(x)
        found = [(op.mod, op.op) for op in ops(sink)]
        self.assertEqual(found[:2], [("Work", "method"), ("Tensor", "exp")])
        self.assertEqual(found.count(("Work", "static")), 2)
        self.assertIn(("Own", "apply"), found)
        Work().method(x)  # off

    def test_wrap_binds_to_what_is_called(self):
        class Own(Double):
            pass

        class Triple(Own):
            @staticmethod
            def forward(ctx, x):
                return x * 3

        class Base:
            @classmethod
            def name(cls):
                return cls.__name__

        class Derived(Base):
            pass

        net = nn.Sequential(nn.Linear(4, 2))
        markers.wrap(Own, "apply")
        markers.wrap(Base, "name")
        markers.wrap(net, "forward")
        x = torch.ones(1)
        with marked() as sink:
            self.assertEqual((Own.apply(x).item(), Triple.apply(x).item()), (2, 3))
            self.assertEqual((Base.name(), Derived().name()), ("Base", "Derived"))
            net(torch.ones(1, 4))
        found = [(op.mod, op.op) for op in ops(sink)]
        self.assertEqual(found.count(("Own", "apply")), 2)
        self.assertIn(("Sequential", "forward"), found)
        other = copy.deepcopy(net)
        self.assertIs(other.forward.__self__, other)
        self.assertEqual(len(pickle.loads(pickle.dumps(net))), 1)

    def test_what_is_wrapped_is_like_what_it_was(self):
        self.assertEqual(plain_function(2), 2)
        here = sys.modules[__name__]
        for name in ("plain_function", "cached_function", "Double"):
            markers.wrap(here, name)
        self.assertEqual((plain_function.flag, pickle.loads(pickle.dumps(plain_function))(3)), (1, 3))
        cached_function.cache_clear()
        self.assertIsInstance(Double, type)

    def test_in_place(self):
        x = torch.ones(2, requires_grad=True)
        with marked() as sink:
            y = x * 1
            y.mul_(2).add_(3)
            y[0] = 5
            y.sum().backward()
        self.assertEqual(x.grad.tolist(), [0, 2])
        self.assertEqual([op.op for op in ops(sink)][1:3], ["mul_", "add_"])

    def test_threads(self):
        def work():
            torch.ones(2).exp()

        with marked() as sink:
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
            torch.ones(2)
        self.assertEqual([op.op for op in ops(sink) if op.tail(2) == "work/exp"], ["exp"])

    def test_a_thread_that_was_there_before(self):
        net, go, found = Net(), threading.Event(), []

        def work():
            go.wait()
            net(torch.ones(1, 4))

        thread = threading.Thread(target=work)
        thread.start()
        with marked() as sink:
            go.set()
            thread.join()
            found = [op.op for op in ops(sink)]
        self.assertEqual(found, ["linear", "relu", "linear"])

    def test_checkpointing(self):
        for reentrant in (True, False):
            torch.manual_seed(1)
            net = Net()
            x = torch.ones(1, 4, requires_grad=True)
            checkpoint(net, x, use_reentrant=reentrant).sum().backward()
            expected = x.grad.clone()
            x.grad = None
            with marked() as sink:
                checkpoint(net, x, use_reentrant=reentrant).sum().backward()
            self.assertTrue(torch.equal(expected, x.grad))
            found = [op.op for op in ops(sink)]
            self.assertEqual(found.count("linear"), 4, reentrant)

    def test_what_is_run_again_has_the_layers_of_its_first_run(self):
        class Outer(nn.Module):
            def __init__(self, reentrant):
                super().__init__()
                self.reentrant = reentrant
                self.inner = Net()

            def forward(self, x):
                return checkpoint(self.inner.head, self.inner.body(x), use_reentrant=self.reentrant)

        for reentrant in (True, False):
            net = Outer(reentrant)
            with marked() as sink:
                net(torch.ones(1, 4)).sum().backward()
            heads = [op.layers for op in ops(sink) if op.op == "linear" and "inner.head" in op.layers]
            self.assertGreaterEqual(len(heads), 2, reentrant)
            for layers in heads:
                self.assertEqual(layers[-2:], ("Outer", "inner.head"), reentrant)

    def test_the_wrapper_of_compile_has_the_name_of_the_model(self):
        class OptimizedModule(nn.Module):
            def __init__(self, net):
                super().__init__()
                self._orig_mod = net

            def forward(self, x):
                return self._orig_mod.forward(x)

        net, x = OptimizedModule(Net()), torch.ones(1, 4)
        with marked() as sink:
            net(x)
            markers._markers.config_tell()
        self.assertEqual({op.layers[0] for op in ops(sink)}, {"Net"})
        self.assertIn('"compile": true', [text for text in sink.texts() if "model_config" in text][-1])

    def test_autocast(self):
        net = Net()
        with marked() as sink:
            with torch.autocast("cpu", dtype=torch.bfloat16):
                net(torch.ones(1, 4))
        self.assertEqual([op.op for op in ops(sink)].count("linear"), 2)

    def test_double_backward(self):
        x = torch.ones(2, requires_grad=True)
        with marked():
            (first,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
            first.sum().backward()
        self.assertEqual(x.grad.tolist(), [6, 6])

    def test_other_modes(self):
        class Other(torch.overrides.TorchFunctionMode):
            def __torch_function__(self, func, types, args=(), kwargs=None):
                return func(*args, **(kwargs or {}))

        with Other():
            with marked() as sink:
                with Other():
                    torch.ones(2)
        self.assertEqual([op.op for op in ops(sink)], ["ones"])

    def test_modes_that_begin_or_end_in_between(self):
        class Twice(torch.overrides.TorchFunctionMode):
            def __torch_function__(self, func, types, args=(), kwargs=None):
                result = func(*args, **(kwargs or {}))
                return result * 2 if func is torch.ones else result

        class Fails(nn.Module):
            def forward(self, x):
                raise ValueError

        found, go = [], threading.Event()

        def work():
            go.wait()
            with Twice(), contextlib.suppress(ValueError):
                Fails()(torch.ones(1))
            found.append(torch.ones(1).item())

        thread = threading.Thread(target=work)  # which has no mode of its own
        thread.start()
        one = markers._markers
        with marked():
            with Twice():
                markers.stop()
                self.assertEqual(torch.ones(1).item(), 2)
            self.assertIsNone(torch.overrides._get_current_function_mode())
            with Twice():
                markers.start()
                self.assertEqual(torch.ones(1).item(), 2)
            self.assertIs(torch.overrides._get_current_function_mode(), one)
            go.set()
            thread.join()
            self.assertEqual(found + [torch.ones(1).item()], [1, 1])

    def test_the_mode_of_a_default_device_stays_at_the_bottom(self):
        class Device(torch.overrides.TorchFunctionMode):
            def __torch_function__(self, func, types, args=(), kwargs=None):
                return func(*args, **(kwargs or {}))

        device, one = Device(), markers._markers
        context = unittest.mock.Mock(device_context=device)
        for is_new, expected in ((True, [device, one]), (False, [one, device])):
            module = unittest.mock.Mock(spec=["_push_mode"] if is_new else [])
            with unittest.mock.patch("torch._GLOBAL_DEVICE_CONTEXT", context, create=True):
                with unittest.mock.patch.dict("sys.modules", {"torch.utils._device": module}):
                    with device, marked():
                        modes = torch.overrides._get_current_function_mode_stack()
            self.assertEqual(modes, expected)

    def test_tracing_and_scripts(self):
        net = Net()
        with marked():
            traced = torch.jit.trace(net, torch.ones(1, 4))
            scripted = torch.jit.script(net)
            self.assertTrue(torch.equal(traced(torch.ones(1, 4)), scripted(torch.ones(1, 4))))


class Training(unittest.TestCase):
    def train(self, every=None):
        torch.manual_seed(1)
        net = Net()
        optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
        data = torch.utils.data.TensorDataset(torch.randn(6, 4), torch.randn(6, 2))
        losses = []
        for x, y in torch.utils.data.DataLoader(data, batch_size=2):
            optimizer.zero_grad()
            loss = F.mse_loss(net(x), y)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        return losses

    def test_losses_are_equal_bit_by_bit(self):
        without = self.train()
        with marked():
            with_markers = self.train()
        self.assertEqual(without, with_markers)
        self.assertEqual(without, self.train())

    def test_steps_loaders_optimizers(self):
        with marked() as sink:
            self.train()
        self.assertEqual(sink.loose, ["step 0", "step 1", "step 2", "step 3"])
        texts = sink.texts()
        self.assertEqual(texts.count("Optimizer.step#Adam.step"), 3)
        self.assertIn("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", texts)
        configs = [text for text in texts if "model_config" in text]
        self.assertIn('"pin_memory": false', configs[-1])

    def test_a_network_inside_an_optimizer_step(self):
        net = Net()
        optimizer = torch.optim.LBFGS(net.parameters(), max_iter=2)

        def closure():
            optimizer.zero_grad()
            loss = net(torch.ones(1, 4)).square().sum()
            loss.backward()
            return loss

        with marked() as sink:
            optimizer.step(closure)
            net(torch.ones(1, 4))
        linear = [op for op in ops(sink) if op.op == "linear"]
        outside = [op for op in linear if "/closure" not in op.path]
        self.assertEqual(len(linear), 3 * len(outside))
        self.assertEqual([op.layers for op in linear], 3 * [op.layers for op in outside])

    def test_an_exception_inside_an_optimizer_step(self):
        net = Net()
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

        def closure():
            raise KeyError

        with marked() as sink:
            for _ in range(2):
                with self.assertRaises(KeyError):
                    optimizer.step(closure)
                torch.ones(2)
        path = [op for op in ops(sink) if op.op == "ones"][-1].path
        self.assertNotIn("step", path.replace("test_an_exception_inside_an_optimizer_step", ""))

    def test_settings_that_change_are_told(self):
        with marked() as sink:
            before = torch.backends.cudnn.benchmark
            torch.backends.cudnn.benchmark = not before
            for _ in range(20):
                markers.step()
            torch.backends.cudnn.benchmark = before
        configs = [text for text in sink.texts() if "model_config" in text]
        self.assertEqual(len(configs), 2)  # as it starts, and each 16th step
        self.assertEqual(sum('"cudnn_benchmark_disabled": true' in text for text in configs), 1)

    def test_settings_are_told_to_each_capture(self):
        with marked() as sink:
            for _ in range(2):
                markers.stop()
                markers.start()
            net = Net()
            with torch.autocast("cpu", dtype=torch.bfloat16):
                net(torch.ones(1, 4))
        configs = [text for text in sink.texts() if "model_config" in text]
        self.assertEqual(len(configs), 4)
        self.assertIn('"amp_enabled": true', configs[-1])
        self.assertIn('"compile": false', configs[-1])

    def test_settings_are_told_to_a_profiler_that_begins(self):
        data = torch.utils.data.TensorDataset(torch.randn(6, 4))
        loader = torch.utils.data.DataLoader(data, batch_size=2, pin_memory=False)
        with marked():
            markers._markers.sink = markers.RecordFunctionSink()
            for _ in loader:
                pass
            with torch.autograd.profiler.profile() as profile:
                markers.step()
        configs = [event.name for event in profile.function_events if "model_config" in event.name]
        self.assertEqual(len(configs), 1)
        self.assertIn("'pin_memory': false", configs[0])

    def test_each_nth_step(self):
        with marked(every=2) as sink:
            self.train()
            self.assertIsNone(torch.overrides._get_current_function_mode())
        self.assertEqual(sink.loose, ["step 0", "step 2"])

    def test_steps_that_are_counted_while_stopped(self):
        with marked() as sink:
            markers.stop()
            markers.step()
            markers.start()
            torch.ones(2)
        self.assertEqual([op.op for op in ops(sink)], ["ones"])
        self.assertEqual(sink.loose, ["step 0", "step 1"])

    def test_a_start_in_a_step_that_is_not_marked(self):
        hooks = torch.nn.modules.module._global_forward_hooks
        with marked(every=2) as sink:
            count = len(hooks)
            markers.step()
            markers.start()
            self.assertEqual(len(hooks), count)
            torch.ones(2)
            markers.step()
            torch.zeros(2)
        self.assertEqual([op.op for op in ops(sink)], ["zeros"])

    def test_a_step_of_a_sink_that_fails(self):
        class Fails(markers.NullSink):
            def begin(self, text):
                raise OSError("the disk is full")

        with self.assertRaises(AssertionError), marked():
            markers._markers.sink = Fails()
            markers.step()

    def test_workers_of_loaders(self):
        data = torch.utils.data.TensorDataset(torch.randn(6, 4))
        with marked() as sink:
            for _ in torch.utils.data.DataLoader(data, batch_size=2, num_workers=1):
                pass
        self.assertTrue(any('"num_workers": 1' in text for text in sink.texts()))

    def test_loss_scaling(self):
        with marked() as sink:
            scaler = torch.cuda.amp.GradScaler(enabled=False)
            scaler.scale(torch.ones(1))
            scaler.update()
        self.assertIn("GradScaler.scale", sink.texts())

    def test_a_profiler_of_threads_stays(self):
        def other(*_arguments):
            pass

        if not hasattr(threading, "getprofile"):
            self.skipTest("Python before 3.10 does not say")
        threading.setprofile(other)
        try:
            with marked():
                self.assertIs(threading.getprofile(), other)
            self.assertIs(threading.getprofile(), other)
        finally:
            threading.setprofile(None)

    def test_the_profiler_of_pytorch(self):
        net = Net()
        with torch.autograd.profiler.profile() as profile:
            with marked():
                markers._markers.sink = markers.RecordFunctionSink()
                net(torch.ones(1, 4)).sum().backward()
        names = [event.name for event in profile.function_events]
        self.assertIn("layer:body.1", names)
        marks = [ast.literal_eval(name)["op"] for name in names if name.startswith("{'mod'")]
        # What a backward pass begins with is its version's.
        self.assertEqual(set(marks) - {"ones", "ones_like"}, {"linear", "relu", "sum", "backward"})

    def test_steps_under_the_profiler_of_pytorch(self):
        class Own(torch.optim.SGD):
            def step(self, closure=None):
                return super().step(closure)

        def names(way):
            net = nn.Linear(2, 2)
            with torch.autograd.profiler.profile() as profile, way() as sink:
                if sink:
                    markers._markers.sink = markers.RecordFunctionSink()
                torch.optim.SGD(net.parameters(), lr=0.1)
                optimizer = Own(net.parameters(), lr=0.1)
                for _ in range(4):
                    net(torch.ones(1, 2)).sum().backward()
                    optimizer.step()
                if sink:
                    self.assertEqual(markers._markers.step, 4)
            return [event.name for event in profile.function_events]

        # Versions differ in how often a step is told that calls the one of its base.
        plain, marked_ones = names(contextlib.nullcontext), names(lambda: marked(every=2, backward=False))
        step = "Optimizer.step#Own.step"
        self.assertGreater(plain.count(step), 0)
        self.assertEqual(marked_ones.count(step), plain.count(step))
        self.assertEqual(marked_ones.count("layer:Linear"), 2)

    def test_what_traces_sees_no_ranges_of_the_profiler(self):
        net = nn.Sequential(nn.Linear(4, 2), nn.ReLU())
        with marked():
            markers._markers.sink = markers.RecordFunctionSink()
            traced = torch.jit.trace(net, torch.ones(1, 4))
        self.assertNotIn("profiler", str(traced.inlined_graph))

    def test_a_trace_of_the_profiler_is_json(self):
        soft = markers._without_escapes('{"a": "o\'x", \'b\': \'say "y"\', \'c\': "\\\\n"}')
        self.assertEqual(ast.literal_eval(soft), {"a": "o\u2019x", "b": "say \u201dy\u201d", "c": "//n"})
        with torch.profiler.profile() as profile, marked(backward=False):
            markers._markers.sink = markers.RecordFunctionSink()
            markers._markers.config_tell(True)
            torch.full((2,), float("inf"))
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            profile.export_chrome_trace(file.name)
            with open(file.name) as trace:
                events = json.load(trace)
        events = events if isinstance(events, list) else events["traceEvents"]  # 1.13
        names = [event.get("name", "") for event in events]
        self.assertEqual(len([name for name in names if name.startswith("{'model_config': {")]), 1)
        self.assertEqual(len([name for name in names if "'value': 'inf'" in name]), 1)

    def test_a_profiler_that_begins_or_ends_inside_a_range(self):
        sink = markers.RecordFunctionSink()
        sink.push("before")
        with torch.autograd.profiler.profile() as profile:
            sink.push("both")
            sink.pop()
            sink.pop()
            sink.push("left open")
        sink.pop()
        self.assertIn("both", [event.name for event in profile.function_events])

    def test_distributed_on_one_rank(self):
        if not (torch.distributed.is_available() and torch.distributed.is_gloo_available()):
            self.skipTest("no gloo")
        with tempfile.NamedTemporaryFile() as store:
            torch.distributed.init_process_group(
                "gloo", init_method="file://" + store.name, rank=0, world_size=1
            )
            try:
                gradients = []
                for way in (contextlib.nullcontext, marked):
                    torch.manual_seed(1)
                    net = nn.parallel.DistributedDataParallel(Net())
                    with way() as sink:
                        net(torch.ones(1, 4)).sum().backward()
                    gradients.append([one.grad for one in net.parameters()])
            finally:
                # As the last of the group goes, PyTorch waits for its threads with the GIL in hand, and for
                # ever where one still wants it.
                time.sleep(0.2)
                torch.distributed.destroy_process_group()
        self.assertTrue(all(map(torch.equal, *gradients)))
        layers = [op.layers for op in ops(sink) if op.op == "relu"]
        self.assertEqual(layers, [("DistributedDataParallel", "Net", "body", "body.1")])

    def test_off_is_off(self):
        with marked():
            pass
        self.assertIsNone(torch.overrides._get_current_function_mode())
        self.assertFalse(torch.nn.modules.module._global_forward_hooks)
        self.assertNotIn("dlprof", str(torch.optim.SGD.step.__dict__))


class Programs(unittest.TestCase):
    def run_python(self, *words, **environment):
        return subprocess.run(
            [sys.executable, *words],
            env=dict(os.environ, **environment),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            universal_newlines=True,
        )

    def test_an_exit_status_and_arguments(self):
        here = os.path.dirname(os.path.abspath(__file__))
        script = os.path.join(here, "exits.py")
        end = self.run_python("-m", "dlprof_tui_markers", "--sink=null", script, "--bench", "7")
        self.assertEqual((end.returncode, end.stdout), (7, "--bench 7 __main__\n"), end.stderr)
        self.assertIn("sink null", end.stderr.splitlines()[0])

    def test_the_file_of_a_script(self):
        with tempfile.NamedTemporaryFile("w", suffix=".py") as script:
            script.write("print(__file__)")
            script.flush()
            name = os.path.relpath(script.name)
            ends = [self.run_python(*words, name) for words in ((), ("-m", "dlprof_tui_markers"))]
        self.assertEqual(os.path.normpath(ends[0].stdout), ends[1].stdout)

    def test_a_sink_that_is_not_there(self):
        script = "import dlprof_tui_markers as m; m.init('nvtx'); import torch; print(torch.ones(1).item())"
        end = self.run_python("-c", script)
        self.assertEqual((end.returncode, end.stdout), (0, "1.0\n"), end.stderr)

    def test_aliases_where_it_is_installed(self):
        root = os.path.dirname(markers.__file__)
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(markers.__file__, folder)
            home = os.path.join(folder, "dlprof_tui_markers_aliases")  # as CMakeLists.txt has it
            shutil.copytree(os.path.join(root, "aliases"), home)
            with open(os.path.join(folder, "script.py"), "w") as script:
                script.write("import pyprof; pyprof.nvtx.init(); print(pyprof.__file__)")
            words = ("-m", "dlprof_tui_markers", "--sink=null", script.name)
            end = self.run_python(*words, PYTHONPATH=folder)
        self.assertEqual(end.stdout, os.path.join(home, "pyprof", "__init__.py") + "\n", end.stderr)

    def test_windows(self):
        for begin, expected in (
            ("", [(True, False)] * 2),
            ("m.init('null', start=False)", [(True, False)] * 2),
            ("m.init('null')", [(True, True)] * 2),
            ("m.init('null'); m.stop(); m.init()", [(True, True)] * 2),
        ):
            script = """import dlprof_tui_markers as m; %s
found = []
for _ in range(2):
    with m.window():
        inside = m._markers.is_on
    found.append((inside, m._markers.is_on))
print(found, m._markers.sink.name)"""
            end = self.run_python("-c", script % begin, DLPROF_TUI_MARKERS_SINK="null")
            self.assertEqual((end.returncode, end.stdout), (0, "%r null\n" % expected), end.stderr)
            self.assertEqual(end.stderr.count("\n"), 1)

    def test_forked_processes_pay_nothing(self):
        script = """import os, torch, dlprof_tui_markers as m; m.init('null')
hooks = lambda: len(torch.nn.modules.module._global_forward_hooks)
before, child = hooks(), os.fork()
if not child:
    os._exit(hooks() + (torch.overrides._get_current_function_mode() is not None))
print(before, os.waitpid(child, 0)[1], hooks())"""
        self.assertEqual(self.run_python("-c", script).stdout, "1 0 1\n")

    def test_words_that_are_not_heard(self):
        script = "import dlprof_tui_markers as m; m.init('null'); m.init('null'); m.init(); m.init(every=5)"
        end = self.run_python("-c", script + "; m._markers.sink = None; m.init('null', every=None)")
        self.assertEqual(end.returncode, 0, end.stderr)
        self.assertEqual([len(end.stderr.split(what)) for what in ("changes nothing", "None")], [2, 2])

    def test_aliases(self):
        root = os.path.dirname(markers.__file__)
        path = os.pathsep.join((root, os.path.join(root, "aliases")))
        for script in (
            "import nvidia_dlprof_pytorch_nvtx as n; n.init(enable_function_stack=True); n.nvtx.init()",
            "import pyprof; pyprof.init(True); from pyprof import nvtx; nvtx.wrap(pyprof, 'init')",
        ):
            script += "; import torch; torch.relu(torch.ones(2))"
            end = self.run_python("-c", script, PYTHONPATH=path, DLPROF_TUI_MARKERS_SINK="null")
            self.assertEqual((end.returncode, end.stdout), (0, ""), end.stderr)
            self.assertIn("sink null", end.stderr)


if __name__ == "__main__":
    torch.set_num_threads(1)
    unittest.main()
