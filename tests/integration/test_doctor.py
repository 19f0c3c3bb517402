"""`ca doctor`, run as a user does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ca_cli.commands import doctor as command
from ca_cli.errors import GATE_FAILED
from ca_cli.main import main
from ca_engine import doctor as engine_doctor
from ca_engine.version import __version__

CA = Path(sys.executable).with_name("ca")


def doctor(**environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(CA), "doctor"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )


@pytest.fixture(scope="module")
def examined() -> subprocess.CompletedProcess[str]:
    """What it says of this machine."""
    return doctor()


def test_it_names_versions_and_captures_a_backward(
    examined: subprocess.CompletedProcess[str],
) -> None:
    torch = pytest.importorskip("torch")
    done = examined
    assert done.returncode == 0, done.stdout + done.stderr
    facts = dict(line.split(maxsplit=1) for line in done.stdout.splitlines() if " " in line)
    assert facts["ca"] == __version__
    assert facts["torch"] == torch.__version__
    assert facts["engine"] == "ours"
    assert facts["lowering"] == "possible"
    assert facts["background"].startswith(("possible", "captured backwards only"))
    assert facts["capture"] == "ok"


def test_without_a_gpu_it_says_why(examined: subprocess.CompletedProcess[str]) -> None:
    torch = pytest.importorskip("torch")
    if torch.cuda.device_count():
        pytest.skip("there is one")
    (line,) = (line for line in examined.stdout.splitlines() if line.startswith("gpus"))
    assert line == "gpus         none (torch has no CUDA)" or "built for CUDA" in line


def test_every_gpu_has_its_line_and_its_problem(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = engine_doctor.examine() | {
        "gpus": [
            {"name": "NVIDIA H200", "memory": 139 * 2**30, "capture": "ok"},
            {"name": "cuda:1", "memory": None, "capture": "CUDA error: out of memory"},
        ],
        "driver": "570.86.15",
        "cuda": "12.8",
        "lowering": False,
        "background": False,
    }
    monkeypatch.setattr(command, "_examine", lambda: found)
    assert main(["doctor"]) == GATE_FAILED
    lines = capsys.readouterr().out.splitlines()
    assert "gpu 0        NVIDIA H200, 139 GiB, capture ok" in lines
    assert "gpu 1        cuda:1, capture CUDA error: out of memory" in lines
    assert "driver       570.86.15, CUDA 12.8" in lines
    assert "lowering     off (untested with this torch)" in lines
    assert "background   off (untested with this torch)" in lines
    problem = "a small backward on gpu 1 could not be captured: CUDA error: out of memory"
    assert lines[-1] == f"problem      {problem}"


@pytest.mark.parametrize(
    ("text", "version"),
    [
        (
            "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 01:15:15\n",
            "535.104.05",
        ),
        (
            "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.86.15  Release Build\n",
            "570.86.15",
        ),
        ("something else\n", None),
    ],
)
def test_the_driver_says_its_version(tmp_path: Path, text: str, version: str | None) -> None:
    assert engine_doctor.driver_version(tmp_path / "absent") is None
    (tmp_path / "version").write_text(text)
    assert engine_doctor.driver_version(tmp_path / "version") == version


def test_a_torch_that_cannot_be_imported_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text("raise ImportError('libcudart.so.12: cannot open')\n")
    done = doctor(PYTHONPATH=str(tmp_path))
    assert done.returncode == 1
    assert "problem      torch can't be imported: ImportError: libcudart.so.12" in done.stdout
    assert "torch        not importable: logs are read, and nothing is recorded" in done.stdout
    assert not any(line.startswith(("engine", "lowering")) for line in done.stdout.splitlines())


@pytest.mark.long
def test_an_untested_torch_is_said_to_be_recorded_only(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import torch\ntorch.__version__ = '9.9.0'\n")
    done = doctor(PYTHONPATH=str(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert "engine       off (untested with this torch): torch's own runs, and is recorded" in lines
    assert lines[-1] == "Recording works here."


def test_a_torch_that_is_too_old_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text("__version__ = '2.5.1+cu124'\n")
    done = doctor(PYTHONPATH=str(tmp_path))
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == (
        "problem      with torch 2.5.1+cu124 a run holds only what torch itself writes: ca's "
        "recorder needs torch 2.8 or later"
    )
