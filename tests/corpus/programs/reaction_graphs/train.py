"""Predicts how fast molecules react."""

import random

import torch
from graphs import molecule_loader
from mpnn import MPNN
from torch._dynamo import compiled_autograd
from torch.nn import functional as F

hparams = {
    "features": 6,
    "batch_size": 6,
    "molecules": 26,
    "lr": 5e-3,
    "epochs": 3,
    "jitter": 1,
}


def train(model, loader, optimizer):
    model.train()
    total_loss = 0.0
    for data in loader:
        optimizer.zero_grad()
        loss = F.smooth_l1_loss(model(data), data.y)
        loss.backward()
        total_loss += loss.item() * data.num_graphs
        optimizer.step()
    return total_loss / len(loader.dataset)


def main():
    random.seed(1)
    torch.manual_seed(12)
    loader = molecule_loader(hparams["molecules"], hparams["features"], hparams["batch_size"])
    model = MPNN(hparams["features"], jitter=hparams["jitter"])
    optimizer = torch.optim.Adam(model.parameters(), lr=hparams["lr"])
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for epoch in range(1, hparams["epochs"] + 1):
            print(f"Epoch: {epoch:03d}, Loss: {train(model, loader, optimizer):.4f}")


if __name__ == "__main__":
    main()
