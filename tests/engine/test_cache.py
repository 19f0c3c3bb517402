"""The captured graphs that are kept."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch._dynamo
import torch._dynamo.compiled_autograd as torch_engine
from torch import fx

import ca_engine
from tests.engine.compiled import run_graph
from tests.engine.recorded import backward


def test_the_cache_can_be_seen_and_cleared(keep: Callable[[fx.GraphModule], Any]) -> None:
    with ca_engine.enable(keep):
        ca_engine.clear_cache()
        before = len(ca_engine.cache_info().captures)
        for op in (torch.sin, torch.sin, torch.cos):
            backward(op)
        info = ca_engine.cache_info()
        assert [capture.hits for capture in info.captures[before:]] == [1, 0]
        assert info.estimated_bytes > 0
        ca_engine.clear_cache()
        assert len(ca_engine.cache_info().captures) == before
        backward(torch.sin)
        assert len(ca_engine.cache_info().captures) == before + 1


def test_clearing_the_cache_frees_the_compiled_graphs() -> None:
    alive: list[weakref.ref[Any]] = []

    class Compiled:
        def __init__(self, module: fx.GraphModule) -> None:
            self.module = module
            alive.append(weakref.ref(self))

        def __call__(self, *args: Any) -> Any:
            return self.module(*args)

    with ca_engine.enable(Compiled):
        backward(torch.sin)
        assert alive[0]() is not None
        ca_engine.clear_cache()
        gc.collect()
        assert alive[0]() is None
        backward(torch.sin)
        ca_engine.reset()
    gc.collect()
    assert alive[1]() is None


def test_clearing_the_cache_within_a_backward_is_refused() -> None:
    x = torch.ones(3, requires_grad=True)
    x.register_hook(lambda grad: ca_engine.clear_cache())
    with (
        ca_engine.enable(lambda module: module),
        pytest.raises(RuntimeError, match="can't be cleared from within"),
    ):
        x.sum().backward()


def test_captures_are_counted() -> None:
    torch._dynamo.utils.counters.clear()
    x = torch.ones(3, requires_grad=True)
    with torch_engine._enable(run_graph):
        for op in (torch.sin, torch.cos, torch.sin):
            x.grad = None
            op(x).sum().backward()
    assert torch._dynamo.utils.counters["compiled_autograd"]["captures"] == 2
