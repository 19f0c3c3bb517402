"""Chooses where the next buoys are put out."""

import torch
from fitting import Fitter
from uncertainty import Waves, most_uncertain


def measured(x):
    return (3 * x[:, 0]).sin() + x[:, 1] * (2 * x[:, 2]).cos()


def main(rounds=3):
    torch.manual_seed(0)
    model = Waves()
    fitter = Fitter(model)
    known = torch.rand(19, 3)
    for number in range(rounds):
        fitter.fit(known, measured(known))
        candidates = torch.rand(60, 3)
        chosen = most_uncertain(model, candidates, count=10)
        known = torch.cat([known, candidates[chosen]])
        print(f"{number}: {len(known)} known, drive {fitter.drive:.4f}")


if __name__ == "__main__":
    main()
