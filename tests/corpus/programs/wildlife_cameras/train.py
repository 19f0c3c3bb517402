"""Learns to tell animals apart without labels."""

from dataclasses import dataclass

import torch
from features import Camera, Memory
from torch._dynamo import compiled_autograd
from torch.nn import functional
from trap import visits


@dataclass
class Options:
    steps: int = 8
    remembered: int = 3
    heat: float = 0.2
    lr: float = 0.05


def contrast(one, other, negatives, heat):
    own = (one * other).sum(1, keepdim=True)
    scores = torch.cat([own, one @ negatives.T], 1) / heat
    return functional.cross_entropy(scores, torch.zeros(len(one), dtype=torch.long))


def main(options):
    torch.manual_seed(0)
    camera, memory = Camera(), Memory(options.remembered)
    optimizer = torch.optim.SGD(camera.parameters(), lr=options.lr)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for first, second in visits(options.steps):
            one, other = camera(first), camera(second)
            loss = contrast(one, other, memory.negatives(other), options.heat)
            optimizer.zero_grad()
            loss.backward(retain_graph=True)
            optimizer.step()
            memory.add(other)


if __name__ == "__main__":
    main(Options())
