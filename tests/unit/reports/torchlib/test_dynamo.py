"""Dynamo's settings, each looked up in torch."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import pytest

from ca_engine.cache_keys import relevant
from ca_reports.costs.caches.components import DYNAMO, component
from ca_reports.torchlib.dynamo import (
    BUILDS_CLASS,
    ENTERED_BY,
    IGNORED,
    IGNORED_METHODS,
    MAYBE_MARK_DYNAMIC,
    OF_GRAPHS,
    OF_SIZES,
    REORDERED,
    SCALARS,
    SET_BY_DYNAMIC,
    TRACED_FOLDERS,
)
from tests.unit.reports.torchlib.test_inductor import settings_in

torch = pytest.importorskip("torch")

SETTINGS = OF_SIZES | OF_GRAPHS
# Of torch 2.11 to 2.12.
OTHERS = {"allow_unspec_int_on_fsdp_module"}


def test_no_setting_is_of_both_kinds() -> None:
    assert not OF_SIZES.keys() & OF_GRAPHS.keys()
    assert OF_SIZES.keys() >= SET_BY_DYNAMIC


@pytest.mark.parametrize(
    "name", sorted({*SETTINGS, SCALARS, IGNORED, IGNORED_METHODS, REORDERED} - OTHERS)
)
def test_settings_are_torchs(name: str) -> None:
    assert hasattr(torch._dynamo.config, name)


def test_the_variables_of_each_setting_are_known_and_recorded() -> None:
    tree = ast.parse(Path(str(torch._dynamo.config.__file__)).read_text("utf-8"))
    found = {name: variables for name, variables in settings_in(tree) if name in SETTINGS}
    assert sum(map(bool, found.values())) >= 5
    for name, variables in found.items():
        assert variables == set(component(f"{DYNAMO}[{name}]").variables), name
        assert relevant(dict.fromkeys(variables, "1")).keys() == variables, name


@pytest.mark.parametrize("dynamic", [None, True, False])
def test_what_the_argument_of_compile_sets(dynamic: bool | None) -> None:
    import torch._dynamo
    from torch._dynamo.utils import clear_compilation_metrics, get_compilation_metrics

    from ca_reports.run.compiler_settings import compiler_settings

    torch._dynamo.reset()
    clear_compilation_metrics()
    torch.compile(lambda x: x + 1, backend="eager", dynamic=dynamic)(torch.ones(3))
    (metrics,) = get_compilation_metrics()
    found = compiler_settings(metrics.dynamo_config or "")
    assert found.sizes == {None: "automatic", True: "dynamic", False: "static"}[dynamic]
    assert found.of_graphs.keys() == SETTINGS.keys() - OTHERS
    changed = {
        name
        for name in SETTINGS.keys() - OTHERS
        if found.of_graphs[name] != repr(getattr(torch._dynamo.config, name))
    }
    assert changed <= SET_BY_DYNAMIC
    assert bool(changed) == (dynamic is not None)


def test_what_a_mark_that_demands_nothing_takes() -> None:
    import inspect

    from torch._dynamo import maybe_mark_dynamic

    assert tuple(inspect.signature(maybe_mark_dynamic).parameters) == MAYBE_MARK_DYNAMIC


def test_folders_whose_code_is_traced() -> None:
    folder = Path(str(torch.__file__)).parent
    assert [name for name in TRACED_FOLDERS if not (folder / name).is_dir()] == []


def test_what_a_class_in_compiled_code_is_called() -> None:
    folder = Path(str(torch._dynamo.config.__file__)).parent
    texts = (file.read_text("utf-8") for file in (folder / "variables").glob("*.py"))
    assert any(BUILDS_CLASS in text for text in texts)


@pytest.mark.parametrize("name", [*ENTERED_BY, *ENTERED_BY.values()])
def test_functions_of_context_managers_are_torchs(name: str) -> None:
    module, _, function = name.rpartition(".")
    assert callable(getattr(importlib.import_module(module), function))
