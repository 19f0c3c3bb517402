"""Patches as a diff."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.unit.reports.output.fixed import TEXT, shown


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_the_diff_is_what_git_applies(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/b.py").write_bytes(TEXT.encode())
    diff = shown("diff")
    subprocess.run(["git", "apply", "-"], cwd=tmp_path, input=diff.encode(), check=True)
    expected = "one\n2\nthree\n\n\n\n\nfour\r\nfive!"
    assert (tmp_path / "a/b.py").read_bytes().decode() == expected
    assert diff.startswith(
        "# CA101 (last-batch): it shrank\n# two is 2\n"
        "# expected to save 2.0 s; --verify measures it\n"
        "# alternative: more; by design, it adds\n--- a/a/b.py\n"
    )
