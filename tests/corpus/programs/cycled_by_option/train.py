"""One-cycle training with a compiled optimizer step."""

import argparse

import torch
import torch.nn as nn


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=6)
    parser.add_argument("--max-lr", type=float, default=0.05)
    parser.add_argument("--cycle-momentum", type=int, default=1)
    return parser.parse_args()


def schedule(optimizer, args):
    return torch.optim.lr_scheduler.OneCycleLR(
        optimizer, args.max_lr, total_steps=args.steps + 1, cycle_momentum=bool(args.cycle_momentum)
    )


def main():
    args = arguments()
    torch.manual_seed(8)
    net = nn.Sequential(nn.Linear(5, 9), nn.ReLU(), nn.Linear(9, 1))
    optimizer = torch.optim.Adam(net.parameters(), lr=torch.tensor(0.01))
    scheduler = schedule(optimizer, args)
    step = torch.compile(optimizer.step, backend="eager")
    x = torch.randn(24, 5)
    for _ in range(args.steps):
        loss = (net(x) - x.sum(1, keepdim=True)).square().mean()
        loss.backward()
        step()
        optimizer.zero_grad()
        scheduler.step()
    print(f"FINAL {loss.item():.5f}")


if __name__ == "__main__":
    main()
