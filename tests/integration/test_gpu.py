"""The GPU harness on the CPU: all parts run, what needs a GPU says so, the report has it all."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.gpu import __main__ as gpu
from tests.gpu import part_training, report
from tests.gpu.__main__ import PARTS
from tests.gpu.part_lowering import BACKENDS as LOWERED
from tests.gpu.programs import PROGRAMS
from tests.gpu.result import Result, Settings, read

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.long
# `make gpu DEVICE=cpu` allows two minutes, which are enough where nothing else is running.
@pytest.mark.timeout(600)
def test_every_part_runs_on_the_cpu(tmp_path: Path) -> None:
    done = subprocess.run(
        [
            *(sys.executable, "-m", "tests.gpu", "--device", "cpu"),
            *("--minutes", "9", "--output", str(tmp_path)),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    document = json.loads((tmp_path / "report.json").read_text())
    parts: dict[str, Any] = {part["part"]: part for part in document["parts"]}
    assert tuple(parts) == PARTS
    left_out = {name: part["left_out"] for name, part in parts.items() if part["left_out"]}
    assert left_out == {
        "background": "make test-all compares it on the CPU",
        "cudagraphs": "CUDA graphs need a GPU",
    }
    proven = [check for part in parts.values() for check in part["checks"]]
    assert sum(check["status"] == "passed" for check in proven) >= 10
    assert all(check["detail"] for check in proven if check["status"] == "left out")
    assert any(figure["of_torch"] for figure in parts["capture"]["figures"])
    page = (tmp_path / "report.md").read_text()
    assert all(f"\n## {name}\n" in page for name in PARTS)


@pytest.mark.long
def test_parts_by_name(tmp_path: Path) -> None:
    names = ["machine", "cudagraphs", "hits"]
    done = subprocess.run(
        [sys.executable, "-m", "tests.gpu", *names, "--device", "cpu", "--output", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    document = json.loads((tmp_path / "report.json").read_text())
    assert [part["part"] for part in document["parts"]] == names
    assert [part["status"] for part in document["parts"]] == ["passed", "left out", "passed"]


def test_a_failed_check_fails_its_part_and_is_in_the_report(tmp_path: Path) -> None:
    result = Result("training", path=tmp_path / "result.json")
    result.check("plain", False, "differs by 1 | 2")
    result.leave_out("side stream", "streams are a GPU's")
    result.measured("a hit: host", 40.0, "µs", 80.0)
    again = read(tmp_path / "result.json")
    assert again.status == "failed"
    report.write(tmp_path, [again], Settings("cpu", quick=True), 61.0)
    page = (tmp_path / "report.md").read_text()
    assert "Checks: 0 passed, 1 failed, 1 left out." in page
    assert "| plain | failed | differs by 1 \\| 2 |" in page
    assert "| a hit: host | 40 | 80 | 2.00 | µs |" in page
    assert json.loads((tmp_path / "report.json").read_text())["parts"][0]["status"] == "failed"


def test_what_proves_runs_side_by_side_beside_a_gpu_and_what_measures_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    running: set[str] = set()
    seen: dict[str, set[str]] = {}
    both = threading.Barrier(2, timeout=60)

    def run_apart(part: str, _settings: Settings, _limit: float) -> Result:
        running.add(part)
        if part in ("training/eager", "lowering/eager"):
            both.wait()  # neither ends before the other has begun
        seen[part] = set(running)
        running.discard(part)
        return Result(part)

    monkeypatch.setattr(gpu, "run_apart", run_apart)
    monkeypatch.setattr(gpu, "runs_beside", lambda settings: settings.is_cuda)
    parts = ["training", "lowering", "hits", "memory"]
    results = gpu.run_all(parts, Settings("cuda", quick=True), tmp_path, 60)
    shares = [*gpu.shares("training"), *gpu.shares("lowering")]
    assert [result.part for result in results] == [*shares, "hits", "memory"]
    assert seen["hits"] == {"hits"}
    assert seen["memory"] == {"memory"}


def test_shares_of_a_part_cover_its_programs_once() -> None:
    """Beside a GPU of a machine with many cores they run side by side."""
    for part, backends in (("training", part_training.BACKENDS), ("lowering", LOWERED)):
        shares = [name.partition("/")[2] for name in gpu.shares(part)]
        assert len(set(shares)) == len(shares) > len(backends)
        for backend in backends:
            programs = [
                program
                for share in shares
                for program in Settings("cuda", quick=False, share=share).share_of(
                    backend, PROGRAMS
                )
            ]
            assert sorted(programs) == sorted(PROGRAMS)
    assert gpu.shares("machine") == ["machine"]
