"""Finds guards in the trees of guards that torch's logs hold (``dynamo_cpp_guards_str``)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_DEEPEST = 2_000  # characters


def branches(pattern: re.Pattern[str], tree: str) -> Iterator[re.Match[str]]:
    """Find the pattern where a line of the tree begins, after its branches."""
    for found in pattern.finditer(tree):
        begin = tree.rfind("\n", max(0, found.start() - _DEEPEST), found.start()) + 1
        if not tree[begin : found.start()].strip("| "):
            yield found
