"""Expressions that leave something behind are not run where they did not run before."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

from ca_reports.patching import effects
from ca_reports.patching.patches import RefusedError
from tests.unit.reports.patching.programs import program_of

if TYPE_CHECKING:
    from pathlib import Path


def required(folder: Path, code: str) -> None:
    file = program_of(folder, {"train.py": f"import torch\n{code}\n"}).script
    effects.require_none(file, file.all(ast.Expr)[0])


@pytest.mark.parametrize(
    "code",
    ["x.mul_(2)", "torch.add(x, 1, out=y)", "F.relu(x, inplace=True)", "seen.pop()",
     "x + next(draws)", "(y := x)", "kept.update(a=x)", "torch.relu_(x)", "print(x)"],
)  # fmt: skip
def test_what_changes_what_stays_is_refused(tmp_path: Path, code: str) -> None:
    with pytest.raises(RefusedError, match="changes what stays"):
        required(tmp_path, code)


@pytest.mark.parametrize(
    "code", ["x.add(2)", "F.relu(x, inplace=False)", "torch.sort(x)[0]", "f(x)"]
)
def test_what_only_computes_is_not(tmp_path: Path, code: str) -> None:
    required(tmp_path, code)


@pytest.mark.parametrize(
    ("code", "draws"),
    [("x + torch.randn_like(x)", True), ("self.dropout(x)", True), ("F.normalize(x)", False)],
)
def test_what_draws_is_known_by_its_call(code: str, *, draws: bool) -> None:
    assert effects.draws(ast.parse(code)) is draws
