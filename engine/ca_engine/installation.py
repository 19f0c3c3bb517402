"""Puts our compiler where torch looks for its own, and the recorder around it."""

from __future__ import annotations

import atexit
import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Literal

import torch

from ca_engine import compat, full_disk
from ca_engine.capture.compiler import CaptureCompiler
from ca_engine.recorder.observer import ObservedCompiler
from ca_engine.recorder.recorder import Recorder
from ca_engine.runtime import RuntimeWrapper

# Runs around captured graphs, so Dynamo must not trace it. `ca_engine.traced` runs in them.
SKIPPED_BY_DYNAMO = (
    "ca_engine.capture",
    "ca_engine.compat",
    "ca_engine.installation",
    "ca_engine.api",
    "ca_engine.passes",
    "ca_engine.recorder",
    "ca_engine.runtime",
    "ca_engine.trace",
    "ca_engine.trial",
)


class MissReasons:
    """The verbose logger: torch words its miss reasons only while one is set.

    The reasons reach us through `log_compile_reasons`; here they are only handed on to
    torch's own logger, which prints them under ``TORCH_LOGS=compiled_autograd_verbose``.
    """

    def debug(self, text: str) -> None:
        compat.log_verbose("%s", text)


class Installation:
    """What `install` changed in torch, and the way back."""

    def __init__(
        self, make_compiler: Callable[..., Any], recorder: Recorder, on_reset: Callable[[], None]
    ) -> None:
        self.recorder = recorder
        engine: Any = compat.torch_engine
        self._stock_compiler = engine.AutogradCompilerInstance
        self._stock_reset = engine.reset
        self._on_reset = on_reset
        engine.AutogradCompilerInstance = make_compiler
        engine.reset = self._reset
        self._stop_watching = compat.watch_backwards(recorder.backward_starts)
        on_reset()

    def _reset(self) -> None:
        # Resetting clears the verbose logger and the compiler that is enabled.
        self._stock_reset()
        RuntimeWrapper.forget_all()
        self._on_reset()

    def undo(self) -> None:
        engine: Any = compat.torch_engine
        engine.AutogradCompilerInstance = self._stock_compiler
        engine.reset = self._stock_reset
        compat.set_verbose_logger(None)
        self._stop_watching()
        if self.recorder.forward is not None:
            self.recorder.forward.forget()


# C++ keeps a borrowed pointer to the logger, so it must live as long as the process.
_MISS_REASONS = MissReasons()

_installation: Installation | None = None


def is_installed() -> bool:
    return _installation is not None


def install(
    *,
    engine: Literal["ca", "torch"] = "ca",
    enable: bool = False,
    backend: str | None = None,
    dynamic: bool | None = None,
    forward_stacks: bool = False,
) -> None:
    """Makes every way into compiled autograd go through our engine and recorder.

    ``engine="torch"`` keeps torch's own engine and only records. With ``enable`` compiled
    autograd is on for the whole process: every backward is captured and compiled with
    ``torch.compile(backend=…, dynamic=…)``. With ``forward_stacks`` the lines of the forward
    are noted after each miss (`recorder.forward`). Does nothing if installed already.
    """
    global _installation
    if _installation is not None:
        return
    if engine == "ca" and not compat.is_supported():
        warnings.warn(
            f"ca's engine is untested with torch {torch.__version__}: "
            "torch's own is used and recorded",
            stacklevel=2,
        )
        engine = "torch"
    for module in SKIPPED_BY_DYNAMO:
        torch._dynamo.trace_rules.add(module)
    make_compiler = (
        CaptureCompiler if engine == "ca" else compat.torch_engine.AutogradCompilerInstance
    )
    recorder = Recorder(
        engine, enabled=enable, backend=backend, dynamic=dynamic, forward_stacks=forward_stacks
    )

    def switch_on() -> None:
        compat.set_verbose_logger(_MISS_REASONS)
        if enable:
            compat.enable_everywhere(
                partial(torch.compile, backend=backend or "inductor", dynamic=dynamic), dynamic
            )

    _installation = Installation(
        partial(ObservedCompiler, make_compiler, recorder), recorder, switch_on
    )
    if run := os.environ.get("CA_RUN"):
        full_disk.keep_quiet(run)
    recorder.process_starts()
    atexit.register(recorder.process_ends)


def uninstall() -> None:
    """Gives torch its own compiler back. Graphs captured so far stay usable."""
    global _installation
    if _installation is not None:
        atexit.unregister(_installation.recorder.process_ends)
        _installation.recorder.process_ends()
        _installation.undo()
        # Fork handlers can't be unregistered, so the recorder itself lives on.
        _installation.recorder.forget()
        _installation = None


def settle() -> None:
    """Writes what is recorded but not written yet, for who reads the trace meanwhile."""
    if _installation is not None:
        _installation.recorder.settle()


@contextmanager
def recorded(*, anew: bool) -> Iterator[None]:
    """A trace that began after `install` gets the records of a process of its own.

    With ``anew`` nothing before it counts: for the one trace that is written.
    """
    assert _installation is not None
    recorder = _installation.recorder
    if anew:
        recorder.begin_anew()
    recorder.process_starts()
    try:
        yield
    finally:
        recorder.process_ends()
