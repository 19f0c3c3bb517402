"""An average of the weights: a compiled `lerp_` for each pair of parameters after a step."""

import copy

import torch
from torch import nn

lerp = torch.compile(lambda shadow, live: shadow.lerp_(live, 0.1), backend="aot_eager")


@torch.no_grad()
def follow(average, model):
    for shadow, live in zip(average.parameters(), model.parameters(), strict=True):
        lerp(shadow, live)


def main():
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Linear(4, 12), nn.ReLU(), nn.Linear(12, 20), nn.ReLU(), nn.Linear(20, 3)
    )
    average = copy.deepcopy(model).requires_grad_(False)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(5):
        x = torch.randn(16, 4)
        loss = model(x).square().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        follow(average, model)
        print(step, round(loss.item(), 4))


main()
