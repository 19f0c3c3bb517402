"""The line that makes a blank tensor of another size each time (CA102 under dynamic=False)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ca_reports.causes.findings import Subject
from tests.unit.reports.causes.located.test_located import located, project

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.causes.findings import Finding

BEGIN = """# file: train.py
import torch

{made}

@torch.compile(dynamic=False)
def step(x, rows):  # compiled
    return x + rows.sum()

def read(words):
    {call}
    for word in words:
        x = step(torch.tensor(1.0), {given})  # step
    return x

def main():
    for words in texts():
        read(words)  # main

main()
"""
STORE = """class Store:
    def __init__(self, length, width):
        self.rows = torch.zeros(1, length, width)
"""
BLANK = """def blank(count):
    return torch.full((1, count, 4), -1.0)
"""


def found(tmp_path: Path, made: str, call: str, given: str) -> Finding:
    files = project(tmp_path, BEGIN.format(made=made, call=call, given=given))
    return located(
        files, tmp_path, "CA102", key="rows 1", fix="as it was",
        reason="0/0: tensor 'rows' size mismatch at index 1. expected 5, actual 8",
        subject=Subject("rows", (1,), (5, 8), size_kind="turned_off"),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("made", "call", "given"),
    [
        (STORE, "store = Store(len(words) + 2, 4)", "store.rows"),
        (BLANK, "rows = blank(len(words))", "rows"),
    ],
)
def test_the_call_that_says_how_large_is_named(
    tmp_path: Path, made: str, call: str, given: str
) -> None:
    finding = found(tmp_path, made, call, given)
    assert finding.location is not None
    assert finding.location.code == call
    assert finding.fix.startswith("make `rows` of one size here (at least 8)")
    assert finding.fix.endswith("; or as it was")


@pytest.mark.parametrize(
    ("made", "call", "given"),
    [
        (STORE, "store = Store(9, len(words))", "store.rows"),  # the other dimension
        (STORE, "store = Store(9, 4)", "store.rows"),
        ("", "rows = torch.zeros(1, len(words), 4)", "rows"),  # what a warm-up makes itself
        ("", "rows = torch.randn(1, len(words), 4)", "rows"),
    ],
)
def test_what_turns_dynamic_sizes_off_is_named_else(
    tmp_path: Path, made: str, call: str, given: str
) -> None:
    finding = found(tmp_path, made, call, given)
    assert finding.location is not None
    assert "dynamic=False" in finding.location.code
    assert finding.fix == "as it was"
