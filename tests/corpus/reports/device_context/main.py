"""Train a small autoencoder; every second round a check on fresh data made on the chosen device."""
import argparse

import torch
import torch.nn as nn


class AutoEncoder(nn.Module):
    def __init__(self, width=12, code=4):
        super().__init__()
        self.down = nn.Linear(width, code)
        self.up = nn.Linear(code, width)

    def forward(self, x):
        noise = torch.ones(x.shape[0], 1) * 0.01
        return self.up(torch.relu(self.down(x))) + noise


def check(model, device):
    with torch.device(device):
        fresh = torch.linspace(-1, 1, 16 * 12).view(16, 12)
        return nn.functional.mse_loss(model(fresh), fresh)


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--device", default="cpu")
    device = args.parse_args([]).device
    torch.manual_seed(12)
    net = AutoEncoder().to(device)
    model = torch.compile(net, backend="eager")
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for round_ in range(6):
        x = torch.randn(16, 12, device=device)
        loss = nn.functional.mse_loss(model(x), x)
        if round_ % 2:
            loss = loss + 0.1 * check(model, device)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(f"FINAL {loss.item():.5f}")


if __name__ == "__main__":
    main()
