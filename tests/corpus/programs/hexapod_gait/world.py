import torch
from hardware import LEGS

SIZE = 4 + 3 * LEGS


class World:
    def __init__(self, seed):
        self.g = torch.Generator().manual_seed(seed)
        self.coupling = 0.1 * torch.randn(SIZE, 3 * LEGS, generator=self.g)
        self.state = torch.zeros(SIZE)

    def reset(self):
        self.state = 0.1 * torch.randn(SIZE, generator=self.g)
        return self.state

    def advance(self, torque):
        push = self.coupling @ torque.squeeze(0)
        self.state = 0.95 * self.state + push + 0.01 * torch.randn(SIZE, generator=self.g)
        return self.state, -self.state[:4].square().sum().item()
