"""The functions that stand in captured graphs, and how to tell torch's own from others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

import torch
import torch._dynamo.compiled_autograd as torch_engine
from torch._dynamo.external_utils import (
    FakeCompiledAutogradEngine,
    call_accumulate_grad,
    call_backward,
    call_hook,
    unwrap_maybe_dynamic_int,
)
from torch._ops import OpOverload
from torch.utils._python_dispatch import TorchDispatchMode

__all__ = [
    "EXEC_FINAL_CALLBACKS",
    "call_accumulate_grad",
    "call_backward",
    "call_cpp_tensor_pre_hooks",
    "call_hook",
    "cpp_function",
    "cpp_function_as_traced",
    "is_operator",
    "is_untraceable",
    "unwrap_maybe_dynamic_int",
]

# Dynamo replaces calls of this stub by the execution of the backward's final callbacks.
EXEC_FINAL_CALLBACKS = FakeCompiledAutogradEngine._exec_final_callbacks_stub

call_cpp_tensor_pre_hooks = torch._C._dynamo.compiled_autograd.call_cpp_tensor_pre_hooks


def is_operator(target: object) -> bool:
    """Return whether ``target`` is an operator of torch, or the function of a C++ autograd node."""
    if isinstance(target, OpOverload):
        return target.namespace in ("prims", "aten")
    return isinstance(target, torch_engine.Op) and not target.is_custom_function


def is_untraceable(target: object) -> bool:
    """Return whether ``target`` is a C++ Function's that Dynamo calls without looking into it."""
    return isinstance(target, FunctionType) and target.__module__ == torch_engine.__name__


def cpp_function(target: Any) -> Any:
    """Return the C++ function behind torch's callable for a node; else ``target`` itself."""
    return target.fn if isinstance(target, torch_engine.Op) else target


# Their gradients look for zeros in the values and divide where there are none. While they are
# traced there are no values, and they multiply (FunctionsManual.cpp, `prod_backward` and
# `cumprod_backward`).
_CHOOSE_BY_VALUES = frozenset({"CumprodBackward0", "ProdBackward0", "ProdBackward1"})


def cpp_function_as_traced(target: Any) -> Any:
    """As `cpp_function`, computing what AOTAutograd's graph of the call computes."""
    function = cpp_function(target)
    if function is target or target.__name__ not in _CHOOSE_BY_VALUES:
        return function
    return _without_a_choice(function)


def _without_a_choice(function: Callable[..., Any]) -> Callable[..., Any]:
    def run(*args: Any) -> Any:
        with _LikeTracing():  # type: ignore[no-untyped-call]
            return function(*args)

    return run


class _LikeTracing(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Runs operators as they are; under any such mode C++ does not look at values."""

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Any = None
    ) -> Any:
        return func(*args, **(kwargs or {}))
