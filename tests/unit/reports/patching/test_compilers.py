"""Where a program compiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ca_reports.patching import compilers
from tests.unit.reports.patching.programs import program_of

if TYPE_CHECKING:
    from pathlib import Path

HEAD = "import re\nimport torch\nfrom functools import partial\n"


@pytest.mark.parametrize(
    ("line", "code", "kept"),
    [
        ("net = torch.compile(Net())", "torch.compile(Net())", {"net"}),
        ("self.net: Net = torch.compile(Net())", "torch.compile(Net())", {"net"}),
        ("net.compile()", "net.compile()", {"net"}),
        ("self.net.compile(dynamic=True, **options)",
         "self.net.compile(dynamic=True, **options)", {"net"}),
        ("jit = partial(torch.compile, fullgraph=True)",
         "partial(torch.compile, fullgraph=True)", set()),
        # What gives something back, or takes something else, compiles no module.
        ("words = pattern.compile()", "", set()),
        ("model.compile(optimizer='adam')", "", set()),
        ("re.compile('a')", "", set()),
    ],
)  # fmt: skip
def test_what_compiles_and_what_holds_it(
    tmp_path: Path, line: str, code: str, kept: set[str]
) -> None:
    program = program_of(tmp_path, {"train.py": HEAD + line + "\n"})
    found = [file.code(call) for file, call in compilers.calls(program)]
    assert found == ([code] if code else [])
    assert compilers.compiled_names(program) == kept
