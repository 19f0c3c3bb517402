"""Targets of assignments with what each gets."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

from ca_reports.patching import assignments
from tests.unit.reports.patching.programs import program_of

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("a = b = 1", {"a": "1", "b": "1"}),
        ("a, (b, c) = 1, (2, 3)", {"a": "1", "b": "2", "c": "3"}),
        ("[a, b] = 1, 2", {"a": "1", "b": "2"}),
        ("a: int | None = None", {"a": "None"}),
        ("a: int", {}),
        ("a += 1", {}),
        ("a, b = made()", {}),
        ("a, *b = 1, 2", {}),
    ],
)
def test_each_target_is_given_its_own_value(
    tmp_path: Path, line: str, expected: dict[str, str]
) -> None:
    file = program_of(tmp_path, {"train.py": f"{line}\n"}).script
    found = {
        name.id: file.code(value)
        for name in file.all(ast.Name)
        if (value := assignments.given(file, name)) is not None
    }
    assert found == expected


def test_what_is_changed_in_place_is_assigned_as_well(tmp_path: Path) -> None:
    file = program_of(tmp_path, {"train.py": "a = 1\na += 2\nb: int\n"}).script
    found = list(assignments.assigned(file))
    assert [one.is_in_place for one in found] == [False, True, False]
    assert [one.value is None for one in found] == [False, False, True]
