"""Patches and proofs in lines."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ca_reports.fixes.proof import prove
from ca_reports.render.fixes_lines import proof_lines
from tests.unit.reports.fixes.proofs import AFTER, BEFORE, FINDING, SAME


@pytest.mark.parametrize(
    ("before", "after", "longer", "saved"),
    [
        (1.0, 1.6, 0.6, "1 capture, 1 recompile"),
        (1.0, 1.05, None, ""),  # as much as two runs of one program differ
        (0.2, 0.25, None, ""),
        (2.0, 1.0, None, ""),
        (None, 1.0, None, ""),
    ],
)
def test_what_compiles_longer_says_so(
    before: float | None, after: float, longer: float | None, saved: str
) -> None:
    old = replace(BEFORE, seconds_compiling=before)
    proof = prove(FINDING, SAME, 4, old, replace(AFTER, seconds_compiling=after))
    assert proof.longer == (None if longer is None else pytest.approx(longer))
    if longer is not None:
        assert proof.saved == saved
        assert proof_lines(proof)[0].endswith(
            "lost 3.0 s → 0 s; saves 1 capture, 1 recompile, but compiles 0.60 s longer"
        )
    else:
        assert "longer" not in proof_lines(proof)[0]
