"""Seats visitors in pairs who want the same."""

import torch
from showings import evening
from torch import nn
from torch.nn import functional


class Usher(nn.Module):
    def __init__(self, wishes=4, width=8):
        super().__init__()
        self.place = nn.Sequential(nn.Linear(wishes, width), nn.Tanh(), nn.Linear(width, 2))

    def forward(self, visitors):
        if visitors.shape[0] % 2:
            visitors = functional.pad(visitors, (0, 0, 0, 1))
        left, right = self.place(visitors).chunk(2)
        wanted = functional.cosine_similarity(*visitors.chunk(2))
        apart = (left - right).square().sum(-1)
        return (wanted.relu() * apart + (-wanted).relu() * (1 - apart).relu()).mean()


def main(evenings=2):
    torch.manual_seed(12)
    usher = Usher()
    compiled = torch.compile(usher, backend="eager")
    optimizer = torch.optim.SGD(usher.parameters(), lr=0.05, nesterov=True, momentum=0.8)
    for _ in range(evenings):
        for visitors in evening():
            loss = compiled(visitors)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    main()
