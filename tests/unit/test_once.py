"""What is made once is made once, also for those who ask at the same time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.once import made_once


def _fill(folder: Path) -> None:
    with (folder.parent / "calls").open("a") as calls:
        calls.write("one\n")
    (folder / "file").write_text("made")


def test_those_who_ask_together_find_one(tmp_path: Path) -> None:
    # Threads, as each opens the lock for itself: to the kernel they are strangers.
    folder = tmp_path / "shared" / "run"
    with ThreadPoolExecutor(4) as askers:
        found = list(askers.map(lambda _: made_once(folder, _fill), range(8)))

    assert {(one / "file").read_text() for one in found} == {"made"}
    assert (folder.parent / "calls").read_text() == "one\n"


def test_what_failed_is_tried_again_from_scratch(tmp_path: Path) -> None:
    def fail(folder: Path) -> None:
        (folder / "half").touch()
        raise OSError("disk")

    with pytest.raises(OSError, match="disk"):
        made_once(tmp_path / "run", fail)

    assert [file.name for file in made_once(tmp_path / "run", _fill).iterdir()] == ["file"]
