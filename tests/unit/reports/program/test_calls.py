"""Calls, and the functions that they may run."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

from ca_reports.program.calls import (
    bound_arguments,
    calls_of,
    fields_of,
    handed_over,
    may_take,
    registered,
)
from ca_reports.program.files import SourceFiles
from ca_reports.program.flow import Flow
from ca_reports.program.names import Names
from ca_reports.program.syntax import Program, Site
from ca_reports.run.model import Frame
from tests.unit.reports.program.walked import flow_of

if TYPE_CHECKING:
    from collections.abc import Sequence
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
@pytest.mark.parametrize("receiver", ["self", "this"])
def test_a_call_with_too_few_or_too_many_arguments_is_of_something_else(
    tmp_path: Path, call: str, fits: bool, receiver: str
) -> None:
    program = flow_of(
        tmp_path, f"class Net:\n    def step({receiver}, word, hidden): ...\n\n{call}\n"
    ).program
    (function,), (site,) = program.functions["step"], program.calls("step")
    assert may_take(function, site) is fits


PROGRAM = """\
class Net:
    def forward(self, x, scale=1.0):
        return x * scale

def train(model, x):
    return model(x, 0.5)

def probe(model, x):
    return model(x)

def both(model, x):
    return model(x) + model(x, 2.0)

model = Net()
train(model, 1)
probe(model, 1)
both(model, 1)
"""
LINES = {"train": 6, "probe": 9, "both": 12}


def callers(tmp_path: Path, seen: Sequence[str]) -> list[int]:
    """The lines that may call `forward`, which was compiled for the functions ``seen``."""
    file = str(tmp_path / "net.py")
    (tmp_path / "net.py").write_text(PROGRAM)
    program = Program(SourceFiles([str(tmp_path)]), [file])
    forward = Frame(file, 3, "forward", "")
    stacks = [(Frame(file, LINES[name], name, ""), forward) for name in seen]
    (function,) = program.functions["forward"]
    flow = Flow(Names(program, stacks), ())
    return sorted(site.line for site in flow.callers(Site(function.module, function.node)))


def test_of_calls_that_look_alike_those_that_were_seen_are_the_callers(tmp_path: Path) -> None:
    assert callers(tmp_path, ["train"]) == [6]
    assert callers(tmp_path, ["train", "probe"]) == [6, 9]


def test_where_no_call_was_seen_or_a_line_has_two_all_may_be(tmp_path: Path) -> None:
    assert callers(tmp_path, []) == [6, 9, 12, 12]
    assert callers(tmp_path, ["train", "both"]) == [6, 9, 12, 12]
