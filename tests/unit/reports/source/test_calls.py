"""Calls, and the functions that they may run."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

from ca_reports.source.calls import (
    bound_arguments,
    calls_of,
    fields_of,
    handed_over,
    may_take,
    registered,
)
from tests.unit.reports.source.walked import flow_of

if TYPE_CHECKING:
    from pathlib import Path


def test_arguments_by_place_and_by_name_up_to_a_star() -> None:
    (call,) = ast.parse("f(1, *more, 2, c=3, **rest)").body
    assert isinstance(call, ast.Expr)
    found = {name: ast.unparse(given) for name, given in bound_arguments(call.value, "abc")}
    assert found == {"a": "1", "c": "3"}


def test_fields_of_classes_with_and_without_a_constructor(tmp_path: Path) -> None:
    program = flow_of(
        tmp_path,
        """\
        class Made:
            def __init__(self, width, depth=2): ...

        class Data:
            rows: int
            names: list
            LIMIT = 3
        """,
    ).program
    assert fields_of(program, "Made") == ["width", "depth"]
    assert fields_of(program, "Data") == ["rows", "names"]


def test_functions_that_a_decorator_puts_into_a_table_and_that_calls_hand_over(
    tmp_path: Path,
) -> None:
    program = flow_of(
        tmp_path,
        """\
        STEPS = {}

        def step_of(kind):
            def added(function):
                STEPS[kind] = function
                return function
            return added

        @step_of("plain")
        def plain(x): ...

        def run(task, size): ...

        run(plain, 3)
        """,
    ).program
    assert list(registered(program)) == [("STEPS", "plain")]
    assert list(handed_over(program)) == [("task", "plain")]


@pytest.mark.parametrize(
    ("line", "is_known"),
    [
        ("task(batch)", True),
        ("other(batch), task(batch)", True),  # `other` is another function of the program
        ("task(batch), job(batch)", False),
        ("task()", False),
        ("torch.step(batch)", False),
    ],
)
def test_the_call_of_a_frame_under_another_name(tmp_path: Path, line: str, is_known: bool) -> None:
    flow = flow_of(
        tmp_path,
        f"""\
        import torch

        def other(x): ...

        def step(x):
            x.backward()  # 2

        def main(task, job, batch):
            {line}  # 1
        """,
    )
    assert bool(calls_of(flow.program, flow.stack)) is is_known


@pytest.mark.parametrize(
    ("call", "fits"),
    [
        ("net.step(word, hidden)", True),
        ("net.step(word, hidden=1)", True),
        ("Net.step(net, word, hidden)", True),
        ("optimizer.step()", False),
        ("net.step(1, 2, 3, 4)", False),
        ("net.step(*both)", True),
    ],
)
def test_a_call_with_too_few_or_too_many_arguments_is_of_something_else(
    tmp_path: Path, call: str, fits: bool
) -> None:
    program = flow_of(
        tmp_path, f"class Net:\n    def step(self, word, hidden): ...\n\n{call}\n"
    ).program
    (function,), (site,) = program.functions["step"], program.calls("step")
    assert may_take(function, site) is fits
