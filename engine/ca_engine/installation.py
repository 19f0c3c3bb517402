"""Puts our compiler where torch looks for its own, and the recorder around it."""

from __future__ import annotations

import atexit
import logging
import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import torch

from ca_engine import full_disk, lean_trace, slow_storage, trace, warm_start
from ca_engine.capture.compiler import CaptureCompiler
from ca_engine.compat import (
    autograd_cache,
    compiled_autograd,
    dynamo,
    patches,
    structured_trace,
    versions,
)
from ca_engine.lowering import modes
from ca_engine.recorder.changed_lines import ChangedLines
from ca_engine.recorder.compiles import watch_compiles
from ca_engine.recorder.held import HeldValues
from ca_engine.recorder.observer import ObservedCompiler
from ca_engine.recorder.recorder import Recorder
from ca_engine.runtime import RuntimeWrapper
from ca_engine.schema import FailedGuardRecord
from ca_engine.settings import Engine, Settings
from ca_engine.stall_line import StallLine, of_terminal

# Runs around captured graphs, so Dynamo must not trace it. `ca_engine.traced` runs in them.
SKIPPED_BY_DYNAMO = (
    "ca_engine.alignment",
    "ca_engine.capture",
    "ca_engine.code_later",
    "ca_engine.compat",
    "ca_engine.installation",
    "ca_engine.api",
    "ca_engine.lowering",
    "ca_engine.nan_check",
    "ca_engine.passes",
    "ca_engine.reasons",
    "ca_engine.recorder",
    "ca_engine.runtime",
    "ca_engine.trace",
    "ca_engine.tracebacks",
    "ca_engine.trial",
    "ca_engine.warm_start",
    "ca_engine.watch",
)


class MissReasons:
    """The verbose logger: torch words its miss reasons only while one is set.

    The reasons reach us through `log_compile_reasons`; here they are only handed on to
    torch's own logger, which prints them under ``TORCH_LOGS=compiled_autograd_verbose``.
    """

    def debug(self, text: str) -> None:
        compiled_autograd.log_verbose("%s", text)


class Installation:
    """Holds what `install` changed in torch, and undoes it."""

    def __init__(
        self,
        engine: Engine,
        make_compiler: Callable[..., Any],
        recorder: Recorder,
        on_reset: Callable[[], None],
        settings: Settings,
    ) -> None:
        self.engine = engine  # as asked for: with an unknown torch it is torch's all the same
        self.recorder = recorder
        self._on_reset = on_reset
        self._give_back = patches.replace_compiler(make_compiler, self._after_reset)
        self._stop_watching = patches.watch_backwards(recorder.runs.backward_starts)
        values = HeldValues()
        self._lines: ChangedLines | None = None
        if settings.watch_lines is not False:
            asked_for = settings.watch_lines is True
            self._lines = ChangedLines(values, asked_for=asked_for, expected=settings.watched)
        self._stop_noting = watch_compiles(
            recorder.calls.recompiles, self._compile_is_of, values, self._lines
        )
        self._stop_writing_any = structured_trace.write_any_value()
        self._stop_showing_any = structured_trace.write_any_metadata()
        self._stop_timing = dynamo.watch_compiles(self._compile_begins, self._compile_ends)
        self.stall_line: StallLine | None = None
        # Of `ca run`, whose trace shortens what the cache then writes
        self.stop_describing: Callable[[], None] = lambda: None
        self.before_compile: Callable[[], None] = lambda: None
        on_reset()

    def _compile_begins(self, compile_id: str) -> None:
        if self._lines is not None:
            self._lines.compile_begins()
        self.before_compile()
        if self.stall_line is not None:
            self.stall_line.begins(compile_id)
        self.recorder.compile_begins(compile_id)

    def _compile_is_of(
        self, function: str, reasons: list[str], held: list[FailedGuardRecord]
    ) -> None:
        if self.stall_line is not None:
            self.stall_line.named(function, reasons, held)

    def _compile_ends(self, compile_id: str) -> None:
        self.recorder.compile_ends(compile_id)
        if self._lines is not None:
            self._lines.compile_ends()
        if self.stall_line is not None:
            self.stall_line.ends(compile_id)

    def _after_reset(self) -> None:
        RuntimeWrapper.forget_all()
        self._on_reset()

    def undo(self) -> None:
        self._give_back()
        compiled_autograd.set_verbose_logger(None)
        self._stop_watching()
        self._stop_noting()
        self._stop_timing()
        self._stop_writing_any()
        self._stop_showing_any()
        self.stop_describing()
        self.recorder.stop()


# C++ keeps a borrowed pointer to the logger, so it must live as long as the process.
_MISS_REASONS = MissReasons()

_installation: Installation | None = None


def show_stalls() -> None:
    """Say in the terminal, if stderr is one, what a compile of more than two seconds is of."""
    if _installation is not None:
        _installation.stall_line = of_terminal()


def is_installed() -> bool:
    return _installation is not None


# One for the process: see `Recorder`.
_recorder: Recorder | None = None


def install(settings: Settings | None = None, *, insist: bool = False) -> None:
    """Make every way into compiled autograd go through our engine and recorder.

    ``settings`` say whose engine runs and what is recorded; torch's own is recorded where ours
    is untested. With ``enable`` compiled autograd is on for the whole process: every backward is
    captured and compiled with ``torch.compile(backend=…, dynamic=…)``. With ``forward_stacks``
    the lines of the forward are noted after each miss (`recorder.forward`). ``lowering`` is
    whether captured graphs take the short way to their backend; None leaves it to
    ``CA_LOWERING``; with ``background`` they do, and inductor compiles them in another process, as
    it does graphs of Dynamo's. Only our engine lowers. With ``insist`` the user named the engine:
    a warning says where another one is installed already and stays, and where torch's own runs in
    place of ours; the record says the latter anyway.
    """
    global _installation, _recorder
    if _installation is not None:
        if settings is not None and insist and settings.engine != _installation.engine:
            warnings.warn(
                f'engine="{settings.engine}" has no effect: "{_installation.engine}" is already '
                "installed: call ca_engine.uninstall() first",
                stacklevel=2,
            )
        return
    settings = settings or Settings()
    asked = settings.engine
    if asked == "ca" and not versions.is_supported():
        if insist:
            warnings.warn(
                f"ca's engine is untested with torch {torch.__version__}: "
                "torch's own is used and recorded",
                stacklevel=2,
            )
        settings = replace(settings, engine="torch", engine_needs=versions.tested_range())
    is_ours = settings.engine == "ca"
    dynamo.skip(SKIPPED_BY_DYNAMO)
    make_compiler = CaptureCompiler if is_ours else compiled_autograd.stock_compiler()
    if _recorder is None:
        _recorder = Recorder(settings)
    else:
        _recorder.begin_again(settings)

    def switch_on() -> None:
        compiled_autograd.set_verbose_logger(_MISS_REASONS)
        if settings.enable:
            backend, dynamic = settings.backend or "inductor", settings.dynamic
            patches.enable_everywhere(
                partial(torch.compile, backend=backend, dynamic=dynamic), dynamic
            )

    _installation = Installation(
        asked,
        partial(ObservedCompiler, make_compiler, _recorder),
        _recorder,
        switch_on,
        settings,
    )
    background = settings.background
    modes.switch(
        modes.asked_for(settings.lowering, background=background) if is_ours else modes.Mode.OFF,
        background=background,
    )
    if run := os.environ.get("CA_RUN"):
        full_disk.keep_quiet(run)
        slow_storage.do_not_wait(run)
        for handler in structured_trace.file_handlers(below=run):
            structured_trace.keep(handler)
        # A trace that the user asked for, too, is torch's own to the last record.
        if os.environ.get("CA_FULL_TRACE") != "1" and settings.user_torch_trace is None:
            lean_trace.write_less(run)
            _installation.stop_describing = autograd_cache.describe_keys()
    if settings.cache is not None:
        before_compile, save = warm_start.begin(settings.cache)
        _installation.before_compile = before_compile
    _recorder.process_starts()
    atexit.register(_recorder.process_ends)
    if settings.cache is not None:
        atexit.register(save)  # before the process's last record


def uninstall(error: BaseException | None = None) -> None:
    """Give torch its own compiler back. Graphs captured so far stay usable.

    ``error`` is what ended the recording, if anything did.
    """
    global _installation
    if _installation is not None:
        recorder = _installation.recorder
        atexit.unregister(recorder.process_ends)
        recorder.end(error)
        _installation.undo()
        _installation = None
        modes.switch(modes.Mode.OFF)


def settle() -> None:
    """Flush pending records so that a reader sees them."""
    if _installation is not None:
        _installation.recorder.settle()


@contextmanager
def recorded(handler: logging.Handler, *, alone: bool) -> Iterator[None]:
    """Give the trace of ``handler``, begun after `install`, the records of a process of its own.

    With ``alone`` it is the only trace that is written, and nothing before it counts. Without,
    other traces go on, and are not told that this one begins and ends.
    """
    assert _installation is not None
    recorder = _installation.recorder
    if alone:
        recorder.begin_again()
        recorder.process_starts()
        end: Callable[[BaseException | None], None] = recorder.end
    else:
        with trace.only_to(handler):
            end = recorder.begin_part()
    error: BaseException | None = None
    try:
        yield
    except BaseException as raised:
        error = raised
        raise
    finally:
        recorder.settle()
        with trace.only_to(handler):
            end(error)
