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


OF_MODULE = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, count):
        self.register_buffer("place", torch.arange(8), persistent=False)
        self.scale = nn.Parameter(torch.ones(1))
        self.table = torch.ones(3)
        self.either = torch.ones(3)
        self.either = count
        self.typed: float = count
        self.pair, _ = count, torch.ones(3)

    def later(self):
        self.typed = torch.ones(3)
        self.pair = torch.ones(3)

    def forward(self, x):
        seen = {expression}
"""


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("place", True),
        ("scale", True),
        ("table", True),
        ("either", False),
        ("other", False),
        ("typed", False),
        ("pair", False),
    ],
)
@pytest.mark.parametrize("receiver", ["self", "net"])
def test_what_a_module_registers_is_a_tensor(name: str, expected: bool, receiver: str) -> None:
    text = OF_MODULE.format(expression=f"self.{name}").replace("self", receiver)
    module = Module("net.py", text, ast.parse(text))
    read = next(
        node
        for node in module.nodes
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Load)
        and node.attr == name
        and node.lineno > 19
    )
    assert is_tensor(module, read) is expected


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
