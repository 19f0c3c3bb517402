"""Find sweets on a belt."""

import argparse

import torch
from conveyor import Belt, collate
from detector import Detector
from losses import SetLoss
from torch import nn


class Wrapped(nn.Module):
    """Model and losses, so that both are compiled together."""

    def __init__(self, model, criterion):
        super().__init__()
        self.model, self.criterion = model, criterion

    def forward(self, batch):
        logits, boxes = self.model(batch["images"])
        losses = self.criterion(logits, boxes, batch["labels"], batch["boxes"])
        return {name: loss * batch["weight"] for name, loss in losses.items()}


def batches(belt, steps, batch_size, blurred_every):
    for step in range(steps):
        batch = collate([belt.frame() for _ in range(batch_size)], belt.most)
        batch["weight"] = torch.tensor(1.0)
        if step % blurred_every == blurred_every - 1:
            batch["images"] = nn.functional.avg_pool2d(batch["images"], 3, 1, 1)
            batch["weight"] = torch.tensor(0.5)
        yield batch


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=9)
    parser.add_argument("--batch-size", type=int, default=4)
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--blurred-every", type=int, default=3)
    parser.add_argument("--backend", default="aot_eager")
    args = parser.parse_args()
    torch.manual_seed(0)
    belt = Belt(seed=1)
    wrapped = Wrapped(Detector(belt.classes), SetLoss(belt.classes))
    compiled = torch.compile(wrapped, backend=args.backend)
    optimizer = torch.optim.AdamW(wrapped.parameters(), lr=args.lr, weight_decay=1e-4)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 6, 0.1)
    for step, batch in enumerate(batches(belt, args.steps, args.batch_size, args.blurred_every)):
        losses = compiled(batch)
        loss = sum(losses.values())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(wrapped.parameters(), 0.1)
        optimizer.step()
        scheduler.step()
        shown = " ".join(f"{name} {value.item():.3f}" for name, value in losses.items())
        print(f"step {step} {shown}")


if __name__ == "__main__":
    main()
