"""python train.py --loss bce_sharp"""

import argparse

import numpy as np
import torch
from events import Events, batches
from losses import LOSSES
from picker import Picker, pick_error


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--loss", choices=sorted(LOSSES), default="bce_sharp")
    p.add_argument("--epochs", type=int, default=4)
    p.add_argument("--batch", type=int, default=6)
    p.add_argument("--lr", type=float, default=4e-3)
    p.add_argument("--seed", type=int, default=3)
    return p.parse_args()


if __name__ == "__main__":
    args = parse()
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    events = Events(36, seed=args.seed)
    model = Picker()
    criterion = LOSSES[args.loss]
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)
    total_steps = args.epochs * (len(events) // args.batch)

    @torch.compile(backend="aot_eager")
    def compute(waves, target, mask, progress):
        logits = model(waves)
        return criterion(logits, target, mask, progress), logits

    step = 0
    for epoch in range(args.epochs):
        errors = []
        for waves, target, mask in batches(events, args.batch, rng):
            progress = step / total_steps
            loss, logits = compute(waves, target, mask, progress)
            opt.zero_grad()
            loss.backward()
            opt.step()
            errors.append(pick_error(logits.detach(), target))
            step += 1
        print(f"epoch {epoch}: loss {loss.item():.4f}, off by {torch.stack(errors).mean():.1f}")
