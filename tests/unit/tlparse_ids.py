"""tlparse as a second reader: which compiles and captures it finds in a log."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest


def tlparse_ids(path: Path, out: Path) -> set[str] | None:
    """The compile ids of tlparse's directory, in our form; None if it fails on the log."""
    tlparse = shutil.which("tlparse", path=str(Path(sys.executable).parent))
    if tlparse is None:
        pytest.skip("tlparse is not installed")
    ran = subprocess.run(
        [tlparse, str(path), "-o", str(out), "--overwrite", "--no-browser"],
        capture_output=True,
        timeout=120,
    )
    listed = out / "compile_directory.json"
    if ran.returncode or not listed.is_file():
        return None
    ids = set()
    for entry in json.loads(listed.read_text()):
        # "[!5/7/0]", with "_1" for its second attempt; "[!5/-/-]" is the capture itself.
        id = re.sub(r"_\d+$", "", entry.strip("[]"))
        if id != "-/-" and not id.startswith("unknown"):
            ids.add(id.removesuffix("/-/-"))
    return ids
