"""The files of a program, found from those that a log names."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

from ca_reports.program.files import SourceFiles
from ca_reports.program.syntax import Module, Program, is_slice, keys_of

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


METHODS = """\
class Net:
    def step(this, x):
        return lambda y: this.scale

    @classmethod
    def made(kind, x): ...

    @staticmethod
    def helper(x, self): ...


def free(x): ...
def patched(self, x): ...
"""


def test_a_method_calls_its_object_what_it_wants() -> None:
    module = Module("net.py", METHODS, ast.parse(METHODS))
    functions = [node for node in module.nodes if isinstance(node, ast.FunctionDef)]
    assert {one.name: module.receiver(one) for one in functions} == {
        "step": "this", "made": "kind", "helper": "", "free": "", "patched": "self",
    }  # fmt: skip
    assert {one.name: module.own_parameters(one) for one in functions} == {
        "step": ["x"], "made": ["x"], "helper": ["x", "self"], "free": ["x"], "patched": ["x"],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "is_receiver"),
    [
        ("class A:\n    def f(this):\n        return [this for _ in x]", True),
        ("class A:\n    def f(this):\n        return lambda this: this", False),
        ("class A:\n    def f(self, this):\n        return this", False),
        ("class A:\n    @staticmethod\n    def f(this):\n        return this", False),
        ("def f(this):\n    return this", False),
        ("class A:\n    def f(self):\n        def g():\n            return self", True),
        ("this", False),
        ("self", True),
    ],
)
def test_which_name_is_the_object_of_the_method(text: str, is_receiver: bool) -> None:
    module = Module("net.py", text, ast.parse(text))
    names = [node for node in ast.walk(module.tree) if isinstance(node, ast.Name)]
    (read,) = (node for node in names if node.id in ("self", "this"))
    assert module.is_receiver(read) is is_receiver


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
