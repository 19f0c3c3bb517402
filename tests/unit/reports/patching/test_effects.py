"""Code that leaves something behind does not run more often, less often, or once."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

from ca_reports.patching import effects
from ca_reports.patching.patches import RefusedError
from tests.unit.reports.patching.programs import program_of

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.patching.program import EditableProgram

OWN = """\
import torch
from torch.nn import functional as F


def f(x):
    return x * 2


"""


def program(folder: Path, code: str) -> EditableProgram:
    return program_of(folder, {"train.py": f"{OWN}{code}\n"})


def required(folder: Path, code: str) -> None:
    whole = program(folder, code)
    effects.require_repeatable(whole.script, whole.script.all(ast.Expr)[-1:], whole)


@pytest.mark.parametrize(
    "code",
    ["x.mul_(2)", "torch.add(x, 1, out=y)", "F.relu(x, inplace=True)", "seen.pop()",
     "x + next(draws)", "(y := x)", "kept.update(a=x)", "torch.relu_(x)", "print(x)"],
)  # fmt: skip
def test_what_changes_what_stays_is_refused(tmp_path: Path, code: str) -> None:
    with pytest.raises(RefusedError, match="changes what stays"):
        required(tmp_path, code)


def test_what_the_source_does_not_show_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match=r"can't tell what train\.py:9 runs"):
        required(tmp_path, "x.made_elsewhere()")


@pytest.mark.parametrize(
    "code", ["x.add(2)", "F.relu(x, inplace=False)", "torch.sort(x)[0]", "f(x)", "F.dropout(x)"]
)
def test_what_only_computes_or_draws_is_not(tmp_path: Path, code: str) -> None:
    required(tmp_path, code)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("x + torch.randn_like(x)", ["draws its random numbers in every turn"]),
        ("F.batch_norm(x, m, v)", ["updates the running statistics of BatchNorm in every turn"]),
        ("F.normalize(x)", []),
    ],
)
def test_what_draws_or_counts_is_said(tmp_path: Path, code: str, said: list[str]) -> None:
    whole = program(tmp_path, code)
    nodes = whole.script.all(ast.Expr)[-1:]
    assert effects.require_repeatable(whole.script, nodes, whole, "turn") == said


def test_what_is_made_once_draws_nothing(tmp_path: Path) -> None:
    whole = program(tmp_path, "f(torch.rand(2))")
    with pytest.raises(RefusedError, match="the same thing each time"):
        effects.require_pure(whole.script, whole.script.all(ast.Expr)[-1:], whole)
