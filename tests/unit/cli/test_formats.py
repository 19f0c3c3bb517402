"""The formats that a command offers."""

from __future__ import annotations

import subprocess
import sys

import pytest

from ca_cli import formats as cli
from ca_cli.errors import UsageError


def test_an_unknown_format_is_answered_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match=r"--format: 'csv' is not one of html, perfetto"):
        cli.find("csv", "page")


def test_listing_the_formats_imports_no_renderer_of_a_comparison() -> None:
    # In a process of its own: other tests have imported everything.
    code = (
        "import sys\n"
        "from ca_reports.output import formats\n"
        "assert formats.offered('analysis')\n"
        "print(*(name for name in sys.modules if 'comparison' in name or 'compare_' in name))"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert found.stdout.strip() == ""
