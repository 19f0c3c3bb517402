"""Series of many lengths under dynamic shapes."""

import torch
from model import Downsampler
from torch.nn import functional


def main():
    torch.manual_seed(0)
    model = Downsampler()
    compiled = torch.compile(model, backend="eager", dynamic=True)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for length in (10, 14, 13, 20, 17, 22, 25, 12):
        series = torch.randn(6, length)
        loss = functional.mse_loss(compiled(series), series.mean(1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
