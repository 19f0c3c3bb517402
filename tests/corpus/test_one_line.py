"""A patch that is of another line than its finding is noticed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from ca_reports.causes.findings import GuardedValue
from ca_reports.patching.patches import Patch, Proposal, Replacement
from tests.corpus import one_line
from tests.unit.reports.patching.programs import finding_of

if TYPE_CHECKING:
    from pathlib import Path

TEXT = """\
def rate_at(step):
    return 0.5 / step

def train():
    for step in range(1, 4):
        rate = rate_at(step)
        scaled(x, rate)
"""
GIVEN = GuardedValue("rate", "rate", "variable", ("0.5", "0.25"))


def proposed(tmp_path: Path, line: int, **fields: object) -> Proposal:
    """The patch of the call in the last line, for a finding at ``line``."""
    finding = finding_of("CA702", tmp_path, ("train.py", line), edits=("tensor_number",))
    at = TEXT.rindex("rate)")
    change = Replacement("train.py", at, at + len("rate"), "torch.tensor(rate)")
    patch = Patch("rate passed as a tensor", (change,), edit="tensor_number")
    known = {"detail": GIVEN, **fields}
    return Proposal(replace(finding, **known), (patch,))  # type: ignore[arg-type]


def test_a_patch_of_another_function_than_the_line_is_noticed(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match=r"CA702 names train.py:2, its patch another"):
        one_line.require(proposed(tmp_path, 2), {"train.py": TEXT})


def test_a_number_is_a_tensor_in_the_call_or_where_its_function_computes_it(tmp_path: Path) -> None:
    for line in (6, 7):
        one_line.require(proposed(tmp_path, line), {"train.py": TEXT})


def test_what_an_object_has_is_set_in_one_line_and_changed_in_another(tmp_path: Path) -> None:
    kept = replace(GIVEN, holder="attribute")
    one_line.require(proposed(tmp_path, 2, detail=kept), {"train.py": TEXT})


def test_an_alternative_is_of_another_line_than_the_sentence(tmp_path: Path) -> None:
    found = proposed(tmp_path, 2)
    (patch,) = found.patches
    rare = replace(found, patches=(replace(patch, edit="eager_rare_calls"),))
    one_line.require(rare, {"train.py": TEXT})
