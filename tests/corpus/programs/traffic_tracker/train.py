"""Measures how hard each frame would pull on a tracker, before it is trained."""

import torch
from model import Tracker
from torch._dynamo import compiled_autograd
from torch.nn import functional


def frames(count, batch=4, cars=6):
    generator = torch.Generator().manual_seed(2)
    positions = torch.rand(batch, cars, generator=generator)
    speeds = 0.1 * torch.rand(batch, cars, generator=generator)
    for _ in range(count):
        yield positions, positions + speeds
        positions = positions + speeds


def main():
    torch.manual_seed(0)
    tracker = Tracker()
    pulls = []
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for now, then in frames(5):
            loss = functional.mse_loss(tracker("north", now), then)
            tracker.zero_grad()
            loss.backward(retain_graph=True)
            gradients = [one.grad for one in tracker.parameters()]
            pulls.append(torch.nn.utils.get_total_norm(gradients))


if __name__ == "__main__":
    main()
