"""A stance around a call."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ca_engine.guards import Guard
from tests.unit.reports.fixes.passed import proposed

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("run", "words"),
    [
        ("def run(rows):\n    return score(rows, 2)\n\n\nanswer = torch.compile(run)\n", "itself"),
        ("@torch.compile\ndef run(rows):\n    return score(rows, 2)\n", "itself"),
        ("made = [score(rows, 2) for rows in data()]\n", "several times in one line"),
    ],
)
def test_no_stance_is_set_in_what_is_compiled_or_for_a_part_of_a_line(
    tmp_path: Path, run: str, words: str
) -> None:
    source = f"import torch\nfrom model import score\n\n\n{run}"
    guard = Guard("rank", "rank", "0/0", expected="2", actual="1")
    sites = ["score(rows, 2)"] * 2
    proposal, _ = proposed(tmp_path, {"train.py": source}, "CA710", "rows", sites, guard)
    assert words in proposal.refusal
