"""CA603: the forward whose gradient is differentiated runs uncompiled."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.reports.patching.programs import patched, refusal

if TYPE_CHECKING:
    from pathlib import Path

EDITS = {"edits": ("eager_differentiated",)}
PENALTY = """\
import torch


def penalty(critic, x):
    score = critic(x)
    loss = score.sum()
    (slope,) = torch.autograd.grad(loss, x, create_graph=True)
    return slope.norm()
"""


@pytest.mark.parametrize(
    ("old", "new", "forward"),
    [
        ("", "", "score = critic(x)"),
        ("    loss = score.sum()\n", "    loss = critic(x).sum()\n", "loss = critic(x).sum()"),
        (
            "(slope,) = torch.autograd.grad(loss, x, create_graph=True)",
            "loss.backward(create_graph=True)",
            "score = critic(x)",
        ),
    ],
)
def test_what_computes_the_root_runs_uncompiled(
    tmp_path: Path, old: str, new: str, forward: str
) -> None:
    text = PENALTY.replace(old, new, 1) if old else PENALTY
    changed = patched("CA603", tmp_path, text, "create_graph", **EDITS)
    under = f'    with torch.compiler.set_stance("force_eager"):\n        {forward}\n'
    assert changed == text.replace(f"    {forward}\n", under, 1)


def test_a_root_that_is_given_is_computed_elsewhere(tmp_path: Path) -> None:
    text = PENALTY.replace("    score = critic(x)\n    loss = score.sum()\n", "")
    text = text.replace("penalty(critic, x)", "penalty(loss, x)")
    assert "can't find what computes the gradient" in refusal(
        "CA603", tmp_path, text, "create_graph", **EDITS
    )
