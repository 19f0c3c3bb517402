"""The tables about modules and what is registered on them, against torch."""

from __future__ import annotations

import importlib
import inspect

import pytest

from ca_reports.torchlib import modules

torch = pytest.importorskip("torch")
nn = torch.nn


@pytest.mark.parametrize(
    "name", sorted({*modules.CALLED, *modules.OF_ITSELF, *(modules.WITHOUT_A_CALL - {"weight"})})
)
def test_methods_are_those_of_modules(name: str) -> None:
    assert callable(getattr(nn.Module, name))


def test_every_iterator_of_a_modules_parts_is_known() -> None:
    giving = {
        name
        for name, method in inspect.getmembers(nn.Module, inspect.isfunction)
        if inspect.isgeneratorfunction(method) and not name.startswith("_")
    }
    assert giving == set(modules.OF_ITSELF)


@pytest.mark.parametrize("name", modules.CONTAINERS)
def test_containers_are_torchs_own(name: str) -> None:
    assert getattr(nn, name).__module__ == "torch.nn.modules.container"


@pytest.mark.parametrize("name", sorted(modules.LAYERS))
def test_a_layer_is_a_module_of_torch_that_registers_no_other(name: str) -> None:
    kind = getattr(nn, name)
    assert issubclass(kind, nn.Module)
    assert not issubclass(kind, (nn.Sequential, nn.ModuleList, nn.ModuleDict))
    assert "Module" not in " ".join(map(str, getattr(kind, "__annotations__", {}).values()))


@pytest.mark.parametrize("name", modules.DROPOUTS)
def test_dropouts_take_a_probability(name: str) -> None:
    assert list(inspect.signature(getattr(nn.functional, name)).parameters)[:2] == ["input", "p"]


def test_every_dropout_of_torch_is_known() -> None:
    found = {name for name in dir(nn.functional) if "dropout" in name and not name.endswith("_")}
    assert {name for name in found if not name.startswith("_")} == set(modules.DROPOUTS)


def test_hooks_are_registered_by_methods_and_functions_of_torch() -> None:
    graph, checkpoint = torch.autograd.graph, torch.utils.checkpoint
    homes = (torch.Tensor, nn.Module, nn.modules.module, graph, graph.Node, checkpoint)
    for name in {*modules.BACKWARD_HOOKS, *modules.HOOKS_OF_MODULES}:
        assert any(hasattr(home, name) for home in homes), name


def test_every_hook_on_a_modules_call_is_known() -> None:
    registering = {
        name
        for home in (nn.Module, nn.modules.module)
        for name in dir(home)
        if name.startswith("register_") and name.endswith(("forward_hook", "forward_pre_hook"))
    }
    assert registering == set(modules.FORWARD_HOOKS)
    assert {*modules.FORWARD_HOOKS, *modules.MODULES_BACKWARD_HOOKS} == {*modules.HOOKS_OF_MODULES}


@pytest.mark.parametrize("name", [*modules.PARAMETRIZES, *modules.UNPARAMETRIZES])
def test_parametrizations_are_in_torchs_utilities(name: str) -> None:
    homes = (nn.utils, nn.utils.parametrizations, nn.utils.parametrize)
    assert any(hasattr(home, name) for home in homes)


def test_prunings_are_those_of_torch() -> None:
    prune = importlib.import_module(f"torch.nn.utils.{modules.PRUNE}")
    functions = {
        name
        for name, one in vars(prune).items()
        if inspect.isfunction(one) and one.__module__ == prune.__name__ and not name.startswith("_")
    }
    helpers = {"is_pruned"}
    assert functions - helpers == {*modules.PRUNES, *modules.PRUNES_VAGUELY}
    base = getattr(prune, modules.PRUNING_METHOD)
    classes = {one.__name__ for one in vars(prune).values() if inspect.isclass(one)}
    assert {*modules.PRUNING_METHODS} <= classes
    assert all(issubclass(getattr(prune, name), base) for name in modules.PRUNING_METHODS)


@pytest.mark.parametrize("name", ["ModuleDict", "ParameterDict"])
def test_mappings_of_torch_have_keys(name: str) -> None:
    assert name in modules.MAPPINGS
    assert hasattr(getattr(nn, name), "keys")


def test_what_is_registered_takes_tensors_only() -> None:
    module = nn.Module()
    for name in modules.REGISTERING_TENSORS:
        getattr(module, name)(f"own_{name}", nn.Parameter(torch.ones(1)))
        with pytest.raises(TypeError):
            setattr(module, f"own_{name}", 3)
    for path in modules.PARAMETERS:
        owner, _, last = path.rpartition(".")
        assert inspect.isclass(getattr(importlib.import_module(owner), last))


@pytest.mark.parametrize(("file", "name"), modules.WRAPPERS.items())
def test_a_wrapper_is_a_module_that_its_file_defines(file: str, name: str) -> None:
    module = importlib.import_module(file.removesuffix(".py").replace("/", "."))
    wrapper = getattr(module, name)
    assert issubclass(wrapper, nn.Module)
    assert (inspect.getsourcefile(wrapper) or "").replace("\\", "/").endswith(file)
