"""CA211: the loop over what comes in another order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.reports.patching.programs import patched, refusal

if TYPE_CHECKING:
    from pathlib import Path

STEP = """\
class Fusion:
    def forward(self, columns, names):
        total = 0
        {loop}
        return total


for step in range(9):
    model(columns).backward()
"""


@pytest.mark.parametrize(
    ("loop", "old", "new"),
    [
        (
            "for name, one in columns.items():\n            total = total + f[name](one)",
            "columns.items()",
            "sorted(columns.items())",
        ),
        (
            "for name in columns.keys():\n            total += f(columns[name])",
            "columns.keys()",
            "sorted(columns.keys())",
        ),
        (
            "total = sum([f(one) for one in columns.values()])",
            "columns.values()",
            "(value for _, value in sorted(columns.items()))",
        ),
        (
            "for name in set(names):\n            total = total + f(columns[name])",
            "set(names)",
            "sorted(set(names))",
        ),
        (
            "drawn = random.sample(names, 3)\n"
            "        total = sum(f(columns[name]) for name in drawn)",
            "for name in drawn)",
            "for name in sorted(drawn))",
        ),
        (
            "for one in sorted(columns, key=float, reverse=True):\n            total = total + one",
            "sorted(columns, key=float, reverse=True)",
            "columns",
        ),
        (
            "total = sum(f(one) for one in {*names})",
            "{*names}",
            "sorted({*names})",
        ),
    ],
)
def test_keys_come_in_one_order(tmp_path: Path, loop: str, old: str, new: str) -> None:
    source = STEP.replace("{loop}", loop)
    assert patched("CA211", tmp_path, source) == source.replace(old, new)


@pytest.mark.parametrize(
    "loop",
    [
        "for name in names:\n            total = total + f(columns[name])",
        "total = sum(columns.values()) + sum(x for x in a.values()) + sum(x for x in b.values())",
    ],
)
def test_an_order_that_is_not_seen_is_left(tmp_path: Path, loop: str) -> None:
    source = STEP.replace("{loop}", loop)
    assert "single loop over a dict or a set" in refusal("CA211", tmp_path, source)
