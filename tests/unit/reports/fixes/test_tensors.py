"""Which expressions of a source are tensors, by what is written there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst
import pytest

from ca_reports.fixes.tensors import is_tensor
from tests.unit.reports.fixes.programs import program_of

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = """\
import torch


def forward(x, count):
    rank = torch.arange(4)
    back = rank[:, None] - rank
    back += 1
    either = torch.ones(3) if count else 3
    copied = torch.ones(3)
    copied = count
    seen = {expression}
"""


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("back", True),
        ("back.sum(0) / count", True),
        ("x.argsort(-1)", True),
        ("torch.nn.functional.relu(x).mT", True),
        ("-rank < count", True),
        ("x", False),
        ("x.sum()", False),
        ("either", False),
        ("copied", False),
        ("rank.size(0)", False),
        ("rank.sum().item()", False),
        ("torch.is_tensor(x)", False),
        ("torch.cuda.device_count()", False),
        ("not rank", False),
        ("rank.shape", False),
    ],
)
def test_a_tensor_is_what_the_source_shows_as_one(
    tmp_path: Path, expression: str, expected: bool
) -> None:
    program = program_of(tmp_path, {"train.py": SOURCE.format(expression=expression)})
    file = program.script
    last = file.all(cst.Assign)[-1]
    assert is_tensor(file, last.value) is expected
