"""Trains a denoiser of nebulae under noise that grows."""

import settings
import torch
from monitor import ActivationMonitor
from network import Denoiser
from settings import CFG
from torch.utils.data import DataLoader


def nebulae(count, side=10):
    row = torch.linspace(-1, 1, side)
    centers = torch.rand(count, 2, 1, 1) - 0.5
    distance = (row.view(1, 1, -1) - centers[:, 0]) ** 2 + (row.view(1, -1, 1) - centers[:, 1]) ** 2
    return torch.exp(-4 * distance).unsqueeze(1)


def main():
    torch.manual_seed(33)
    loader = DataLoader(list(nebulae(18)), batch_size=CFG["batch_size"], shuffle=True)
    model = Denoiser()
    monitor = ActivationMonitor(model, ["encode", "middle"])
    denoise = torch.compile(model, backend="eager")
    optimizer = torch.optim.RAdam(model.parameters(), lr=CFG["lr"])
    for epoch in range(CFG["epochs"]):
        settings.advance(epoch)
        for pictures in loader:
            loss = denoise(pictures).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch}: {loss.item():.4f} {monitor.report()}")


if __name__ == "__main__":
    main()
