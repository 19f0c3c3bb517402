import torch
from setup import build
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 1))
optimizer, scheduler = build(model.parameters())


@torch.compile(backend="eager")
def update():
    optimizer.step()
    optimizer.zero_grad()


for step in range(8):
    loss = model(torch.randn(10, 6)).pow(2).mean()
    loss.backward()
    update()
    scheduler.step()
    print(step, round(loss.item(), 5))
