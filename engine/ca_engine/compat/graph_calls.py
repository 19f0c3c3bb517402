"""The functions that stand in captured graphs, and how to tell torch's own from others."""

from __future__ import annotations

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

__all__ = [
    "EXEC_FINAL_CALLBACKS",
    "call_accumulate_grad",
    "call_backward",
    "call_cpp_tensor_pre_hooks",
    "call_hook",
    "cpp_function",
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
    """The C++ function behind torch's callable for an autograd node; else ``target`` itself."""
    return target.fn if isinstance(target, torch_engine.Op) else target
