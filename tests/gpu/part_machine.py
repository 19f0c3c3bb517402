"""What this machine has: versions, devices, driver; and `ca doctor`'s word on it."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

import torch

from ca_engine.compat import versions

if TYPE_CHECKING:
    from tests.gpu.result import Result, Settings


def run(settings: Settings, result: Result) -> None:
    facts = result.facts
    facts["python"] = platform.python_version()
    facts["platform"] = platform.platform()
    facts["processors"] = str(os.cpu_count())
    facts["torch"] = torch.__version__
    facts["cuda of torch"] = str(torch.version.cuda)
    facts |= {package: installed(package) for package in ("triton", "numpy", "pytest")}
    done = subprocess.run(
        [sys.executable, "-m", "ca_cli", "doctor"], capture_output=True, text=True, check=False
    )
    for line in done.stdout.splitlines():
        if line.startswith(("gpu", "driver", "problem")):
            facts[f"doctor: {line[:13].strip()}"] = line[13:]
    said = (done.stdout + done.stderr).strip()
    result.check("ca doctor", done.returncode == 0, said.rpartition("\n")[2])
    supported = versions.is_supported()
    result.check("torch is one that the engine was tested with", supported, torch.__version__)
    if settings.is_cuda:
        result.check("CUDA is available", torch.cuda.is_available())


def installed(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
