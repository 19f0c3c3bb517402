"""Patches as a unified diff, each under comment lines with its finding and effect."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.output.fixes_lines import lines
from ca_reports.words.clean import one_line

if TYPE_CHECKING:
    from ca_reports.patching.result import Fixes


def render(fixes: Fixes) -> str:
    """Return the offered patches; `git apply` and `patch` skip the comment lines."""
    parts: list[str] = []
    for fix in fixes.offered:
        parts += [f"# {one_line(line)}\n" for line in lines(fix)]
        parts.append(fixes.diff(fix))
    return "".join(parts)
