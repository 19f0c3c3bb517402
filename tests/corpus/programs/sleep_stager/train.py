"""Trains a sleep stager on nights of any length."""

import time

import torch
from nights import batches
from stager import Stager


def main():
    torch.manual_seed(0)
    stager = Stager(dropout=0.1)
    compiled = torch.compile(stager, backend="aot_eager")
    optimizer = torch.optim.Adam(stager.parameters(), lr=4e-3)
    schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.97)
    began, nights, losses = time.time(), 0, []
    for batch in batches(14):
        _, loss = compiled(batch["signal"], batch["stages"])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        nights += len(batch["lengths"])
        losses.append(loss.item())
        if losses[-1] > 10:
            raise RuntimeError(f"diverged after {nights} nights")
    print(f"{losses[0]:.2f} → {losses[-1]:.2f}, {nights / (time.time() - began):.0f} nights/s")


if __name__ == "__main__":
    main()
