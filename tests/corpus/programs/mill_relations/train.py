"""Predicts the output of water mills from their neighbourhood."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from conv import GATConv, GraphConv, HeteroConv, SAGEConv
from hetero import HeteroData, MillRecords
from torch import Tensor, nn


class HeteroGNN(nn.Module):
    def __init__(self, features: int, hidden: int = 16, layers: int = 1) -> None:
        super().__init__()
        self.convs = nn.ModuleList()
        for layer in range(layers):
            width = features if layer == 0 else hidden
            convs = {
                "feeds": SAGEConv(width, hidden),
                "owns": GATConv(width, hidden),
                "borders": GraphConv(width, hidden),
            }
            self.convs.append(HeteroConv(convs))
        self.norms = nn.ModuleList(nn.LayerNorm(hidden) for _ in range(layers))
        self.lin = nn.Linear(hidden, 1)

    def forward(self, data: HeteroData) -> Tensor:
        x = data.x
        for conv, norm in zip(self.convs, self.norms, strict=True):
            x = F.leaky_relu(norm(conv(x, data.edge_index_dict)))
            x = F.dropout(x, 0.1, self.training)
        return self.lin(x).squeeze(-1)


def train(model: nn.Module, loader: MillRecords, optimizer: torch.optim.Optimizer) -> float:
    model.train()
    total = 0.0
    for data in loader:
        optimizer.zero_grad()
        loss = F.mse_loss(model(data), data.y)
        loss.backward()
        optimizer.step()
        total += float(loss) * data.num_nodes
    return total / loader.graphs / loader.nodes


@torch.no_grad()
def test(model: nn.Module, loader: MillRecords) -> float:
    model.eval()
    return sum(float(F.l1_loss(model(data), data.y)) for data in loader) / loader.graphs


if __name__ == "__main__":
    torch.manual_seed(12345)
    model = HeteroGNN(features=6)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
    train_loader = MillRecords(graphs=7, nodes=12, features=6, seed=0)
    test_loader = MillRecords(graphs=3, nodes=12, features=6, seed=1)
    for epoch in range(1, 3):
        loss = train(model, train_loader, optimizer)
        print(f"Epoch: {epoch:03d}, Loss: {loss:.4f}, Test: {test(model, test_loader):.4f}")
