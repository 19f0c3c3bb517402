"""Compares rates of learning by leaving out a part of the tastings at a time."""

import copy

import torch
from blends import Taster, tastings
from torch.fx import symbolic_trace

TEAS, FOLDS = 6, 4


def weights_of(taster):
    return copy.deepcopy(taster.state_dict())


def fit(taster, fresh, blend, liked, rate, epochs=4):
    taster.load_state_dict(fresh)
    traced = symbolic_trace(taster)
    model = torch.compile(traced, backend="eager")
    optimizer = torch.optim.Adam(traced.parameters(), lr=rate)
    for _ in range(epochs):
        loss = (model(blend) - liked).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return traced


def main(rates=(0.01, 0.03)):
    torch.manual_seed(6)
    taster = Taster(TEAS)
    fresh = weights_of(taster)
    blend, liked = tastings(FOLDS * 10, TEAS)
    fold = torch.arange(len(blend)) % FOLDS
    for rate in rates:
        errors = []
        for held_out in range(FOLDS):
            kept = fold != held_out
            fitted = fit(taster, fresh, blend[kept], liked[kept], rate)
            with torch.no_grad():
                errors.append((fitted(blend[~kept]) - liked[~kept]).abs().mean())
        print(f"rate {rate}: {torch.stack(errors).mean():.3f}")


if __name__ == "__main__":
    main()
