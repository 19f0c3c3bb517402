"""Functions that take a gradient by themselves."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

from ca_reports.causes.located.own_gradients import own_gradient
from ca_reports.program.syntax import Module, Site
from tests.unit.reports.causes.located.test_located import located, project

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = """\
import torch
from torch import autograd

class Swoosh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        {asking}
        y = swoosh(x)
        {taking}
        ctx.save_for_backward({kept})
        return y.detach()
"""
BACKWARD = {"asking": "x.requires_grad = True", "taking": "y.backward()", "kept": "x.grad"}
GRAD = {"taking": "(d,) = autograd.grad(y, x)", "kept": "d"}


def _advice(line: int, **changed: str) -> str:
    text = SOURCE.format(**BACKWARD | changed)
    module = Module("train.py", text, ast.parse(text))
    statement = module.statement_at(line)
    assert statement is not None
    found = own_gradient(Site(module, statement))
    return "" if found is None else found.advice


@pytest.mark.parametrize(
    ("changed", "called"),
    [
        ({}, "y.backward(…)"),
        ({"asking": "x = x.detach().requires_grad_()"}, "y.backward(…)"),
        ({"asking": "x.requires_grad_(True)"}, "y.backward(…)"),
        (GRAD, "autograd.grad(…)"),
        (GRAD | {"taking": "(d,) = torch.autograd.grad(y, inputs=[x])"}, "torch.autograd.grad(…)"),
    ],
)
@pytest.mark.parametrize("line", [7, 9])
def test_a_gradient_of_its_own_is_taken_otherwise(
    changed: dict[str, str], called: str, line: int
) -> None:
    advice = _advice(line, **changed)
    assert advice.startswith(f"`Swoosh.forward` takes a gradient of `x` by itself (`{called}`, ")
    assert "train.py:9" in advice
    assert "`torch.func.grad`" in advice


@pytest.mark.parametrize(
    "changed",
    [
        # A loss of a whole step: nothing reads what the asking is for.
        {"kept": "x"},
        {"taking": "pass"},
        {"asking": "pass"},
        {"asking": "other.requires_grad = True"},
    ],
)
def test_what_is_not_asked_for_and_taken_is_none(changed: dict[str, str]) -> None:
    assert _advice(7, **changed) == ""
    assert _advice(9, **changed) == ""


def test_another_line_of_the_function_is_another_break() -> None:
    assert _advice(8) == ""


@pytest.mark.parametrize(
    ("code", "marked", "changed", "is_told"),
    [
        ("CA808", "asking", {}, True),
        ("CA809", "taking", {}, True),
        # The option of torch's hint traces this one, and raises for a backward.
        ("CA809", "taking", GRAD, False),
    ],
)
def test_the_rules_of_both_lines_say_it(
    tmp_path: Path, code: str, marked: str, changed: dict[str, str], is_told: bool
) -> None:
    lines = BACKWARD | changed
    lines[marked] += "  # compiled"
    files = project(tmp_path, f"# file: train.py\n{SOURCE.format(**lines)}")
    fix = located(files, tmp_path, code, fix="torch's hint").fix
    assert ("`torch.func.grad`" in fix) == is_told
    assert is_told or fix == "torch's hint"
