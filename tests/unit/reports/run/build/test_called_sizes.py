"""The records of sizes, read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ca_reports.run.build.called_sizes import read_sizes
from tests.unit.logwriter import START, LogWriter
from tests.unit.reports.facts.sizes.made import static
from tests.unit.reports.written import loaded

if TYPE_CHECKING:
    from pathlib import Path

WHOLE: dict[str, Any] = {
    "graph": "0/1", "inputs": {"ids": [8, "s0"]}, "symbols": ["s0"], "sizes": [[5], [7]],
    "calls": [1, 2], "steps": [None, 0.5], "seconds": [0.1, 0.2], "digits": None, "left_out": 0,
}  # fmt: skip


def test_a_record_is_read() -> None:
    found = read_sizes(WHOLE)
    assert found is not None
    assert found.code_number == "0"
    assert found.inputs == {"ids": (8, "s0")}
    assert (found.sizes, found.calls) == (((5,), (7,)), (1, 2))
    assert found.steps == (None, 0.5)


@pytest.mark.parametrize(
    "broken",
    [
        {"graph": 3},
        {"graph": "x" * 1000},
        {"sizes": [[5]]},
        {"sizes": [[5], [-7]]},
        {"sizes": [[5], [7, 8]]},
        {"sizes": [], "calls": [], "steps": [], "seconds": []},
        {"calls": [1, "2"]},
        {"calls": None},
        {"symbols": [None]},
    ],
)
def test_a_broken_one_is_damage(broken: dict[str, Any], tmp_path: Path) -> None:
    assert read_sizes({**WHOLE, **broken}) is None
    log = LogWriter()
    log.ca_run()
    log.own("ca_sizes", time=START, **{**WHOLE, **broken})
    run = loaded(log, tmp_path)
    assert run.damage
    assert not run.processes[0].graph_sizes if run.processes else True


def test_a_broken_input_is_left_out() -> None:
    found = read_sizes({**WHOLE, "inputs": {"ids": [8, None], "mask": [8, "s0"], "x": 3}})
    assert found is not None
    assert found.inputs == {"mask": (8, "s0"), "x": ()}


def test_the_last_record_of_a_graph_counts(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    log.compiled("0/0", 1.0)
    static(log, "0/0", 32, 5)
    static(log, "0/0", 32, 500)
    log.ca_end(START + 9, 0, 0)
    (found,) = loaded(log, tmp_path).processes[0].graph_sizes
    assert found.calls == (500,)
