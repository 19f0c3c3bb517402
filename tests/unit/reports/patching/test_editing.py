"""Edits of a call that keep its layout."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.reports.patching.programs import patched, with_loader

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("DataLoader(data, 8)", "DataLoader(data, 8, drop_last=True)"),
        ("DataLoader(data, batch_size=8,)", "DataLoader(data, batch_size=8, drop_last=True,)"),
        (
            "DataLoader(data, drop_last=False, shuffle=True)",
            "DataLoader(data, drop_last=True, shuffle=True)",
        ),
        (
            "DataLoader(\n    data,  # all\n    batch_size=8,  # fits\n)",
            "DataLoader(\n    data,  # all\n    batch_size=8,  # fits\n    drop_last=True,\n)",
        ),
        (
            "DataLoader(\n    data,\n    batch_size=8  # fits\n)",
            "DataLoader(\n    data,\n    batch_size=8,  # fits\n    drop_last=True\n)",
        ),
        (
            "DataLoader(data,\n                    batch_size=8)",
            "DataLoader(data,\n                    batch_size=8, drop_last=True)",
        ),
        (
            'DataLoader("größe, (a)", collate_fn=lambda x: (x, 1))',
            'DataLoader("größe, (a)", collate_fn=lambda x: (x, 1), drop_last=True)',
        ),
    ],
)
def test_the_call_keeps_its_layout(tmp_path: Path, call: str, expected: str) -> None:
    assert patched("CA101", tmp_path, with_loader(call)) == with_loader(expected)
