import warnings

import torch
from torch import nn

from parallel import JoinLinear, SplitLinear

warnings.simplefilter("ignore", DeprecationWarning)


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.up, self.down = SplitLinear(width, 2 * width), JoinLinear(2 * width, width)

    def forward(self, x):
        return x + self.down(torch.relu(self.up(x)))


def main():
    torch.manual_seed(22)
    net = nn.Sequential(Block(8), Block(8), nn.Linear(8, 1))
    fast = torch.compile(net, backend="aot_eager")
    opt = torch.optim.Adam(net.parameters(), lr=0.01)
    total = 0.0
    for _ in range(6):
        x = torch.randn(10, 8)
        loss = (fast(x).squeeze(-1) - x.max(-1).values).square().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
    print("FINAL %.5f" % total)


main()
