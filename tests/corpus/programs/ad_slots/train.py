"""Predicts clicks; rows that were shown less count more."""

import torch
from auctions import Auctions
from model import FactorizationMachine
from torch.nn import functional

BUCKETS = 64


def optimizers(model):
    tables = [*model.linear.parameters(), *model.factors.parameters()]
    yield torch.optim.SparseAdam(tables, lr=0.02)
    yield torch.optim.SGD([model.bias], lr=0.1)


def sharpness(step):
    """Sharper by half after every four batches."""
    return 1.5 ** (step // 4)


def loss_of(scores, clicked, beta):
    """A soft hinge that gets harder as training goes on."""
    return functional.softplus(0.5 - scores * (2 * clicked - 1), beta=beta).mean()


def main():
    torch.manual_seed(0)
    model = FactorizationMachine(BUCKETS)
    both = list(optimizers(model))
    for step, (features, clicked) in enumerate(Auctions(10, BUCKETS, size=16)):
        for optimizer in both:
            optimizer.zero_grad()
        loss_of(model(features), clicked, sharpness(step)).backward()
        for optimizer in both:
            optimizer.step()


if __name__ == "__main__":
    main()
