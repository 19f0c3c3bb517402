"""Reads the formula of a molecule off its mass spectrum."""

from collections import OrderedDict

import torch
from precision import Precision
from spectra import loaders
from torch import nn
from torch._dynamo import compiled_autograd


def network(bins=32, width=24, elements=6):
    layers = OrderedDict(
        peaks=nn.Linear(bins, width),
        norm=nn.RMSNorm(width),
        act=nn.Hardswish(),
        formula=nn.Linear(width, elements),
    )
    return nn.Sequential(layers)


@torch.inference_mode()
def evaluate(model, loader):
    errors = [(model(peaks) - formula).abs().mean() for peaks, formula in loader]
    return torch.stack(errors).mean().item()


def main(epochs=4):
    torch.manual_seed(0)
    train, held = loaders()
    model, precision = network(), Precision(threshold=0.11)
    criterion = nn.SmoothL1Loss(beta=0.5)
    optimizer = torch.optim.RMSprop(model.parameters(), lr=5e-3)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for _ in range(epochs):
            precision.choose()
            model.train()
            for peaks, formula in train:
                optimizer.zero_grad()
                loss = criterion(model(peaks), formula)
                loss.backward()
                optimizer.step()
                precision.note(loss.item())
            evaluate(model.eval(), held)


if __name__ == "__main__":
    main()
