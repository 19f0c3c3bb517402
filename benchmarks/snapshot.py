"""How long the recorder looks at an autograd graph when it is captured."""

from __future__ import annotations

import gc
import statistics
from time import process_time

from benchmarks import models
from ca_engine.recorder.snapshot import GraphSnapshotter, number_nodes
from ca_engine.recorder.stack import find_backward_call

REPEATS = 5


def measure(layers: int) -> dict[str, float]:
    """CPU seconds of snapshots of an MLP's graph.

    ``first`` also looks through the process for the modules that own the parameters; the
    median of the later ones, with the names known, is ``later``.
    """
    loss = models.mlp(layers)()
    call = find_backward_call()._replace(roots=(loss,))
    snapshotter = GraphSnapshotter()
    seconds = []
    for _ in range(1 + REPEATS):
        gc.collect()
        start = process_time()
        snapshotter.take(call)
        seconds.append(process_time() - start)
    return {
        "nodes": float(len(number_nodes([loss], []))),
        "first": seconds[0],
        "later": statistics.median(seconds[1:]),
    }
