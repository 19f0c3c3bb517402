"""CA712: padding without a branch on the size."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.reports.patching.programs import patched, refusal

if TYPE_CHECKING:
    from pathlib import Path

FORWARD = """\
def forward(self, x):
    missing = -x.shape[1] % 8
{branch}
    return x.view(len(x), -1, 8)
"""


@pytest.mark.parametrize(
    ("branch", "expected"),
    [
        (
            "    if missing:\n        x = functional.pad(x, (0, 0, 0, missing))",
            "    x = functional.pad(x, (0, 0, 0, missing))",
        ),
        (
            "    if missing > 0:\n        x = torch.nn.functional.pad(\n"
            "            x,\n            (0, missing),\n        )",
            "    x = torch.nn.functional.pad(\n        x,\n        (0, missing),\n    )",
        ),
        (
            "    if missing != 0:\n        padded = F.pad(x, [0, missing], value=-1.0)",
            "    padded = F.pad(x, [0, missing], value=-1.0)",
        ),
        (
            "    if x.shape[1] % 2:\n        x = F.pad(x, (0, 1))",
            "    x = F.pad(x, (0, x.shape[1] % 2))",
        ),
        (
            "    if x.size(1) % 2 != 0:\n        x = F.pad(x, (0, 0, 0, 1), 'constant')",
            "    x = F.pad(x, (0, 0, 0, x.size(1) % 2), 'constant')",
        ),
        (  # nothing where it fits: `8 - 16 % 8` would be 8
            "    if points % size != 0:\n        x = F.pad(x, (0, 0, 0, size - points % size))",
            "    x = F.pad(x, (0, 0, 0, -points % size))",
        ),
        (
            "    if tall or wide > 0:\n        x = F.pad(x, (0, wide, 0, tall))",
            "    x = F.pad(x, (0, wide, 0, tall))",
        ),
        (
            "    if n % 8 or m % 4 != 0:\n        x = F.pad(x, (0, 4 - m % 4, 0, 8 - n % 8))",
            "    x = F.pad(x, (0, -m % 4, 0, -n % 8))",
        ),
        (
            "    rest = n % GROUP\n    if rest:\n        x = F.pad(x, (0, 0, 0, GROUP - rest))",
            "    rest = n % GROUP\n    x = F.pad(x, (0, 0, 0, -rest % GROUP))",
        ),
        (
            "    if (a + b) % 8:\n        x = F.pad(x, (0, 8 - (a + b) % 8))",
            "    x = F.pad(x, (0, -(a + b) % 8))",
        ),
    ],
)
def test_what_fits_is_padded_by_nothing(tmp_path: Path, branch: str, expected: str) -> None:
    changed = patched("CA712", tmp_path, FORWARD.format(branch=branch), "    if ")
    assert changed == FORWARD.format(branch=expected)


@pytest.mark.parametrize(
    ("branch", "words"),
    [
        ("    if missing:\n        x = trim(x)", "does more than pad"),
        ("    if missing:\n        x = F.pad(x, (0, 1))\n    else:\n        y = 1", "does more"),
        ("    if x.shape[1] % 4:\n        x = F.pad(x, (0, 1))", "does not add what it tests"),
        ("    if missing < 0:\n        x = F.pad(x, (0, missing))", "does not add what it tests"),
    ],
)
def test_another_branch_is_left(tmp_path: Path, branch: str, words: str) -> None:
    assert words in refusal("CA712", tmp_path, FORWARD.format(branch=branch), "    if ")
