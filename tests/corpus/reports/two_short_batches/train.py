"""An autoencoder of letters: trained in batches, then looked at in batches of the same size."""

import torch
import torch.nn.functional as functional
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(5)
letters = torch.rand(38, 20)
held_back = torch.rand(19, 20)
training = DataLoader(TensorDataset(letters), batch_size=16, shuffle=True)
looking = DataLoader(TensorDataset(held_back), batch_size=16)


class Squeeze(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.narrow = nn.Linear(20, 6)
        self.wide = nn.Linear(6, 20)

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        return torch.sigmoid(self.wide(torch.relu(self.narrow(rows))))


model = torch.compile(Squeeze(), backend="eager")
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)


def train() -> None:
    model.train()
    for (rows,) in training:
        optimizer.zero_grad()
        loss = functional.binary_cross_entropy(model(rows), rows)
        loss.backward()
        optimizer.step()


def look() -> float:
    model.eval()
    total = 0.0
    with torch.no_grad():
        for (rows,) in looking:
            total += functional.binary_cross_entropy(model(rows), rows, reduction="sum").item()
    return total / held_back.numel()


for epoch in range(2):
    train()
    print(f"epoch {epoch}: {look():.4f}")
