"""Fit the brightness of a bow stroke; small batches, so gradients of four are gathered."""

import argparse

import torch
from bows import loader
from torch import nn


def build(width):
    return nn.Sequential(
        nn.Unflatten(1, (1, 24)),
        nn.Conv1d(1, width, 5, padding=2),
        nn.GELU(),
        nn.AvgPool1d(4),
        nn.Flatten(),
        nn.Linear(6 * width, 1),
        nn.Flatten(0),
    )


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--width", type=int, default=6)
    parser.add_argument("--accum-steps", type=int, default=4)
    parser.add_argument("--lr", type=float, default=1e-2)
    parser.add_argument("--clip", type=float, default=1.0)
    return parser.parse_args()


def main(args):
    torch.manual_seed(2)
    model = build(args.width)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.5)
    for epoch in range(args.epochs):
        running = 0.0
        for i, (force, brightness) in enumerate(loader()):
            loss = nn.functional.mse_loss(model(force), brightness) / args.accum_steps
            loss.backward()
            running += loss.item()
            if (i + 1) % args.accum_steps == 0:
                nn.utils.clip_grad_norm_(model.parameters(), args.clip)
                optimizer.step()
                optimizer.zero_grad()
        scheduler.step()
        print(f"epoch {epoch}: {running:.4f} lr {scheduler.get_last_lr()[0]:.1e}")


if __name__ == "__main__":
    main(parse())
