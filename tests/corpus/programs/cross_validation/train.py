"""Five folds; each makes, compiles and trains a model of its own. Nothing is compiled twice."""

import torch
from torch import nn
from torch.nn import functional

FOLDS = 5


def make_model():
    return nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 1))


def train(data, held_out):
    model = torch.compile(make_model(), backend="eager")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for number, fold in enumerate(data):
        if number == held_out:
            continue
        loss = functional.mse_loss(model(fold), fold.mean(1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def main():
    torch.manual_seed(0)
    data = torch.randn(60, 6).chunk(FOLDS)
    for held_out in range(FOLDS):
        train(data, held_out)


if __name__ == "__main__":
    main()
