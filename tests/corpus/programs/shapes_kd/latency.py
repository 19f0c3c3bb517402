"""How fast would the student be on the board? It has two cores and no gradients."""

import statistics
import time

import torch

BOARD_CORES = 2


def board_latency(net, example, repeats=5):
    """Median milliseconds of one picture."""
    torch.set_num_threads(BOARD_CORES)
    took = []
    with torch.inference_mode():
        for _ in range(repeats):
            began = time.perf_counter()
            net(example)
            took.append(time.perf_counter() - began)
    return 1000 * statistics.median(took)
