"""The tables of what sets modes, against torch."""

from __future__ import annotations

import importlib
from operator import attrgetter
from typing import Any

import pytest

from ca_reports.torchlib import modes

torch = pytest.importorskip("torch")


@pytest.mark.parametrize("name", modes.GRADIENTS)
def test_what_sets_the_mode_of_gradients(name: str) -> None:
    make = getattr(torch, name)
    with make(False) if name == "set_grad_enabled" else make():
        assert torch.is_grad_enabled() == (name == "enable_grad")


def test_autocast_is_one_class_by_its_names() -> None:
    paths = [name.removeprefix("torch.") for name in modes.AUTOCAST_NAMES]
    found: list[Any] = [attrgetter(path)(torch) for path in paths]
    assert all(issubclass(one, torch.amp.autocast) for one in found)
    assert {name.rpartition(".")[2] for name in modes.AUTOCAST_NAMES} == {"autocast"}


@pytest.mark.parametrize("name", sorted(set().union(*modes.SETTERS.values())))
def test_setters_are_torchs(name: str) -> None:
    if name == "autocast_decorator":
        assert hasattr(torch.amp.autocast_mode, name)
        return
    anomaly = torch.autograd.anomaly_mode
    homes = (torch, torch.autograd, anomaly, torch._C)
    assert any(hasattr(home, name) for home in homes)


@pytest.mark.parametrize("name", modes.FUNCTION_MODES)
def test_a_default_device_is_a_mode(name: str) -> None:
    homes = (torch.overrides, importlib.import_module("torch.utils._device"))
    assert any(hasattr(home, name) for home in homes)


@pytest.mark.parametrize("name", modes.BACKEND_FLAGS)
def test_flags_are_of_backends(name: str) -> None:
    assert getattr(torch.backends.cuda.matmul, name) is not None


@pytest.mark.parametrize(("setter", "getter"), sorted(modes.GETTERS.items()))
def test_what_a_getter_tells_its_setter_takes(setter: str, getter: str) -> None:
    before = getattr(torch, getter)()
    getattr(torch, setter)(before)
    assert getattr(torch, getter)() == before
