# SPDX-License-Identifier: Apache-2.0
"""Trains a small network in many ways, with markers and without: on_gpu.py FOLDER [WAY...]

Each way runs in two processes of its own, so that nothing of the other is left, under the PyTorch
Profiler both times. Losses must be equal bit by bit, no marker may fail, and the trace of the
profiler (FOLDER/WAY.json.gz) must have layers. What this PyTorch or machine lacks is skipped, and
said. It is for a machine with a GPU; without one what can runs on the CPU.
"""
import contextlib
import gzip
import json
import os
import shutil
import subprocess
import sys

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint

STEPS, WARM_UP = 6, 3  # the profiler sees those behind
HAS_GPU = torch.cuda.is_available()
DEVICE = "cuda" if HAS_GPU else "cpu"


class Block(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.norm = nn.LayerNorm(size)
        self.up, self.down = nn.Linear(size, 4 * size), nn.Linear(4 * size, size)

    def forward(self, x):
        return x + self.down(F.gelu(self.up(self.norm(x))))


class Net(nn.Module):
    def __init__(self, is_checkpointed=False):
        super().__init__()
        self.conv = nn.Conv2d(1, 8, 3, padding=1)
        self.blocks = nn.ModuleList(Block(64) for _ in range(2))
        self.head = nn.Linear(64, 10)
        self.is_checkpointed = is_checkpointed

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv(x)), 2).flatten(2)  # of 16 x 16 points 8 x 8
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False) if self.is_checkpointed else block(x)
        return self.head(x.mean(1))


def batch_make():
    return torch.randn(32, 1, 16, 16, device=DEVICE), torch.randint(10, (32,), device=DEVICE)


class Training:
    def __init__(self, **words):
        self.net = Net(**words).to(DEVICE)
        self.model = self.net  # what is called
        self.make_optimizer()

    def make_optimizer(self):
        options = {"capturable": True} if HAS_GPU else {}
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=1e-3, **options)

    def loss(self, x, y):
        return F.cross_entropy(self.model(x), y)

    def step(self, x, y):
        self.optimizer.zero_grad(set_to_none=True)
        loss = self.loss(x, y)
        loss.backward()
        self.optimizer.step()
        return loss


def eager():
    return Training().step


def amp():
    training = Training()

    def step(x, y):
        with torch.autocast(DEVICE, dtype=torch.bfloat16):
            loss = training.loss(x, y)
        training.optimizer.zero_grad()
        loss.backward()
        training.optimizer.step()
        return loss

    return step


def scaler():
    if not HAS_GPU:
        return "no GPU"
    training, scale = Training(), torch.cuda.amp.GradScaler()

    def step(x, y):
        training.optimizer.zero_grad()
        with torch.autocast(DEVICE, dtype=torch.float16):
            loss = training.loss(x, y)
        scale.scale(loss).backward()
        scale.step(training.optimizer)
        scale.update()
        return loss

    return step


def compiled(**words):
    if not hasattr(torch, "compile"):
        return "torch.compile is of 2.0"
    if not HAS_GPU and (words or not shutil.which("g++")):
        return "no GPU"
    training = Training()
    training.model = torch.compile(training.net, **words)
    return training.step


def reduce_overhead():
    return compiled(mode="reduce-overhead")


def one_rank():
    # Not every build has libuv.
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(20000 + os.getpid() % 20000), USE_LIBUV="0")
    torch.distributed.init_process_group("nccl" if HAS_GPU else "gloo", rank=0, world_size=1)


def ddp():
    one_rank()
    training = Training()
    training.model = nn.parallel.DistributedDataParallel(training.net)
    return training.step


def fsdp():
    if not HAS_GPU:
        return "no GPU"
    from torch.distributed.fsdp import FullyShardedDataParallel

    one_rank()
    training = Training()
    training.model = FullyShardedDataParallel(training.net, device_id=0, use_orig_params=True)
    training.make_optimizer()
    return training.step


def graph():
    """A whole step, captured once; the profiler sees it captured anew, and its replays."""
    if not HAS_GPU:
        return "no GPU"
    training, (x, y) = Training(), batch_make()
    graphs = []

    def capture():
        graphs[:] = [torch.cuda.CUDAGraph()]
        training.optimizer.zero_grad(set_to_none=True)
        with torch.cuda.graph(graphs[0]):
            capture.loss = training.step(x, y)

    def step(new_x, new_y):
        x.copy_(new_x)
        y.copy_(new_y)
        if step.count < WARM_UP - 1:
            side = torch.cuda.Stream()
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side):
                loss = training.step(x, y)
            torch.cuda.current_stream().wait_stream(side)
        else:
            if step.count in (WARM_UP - 1, WARM_UP):
                capture()
            graphs[0].replay()
            loss = capture.loss
        step.count += 1
        return loss.clone()

    step.count = 0
    return step


def checkpointed():
    return Training(is_checkpointed=True).step


def double():
    """The gradient's own gradient, as in a penalty on it."""
    training = Training()

    def step(x, y):
        training.optimizer.zero_grad()
        x = x.clone().requires_grad_()
        loss = training.loss(x, y)
        (gradient,) = torch.autograd.grad(loss, x, create_graph=True)
        (loss + gradient.square().sum()).backward()
        training.optimizer.step()
        return loss

    return step


WAYS = {  # name: (what makes a step, words of the profiler; None: no profiler, but NVTX)
    "eager": (eager, {}),
    "amp": (amp, {}),
    "scaler": (scaler, {}),
    "compile": (compiled, {}),
    "reduce_overhead": (reduce_overhead, {}),
    "ddp": (ddp, {}),
    "fsdp": (fsdp, {}),
    "graph": (graph, {}),
    "checkpoint": (checkpointed, {}),
    "double": (double, {}),
    "stack": (eager, {"with_stack": True}),
}
WAYS.update({"nvtx_" + name: (make, None) for name, (make, words) in WAYS.items() if not words})


def train(way, folder, is_marked):
    """Prints the losses of some steps, whole; of a way that is not to be had why."""
    torch.manual_seed(1)
    torch.backends.cudnn.deterministic = True
    torch.use_deterministic_algorithms(True, warn_only=True)
    make, words = WAYS[way]
    if words is None and not HAS_GPU:
        return print("skip no GPU")
    markers = None
    if is_marked:
        import dlprof_tui_markers as markers

        markers.init("nvtx" if words is None else "record_function")
    step = make()
    if isinstance(step, str):
        return print("skip " + step)
    profiler = contextlib.nullcontext()
    for n in range(STEPS):
        x, y = batch_make()
        if n == WARM_UP and words is not None:
            profiler = torch.profiler.profile(record_shapes=True, **words)
            profiler.__enter__()
        print(step(x, y).item().hex(), flush=True)
    if words is not None:
        profiler.__exit__(None, None, None)
    if is_marked and words is not None:
        profiler.export_chrome_trace(os.path.join(folder, way + ".json.gz"))
    if markers and markers._markers.errors:
        print("%d markers failed" % markers._markers.errors)
    if torch.distributed.is_available() and torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()
    return None


def run(way, folder, mode):
    words = [sys.executable, "-W", "ignore", os.path.abspath(__file__), "--" + mode, folder, way]
    environment = {"CUBLAS_WORKSPACE_CONFIG": ":4096:8", **os.environ}
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    return done.returncode, done.stdout, done.stderr


def layers_of(path):
    with gzip.open(path) as file:
        trace = json.load(file)
    events = trace["traceEvents"] if isinstance(trace, dict) else trace  # a build without kineto
    return {name for name in (str(event.get("name")) for event in events) if name.startswith("layer:")}


def check(way, folder):
    """What is wrong with a way, "" if nothing is."""
    status, plain, errors = run(way, folder, "plain")
    if status:
        return "skip it fails without markers, too: " + (errors.strip().splitlines() or ["?"])[-1]
    if plain.startswith("skip"):
        return plain.strip()
    status, marked, errors = run(way, folder, "marked")
    if status:
        return "it fails with markers: " + errors[-2000:]
    if plain != marked:
        return "losses differ:\n%s%s" % (plain, marked)
    if WAYS[way][1] is None:
        return ""
    layers = layers_of(os.path.join(folder, way + ".json.gz"))
    return "" if layers else "no layers in its trace"


def main(words):
    if words[0] in ("--plain", "--marked"):
        train(words[2], words[1], words[0] == "--marked")
        return 0
    folder, ways = words[0], words[1:] or list(WAYS)
    os.makedirs(folder, exist_ok=True)
    print("# PyTorch %s on %s" % (torch.__version__, torch.cuda.get_device_name() if HAS_GPU else "the CPU"))
    failed = 0
    for way in ways:
        wrong = check(way, folder)
        is_skip = wrong.startswith("skip ")
        failed += bool(wrong) and not is_skip
        if is_skip:
            print("skip %s: %s" % (way, wrong[5:]))
            continue
        print(("not ok " if wrong else "ok ") + way)
        if wrong:
            print("# " + wrong.replace("\n", "\n# "))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
