"""`ca doctor`, run as a user does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

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


def test_it_names_versions_and_captures_a_backward() -> None:
    torch = pytest.importorskip("torch")
    done = doctor()
    assert done.returncode == 0, done.stdout + done.stderr
    facts = dict(line.split(maxsplit=1) for line in done.stdout.splitlines() if " " in line)
    assert facts["ca"] == __version__
    assert facts["torch"] == torch.__version__
    assert facts["engine"] == "ours"
    assert facts["capture"] == "ok"


def test_a_torch_that_cannot_be_imported_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text("raise ImportError('libcudart.so.12: cannot open')\n")
    done = doctor(PYTHONPATH=str(tmp_path))
    assert done.returncode == 1
    assert "problem      torch can't be imported: ImportError: libcudart.so.12" in done.stdout


def test_an_untested_torch_is_said_to_be_recorded_only(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import torch\ntorch.__version__ = '9.9.0'\n")
    done = doctor(PYTHONPATH=str(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "torch's own, recorded (this version of torch is untested)" in done.stdout
