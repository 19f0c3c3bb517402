"""CA112: settings are put back by what changes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ca_reports.causes.findings import SharedSetting
from tests.unit.reports.patching.programs import patched, refusal

if TYPE_CHECKING:
    from pathlib import Path

DTYPE = SharedSetting(("default_dtype",))
EXACT = """\
import torch


def exact(x):
    \"\"\"Sum it up.\"\"\"
    torch.set_default_dtype(torch.float64)  # exact
    # As a list.
    {line}
    return values.sum()


for step in range(9):
    if step % 2:
        exact(x)
    model(x)
"""


def test_a_function_puts_the_setting_back(tmp_path: Path) -> None:
    source = EXACT.format(line="values = torch.tensor(x)")
    expected = source.replace(
        "    torch.set_default", "    before = torch.get_default_dtype()\n    torch.set_default"
    ).replace(
        "    # As a list.\n    values = torch.tensor(x)\n    return values.sum()\n",
        "    # As a list.\n    try:\n"
        "        values = torch.tensor(x)\n        return values.sum()\n"
        "    finally:\n        torch.set_default_dtype(before)\n",
    )
    changed = patched("CA112", tmp_path, source, "# exact", detail=DTYPE, events=())
    assert changed == expected


@pytest.mark.parametrize(
    "line", ["before = x", "values = x\n    torch.set_default_dtype(torch.float32)"]
)
def test_what_it_cannot_put_back_it_leaves(tmp_path: Path, line: str) -> None:
    words = refusal("CA112", tmp_path, EXACT.format(line=line), "# exact", detail=DTYPE)
    assert "default_dtype is torch.float64" in words or "differs between steps" in words


def test_an_exit_puts_it_back_in_any_case(tmp_path: Path) -> None:
    source = """\
import torch


class Exact:
    def __enter__(self):
        self.before = torch.get_default_dtype()
        torch.set_default_dtype(torch.float64)

    def __exit__(self, kind, error, trace):
        if kind is not None:
            torch.set_default_dtype(self.before)
"""
    changed = patched("CA112", tmp_path, source, "if kind", detail=DTYPE)
    assert changed.endswith("error, trace):\n        torch.set_default_dtype(self.before)\n")


def test_a_function_that_makes_the_call_itself_is_left(tmp_path: Path) -> None:
    source = EXACT.format(line="values = model(x)")
    words = refusal("CA112", tmp_path, source, "# exact", detail=DTYPE)
    assert "default_dtype is torch.float64" in words
