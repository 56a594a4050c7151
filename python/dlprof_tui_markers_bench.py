# SPDX-License-Identifier: Apache-2.0
"""Measures the cost of markers: python -m dlprof_tui_markers --bench

Runs forward, backward and optimizer step of a LeNet and of a transformer block, small enough to be limited
by the host. The variants are measured in alternation. Prints the least time of a step, and by how much each
op is slower than without markers. An op is a marked call of PyTorch's interface, and with backward markers
also a graph node.
"""
import contextlib
import gc
import os
import sys
import tempfile
import time

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.overrides

import dlprof_tui_markers as markers

ROUNDS, STEPS = 3, 100  # enough for Python's adaptive interpreter to warm up


class LeNet(nn.Module):
    shape = (4, 1, 28, 28)

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(256, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = F.relu(self.fc1(torch.flatten(x, 1)))
        return self.fc3(F.relu(self.fc2(x)))


class Block(nn.Module):
    shape = (2, 16, 32)

    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(32), nn.LayerNorm(32)
        self.qkv, self.out = nn.Linear(32, 96), nn.Linear(32, 32)
        self.up, self.down = nn.Linear(32, 128), nn.Linear(128, 32)

    def attention(self, x):
        q, k, v = self.qkv(x).view(2, 16, 3, 4, 8).permute(2, 0, 3, 1, 4).unbind(0)
        weights = torch.softmax(q @ k.transpose(-2, -1) * 8**-0.5, -1)
        return self.out((weights @ v).transpose(1, 2).reshape(2, 16, 32))

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class Counter(markers.NullSink):
    def __init__(self):
        self.calls = self.nodes = 0

    def push(self, text):
        self.calls += text.startswith("{'mod'")
        self.nodes += "Backward" in text and ", seq = " in text


class Empty(torch.overrides.TorchFunctionMode):
    """Cost of a mode in PyTorch itself."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


class EmptyHooks(Empty):
    """In addition, cost of two hooks per module and two per graph node of a result."""

    def __enter__(self):
        module = torch.nn.modules.module
        self.handles = [
            module.register_module_forward_pre_hook(self.hook),
            module.register_module_forward_hook(self.hook),
        ]
        return super().__enter__()

    def __exit__(self, *exception):
        for handle in self.handles:
            handle.remove()
        return super().__exit__(*exception)

    def __torch_function__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        node = result.grad_fn if isinstance(result, torch.Tensor) else None
        if node is not None:
            node.register_prehook(self.hook)
            node.register_hook(self.hook)
        return result

    @staticmethod
    def hook(*_arguments):
        return None


def marked(sink, **words):
    @contextlib.contextmanager
    def way():
        one = markers._markers
        one.sink, one.has_layers = sink, words.get("layers", True)
        one.has_backward = words.get("backward", True)
        markers.start()
        yield
        markers.stop()

    return way


@contextlib.contextmanager
def off():
    markers.start()
    markers.stop()
    yield


def ways(folder):
    """Yields name, whether backward is marked, and context manager of each variant."""
    yield "without", False, contextlib.nullcontext
    yield "off", False, off
    yield "a mode, empty", False, Empty
    yield "markers, ops", False, marked(markers.NullSink(), layers=False, backward=False)
    yield "... and layers", False, marked(markers.NullSink(), backward=False)
    yield "mode, hooks, empty", True, EmptyHooks
    yield "... and backward", True, marked(markers.NullSink())
    yield "... to a log", True, marked(markers.LogSink(os.path.join(folder, "log")))
    if torch.cuda.is_available():
        yield "... to nvtx", True, marked(markers.NvtxSink())
        yield "emit_nvtx", True, torch.autograd.profiler.emit_nvtx
    profile = torch.profiler.profile
    yield "profiler", True, profile
    if sys.version_info < (3, 13) or not torch.__version__.startswith(("2.5.", "2.6.")):  # these crash
        yield "with_stack", True, lambda: profile(with_stack=True, record_shapes=True)


def step_make(network):
    torch.manual_seed(1)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    net = network().to(device)
    x = torch.randn(*network.shape, device=device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)

    def step():
        optimizer.zero_grad()
        net(x).square().mean().backward()
        optimizer.step()

    return step


def measure(network, folder):
    step = step_make(network)
    counter = Counter()
    step()
    with marked(counter)():
        step()
    least = {}
    counts = {}
    for _ in range(ROUNDS):
        for name, has_backward, way in ways(folder):
            counts[name] = counter.calls + counter.nodes * has_backward
            gc.collect()
            with way():
                for _ in range(STEPS):
                    start = time.perf_counter()
                    step()
                    us = (time.perf_counter() - start) * 1e6
                    least[name] = min(least.get(name, us), us)
    print("%s: %d ops a step and %d of its backward pass" % (network.__name__, counter.calls, counter.nodes))
    print("  %-18s %10s %10s" % ("", "us a step", "us an op"))
    for name, us in least.items():
        print("  %-18s %10.0f %10.2f" % (name, us, (us - least["without"]) / counts[name]))


def op_us(way, calls=3000):
    """Returns the time of one call of an op in us."""
    x = torch.ones(2)
    least = float("inf")
    for _ in range(ROUNDS):
        with way():
            start = time.perf_counter()
            for _ in range(calls):
                torch.add(x, x)
            least = min(least, (time.perf_counter() - start) / calls * 1e6)
    return least


def main():
    torch.set_num_threads(1)
    print("PyTorch %s, %s" % (torch.__version__, "CUDA" if torch.cuda.is_available() else "CPU"))
    cost = op_us(marked(markers.NullSink())) - op_us(contextlib.nullcontext)
    print("one op: %.2f us with its two ranges: %s" % (cost, "holds" if cost < 10 else "MISSES 10 us"))
    with tempfile.TemporaryDirectory() as folder:
        for network in (LeNet, Block):
            measure(network, folder)
    return cost >= 10


if __name__ == "__main__":
    sys.exit(main())
