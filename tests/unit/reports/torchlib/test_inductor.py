"""Inductor's settings, each looked up in torch."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ca_engine.cache_keys import relevant
from ca_reports.costs.caches.components import component
from ca_reports.torchlib import inductor

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

torch = pytest.importorskip("torch")


@pytest.mark.parametrize(("mode", "settings"), inductor.MODES.items())
def test_what_a_mode_stands_for(mode: str, settings: frozenset[str]) -> None:
    assert set(torch._inductor.list_mode_options(mode)) == settings


@pytest.mark.parametrize("name", inductor.PASSES)
def test_passes_are_settings(name: str) -> None:
    import torch._inductor.config as config

    assert hasattr(config, name)


@pytest.mark.parametrize("name", [*inductor.FREEZING, *inductor.CACHES])
def test_settings_are_torchs(name: str) -> None:
    import torch._functorch.config as functorch
    import torch._inductor.config as config

    homes = (config, config.aot_inductor, functorch, torch.compiler.config)
    assert any(hasattr(home, name) for home in homes)


def variables_in(expression: ast.AST, functions: Mapping[str, ast.AST]) -> Iterator[str]:
    """Give the variables of the environment that a setting's value is made of.

    Also by a call of one of torch's own ``functions``.
    """
    for node in ast.walk(expression):
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in functions:
                yield from variables_in(functions[name], {})
            case ast.Subscript(value=ast.Attribute(attr="environ"), slice=index):
                yield from _texts(index)
            case ast.Call(func=function, args=arguments, keywords=keywords):
                if ast.unparse(function).endswith(("environ.get", "getenv", "get_tristate_env")):
                    yield from _texts(*arguments[:1])
                for one in keywords:
                    if (one.arg or "").startswith("env_name"):
                        yield from _texts(one.value)
            case ast.Compare(left=left, comparators=[ast.Attribute(attr="environ")]):
                yield from _texts(left)


def _texts(*nodes: ast.expr) -> Iterator[str]:
    for node in nodes:
        yield from (
            found.value
            for found in ast.walk(node)
            if isinstance(found, ast.Constant) and isinstance(found.value, str)
        )


def settings_in(tree: ast.Module) -> Iterator[tuple[str, set[str]]]:
    """Give each setting of a file of torch's, and the variables that it starts from."""
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    yield from _settings_in(tree.body, functions)


def _settings_in(
    body: Iterable[ast.stmt], functions: Mapping[str, ast.AST], group: str = ""
) -> Iterator[tuple[str, set[str]]]:
    for node in body:
        match node:
            case ast.ClassDef(name=name, body=inner):
                yield from _settings_in(inner, functions, f"{group}{name}.")
            case ast.If(body=inner):
                yield from _settings_in(inner, functions, group)
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ):
                yield f"{group}{name}", set(variables_in(value, functions))


@pytest.mark.parametrize(
    ("module", "group", "at_least"),
    [("torch._inductor.config", "inductor_config", 100),
     ("torch._functorch.config", "autograd_config", 5)],
)  # fmt: skip
def test_the_variables_of_each_setting_are_known_and_recorded(
    module: str, group: str, at_least: int
) -> None:
    config = importlib.import_module(module)
    left_out = tuple(getattr(config, "_cache_config_ignore_prefix", ()))
    tree = ast.parse(Path(str(config.__file__)).read_text("utf-8"))
    found = {
        name: variables
        for name, variables in settings_in(tree)
        if variables and not name.startswith(left_out or "no prefix")
    }
    # Which make no part of a key.
    found.pop("aot_inductor.repro_level", None)
    found.pop("aot_inductor.dump_aoti_minifier", None)
    assert len(found) >= at_least
    for name, variables in found.items():
        assert variables <= set(component(f"{group}[{name}]").variables), name
        assert relevant(dict.fromkeys(variables, "1")).keys() == variables, name


def test_settings_that_follow_from_another_are_those_that_torch_patches() -> None:
    from torch._inductor.compile_fx import get_cpp_wrapper_config

    assert set(inductor.FOLLOWING) == set(get_cpp_wrapper_config(log_cudagraph_skip=False))
