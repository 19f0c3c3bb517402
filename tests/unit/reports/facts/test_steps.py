"""When backwards ended, where some ran within others."""

from __future__ import annotations

from array import array
from bisect import bisect_left

from hypothesis import given
from hypothesis import strategies as st

from ca_reports.facts.steps import Ends, Steps, in_order
from ca_reports.run.model import Backwards

TIMES = st.lists(st.tuples(st.floats(0, 10), st.floats(0, 10)), max_size=12)


def rows_of(times: list[tuple[float, float]]) -> Backwards:
    starts, seconds = [start for start, _ in times], [took for _, took in times]
    count = len(times)
    return Backwards(
        array("q", range(100, 100 + count)), array("q", bytes(8 * count)),
        array("d", starts), array("d", seconds), array("b", bytes(count)),
        array("b", bytes(count)), count, 0, 0,
    )  # fmt: skip


@given(times=TIMES, at=st.floats(0, 20))
def test_the_first_step_that_ended_from_a_moment_on(
    times: list[tuple[float, float]], at: float
) -> None:
    ends = sorted((start + took, 100 + row) for row, (start, took) in enumerate(times))
    place = bisect_left(ends, (at,))
    expected = ends[place][1] if place < len(ends) else None
    assert Ends(rows_of(times)).first_from(at) == expected


def test_a_log_without_rows_has_no_step() -> None:
    assert Ends(None).first_from(0.0) is None
    assert list(Steps(None)) == []


def test_steps_can_be_gone_through_again() -> None:
    steps = Steps(rows_of([(1.0, 1.0), (2.0, 1.0)]))
    assert list(steps) == list(steps) == [(100, 0), (101, 0)]


def test_times_in_order_are_not_copied() -> None:
    ordered = array("d", [1.0, 2.0, 2.0])
    assert in_order(ordered) is ordered
    assert list(in_order(iter([2.0, 1.0]))) == [1.0, 2.0]
