"""A comparison of two runs as Markdown."""

from __future__ import annotations

import re

from ca_reports.comparison.runs import Outcome
from ca_reports.output import compare_markdown, markdown
from ca_reports.run.model import Run
from tests.unit.reports.output.reported import compared


def test_a_comparison_as_markdown(run: Run) -> None:
    text = compare_markdown.render(Outcome(compared(run)))
    assert len(text) <= markdown.LIMIT
    assert "@everyone" not in re.sub(r"(`+).*?\1", "", text)
