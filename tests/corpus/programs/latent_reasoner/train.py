"""Trains the recurrent-depth model to reverse sequences."""

import torch
from depth import DepthSchedule
from model import LatentReasoner
from torch._dynamo import compiled_autograd
from torch.nn import functional


def sequences(steps, rows=6, length=5, vocabulary=16):
    for _ in range(steps):
        tokens = torch.randint(0, vocabulary, (rows, length))
        yield tokens, tokens.flip(1)


def main():
    torch.manual_seed(0)
    model = LatentReasoner()
    schedule = DepthSchedule()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.1)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for tokens, targets in sequences(steps=7):
            logits = model(tokens, schedule.sample())
            loss = functional.cross_entropy(logits.flatten(0, 1), targets.flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    main()
