"""Separates the parts of a choir."""

import torch
from losses import total
from score import PARTS, rehearsals
from torch import nn
from torch._dynamo import compiled_autograd


class Separator(nn.Module):
    def __init__(self, length=24, width=20):
        super().__init__()
        self.listen = nn.Sequential(nn.Linear(length, width), nn.GELU())
        self.parts = nn.ModuleDict({part: nn.Linear(width, length) for part in PARTS})

    def forward(self, mixture):
        heard = self.listen(mixture)
        return {part: head(heard) for part, head in self.parts.items()}


def main(steps=5):
    torch.manual_seed(0)
    model = Separator()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, nesterov=True, momentum=0.8)
    running = None
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for mixture, parts in rehearsals(steps):
            loss = total(model(mixture), parts)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            running = loss.detach() if running is None else 0.9 * running + 0.1 * loss.detach()


if __name__ == "__main__":
    main()
