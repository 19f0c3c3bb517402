"""Train a recommender on ratings, with sparse embeddings."""

import torch
from ratings import Ratings
from recommender import Recommender
from torch import nn
from torch._dynamo import compiled_autograd
from torch.utils.data import DataLoader

EPOCHS = 3
TOWER_FROM = 1


def run_epoch(model, loader, optimizers, criterion):
    squared, seen = 0.0, 0
    for users, items, stars in loader:
        for optimizer in optimizers:
            optimizer.zero_grad()
        loss = criterion(model(users, items), stars)
        loss.backward()
        for optimizer in optimizers:
            optimizer.step()
        squared += loss.item() * len(stars)
        seen += len(stars)
    return (squared / seen) ** 0.5


def main():
    torch.manual_seed(0)
    loader = DataLoader(Ratings(), batch_size=64, shuffle=True)
    model = Recommender(n_users=60, n_items=40)
    optimizers = [
        torch.optim.SparseAdam(model.sparse_parameters(), lr=1e-2),
        torch.optim.Adam(model.dense_parameters(), lr=1e-2),
    ]
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for epoch in range(EPOCHS):
            model.use_tower = epoch >= TOWER_FROM
            rmse = run_epoch(model, loader, optimizers, nn.MSELoss())
            print(f"epoch {epoch}: rmse {rmse:.3f}")


if __name__ == "__main__":
    main()
