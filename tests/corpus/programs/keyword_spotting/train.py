"""Trains the spotter and keeps the best one."""

import argparse
import copy

import torch
from audio import Words
from spotter import make_spotter
from torch._dynamo import compiled_autograd
from torch.nn import functional
from torch.utils.data import DataLoader


def validate(model, loader):
    model.eval()
    right = 0
    with torch.no_grad():
        for spectrograms, labels in loader:
            right += (model(spectrograms).argmax(-1) == labels).sum().item()
    return right / len(loader.dataset)


def fit(args):
    torch.manual_seed(args.seed)
    training = DataLoader(Words(40), args.batch, shuffle=True)
    validation = DataLoader(Words(20, seed=1), args.batch)
    model = make_spotter(dropout=args.dropout)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    best, best_state = 0.0, None
    model.train()
    for epoch in range(args.epochs):
        for spectrograms, labels in training:
            optimizer.zero_grad()
            loss = functional.cross_entropy(model(spectrograms), labels)
            loss.backward()
            optimizer.step()
        score = validate(model, validation)
        if score > best:
            best, best_state = score, copy.deepcopy(model.state_dict())
        print(f"epoch {epoch}: {score:.2f}")
    return best, best_state


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch", type=int, default=10)
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--dropout", type=float, default=0.2)
    parser.add_argument("--seed", type=int, default=0)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        fit(parser.parse_args())
