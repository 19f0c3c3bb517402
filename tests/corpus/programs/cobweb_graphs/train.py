import argparse
from statistics import fmean

import torch
import torch.nn.functional as F
from augment import drop_edges, mask_features
from convs import HeteroGNN
from graph import HeteroGraph, relation_stream

parser = argparse.ArgumentParser()
parser.add_argument("--hidden_channels", type=int, default=12)
parser.add_argument("--lr", type=float, default=0.01)
parser.add_argument("--steps", type=int, default=10)
parser.add_argument("--drop_edge", type=float, default=0.2)
parser.add_argument("--drop_feature", type=float, default=0.1)
parser.add_argument("--wd", type=float, default=5e-4)
args = parser.parse_args()

torch.manual_seed(3)
data = HeteroGraph(seed=3)
model = HeteroGNN(data.x.size(1), args.hidden_channels, int(data.y.max()) + 1)
optimizer = torch.optim.Adam(model.parameters(), lr=args.lr, weight_decay=args.wd)
generator = torch.Generator().manual_seed(4)
weight = data.train_mask.float()


def train(edge_index_dict):
    model.train()
    optimizer.zero_grad()
    x = mask_features(data.x, args.drop_feature, generator)
    out = model(x, drop_edges(edge_index_dict, args.drop_edge, generator))
    loss = (F.cross_entropy(out, data.y, reduction="none") * weight).sum() / weight.sum()
    loss.backward()
    optimizer.step()
    return loss.item()


@torch.no_grad()
def test():
    model.eval()
    pred = model(data.x, data.edge_index).argmax(dim=-1)
    correct = (pred == data.y).float()
    return [correct[mask].mean().item() for mask in (data.train_mask, ~data.train_mask)]


history = []
for step, relations in enumerate(relation_stream(data, args.steps, seed=5), start=1):
    history.append(train(relations))
    if step % 5 == 0:
        train_acc, test_acc = test()
        print(f"Step {step:02d}, Loss: {fmean(history[-5:]):.4f}, {train_acc:.3f} / {test_acc:.3f}")
