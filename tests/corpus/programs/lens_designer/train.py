"""Designs an objective lens by gradient descent over its powers and gaps."""

import torch
from optics import Objective, spot_size
from schedule import apply, cosine

STEPS = 14


def bundle(fields=5, rays=32):
    heights = torch.linspace(-4, 4, rays).expand(fields, rays)
    slopes = torch.linspace(-0.05, 0.05, fields).unsqueeze(1).expand(fields, rays)
    return heights, slopes


def main():
    lens = Objective()
    rate = cosine(1e-2, STEPS)
    optimizer = torch.optim.Adam(lens.parameters(), lr=rate(0))

    @torch.compile(backend="eager", dynamic=False)
    def update():
        optimizer.step()

    trace = torch.compile(lens, backend="eager")
    rays = bundle()
    for step in range(STEPS):
        apply(optimizer, rate(step))
        optimizer.zero_grad()
        heights, _ = trace(*rays)
        spot_size(heights).backward()
        update()
    print(lens.powers.detach(), lens.gaps.detach())


if __name__ == "__main__":
    main()
