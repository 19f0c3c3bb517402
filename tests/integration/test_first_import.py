"""The engine is installed while torch imports Dynamo, whichever module asked for that."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    "first",
    [
        "torch._dynamo",
        pytest.param("torch._inductor.standalone_compile", marks=pytest.mark.long),
        pytest.param("torch._functorch.aot_autograd", marks=pytest.mark.long),
    ],
)
def test_a_process_is_recorded_whatever_imports_dynamo_first(tmp_path: Path, first: str) -> None:
    (tmp_path / "train.py").write_text(f"import torch\nimport {first}\n")
    done = subprocess.run(
        [sys.executable, "-m", "ca_cli", "run", "--quiet", "-o", "run", "train.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=250,
    )
    assert (done.returncode, done.stderr) == (0, "")
    (log,) = (tmp_path / "run" / "trace").glob("*.log")
    assert '"name": "ca_run"' in log.read_text()
