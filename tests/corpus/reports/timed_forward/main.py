import time

import torch
from torch import nn

from stopwatch import Stopwatch

watch = Stopwatch()


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(10, 32), nn.Tanh())
        self.value = nn.Linear(32, 1)

    def forward(self, seen):
        start = time.time()
        hidden = self.encoder(seen)
        watch.add("encoder", start)
        return self.value(hidden).squeeze(-1)


def main():
    torch.manual_seed(4)
    critic = Critic()
    fast = torch.compile(critic, backend="aot_eager")
    opt = torch.optim.SGD(critic.parameters(), lr=0.05)
    total = 0.0
    for step in range(10):
        seen = torch.randn(16, 10)
        loss = (fast(seen) - seen.sum(-1)).square().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
    print("FINAL %.5f" % total)


main()
