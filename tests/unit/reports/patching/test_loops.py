"""The loops that the backwards of a finding ran in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.unit.reports.patching.programs import patched, refusal

if TYPE_CHECKING:
    from pathlib import Path

TWO = """
from torch.utils.data import DataLoader
training = DataLoader(data, 8)
validation = DataLoader(held_out, 8)
{more}
for step, inputs in enumerate(training):
    model(inputs).sum().backward()
"""


def test_of_two_the_one_of_the_training_loop(tmp_path: Path) -> None:
    changed = patched("CA101", tmp_path, TWO.format(more=""))
    assert "training = DataLoader(data, 8, drop_last=True)" in changed
    assert "validation = DataLoader(held_out, 8)\n" in changed


def test_two_candidates_are_named_where_the_name_is_rebound(tmp_path: Path) -> None:
    source = TWO.format(more="training = prefetch(training)").replace("training", "first")
    assert "train.py:3, train.py:4" in refusal("CA101", tmp_path, source)
