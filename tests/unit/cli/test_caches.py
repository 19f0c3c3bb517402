"""``ca caches``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from ca_cli.main import main
from tests.unit.reports.costs.caches.made import PARTS, CacheLog, start_of
from tests.unit.reports.written import run_folder

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three runs of one command; the last is not warm because of its threads."""
    monkeypatch.chdir(tmp_path)
    logs = [
        {**PARTS, "system_info[hash]": "other"},
        PARTS,
        {**PARTS, "cpp_runtime_thread_count": "1"},
    ]
    for number, parts in enumerate(logs):
        run_folder(
            tmp_path / "ca-runs" / f"train-{number}",
            start_of(parts),
            start=float(number + 1),
            end=float(number + 2),
        )


def differing(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, list[str]]:
    assert main(["caches", *arguments, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    names = [one["component"] for graph in found["graphs"] for one in graph["differs"]]
    return {"earlier": found["earlier"], "names": names}


def test_the_newest_run_is_compared_with_the_one_before(capsys: pytest.CaptureFixture[str]) -> None:
    assert differing(capsys) == {
        "earlier": ["ca-runs/train-1"], "names": ["cpp_runtime_thread_count"],
    }  # fmt: skip


def test_named_runs_are_compared_the_nearest_of_several(capsys: pytest.CaptureFixture[str]) -> None:
    one, two = "ca-runs/train-0", "ca-runs/train-1"
    assert differing(capsys, "ca-runs/train-2", one)["names"] == [
        "cpp_runtime_thread_count", "system_info[hash]",
    ]  # fmt: skip
    assert differing(capsys, "ca-runs/train-2", one, two)["names"] == ["cpp_runtime_thread_count"]


def test_the_first_run_of_all_has_none_to_be_compared_with(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["caches", "ca-runs/train-0"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Cold: the graph was compiled (4.0 s).\nNo earlier run of this command")


def test_a_run_is_not_compared_with_itself(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["caches", "ca-runs/train-2", "ca-runs/../ca-runs/train-2"]) == 2
    assert "can't be compared with itself" in capsys.readouterr().err


def test_a_run_that_asked_no_cache_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = CacheLog()
    log.ca_run()
    log.compiled("0/0")
    assert main(["caches", str(log.write(tmp_path / "eager.log"))]) == 0
    assert capsys.readouterr().out == "No look-up of a cache was recorded.\n"
