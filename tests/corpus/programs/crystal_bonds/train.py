import argparse
import os.path as osp
import tempfile

import torch
import torch.nn.functional as F
from data import Crystals, graph_loader
from pool import global_add_pool, scatter_add
from torch import nn


class CGConv(nn.Module):
    def __init__(self, channels: int, dim: int) -> None:
        super().__init__()
        self.lin_f = nn.Linear(2 * channels + dim, channels)
        self.lin_s = nn.Linear(2 * channels + dim, channels)

    def forward(self, x, edge_index, edge_attr):
        row, col = edge_index
        z = torch.cat([x[row], x[col], edge_attr], dim=-1)
        message = self.lin_f(z).sigmoid() * F.softplus(self.lin_s(z))
        return x + scatter_add(message, row, x.size(0))


class Net(nn.Module):
    def __init__(self, hidden: int, rbf: int, layers: int) -> None:
        super().__init__()
        self.emb = nn.Embedding(100, hidden)
        self.convs = nn.ModuleList([CGConv(hidden, rbf) for _ in range(layers)])
        self.mlp = nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 1))

    def forward(self, z, edge_index, edge_attr, batch):
        x = self.emb(z)
        for conv in self.convs:
            x = conv(x, edge_index, edge_attr)
        return global_add_pool(self.mlp(x), batch).view(-1)


parser = argparse.ArgumentParser()
parser.add_argument("--hidden_channels", type=int, default=12)
parser.add_argument("--layers", type=int, default=2)
parser.add_argument("--batch_size", type=int, default=12)
parser.add_argument("--epochs", type=int, default=3)
parser.add_argument("--lr", type=float, default=5e-3)
args = parser.parse_args()

torch.manual_seed(12345)
train_loader = graph_loader(Crystals(64, seed=0), args.batch_size, shuffle=True)
val_loader = graph_loader(Crystals(24, seed=1), args.batch_size)
test_loader = graph_loader(Crystals(24, seed=2), args.batch_size)

model = torch.compile(Net(args.hidden_channels, rbf=6, layers=args.layers), backend="aot_eager")
optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.7, patience=1)


def train():
    model.train()
    loss_all = 0
    for data in train_loader:
        optimizer.zero_grad()
        out = model(data.z, data.edge_index, data.edge_attr, data.batch)
        loss = F.mse_loss(out, data.y)
        loss.backward()
        loss_all += loss.item() * data.num_graphs
        optimizer.step()
    return loss_all / len(train_loader.dataset)


@torch.no_grad()
def test(loader):
    model.eval()
    error = 0
    for data in loader:
        out = model(data.z, data.edge_index, data.edge_attr, data.batch)
        error += (out - data.y).abs().sum().item()
    return error / len(loader.dataset)


best_val_error = None
with tempfile.TemporaryDirectory() as folder:
    path = osp.join(folder, "best.pt")  # noqa: PTH118
    for epoch in range(1, args.epochs + 1):
        lr = scheduler.optimizer.param_groups[0]["lr"]
        loss = train()
        val_error = test(val_loader)
        scheduler.step(val_error)
        if best_val_error is None or val_error <= best_val_error:
            test_error = test(test_loader)
            best_val_error = val_error
            torch.save(model.state_dict(), path)
        print(f"Epoch: {epoch:03d}, LR: {lr:.4f}, Loss: {loss:.4f}, Val: {val_error:.4f}, "
              f"Test: {test_error:.4f}")  # fmt: skip
