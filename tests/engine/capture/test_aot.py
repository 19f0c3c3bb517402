"""Backwards that AOTAutograd compiled, within a capture."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from ca_engine.capture.compiler import CaptureCompiler
from ca_engine.compat.aot_regions import GPU_RANDOM_ERROR
from tests.engine.conftest import STOCK_COMPILER, Backward, error_under, leaf


def one_region(backward: Backward) -> Any:
    region, x = torch.compile(lambda t: t.sin().sum(), backend="aot_eager"), leaf(3)
    with backward.enabled():
        loss = region(x)
        loss.grad_fn._forward_cls._lazy_backward_info = None
        loss.backward()


@pytest.mark.parametrize("compiler", [CaptureCompiler, STOCK_COMPILER])
def test_a_region_without_its_backwards_graph_is_refused(compiler: Any) -> None:
    """As a cache may give it back. No cache of a torch that is supported does (see below)."""
    error = error_under(compiler, one_region)
    assert error is not None
    assert error.startswith("RuntimeError: ")
    assert "AOTAutogradCache, which does not support" in error


def test_a_backward_that_takes_states_of_a_generator_is_refused() -> None:
    """As one on a GPU does; torch's engine reads them where it has none, an IndexError."""

    def program(backward: Backward) -> Any:
        region, x = torch.compile(lambda t: t.sin().sum(), backend="aot_eager"), leaf(3)
        with backward.enabled():
            loss = region(x)
            loss.grad_fn._forward_cls.metadata.num_graphsafe_rng_states = 1
            loss.backward()

    assert error_under(CaptureCompiler, program) == f"RuntimeError: {GPU_RANDOM_ERROR}"
