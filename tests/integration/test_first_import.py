"""The engine is installed while torch imports Dynamo, whichever module asked for that."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path


# In `make test`, `test_run_fidelity.py` imports Dynamo itself first, in a training from scratch.
@pytest.mark.long
@pytest.mark.parametrize(
    "first",
    ["torch._dynamo", "torch._inductor.standalone_compile", "torch._functorch.aot_autograd"],
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
