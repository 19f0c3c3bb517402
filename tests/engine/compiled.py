"""Compilers of captured graphs, and backwards in other threads."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import torch
import torch._dynamo
from torch import fx

Compiled = Callable[..., Any]


def run_graph(module: fx.GraphModule) -> Compiled:
    """Runs the captured graph as it is, node by node."""
    return module


def backward_in_a_thread() -> str:
    """What became of a backward in a thread of its own, which is over then."""
    heard: list[str] = []

    def run() -> None:
        x = torch.ones(3, requires_grad=True)
        try:
            x.exp().sum().backward()
        except Exception as error:
            heard.append(f"{type(error).__name__}: {error}".partition(" compiled autograd call")[0])
        else:
            assert x.grad is not None
            heard.append("it ran")

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(30)
    return heard[0]
