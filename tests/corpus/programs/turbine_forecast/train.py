"""Trains the forecaster of turbines."""

import torch
from model import Forecaster
from signals import Turbines
from torch.nn import functional


def main():
    torch.manual_seed(0)
    model = Forecaster()
    model.compile(backend="eager")
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
    for signal, power in Turbines():
        loss = functional.smooth_l1_loss(model(signal), power)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
