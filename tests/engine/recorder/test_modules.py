"""Finding the modules that own parameters, whatever else the process holds."""

from __future__ import annotations

import gc
import warnings
import weakref
from typing import Any

import pytest
import torch

from ca_engine.recorder import modules as live_modules
from ca_engine.recorder.identity import ByIdentity
from ca_engine.recorder.modules import LiveModules, state_changes


def names(modules: LiveModules, model: torch.nn.Module) -> list[str | None]:
    return [modules.name(parameter) for parameter in model.parameters()]


def learn(model: torch.nn.Module) -> LiveModules:
    modules = LiveModules()
    modules.learn(list(model.parameters()))
    return modules


@pytest.mark.long
def test_a_parameter_at_the_place_of_a_nameless_one_has_its_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Each needs a search, which takes long in a process that other tests have filled.
    monkeypatch.setattr(live_modules, "SLOW_SEARCH_SECONDS", 1e9)
    modules = LiveModules()
    for _ in range(20):
        nameless = torch.nn.Parameter(torch.ones(2))
        modules.learn([nameless])
        assert modules.name(nameless) is None
        del nameless
        model = torch.nn.Linear(2, 2)
        modules.learn(list(model.parameters()))
        assert names(modules, model) == ["weight", "bias"]
        del model


def test_parameters_that_died_are_forgotten() -> None:
    table: ByIdentity[torch.Tensor, int] = ByIdentity()
    tensors = [torch.ones(1) for _ in range(3)]
    for number, tensor in enumerate(tensors):
        table[tensor] = number
    assert [table.get(tensor) for tensor in tensors] == [0, 1, 2]
    table[tensors[0]] = 3
    assert table.get(tensors[0]) == 3
    assert len(table) == 3
    del tensors, tensor
    assert len(table) == 0


class Unhashable(type):
    def __eq__(cls, other: object) -> bool:
        raise AssertionError

    __hash__ = None  # type: ignore[assignment]


def test_classes_that_can_not_be_hashed_do_no_harm() -> None:
    class Odd(metaclass=Unhashable):
        pass

    class OddModel(torch.nn.Linear, metaclass=Unhashable):
        pass

    odd: Any = Odd()
    odd.itself = [odd]  # tracked by the garbage collector
    model = OddModel(2, 2)
    assert names(learn(model), model) == ["weight", "bias"]


def test_no_code_of_the_users_modules_runs() -> None:
    class Touchy(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = torch.nn.Linear(2, 2)

        def __getattr__(self, name: str) -> Any:
            raise AssertionError(name)

        def __getattribute__(self, name: str) -> Any:
            if name in ("__dict__", "_modules", "_parameters") and touched:
                raise AssertionError(name)
            return super().__getattribute__(name)

        def named_parameters(self, *_: Any, **__: Any) -> Any:
            raise AssertionError

        named_modules = named_children = named_parameters

        @property
        def training(self) -> bool:
            raise AssertionError

        @training.setter
        def training(self, value: bool) -> None:
            pass

    touched: list[bool] = []
    model = Touchy()
    parameters = list(model.inner.parameters()) if "inner" in model.__dict__ else None
    parameters = parameters or list(model.__dict__["_modules"]["inner"].parameters())
    half_made = torch.nn.Module.__new__(torch.nn.Linear)
    touched.append(True)
    modules = LiveModules()
    modules.learn(parameters)
    assert [modules.name(each) for each in parameters] == ["inner.weight", "inner.bias"]
    told = {(path, what) for _, path, what in modules.state(parameters)}
    assert ("inner", "training") in told
    assert ("Touchy", "training") not in told
    del half_made


def test_a_switch_that_is_a_tensor_is_not_kept() -> None:
    dropout = torch.nn.Dropout()
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), dropout)
    modules = learn(model)
    before = modules.state(model.parameters())
    probability = torch.ones(2)
    vars(dropout)["p"] = probability
    after = modules.state(model.parameters())
    (change,) = state_changes(before, after)
    assert (change["name"], change["before"], change["after"]) == ("1", 0.5, "Tensor")
    gone = weakref.ref(probability)
    dropout.p = 0.5
    del probability
    gc.collect()
    assert gone() is None


def test_wrappers_of_torchs_are_in_no_name() -> None:
    from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper

    layers = [torch.nn.Linear(2, 2, bias=False) for _ in range(3)]
    inner: Any = torch.compile(layers[1], backend="eager")
    model = torch.compile(
        torch.nn.Sequential(layers[0], inner, checkpoint_wrapper(layers[2])), backend="eager"
    )
    modules = LiveModules()
    modules.learn([layer.weight for layer in layers])
    assert [modules.name(layer.weight) for layer in layers] == ["0.weight", "1.weight", "2.weight"]
    assert model is not None


def test_a_scripted_module_has_names_and_switches() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # TorchScript is deprecated
        model = torch.jit.script(torch.nn.Sequential(torch.nn.Linear(2, 2)))
    gc.collect()  # what it was made of
    modules = learn(model)
    assert names(modules, model) == ["0.weight", "0.bias"]
    before = modules.state(model.parameters())
    model.eval()
    told = state_changes(before, modules.state(model.parameters()))
    assert {change["attribute"] for change in told} == {"training"}


def test_modules_that_own_each_other_come_to_an_end() -> None:
    layer = torch.nn.Linear(2, 2)
    model = torch.nn.Sequential(layer)
    model.add_module("again", layer)
    layer.add_module("above", model)
    outer = torch.nn.Sequential(model)  # else neither is the root
    modules = learn(outer)
    assert modules.name(layer.weight) == "0.0.weight"
    assert modules.state([layer.weight])


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """One entry for each search through all objects; each is slow."""
    found: list[int] = []
    get_objects = gc.get_objects

    def count() -> list[Any]:
        found.append(len(found))
        return get_objects()

    monkeypatch.setattr(gc, "get_objects", count)
    monkeypatch.setattr(live_modules, "FREE_SEARCH_SECONDS", 0.0)
    return found


def test_a_new_parameter_of_a_known_module_needs_no_search(searches: list[int]) -> None:
    model = torch.nn.Sequential(torch.nn.Linear(2, 2))
    modules = learn(model)
    model.append(torch.nn.Linear(2, 2))
    modules.learn(list(model.parameters()))
    assert names(modules, model)[2:] == ["1.weight", "1.bias"]
    assert len(searches) == 1


def test_searches_stop_when_they_have_cost_too_much(
    searches: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_modules, "SLOW_SEARCH_SECONDS", 0.0)
    monkeypatch.setattr(live_modules, "SLOW_SEARCH_SHARE", 0.0)
    model, later = torch.nn.Linear(2, 2), torch.nn.Linear(3, 3)
    modules = learn(model)
    assert names(modules, model) == ["weight", "bias"]
    fresh = [torch.nn.Parameter(torch.ones(1)) for _ in range(5)]
    for parameter in fresh:
        modules.learn([parameter])
    assert len(searches) == 1
    # There may be a search again: nothing was taken for nameless meanwhile.
    monkeypatch.setattr(live_modules, "SLOW_SEARCH_SECONDS", 1e9)
    late = torch.nn.Sequential(later)
    modules.learn([*late.parameters(), *fresh])
    assert names(modules, late) in (["weight", "bias"], ["0.weight", "0.bias"])
    modules.learn(fresh)
    assert len(searches) == 2
