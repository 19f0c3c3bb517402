"""Programs whose guards fail, and how often calls are traced."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from ca_engine.lowering import backends, templates
from ca_engine.lowering.lowered import LoweredBackward
from tests.engine.conftest import Backward, leaf
from tests.engine.lowering.aten_graphs import compare_lowering


def gradients(model: nn.Module) -> list[torch.Tensor | None]:
    return [parameter.grad for parameter in model.parameters()]


def strides_of_what_was_saved(backward: Backward) -> Any:
    x = leaf(3, 3)
    for weight in (torch.randn(3, 3), torch.randn(3, 3).t(), torch.randn(3, 3)):
        backward((x * weight).sum())
    return x.grad


def traces_of(run: Callable[[Backward], Any], monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """For each template the operators of each time that its call was traced."""
    from ca_engine.compat import tracing

    traces: list[list[str]] = []
    trace, trace_once = templates.Templates._trace, tracing.CallTracer._trace

    def of_a_template(self: Any, *args: Any) -> Any:
        traces.append([])
        return trace(self, *args)

    def once(self: Any, *args: Any) -> Any:
        traced = trace_once(self, *args)
        traces[-1].append(" ".join(str(node.target) for node in traced.calls))
        return traced

    monkeypatch.setattr(backends, "BACKENDS", {"aot_eager": backends.AotEager()})
    monkeypatch.setattr(templates.Templates, "_trace", of_a_template)
    monkeypatch.setattr(tracing.CallTracer, "_trace", once)
    assert set(compare_lowering(run, backend="aot_eager").ways) == {"lowered"}
    return traces


def watch_guards(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A list that gets what failed, in words."""
    failed: list[str] = []
    stock = LoweredBackward._way_for_memory

    def noting(self: LoweredBackward, way: Any, inputs: Any, *rest: Any) -> Any:
        failed.append(way.failed(inputs))
        return stock(self, way, inputs, *rest)

    monkeypatch.setattr(LoweredBackward, "_way_for_memory", noting)
    return failed
