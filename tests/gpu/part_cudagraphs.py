"""CUDA graphs: numbers moved to the GPU, records of torch's as the rule reads them, the pair."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.gpu.result import LeftOutError

if TYPE_CHECKING:
    from tests.gpu.result import Result, Settings

ROOT = Path(__file__).resolve().parents[2]


def run(settings: Settings, result: Result) -> None:
    if not settings.is_cuda:
        raise LeftOutError("CUDA graphs need a GPU")
    moved = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider",
         "tests/engine/passes/test_passes.py", "-k", "gpu or cudagraph or scalars"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    result.check("scalars are moved", moved.returncode == 0, moved.stdout.strip()[-200:])
    for script in sorted((ROOT / "sample_scripts").glob("ca9*_bad.py")):
        code = script.name.partition("_")[0].upper()
        bad, fixed = (_explained(script.with_name(script.name.replace("_bad", end)))
                      for end in ("_bad", "_fixed"))  # fmt: skip
        told = [found["code"] for found in bad["findings"]]
        result.check(f"{code} is found in {script.name}", told[:1] == [code], str(told))
        told = [found["code"] for found in fixed["findings"] if not found["is_note"]]
        result.check(f"nothing is found in the fixed twin of {code}", not told, str(told))
        lost, rest = (each["summary"]["seconds_lost"] or 0.0 for each in (bad, fixed))
        result.measured(f"{code}: lost in the bad program; in the fixed one", lost, "s", rest)


def _explained(script: Path) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        command = [sys.executable, "-m", "ca_cli"]
        subprocess.run([*command, "run", "--quiet", "--no-report", "-o", run, script], check=True)
        explained = subprocess.run(
            [*command, "explain-recompiles", run, "--format", "json"],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        document: dict[str, Any] = json.loads(explained.stdout)
    return document
