"""The engine's own tests with their tensors on the device."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from tests.gpu.result import LeftOutError

if TYPE_CHECKING:
    from tests.gpu.result import Result, Settings

ROOT = Path(__file__).resolve().parents[2]
ALL = (
    "tests/engine/test_operators_against_torch.py",
    "tests/engine/test_against_torch.py",
    "tests/engine/test_functions_against_torch.py",
    "tests/engine/test_aot_regions_against_torch.py",
    "tests/engine/test_regions_and_hooks_against_torch.py",
    "tests/engine/lowering/test_direct.py",
    "tests/engine/lowering/test_level1.py",
    "tests/engine/lowering/test_level2.py",
    "tests/engine/lowering/test_guards.py",
    "tests/engine/lowering/test_assemble.py",
    "tests/engine/lowering/test_more_programs.py",
)
FEW = ALL[:1]
# Processes at a time, where pytest-xdist is installed and there are cores for them.
BESIDE = 4
# Enough to see that the tests take the device.
ON_CPU = "softmax or matmul or embedding"


def run(settings: Settings, result: Result) -> None:
    try:
        import hypothesis  # noqa: F401
        import pytest  # noqa: F401
    except ImportError as error:
        raise LeftOutError(f"{error}; pip install '.[dev]'") from None
    files = FEW if settings.is_small else ALL
    chosen = [] if settings.is_cuda else ["-k", ON_CPU]
    if settings.is_cuda and find_spec("xdist") and (os.cpu_count() or 1) >= 2 * BESIDE:
        chosen = ["-n", str(BESIDE)]
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "junit.xml"
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not long",
             f"--junit-xml={report}", *files, *chosen],
            cwd=ROOT, env={**os.environ, "CA_TEST_DEVICE": settings.device},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if not report.exists():
            raise RuntimeError((done.stdout + done.stderr)[-2000:])
        cases = list(ElementTree.parse(report).iter("testcase"))
    failed = [case for case in cases if case.find("failure") is not None
              or case.find("error") is not None]  # fmt: skip
    skipped = [case for case in cases if case.find("skipped") is not None]
    result.facts["tests"] = f"{len(cases)}, of which {len(skipped)} skipped"
    result.check("all pass", bool(cases) and not failed, f"{len(failed)} of {len(cases)} failed")
    for case in failed:
        found = case.find("failure")
        message = found.get("message", "") if found is not None else "error"
        result.check(str(case.get("name")), False, message[:300])
