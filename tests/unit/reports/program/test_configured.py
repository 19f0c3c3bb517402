"""Where a program sets a setting of the compiler."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ca_reports.program.configured import assigned, compiled_with, in_environment, patched
from ca_reports.program.files import SourceFiles
from ca_reports.program.syntax import Program

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """\
import torch
from torch._inductor import config as inductor
inductor.config.max_autotune = True
inductor.config.triton.cudagraphs: bool = False
max_autotune = 1
with inductor.config.patch({"shape_padding": False}):
    f = torch.compile(g, mode="max-autotune")
with inductor.config.patch("freezing", True), inductor.config.patch(max_autotune=True):
    h = torch.compile(g, options={"permute_fusion": True})
"""


@pytest.fixture
def program(tmp_path: Path) -> Program:
    file = tmp_path / "train.py"
    file.write_text(PROGRAM)
    return Program(SourceFiles([tmp_path]), {str(file): None})


@pytest.mark.parametrize(
    ("dotted", "lines"),
    [
        ("config.max_autotune", [3]),
        ("max_autotune", [3]),
        ("triton.cudagraphs", [4]),
        ("other.cudagraphs", []),
    ],
)
def test_assignments_to_attributes(program: Program, dotted: str, lines: list[int]) -> None:
    assert [site.line for site in assigned(program, dotted)] == lines


def test_modes_and_options(program: Program) -> None:
    assert [site.line for site in compiled_with(program, "max_autotune")] == [7]
    assert [site.line for site in compiled_with(program, "permute_fusion")] == [9]
    assert list(compiled_with(program, "freezing")) == []


def test_patches_that_inductors_own_functions_take(tmp_path: Path) -> None:
    file = tmp_path / "train.py"
    file.write_text(
        'def f(gm, x):\n    return compile_fx(gm, x, config_patches={"cpp.simdlen": 1})\n'
    )
    found = Program(SourceFiles([tmp_path]), {str(file): None})
    assert [site.line for site in patched(found, "cpp.simdlen")] == [2]
    assert list(patched(found, "simdlen")) == []


def test_a_mode_that_is_handed_over_may_be_any(tmp_path: Path) -> None:
    file = tmp_path / "train.py"
    file.write_text("import torch\nf = torch.compile(g, mode=args.mode)\n")
    found = Program(SourceFiles([tmp_path]), {str(file): None})
    assert [site.line for site in compiled_with(found, "max_autotune")] == [2]
    assert list(compiled_with(found, "shape_padding")) == []


@pytest.mark.parametrize(
    ("setting", "lines"), [("shape_padding", [6]), ("freezing", [8]), ("max_autotune", [8])]
)
def test_patches(program: Program, setting: str, lines: list[int]) -> None:
    assert [site.line for site in patched(program, setting)] == lines


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('o = {"freezing": on}\nf = torch.compile(g, options=o)\n', 1),
        ('how = {"options": {"freezing": True}}\nf = torch.compile(g, **how)\n', 1),
        ('o = {"permute_fusion": on}\nf = torch.compile(g, options=o)\n', None),
    ],
)
def test_options_that_are_made_elsewhere(tmp_path: Path, text: str, line: int | None) -> None:
    file = tmp_path / "train.py"
    file.write_text(text)
    found = Program(SourceFiles([tmp_path]), {str(file): None})
    lines = [site.line for site in compiled_with(found, "freezing")]
    assert lines == ([] if line is None else [line])


def test_a_module_that_was_imported_under_another_name(tmp_path: Path) -> None:
    file = tmp_path / "train.py"
    file.write_text("import torch._inductor.config as ind\nind.force_disable_caches = True\n")
    found = Program(SourceFiles([tmp_path]), {str(file): None})
    assert [site.line for site in assigned(found, "config.force_disable_caches")] == [2]


def test_variables_that_a_program_sets_itself(tmp_path: Path) -> None:
    file = tmp_path / "train.py"
    file.write_text(
        "import os\n"
        'os.environ["HOME"] = "/tmp"\n'
        'os.environ.setdefault("HOME", "/tmp")\n'
        'os.putenv("HOME", "/tmp")\n'
        'os.environ.update(HOME="/tmp", OTHER="1")\n'
        'known["HOME"] = os.environ["HOME"]\n'
        'known.setdefault("HOME", "/tmp")\n'
    )
    found = Program(SourceFiles([tmp_path]), {str(file): None})
    assert [site.line for site in in_environment(found, "HOME")] == [2, 3, 5, 4]
    assert [site.line for site in in_environment(found, "OTHER")] == [5]
