"""Trains the detector, with validation after each epoch."""

import logging
from dataclasses import dataclass

import torch
from anchors import pictures
from detector import Detector

log = logging.getLogger("anchor_detector")


@dataclass
class Run:
    grid: int = 3
    gamma: float = 1.5
    epochs: int = 3
    batches: int = 3
    lr: float = 1e-2


@torch.no_grad()
def validate(model, run):
    model.eval()
    losses = [model(*batch) for batch in pictures(2, grid=run.grid, seed=9)]
    model.train()
    return torch.stack(losses).mean().item()


def main():
    run = Run()
    torch.manual_seed(0)
    model = torch.compile(Detector(run.grid, gamma=run.gamma), backend="aot_eager")
    optimizer = torch.optim.SGD(model.parameters(), lr=run.lr, momentum=0.9)
    for epoch in range(run.epochs):
        for group in optimizer.param_groups:
            group["lr"] = run.lr * 0.5**epoch
        for batch in pictures(run.batches, grid=run.grid, seed=epoch):
            loss = model(*batch)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        log.info("epoch %d: %.3f", epoch, validate(model, run))


if __name__ == "__main__":
    main()
