"""Chooses the ways down: ``CA_LOWERING``, ``enable(lowering=True)``, ``install(lowering=True)``.

A graph takes the mode that is on when it is captured.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from importlib import import_module

import torch

from ca_engine.compat import versions
from ca_engine.lowering.background import switch as dynamo_switch

ENVIRONMENT_VARIABLE = "CA_LOWERING"

# The torch versions whose Dynamo and AOTAutograd lowering was compared with.
PROVEN_WITH = frozenset({(2, 11), (2, 12), (2, 13), (2, 14), (2, 15)})


class Mode(Enum):
    """The values of ``CA_LOWERING``.

    All but `OFF` allow the direct way; `L1` and `L2` that one beside it; `ON`, and `CHECK`, which
    compares them with the ordinary way, all.
    """

    OFF = "0"
    ON = "1"
    DIRECT = "direct"
    L1 = "l1"
    L2 = "l2"
    CHECK = "check"

    @property
    def is_on(self) -> bool:
        return self is not Mode.OFF


_current = Mode.OFF
_in_background = False


def current() -> Mode:
    return _current


def in_background() -> bool:
    """Return whether inductor compiles lowered graphs in another process."""
    return _in_background and _current in (Mode.ON, Mode.L2)


def is_proven() -> bool:
    """Return whether lowering was compared with this torch. With any other it stays off."""
    return versions.torch_version() in PROVEN_WITH


def switch(mode: Mode, *, background: bool = False) -> None:
    """Turn to ``mode`` for the graphs captured from now on.

    With ``background`` inductor compiles them in another process, where ``mode`` is one with l2,
    and the graphs that Dynamo compiles; what that takes is imported now, and not when the first
    graph waits for it.
    """
    global _current, _in_background
    if mode.is_on and not is_proven():
        warnings.warn(
            f"lowering is untested with torch {torch.__version__}: graphs go through Dynamo",
            stacklevel=2,
        )
        mode = Mode.OFF
    _current, _in_background = mode, background
    if in_background():
        # Not at the top: it imports inductor, which takes seconds.
        import_module("ca_engine.lowering.background.preparation").prepare()
    dynamo_switch.switch(on=background)


@contextmanager
def switched(mode: Mode, *, background: bool = False) -> Iterator[None]:
    """Turn to ``mode`` within."""
    before = _current, _in_background
    switch(mode, background=background)
    try:
        yield
    finally:
        switch(before[0], background=before[1])


def asked_for(lowering: bool | None, *, background: bool = False) -> Mode:
    """Return the mode for an argument ``lowering``; None leaves it to the environment.

    The environment also says which ways are open where the argument is True, or left out beside
    ``background``, which asks for lowering.
    """
    if lowering is False:
        return Mode.OFF
    from_environment = _from_environment()
    if (lowering or background) and not from_environment.is_on:
        return Mode.ON
    return from_environment


def by_default() -> bool | None:
    """Return ``lowering`` for those who install the engine to be faster, not to measure.

    None, which leaves it to the environment, where that says something; off with a torch that it
    was not proven on.
    """
    return True if not _environment_text() and is_proven() else None


def _environment_text() -> str:
    return os.environ.get(ENVIRONMENT_VARIABLE, "").strip().lower()


def _from_environment() -> Mode:
    text = _environment_text()
    if not text:
        return Mode.OFF
    try:
        return Mode(text)
    except ValueError:
        known = ", ".join(mode.value for mode in Mode)
        warnings.warn(
            f"{ENVIRONMENT_VARIABLE}={text} is unknown and has no effect; known are {known}",
            stacklevel=2,
        )
        return Mode.OFF
