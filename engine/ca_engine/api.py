"""The engine from Python: for notebooks, tests, and scripts that want it by name.

Each of `enable` and `disable` takes effect when it is called, like
``torch.set_grad_enabled``; used in a ``with`` statement, it ends with the block.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from types import TracebackType
from typing import Any, ClassVar

from torch import fx

from ca_engine import compat
from ca_engine.installation import install, uninstall

__all__ = ["disable", "enable", "install", "reset", "uninstall"]

CompilerFn = Callable[[fx.GraphModule], Callable[..., Any]]


class _Switch:
    """A change of compiled autograd's state, made now and undone at the end of a block."""

    # Torch's switches are generators, which undo their change when they are collected. One
    # called as a function is referred to by nobody else.
    _in_effect: ClassVar[list[_Switch]] = []

    def __init__(self, change: AbstractContextManager[Any]) -> None:
        self._stack = ExitStack()
        self._stack.enter_context(change)
        self._in_effect.append(self)

    def __enter__(self) -> None:
        return None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._in_effect.remove(self)
        self._stack.__exit__(kind, error, traceback)


def enable(compiler_fn: CompilerFn, *, dynamic: bool = False) -> _Switch:
    """Captures every following backward with our engine and compiles it.

    ``compiler_fn`` takes the captured `torch.fx.GraphModule`, whose signature is
    ``(inputs, sizes, scalars, hooks, packed_data) -> sequence of gradients``, and returns
    what is to run in its place; ``torch.compile`` fits. With ``dynamic`` sizes are graph
    inputs from the first capture on; without, only once they have changed.

    Like torch's own switches it holds for the whole process, and nested uses must end in
    the reverse order of their beginning.

        >>> import torch, ca_engine
        >>> x = torch.ones(3, requires_grad=True)
        >>> with ca_engine.enable(torch.compile):
        ...     (x * 2).sum().backward()
    """
    install()
    return _Switch(compat.torch_engine._enable(compiler_fn, dynamic=dynamic))


def disable() -> _Switch:
    """Runs every following backward in eager mode again."""
    return _Switch(compat.torch_engine._disable())


def reset() -> None:
    """Forgets all captured graphs and turns compiled autograd off.

    Raises AssertionError when called from within a compiled backward, a hook for instance.
    """
    compat.torch_engine.reset()
