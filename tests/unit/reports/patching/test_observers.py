"""CA303, CA501: hooks that look at gradients do so after the backward."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ca_reports.patching import observers
from ca_reports.patching.patches import RefusedError, applied
from ca_reports.patching.propose import propose_for
from tests.unit.reports.patching.programs import (
    every,
    finding_of,
    line_of,
    patched,
    program_of,
    refusal,
)

if TYPE_CHECKING:
    from pathlib import Path

WATCH = """\
class Watch:
    def __init__(self, model):
        self.seen = {}
        for name, parameter in model.named_parameters():
            parameter.register_hook(self.hook(name))

    def hook(self, name):
        def look(gradient):
            self.seen.setdefault(name, []).append(gradient.norm().item())

        return look
"""
TRAIN = """\
import torch
from watch import Watch


def main(model, data):
    watch = Watch(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x in data:
        optimizer.zero_grad()
        model(x).sum().backward()
        optimizer.step()
    return sorted(watch.seen.items())
"""
TOGETHER = WATCH.join(TRAIN.split("from watch import Watch\n"))


def seen(source: str) -> list[Any]:
    import torch

    torch.manual_seed(0)
    space: dict[str, Any] = {}
    exec(source, space)
    found = space["main"](torch.nn.Linear(3, 2), torch.ones(3, 4, 3))
    return [found, torch.rand(1).item()]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", ""),
        ("norm().item())\n", "norm().item())\n            return gradient\n"),
        ("optimizer.zero_grad()", "optimizer.zero_grad(set_to_none=False)"),
        (".append(gradient.norm().item())", ".append(gradient * float(gradient.norm() > 0))"),
    ],
)
def test_a_hook_sees_the_same_after_the_backward(tmp_path: Path, old: str, new: str) -> None:
    source = TOGETHER.replace(old, new) if old else TOGETHER
    changed = patched("CA501", tmp_path, source, ".setdefault")
    assert "register_hook" not in changed
    assert "        model(x).sum().backward()\n        look_at_gradients()\n" in changed
    assert str(seen(changed)) == str(seen(source))


@pytest.mark.parametrize(
    ("imported", "into", "called"),
    [
        ("from watch import Watch", "from watch import Watch, look_at_gradients", ""),
        ("from watch import Watch as W", "from watch import Watch as W, look_at_gradients", ""),
        ("import watch", "import watch", "watch."),
    ],
)
def test_the_backward_is_in_another_file(
    tmp_path: Path, imported: str, into: str, called: str
) -> None:
    train = TRAIN.replace("from watch import Watch", imported)
    files = {"watch.py": WATCH, "train.py": train, "other.py": "import watch\nimport train\n"}
    files = {"other.py": files.pop("other.py"), **files}
    program = program_of(tmp_path, files)
    at = ("watch.py", line_of(WATCH, ".setdefault"))
    proposal = propose_for(finding_of("CA501", tmp_path, at), program)
    changed = applied(program.texts, proposal.patches[:1])
    assert f"{into}\n" in changed["train.py"]
    assert f"        {called}look_at_gradients()\n" in changed["train.py"]
    assert "_watched.append((parameter, self.hook(name)))" in changed["watch.py"]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("            parameter.register", "            h = parameter.register", "removed again"),
        ("named_parameters()", "activations()", "on no parameter"),
        ("gradient.norm().item())", "gradient)\n            return 2 * gradient", "more than look"),
        ("gradient.norm().item())", "gradient)\n            gradient.mul_(2)", "more than look"),
        ("        optimizer.zero_grad()\n", "", "summed up"),
        (
            "        optimizer.zero_grad()",
            "        if x:\n            optimizer.zero_grad()",
            "sum",
        ),
        (
            "        model(x).sum().backward()",
            "        for part in x:\n            model(part).sum().backward()",
            "summed up",
        ),
        ("optimizer.step()", "model(x).mean().backward()", "single backward"),
        ("optimizer.step()", "torch.autograd.grad(x, y)", "another one after"),
        ("optimizer.step()", "x.register_hook(print)", "single register_hook"),
        (
            "    watch = Watch(model)",
            "    watch = Watch(DistributedDataParallel(m))",
            "another one",
        ),
    ],
)
def test_what_may_see_another_gradient_is_left(
    tmp_path: Path, old: str, new: str, words: str
) -> None:
    source = TOGETHER.replace(old, new)
    assert source != TOGETHER
    program = program_of(tmp_path, {"train.py": source})
    finding = finding_of("CA501", tmp_path, ("train.py", line_of(source, ".setdefault")))
    with pytest.raises(RefusedError, match=words):
        observers.after_backward(finding, program)
    assert refusal("CA501", tmp_path, source, ".setdefault")


ENTRIES = """\
import torch


class Watch:
    def __init__(self, model):
        self.norms = {made}

    def look(self, gradient):
        self.norms[0] = {value}
"""


@pytest.mark.parametrize("value", ["float(gradient.norm())", "gradient.norm().item()"])
def test_an_entry_of_a_tensor_is_set_to_one(tmp_path: Path, value: str) -> None:
    source = ENTRIES.format(made="torch.zeros(3)", value=value)
    (changed,) = every("CA501", tmp_path, {"train.py": source}, "self.norms[0]")
    expected = ENTRIES.format(made="torch.zeros(3)", value="gradient.norm()")
    assert changed["train.py"] == expected


@pytest.mark.parametrize(
    ("made", "value"),
    [
        ("{}", "gradient.norm().item()"),
        ("[0.0] * 3", "gradient.norm().item()"),
        ("torch.zeros(3)", "2 * gradient.norm().item()"),
        ("torch.zeros(3)", "len(gradient)"),
    ],
)
def test_an_entry_of_anything_else_is_left(tmp_path: Path, made: str, value: str) -> None:
    source = ENTRIES.format(made=made, value=value)
    assert refusal("CA501", tmp_path, source, "self.norms[0]")
