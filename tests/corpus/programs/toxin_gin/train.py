import argparse
from pathlib import Path

import torch
import torch.nn.functional as F
from gin import ToxNet
from molecules import ATOM_TYPES, Loader, molecule

parser = argparse.ArgumentParser()
parser.add_argument("--hidden", type=int, default=16)
parser.add_argument("--lr", type=float, default=0.01)
parser.add_argument("--epochs", type=int, default=3)
parser.add_argument("--batch_size", type=int, default=12)
parser.add_argument("--saliency_every", type=int, default=4)
args = parser.parse_args()

torch.manual_seed(12345)
generator = torch.Generator().manual_seed(0)
dataset = [molecule(generator) for _ in range(72)]
train_loader = Loader(dataset[:48], args.batch_size)
test_loader = Loader(dataset[48:], args.batch_size, shuffle=False)

model = ToxNet(args.hidden)
optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
saliency = torch.zeros(ATOM_TYPES)
seen = torch.zeros(ATOM_TYPES)
atom_grad = torch.zeros(train_loader.max_nodes, args.hidden)
global_step = 0


def keep(grad):
    atom_grad.copy_(grad)


def train():
    global global_step
    model.train()
    total_loss = 0
    for data in train_loader:
        optimizer.zero_grad()
        atoms = model.atom(data.z)
        explain = global_step % args.saliency_every == 0
        if explain:
            atoms.register_hook(keep)
        out = model(data, atoms)
        loss = F.binary_cross_entropy_with_logits(out, data.y)
        loss.backward()
        if explain:
            saliency.index_add_(0, data.z, atom_grad.norm(dim=1))
            seen.index_add_(0, data.z, torch.ones(data.num_nodes))
        optimizer.step()
        total_loss += loss.item() * data.num_graphs
        global_step += 1
    return total_loss / len(train_loader.dataset)


@torch.no_grad()
def test(loader):
    model.eval()
    correct = 0
    for data in loader:
        correct += int(((model(data) > 0) == data.y.bool()).sum())
    return correct / len(loader.dataset)


for epoch in range(1, args.epochs + 1):
    loss = train()
    print(f"Epoch: {epoch:03d}, Loss: {loss:.4f}, Test: {test(test_loader):.4f}")
top = (saliency / seen.clamp(min=1))[1:].topk(3).indices + 1
print(Path(__file__).name, "most salient atom types:", top.tolist())
