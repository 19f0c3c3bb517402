"""Trains on a table that is labelled in part, by accelerate."""

import torch
from accelerate import Accelerator
from batches import Alternating
from model import TableModel


def main(steps=12):
    torch.manual_seed(0)
    accelerator = Accelerator(cpu=True)
    model = TableModel()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.1, total_iters=steps)
    model, optimizer, schedule = accelerator.prepare(model, optimizer, schedule)
    model.compile(backend="eager")
    for batch in Alternating(steps):
        with accelerator.accumulate(model):
            loss = model(batch)
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()


if __name__ == "__main__":
    main()
