"""docs/engine.md's table of what C++ calls, against what C++ does call."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from ca_engine.capture.compiler import CaptureCompiler
from tests import warm

GUIDE = Path(__file__).parents[3] / "docs" / "engine.md"
METHODS = {name for name in vars(CaptureCompiler) if not name.startswith("_")}

# In a process of its own: C++ asks for `bind_function` once per node type and process.
SCRIPT = """
import sys, torch
import torch._dynamo.compiled_autograd as torch_engine
from ca_engine.compat import compiled_autograd
from ca_engine.capture.compiler import CaptureCompiler

asked = set()

class Noting(CaptureCompiler):
    def __getattribute__(self, name):
        if sys._getframe(1).f_globals["__name__"] != CaptureCompiler.__module__:
            asked.add(name)  # the frame below C++ is that of the backward call
        return super().__getattribute__(name)

class Silent:
    def debug(self, text): pass

class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * 2
    @staticmethod
    def backward(ctx, grad): return grad * 2

def loss():
    x = torch.ones(3, requires_grad=True)
    x.register_post_accumulate_grad_hook(lambda parameter: None)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        y = Double.apply(x).exp()
    y.retain_grad()
    y.register_hook(lambda grad: None)
    y.grad_fn.register_prehook(lambda grads: None)
    y.grad_fn.register_hook(lambda outputs, inputs: None)
    z = y * 1
    z[0].mul_(2)
    return (z + y).sum()

torch_engine.AutogradCompilerInstance = Noting
logger = Silent()  # C++ does not keep it alive
compiled_autograd.set_verbose_logger(logger)
with torch_engine._enable(lambda module: module):
    loss().backward()
    loss().sin().backward()
print(*asked)
"""


def in_the_table() -> set[str]:
    _, _, section = GUIDE.read_text().partition("\n## What C++ calls")
    rows = [line for line in section.partition("\n## ")[0].splitlines() if line.startswith("| `")]
    return {name for row in rows for name in re.findall(r"`(\w+)`", row.split(" | ")[0])}


def test_the_table_lists_every_method() -> None:
    assert in_the_table() == METHODS


def test_cpp_calls_every_method_and_no_other(tmp_path: Path) -> None:
    done = warm.python().run([sys.executable, "-c", SCRIPT], cwd=tmp_path, env=os.environ)
    assert done.returncode == 0, done.stderr[-2000:]
    asked = {name for name in done.stdout.split() if not name.startswith("_")}
    assert asked == METHODS
