"""The wheel holds all that a report is made of: templates, the built script and style."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.unit.logwriter import sample_run

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if importlib.util.find_spec("hatchling") is None:
        pytest.skip("hatchling is not installed: pip install -e '.[dev]'")
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT, check=True, capture_output=True,
    )  # fmt: skip
    (built,) = folder.glob("*.whl")
    return built


def test_the_wheel_has_what_was_built_and_nothing_of_the_tools(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {"ca_reports/web/built/report.js", "ca_reports/web/built/report.css"} <= names
    templates = ROOT / "reports" / "ca_reports" / "output" / "templates"
    assert {f"ca_reports/output/templates/{path.name}" for path in templates.glob("*.j2")} <= names
    assert not any(
        "__pycache__" in name or "node_modules" in name or name.startswith("tests/")
        for name in names
    )
    assert wheel.stat().st_size < 2_000_000


def test_a_report_is_written_without_the_sources(wheel: Path, tmp_path: Path) -> None:
    installed = tmp_path / "installed"
    zipfile.ZipFile(wheel).extractall(installed)
    log = sample_run().write(tmp_path / "trace.log")
    # Without `site` no .pth file is read, so that the sources are not on the path.
    path = os.pathsep.join([str(installed), sysconfig.get_path("purelib")])
    command = [sys.executable, "-S", "-m", "ca_cli"]
    options: dict[str, Any] = {
        "cwd": tmp_path,
        "env": {**os.environ, "PYTHONPATH": path},
        "check": True,
    }
    where = subprocess.run(
        [*command[:2], "-c", "import ca_reports; print(ca_reports.__file__)"],
        capture_output=True, text=True, **options,
    )  # fmt: skip
    assert str(installed) in where.stdout
    subprocess.run([*command, "report", str(log), "-o", "page.html"], **options)
    page = (tmp_path / "page.html").read_text("utf-8")
    assert "Lost 21.9 s of the 40.0 s it ran (55%)" in page
    assert "built by build.mjs" in page
