"""Sizes and scalars that became inputs of a captured graph.

C++ wants a `torch.SymInt` or `torch.SymFloat` back for each lifted number: it puts the
object wherever the number was used, and hands it to us again as an argument. All that the
capture needs from such an object is to know which graph input it stands for, so the node
behind it is a plain Python object that holds the FX node and the number's value now.
Nothing is guarded, no symbol is allocated: `torch.compile` does that later, on the graph.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any, NoReturn

import torch
from torch import fx

# What C++ computes with sizes, for a tensor's element count or to compare geometries.
_OPERATIONS: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "truediv": operator.truediv,
    "int_floordiv": operator.floordiv,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "pow": operator.pow,
    "neg": operator.neg,
    "sym_min": torch.sym_min,
    "sym_max": torch.sym_max,
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "floor": math.floor,
    "ceil": math.ceil,
}


class LiftedNumber:
    """The ``node`` of the `SymInt`/`SymFloat` that stands for one number of the capture.

    It is either an input (`fx_node`), or was computed by C++ from others: then `operation`
    and `operands` say how, so that the builder can put the computation into the graph if the
    result is ever used there.

    The methods are those that torch's C++ may call on a Python SymNode
    (``c10::SymNodeImpl``). They answer from the value in the backward being captured.
    """

    def __init__(
        self,
        value: float,
        fx_node: fx.Node | None = None,
        operation: Callable[..., Any] | None = None,
        operands: tuple[LiftedNumber, ...] = (),
    ) -> None:
        self.value = value
        self.fx_node = fx_node
        self.operation = operation
        self.operands = operands

    def is_int(self) -> bool:
        return isinstance(self.value, int) and not self.is_bool()

    def is_float(self) -> bool:
        return isinstance(self.value, float)

    def is_bool(self) -> bool:
        return isinstance(self.value, bool)

    def is_nested_int(self) -> bool:
        return False

    def is_symbolic(self) -> bool:
        return True

    def is_constant(self) -> bool:
        return False

    def has_hint(self) -> bool:
        return True

    def maybe_as_int(self) -> None:
        return None

    def wrap_int(self, value: int) -> LiftedNumber:
        return LiftedNumber(value)

    wrap_float = wrap_bool = wrap_int

    def guard_int(self, _file: Any, _line: int) -> int:
        return int(self.value)

    def guard_float(self, _file: Any, _line: int) -> float:
        return float(self.value)

    def guard_bool(self, _file: Any, _line: int) -> bool:
        return bool(self.value)

    expect_true = guard_size_oblivious = guard_or_false = guard_or_true = guard_bool

    def __repr__(self) -> str:
        return f"{self.value} lifted by compiled autograd"

    def __getattr__(self, name: str) -> Callable[..., LiftedNumber]:
        operation = _OPERATIONS.get(name)
        if operation is None:
            _refuse(name)

        def compute(*others: LiftedNumber) -> LiftedNumber:
            value = operation(self.value, *(other.value for other in others))
            return LiftedNumber(value, None, operation, (self, *others))

        return compute


def _refuse(name: str) -> NoReturn:
    # AttributeError, because copy, pickle and pybind11 probe for methods.
    raise AttributeError(f"a number lifted by compiled autograd has no {name!r} during capture")


def lift_int(value: int, fx_node: fx.Node) -> torch.SymInt:
    return torch.SymInt(LiftedNumber(value, fx_node))  # type: ignore[no-untyped-call]


def lift_float(value: float, fx_node: fx.Node) -> torch.SymFloat:
    return torch.SymFloat(LiftedNumber(value, fx_node))  # type: ignore[no-untyped-call]
