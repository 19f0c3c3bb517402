"""What all stations of the moor have in common on a day, learned by sweeping over the record."""

import argparse

import torch
from records import rainfall, windows
from torch import Tensor, nn


class CommonLevel(nn.Module):
    def __init__(self, days: int, stations: int, hidden: int) -> None:
        super().__init__()
        self.level = nn.Parameter(torch.zeros(days))
        self.response = nn.Sequential(nn.Linear(1, hidden), nn.GELU(), nn.Linear(hidden, stations))
        self.offset = nn.Parameter(torch.zeros(stations))

    def forward(self, start: int, length: int) -> tuple[Tensor, Tensor]:
        level = self.level[start : start + length]
        rough = level.diff().square().mean()
        return self.response(level[:, None]) + self.offset, rough


def fit(args: argparse.Namespace) -> float:
    torch.manual_seed(args.seed)
    record = rainfall(args.days, args.stations, args.seed)
    model = CommonLevel(args.days, args.stations, args.hidden)
    optimizer = torch.optim.RMSprop(model.parameters(), lr=args.lr)
    mean = 0.0
    for sweep in range(args.sweeps):
        smoothness = args.smoothness * 0.5**sweep
        errors = []
        for start, observed in windows(record, args.window, args.stride):
            expected, rough = model(start, len(observed))
            error = nn.functional.mse_loss(expected, observed)
            optimizer.zero_grad()
            (error + smoothness * rough).backward()
            optimizer.step()
            errors.append(error.item())
        mean = sum(errors) / len(errors)
        print(f"sweep {sweep}: {mean:.4f} (smoothness {smoothness:g})")
    return mean


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--days", type=int, default=60)
    parser.add_argument("--stations", type=int, default=5)
    parser.add_argument("--window", type=int, default=20)
    parser.add_argument("--stride", type=int, default=8)
    parser.add_argument("--hidden", type=int, default=12)
    parser.add_argument("--sweeps", type=int, default=3)
    parser.add_argument("--smoothness", type=float, default=0.1)
    parser.add_argument("--lr", type=float, default=0.01)
    parser.add_argument("--seed", type=int, default=7)
    fit(parser.parse_args())
