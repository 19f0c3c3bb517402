import torch
from torch import nn


class Probe(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.net = nn.Linear(width, 1)

    def forward(self, x):
        return self.net(x).squeeze(-1)


def fit(fold, x, y):
    model = Probe(x.shape[1])
    compiled = torch.compile(model, backend="eager", dynamic=False)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for _ in range(3):
        loss = (compiled(x) - y).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()
