"""What each event cost."""

from __future__ import annotations

from array import array

import pytest

from ca_reports.facts.costs import Costs
from ca_reports.run.model import (
    Backwards,
    Event,
)
from tests.unit.reports.made import captured, compiled, run_of


def test_a_capture_costs_what_it_takes_beyond_a_hit() -> None:
    rows = Backwards(
        array("q", [0, 1, 2, 3]), array("q", [0, 1, 1, 1]), array("d", [100, 101, 105, 106]),
        array("d", [5.0, 3.5, 0.5, 0.5]), array("b", [1, 1, 0, 0]), array("b", [0] * 4), 4, 2, 0,
    )  # fmt: skip
    split = compiled("!1/3/0", phases={"dynamo": 1.5, "backend": 0.5}, seconds=2.0)
    run = run_of(captured(0), captured(1), compiles=(split,), backwards=rows)
    cost = Costs(run).of(run.captures[1])
    assert cost is not None
    # 1 s of capture, 2 s of compile, and of the 3.5 s of its first run what neither the
    # compile nor a hit explains.
    assert cost.seconds == pytest.approx(1.0 + 2.0 + (3.5 - 2.0 - 0.5))
    assert cost.phases == pytest.approx(
        {"capture": 1.0, "dynamo": 1.5, "backend": 0.5, "other": 1.0}
    )
    assert Costs(run).of(run.captures[0]) is None


def test_no_second_is_counted_twice() -> None:
    again = compiled("!1/3/1", "!1/3/0: tensor 'sizes[0]' size mismatch")
    run = run_of(captured(0), captured(1), compiles=(compiled("!1/3/0"), again))
    events: list[Event] = [run.captures[1], run.captures[1], *run.compiles, again]
    cost = Costs(run).sum(events)
    assert cost is not None
    assert cost.seconds == pytest.approx(1.0 + 2.0 + 4.0)
    assert Costs(run).lost(events) == pytest.approx(cost.seconds)
    assert Costs(run).lost(run.processes[0].events) == pytest.approx(cost.seconds)
