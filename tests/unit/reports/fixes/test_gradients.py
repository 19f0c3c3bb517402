"""CA201: gradients that are made once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.reports.fixes.programs import patched, refusal

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """\
import torch
model = Model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
# Train.
for step in range(9):
    model(x).backward()
    if step % 2:
        {zero}
"""


@pytest.mark.parametrize(
    ("zero", "zeroed"),
    [
        ("optimizer.zero_grad()", "optimizer.zero_grad(set_to_none=False)"),
        (
            "optimizer.zero_grad(set_to_none=True)  # both",
            "optimizer.zero_grad(set_to_none=False)  # both",
        ),
        ("optimizer.zero_grad(True)", "optimizer.zero_grad(False)"),
        (
            "optimizer.zero_grad(\n            set_to_none=True,\n        )",
            "optimizer.zero_grad(\n            set_to_none=False,\n        )",
        ),
    ],
)
def test_an_optimizers_gradients_are_made_before_the_loop(
    tmp_path: Path, zero: str, zeroed: str
) -> None:
    made = (
        'for parameter in (one for group in optimizer.param_groups for one in group["params"]):\n'
        "    if parameter.requires_grad and parameter.grad is None:\n"
        "        parameter.grad = torch.zeros_like(parameter)\n"
        "# Train.\n"
    )
    expected = PROGRAM.format(zero=zeroed).replace("# Train.\n", made)
    assert patched("CA201", tmp_path, PROGRAM.format(zero=zero), "zero_grad") == expected


def test_a_modules_gradients_under_another_name_of_torch(tmp_path: Path) -> None:
    source = """
    import torch as t
    def main(parameter):
        model = Model()
        optimizer = t.optim.SGD(model.parameters())
        for step in range(9):
            model(x).backward()
            model.zero_grad()
    """
    changed = patched("CA201", tmp_path, source, "zero_grad")
    assert "\n    for each_parameter in model.parameters():\n" in changed
    assert "each_parameter.grad = t.zeros_like(each_parameter)\n" in changed


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (PROGRAM.format(zero="optimizer.zero_grad(set_to_none=flag)"), "set_to_none=flag"),
        (PROGRAM.format(zero="optimizer.zero_grad(**options)"), "takes **"),
        (PROGRAM.format(zero="other.zero_grad()"), "other is not assigned in one place"),
        (PROGRAM.format(zero="optimizers[0].zero_grad()"), "is no variable"),
        (
            PROGRAM.format(zero="optimizer.zero_grad()").replace("# Train.", "optimizer = f()"),
            "not assigned in one place",
        ),
        (
            PROGRAM.format(zero="optimizer.zero_grad()").replace("torch.optim.SGD", "make"),
            "does not show what optimizer is",
        ),
        ("import torch\nx.backward()\nmodel.zero_grad()\n", "in no loop"),
    ],
)
def test_what_it_cannot_know_it_leaves(tmp_path: Path, source: str, words: str) -> None:
    assert words in refusal("CA201", tmp_path, source, "zero_grad")


def test_two_optimizers_are_named(tmp_path: Path) -> None:
    source = PROGRAM.format(zero="optimizer.zero_grad()") + "    second.zero_grad()\n"
    reason = refusal("CA201", tmp_path, source, ".backward(")
    assert "several zero_grad calls may be meant: train.py:8, train.py:9" in reason
