"""A kind of text is one module: the reader and all behind it know only the protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson
import pytest

import ca_reports
from ca_reports.errors import NothingReadable
from ca_reports.logs import records
from ca_reports.logs.record import Record
from ca_reports.logs.texts import all_kinds
from ca_reports.logs.texts.base import TextLog
from ca_reports.logs.texts.torchlogs import TorchLogs
from tests.unit.logwriter import sample_run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Told(TextLog):
    """A kind that no module has: ``TOLD 3: reason`` of capture 3."""

    marks = (b"TOLD",)
    nothing = "tell more"

    def line(self, number: int, data: bytes) -> Iterator[Record]:
        begin, _, reason = data.partition(b": ")
        if begin.startswith(b"TOLD"):
            self.lines += 1
            if reason:
                id = int(begin.split()[1])
                yield Record(
                    number, "artifact", "compiled_autograd_compile_reasons", {},
                    {"compiled_autograd_id": id}, 7, {},
                    orjson.dumps([f"!{id}: {reason.decode()}"]), from_text=True,
                )  # fmt: skip

    def finish(self) -> Iterator[Record]:
        yield from ()


@pytest.fixture(autouse=True)
def told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "all_kinds", lambda: (*all_kinds(), Told))


def test_the_modules_are_the_kinds() -> None:
    assert TorchLogs in all_kinds()
    assert all(kind.nothing for kind in all_kinds())


def test_another_kind_is_read_and_joined_as_torchs_is(tmp_path: Path) -> None:
    (tmp_path / "job.log").write_text(
        "starting\nTOLD 0: Cache miss due to new autograd node: Sub (NodeCall 2)\n"
    )
    run = ca_reports.load([tmp_path / "job.log"])
    assert not run.damage
    (capture,) = run.captures
    assert capture.node is not None
    assert capture.node.name == "Sub"
    assert run.processes[0].from_text


def test_no_line_of_a_kind_is_stepped_over_after_its_first_record(tmp_path: Path) -> None:
    (tmp_path / "job.log").write_text("TOLD 0: new\n" + "step 1\n" * 100 + "TOLD 1: other\n")
    run = ca_reports.load([tmp_path / "job.log"])
    assert [capture.id for capture in run.captures] == [0, 1]


def test_text_without_a_record_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "job.log").write_text("TOLD 0\n")
    with pytest.raises(NothingReadable, match="tell more"):
        ca_reports.load([tmp_path / "job.log"])


def test_it_does_not_disturb_a_trace(tmp_path: Path) -> None:
    run = ca_reports.load([sample_run().write(tmp_path / "trace.log")])
    assert len(run.captures) == 3
    assert not run.processes[0].from_text
