"""The calls of what is compiled, and what they pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.reports.fixes.passed import DTYPE, GRADIENT, NUMBER, proposed

if TYPE_CHECKING:
    from pathlib import Path


def test_every_call_of_the_same_variable_is_changed(tmp_path: Path) -> None:
    """The third call fits what was compiled for the second, so no record names it."""
    source = (
        "import torch\n\n\ndef main():\n    field = torch.compile(torch.nn.Linear(2, 1))\n"
        "    residual(field, inner())\n    field(ends()).mean()\n    field(start).mean()\n\n\n"
        "def residual(field, points):\n    return field(points)\n\n\nmain()\n"
    )
    sites = ["residual(field, inner > return field", "field(ends"]
    _, changed = proposed(tmp_path, {"train.py": source}, "CA708", "args[0]", [*sites], GRADIENT)
    expected = source
    for call in ("ends()", "start", "points"):
        expected = expected.replace(f"field({call})", f"field({call}.requires_grad_())")
    assert changed == {"train.py": expected}


def test_a_namesake_is_no_call(tmp_path: Path) -> None:
    """A variable of another file, or another method, that has the function's name."""
    source = (
        "import torch\nfrom model import score as compared\nfrom other import Clipper\n\n\n"
        "class Clip:\n    def __init__(self):\n        self.score = torch.compile(compared)\n\n"
        "    def __call__(self, rows):\n        return self.score(rows, self.limit)\n\n\n"
        "score = Clip()\nfor _ in range(3):\n    score(rows)\n"
    )
    sites = ["    score(rows) > self.score(rows, self.limit)"] * 2
    _, changed = proposed(tmp_path, {"train.py": source}, "CA702", "limit", sites, NUMBER)
    assert changed == {"train.py": source.replace("self.limit)", "torch.tensor(self.limit))")}


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("net(*batch)", "takes its arguments from a list"),
        ("net(**batch)", "takes its arguments from a list"),
        ("net(a)(net(b))", "no call shows what is passed"),
    ],
)
def test_a_call_that_shows_no_argument_is_left(tmp_path: Path, call: str, words: str) -> None:
    source = f"import torch\nfrom model import Net\n\nnet = torch.compile(Net())\nprint({call})\n"
    proposal, _ = proposed(tmp_path, {"train.py": source}, "CA708", "x", ["print("] * 2, DTYPE)
    assert words in proposal.refusal
