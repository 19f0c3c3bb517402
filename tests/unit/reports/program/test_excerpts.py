"""The lines around one that a finding names."""

from __future__ import annotations

import pytest

from ca_reports.program.excerpts import stands
from ca_reports.program.stack import Frame

LINES = ["import torch", "@torch.compile", "@once", "async def step(x):", "    return x + 1"]


@pytest.mark.parametrize(
    ("line", "code", "function", "is_there"),
    [
        (5, "return x + 1", "step", True),
        (5, "return x + 2", "step", False),
        (4, "return x + 1", "step", False),
        # Without its code, a line proves itself by its function, behind decorators.
        (2, "", "step", True),
        (4, "", "step", True),
        (4, "", "other", False),
        (5, "", "step", False),
        (5, "", "<lambda>", False),
        (0, "import torch", "", False),
        (6, "return x + 1", "step", False),
    ],
)
def test_a_line_stands_where_the_log_has_it(
    line: int, code: str, function: str, is_there: bool
) -> None:
    assert stands(Frame("train.py", line, function, code), LINES) is is_there
