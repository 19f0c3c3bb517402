"""The tables of what functions and modules do besides computing, against torch."""

from __future__ import annotations

import builtins
import importlib
from typing import Any

import pytest

from ca_reports.torchlib import effects

torch = pytest.importorskip("torch")


def drawn(run: Any) -> bool:
    """Return whether torch's generator goes on."""
    before = torch.get_rng_state()
    run()
    return not torch.equal(before, torch.get_rng_state())


@pytest.mark.parametrize(
    "name", ["Dropout", "Dropout1d", "AlphaDropout", "FeatureAlphaDropout", "RReLU"]
)
def test_modules_that_draw_go_on_in_the_generator(name: str) -> None:
    module = getattr(torch.nn, name)()
    assert name in effects.DRAWING
    assert drawn(lambda: module(-torch.ones(2, 3)))


@pytest.mark.parametrize("name", ["Linear", "LayerNorm", "GELU", "Softmax", "Identity"])
def test_modules_that_compute_leave_it(name: str) -> None:
    sizes = {"Linear": (3, 2), "LayerNorm": (3,), "Softmax": (-1,)}
    module = getattr(torch.nn, name)(*sizes.get(name, ()))
    assert name in effects.COMPUTING
    assert not drawn(lambda: module(torch.ones(2, 3)))


@pytest.mark.parametrize("name", ["BatchNorm1d"])
def test_modules_that_count_keep_something_else(name: str) -> None:
    module = getattr(torch.nn, name)(3)
    module(torch.ones(2, 3))
    assert name in effects.COUNTING
    assert module.num_batches_tracked.item() == 1


def test_every_module_is_torchs() -> None:
    modules = effects.DRAWING | effects.COMPUTING | effects.INITIALIZED
    assert not [name for name in modules if not hasattr(torch.nn, name)]
    assert not effects.DRAWING & effects.COMPUTING


@pytest.mark.parametrize("name", sorted(effects.INITIALIZED - {"AdaptiveLogSoftmaxWithLoss"}))
def test_weights_are_drawn_when_a_module_is_made(name: str) -> None:
    sizes: dict[str, tuple[Any, ...]] = {
        "Bilinear": (2, 2, 2), "MultiheadAttention": (4, 2), "Transformer": (4, 2, 1, 1, 8),
        "TransformerEncoderLayer": (4, 2, 8), "TransformerDecoderLayer": (4, 2, 8),
    }  # fmt: skip
    size = sizes.get(name, (2, 2, 1) if name.startswith("Conv") else (2, 2))
    assert drawn(lambda: getattr(torch.nn, name)(*size))


def test_what_computes_is_a_method_of_a_tensor_and_writes_to_nothing() -> None:
    assert not [name for name in effects.COMPUTES if not hasattr(torch.Tensor, name)]
    assert not [name for name in effects.COMPUTES if name.endswith("_")]
    assert not effects.COMPUTES & (effects.DRAWS | effects.OF_GENERATORS)


@pytest.mark.parametrize(
    "name",
    sorted(one for one in effects.DRAWS if one.endswith("_") and hasattr(torch.Tensor, one)),
)
def test_methods_in_place_that_draw(name: str) -> None:
    given = {"bernoulli_": (0.5,), "geometric_": (0.5,)}
    assert drawn(lambda: getattr(torch.ones(3), name)(*given.get(name, ())))


@pytest.mark.parametrize("name", sorted(effects.ACTING | effects.RUNNING))
def test_what_acts_is_pythons(name: str) -> None:
    assert hasattr(builtins, name)


def test_what_values_and_modules_give() -> None:
    owners = (str, dict, set, list, int, float)
    others = {"most_common"}
    assert not [
        name
        for name in effects.OF_VALUES - others
        if not any(hasattr(owner, name) for owner in owners)
    ]
    assert all(hasattr(torch.nn.Module, name) for name in effects.OF_MODULES)
    context = torch.autograd.function.FunctionCtx
    assert all(hasattr(context, name) for name in effects.OF_CONTEXTS)


def test_what_sets_is_a_function_of_torchs() -> None:
    homes = (torch, torch.autograd, torch._dynamo)
    assert all(any(hasattr(home, name) for home in homes) for name in effects.SETS)
    assert effects.DROPS
    assert all(one.endswith(".") for one in (*effects.PURE, *effects.DRAWING_MODULES))


def test_what_looks_up_is_dynamos_and_gives_the_same() -> None:
    registry = importlib.import_module("torch._dynamo.backends.registry")
    assert registry.lookup_backend("eager") is registry.lookup_backend("eager")
    assert all(hasattr(registry, name) for name in effects.LOOKS_UP)
