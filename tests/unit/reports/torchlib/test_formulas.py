"""The tables of functions that take Python numbers, against torch and Python."""

from __future__ import annotations

import builtins
import inspect
import math
import re
from contextlib import nullcontext
from typing import Any

import pytest

from ca_reports.torchlib import formulas

torch = pytest.importorskip("torch")
F = torch.nn.functional


def given_to(function: Any) -> set[str]:
    """The parameters of a function; of one in C++, which has no signature, those of its page."""
    try:
        return {*inspect.signature(function).parameters}
    except ValueError:
        head = (function.__doc__ or "").strip().partition(" ->")[0]
        return {*re.findall(r"[(,] ?(\w+)", head)}


@pytest.mark.parametrize("formula", formulas.FORMULAS, ids=lambda one: one.name)
def test_formulas_name_parameters_of_their_function(formula: formulas.Formula) -> None:
    assert formula.number in formula.parameters
    assert {*formula.parameters} <= given_to(getattr(F, formula.name))


@pytest.mark.parametrize("name", sorted({*formulas.OTHERS_WRITTEN, *formulas.SECOND}))
def test_functions_with_a_number_are_torchs(name: str) -> None:
    assert any(callable(getattr(one, name, None)) for one in (F, torch, torch.Tensor))


def test_numbers_are_parameters_of_functions() -> None:
    every = {part for _, function in inspect.getmembers(F, callable) for part in given_to(function)}
    assert {*formulas.NUMBERS} - every == set()


@pytest.mark.parametrize("name", sorted(formulas.OF_MATH))
def test_functions_of_math_are_torchs_too(name: str) -> None:
    of_one = torch.tensor([0.5])
    assert getattr(torch, name)(of_one).item() == pytest.approx(getattr(math, name)(0.5), rel=1e-5)


@pytest.mark.parametrize("name", sorted(formulas.CONVERTING))
def test_conversions_are_pythons(name: str) -> None:
    assert hasattr(builtins, name)


@pytest.mark.parametrize("name", sorted(formulas.CONVERTING))
def test_what_takes_numbers_only_raises_for_a_tensor(name: str) -> None:
    given = [torch.tensor(2.5), 2] if name == "divmod" else [torch.tensor(2.5)]
    raises = pytest.raises(TypeError) if name in formulas.NUMBERS_ONLY else nullcontext()
    with raises:
        getattr(builtins, name)(*given)


@pytest.mark.parametrize("name", sorted(formulas.TAKING_EITHER))
def test_what_takes_a_number_or_a_tensor_is_torchs(name: str) -> None:
    assert hasattr(torch.Tensor, name) or hasattr(torch, name)


@pytest.mark.parametrize("name", sorted(formulas.TAKES_ALPHA))
def test_alpha_multiplies_what_is_added(name: str) -> None:
    one = torch.ones(1)
    sign = -1 if name.startswith("sub") else 1
    assert getattr(torch.ones(1), name)(one, alpha=3).item() == 1 + sign * 3
    assert name.startswith(formulas.ADDING)
