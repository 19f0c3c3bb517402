import argparse

import torch
import torch.nn.functional as F
from conv import GNN
from lakes import DataLoader, food_web

parser = argparse.ArgumentParser()
parser.add_argument("--batch_size", type=int, default=8)
parser.add_argument("--hidden_channels", type=int, default=16)
parser.add_argument("--lr", type=float, default=0.01)
parser.add_argument("--epochs", type=int, default=3)
args = parser.parse_args()

torch.manual_seed(12345)
generator = torch.Generator().manual_seed(12345)
dataset = [food_web(generator) for _ in range(68)]
train_dataset, test_dataset = dataset[:44], dataset[44:]
train_loader = DataLoader(train_dataset, args.batch_size, shuffle=True, generator=generator)
test_loader = DataLoader(test_dataset, args.batch_size)

gnn = GNN(6, args.hidden_channels, 2)
model = torch.compile(gnn, backend="eager")
optimizer = torch.optim.Adam(gnn.parameters(), lr=args.lr)


def train():
    model.train()
    total_loss = 0
    for data in train_loader:
        optimizer.zero_grad()
        out = model(data.x, data.edge_index, data.batch)
        loss = F.cross_entropy(out, data.y)
        loss.backward()
        optimizer.step()
        total_loss += float(loss) * data.num_graphs
    return total_loss / len(train_dataset)


@torch.no_grad()
def test(loader):
    gnn.eval()
    correct = 0
    for data in loader:
        pred = gnn(data.x, data.edge_index, data.batch).argmax(dim=-1)
        correct += int((pred == data.y).sum())
    return correct / len(loader.dataset)


best_acc = 0
for epoch in range(1, args.epochs + 1):
    loss = train()
    acc = test(test_loader)
    if acc > best_acc:
        best_acc = acc
    print(f"Epoch: {epoch:03d}, Loss: {loss:.4f}, Test: {acc:.4f}")
print(f"best {best_acc:.4f}")
