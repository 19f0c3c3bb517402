"""Telling torch's logs and trace about a capture, under the names that torch's engine uses.

Each text is built only if its listener exists: printing a graph of thousands of nodes costs
as much as capturing it.
"""

from __future__ import annotations

from time import time_ns

import torch
from torch import fx

from ca_engine import trace
from ca_engine.compat import compiled_autograd, fx_graphs


def announce_raw_graph(root: torch.nn.Module, graph: fx.Graph, capture: int) -> None:
    """Write the graph in the order of the conversation with C++, before any pass."""
    trace.artifact(
        "compiled_autograd_graph_pre_reordering",
        lambda: fx_graphs.readable_code(root, graph, f"CompiledAutograd{capture}PreReordering"),
        encoding="string",
        capture=capture,
    )


def announce_graph(module: fx.GraphModule, capture: int) -> None:
    """Write the graph that is compiled: to the trace and ``TORCH_LOGS=compiled_autograd``."""
    compiled_autograd.log_graph(module)
    trace.record(
        "compiled_autograd_graph",
        lambda: module.print_readable(print_output=False),
        capture=capture,
    )


def announce_capture(capture: int, start_ns: int) -> None:
    """Write the span of the capture, ``start_ns`` (since the epoch) until now, as a chromium event.

    Begin and end are both written at the end: a capture that fails leaves no span open.
    """
    compiled_autograd.log_capture_span(capture, start_ns, time_ns())
