"""`import ca_engine`: the switches, recording from Python, and the cache."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import fx

import ca_engine
from tests.engine.recorded import backward


def test_enable_ends_with_its_block(
    captured: list[fx.GraphModule], keep: Callable[[fx.GraphModule], Any]
) -> None:
    with ca_engine.enable(keep):
        backward(torch.sin)
        with ca_engine.disable():
            backward(torch.cos)
        backward(torch.tan)
    backward(torch.exp)
    assert len(captured) == 2


def test_enable_as_a_function_holds_until_undone(
    captured: list[fx.GraphModule], keep: Callable[[fx.GraphModule], Any]
) -> None:
    switch = ca_engine.enable(keep)
    backward(torch.sin)
    switch.undo()
    switch.undo()
    backward(torch.cos)
    assert len(captured) == 1


def test_disable_as_a_function_holds(
    captured: list[fx.GraphModule], keep: Callable[[fx.GraphModule], Any]
) -> None:
    switch = ca_engine.enable(keep)
    off = ca_engine.disable()
    backward(torch.sin)
    off.undo()
    backward(torch.cos)
    switch.undo()
    assert len(captured) == 1
