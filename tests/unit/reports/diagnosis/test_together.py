"""Remedies that save nothing without each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.causes.findings import Finding
from ca_reports.causes.remedies import remedy
from ca_reports.causes.rules.ca701_int_value import IntValue
from ca_reports.causes.rules.ca708_tensor_kind import TensorKind
from ca_reports.diagnosis.together import with_those_needed
from ca_reports.run.model import Compile, Frame

if TYPE_CHECKING:
    from typing import Any

    from ca_reports.causes.rules.base import Rule

AGAIN = Compile("0/1", 0, None, 1, None, "")


def _finding(rule: type[Rule], fix: str, line: int, **more: Any) -> Finding:
    return Finding(
        rule.about(),
        "warning",
        message="message",
        remedy=remedy(fix, ("one_kind",)),
        location=Frame("train.py", line, "", ""),
        **{"events": (AGAIN,)} | more,
    )


def test_each_names_the_other() -> None:
    number = _finding(IntValue, "a tensor", 7, saves=0.0, saves_of=(TensorKind.about(),), spared=-1)
    kind = _finding(TensorKind, "one dtype", 9, is_shared=True)

    first, second = with_those_needed([number, kind])

    assert first.fix == "a tensor; it takes the fix of CA708 at train.py:9 as well"
    assert second.fix == "one dtype; it takes the fix of CA701 at train.py:7 as well"
    assert first.remedy.edits == number.remedy.edits


def test_what_saves_something_alone_stands_alone() -> None:
    other = Compile("1/1", 0, None, 2, None, "")
    number = _finding(IntValue, "a tensor", 7)
    kind = _finding(TensorKind, "one dtype", 9, events=(other,))
    expected = _finding(TensorKind, "nothing", 9, is_shared=True, is_note=True)

    found = with_those_needed([number, kind, expected])

    assert found == [number, kind, expected]
