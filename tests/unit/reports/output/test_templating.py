"""How text gets into a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.output import templating

if TYPE_CHECKING:
    from pathlib import Path


def test_backticks_become_code_and_nothing_else(tmp_path: Path) -> None:
    assert templating.ticks("call `f(<x>)` & go") == "call <code>f(&lt;x&gt;)</code> &amp; go"
    assert templating.ticks("a lone ` stays") == "a lone ` stays"
