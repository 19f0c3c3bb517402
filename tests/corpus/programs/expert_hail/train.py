"""Learns to tell the size of hail, day by day."""

import torch
from moe import SwitchLayer
from radar import days
from torch import nn


class HailNet(nn.Module):
    def __init__(self, heights=6, width=8):
        super().__init__()
        self.embed = nn.Linear(heights, width)
        self.switch = SwitchLayer(width)
        self.size = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 1), nn.Softplus())

    def forward(self, x):
        return self.size(self.switch(self.embed(x))).squeeze(1)


def main():
    torch.manual_seed(3)
    net = HailNet()
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.02)
    for columns, sizes in days(8):
        for parameter in net.parameters():
            parameter.grad = None
        loss = (net(columns) - sizes).abs().mean() + 0.01 * net.switch.balance
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
