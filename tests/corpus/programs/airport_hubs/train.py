"""Semi-supervised node classification: which airports are hubs?"""

import torch
import torch.nn.functional as F
from torch import nn

NODES, FEATURES, CLASSES = 60, 7, 3
STEPS = 36
IMPORTANCE_EVERY = 6


def route_map(seed=4):
    g = torch.Generator().manual_seed(seed)
    label = torch.randint(CLASSES, (NODES,), generator=g)
    same = (label[:, None] == label[None, :]).float()
    edges = (torch.rand(NODES, NODES, generator=g) < 0.04 + 0.12 * same).float()
    adj = ((edges + edges.t()) > 0).float()
    adj.fill_diagonal_(1.0)
    deg = adj.sum(1).rsqrt()
    x = F.one_hot(label, FEATURES).float() + torch.randn(NODES, FEATURES, generator=g)
    return x, deg[:, None] * adj * deg[None, :], label


class GCN(nn.Module):
    def __init__(self, hidden=16):
        super().__init__()
        self.lin1 = nn.Linear(FEATURES, hidden)
        self.lin2 = nn.Linear(hidden, CLASSES)

    def forward(self, x, adj):
        h = F.relu(adj @ self.lin1(x))
        h = F.dropout(h, 0.4, training=self.training)
        return adj @ self.lin2(h)


def jitter(x, scale=0.05):
    return x + scale * torch.randn_like(x)


torch.manual_seed(0)
features, adj, label = route_map()
train_mask = torch.arange(NODES) % 3 == 0
model = GCN()
opt = torch.optim.Adam(model.parameters(), lr=0.02, weight_decay=5e-4)
importance = torch.zeros(FEATURES)

for step in range(STEPS):
    model.train()
    x = jitter(features)
    if step % IMPORTANCE_EVERY == IMPORTANCE_EVERY - 1:
        x.requires_grad_()
    out = model(x, adj)
    loss = F.cross_entropy(out[train_mask], label[train_mask])
    opt.zero_grad()
    loss.backward()
    opt.step()
    if x.grad is not None:
        importance += x.grad.abs().mean(0)
        model.eval()
        with torch.no_grad():
            hits = (model(features, adj).argmax(1) == label)[~train_mask]
        print(f"step {step:3d}  loss {loss.item():.4f}  acc {hits.float().mean():.3f}")

print("most telling feature:", importance.argmax().item())
