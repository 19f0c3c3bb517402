"""CA801, CA802, CA716: branches on tensors, as choices by `torch.where`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ca_reports.patching.propose import propose_for
from tests.unit.reports.patching.programs import finding_of, patched, program_of, refusal

if TYPE_CHECKING:
    from pathlib import Path

FORWARD = """\
import torch


def forward(x, scale):
    y = x+1
    {branch}
    return y
"""


@pytest.mark.parametrize(
    ("branch", "expected"),
    [
        ("if x.mean() > 1:\n        y = x / 2", "y = torch.where(x.mean() > 1, x / 2, y)"),
        ("if x.mean() > 1:\n        y += x + 2", "y = torch.where(x.mean() > 1, y + (x + 2), y)"),
        (
            "if (x > 1).any():\n        y = x\n    else:\n        y = -x",
            "y = torch.where((x > 1).any(), x, y)\n    y = torch.where((x > 1).any(), y, -x)",
        ),
        ("if not x.sum().item() > 1:\n        y = x", "y = torch.where(~(x.sum() > 1), x, y)"),
        (
            "if scale > 0:  # as it is\n        part = x / scale\n        y = part * y",
            "# as it is\n    part = x / torch.where(scale > 0, scale, 1.0)\n"
            "    y = torch.where(scale > 0, part * y, y)",
        ),
        (
            "if y.max() > 1:\n        y = y / 2\n        z = y",
            "is_taken = y.max() > 1\n    y = torch.where(is_taken, y / 2, y)\n    z = y",
        ),
        (
            "if x.mean() > 1:\n        y, scale = y / 2, f(scale)",
            "y = torch.where(x.mean() > 1, y / 2, y)\n"
            "    scale = torch.where(x.mean() > 1, f(scale), scale)",
        ),
        ("z = x if bool(x.sum() > 1) else y", "z = torch.where(x.sum() > 1, x, y)"),
        ("if x.sum() > 1:\n        return x", "return torch.where(x.sum() > 1, x, y)"),
        (
            "if x.sum() > 1:\n        y = y[:].abs() * y[:, :1]",
            "y = torch.where(x.sum() > 1, y[:].abs() * y[:, :1], y)",
        ),
        ("z = x[:2] if x.sum() > 1 else y[:2]", "z = torch.where(x.sum() > 1, x[:2], y[:2])"),
        (
            "if scale is not None and x.mean() > scale:\n        y = x",
            "y = torch.where(x.mean() > scale, x, y) if scale is not None else y",
        ),
        (
            "if not flag or x.mean() > 1:\n        y = x",
            "y = x if not flag else torch.where(x.mean() > 1, x, y)",
        ),
        (
            "if torch.isinf(x).any() or not (x < 9).all():\n        y = x",
            "y = torch.where(torch.isinf(x).any() | ~((x < 9).all()), x, y)",
        ),
        (
            "if x.mean() > 1 and y.sum().item() < 3:\n        y = x",
            "y = torch.where((x.mean() > 1) & (y.sum() < 3), x, y)",
        ),
        (
            "if flag and x.mean() > 1:\n        return x",
            "return torch.where(x.mean() > 1, x, y) if flag else y",
        ),
        (
            "for part in x:\n        if part.mean() > 1:\n            continue\n        y = y + 1",
            "for part in x:\n        y = torch.where(part.mean() > 1, y, y + 1)",
        ),
    ],
)
def test_both_sides_and_a_choice(tmp_path: Path, branch: str, expected: str) -> None:
    source = FORWARD.format(branch=branch)
    wanted = FORWARD.format(branch=expected)
    if "return" in branch:
        wanted = wanted.removesuffix("    return y\n")
    assert patched("CA801", tmp_path, source, " if " if " else " in branch else "if ") == wanted


@pytest.mark.parametrize(
    ("branch", "words"),
    [
        ("if x.mean() > 1:\n        x.add_(1)", "does more than set a variable"),
        ("if x.mean() > 1:\n        y = None", "chooses None"),
        ("if x.mean() > 1:\n        x, y = y, x", "does more than set a variable"),
        ("if x.mean() > 1:\n        y = 'a'", "no tensors"),
        ("if x.mean() > 1 and flag:\n        y = x", "several in one"),
        # The first guards the second: an empty tensor has no largest element.
        ("if x.numel() > 0 and x.max() > 1:\n        y = x", "several in one"),
        ("if x.isnan().any() or y.sum():\n        y = x", "several in one"),
        ("if (x > 0).any() or seen[0]:\n        y = x", "several in one"),
        ("if x.any() and y[x].max() > 1:\n        y = x", "several in one"),
        ("if flag and x.mean() > 1:\n        z = x\n        y = z", "several in one"),
        (
            "for part in x:\n        if part.mean() > 1:\n            continue\n        z = part",
            "not set before",
        ),
        ("if 0 < x.mean() < 1:\n        y = x", "several in one"),
        ("if a > 1:\n        y = x\n    elif b:\n        y = 0", "more than two sides"),
        ("if x.mean() > 1:\n        return x\n    y = 0", "returns early"),
        (
            "if x.mean() > 1:\n        for y in x:\n            f(y)",
            "does more than set a variable",
        ),
        ("z = x if x is None else y", "asks for no value"),
        ("f(x)  # if ", "is not known"),
        # Torch could not choose between them, or would make one as large as the other.
        ("if x.mean() > 1:\n        y = y[:, -4:]", "y and y[:, -4:], of other sizes"),
        ("if x.mean() > 1:\n        y = torch.cat((y, x), 1)", "of other sizes"),
        ("if x.mean() > 1:\n        y = y.abs().unsqueeze(0)", "of other sizes"),
        ("z = x[0] if x.mean() > 1 else x", "x and x[0], of other sizes"),
        ("if x.mean() > 1:\n        return y.sum(1)", "of other sizes"),
    ],
)
def test_a_branch_that_does_more_is_left(tmp_path: Path, branch: str, words: str) -> None:
    assert words in refusal("CA801", tmp_path, FORWARD.format(branch=branch), "if ")


@pytest.mark.parametrize("code", ["CA802", "CA716"])
@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (
            "n = x.norm().item() / 2\n    if n > 1:\n        y = x / n",
            "n = x.norm() / 2\n    y = torch.where(n > 1, x / torch.where(n > 1, n, 1.0), y)",
        ),
        (
            "n = float(x.max())\n    z = y if n > 1 else torch.exp(n)",
            "n = x.max()\n    z = torch.where(n > 1, y, torch.exp(n))",
        ),
    ],
)
def test_a_value_that_decides_stays_a_tensor(
    tmp_path: Path, code: str, lines: str, expected: str
) -> None:
    source = FORWARD.format(branch=lines)
    assert patched(code, tmp_path, source, "n = ") == FORWARD.format(branch=expected)


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("n = x.max().item()\n    for _ in range(n):\n        y = y / 2", "a Python number"),
        ("n = int(x.max())\n    y = y / n", "single .item()"),
        ("n = x.max().item()\n    if n > 1:\n        log(n)", "Python number"),
        ("n = x.long().tolist()\n    y = torch.cat(torch.split(y, n))", "Python number"),
        ("n = x.max().item()\n    y = torch.zeros(n * 2)", "Python number"),
        ("n = x.max().item()\n    m = n + 1\n    y = y[:m]", "Python number"),
    ],
)
def test_a_number_that_python_needs_is_left(tmp_path: Path, lines: str, words: str) -> None:
    assert words in refusal("CA716", tmp_path, FORWARD.format(branch=lines), "n = ")


RESUMED = """\
import torch


def forward(self, x):
    {read}
    y = x + 1  # resumed
    return y
"""


def test_what_is_resumed_after_one_item_needs_that_in_the_graph(tmp_path: Path) -> None:
    source = RESUMED.format(read="self.seen += x.sum().item()")
    changed = patched("CA716", tmp_path, source, "# resumed")
    assert "torch._dynamo.config.capture_scalar_outputs = True\n" in changed


@pytest.mark.parametrize(
    "read",
    [
        "a, b = x.sum().item(), x.max().item()",
        "if x.sum().item() > 1:\n        x = -x",
        "n = x.sum().item()\n    for _ in range(n):\n        x = -x",
        "print(x.sum().item())",
    ],
)
def test_what_python_decides_or_prints_is_left(tmp_path: Path, read: str) -> None:
    assert refusal("CA716", tmp_path, RESUMED.format(read=read), "# resumed")


def test_a_test_that_reads_the_value_chooses_in_the_graph(tmp_path: Path) -> None:
    source = FORWARD.format(branch="if bool((x > 1).any()):\n        y = x")
    changed = patched("CA802", tmp_path, source, "bool(", edits=("choose_on_bool",))
    assert "    y = torch.where((x > 1).any(), x, y)\n" in changed
    other = FORWARD.format(branch="y = int(x.max().item()) if scale else y")
    told = refusal("CA802", tmp_path, other, "item", edits=("choose_on_bool",))
    assert told == "no test on the line reads the value"


@pytest.mark.parametrize(
    ("branch", "intention"),
    [
        ("if x.mean() > 1:\n        y = x.clamp(0, 1) + torch.relu(x)", ""),
        ("if x.mean() > 1:\n        y = layer(x)", "gradients of zero"),
        ("if x.mean() > 1:\n        y = torch.rand(3)", "random numbers in every call"),
    ],
)
def test_what_is_computed_in_every_call_is_said(
    tmp_path: Path, branch: str, intention: str
) -> None:
    program = program_of(tmp_path, {"train.py": FORWARD.format(branch=branch)})
    (patch,) = propose_for(finding_of("CA801", tmp_path, ("train.py", 6)), program).patches
    assert bool(patch.intention) == bool(intention)
    assert intention in patch.intention


DRAWN = {"edits": ("drawn_in_graph",)}


def test_a_number_that_python_draws_is_drawn_in_the_graph(tmp_path: Path) -> None:
    text = """\
import random

import torch


def forward(x, layers, drop, training):
    for layer in layers:
        if training and random.random() < drop:
            continue
        x = x + layer(x)
    return x


layers = [torch.nn.Tanh()]
"""
    changed = patched("CA804", tmp_path, text, "random.random()", **DRAWN)
    assert changed == text.replace(
        "        if training and random.random() < drop:\n"
        "            continue\n"
        "        x = x + layer(x)\n",
        "        x = (\n"
        "            torch.where(torch.rand((), device=x.device) < drop, x, x + layer(x))\n"
        "            if training\n"
        "            else x + layer(x)\n"
        "        )\n",
    )


@pytest.mark.parametrize(
    ("branch", "words"),
    [
        ("if random.random() < scale:\n        y, z = x, x", "no number for one variable"),
        ("if random.uniform(0, 1) < scale:\n        y = x", "no number for one variable"),
        ("if random.random() < scale and flag():\n        y = x", "several in one"),
        ("y = random.random()  # if ", "is not known"),
    ],
)
def test_a_draw_that_decides_more_is_left(tmp_path: Path, branch: str, words: str) -> None:
    source = "import random\n" + FORWARD.format(branch=branch)
    assert words in refusal("CA804", tmp_path, source, "if ", **DRAWN)


@pytest.mark.parametrize("side", ["y.mul_(2)", "x + seen.pop()", "torch.relu_(y)"])
def test_a_side_that_changes_what_stays_is_not_computed_in_every_call(
    tmp_path: Path, side: str
) -> None:
    source = FORWARD.format(branch=f"if x.mean() > 1:\n        y = {side}")
    assert "changes what stays" in refusal("CA801", tmp_path, source, "if ")
