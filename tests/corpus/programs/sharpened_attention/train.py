"""Trains a set transformer whose attention grows sharper."""

import torch
from attention import Attention
from schedule import Sharpen, WarmUp
from torch import nn
from torch._dynamo import compiled_autograd


class SetRegressor(nn.Module):
    def __init__(self, width=16, heads=2, depth=2):
        super().__init__()
        self.enter = nn.Linear(3, width)
        self.mixers = nn.ModuleList(Attention(width, heads) for _ in range(depth))
        self.head = nn.Linear(width, 1)

    def forward(self, points):
        x = self.enter(points)
        for mixer in self.mixers:
            x = x + mixer(x)
        return self.head(x.mean(1)).squeeze(1)


def main(steps=8):
    torch.manual_seed(0)
    model = SetRegressor()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    callbacks = [Sharpen(model, final=2.0, steps=5), WarmUp(optimizer, steps=3)]
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for step in range(steps):
            for callback in callbacks:
                callback(step)
            points = torch.randn(4, 7, 3)
            loss = (model(points) - points.norm(dim=2).amax(1)).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    main()
