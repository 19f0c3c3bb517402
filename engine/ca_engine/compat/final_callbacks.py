"""What Python code queues on the autograd engine to run at the end of a backward.

C++ keeps such callbacks with the backward's graph task, and runs none of them where a captured
graph ran in place of the nodes: Dynamo, which traces ``queue_callback``, runs them itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.autograd import Variable


class FinalCallbacks:
    """The callbacks of one backward, whose graph task is the current one when this is made."""

    def __init__(self) -> None:
        self._task = _current_task()
        self._callbacks: list[Callable[[], None]] = []

    def run(self) -> None:
        """Call each once, in the order in which they were queued; one may queue another."""
        for callback in self._callbacks:
            callback()

    @contextmanager
    def collected(self) -> Iterator[None]:
        """Collect what this backward queues through ``Variable._execution_engine``.

        Other threads' backwards, and those that this one's hooks start, queue as ever.
        """
        genuine = Variable._execution_engine
        setattr(Variable, _ENGINE, _Collecting(genuine, self._task, self._callbacks))
        try:
            yield
        finally:
            setattr(Variable, _ENGINE, genuine)


class _Collecting:
    """An autograd engine that keeps one graph task's callbacks in a list."""

    def __init__(self, genuine: Any, task: int, callbacks: list[Callable[[], None]]) -> None:
        self._genuine = genuine
        self._task = task
        self._callbacks = callbacks

    def __getattr__(self, name: str) -> Any:
        return getattr(self._genuine, name)

    def queue_callback(self, callback: Callable[[], None]) -> None:
        if _current_task() == self._task:
            self._callbacks.append(callback)
        else:
            self._genuine.queue_callback(callback)


_ENGINE = "_execution_engine"


def _current_task() -> int:
    """Return the number of the backward that this thread runs; -1 outside of one."""
    return torch._C._current_graph_task_id()
