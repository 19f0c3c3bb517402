"""Replays traffic, a part of which is repeated as shadow traffic."""

import torch
from serving import Live, Shadow
from tower import Tower


def traffic(count, rows=5, columns=9):
    generator = torch.Generator().manual_seed(2)
    for number in range(count):
        yield number % 4 == 3, torch.randn(rows, columns, generator=generator)


def main(requests=16):
    torch.manual_seed(0)
    model = torch.compile(Tower().eval().requires_grad_(False), backend="eager")
    live, shadow = Live(model), Shadow(model)
    answers = {"live": [], "shadow": []}
    for repeated, rows in traffic(requests):
        answers["live"].append(live(rows))
        if repeated:
            answers["shadow"].append(shadow(rows))
    return answers


if __name__ == "__main__":
    main()
