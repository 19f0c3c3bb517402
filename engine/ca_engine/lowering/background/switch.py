"""Turns on and off that graphs of Dynamo's are compiled in another process."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module

import torch

from ca_engine.compat import versions

_undo: Callable[[], None] | None = None


def is_on() -> bool:
    return _undo is not None


def switch(*, on: bool) -> None:
    """Turn it on or off for the graphs that Dynamo compiles from now on.

    What it takes is imported now, and not when the first graph waits for it. With a torch that it
    is not known to work with it stays off.
    """
    global _undo
    if on and _undo is None and versions.compiles_graphs_elsewhere():
        # Not at the top: they import inductor, which takes seconds.
        from ca_engine.compat import dynamo_graphs
        from ca_engine.lowering.background.dynamo_graph import compile_graph

        import_module("ca_engine.lowering.background.preparation").prepare()
        _undo = dynamo_graphs.replace_inductor(compile_graph)
    elif not on and _undo is not None:
        _undo()
        _undo = None


@contextmanager
def switched(*, on: bool) -> Iterator[None]:
    """Turn it on or off within."""
    if on and not versions.compiles_graphs_elsewhere():
        warnings.warn(
            f"compiles in the background are unknown with torch {torch.__version__}: they stay off",
            stacklevel=2,
        )
    before = is_on()
    switch(on=on)
    try:
        yield
    finally:
        switch(on=before)
