"""Foretells how many will board at each stop."""

import torch
from lines import mornings, town
from network import TramNetwork
from torch.nn import functional


def main():
    torch.manual_seed(0)
    edges, weights = town()
    network = TramNetwork()
    model = torch.compile(network, backend="eager")
    optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
    for number, (past, boarding) in enumerate(mornings(8)):
        predicted = model(past, edges, weights)
        loss = functional.mse_loss(predicted, boarding)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"morning {number}: {loss.item():.3f}")


if __name__ == "__main__":
    main()
