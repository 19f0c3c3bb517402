"""A captured graph that runs as it is until inductor has compiled it in another process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

import torch

from ca_engine import schema
from ca_engine.lowering.background.waiting import Waiting
from ca_engine.lowering.background.worker import WorkerError
from ca_engine.lowering.direct import Direct
from ca_engine.lowering.level2 import Level2
from ca_engine.lowering.refusal import RefusalError


class InBackground:
    """Results are those of backend ``eager`` until the compiled graph takes over.

    ``changed`` is called when it has, and when it never will. ``refused`` is called
    where the graph can't be lowered to ATen, with the arguments of the backward that is about to
    run, which it runs in some other way.
    """

    def __init__(
        self,
        direct: Direct,
        waiting: Waiting,
        changed: Callable[[InBackground, RefusalError | None], None],
        refused: Callable[..., Sequence[Any]],
    ) -> None:
        self._direct = direct
        self._waiting: Waiting | None = waiting
        self._changed = changed
        self._refused = refused
        self._compiled: Level2 | None = None
        self._last: float | None = None  # seconds of the last run, None before the first
        self.background: schema.LoweringBackground = _said("compiling", waiting)
        self.cache: schema.LoweringCache | None = None

    @property
    def name(self) -> schema.LoweringWay:
        return Level2.name if self.background["state"] == "ready" else self._direct.name

    def admits(self, _: list[torch.Tensor]) -> bool:
        return True

    def differs_in_memory(self, _: list[torch.Tensor]) -> bool:
        return False

    def failed(self, _: list[torch.Tensor]) -> str:
        raise AssertionError("there is no guard that could fail")

    def run(self, inputs: list[torch.Tensor], *rest: Any) -> Sequence[Any]:
        # Not before the first, which has waited for the capture.
        waiting, last = self._waiting, self._last
        if waiting and last is not None and not self._advance(waiting, inputs, last):
            return self._refused(inputs, *rest)
        compiled = self._compiled
        if compiled is not None:
            if compiled.admits(inputs):
                return compiled.run(inputs, *rest)
            self._guard_failed(compiled.failed(inputs))
        begin = perf_counter()
        try:
            return self._direct.run(inputs, *rest)
        finally:
            self._last = perf_counter() - begin

    def _advance(self, waiting: Waiting, inputs: list[torch.Tensor], seconds: float) -> bool:
        """Return whether the graph can be lowered to ATen, as far as is known."""
        try:
            self._compiled = waiting.advance(inputs, seconds)
        except RefusalError:
            return False
        except WorkerError as error:
            self._end("failed", waiting, str(error))
        except Exception as error:
            # Whatever it is, the training goes on without.
            self._end("failed", waiting, f"{type(error).__name__}: {error}")
        else:
            if self._compiled is not None:
                self._end("ready", waiting, None)
        return True

    def _end(self, state: schema.BackgroundState, waiting: Waiting, why: str | None) -> None:
        self._waiting = None
        self.background = _said(state, waiting, why)
        self.cache = None if waiting.compiled is None else waiting.compiled.cache
        self._changed(self, None)

    def _guard_failed(self, what: str) -> None:
        if self.background["state"] != "guard":
            self.background = {**self.background, "state": "guard"}
            self._changed(self, RefusalError("guard", what))


def _said(
    state: schema.BackgroundState, waiting: Waiting, why: str | None = None
) -> schema.LoweringBackground:
    done = waiting.compiled
    return {
        "state": state,
        "backwards": waiting.backwards,
        "waited": perf_counter() - waiting.began,
        "own_seconds": waiting.seconds,
        "compile_seconds": None if done is None else done.seconds,
        "reason": why,
    }
