"""Recordings in a real kernel."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

SETUP = """\
import torch, ca_engine
model = torch.nn.Linear(16, 1)
def train(*sizes):
    for size in sizes:
        model(torch.ones(size, 16)).sum().backward()
"""
RECORDED = """\
with ca_engine.record("first") as run, ca_engine.enable(torch.compile(backend="eager")):
    train(8, 8, 8)
run
"""
FUNCTION = """\
@torch.compile(backend="eager")
def scaled(x, scale):
    return (x * scale).sum()
"""
CALLS = """\
%%ca scales
for step in range(2):
    scale = 0.5 + step
    scaled(torch.ones(3), scale)
print(ca_engine.summary())
"""
MAGIC = """\
%%ca second --enable --backend eager
model = torch.nn.Linear(16, 1)
train(5, 5, 5, 5)
"the cell's own value"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder that the notebook is run in."""
    return tmp_path_factory.mktemp("notebook")


@pytest.fixture(scope="module")
def cells(folder: Path) -> list[Any]:
    """Return the cells of one notebook, run in a kernel of this interpreter."""
    texts = [
        SETUP,
        RECORDED,
        "%load_ext ca_engine",
        MAGIC,
        "%%ca third\n1 / 0",
        "%%ca --unknown\n1",
        "sorted(name for name in __import__('sys').modules if name.startswith('ca_reports'))",
        FUNCTION,
        CALLS,
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in texts])
    nbclient.NotebookClient(
        notebook,
        timeout=240,
        kernel_name="python3",
        allow_errors=True,
        resources={"metadata": {"path": str(folder)}},
    ).execute()
    found: list[Any] = notebook.cells
    return found


def shown(cell: Any) -> list[dict[str, str]]:
    return [output["data"] for output in cell.outputs if "data" in output]


@pytest.mark.long
def test_a_recording_is_shown_as_its_summary(cells: list[Any]) -> None:
    (bundle,) = shown(cells[1])
    assert "CA201" in bundle["text/plain"]
    assert "<strong>CA201</strong>" in bundle["text/html"]
    assert f"<strong>{bundle['text/plain'].splitlines()[0]}" in bundle["text/html"]
    assert "ca report first" in bundle["text/html"]


def test_the_magic_records_a_cell_and_leaves_its_value(cells: list[Any]) -> None:
    value, summary = shown(cells[3])
    assert value["text/plain"] == '"the cell\'s own value"'
    assert "CA201" in summary["text/plain"]


def test_a_cell_that_fails_fails_and_is_shown(cells: list[Any]) -> None:
    names = [output.get("ename") for output in cells[4].outputs]
    assert "ZeroDivisionError" in names
    assert shown(cells[4])


def test_a_wrong_option_is_one_line(cells: list[Any]) -> None:
    text = "".join(str(output) for output in cells[5].outputs)
    assert "unrecognized arguments: --unknown" in text
    assert "Traceback" not in text


def test_the_reports_stay_out_of_the_kernel(cells: list[Any]) -> None:
    assert shown(cells[6])[0]["text/plain"] == "[]"


def test_cells_are_a_program(cells: list[Any], folder: Path) -> None:
    """With lines as they are numbered in the notebook, and patches across cells."""
    printed = next(output["text"] for output in cells[8].outputs if output["name"] == "stdout")
    (summary,) = shown(cells[8])
    for told in (printed, summary["text/plain"]):
        assert "CA702 `scale`: 0.5 → 1.5" in told
        assert "In[9]:3  scale = 0.5 + step" in told
    assert "the run goes on" in printed
    done = subprocess.run(
        [sys.executable, "-m", "ca_cli", "fix", "scales"],
        capture_output=True, text=True, check=True, cwd=folder,
    )  # fmt: skip
    assert "+++ b/In[9]\n" in done.stdout
    assert "+    scaled(torch.ones(3), torch.tensor(scale))\n" in done.stdout
    assert "import torch" not in done.stdout  # another cell has it
    assert "\n %%ca scales\n" in done.stdout
    applied = subprocess.run(
        [sys.executable, "-m", "ca_cli", "fix", "scales", "--apply"],
        capture_output=True, text=True, check=False, cwd=folder,
    )  # fmt: skip
    assert applied.returncode == 2
    assert "In[9] is in no file" in applied.stderr


def test_what_is_shown_of_a_hostile_name_is_text(tmp_path: Path) -> None:
    folder = tmp_path / "<script>alert(1)<"
    folder.mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "ca_reports.output.notebook", str(folder), str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "&lt;script&gt;" in done.stdout
    assert "<script>" not in done.stdout.split('"text/html"')[1]
