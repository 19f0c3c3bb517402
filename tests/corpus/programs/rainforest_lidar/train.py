"""Learns the ground below a forest, from coarse to fine."""

import torch
from canopy import tiles
from ground import Ground
from monitor import GradientShare
from torch._dynamo import compiled_autograd
from torch.nn import functional


def main(steps=9, patience=3, accumulate=1):
    torch.manual_seed(0)
    model = Ground()
    monitor = GradientShare(model)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for step, (points, echo, ground) in enumerate(tiles(steps), start=1):
            guess = model(points, echo)
            loss = functional.smooth_l1_loss(guess, ground, beta=0.1) / accumulate
            loss.backward()
            monitor()
            if step % accumulate == 0:
                optimizer.step()
                optimizer.zero_grad()
            if step % patience == 0:
                model.refine()
                accumulate = min(accumulate + 1, 2)


if __name__ == "__main__":
    main()
