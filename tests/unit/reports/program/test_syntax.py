"""The files of a program, found from those that a log names."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

from ca_reports.program.files import SourceFiles
from ca_reports.program.syntax import Program, is_slice, keys_of

if TYPE_CHECKING:
    from pathlib import Path


def test_imports_of_a_script_that_is_named_relatively(tmp_path: Path) -> None:
    # GIVEN what `python train.py` says: the script as it was typed, its modules with their path
    (tmp_path / "train.py").write_text("import data\nimport model\n")
    (tmp_path / "model.py").write_text("import data\n")
    (tmp_path / "data.py").write_text("rows = 26\n")

    program = Program(SourceFiles([tmp_path]), ["train.py", str(tmp_path / "model.py")])

    # THEN what the script imports is found, and each file once
    assert list(program.modules) == ["train.py", str(tmp_path / "model.py"), "data.py"]


@pytest.mark.parametrize(
    ("text", "keys", "cuts"),
    [
        ("x[:, -n:]", [":", "-n:"], True),
        ("x[0]", ["0"], False),
        ("x[1:]", ["1:"], True),
        ("x[i, j]", ["i", "j"], False),
        ("x[()]", [], False),
    ],
)
def test_what_is_in_the_brackets(text: str, keys: list[str], cuts: bool) -> None:
    node = ast.parse(text, mode="eval").body
    assert isinstance(node, ast.Subscript)
    assert list(map(ast.unparse, keys_of(node))) == keys
    assert is_slice(node) is cuts
    assert not is_slice(node.value)


def test_a_call_of_an_imported_module_is_a_librarys_unless_a_file_has_its_name(
    tmp_path: Path,
) -> None:
    (tmp_path / "nets").mkdir()
    (tmp_path / "nets/deep.py").write_text("def made(): ...\n")
    (tmp_path / "train.py").write_text(
        "import timm\nimport nets.deep as deep\nfrom nets import deep as again\n"
        "timm.made()\ndeep.made()\nagain.made()\nmade()\n"
    )
    program = Program(SourceFiles([tmp_path]), ["train.py", str(tmp_path / "nets/deep.py")])
    found = {}
    for site in program.calls("made"):
        assert isinstance(site.node, ast.Call)
        found[ast.unparse(site.node)] = program.is_of_a_library(site.node, site.module)
    assert found == {
        "timm.made()": True, "deep.made()": False, "again.made()": False, "made()": False,
    }  # fmt: skip
