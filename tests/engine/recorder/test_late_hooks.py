"""Hooks of modules that a graph does not know, which torch passes over in silence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.engine.recorder.test_compiles import records_of

if TYPE_CHECKING:
    from pathlib import Path

SCRIPT = """
import torch
from torch import nn
from ca_engine import install
install()

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(2))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x

called = []

def keep(*given):
    called.append(len(given))

net = Net()
x = torch.ones(2, 4)
{before}
compiled = {compiled}
compiled(x)
called.clear()
{after}
for _ in range(3):
    compiled(x).sum().backward()
assert len(called) == {times}, called
"""
LAYER = "net.layers[1]"
NET = "torch.compile(net, backend='eager')"
TENSORS = """
def hooked(x):
    handle = x.register_hook(lambda grad: None)
    out = first(x)
    handle.remove()
    return out
first, compiled = compiled, hooked
x.requires_grad_()
for _ in range(5):
    compiled(x)
net.layers[1].register_forward_hook(keep)
for _ in range(70):
    compiled(x)
"""


def late_hooks(folder: Path, **parts: Any) -> list[dict[str, Any]]:
    script = SCRIPT.format(**{"before": "", "compiled": NET, **parts})
    return records_of(folder, script).get("ca_late_hook", [])


@pytest.mark.parametrize(
    ("kind", "register"),
    [
        ("forward", "register_forward_hook"),
        ("forward_pre", "register_forward_pre_hook"),
        ("backward", "register_full_backward_hook"),
    ],
)
def test_a_hook_that_is_registered_late_is_not_called(
    tmp_path: Path, kind: str, register: str
) -> None:
    (found,) = late_hooks(tmp_path, after=f"{LAYER}.{register}(keep)", times=0)
    assert (found["graph"], found["hook"]["kind"]) == ("0/0", kind)
    assert found["module"] == "L['self']._modules['layers']._modules['1']"
    assert (found["hook"]["name"], found["hook"]["line"]) == ("keep", 19)
    assert found["stack"][0]["function"] == "<module>"


@pytest.mark.parametrize(
    "parts",
    [
        # What calls the graph calls these.
        {"after": "compiled.register_forward_hook(keep)", "times": 3},
        {"after": "net.register_forward_hook(keep)", "times": 3},
        {"before": f"{LAYER}.register_forward_hook(keep)", "after": "", "times": 3},
        # Dynamo notices that one goes.
        {
            "before": f"handle = {LAYER}.register_forward_hook(lambda *given: given[2] * 2)",
            "after": "handle.remove()\nassert torch.equal(compiled(x), net(x))",
            "times": 0,
        },
        # The graph has it by its place: a closure that is made for each call, as well.
        {
            "before": "def made():\n    return lambda *given: keep(*given)\n"
            f"handle = {LAYER}.register_forward_hook(made())",
            "after": f"handle.remove()\n{LAYER}.register_forward_hook(made())",
            "times": 3,
        },
        # Dynamo guards on them, and compiles again.
        {
            "before": "torch._dynamo.config.skip_nnmodule_hook_guards = False",
            "after": f"{LAYER}.register_forward_hook(keep)",
            "times": 3,
        },
        {"after": f"{LAYER}.register_forward_hook(keep).remove()", "times": 0},
        # A new graph has it.
        {"after": f"{LAYER}.register_forward_hook(keep)\nx = x.double()\nnet.double()", "times": 3},
        # A function that calls no module.
        {"compiled": "torch.compile(lambda x: net.layers[0].weight * 2)", "after": "", "times": 0},
    ],
)
def test_hooks_that_the_graph_has_are_none(tmp_path: Path, parts: dict[str, Any]) -> None:
    if "lambda" in parts.get("compiled", ""):
        parts = {**parts, "compiled": parts["compiled"].replace(" * 2)", " * 2, backend='eager')")}
    assert not late_hooks(tmp_path, **parts)


def test_one_of_other_code_in_its_place_is_noticed_or_told(tmp_path: Path) -> None:
    before = f"handle = {LAYER}.register_forward_hook(lambda *given: None)"
    after = f"handle.remove()\n{LAYER}.register_forward_hook(keep)"
    assert not late_hooks(tmp_path, before=before, after=after, times=3)


def test_hooks_of_tensors_in_each_step_do_not_hide_it(tmp_path: Path) -> None:
    (found,) = late_hooks(tmp_path, after=TENSORS, times=0)
    assert found["hook"]["name"] == "keep"


RAISES = """
class Unreadable(dict):
    def __iter__(self):
        raise RuntimeError("mutated during iteration")
    keys = items = __iter__
net.layers[0]._forward_hooks = Unreadable(net.layers[0]._forward_hooks)
net.layers[1].register_forward_hook(keep)
"""


def test_hooks_that_cannot_be_read_do_not_raise_into_the_call(tmp_path: Path) -> None:
    assert not late_hooks(tmp_path, after=RAISES, times=0)
