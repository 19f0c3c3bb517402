"""Sizes and scalars that became inputs of a captured graph.

C++ wants a `torch.SymInt` or `torch.SymFloat` back for each lifted number: it puts the
object wherever the number was used, and hands it to us again as an argument. All that the
capture needs from such an object is to know which graph input it stands for, so the node
behind it is a plain Python object that holds the FX node and the number's value now.
Nothing is guarded, no symbol is allocated: `torch.compile` does that later, on the graph.
"""

from __future__ import annotations

from typing import Any, NoReturn

import torch
from torch import fx


class LiftedNumber:
    """The ``node`` of the `SymInt`/`SymFloat` that stands for one lifted number.

    The methods are those that torch's C++ may call on a Python SymNode
    (``c10::SymNodeImpl``); they answer from the value that the number has in the backward
    being captured. Arithmetic is refused: its result could not be found again in the graph.
    """

    def __init__(self, value: float, fx_node: fx.Node) -> None:
        self.value = value
        self.fx_node = fx_node

    def is_int(self) -> bool:
        return isinstance(self.value, int)

    def is_float(self) -> bool:
        return isinstance(self.value, float)

    def is_bool(self) -> bool:
        return False

    def is_nested_int(self) -> bool:
        return False

    def is_symbolic(self) -> bool:
        return True

    def is_constant(self) -> bool:
        return False

    def has_hint(self) -> bool:
        return True

    def maybe_as_int(self) -> int | None:
        return None

    def maybe_as_float(self) -> float | None:
        return None

    def guard_int(self, _file: Any, _line: int) -> int:
        return int(self.value)

    def guard_float(self, _file: Any, _line: int) -> float:
        return float(self.value)

    def __repr__(self) -> str:
        return f"{self.fx_node.name}={self.value}"

    def __getattr__(self, name: str) -> NoReturn:
        # Dunder and private look-ups (copy, pickle, pybind11's probing) expect AttributeError.
        raise AttributeError(
            f"a size or scalar lifted by compiled autograd has no {name!r} during capture"
        )


def lift_int(value: int, fx_node: fx.Node) -> torch.SymInt:
    return torch.SymInt(LiftedNumber(value, fx_node))  # type: ignore[no-untyped-call]


def lift_float(value: float, fx_node: fx.Node) -> torch.SymFloat:
    return torch.SymFloat(LiftedNumber(value, fx_node))  # type: ignore[no-untyped-call]
