import torch
from rotary import Angles
from torch import nn


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.angles = Angles(16)
        self.out = nn.Linear(16, 2)

    def forward(self, x):
        return self.out(self.angles(x)).mean(1)


torch.manual_seed(0)
encoder = torch.compile(Encoder().eval(), backend="eager", dynamic=True)
with torch.no_grad():
    for length in (8, 12, 12, 20, 28, 16):
        print(length, encoder(torch.randn(2, length, 16)).sum().item())
