"""CA504: the optimizer steps after the backward."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.reports.patching.programs import every, patched, refusal

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """\
import torch


def fuse(model):
    optimizers = {{p: torch.optim.SGD([p], 0.1) for p in model.parameters()}}

    def update(p):
        optimizers[p].step()

    {registered}


def main():
    model = Net()
    fuse(model)
    for x in data:
        {backward}
"""
HOOKS = "for p in model.parameters():\n        p.register_post_accumulate_grad_hook({hook})"
AFTER = """\
model(x).sum().backward()
        for parameter in model.parameters():
            if parameter.grad is not None:
                parameter.after_backward(parameter)"""


@pytest.mark.parametrize("hook", ["update", "lambda p: optimizers[p].step()"])
def test_each_parameter_steps_after_the_backward(tmp_path: Path, hook: str) -> None:
    source = PROGRAM.format(
        registered=HOOKS.format(hook=hook), backward="model(x).sum().backward()"
    )
    changed = patched("CA504", tmp_path, source)
    kept = f"for p in model.parameters():\n        p.after_backward = {hook}"
    assert changed == PROGRAM.format(registered=kept, backward=AFTER)


def test_the_backward_is_in_another_file(tmp_path: Path) -> None:
    files = {
        "train.py": "import torch\nfrom fused import fuse\n\nmodel = Net()\nfuse(model)\n"
        "for x in data:\n    loss = model(x).sum()\n    loss.backward()  # long\n",
        "fused.py": "def fuse(model):\n    for each in model.parameters():\n"
        "        each.register_post_accumulate_grad_hook(update)\n",
    }
    (changed,) = every("CA504", tmp_path, files)
    assert changed["train.py"].endswith(
        "    loss.backward()  # long\n    for parameter in model.parameters():\n"
        "        if parameter.grad is not None:\n"
        "            parameter.after_backward(parameter)\n"
    )
    assert "        each.after_backward = update\n" in changed["fused.py"]


@pytest.mark.parametrize(
    ("registered", "backward", "words"),
    [
        ("model.weight.register_post_accumulate_grad_hook(update)", "y.backward()", "each param"),
        (
            "handles = [p.register_post_accumulate_grad_hook(f) for p in model.parameters()]",
            "model(x).backward()",
            "for each parameter",
        ),
        (HOOKS.format(hook="update"), "net(x).backward()\n        x.backward()", "single backward"),
        (
            HOOKS.format(hook="update").replace(".parameters()", ".heads()"),
            "model(x).backward()",
            "more than parameters()",
        ),
        (
            HOOKS.format(hook="update").replace("model.", "network."),
            "model(x).backward()",
            "network is not known",
        ),
        ("pass", "model(x).backward()", "single register"),
    ],
)
def test_other_steps_in_a_backward_are_left(
    tmp_path: Path, registered: str, backward: str, words: str
) -> None:
    source = PROGRAM.format(registered=registered, backward=backward)
    assert words in refusal("CA504", tmp_path, source)
