"""Captured modules whose code is written and compiled once something wants it.

That takes two thirds of a capture, and a graph that is lowered to ATen never runs as it was
captured. Until then the module's ``forward`` is a function of one line, and it remains the same
function when it gets its code: whoever holds it, or a method of it, then runs that code. Whatever
looks at the code (``module.code``, a call, a pickle) has it compiled, but not Dynamo, which would
trace the one line: whoever runs what ``torch.compile`` made of such a module calls `compile_code`
first.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any

import torch
from torch import fx

from ca_engine.compat import dynamo, fx_graphs


def put_off(module: fx.GraphModule) -> None:
    """Let ``module`` wait for its code; its ``forward`` is one line that calls `compile_code`."""
    for attribute in fx_graphs.CODE_ATTRIBUTES:
        module.__dict__.pop(attribute, None)
    # FX makes a class for each module.
    for method, stand_in in _STAND_INS.items():
        setattr(type(module), method, stand_in)


def compile_code(module: fx.GraphModule) -> fx.GraphModule:
    """Write and compile the code of ``module`` unless that was done; return ``module``."""
    kind: Any = type(module)
    if "__getattr__" not in vars(kind):
        return module
    for method in _STAND_INS:
        delattr(kind, method)
    forward: FunctionType = vars(kind)["forward"]
    module.recompile()
    compiled: FunctionType = vars(kind)["forward"]
    before, forward.__code__ = forward.__code__, compiled.__code__
    forward.__globals__.clear()
    forward.__globals__.update(compiled.__globals__)
    kind.forward = forward
    dynamo.move_code_context(before, forward.__code__)
    return module


def _attribute(module: fx.GraphModule, name: str) -> Any:
    if name in fx_graphs.CODE_ATTRIBUTES:
        return getattr(compile_code(module), name)
    return torch.nn.Module.__getattr__(module, name)


def _reduce(module: fx.GraphModule) -> Any:
    return compile_code(module).__reduce__()


def _reduce_package(module: fx.GraphModule, exporter: Any) -> Any:
    return compile_code(module).__reduce_package__(exporter)


_STAND_INS: dict[str, Any] = {
    "__getattr__": _attribute,
    "__reduce__": _reduce,
    "__reduce_package__": _reduce_package,
}
