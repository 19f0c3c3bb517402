"""CA708 of `requires_grad`: nothing is trained that was not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ca_reports.run.held import Held
from ca_reports.run.model import Frame
from tests.unit.reports.patching.passed import GRADIENT, proposed

if TYPE_CHECKING:
    from pathlib import Path

HEAD = "import torch\nfrom torch import nn\nfrom model import Net\n\nnet = torch.compile(Net())\n"
PARAMETER = "torch.nn.parameter.Parameter"


def tensors(kind: str = "torch.Tensor") -> list[Held]:
    return [Held(type=kind, identity=number) for number in range(2)]


@pytest.mark.parametrize(
    "source",
    [
        # What an operation, a module, a loader or a function of the program's makes in each step.
        "for y in range(9):\n    net((x + y){})\n",
        "for y in range(9):\n    x = torch.rand(4)\n    net(x{})\n",
        "from torch.utils.data import DataLoader\n\nloader = DataLoader(data)\n"
        "for x, y in loader:\n    net(x{})\n",
        "def made():\n    return torch.rand(4).requires_grad_()\n\n\n"
        "for y in range(9):\n    net(made(){})\n",
        "def run(x):\n    return net(x{})\n\n\nfor y in range(9):\n    run(torch.rand(4))\n",
        "def run(kept):\n    x = kept.detach()\n    return net(x{})\n",
        "from torch.utils.data import DataLoader\n\n\ndef epoch(loader):\n"
        "    for step, (images, _) in enumerate(loader):\n        x = images.float()\n"
        "        net(x{})\n\n\nepoch(DataLoader(data))\n",
    ],
)
def test_what_the_step_makes_asks_for_its_gradient(tmp_path: Path, source: str) -> None:
    text = HEAD + source
    files = {"train.py": text.format("").replace("(x + y)", "x + y")}
    proposal, changed = proposed(
        tmp_path, files, "CA708", "x", ["net("] * 2, GRADIENT, given=tensors(), gradients=True
    )
    line = next(one for one in text.splitlines() if "{}" in one)
    assert line.format(".requires_grad_()") in changed["train.py"].splitlines(), proposal.refusal


@pytest.mark.parametrize(
    "source",
    [
        # An entry of a dict, of a list of tensors, a module's own, a global, what a caller keeps.
        'for y in range(9):\n    net(parts["scene"])\n',
        "for x in kept:\n    net(x)\n",
        "for x in average.parameters():\n    net(x)\n",
        "for p, x in zip(a.parameters(), average.parameters()):\n    net(x)\n",
        "x = torch.rand(4)\nfor y in range(9):\n    net(x)\n",
        "def run(x):\n    return net(x)\n\n\nkept = torch.rand(4)\nrun(kept)\n",
        "def pick():\n    return kept\n\n\nfor y in range(9):\n    net(pick())\n",
        "for y in range(9):\n    net(torch.as_tensor(kept))\n",
    ],
)
def test_what_may_be_kept_is_left_as_it_is(tmp_path: Path, source: str) -> None:
    proposal, changed = proposed(
        tmp_path, {"train.py": HEAD + source}, "CA708", "x", ["net("] * 2, GRADIENT,
        given=tensors(), gradients=True,
    )  # fmt: skip
    assert changed == {}
    assert "can't find where each step makes" in proposal.refusal


def test_a_parameter_is_never_touched(tmp_path: Path) -> None:
    source = f"{HEAD}for y in range(9):\n    x = torch.rand(4)\n    net(x)\n"
    proposal, changed = proposed(
        tmp_path, {"train.py": source}, "CA708", "x", ["net("] * 2, GRADIENT,
        given=[*tensors()[:1], *tensors(PARAMETER)[1:]], gradients=True,
    )  # fmt: skip
    assert changed == {}
    assert "decides what is trained" in proposal.refusal


def test_what_no_call_differentiates_is_detached_in_every_call(tmp_path: Path) -> None:
    source = (
        f"{HEAD}for x in model.parameters():\n    net(x)\n"
        "for x in average.parameters():\n    net(x)\n"
    )
    _, changed = proposed(
        tmp_path, {"train.py": source}, "CA708", "x", ["net("] * 2, GRADIENT,
        given=tensors(PARAMETER), gradients=False,
    )  # fmt: skip
    assert changed == {"train.py": source.replace("net(x)", "net(x.detach())")}


def test_the_first_layer_of_a_loop_asks_where_its_input_is_made(tmp_path: Path) -> None:
    # GIVEN layers that are compiled one by one: passed on is what the compiled one returned
    source = (
        "import torch\nfrom torch import nn\nfrom model import Net\n\n"
        "table = nn.Embedding(9, 4).requires_grad_(False)\nlayers = [Net(), Net()]\n\n\n"
        "def run(tokens):\n    x = table(tokens)\n    for layer in layers:\n"
        "        x = layer(x)\n    return x\n"
    )
    _, changed = proposed(
        tmp_path, {"train.py": source}, "CA708", "x", ["layer(x)"] * 2, GRADIENT,
        given=tensors(), gradients=True,
    )  # fmt: skip
    asking = "table(tokens).requires_grad_(torch.is_grad_enabled())"
    assert changed == {"train.py": source.replace("table(tokens)", asking)}


SWITCHED = [Held(type="torch.Tensor", identity=3)] * 2
PLANNED = """\
import torch
from model import Net

net = torch.compile(Net())
for step in range(9):
    for name in parts:
        parts[name].requires_grad_(free_in(name, step))
    net(parts["x"]).backward()
    optimizer.step()
"""


def test_a_tensor_that_a_plan_freezes_keeps_its_flag_and_loses_its_gradient(
    tmp_path: Path,
) -> None:
    line = Frame(str(tmp_path / "train.py"), 7, "<module>", "")
    _, changed = proposed(
        tmp_path, {"train.py": PLANNED}, "CA708", "x", ["net(parts"] * 2, GRADIENT,
        given=SWITCHED, gradients=True, to_edit=line,
    )  # fmt: skip
    text = changed["train.py"]
    assert (
        "        parts[name].requires_grad_()\n"
        "        parts[name].is_frozen = not (free_in(name, step))\n"
    ) in text
    assert '        if getattr(parameter, "is_frozen", False):\n' in text
    assert "            parameter.grad = None\n" in text
    compile(text, "train.py", "exec")


def test_flags_that_several_lines_set_are_left(tmp_path: Path) -> None:
    line = Frame(str(tmp_path / "train.py"), 7, "<module>", "")
    source = PLANNED.replace("    net(", "    parts['y'].requires_grad_(False)\n    net(")
    proposal, changed = proposed(
        tmp_path, {"train.py": source}, "CA708", "x", ["net(parts"] * 2, GRADIENT,
        given=SWITCHED, gradients=True, to_edit=line,
    )  # fmt: skip
    assert changed == {}
    assert "several lines set requires_grad" in proposal.refusal
