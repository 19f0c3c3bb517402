"""Words about the processes of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import ca_reports
from ca_reports.run.model import Recorded, Run
from ca_reports.sentences.processes import (
    every_process,
    how_it_ended,
    process_count,
    process_labels,
)
from tests.unit.logwriter import START
from tests.unit.reports.recaptured import recapturing

if TYPE_CHECKING:
    from pathlib import Path


def test_one_process_that_was_recorded_twice_is_one(tmp_path: Path) -> None:
    recapturing().write(tmp_path / "trace_0.log")
    recapturing(START + 5000).write(tmp_path / "trace_1.log")
    run = ca_reports.load([tmp_path])

    assert process_count(run) == "2 recordings"
    assert every_process(run) == "both recordings"
    assert process_count(run, [0]) == "1 process"
    first, second = process_labels(run)
    assert (first.endswith(" #0"), second.endswith(" #1")) == (True, True)


def ended(*codes: int | None) -> str | None:
    recorded = tuple(Recorded(str(at), exit_code=code) for at, code in enumerate(codes))
    return how_it_ended(Run((), (), (), recorded))


def test_an_end_is_told_where_it_was_not_a_good_one() -> None:
    assert ended() is None
    assert ended(0, None) is None
    assert ended(3, 0, 1) == "The run ended with exit code 3, 1."
