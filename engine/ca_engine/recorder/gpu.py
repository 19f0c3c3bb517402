"""The time that the GPU idled while the host captured or compiled."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import torch

from ca_engine import schema, trace

# Intervals whose events the GPU has not reached yet: one a stall, and a stall is long.
_MAX_PENDING = 256


@dataclass(slots=True)
class _Stall:
    """``first`` and ``last`` are CUDA events at its begin and its end."""

    owner: object
    began: float
    first: Any
    event: str = ""
    seconds: float = 0.0
    last: Any = None


class GpuWaits:
    """Writes a ``ca_gpu_waits`` record of the stalls that the GPU is done with.

    The GPU reaches an event when all that was launched before it is done. So the time between
    one at a stall's begin and one at its end is what was left of the stall when the GPU had run
    out of work; what the compiler itself ran there (autotuning) counts as waiting, too. Measured
    on the current stream of the current device; nothing is synchronized.
    """

    def __init__(self, gpu: Any = torch.cuda) -> None:
        """``gpu`` is `torch.cuda`, or what a test puts in its place."""
        self._gpu = gpu
        self.forget()

    def forget(self) -> None:
        """Forget what is in flight: a forked child has no GPU."""
        self._open: _Stall | None = None
        self._pending: deque[_Stall] = deque(maxlen=_MAX_PENDING)

    def capture_begins(self, capture: object) -> None:
        """Begin a capture; one that never ended was given up."""
        self._begin(capture)

    def compile_begins(self, compile_id: str) -> None:
        """Dynamo or AOTAutograd compiles; within a capture that is a part of the capture."""
        if self._open is None or isinstance(self._open.owner, str):
            self._begin(compile_id)

    def _begin(self, owner: object) -> None:
        self._open = None
        if not trace.is_listening() or not self._gpu.is_initialized():
            return
        self.write()
        event = self._event()
        if event is not None:
            self._open = _Stall(owner, perf_counter(), event)

    def capture_ends(self, capture: object, id: int) -> None:
        """``id`` is the capture's: the 3 of ``!3``."""
        self._end(capture, f"!{id}")

    def compile_ends(self, compile_id: str) -> None:
        """``compile_id`` is Dynamo's: ``3/0``, and ``!5/7/0`` for a captured graph's."""
        self._end(compile_id, compile_id)

    def _end(self, owner: object, event: str) -> None:
        stall = self._open
        if stall is None or stall.owner != owner:
            return
        self._open = None
        stall.event, stall.seconds = event, perf_counter() - stall.began
        stall.last = self._event()
        if stall.last is not None:
            self._pending.append(stall)

    def write(self) -> None:
        """Write the stalls at whose end the GPU has arrived."""
        done: list[_Stall] = []
        waited: list[float] = []
        try:
            while self._pending and not self._is_recorded() and self._pending[0].last.query():
                stall = self._pending.popleft()
                apart = stall.first.elapsed_time(stall.last) / 1e3
                waited.append(round(min(stall.seconds, max(0.0, apart)), 6))
                done.append(stall)
        except RuntimeError:
            # An error of an earlier kernel, which the user's next call of CUDA raises as well.
            self._pending.clear()
        if not done:
            return
        record: schema.GpuWaitsRecord = {
            "schema_version": schema.SCHEMA_VERSION,
            "time": time.time(),
            "device": self._device(),
            "event": [stall.event for stall in done],
            "seconds": [round(stall.seconds, 6) for stall in done],
            "waited": waited,
        }
        trace.compact_artifact(schema.GPU_WAITS_RECORD, lambda: record)

    def _event(self) -> Any:
        """Return an event where the GPU's queue ends now; None if there can be none."""
        try:
            if self._is_recorded():
                return None
            event = self._gpu.Event(enable_timing=True)
            event.record()
        except RuntimeError:
            return None
        return event

    def _is_recorded(self) -> bool:
        """Return whether a CUDA graph is being recorded, which an event would become a part of."""
        return bool(self._gpu.is_current_stream_capturing())

    def _device(self) -> str:
        number = self._gpu.current_device()
        return f"cuda:{number} {self._gpu.get_device_name(number)}"


def used_gpus() -> list[str]:
    """Return those on which this process has allocated memory: ``cuda:0 NVIDIA H200``."""
    gpu: Any = torch.cuda
    if not gpu.is_initialized():
        return []
    try:
        return [
            f"cuda:{number} {gpu.get_device_name(number)}"
            for number in range(gpu.device_count())
            if gpu.max_memory_allocated(number)
        ]
    except RuntimeError:  # the process ends because of one
        return []
