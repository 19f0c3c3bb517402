"""The name of torch, and the import that it needs."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

from ca_reports.patching.imports import torch
from ca_reports.patching.patches import Patch, RefusedError, applied
from ca_reports.patching.program import EditableProgram
from ca_reports.program.files import RecordedSource, SourceFiles, digest_of
from ca_reports.run.cells import Cell
from ca_reports.run.model import Compile, Frame, Process, Run
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


def notebook(folder: Path, *texts: str) -> EditableProgram:
    """The program of these cells, of which the last compiled something."""
    cells = [
        Cell(f"/tmp/{number}.py", f"In[{number}]", text) for number, text in enumerate(texts, 1)
    ]
    stack = (Frame(cells[-1].name, 1, "<module>", ""),)
    compiled = Compile("0/0", 0, None, None, None, stack=stack)
    process = Process(
        0, "log", None, None, 0, compiles=(compiled,), cells=tuple(cells), cwd=str(folder)
    )
    source = {cell.name: RecordedSource(digest_of(cell.text), cell.text) for cell in cells}
    run = Run((), (), (process,), source=source)
    return EditableProgram(run, SourceFiles.of(run))


def test_a_cell_has_the_imports_of_the_other_cells(tmp_path: Path) -> None:
    program = notebook(
        tmp_path, "import torch\nfrom torch import nn as N\n", "f(torch.ones(3), N)\n"
    )
    file = program.files["In[2]"]
    assert torch(file, file.tree.body[-1]) == ("torch", ())
    (call, made) = file.all(ast.Call)
    assert file.names(made) == {"torch.ones"}
    assert file.names(call.args[1]) == {"torch.nn"}
    changed = program.patched({"In[1]": "x = 1\n"})
    assert changed.files["In[2]"].names(made) == frozenset()
    assert file.names(made) == {"torch.ones"}


def test_a_cell_that_needs_an_import_has_it_below_its_magic(tmp_path: Path) -> None:
    text = "# %%ca\nget_ipython().run_line_magic('time', 'f()')\n"
    file = notebook(tmp_path, "x = 1\n", text).files["In[2]"]
    _, needed = torch(file, file.tree.body[-1])
    assert applied({"In[2]": text}, [Patch("", needed)])["In[2]"] == text.replace(
        "# %%ca\n", "# %%ca\nimport torch\n\n"
    )


def test_a_name_that_is_taken_is_no_torch(tmp_path: Path) -> None:
    with pytest.raises(RefusedError):
        imported(tmp_path, "torch = 3\nf()\n")
