"""Lists that a loop fills, and what is read of them after it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ca_reports.patching.collected import appended_to, cut, filled_by
from tests.unit.reports.patching.programs import program_of

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("seen.append(x)", "seen"),
        ("self.seen.append(x)", ""),
        ("seen.append(*x)", ""),
        ("seen.extend(x)", ""),
        ("y = seen.append(x)", ""),
    ],
)
def test_a_line_that_appends(tmp_path: Path, line: str, name: str) -> None:
    file = program_of(tmp_path, {"train.py": f"{line}\n"}).script
    assert appended_to(file, file.tree.body[0]) == name


def test_the_reads_of_a_filled_list_keep_the_turns_that_were_meant(tmp_path: Path) -> None:
    source = (
        "import torch\n\n\ndef run(x, n):\n    path = [x]\n    for _ in range(n):\n"
        "        path.append(x)\n    return torch.stack(path, dim=1), sum(path), len(path)\n"
    )
    file = program_of(tmp_path, {"train.py": source}).script
    (loop,) = file.for_loops

    (found,) = filled_by(file, loop)

    assert (found.name, found.begun) == ("path", 1)
    index = "torch.arange(1 + n, device=path[0].device)"
    assert [one.text for one in cut(file, found, "n", "torch")] == [
        f"torch.stack(path, dim=1).index_select(1, {index})",
        f"torch.stack(path).index_select(0, {index}).sum(0)",
        "(1 + n)",
    ]
