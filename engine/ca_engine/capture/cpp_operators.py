"""Operators that C++ itself runs while it drives a Python autograd Function.

A Function's backward gets zeros for outputs that nobody used. C++ makes them on the way to
`proxy_call_backward`, as a real ``at::zeros`` of the output's shape. The graph must do that
instead, since the shape may be dynamic: so a dispatch mode catches what C++ runs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ca_engine.capture.builder import GraphBuilder
from ca_engine.compat.tensors import TorchDispatchMode


class CppOperators(TorchDispatchMode):
    """While started, operators become nodes of the captured graph instead of running.

    Started for as short as possible: if C++ raises before it comes back to us, nobody says
    so, and the mode is only left when the capture is dropped.
    """

    def __init__(self, builder: GraphBuilder) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._builder = builder
        self._started = False

    def start(self) -> None:
        if not self._started:
            self.__enter__()  # type: ignore[no-untyped-call]
            self._started = True

    def stop(self) -> None:
        if self._started:
            self._started = False
            self.__exit__(None, None, None)  # type: ignore[no-untyped-call]

    def __torch_dispatch__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> torch.Tensor:
        return self._builder.handle_for(self._builder.call(func, args, kwargs))
