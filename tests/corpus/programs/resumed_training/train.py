"""Trains the flow, goes back to the best checkpoint, and trains on with a lower rate."""

import math
from functools import partial

import torch
from checkpoint import Checkpoint, swapped
from flow import Flow


def rings(count, noise):
    angle = 2 * math.pi * torch.rand(count, 2)
    points = torch.stack([angle.cos(), angle.sin()], dim=-1).flatten(1)
    return points + noise * torch.randn_like(points)


def negative_log_likelihood(likelihood, penalty, points):
    return -likelihood(points).mean() + penalty


def train(objective, optimizer, steps, draw):
    losses = []
    for _ in range(steps):
        loss = objective(draw(32))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def main():
    torch.manual_seed(0)
    model = Flow()
    likelihood = torch.compile(model, backend="eager")
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    checkpoint = Checkpoint(model=model, optimizer=optimizer)
    averaged = {name: value.clone() for name, value in model.state_dict().items()}
    draw = partial(rings, noise=0.05)
    for stage, rate in enumerate((1e-2, 3e-3, 1e-3)):
        for group in optimizer.param_groups:
            group["lr"] = rate
        objective = partial(negative_log_likelihood, likelihood, 0.1 * stage)
        checkpoint.save()
        losses = train(objective, optimizer, 4, draw)
        if losses[-1] > losses[0]:
            checkpoint.restore()
        for name, value in model.state_dict().items():
            averaged[name].lerp_(value, 0.5)
        with torch.inference_mode(), swapped(model, averaged):
            print(f"stage {stage}: {model(draw(50)).mean().item():.3f}")


if __name__ == "__main__":
    main()
