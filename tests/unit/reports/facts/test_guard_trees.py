"""The values that compiles were made for, read from their trees of guards."""

from __future__ import annotations

import ca_reports.facts.guard_trees as module
from ca_reports.facts.guard_trees import GuardTrees
from ca_reports.model import Compile
from ca_reports.stored import StoredText


def compiled(number: int) -> Compile:
    tree = "".join(f"+- EQUALS_MATCH: L['x{one}'] == {number}\n" for one in range(10))
    return Compile(f"{number}/1", 0, None, 1, None, guards=StoredText.pack(tree.encode()))


def test_a_long_job_keeps_few_trees_read() -> None:
    compiles = {found.compile_id: found for found in map(compiled, range(100))}
    trees = GuardTrees(compiles, most=50)
    whole = GuardTrees(compiles)

    for compile_id in [*compiles, *compiles]:
        found, expected = trees.of(compile_id), whole.of(compile_id)
        assert found is not None
        assert expected is not None
        assert found.all == expected.all
        assert sum(len(one.all) for one in trees._read.values()) <= 50

    assert len(whole._read) == 100
    assert module._MOST_VALUES >= 64 * 100  # all compiles of a code with a hundred values each
