"""The name of torch, and the import that it needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ca_reports.patching.imports import torch
from ca_reports.patching.patches import Patch, RefusedError, applied
from tests.unit.reports.patching.programs import program_of

if TYPE_CHECKING:
    from pathlib import Path


def imported(folder: Path, source: str) -> tuple[str, str]:
    """The name at the last statement of a file, and the file with what it needs."""
    program = program_of(folder, {"train.py": source})
    (file,) = program.files.values()
    name, needed = torch(file, file.tree.body[-1])
    return name, applied({"train.py": file.text}, [Patch("", needed)]).get("train.py", file.text)


@pytest.mark.parametrize(
    ("source", "name"),
    [("import torch\nf()\n", "torch"), ("import torch as t\nf()\n", "t")],
)
def test_what_is_imported_stays(tmp_path: Path, source: str, name: str) -> None:
    assert imported(tmp_path, source) == (name, source)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "import os\n\nfrom torch import nn\nfrom torch.optim import SGD\nf()\n",
            "import os\n\nimport torch\nfrom torch import nn\nfrom torch.optim import SGD\nf()\n",
        ),
        (
            "from a import b\nfrom torch import nn\nf()\n",
            "import torch\nfrom a import b\nfrom torch import nn\nf()\n",
        ),
        (
            "import os\n\nimport torch.nn as nn\nfrom torch.optim import SGD\nf()\n",
            "import os\n\nimport torch\nimport torch.nn as nn\nfrom torch.optim import SGD\nf()\n",
        ),
        ("import os\nf()\n", "import os\n\nimport torch\nf()\n"),
        ('"""Trains."""\nf()\n', '"""Trains."""\n\nimport torch\nf()\n'),
        ("x = 1\nf()\n", "import torch\n\nx = 1\nf()\n"),
    ],
)
def test_it_is_imported_where_sorted_imports_have_it(
    tmp_path: Path, source: str, expected: str
) -> None:
    assert imported(tmp_path, source) == ("torch", expected)


def test_a_name_that_is_taken_is_no_torch(tmp_path: Path) -> None:
    with pytest.raises(RefusedError):
        imported(tmp_path, "torch = 3\nf()\n")
