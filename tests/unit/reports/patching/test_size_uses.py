"""Where compiled code needs a size as a number, in itself and in what it calls."""

from __future__ import annotations

from textwrap import indent
from typing import TYPE_CHECKING

import pytest

from ca_reports.patching import size_uses
from ca_reports.patching.sites import CompiledSite
from tests.unit.reports.patching.programs import program_of

if TYPE_CHECKING:
    from pathlib import Path


def decided(folder: Path, body: str, more: str = "") -> str:
    source = f"def used(x, n):\n{indent(body, '    ')}\n{more}"
    program = program_of(folder, {"train.py": source})
    (file,) = program.files.values()
    (function,) = (one for one in file.definitions if one.name == "used")
    return size_uses.decided_at(CompiledSite(file, function, ()), program)


@pytest.mark.parametrize(
    "line",
    [
        "return n[: x.shape[0]]",
        "return n[0 : n.filled + x.size(1)]",
        "return x if x.shape[0] > 1 else n",
        "return sum(x[i] for i in range(len(x)))",
        "assert x.numel()",
        "if x.size(0) == 1: return n",
        "return n(x, is_causal=x.size(1) > 1)",
    ],
)
def test_what_needs_the_number(tmp_path: Path, line: str) -> None:
    assert decided(tmp_path, line) == "train.py:2"
    rows = line.replace("x.shape[0]", "rows").replace("x.size(1)", "rows")
    assert decided(tmp_path, f"rows, _ = x.shape\n{rows}") == "train.py:3"


@pytest.mark.parametrize(
    "line",
    [
        "return x.view(x.shape[0], -1) / x.size(1)",
        "return n[:4] if n else x",
        "return x[n]",
        "return (n.arange(3) < x.shape[0]) & n",
    ],
)
def test_what_takes_a_symbol(tmp_path: Path, line: str) -> None:
    assert decided(tmp_path, line) == ""


def test_what_it_calls_is_looked_at(tmp_path: Path) -> None:
    more = "\ndef helper(x):\n    return x[: x.shape[0] // 2]\n"
    assert decided(tmp_path, "return helper(x)", more) == "train.py:5"
    more = "\nclass Net:\n    def forward(self, x):\n        return x[: len(x) - 1]\n"
    assert decided(tmp_path, "return n.net(x)", more) == "train.py:6"
    assert decided(tmp_path, "return sum(x)", more) == ""
