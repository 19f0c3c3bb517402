"""The sample programs on the device: the cause is named, and the seconds lost are those there."""

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
LAUNCHER = Path(__file__).with_name("on_device.py")
FEW = ("ca201_grad_none",)
MORE = ("ca101_last_batch", "ca301_hook_toggle", "ca202_branch", "ca501_hook_break")


def run(settings: Settings, result: Result) -> None:
    for name in FEW if settings.is_small else FEW + MORE:
        script = ROOT / "sample_scripts" / f"{name}_bad.py"
        if not script.exists():
            raise LeftOutError("sample_scripts are not here: run from a checkout")
        with tempfile.TemporaryDirectory() as folder:
            document = explained(script, settings.device, Path(folder))
        code = name.partition("_")[0].upper()
        told = [found["code"] for found in document["findings"]]
        result.check(f"{code} comes first in {script.name}", told[:1] == [code], str(told))
        devices = [process.get("devices") for process in document["processes"]]
        result.facts[f"devices of {name}"] = str(devices)
        summary = document["summary"]
        result.measured(f"{name}: lost", summary["seconds_lost"] or 0.0, "s")
        if settings.is_cuda:
            waited = summary["gpu_waited"]
            result.check(f"{name}: how long the GPU waited is known", waited is not None)
            result.measured(f"{name}: the GPU waited", waited or 0.0, "s")


def explained(script: Path, device: str, folder: Path) -> dict[str, Any]:
    run = folder / "run"
    command = [sys.executable, "-m", "ca_cli"]
    recorded = subprocess.run(
        [*command, "run", "--quiet", "--no-report", "-o", run, LAUNCHER, device, script],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if recorded.returncode:
        raise RuntimeError(f"{script.name}: {recorded.stderr[-2000:]}")
    done = subprocess.run(
        [*command, "explain-recompiles", run, "--format", "json"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    document: dict[str, Any] = json.loads(done.stdout)
    return document
