"""Truncated backpropagation through time on weather series."""

import torch
import torch.nn as nn
from forecaster import Forecaster
from stations import make_series, windows
from torch._dynamo import compiled_autograd

EPOCHS = 3
BPTT = 4


def train_epoch(model, series, optimizer, criterion):
    hidden = model.init_hidden(len(series))
    optimizer.zero_grad()
    total = 0.0
    for x, y in windows(series, BPTT):
        output, hidden = model(x, hidden)
        loss = criterion(output, y)
        # The hidden state of the last window is still needed.
        loss.backward(retain_graph=True)
        total += loss.item()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return total


def main():
    torch.manual_seed(0)
    series = make_series()
    model = Forecaster()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for epoch in range(EPOCHS):
            total = train_epoch(model, series, optimizer, nn.MSELoss())
            print(f"epoch {epoch}: {total:.4f}")


if __name__ == "__main__":
    main()
