"""A siamese network that tells forged signatures."""

from itertools import islice

import torch
from signatures import SignaturePairs
from torch import nn
from torch.nn import functional


class Hand(nn.Module):
    """One signature as a vector."""

    def __init__(self, width=12):
        super().__init__()
        self.strokes = nn.Conv1d(2, width, 5, stride=2)
        self.out = nn.Linear(width, 8)

    def forward(self, signature):
        signature = signature.to(self.out.weight.dtype)
        return self.out(torch.relu(self.strokes(signature)).mean(-1))


class Siamese(nn.Module):
    def __init__(self):
        super().__init__()
        self.hand = Hand()

    def forward(self, left, right):
        return (self.hand(left) - self.hand(right)).square().sum()


def contrastive(distance, same, margin=1.0):
    return same * distance + (1 - same) * functional.relu(margin - distance)


def main():
    torch.manual_seed(0)
    network = Siamese()
    compare = torch.compile(network, backend="eager")
    optimizer = torch.optim.Adam(network.parameters(), lr=3e-3)
    total = 0.0
    for left, right, same in islice(SignaturePairs(), 40):
        distance = compare(left, right)
        loss = contrastive(distance, same)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"mean loss {total / 40:.3f}")


if __name__ == "__main__":
    main()
