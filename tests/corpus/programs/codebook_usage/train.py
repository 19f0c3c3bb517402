"""Trains the autoencoder and prints how much of the codebook is in use."""

import torch
from autoencoder import Autoencoder


def main():
    torch.manual_seed(0)
    model = Autoencoder()
    step = torch.compile(model, backend="aot_eager")
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for number in range(6):
        loss = step(torch.randn(4, 5, 12))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if number % 3 == 2:
            print(f"loss {loss.item():.3f}, {model.quantize.used} codes in use")


if __name__ == "__main__":
    main()
