"""Which expressions of a source are tensors, by what is written there."""

from __future__ import annotations

import ast

import pytest

from ca_reports.program.syntax import Module
from ca_reports.program.tensors import is_tensor

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
def test_a_tensor_is_what_the_source_shows_as_one(expression: str, expected: bool) -> None:
    text = SOURCE.format(expression=expression)
    module = Module("train.py", text, ast.parse(text))
    (last,) = module.assigned_to["seen"]
    assert is_tensor(module, last) is expected
