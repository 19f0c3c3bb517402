"""Trains the autoencoder; the weight of the divergence grows with every epoch."""

import losses
import torch
from torch import nn


class VAE(nn.Module):
    def __init__(self, features=12, latent=3):
        super().__init__()
        self.encode = nn.Sequential(nn.Linear(features, 16), nn.ReLU(), nn.Linear(16, 2 * latent))
        self.decode = nn.Sequential(nn.Linear(latent, 16), nn.ReLU(), nn.Linear(16, features))

    def forward(self, inputs):
        mean, log_variance = self.encode(inputs).chunk(2, -1)
        rebuilt = self.decode(losses.sample(mean, log_variance))
        return losses.elbo(rebuilt, inputs, mean, log_variance)


def main():
    torch.manual_seed(0)
    vae = VAE()
    compiled = torch.compile(vae, backend="eager")
    optimizer = torch.optim.Adam(vae.parameters(), lr=1e-3)
    data = torch.randn(32, 12)
    for epoch in range(5):
        losses.KL_WEIGHT = epoch / 10
        for rows in torch.randperm(32).split(8):
            loss = compiled(data[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    main()
