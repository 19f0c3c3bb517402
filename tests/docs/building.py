"""Builds the guide as ``make docs`` does."""

from __future__ import annotations

import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

from tests.docs.guide import ROOT

if TYPE_CHECKING:
    from pathlib import Path


def build_guide(folder: Path) -> Path:
    """Build a copy of the guide in ``folder``: where the site goes is a setting and no option."""
    shutil.copy(ROOT / "mkdocs.yml", folder)
    shutil.copytree(ROOT / "docs", folder / "docs")
    done = subprocess.run(
        [sys.executable, "-m", "zensical", "build", "--strict", "--clean"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "build" / "site"
