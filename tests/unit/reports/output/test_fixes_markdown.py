"""Patches as suggestions in a comment."""

from __future__ import annotations

from tests.unit.reports.output.fixed import shown


def test_markdown_suggests_whole_lines() -> None:
    text = shown("markdown")
    assert "`a/b.py`, line 2:\n\n```suggestion\n2\n```\n" in text
    assert "`a/b.py`, line 9:\n\n```suggestion\nfive!\n```\n" in text
