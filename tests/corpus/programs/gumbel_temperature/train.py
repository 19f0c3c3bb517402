"""Trains the discrete autoencoder, colder at every epoch."""

import torch
from torch.nn import functional
from vq import DiscreteAutoencoder


def anneal(model, epoch):
    model.temperature = max(0.3, 0.85**epoch)


def main():
    torch.manual_seed(0)
    model = DiscreteAutoencoder()
    compiled = torch.compile(model, backend="aot_eager")
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    data = torch.randn(48, 16)
    for epoch in range(6):
        anneal(model, epoch)
        for batch in data.split(16):
            rebuilt, soft = compiled(batch)
            usage = soft.mean(0)
            diversity = (usage * (usage + 1e-6).log()).sum()
            loss = functional.mse_loss(rebuilt, batch) + 0.01 * epoch * diversity
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    main()
