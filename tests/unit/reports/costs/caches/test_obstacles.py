"""Graphs are kept out of caches by settings and operations, whose lines are found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ca_reports.costs.caches.obstacles import Obstacle, environment_of
from ca_reports.costs.caches.settings import Variable
from tests.unit.reports.costs.caches.made import CacheLog, started

if TYPE_CHECKING:
    from pathlib import Path

LAYER = """\
import torch
from torch._inductor import config
config.freezing = True
def attend(q):
    with sdpa_kernel(SDPBackend.MATH):
        return attention(q, q, q)
"""
FUNCTION = "Unsupported call_function target {0}.\n Function module: {1},\nFunction name: {0}"


def bypassed(file: Path, reason: str, **variables: str) -> CacheLog:
    log = CacheLog()
    log.ca_run(enabled=False, environment=variables)
    log.bypassed("0/0", reason)
    log.compiled("0/0", 5.0, co_filename=str(file))
    return log


@pytest.mark.parametrize(
    ("reason", "obstacle", "lines"),
    [
        ("Cannot cache a graph with freezing enabled", Obstacle("frozen"), [3]),
        (
            FUNCTION.format("_backend_from_string", "torch.nn.attention"),
            Obstacle("function", "torch.nn.attention._backend_from_string"),
            [5],
        ),
        ("FX graph cache is not enabled", Obstacle("off"), []),
        ("compiler bisector enabled", Obstacle("bisecting"), []),
    ],
)
def test_an_obstacle_has_the_line_that_sets_it_or_enters_it(
    tmp_path: Path, reason: str, obstacle: Obstacle, lines: list[int]
) -> None:
    file = tmp_path / "train.py"
    file.write_text(LAYER)
    start = started(tmp_path, bypassed(file, reason), roots=(tmp_path,))
    found = {one: [at.line for at in origin.lines] for one, origin in start.kept_out.items()}
    assert found == {obstacle: lines}


def test_a_variable_comes_before_lines_where_it_has_the_value_that_keeps_out(
    tmp_path: Path,
) -> None:
    file = tmp_path / "train.py"
    file.write_text(LAYER)
    reason = "Cannot cache a graph with freezing enabled"
    log = bypassed(file, reason, TORCHINDUCTOR_FREEZING="1")
    other = bypassed(file, reason, HOME="/a")
    start = started(tmp_path / "1", log, other, roots=(tmp_path,))
    (origin,) = start.kept_out.values()
    assert origin.variables == (Variable("TORCHINDUCTOR_FREEZING", None, "1"),)
    # Of a log without variables it is not known that it was not set.
    start = started(tmp_path / "3", log, bypassed(file, reason), roots=(tmp_path,))
    (origin,) = start.kept_out.values()
    assert origin.variables == (Variable("TORCHINDUCTOR_FREEZING", "1", "1"),)
    log = bypassed(file, reason, TORCHINDUCTOR_FREEZING="0")
    start = started(tmp_path / "2", log, roots=(tmp_path,))
    (origin,) = start.kept_out.values()
    assert [one.line for one in origin.lines] == [3]


def test_the_environment_is_that_of_the_start_where_nothing_was_looked_up(tmp_path: Path) -> None:
    start = started(tmp_path, bypassed(tmp_path / "train.py", "No shape env", HOME="/a"))
    assert environment_of([start.run]) == {"HOME": "/a"}
    assert environment_of([]) == {}
