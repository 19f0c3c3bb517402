"""The steps of two optimizers are compiled; a schedule sets the rate of one of them."""

# finds CA702 /tensor/
# never /CA717/
import torch
from torch import nn

body, head = nn.Linear(5, 4), nn.Linear(4, 1)
slow = torch.optim.NAdam(body.parameters(), lr=0.1)  # <- CA702
fast = torch.optim.RMSprop(head.parameters(), lr=0.01)
schedule = torch.optim.lr_scheduler.ExponentialLR(slow, gamma=0.5)  # <- CA702
steps = [torch.compile(each.step, backend="eager") for each in (slow, fast)]

for _ in range(5):
    loss = head(body(torch.randn(3, 5)).tanh()).square().mean()
    body.zero_grad()
    head.zero_grad()
    loss.backward()
    for step in steps:
        step()
    schedule.step()
