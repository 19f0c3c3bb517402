"""Whose compiler function it is: torch's own by identity, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch._dynamo
from torch import fx, nn

from ca_engine.lowering.recognise import recognise
from ca_engine.lowering.refusal import RefusalError


def captured() -> fx.GraphModule:
    return fx.symbolic_trace(nn.Linear(2, 2))


KNOWN: dict[str, tuple[Callable[[fx.GraphModule], Any], str]] = {
    "default": (torch.compile, "inductor"),
    "eager": (lambda module: torch.compile(module, backend="eager"), "eager"),
    "aot_eager": (lambda module: torch.compile(module, backend="aot_eager"), "aot_eager"),
    "optimize": (lambda module: torch._dynamo.optimize("eager")(module), "eager"),
    "inductor": (lambda module: torch.compile(module, mode="max-autotune"), "inductor"),
}


@pytest.mark.parametrize("name", KNOWN)
def test_torchs_own_are_known(name: str) -> None:
    compiler_fn, backend = KNOWN[name]
    module = captured()
    assert recognise(module, compiler_fn(module)).backend == backend


def test_options_are_kept() -> None:
    module = captured()
    compiled = torch.compile(
        module, options={"epilogue_fusion": False}, fullgraph=True, dynamic=False
    )
    known = recognise(module, compiled)
    assert known.options == {"epilogue_fusion": False}
    assert (known.fullgraph, known.dynamic) == (True, False)


def own_backend(module: fx.GraphModule, _: Any) -> Any:
    return module


def hooked(module: fx.GraphModule) -> Any:
    module.register_forward_hook(lambda *_: None)
    return torch.compile(module, backend="eager")


REFUSED: dict[str, tuple[Callable[[fx.GraphModule], Any], str]] = {
    "the module itself": (lambda module: module, "unknown_compiler"),
    "a function around": (
        lambda module: lambda *args: torch.compile(module, backend="eager")(*args),
        "unknown_compiler",
    ),
    "another module": (lambda _: torch.compile(captured(), backend="eager"), "unknown_compiler"),
    "disabled": (lambda module: torch.compiler.disable(module), "unknown_compiler"),
    "own backend": (lambda module: torch.compile(module, backend=own_backend), "unknown_backend"),
    "own backend of a known name": (
        lambda module: torch.compile(module, backend=torch._dynamo.lookup_backend("ts")),
        "unknown_backend",
    ),
    "backend's options": (
        lambda module: torch.compile(module, backend="aot_eager", options={"x": 1}),
        "compiler_option",
    ),
    "guard hooks": (
        lambda module: torch.compile(
            module,
            options={"guard_filter_fn": torch.compiler.skip_all_guards_unsafe},
        ),
        "compiler_option",
    ),
    "forward hooks": (hooked, "compiler_option"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_anything_else_is_refused(name: str) -> None:
    compiler_fn, reason = REFUSED[name]
    module = captured()
    compiled = compiler_fn(module)
    with pytest.raises(RefusalError) as refused:
        recognise(module, compiled)
    assert refused.value.reason == reason


def test_after_repros_are_asked_for_nothing_is_known() -> None:
    module = captured()
    with torch._dynamo.config.patch(repro_after="aot"), pytest.raises(RefusalError):
        recognise(module, torch.compile(module, backend="eager"))
