"""A compiled forward appends to a file, by way of a helper that holds a lock."""

# finds CA804|CA806|CA809 /out of|outside/
import tempfile
import threading

import torch
from torch import nn

FILE = tempfile.NamedTemporaryFile("w")
LOCK = threading.Lock()


def record(value: int) -> None:
    with LOCK:  # <- CA804|CA806|CA809
        FILE.write(f"{value}\n")  # <- CA804|CA806|CA809


model = nn.Linear(4, 4)


@torch.compile(backend="eager")
def forward(x: torch.Tensor) -> torch.Tensor:
    hidden = model(x).relu()
    record(len(hidden))  # <- CA804|CA806|CA809
    return hidden.sum()


for _ in range(4):
    forward(torch.randn(3, 4)).backward()
