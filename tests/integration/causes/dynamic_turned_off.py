"""Prompts of any length are served with ``dynamic=False``, up to the recompile limit."""

# finds CA102 /^drop dynamic=False/
# never /won't help|pad to one length/
import torch
from torch import nn


def build(options: dict) -> object:
    layer = nn.Linear(6, 6)

    def encode(words: torch.Tensor) -> torch.Tensor:
        return layer(words).softmax(1).mean(1)

    return torch.compile(encode, backend="eager", dynamic=options["dynamic"])


OPTIONS = {"name": "encoder", "dynamic": False}  # <- CA102
encode = build(OPTIONS)
with torch.no_grad():
    for length in (6, 9, 14, 7, 21, 11):
        encode(torch.randn(2, length, 6))
