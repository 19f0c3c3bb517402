"""CA615: a tensor is set to a new one where a compiled forward changed it in place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.reports.patching.programs import patched, refusal

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = """\
import torch


class Scaled(torch.nn.Module):
    def forward(self, x):
        {line}  # here
        return x * self.scale
"""


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("self.calls += 1", "self.calls = self.calls + 1"),
        ("self.scale *= 0.9 + x.mean()", "self.scale = self.scale * (0.9 + x.mean())"),
        ("self.block.calls -= x.mean()", "self.block.calls = self.block.calls - x.mean()"),
        ("self.calls //= (2)", "self.calls = self.calls // (2)"),
    ],
)
def test_a_change_in_place_becomes_a_new_tensor(tmp_path: Path, line: str, expected: str) -> None:
    changed = patched("CA615", tmp_path, SOURCE.format(line=line), "# here")
    assert changed == SOURCE.format(line=expected)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("self.scale.mul_(0.9)", "otherwise than by `+=` of an attribute"),
        ("x += 1", "otherwise than by `+=` of an attribute"),
        ("self.scale[0] += 1", "otherwise than by `+=` of an attribute"),
        ("self.own().calls += 1", "is worked out by a call"),
    ],
)
def test_other_changes_are_refused(tmp_path: Path, line: str, reason: str) -> None:
    assert reason in refusal("CA615", tmp_path, SOURCE.format(line=line), "# here")
