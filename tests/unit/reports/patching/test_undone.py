"""Patches of one run that undo each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ca_reports.patching.patches import Patch, Proposal, Replacement
from ca_reports.patching.propose import choose
from ca_reports.patching.undone import undone
from tests.unit.reports.patching.programs import finding_of, program_of

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = """\
for part in parts:
    out = run(part, weights)
    log(weights)
"""
CALL = SOURCE.index("    out")


def replaced(old: str, new: str) -> Patch:
    at = SOURCE.index(old)
    return Patch(new, (Replacement("moe.py", at, at + len(old), new),))


MARKED = Patch(
    "mark_unbacked(part, 0)",
    (Replacement("moe.py", CALL, CALL, "    mark_unbacked(part, 0)\n"),),
    marks=(("moe.py", "part"),),
)
COPIED = replaced("run(part", "run(part.clone()")
BOUND = Patch("pad", (Replacement("moe.py", CALL, CALL, "    part = pad(part)\n"),))


@pytest.mark.parametrize("patch", [COPIED, BOUND])
def test_a_copy_loses_what_is_marked(patch: Patch) -> None:
    texts = {"moe.py": SOURCE}
    assert "than the one that is marked: mark_unbacked(part, 0)" in undone(texts, [MARKED], patch)
    assert undone(texts, [patch], MARKED).endswith(f"it marks: {patch.what}")


@pytest.mark.parametrize(
    "patch",
    [
        replaced("run(part, weights)", "run(part, weights.clone())"),
        replaced("log(weights)", "log(weights.detach())"),
        MARKED,
    ],
)
def test_what_leaves_that_tensor_in_its_call_does_not(patch: Patch) -> None:
    assert undone({"moe.py": SOURCE}, [MARKED], patch) == ""


def test_of_two_patches_that_undo_each_other_the_first_is_offered(tmp_path: Path) -> None:
    program = program_of(tmp_path, {"moe.py": SOURCE})
    findings = [finding_of(code, tmp_path, ("moe.py", 2)) for code in ("CA103", "CA111")]
    proposals = [
        Proposal(finding, (patch,))
        for finding, patch in zip(findings, (MARKED, COPIED), strict=True)
    ]

    chosen = choose(proposals, program)

    assert [one.patch for one in chosen.offered] == [MARKED]
    (refused,) = chosen.refused
    assert (refused.finding.code, refused.patches) == ("CA111", ())
    assert refused.refusal.startswith("it would pass another tensor")
