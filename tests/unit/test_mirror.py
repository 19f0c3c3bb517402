"""Tests mirror packages: the test of a module is where one looks first.

``reports/ca_reports/logs/records.py`` has ``tests/unit/reports/logs/test_records.py``. A package
may have one file for all of its modules, beside or within its folder (``test_passes.py``). A module
without a function that does anything, such as names, constants, data and protocols, has nothing to
be tested alone. There are no other exceptions.
"""

from __future__ import annotations

import ast
from fnmatch import fnmatch
from pathlib import Path

import pytest

from tests.docs.guide import ROOT

TESTS = ROOT / "tests"
PLACES = {
    "reports/ca_reports": ("unit/reports",),
    "engine/ca_engine/integrations": ("trainers", "unit/engine/integrations"),
    "engine/ca_engine": ("unit/engine", "engine", "integration"),
    "ca_cli": ("unit/cli", "integration"),
    "ca_pytest": ("plugin",),
}
# A rule is proven by its two samples; on models made by hand, by its family (`test_ca7xx.py`).
RULES = Path("reports/ca_reports/causes/rules")
OF_RULES = TESTS / "integration/test_rules.py"


def does_anything(module: ast.Module) -> bool:
    """Whether a function does more than to say what it is for, to raise, or to keep its arguments.

    The body of a protocol's is ``...``; an error keeps its reason, ``self.reason = reason``.
    """
    return any(
        not isinstance(step, ast.Pass | ast.Raise)
        and not (isinstance(step, ast.Expr) and isinstance(step.value, ast.Constant))
        and not (node.name == "__init__" and keeps(step))
        for node in ast.walk(module)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for step in node.body
    )


def keeps(step: ast.stmt) -> bool:
    is_plain = isinstance(step, ast.Assign) and isinstance(step.value, ast.Name)
    return is_plain or ast.unparse(step).startswith("super().__init__(")


MODULES = [
    path.relative_to(ROOT)
    for package in ("reports/ca_reports", "engine/ca_engine", "ca_cli", "ca_pytest")
    for path in sorted((ROOT / package).rglob("*.py"))
]


def own(module: Path) -> list[Path]:
    """The test files that would be the module's own, or its package's."""
    package = next(Path(root) for root in PLACES if module.is_relative_to(root))
    within = module.relative_to(package)
    of_folder = within.parent.name.strip("_")
    if within.name == "__init__.py":
        within = within.with_stem("package")
    stem = within.stem.strip("_")
    found = [OF_RULES] if module.parent == RULES and stem[:2] == "ca" and stem[2].isdigit() else []
    for place in PLACES[str(package)]:
        folder = TESTS / place / within.parent
        found += [folder / f"test_{stem}.py"]
        if within.parent.name:  # the test of the package
            name = f"test_{of_folder}.py"
            found += [folder / name, folder.parent / name]
        if within.parent.name == "commands":
            found.append(TESTS / place / f"test_{stem}.py")
    return found


def test_a_module_has_its_test_where_one_looks() -> None:
    for module in MODULES:
        looked = own(module)
        if not any(path.is_file() for path in looked):
            does = does_anything(ast.parse((ROOT / module).read_text("utf-8")))
            assert not does, f"no {looked[0].relative_to(ROOT)}"


def test_pytest_goes_into_every_folder(pytestconfig: pytest.Config) -> None:
    left_out = pytestconfig.getini("norecursedirs")
    for path in TESTS.rglob("test_*.py"):
        folders = path.relative_to(ROOT).parts[:-1]
        assert not any(fnmatch(name, pattern) for name in folders for pattern in left_out), path


def test_folders_of_unit_tests_are_packages() -> None:
    kept = {"__pycache__", "snapshots"}
    for package, places in PLACES.items():
        for place in places:
            if not place.startswith("unit/"):
                continue
            folder = TESTS / place
            for path in folder.rglob("*"):
                if path.is_dir() and path.name not in kept:
                    assert (ROOT / package / path.relative_to(folder)).is_dir(), path
