"""A copy is no remedy for a tensor that the function writes to: the copy would get that."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ca_engine.guards import Guard
from ca_reports.causes.findings import BakedIndex
from tests.unit.reports.patching import passed
from tests.unit.reports.patching.passed import DTYPE, proposed
from tests.unit.reports.patching.programs import patched, refusal
from tests.unit.reports.patching.test_calls import LAZY, REACHED

if TYPE_CHECKING:
    from pathlib import Path

KIND = Guard("type", "type", "0/0", expected="Parameter", actual="Tensor")


def test_two_names_of_one_tensor_stay_one_where_that_is_written_to(tmp_path: Path) -> None:
    source = """\
import torch


def step(x, old, reset):
    target = torch.zeros(3)
    if reset:
        target = x
    target += 1
    return cell(x, target)
"""
    assert "writes to" in refusal("CA714", tmp_path, source, "target = x")
    read = source.replace("    target += 1\n", "")
    assert "x.clone()" in patched("CA714", tmp_path, read, "target = x")


def test_one_tensor_of_two_names_stays_one_where_that_is_written_to(tmp_path: Path) -> None:
    source = """\
import torch


def begin(rows):
    h = c = torch.zeros(rows, 4)
    h[0] = 1
    return h, c


state = cell(x, begin(3))
"""
    assert "writes to" in refusal("CA212", tmp_path, source, "state =")


@pytest.mark.parametrize(
    "line",
    ["x[i] = loss", "x[i] += loss", "x[i].add_(loss)", "x[i].view(-1)[0].zero_()", "del x[i]"],
)
def test_an_index_that_is_written_to_stays(tmp_path: Path, line: str) -> None:
    source = f"import torch\n\n\ndef step(x, i, loss):\n    {line}\n"
    words = "a single index there that is a variable"
    assert words in refusal("CA104", tmp_path, source, line, detail=BakedIndex("index"))
    window = source.replace("x[i]", "x[i : i + 3]")
    line = line.replace("x[i]", "x[i : i + 3]")
    assert "a single slice there that moves" in refusal(
        "CA104", tmp_path, window, line, detail=BakedIndex("slice")
    )


TOTAL = """\
from torch import nn


class Net(nn.Module):
    def forward(self, x, scale=1.0):
        x.add_(scale)
        return x.sum()
"""


@pytest.mark.parametrize(("code", "guard"), [("CA708", DTYPE), ("CA708", LAZY), ("CA111", DTYPE)])
def test_what_a_compiled_function_writes_to_is_not_copied_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, guard: Guard
) -> None:
    source, sites = REACHED["variable"]
    files = {"train.py": source.format("")}
    read, changed = proposed(tmp_path / "read", files, code, "x", sites, guard)
    assert changed, read.refusal
    monkeypatch.setattr(passed, "MODEL", TOTAL)
    written, changed = proposed(tmp_path / "written", files, code, "x", sites, guard)
    assert not changed
    assert written.refusal == "model.py:6 writes to x: a copy would get that"


def test_a_parameter_that_is_written_to_is_not_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, sites = REACHED["variable"]
    files = {"train.py": source.format("")}
    _, changed = proposed(tmp_path / "read", files, "CA707", "x", sites, KIND)
    assert "net(x.clone())" in changed["train.py"]
    monkeypatch.setattr(passed, "MODEL", TOTAL)
    _, changed = proposed(tmp_path / "written", files, "CA707", "x", sites, KIND)
    assert "clone" not in changed["train.py"]
