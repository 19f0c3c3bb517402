"""Classify words by their letters; each batch is as long as its longest word."""

import torch
import torch.nn as nn
from options import compile_options


class Letters(nn.Module):
    def __init__(self, letters=30, width=10, classes=3):
        super().__init__()
        self.embed = nn.Embedding(letters, width, padding_idx=0)
        self.gate = nn.Linear(width, width)
        self.head = nn.Linear(width, classes)

    def forward(self, words):
        letters = self.embed(words)
        seen = (letters * torch.sigmoid(self.gate(letters))).sum(1)
        return self.head(seen)


def main():
    torch.manual_seed(3)
    net = Letters()
    model = torch.compile(net, **compile_options())
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
    for step in range(12):
        words = torch.randint(1, 30, (8, 4 + step // 2))
        labels = words[:, 0] % 3
        loss = nn.functional.cross_entropy(model(words), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"FINAL {loss.item():.5f}")


if __name__ == "__main__":
    main()
