"""A file that ruff has formatted stays formatted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.unit.reports.patching.programs import HEATED, patched

if TYPE_CHECKING:
    from pathlib import Path

LOADER = """\
from torch.utils.data import DataLoader

loader = DataLoader(dataset, batch_size=batch_size, shuffle=True, num_workers=8)
for inputs in loader:
    model(inputs).sum().backward()
"""


def test_a_line_that_grows_too_long_is_broken(tmp_path: Path) -> None:
    changed = patched("CA101", tmp_path, LOADER)
    assert (
        "    dataset, batch_size=batch_size, shuffle=True, num_workers=8, drop_last=True\n)"
        in changed
    )
    (tmp_path / "ruff.toml").write_text("line-length = 100\n")
    assert "num_workers=8, drop_last=True)" in patched("CA101", tmp_path, LOADER)


def test_an_expression_of_several_lines_is_laid_out_anew(tmp_path: Path) -> None:
    value = (
        "heat_at_the_start + fraction * (\n"
        "            heat_at_the_end_of_the_schedule - heat_at_its_start\n        )"
    )
    source = HEATED.format(value=value, result="x / self.heat")
    changed = patched("CA704", tmp_path, source, "self.heat =", key="self.heat")
    assert (
        "        self.heat = torch.tensor(\n"
        "            heat_at_the_start\n"
        "            + fraction * (heat_at_the_end_of_the_schedule - heat_at_its_start)\n"
        "        )\n"
    ) in changed


def test_a_file_of_another_style_keeps_it(tmp_path: Path) -> None:
    source = LOADER.replace("for inputs", "x = {'a':1}\nfor inputs")
    assert "num_workers=8, drop_last=True)" in patched("CA101", tmp_path, source)
