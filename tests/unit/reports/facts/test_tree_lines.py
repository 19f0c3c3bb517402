"""Guards are found where a line of a tree begins, and not in what a line quotes."""

from __future__ import annotations

import re

from ca_reports.facts.tree_lines import branches

_VALUE = re.compile(r"\+- EQUALS_MATCH: (?P<source>\S+) == (?P<value>\S+)")


def test_a_guard_is_found_behind_the_branches_of_a_line_only() -> None:
    tree = (
        "+- RootGuardManager\n"
        "| | +- EQUALS_MATCH: L['n'] == 1  # f(x, '+- EQUALS_MATCH: L['m'] == 2')\n"
        "+- EQUALS_MATCH: L['k'] == 3\n"
        "code: +- EQUALS_MATCH: L['j'] == 4\n"
    )

    assert [found["source"] for found in branches(_VALUE, tree)] == ["L['n']", "L['k']"]
