"""Tells species apart by short reads."""

import argparse

import torch
from net import ReadNet
from reads import ReadCollator, Reads
from torch._dynamo import compiled_autograd
from torch.nn import functional
from torch.utils.data import DataLoader


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reads", type=int, default=48)
    parser.add_argument("--batch-size", type=int, default=8)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def run_epoch(model, loader, optimizer):
    total = 0.0
    for tokens, species in loader:
        optimizer.zero_grad()
        loss = functional.cross_entropy(model(tokens), species)
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total / len(loader)


def main():
    args = parse()
    torch.manual_seed(args.seed)
    data = Reads(args.reads, seed=args.seed)
    loader = DataLoader(data, args.batch_size, shuffle=True, collate_fn=ReadCollator())
    model = ReadNet()
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    backward = torch.compile(backend="aot_eager", dynamic=False)
    with compiled_autograd._enable(backward, dynamic=False):
        for epoch in range(args.epochs):
            print(f"epoch {epoch}: {run_epoch(model, loader, optimizer):.3f}")


if __name__ == "__main__":
    main()
