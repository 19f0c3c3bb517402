"""Trains the forecaster in phases, each with an objective of its own."""

import torch
from forecaster import DemandForecaster
from torch.utils.data import DataLoader, TensorDataset

PHASES = [("squared", 2), ("log_cosh", 1), ("absolute", 1), ("pinball", 2)]


def households(count=36, hours=30):
    day = torch.sin(torch.arange(hours) * torch.pi / 12)
    demand = day + 0.3 * torch.randn(count, hours) + torch.randn(count, 1)
    return TensorDataset(demand[:, :24], demand[:, 24:])


def main():
    torch.manual_seed(0)
    model = DemandForecaster()
    compute_loss = torch.compile(model.loss, backend="eager")
    optimizer = torch.optim.NAdam(model.parameters(), lr=3e-3)
    loader = DataLoader(households(), batch_size=12, shuffle=True)
    for name, epochs in PHASES:
        for _ in range(epochs):
            for past, demand in loader:
                loss = compute_loss(past, demand, name)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
        print(f"{name}: {loss.item():.3f}")


if __name__ == "__main__":
    main()
