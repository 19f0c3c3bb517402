"""Torch's private names stand in `ca_engine.compat` and nowhere else in the engine."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ENGINE = Path(__file__).parents[3] / "engine" / "ca_engine"

# Public in spite of the underscore: the standard library's
DOCUMENTED = {"_replace", "_asdict", "_fields", "_make", "_getframe", "_current_frames"}
# Before torch may be imported, and before the package is: both wait for this module.
ALLOWED = {
    "__init__.py": {"torch._dynamo"},
    "boot.py": {"torch._dynamo", "_call_with_frames_removed", "_boot", "_overlay"},
    "_boot/sitecustomize.py": {"_frozen_importlib_external"},
    # Modules of exceptions, which readers of logs know too: the standard library only.
    "tracebacks.py": {"torch._dynamo", "torch._inductor"},
    "recorder/held.py": {"_name_"},  # of enum: its members are read without asking them
    "recorder/cells.py": {"_filename_map"},  # of IPython: which cell a file name is
}


def private_names(source: str) -> Iterator[tuple[int, str]]:
    """Line and name of what looks like somebody else's private name in a module's code.

    That is an attribute, or a text that names one, with a leading underscore that the module
    itself neither defines nor sets, and an import from torch with such a component.
    """
    tree = ast.parse(source)
    own = {name for node in ast.walk(tree) for name in defined_by(node)}
    documentation = {id(text) for node in ast.walk(tree) for text in docstrings_of(node)}
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Attribute):
            names = [node.attr]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names if is_below_private(alias.name)]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "torch":
            whole = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [name for name in whole if is_below_private(name)]
        elif isinstance(node, ast.keyword):
            names = [node.arg or ""]
        elif isinstance(node, ast.Constant) and id(node) not in documentation:
            names = re.findall(r"^_\w+$|\btorch(?:\.\w+)*\._\w+", str(node.value))
        for name in names:
            is_private = "._" in name or (name.startswith("_") and not name.startswith("__"))
            if is_private and name not in own | DOCUMENTED and not name.startswith("_ca_"):
                yield getattr(node, "lineno", 0), name


def is_below_private(name: str) -> bool:
    return name.startswith("torch.") and "._" in name


def defined_by(node: ast.AST) -> Iterator[str]:
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        yield node.name
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id
    elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
        yield from [node.attr] if ast.unparse(node.value) == "self" else []


def docstrings_of(node: ast.AST) -> Iterator[ast.Constant]:
    if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
        first = node.body[0] if node.body else None
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            yield first.value


@pytest.mark.parametrize(
    "source",
    [
        "import torch._guards",
        "from torch._guards import CompileId",
        "from torch.fx.graph import CodeGen, _Namespace",
        "from torch import _C",
        "torch._dynamo.reset()",
        "node._sequence_nr()",
        "hasattr(region, '_aot_id')",
        "tables = ('_parameters', '_modules')",
        "vars(function).update(_torchdynamo_disable=True)",
        "getattr(node, f'_saved_{name}')",
        "import_module('torch._inductor.config')",
    ],
)
def test_each_way_to_name_one_is_seen(source: str) -> None:
    assert list(private_names(source))


def test_what_is_the_modules_own_is_not() -> None:
    source = '''
"""Of torch._dynamo."""
class Draft:
    def __init__(self):
        self._id = 1
    def record(self):
        """See torch._logging."""
        return other._id, self._helper(), draft._replace(id=2), sys._getframe(1)
    def _helper(self): ...
'''
    assert not list(private_names(source))


def modules_outside_compat() -> list[Path]:
    return [file for file in sorted(ENGINE.rglob("*.py")) if ENGINE / "compat" not in file.parents]


@pytest.mark.parametrize("file", modules_outside_compat(), ids=lambda f: str(f.relative_to(ENGINE)))
def test_engine_names_nothing_private_of_torchs_outside_compat(file: Path) -> None:
    allowed = ALLOWED.get(file.relative_to(ENGINE).as_posix(), set())
    found = [(line, name) for line, name in private_names(file.read_text()) if name not in allowed]
    assert not found, f"move to ca_engine/compat: {found}"
