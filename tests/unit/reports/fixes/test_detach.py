"""CA204: where `.detach()` goes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.reports.fixes.programs import patched, refusal

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """\
import torch
{first}
for step in range(9):
    loss = model(x)
    {carry}  # carried
    (loss + total).backward()
"""
ZEROS = "total = torch.zeros(())"


@pytest.mark.parametrize(
    ("carry", "detached"),
    [
        ("total = total + loss", "total = total.detach() + loss"),
        (
            "total = 0.9 * total + f(total=total)",
            "total = 0.9 * total.detach() + f(total=total.detach())",
        ),
        (
            "total = (\n        total\n        + loss\n    )",
            "total = (\n        total.detach()\n        + loss\n    )",
        ),
        ("total = cell(loss, total)", "total = cell(loss, total.detach())"),
    ],
)
def test_what_is_read_of_the_step_before(tmp_path: Path, carry: str, detached: str) -> None:
    changed = patched("CA204", tmp_path, PROGRAM.format(first=ZEROS, carry=carry), "# carried")
    assert changed == PROGRAM.format(first=ZEROS, carry=detached)


@pytest.mark.parametrize(
    ("first", "carry", "words"),
    [
        ("total = 0.0", "total = total + loss", "always a tensor"),
        ("total = None", "total = cell(loss, total)", "always a tensor"),
        ("total = start()", "total = total + loss", "always a tensor"),
        (f"{ZEROS}\ntotal = [total]", "total = total + loss", "always a tensor"),
        (ZEROS, "total = loss", "does not read the total"),
        (ZEROS, "total = total.detach() + loss", "does not read the total"),
        ("", "self.total = self.total + loss", "not a plain variable"),
        (ZEROS, "total, other = total + loss, 1", "not a plain variable"),
        (ZEROS, "total += loss", "not known"),
    ],
)
def test_what_may_be_no_tensor_is_left(tmp_path: Path, first: str, carry: str, words: str) -> None:
    source = PROGRAM.format(first=first, carry=carry)
    assert words in refusal("CA204", tmp_path, source, "# carried")
