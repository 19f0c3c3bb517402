"""Branches that a number decides, and changes that are within others."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

from ca_reports.patching.branches import by_number, merged
from ca_reports.patching.patches import RefusedError, Replacement
from tests.unit.reports.patching.programs import program_of

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.patching.program import EditableProgram

SOURCE = """\
import torch


def scaled(x, heat):
    if heat > 1:
        x = {side}
    return x
"""


def branch(tmp_path: Path, side: str) -> tuple[EditableProgram, list[Replacement]]:
    program = program_of(tmp_path, {"train.py": SOURCE.format(side=side)})
    file = program.script
    node = next(
        one
        for one in file.all(ast.Name)
        if one.id == "heat" and isinstance(file.parent(one), ast.Compare)
    )
    return program, by_number(file, node, node, program, lambda *_: [])


def test_a_number_chooses_between_two_formulas(tmp_path: Path) -> None:
    _, (change,) = branch(tmp_path, "x.sin() * 2")
    assert change.text.strip() == "x = torch.where(heat > 1, x.sin() * 2, x)"


@pytest.mark.parametrize("side", ["torch.rand(3)", "self.layer(x)", "x.mul_(2)", "print(x)"])
def test_what_may_not_run_in_every_step_stays(tmp_path: Path, side: str) -> None:
    with pytest.raises(RefusedError, match="as a Python number"):
        branch(tmp_path, side)


def test_a_change_within_another_is_made_in_its_text(tmp_path: Path) -> None:
    program, _ = branch(tmp_path, "x")
    text = program.script.text
    inner, outer = text.index("heat > 1"), text.index("if heat")
    changes = [
        Replacement("train.py", inner, inner + len("heat"), "warmth"),
        Replacement("train.py", outer, text.index("    return"), "x = heat * x\n"),
    ]
    assert [one.text for one in merged(changes, program)] == ["x = warmth * x\n"]
