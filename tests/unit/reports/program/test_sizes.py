"""What decides on the size of a dimension."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

from ca_reports.program.origins import Origins
from ca_reports.program.sizes import Sizes
from ca_reports.program.syntax import Site
from tests.unit.reports.program.walked import flow_of

if TYPE_CHECKING:
    from pathlib import Path


def deciding(folder: Path, text: str, dimension: int | None) -> list[str]:
    """The code that decides on a dimension of the argument of `asked(...)`."""
    flow = flow_of(folder, text)
    (call,) = flow.program.calls("asked")
    assert isinstance(call.node, ast.Call)
    found = Sizes(flow, Origins(flow)).of(Site(call.module, call.node.args[0]), dimension)
    return [ast.unparse(one.node) for one in found]


WIDE = "torch.zeros(4, random.randint(2, 9))"
CUT = "data[:, :random.randint(2, 9)]"


@pytest.mark.parametrize(
    ("value", "dimension", "expected"),
    [
        (WIDE, 1, [WIDE]),
        (WIDE, 0, []),
        (f"{WIDE}.relu() * 2", 1, [WIDE]),
        (f"{WIDE}.transpose(0, 1)", 0, [WIDE]),
        (f"{WIDE}.transpose(0, 1)", 1, []),
        ("torch.zeros(3, step).sum(0)", 0, ["torch.zeros(3, step)"]),
        (CUT, 1, [CUT]),
        (CUT, 0, []),
        ("torch.cat([a, b[:step]])", 0, ["b[:step]"]),
        ("b[b > 0]", 0, ["b[b > 0]"]),
    ],
)
def test_it_is_found_through_what_keeps_or_moves_the_dimension(
    tmp_path: Path, value: str, dimension: int, expected: list[str]
) -> None:
    text = f"import random\nimport torch\nfor step in range(9):\n    x = {value}\n    asked(x)\n"
    assert deciding(tmp_path, text, dimension) == expected


def test_a_number_that_another_variable_holds_is_followed(tmp_path: Path) -> None:
    text = (
        "import random\nimport torch\nfor step in range(9):\n    n = random.randint(2, 9)\n"
        "    x = torch.zeros(4, n)\n    asked(x)\n"
    )
    assert deciding(tmp_path, text, 1) == ["torch.zeros(4, n)"]
    assert deciding(tmp_path, text, 0) == []
